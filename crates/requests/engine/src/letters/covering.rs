//! How many regions and facts it takes to cover all walks.

use std::collections::BTreeSet;

use serval_arith::{Outcome, Solver};
use serval_budget::Budget;
use serval_linear::{Linear, Literal, Problem};
use serval_proof::letters::{Automaton, region_clauses};
use serval_testkit::random::SplitMix64;

use super::dual::{separate, separate_among};
use super::region::find_region;
use super::sample::{clock, draw, shards};

fn enough() -> Budget {
    Budget::ticks(50_000_000)
}

/// Flows along the edges, from the start to some state, and their numbers of labels, which are
/// the first variables.
fn flows(automaton: &Automaton, classes: u32) -> Problem {
    let edges = u32::try_from(automaton.edges.len()).unwrap();
    let mut problem = Problem { variables: classes + edges + automaton.states, ..Problem::default() };
    let along = |chosen: &dyn Fn(&(u32, u32, u32)) -> i64| {
        (classes..).zip(&automaton.edges).map(|(variable, edge)| (variable, chosen(edge))).collect::<Vec<_>>()
    };
    for class in 0..classes {
        let terms = along(&|edge| i64::from(edge.1 == class));
        problem.equalities.push(Linear::new(terms.into_iter().chain([(class, -1)]), 0).unwrap());
    }
    for state in 0..automaton.states {
        let terms = along(&|edge| i64::from(edge.2 == state) - i64::from(edge.0 == state));
        let end = [(classes + edges + state, -1)];
        problem.equalities.push(Linear::new(terms.into_iter().chain(end), i64::from(state == automaton.start)).unwrap());
    }
    let ends = (0..automaton.states).map(|state| (classes + edges + state, 1));
    problem.equalities.push(Linear::new(ends, -1).unwrap());
    problem
}

/// How many regions are found until they cover all walks, each around the counts of a walk that is
/// in none so far: short ones first.
fn cover(automaton: &Automaton, classes: u32, most: usize) -> usize {
    let mut regions = 0;
    let (mut clauses, mut variables) = (Vec::new(), flows(automaton, classes).variables);
    for bound in (1..=6).map(Some).chain([None]) {
        let mut problem = flows(automaton, classes);
        problem.variables = variables;
        problem.clauses.clone_from(&clauses);
        if let Some(bound) = bound {
            problem.inequalities.push(Linear::new((0..classes).map(|class| (class, -1)), bound).unwrap());
        }
        let mut solver = Solver::new(problem);
        loop {
            let found = match solver.solve(&mut enough()) {
                Outcome::Satisfiable(found) => found,
                Outcome::Refuted(_) => break,
                Outcome::Stopped(_) => panic!("{} regions and no end", regions),
            };
            let uses = &found[classes as usize..][..automaton.edges.len()];
            let mut reached = BTreeSet::from([automaton.start]);
            for _ in 0..automaton.states {
                let used = automaton.edges.iter().zip(uses).filter(|&(edge, &used)| used > 0 && reached.contains(&edge.0));
                let next: Vec<u32> = used.map(|(edge, _)| edge.2).collect();
                reached.extend(next);
            }
            let outside = |edge: &&(u32, &(u32, u32, u32))| !reached.contains(&edge.1.0);
            let edges: Vec<(u32, &(u32, u32, u32))> = (classes..).zip(&automaton.edges).collect();
            if edges.iter().filter(outside).any(|&(variable, _)| found[variable as usize] > 0) {
                let none = edges.iter().filter(outside).map(|&(variable, _)| (variable, -1));
                let leaves = |edge: &&(u32, &(u32, u32, u32))| reached.contains(&edge.1.0) && !reached.contains(&edge.1.2);
                let some = edges.iter().filter(leaves).map(|&(variable, _)| (variable, 1));
                let clause = [Linear::new(none, 0).unwrap(), Linear::new(some, -1).unwrap()].map(Literal::AtLeastZero).to_vec();
                solver.add_clause(clause.clone());
                clauses.push(clause);
                continue;
            }
            let counts = &found[..classes as usize];
            let region = find_region(automaton, classes, counts, &mut enough()).unwrap().unwrap();
            let (new, more) = region_clauses(automaton, classes, &region, variables).unwrap();
            while solver.problem().variables < more {
                solver.add_variable();
            }
            variables = more;
            new.iter().for_each(|clause| solver.add_clause(clause.clone()));
            clauses.extend(new);
            regions += 1;
            assert!(regions <= most, "{most} regions are not enough: {automaton:?}");
        }
    }
    regions
}

fn labels(automaton: &Automaton) -> u32 {
    1 + automaton.edges.iter().map(|edge| edge.1).max().unwrap_or(0)
}

#[test]
fn few_regions_cover_counters_and_shards() {
    for (automaton, most) in [(clock(8, 0), 8), (clock(3, 1), 3), (shards(1), 2), (shards(2), 6), (shards(3), 20)] {
        cover(&automaton, labels(&automaton), most);
    }
}

