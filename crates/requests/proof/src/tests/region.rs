//! Flow regions: what is in them are counts of walks, and what is said of counts
//! outside holds of those alone.

use std::collections::BTreeSet;

use serval_budget::Cancel;
use serval_linear::{Problem, is_solved_by};
use serval_model::SplitMix64;

use super::support::condition;
use super::switch::without;
use crate::letters::{Automaton, Flow, Region, add_region, check_region, contains};
use crate::{Caps, Checked, Condition, Work};

fn check(automaton: &Automaton, classes: u32, region: &Region) -> Checked<bool> {
    check_region(automaton, classes, region, &mut Work::new(&Caps::default(), &Cancel::new()))
}

fn flow(edge: u32, divisor: u64, constant: i64, terms: &[(u32, i64)]) -> Flow {
    Flow { edge, divisor, constant, terms: terms.to_vec() }
}

/// The counts of all walks of at most `length` edges.
pub(super) fn walks(automaton: &Automaton, classes: u32, length: usize) -> BTreeSet<Vec<i64>> {
    let mut layer = BTreeSet::from([(automaton.start, vec![0; classes as usize])]);
    let mut found = BTreeSet::new();
    for _ in 0..=length {
        found.extend(layer.iter().map(|(_, counts)| counts.clone()));
        let mut next = BTreeSet::new();
        for (state, counts) in &layer {
            for &(_, label, to) in automaton.edges.iter().filter(|(from, ..)| from == state) {
                let mut counts = counts.clone();
                counts[label as usize] += 1;
                next.insert((to, counts));
            }
        }
        layer = next;
    }
    found
}

