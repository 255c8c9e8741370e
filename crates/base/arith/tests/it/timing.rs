//! How long problems take that are like those of the flow method.
//!
//! `cargo test --release -p serval-arith --test it -- timing --ignored --nocapture`

use std::time::{Duration, Instant};

use crate::support::{Dice, verified};
use serval_arith::{Outcome, Solver};
use serval_budget::Budget;
use serval_linear::{Linear, Literal, Problem};
use serval_testkit::say;

/// A walk through a random graph with counts per edge, a final place, letters
/// as sums of edges, connectivity as implications, and forbidden combinations
/// of letters.
fn network(dice: &mut Dice, edges: u32, clauses: u64) -> Problem {
    let places = u64::from(edges / 3).max(3);
    let mut flow: Vec<Vec<(u32, i64)>> = vec![Vec::new(); usize::try_from(places).unwrap()];
    let mut ends = Vec::new();
    for edge in 0..edges {
        // Edges lead to places nearby, as steps of programs do.
        let from = dice.below(places);
        let to = (from + 1 + dice.below(4)) % places;
        flow[usize::try_from(from).unwrap()].push((edge, -1));
        flow[usize::try_from(to).unwrap()].push((edge, 1));
        ends.push((from, to));
    }
    let mut variables = edges;
    let finals: Vec<u32> = (0..places).map(|place| edges + u32::try_from(place).unwrap()).collect();
    variables += u32::try_from(places).unwrap();
    let mut problem = Problem::default();
    for (place, mut terms) in flow.into_iter().enumerate() {
        terms.push((finals[place], -1));
        problem.equalities.push(Linear::new(terms, i64::from(place == 0)).unwrap());
    }
    problem.equalities.push(Linear::new(finals.iter().map(|&place| (place, 1)), -1).unwrap());
    // Letters are sums of edges.
    let letters: Vec<u32> = (0..4).map(|letter| variables + letter).collect();
    variables += 4;
    for (index, &letter) in letters.iter().enumerate() {
        let own = (0..edges).filter(|&edge| edge as usize % 9 == index);
        problem.equalities.push(Linear::new(own.map(|edge| (edge, 1)).chain([(letter, -1)]), 0).unwrap());
    }
    problem.variables = variables;
    for _ in 0..clauses {
        if dice.below(2) == 0 {
            // A set of places that is entered is left or ends.
            let (first, size) = (dice.below(places), 1 + dice.below(places / 2));
            let inside = |place: u64| (place + places - first) % places < size;
            let within = (0..edges).filter(|&edge| inside(ends[edge as usize].0) && inside(ends[edge as usize].1));
            let entering = (0..edges).filter(|&edge| !inside(ends[edge as usize].0) && inside(ends[edge as usize].1));
            let none = Linear::new(within.map(|edge| (edge, -1)), 0).unwrap();
            let some = Linear::new(entering.map(|edge| (edge, 1)), -1).unwrap();
            problem.clauses.push(vec![Literal::AtLeastZero(none), Literal::AtLeastZero(some)]);
        } else {
            problem.clauses.push(outside(dice, &letters));
        }
    }
    problem
}

/// The letters are not in a linear set.
fn outside(dice: &mut Dice, letters: &[u32]) -> Vec<Literal> {
    let combination = |dice: &mut Dice, constant: i64| {
        let terms: Vec<(u32, i64)> = letters.iter().map(|&letter| (letter, dice.between(-1, 2))).collect();
        Linear::new(terms, constant).unwrap()
    };
    let first = dice.between(-3, 3);
    let mut clause = vec![Literal::AtLeastZero(combination(dice, first))];
    for _ in 0..1 + dice.below(3) {
        let constant = dice.between(-6, 0);
        let linear = combination(dice, constant);
        clause.push(if dice.below(3) == 0 { Literal::NotDivisible(linear, 2 + dice.below(6)) } else { Literal::AtLeastZero(linear) });
    }
    clause
}

