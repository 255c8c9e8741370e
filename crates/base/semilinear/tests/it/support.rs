//! Small sets, and enumeration that knows nothing of the crate's algorithms.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serval_semilinear::{Counts, Letter, LinearSet, Options, Semilinear, Vector};

/// Dimensions, and the largest entry that is looked at.
pub(crate) const LETTERS: usize = 3;
pub(crate) const SIDE: u64 = 6;

pub(crate) type Point = [u64; LETTERS];

pub(crate) fn counts(point: Point) -> Counts<Letter> {
    Counts::new(point.into_iter().enumerate().map(|(letter, count)| (Letter(letter), count))).unwrap()
}

pub(crate) fn point(counts: &Counts<Letter>) -> Point {
    std::array::from_fn(|letter| counts.get(Letter(letter)))
}

pub(crate) fn plus(a: Point, b: Point) -> Point {
    std::array::from_fn(|letter| a[letter] + b[letter])
}

pub(crate) fn inside(point: Point) -> bool {
    point.iter().all(|&count| count <= SIDE)
}

/// All points in the box.
pub(crate) fn points() -> impl Iterator<Item = Point> {
    (0..=SIDE).flat_map(|a| (0..=SIDE).flat_map(move |b| (0..=SIDE).map(move |c| [a, b, c])))
}

/// What is in the box and can be reached from the first points by adding others.
/// Nothing is negative, so that sums within the box have all their parts there.
pub(crate) fn closure(first: impl IntoIterator<Item = Point>, steps: &[Point]) -> BTreeSet<Point> {
    let mut waiting: Vec<Point> = first.into_iter().filter(|&point| inside(point)).collect();
    let mut reached: BTreeSet<Point> = waiting.iter().copied().collect();
    while let Some(point) = waiting.pop() {
        for &step in steps {
            let next = plus(point, step);
            if inside(next) && reached.insert(next) {
                waiting.push(next);
            }
        }
    }
    reached
}

/// The points of a set within the box.
pub(crate) fn members(set: &Semilinear) -> BTreeSet<Point> {
    let component = |linear: &LinearSet| {
        let periods: Vec<Point> = linear.periods().iter().map(|period| point(period.letters())).collect();
        closure([point(linear.base().letters())], &periods)
    };
    set.components().iter().flat_map(component).collect()
}

pub(crate) fn linear(base: Point, periods: &[Point]) -> LinearSet {
    LinearSet::new(counts(base).into(), periods.iter().map(|&period| Vector::from(counts(period))))
}

pub(crate) fn set(components: &[(Point, Vec<Point>)]) -> Semilinear {
    Semilinear::new(LETTERS, components.iter().map(|(base, periods)| linear(*base, periods)).collect()).unwrap()
}

/// Sets with at most this number of components and periods.
pub(crate) fn any_set(components: usize, periods: usize) -> impl Strategy<Value = Semilinear> {
    let vector = |most: u64| prop::array::uniform3(prop_oneof![2 => Just(0), 3 => 0..=most]);
    let component = (vector(2), prop::collection::vec(vector(3), 0..=periods));
    prop::collection::vec(component, 0..=components).prop_map(|components| set(&components))
}

/// All combinations of the options.
pub(crate) fn all_options(max_components: usize) -> impl Iterator<Item = Options> {
    (0..8).map(move |bits| Options { order: bits & 1 != 0, prune: bits & 2 != 0, factor: bits & 4 != 0, max_components })
}

/// The cases of a sweep: the same each time, but at night.
pub(crate) fn config(sweep: serval_effort::Sweep) -> ProptestConfig {
    let cases = u32::try_from(sweep.count()).unwrap();
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(sweep.seed(0)), ..ProptestConfig::default() }
}