/// All counts with a sum up to so much.
pub(super) fn counts_up_to(classes: u32, sum: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..classes {
        let longer = |counts: &Vec<i64>| {
            let (counts, left) = (counts.clone(), sum - counts.iter().sum::<i64>());
            (0..=left).map(move |count| counts.iter().copied().chain([count]).collect::<Vec<_>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Whether the clauses of a region can be met at these counts, by trying all
/// values 0 and 1 of the new variables.
fn is_outside(automaton: &Automaton, classes: u32, region: &Region, counts: &[i64]) -> bool {
    let mut problem = Problem { variables: classes, ..Problem::default() };
    add_region(&mut problem, automaton, classes, region).unwrap();
    let new = problem.variables - classes;
    (0..1_i64 << new).any(|choice| {
        let values: Vec<i64> = counts.iter().copied().chain((0..new).map(|bit| choice >> bit & 1)).collect();
        is_solved_by(&problem, &values)
    })
}

/// From 0 to 1 by `a` and back by `b`; a loop `c` at 1, and a loop `d` at 2, where
/// no walk gets.
fn hub() -> Automaton {
    Automaton { states: 3, start: 0, edges: vec![(0, 0, 1), (1, 1, 0), (1, 2, 1), (2, 3, 2)] }
}

/// As often there as back, and the loop at 1 if it is visited.
fn round_trips() -> Region {
    let flows = vec![flow(0, 1, 0, &[(0, 1)]), flow(1, 1, 0, &[(1, 1)]), flow(2, 1, 0, &[(2, 1)])];
    Region { last: 0, flows, tree: vec![(0, 1)] }
}

#[test]
fn optional_arcs() {
    assert_eq!(check(&hub(), 4, &round_trips()), Ok(true));
    for counts in counts_up_to(4, 5) {
        let expected = counts[0] == counts[1] && (counts[0] > 0 || counts[2] == 0) && counts[3] == 0;
        assert_eq!(contains(&hub(), 4, &round_trips(), &counts), Some(expected), "{counts:?}");
        assert_eq!(is_outside(&hub(), 4, &round_trips(), &counts), !expected, "{counts:?}");
    }
    let mut problem = Problem { variables: 4, ..Problem::default() };
    add_region(&mut problem, &hub(), 4, &round_trips()).unwrap();
    assert_eq!((problem.variables, problem.clauses.len()), (5, 3));
    // Where the walk ends below an arc, the arc is used, and no variable is needed for it.
    let flows = vec![flow(0, 1, 0, &[(0, 1)]), flow(1, 1, 0, &[(1, 1)])];
    let there = Region { last: 1, flows, tree: vec![(0, 1)] };
    let mut problem = Problem { variables: 4, ..Problem::default() };
    add_region(&mut problem, &hub(), 4, &there).unwrap();
    assert_eq!((problem.variables, problem.clauses.len()), (4, 1));
}

/// Subtrees of a long way take more room than the way.
#[test]
fn arcs_are_paid_for() {
    let long = Automaton { states: 2_000, ..Automaton::default() };
    let region = Region { tree: (0..1_999).map(|state| (state, state + 1)).collect(), ..Region::default() };
    let caps = Caps { ticks: 1_000_000, ..Caps::default() };
    let checked: Checked<bool> = check_region(&long, 0, &region, &mut Work::new(&caps, &Cancel::new()));
    assert!(matches!(checked, Err(crate::Refusal::TooLarge { .. })), "{checked:?}");
}

/// Regions that are refused for one condition alone, and counts that are in them
/// and on no walk, where there are any.
fn wrong() -> Vec<(Condition, Region, Option<Vec<i64>>)> {
    let base = round_trips;
    let with = |change: &dyn Fn(&mut Region)| {
        let mut region = base();
        change(&mut region);
        region
    };
    let numbers: Vec<Region> = vec![
        with(&|region| region.last = 3),
        with(&|region| region.tree.push((0, 3))),
        with(&|region| region.tree.push((3, 2))),
        with(&|region| region.flows[2].edge = 4),
        with(&|region| region.flows[2].edge = 1),
        with(&|region| region.flows.swap(0, 1)),
        with(&|region| region.flows[0].divisor = 0),
        with(&|region| region.flows[0].terms = vec![(4, 1)]),
        with(&|region| region.flows[0].terms = vec![(0, 0)]),
        with(&|region| region.flows[0].terms = vec![(1, 1), (0, 1)]),
        with(&|region| region.flows[0].terms = vec![(0, 1), (0, 1)]),
    ];
    let mut wrong: Vec<_> = numbers.into_iter().map(|region| (Condition::LettersRegionNumbers, region, None)).collect();
    // The loop at 2 hangs on nothing but itself.
    let alone = || with(&|region| region.flows.push(flow(3, 1, 0, &[(3, 1)])));
    let mut own = alone();
    own.tree.push((2, 2));
    wrong.push((Condition::LettersRegionTree, own, None));
    wrong.push((Condition::LettersRegionTree, with(&|region| region.tree.push((0, 1))), None));
    wrong.push((Condition::LettersRegionTree, with(&|region| region.tree.push((1, 0))), None));
    wrong.push((Condition::LettersRegionSpans, alone(), Some(vec![0, 0, 0, 2])));
    wrong
}

#[test]
fn each_condition_is_needed() {
    for (expected, region, harm) in wrong() {
        let refused = check(&hub(), 4, &region).map(drop);
        assert_eq!(condition(&refused), expected, "{region:?}");
        assert!(without(expected, || check(&hub(), 4, &region)).is_ok(), "{expected} hides behind another condition: {region:?}");
        if let Some(counts) = harm {
            assert_eq!(contains(&hub(), 4, &region, &counts), Some(true));
            assert!(!walks(&hub(), 4, 4).contains(&counts));
        }
    }
}

#[test]
fn a_tree_that_hangs_on_itself_is_refused() {
    // A round trip that the start does not reach, with arcs along it both ways.
    let apart = Automaton { states: 3, start: 0, edges: vec![(1, 0, 2), (2, 1, 1)] };
    let flows = vec![flow(0, 1, 0, &[(0, 1)]), flow(1, 1, 0, &[(1, 1)])];
    let region = Region { last: 0, flows, tree: vec![(2, 1), (1, 2)] };
    assert_eq!(condition(&check(&apart, 2, &region).map(drop)), Condition::LettersRegionTree);
    assert_eq!(without(Condition::LettersRegionTree, || check(&apart, 2, &region)), Ok(true));
    assert_eq!(contains(&apart, 2, &region, &[1, 1]), Some(true), "it would be wrong");
}

#[test]
fn a_class_that_is_not_there_is_refused() {
    assert_eq!(condition(&check(&hub(), 2, &round_trips()).map(drop)), Condition::LettersRegionNumbers);
}

#[test]
fn numbers_that_do_not_fit() {
    let mut region = round_trips();
    region.flows[0].divisor = u64::MAX;
    region.flows[1].divisor = 2;
    assert_eq!(check(&hub(), 4, &region), Ok(true));
    assert_eq!(add_region(&mut Problem { variables: 4, ..Problem::default() }, &hub(), 4, &region), None);
    region.flows[0] = flow(0, 3, i64::MIN, &[(0, i64::MIN)]);
    assert_eq!(add_region(&mut Problem { variables: 4, ..Problem::default() }, &hub(), 4, &region), None);
    assert_eq!(contains(&hub(), 4, &region, &[i64::MAX, i64::MAX, 1, 1]), Some(false));
}

#[test]
fn the_format_is_strict() {
    let region = round_trips();
    let text = serde_json::to_string(&region).unwrap();
    assert_eq!(serde_json::from_str::<Region>(&text).unwrap(), region);
    for (from, to) in [
        ("\"last\":0,", ""),
        ("\"last\":0,", "\"last\":-1,"),
        ("\"last\":0,", "\"last\":0,\"last\":0,"),
        ("\"last\":0,", "\"last\":0,\"first\":0,"),
        ("\"tree\":[[0,1]]", "\"tree\":[[0,1,2]]"),
        ("\"divisor\":1,", ""),
        ("\"divisor\":1,", "\"divisor\":1,\"more\":1,"),
        ("{\"edge\":0,\"divisor\":1,\"constant\":0,\"terms\":[[0,1]]}", "[0,1,0,[[0,1]]]"),
    ] {
        assert!(text.contains(from), "{from}\n{text}");
        assert!(serde_json::from_str::<Region>(&text.replacen(from, to, 1)).is_err(), "{from} → {to}");
    }
}

/// A small automaton.
fn draw_automaton(random: &mut SplitMix64, states: u32, classes: u32) -> Automaton {
    let mut below = |bound: u32| u32::try_from(random.below(bound.into())).unwrap();
    let edges: BTreeSet<(u32, u32, u32)> = (0..3 + below(6)).map(|_| (below(states), below(classes), below(states))).collect();
    Automaton { states, start: 0, edges: edges.into_iter().collect() }
}

/// A region that meets its conditions. Mostly each class is distributed over its
/// edges in some way, so that something is in it.
fn draw_region(random: &mut SplitMix64, automaton: &Automaton, classes: u32) -> Region {
    let mut below = |bound: usize| usize::try_from(random.below(bound as u64)).unwrap();
    let (mut tree, mut reached) = (Vec::new(), vec![automaton.start]);
    for _ in 0..4 {
        let from = reached[below(reached.len())];
        let next: Vec<u32> =
            automaton.edges.iter().filter(|edge| edge.0 == from && !reached.contains(&edge.2)).map(|edge| edge.2).collect();
        if !next.is_empty() {
            let to = next[below(next.len())];
            tree.push((from, to));
            reached.push(to);
        }
    }
    let inside = |edge: &(u32, u32, u32)| reached.contains(&edge.0) && reached.contains(&edge.2);
    let mut flows = Vec::new();
    for class in 0..classes {
        let edges: Vec<u32> =
            (0..).zip(&automaton.edges).filter(|(_, edge)| edge.1 == class && inside(edge)).map(|(index, _)| index).collect();
        let other = u32::try_from(below(classes as usize)).unwrap();
        match (&edges[..], below(5)) {
            ([], _) => {}
            (&[first, second, ..], 0) => flows.extend([first, second].map(|edge| flow(edge, 2, 0, &[(class, 1)]))),
            (&[first, second, ..], 1) => flows.extend([flow(first, 1, 0, &[(class, 1), (other, -1)]), flow(second, 1, 0, &[(other, 1)])]),
            (&[first, second, ..], 2) => flows.extend([flow(first, 1, 1, &[]), flow(second, 1, -1, &[(class, 1)])]),
            (edges, _) => flows.push(flow(edges[below(edges.len())], 1, 0, &[(class, 1)])),
        }
    }
    // Terms that cancel, or are of one class, are no terms of a certificate.
    flows.retain(|flow| flow.terms.is_sorted_by(|a, b| a.0 < b.0));
    flows.sort_by_key(|flow| flow.edge);
    Region { last: reached[below(reached.len())], flows, tree }
}

#[test]
fn members_are_walks_and_the_clauses_hold_outside_alone() {
    let sweep = serval_effort::sweep("proof.regions", 800, 3_000);
    let random = &mut SplitMix64::new(sweep.seed(20));
    let (mut members, mut nonempty) = (0, 0);
    for _ in 0..sweep.count() {
        let (states, classes) = (1 + u32::try_from(random.below(4)).unwrap(), 1 + u32::try_from(random.below(3)).unwrap());
        let automaton = draw_automaton(random, states, classes);
        let region = draw_region(random, &automaton, classes);
        assert_eq!(check(&automaton, classes, &region), Ok(true), "{automaton:?} {region:?}");
        let walks = walks(&automaton, classes, 5);
        let before = members;
        for counts in counts_up_to(classes, 5) {
            let inside = contains(&automaton, classes, &region, &counts).unwrap();
            assert!(!inside || walks.contains(&counts), "{automaton:?} {region:?} {counts:?}");
            assert_eq!(is_outside(&automaton, classes, &region, &counts), !inside, "{automaton:?} {region:?} {counts:?}");
            members += u64::from(inside);
        }
        nonempty += u64::from(members > before);
    }
    let many = nonempty * 10 > sweep.count() && members * 3 > sweep.count();
    assert!(!sweep.is_representative() || many, "{nonempty} regions have {members} members");
}