/// The letters of a solution are not those, and not those plus any number of
/// times more of some letter: as the flow method blocks what it has seen.
fn block(problem: &Problem, model: &[i64], dice: &mut Dice) -> Vec<Literal> {
    let letters: Vec<u32> = (problem.variables - 4..problem.variables).collect();
    let free = dice.below(4);
    let mut clause = Vec::new();
    for (index, &letter) in (0..).zip(&letters) {
        let value = model[letter as usize];
        clause.push(Literal::AtLeastZero(Linear::new([(letter, -1)], value - 1).unwrap()));
        if index == free {
            clause.push(Literal::NotDivisible(Linear::new([(letter, 1)], -value).unwrap(), 1 + dice.below(3)));
        } else {
            clause.push(Literal::AtLeastZero(Linear::new([(letter, 1)], -value - 1).unwrap()));
        }
    }
    clause
}

fn figures(name: &str, mut times: Vec<Duration>, note: &str) {
    times.sort_unstable();
    let at = |per_cent: usize| times[(times.len() - 1) * per_cent / 100];
    say(&format!("{name}: {} runs, median {:?}, 90 % {:?}, most {:?}; {note}", times.len(), at(50), at(90), at(100)));
}

#[test]
#[ignore = "measures"]
fn networks() {
    for (edges, clauses, runs) in [(12, 6, 200), (60, 20, 100), (300, 40, 30)] {
        let (mut times, mut checks, mut sat, mut open, mut nodes, mut ticks) = (Vec::new(), Vec::new(), 0, 0, Vec::new(), 0);
        for seed in 0..runs {
            let problem = network(&mut Dice::new(seed), edges, clauses);
            let start = Instant::now();
            let mut budget = Budget::ticks(200_000_000);
            let outcome = Solver::new(problem.clone()).solve(&mut budget);
            times.push(start.elapsed());
            ticks += 200_000_000 - budget.left();
            let start = Instant::now();
            match verified(&problem, &outcome) {
                Some(true) => sat += 1,
                Some(false) => checks.push(start.elapsed()),
                None => open += 1,
            }
            if let Outcome::Refuted(tree) = outcome {
                nodes.push(tree.nodes.len());
            }
        }
        let all: Duration = times.iter().sum();
        nodes.sort_unstable();
        let note = format!(
            "{sat} satisfiable, {open} open, {ticks} ticks, {} per µs, trees {:?}…{:?}",
            ticks / u64::try_from(all.as_micros()).unwrap().max(1),
            nodes.first(),
            nodes.last()
        );
        figures(&format!("network of {edges} edges, {clauses} clauses"), times, &note);
        if !checks.is_empty() {
            figures("  checks of trees", checks, "");
        }
    }
}

#[test]
#[ignore = "measures"]
fn loops() {
    for (edges, clauses, rounds) in [(12, 3, 30), (60, 5, 30), (300, 8, 30)] {
        let (mut times, mut last, mut ends, mut support) = (Vec::new(), Vec::new(), [0; 3], 0);
        for seed in 0..10 {
            let mut dice = Dice::new(seed);
            let mut solver = Solver::new(network(&mut dice, edges, clauses));
            for round in 0..rounds {
                let start = Instant::now();
                let outcome = solver.solve(&mut Budget::ticks(200_000_000));
                let time = start.elapsed();
                times.push(time);
                match outcome {
                    Outcome::Satisfiable(model) => {
                        support += model.iter().filter(|&&value| value > 0).count();
                        let clause = block(solver.problem(), &model, &mut dice);
                        solver.add_clause(clause);
                        if round == rounds - 1 {
                            ends[0] += 1;
                        }
                    }
                    Outcome::Refuted(tree) => {
                        verified(solver.problem(), &Outcome::Refuted(tree.clone()));
                        last.push(tree.nodes.len());
                        ends[1] += 1;
                        break;
                    }
                    Outcome::Stopped(_) => {
                        ends[2] += 1;
                        break;
                    }
                }
            }
        }
        let models = times.len().max(1);
        figures(
            &format!("loop over {edges} edges"),
            times,
            &format!("[still satisfiable, refuted, open] {ends:?}, trees {last:?}, support {}", support / models),
        );
    }
}
