//! Automata: counts of walks against enumeration, and witnesses.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Budget;
use serval_effort::{side_by_side, skips, sweep};
use serval_model::SplitMix64;
use serval_semilinear::{
    Automaton, Counts, EdgeId, Error, Letter, LinearSet, Options, SetWork, StateId, Vector, eliminate, image, semilinear,
};

use crate::support::{LETTERS, Point, all_options, counts, plus};

const LONGEST: u64 = 7;

fn random_automaton(seed: u64, states: usize, edges: usize) -> Automaton {
    let mut random = SplitMix64::new(seed);
    let states = 1 + random.index(states);
    let edges = random.index(edges + 1);
    let mut edge = || {
        let from = StateId(random.index(states));
        (from, Letter(random.index(LETTERS)), StateId(random.index(states)))
    };
    let edges = (0..edges).map(|_| edge()).collect();
    Automaton::new(states, StateId(0), edges, LETTERS).unwrap()
}

fn unit(letter: Letter) -> Point {
    std::array::from_fn(|other| u64::from(other == letter.0))
}

/// Counts of all walks with up to [`LONGEST`] edges.
fn walks(automaton: &Automaton) -> BTreeSet<Point> {
    let mut level: BTreeSet<(StateId, Point)> = BTreeSet::from([(automaton.initial(), [0; LETTERS])]);
    let mut found = BTreeSet::new();
    for _ in 0..=LONGEST {
        found.extend(level.iter().map(|&(_, point)| point));
        let after = |&(state, point): &(StateId, Point)| {
            automaton.edges().iter().filter(move |edge| edge.0 == state).map(move |edge| (edge.2, plus(point, unit(edge.1))))
        };
        level = level.iter().flat_map(after).collect();
    }
    found
}

/// All points whose entries add up to at most [`LONGEST`].
fn short() -> impl Iterator<Item = Point> {
    (0..=LONGEST).flat_map(|a| (0..=LONGEST - a).flat_map(move |b| (0..=LONGEST - a - b).map(move |c| [a, b, c])))
}

/// Whether the edges, as often as they are counted, make one walk from `from`,
/// and where it ends: degrees, and everything hangs together with `from`.
fn walk_end(automaton: &Automaton, edges: &Counts<EdgeId>, from: StateId) -> Option<StateId> {
    let mut balance: BTreeMap<StateId, i128> = BTreeMap::new();
    for (edge, count) in edges.iter() {
        let (from, _, to) = automaton.edges()[edge.0];
        *balance.entry(from).or_default() += i128::from(count);
        *balance.entry(to).or_default() -= i128::from(count);
    }
    balance.retain(|_, balance| *balance != 0);
    let end = match balance.iter().collect::<Vec<_>>()[..] {
        [] => from,
        [(&one, 1), (&other, -1)] if one == from => other,
        [(&other, -1), (&one, 1)] if one == from => other,
        _ => return None,
    };
    visited(automaton, edges, from).is_some().then_some(end)
}

/// The states at the edges and `from`, if all edges hang together with it.
fn visited(automaton: &Automaton, edges: &Counts<EdgeId>, from: StateId) -> Option<BTreeSet<StateId>> {
    let mut reached = BTreeSet::from([from]);
    let mut left: Vec<EdgeId> = edges.iter().map(|(edge, _)| edge).collect();
    loop {
        let before = left.len();
        left.retain(|edge| {
            let (a, _, b) = automaton.edges()[edge.0];
            let touches = reached.contains(&a) || reached.contains(&b);
            if touches {
                reached.extend([a, b]);
            }
            !touches
        });
        if left.is_empty() {
            return Some(reached);
        }
        if left.len() == before {
            return None;
        }
    }
}

fn letters_add_up(automaton: &Automaton, vector: &Vector) -> bool {
    let letters = vector.edges().iter().map(|(edge, count)| (automaton.edges()[edge.0].1, count));
    Counts::new(letters).unwrap() == *vector.letters()
}

/// The invariant that the documentation of `Vector` states.
fn check_witness(automaton: &Automaton, component: &LinearSet) {
    let base = component.base();
    assert!(letters_add_up(automaton, base));
    assert!(walk_end(automaton, base.edges(), automaton.initial()).is_some(), "{automaton:?} {component:?}");
    let visited = visited(automaton, base.edges(), automaton.initial()).unwrap();
    for period in component.periods() {
        assert!(letters_add_up(automaton, period));
        let closed = |&state: &StateId| walk_end(automaton, period.edges(), state) == Some(state);
        // Some visited state is on it: `walk_end` is not satisfied by a state
        // that no edge touches, as periods have edges.
        assert!(visited.iter().any(closed), "{automaton:?} {component:?}");
    }
}