#[test]
fn few_regions_cover_random_automata() {
    let random = &mut SplitMix64::new(5);
    for _ in 0..100 {
        let classes = 1 + random.below(3);
        cover(&draw(random, classes), u32::try_from(classes).unwrap(), 15);
    }
}

/// What it took to prove over the counts of labels alone that counts with which nothing is wrong
/// are in a region.
#[derive(Debug, Default)]
struct Proof {
    regions: usize,
    /// Clauses that hold for all walks.
    facts: usize,
    /// Clauses that hold for all walks with some labels alone.
    conditional: usize,
    /// Counts that no walk has, and no clause excludes.
    single: usize,
    nodes: usize,
}

/// As a proof goes in which everything that holds for walks can be shown for runs.
fn prove(automaton: &Automaton, classes: u32, rounds: usize) -> Option<Proof> {
    let mut proof = Proof::default();
    let (mut clauses, mut variables): (Vec<Vec<Literal>>, u32) = (Vec::new(), classes);
    for bound in (1..=6).map(Some).chain([None]) {
        let mut problem = Problem { variables, clauses: clauses.clone(), ..Problem::default() };
        if let Some(bound) = bound {
            problem.inequalities.push(Linear::new((0..classes).map(|class| (class, -1)), bound).unwrap());
        }
        let mut solver = Solver::new(problem);
        loop {
            let found = match solver.solve(&mut enough()) {
                Outcome::Satisfiable(found) => found,
                Outcome::Refuted(tree) => {
                    proof.nodes = tree.nodes.len();
                    break;
                }
                Outcome::Stopped(_) => return None,
            };
            let counts = &found[..classes as usize];
            let new = if let Some(region) = find_region(automaton, classes, counts, &mut enough()).unwrap() {
                proof.regions += 1;
                let (new, more) = region_clauses(automaton, classes, &region, variables).unwrap();
                variables = more;
                new
            } else if let Some(clause) = separate(automaton, classes, counts, &mut enough()).unwrap() {
                proof.facts += 1;
                vec![clause]
            } else {
                let other = |absent: Vec<(u32, i64)>| Literal::AtLeastZero(Linear::new(absent, -1).unwrap());
                let mut clause;
                if let Some(found) = separate_among(automaton, classes, counts, &mut enough()).unwrap() {
                    proof.conditional += 1;
                    clause = found.clause;
                    clause.push(other((0..).zip(&found.among).filter(|(_, there)| !**there).map(|(class, _)| (class, 1)).collect()));
                } else {
                    proof.single += 1;
                    let differs = |(class, &count): (u32, &i64)| {
                        [Linear::new([(class, 1)], -count - 1).unwrap(), Linear::new([(class, -1)], count - 1).unwrap()]
                    };
                    clause = (0..).zip(counts).flat_map(differs).map(Literal::AtLeastZero).collect();
                }
                vec![clause]
            };
            while solver.problem().variables < variables {
                solver.add_variable();
            }
            new.iter().for_each(|clause| solver.add_clause(clause.clone()));
            clauses.extend(new);
            if proof.regions + proof.facts + proof.conditional + proof.single > rounds {
                return None;
            }
        }
    }
    Some(proof)
}

#[test]
fn counters_and_shards_are_proved_over_labels_alone() {
    for (automaton, regions, facts) in
        [(clock(8, 0), 8, 40), (clock(3, 1), 3, 8), (shards(1), 2, 4), (shards(2), 6, 10), (shards(3), 20, 20)]
    {
        let proof = prove(&automaton, labels(&automaton), 200).unwrap();
        let few = proof.regions <= regions && proof.facts + proof.conditional <= facts && proof.single == 0;
        assert!(few && proof.nodes <= 1_000, "{proof:?}: {automaton:?}");
    }
}

#[test]
fn random_automata_are_proved_over_labels_alone() {
    let random = &mut SplitMix64::new(5);
    for _ in 0..100 {
        let classes = 1 + random.below(4);
        let automaton = draw(random, classes);
        let proof = prove(&automaton, u32::try_from(classes).unwrap(), 60);
        assert!(proof.as_ref().is_some_and(|proof| proof.single == 0), "{proof:?}: {automaton:?}");
    }
}

#[test]
fn walks_that_differ_in_what_they_visit() {
    // The second label loops where one cannot come back from; one cannot be there after one of the
    // first label alone.
    let dead_end = vec![(0, 0, 2), (0, 0, 3), (1, 1, 1), (3, 0, 1), (3, 0, 3)];
    // The first label occurs not at all or at least twice before the second.
    let gap = vec![(0, 0, 2), (0, 1, 1), (1, 2, 1), (2, 0, 0), (2, 0, 2)];
    for edges in [dead_end, gap] {
        let automaton = Automaton { states: 4, start: 0, edges };
        let proof = prove(&automaton, labels(&automaton), 15).unwrap();
        assert_eq!(proof.single, 0, "{automaton:?}");
    }
}