#[test]
fn counts_of_walks_and_witnesses() {
    let sweep = sweep("semilinear.walks", 75, 300);
    let each = sweep.map(0, |seed| {
        let mut skipped = 0;
        let automaton = random_automaton(seed, 4, 7);
        let expected = walks(&automaton);
        for options in all_options(400) {
            let mut budget = Budget::ticks(20_000_000);
            let image = match image(&automaton, &options, &mut budget) {
                Ok(image) => image,
                Err(Error::TooLarge { .. }) => {
                    skipped += 1;
                    assert!(!(options.prune && options.factor), "seed {seed}");
                    continue;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            };
            for point in short() {
                let vector = counts(point);
                let witness = image.set.witness(&vector, &mut budget).unwrap();
                assert_eq!(witness.is_some(), expected.contains(&point), "seed {seed} {options:?} {point:?}");
                if let Some(edges) = witness {
                    assert!(walk_end(&automaton, &edges, automaton.initial()).is_some(), "seed {seed} {point:?}");
                    assert!(letters_add_up(&automaton, &Vector::new(vector, edges)));
                }
            }
            image.set.components().iter().for_each(|component| check_witness(&automaton, component));
            let statistics = image.statistics;
            assert_eq!(statistics.components, image.small.components().len());
            assert!(statistics.components <= image.set.components().len());
            for point in short() {
                assert_eq!(
                    image.small.contains(&counts(point), &mut budget).unwrap(),
                    expected.contains(&point),
                    "seed {seed} {options:?} {point:?}"
                );
            }
            assert!(statistics.largest >= statistics.components);
            assert!(statistics.most_periods * statistics.components >= statistics.periods);
            if options == (Options { max_components: 400, ..Options::default() }) {
                let complement = image.small.clauses(&mut SetWork::new(&options, &mut budget)).unwrap();
                for point in short() {
                    assert_eq!(complement.holds(&counts(point)).unwrap(), !expected.contains(&point), "seed {seed} {point:?}");
                }
                let independent = image.set.independent(&mut SetWork::new(&options, &mut budget)).unwrap();
                independent.components().iter().for_each(|component| check_witness(&automaton, component));
            }
        }
        skipped
    });
    let (count, skipped) = (sweep.count(), each.into_iter().sum::<u64>());
    println!("{skipped} of {} were too large", 8 * count);
    assert!(!sweep.is_representative() || skipped < 2 * count, "{skipped}");
}

#[test]
fn options_agree() {
    let sweep = sweep("semilinear.options", 12, 40);
    let each = sweep.map(1_000, |seed| {
        let (mut compared, mut too_hard) = (0_u64, 0_u64);
        let automaton = random_automaton(seed, 3, 4);
        let mut images = all_options(100).filter_map(|options| {
            let image = image(&automaton, &options, &mut Budget::ticks(5_000_000)).ok()?;
            Some(image.set)
        });
        let first = images.next().unwrap();
        let options = Options::default();
        for other in images {
            let mut budget = Budget::ticks(5_000_000);
            match first.equals(&other, &mut SetWork::new(&options, &mut budget)) {
                Ok(equal) => {
                    assert!(equal, "seed {seed}");
                    compared += 1;
                }
                Err(Error::TooLarge { .. } | Error::Stopped(_)) => too_hard += 1,
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
        (compared, too_hard)
    });
    let (compared, too_hard) = each.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    println!("{compared} pairs of sets compared, {too_hard} too hard");
    assert!(!sweep.is_representative() || too_hard * 10 < compared);
}

#[test]
fn the_same_everywhere() {
    let name = |letter: Letter| letter.0.to_string();
    if skips("semilinear.the_same_everywhere") {
        return;
    }
    let seeds: Vec<u64> = (2_000..2_020).collect();
    side_by_side(&seeds, |&seed| {
        let automaton = random_automaton(seed, 5, 8);
        let text = || match image(&automaton, &Options::default(), &mut Budget::ticks(2_000_000)) {
            Ok(image) => image.set.display(&name).to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(text(), text());
    });
}

#[test]
fn an_edge_without_a_letter() {
    let automaton = Automaton::new(1, StateId(0), vec![(StateId(0), Letter(0), StateId(0))], 1).unwrap();
    let mut budget = Budget::unlimited();
    let regex = eliminate(&automaton, true, &mut budget).unwrap();
    let missing = semilinear(&regex, &[], 1, &Options::default(), &mut budget);
    assert_eq!(missing.unwrap_err(), Error::OutOfRange { what: "edge", index: 0, count: 0 });
}
