//! Operations on sets against enumeration.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serval_budget::Budget;
use serval_semilinear::{Counts, Error, Letter, LinearSet, Options, Semilinear, SetWork, Vector};

use crate::support::{Point, all_options, any_set, closure, config, counts, inside, linear, members, plus, point, points, set};

proptest! {
    #![proptest_config(config(serval_effort::sweep("semilinear.sets", 64, 256)))]

    #[test]
    fn contains(set in any_set(3, 4)) {
        let members = members(&set);
        let mut budget = Budget::unlimited();
        for point in points() {
            let vector = counts(point);
            prop_assert_eq!(set.contains(&vector, &mut budget).unwrap(), members.contains(&point));
            if let Some((place, coefficients)) = set.find(&vector, &mut budget).unwrap() {
                let component = &set.components()[place];
                let mut sum = component.base().clone();
                for (period, &number) in component.periods().iter().zip(&coefficients) {
                    sum = sum.plus(&period.times(number).unwrap()).unwrap();
                }
                prop_assert_eq!(sum.letters(), &vector);
            }
        }
        prop_assert_eq!(set.is_empty(), set.components().is_empty());
    }

    #[test]
    fn union_and_sum(left in any_set(3, 3), right in any_set(3, 3)) {
        let (in_left, in_right) = (members(&left), members(&right));
        let union: BTreeSet<Point> = in_left.union(&in_right).copied().collect();
        let sum: BTreeSet<Point> =
            in_left.iter().flat_map(|&a| in_right.iter().map(move |&b| plus(a, b))).filter(|&sum| inside(sum)).collect();
        for options in all_options(1000) {
            let mut budget = Budget::unlimited();
            let work = &mut SetWork::new(&options, &mut budget);
            prop_assert_eq!(&members(&left.union(&right, work).unwrap()), &union);
            prop_assert_eq!(&members(&left.sum(&right, work).unwrap()), &sum);
        }
    }

    #[test]
    fn star(set in any_set(4, 2)) {
        let steps: Vec<Point> = members(&set).into_iter().collect();
        let star = closure([[0; 3]], &steps);
        for options in all_options(1000) {
            let mut budget = Budget::unlimited();
            let work = &mut SetWork::new(&options, &mut budget);
            prop_assert_eq!(&members(&set.star(work).unwrap()), &star, "{:?}", options);
        }
    }

    #[test]
    fn pruning(set in any_set(4, 4)) {
        let pruned = set.pruned(&mut Budget::unlimited()).unwrap();
        prop_assert_eq!(members(&pruned), members(&set));
        prop_assert!(pruned.components().len() <= set.components().len());
        // Nothing obvious is left.
        for (place, component) in pruned.components().iter().enumerate() {
            let again = component.without_redundant_periods(&mut Budget::unlimited()).unwrap();
            prop_assert_eq!(again.periods().len(), component.periods().len());
            for (other_place, other) in pruned.components().iter().enumerate() {
                prop_assert!(place == other_place || !component.obviously_within(other, &mut Budget::unlimited()).unwrap());
            }
        }
    }

    #[test]
    fn small(set in any_set(5, 3)) {
        let options = Options::default();
        let mut budget = Budget::unlimited();
        let work = &mut SetWork::new(&options, &mut budget);
        let small = set.small(work).unwrap();
        prop_assert_eq!(members(&small), members(&set));
        prop_assert!(small.components().len() <= set.components().len());
        // Beyond the box, too.
        prop_assert!(far_subset(&small, &set) && far_subset(&set, &small));
    }

    #[test]
    fn obvious_inclusion(small in any_set(1, 2), large in any_set(1, 3)) {
        for (a, b) in small.components().iter().zip(large.components()) {
            if a.obviously_within(b, &mut Budget::unlimited()).unwrap() {
                prop_assert!(members(&small).is_subset(&members(&large)));
            }
        }
    }

    #[test]
    fn inclusion(small in any_set(2, 2), large in any_set(3, 3)) {
        let options = Options::default();
        let mut budget = Budget::ticks(50_000_000);
        let work = &mut SetWork::new(&options, &mut budget);
        let both = small.union(&large, work).unwrap();
        for (small, large) in [(&small, &large), (&both, &large), (&small, &both)] {
            let (in_small, in_large) = (members(small), members(large));
            match small.is_included_in(large, work) {
                Ok(true) => prop_assert!(in_small.is_subset(&in_large)),
                // The difference need not begin within the box, but does so for vectors as small as these.
                Ok(false) => prop_assert!(!far_subset(small, large), "{small:?} {large:?}"),
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
        prop_assert_eq!(small.is_included_in(&both, work), Ok(true));
    }
}

/// Whether a larger box shows no vector of one set that is not in the other.
fn far_subset(small: &Semilinear, large: &Semilinear) -> bool {
    let mut budget = Budget::unlimited();
    let most: u64 = 24;
    small.components().iter().all(|component| {
        let mut sums = vec![component.base().clone()];
        for period in component.periods() {
            sums = sums.iter().flat_map(|sum| (0..=most).map(|number| sum.plus(&period.times(number).unwrap()).unwrap())).collect();
        }
        sums.iter().all(|sum| large.contains(sum.letters(), &mut budget).unwrap())
    })
}

#[test]
fn inclusion_that_is_not_obvious() {
    let options = Options::default();
    let mut budget = Budget::unlimited();
    let work = &mut SetWork::new(&options, &mut budget);
    let from_two = set(&[([2, 0, 0], vec![[1, 0, 0]])]);
    let sums = set(&[([0; 3], vec![[2, 0, 0], [3, 0, 0]])]);
    assert_eq!(from_two.is_included_in(&sums, work), Ok(true));
    assert_eq!(sums.is_included_in(&from_two, work), Ok(false));
    let parity = set(&[([0; 3], vec![[2, 0, 0]]), ([1, 0, 0], vec![[2, 0, 0]])]);
    let all = set(&[([0; 3], vec![[1, 0, 0]])]);
    assert_eq!(parity.equals(&all, work), Ok(true));
    assert_eq!(Semilinear::nothing(3).is_included_in(&all, work), Ok(true));
    assert_eq!(all.is_included_in(&Semilinear::nothing(3), work), Ok(false));
}

#[test]
fn few_components() {
    let options = Options::default();
    let mut budget = Budget::unlimited();
    let work = &mut SetWork::new(&options, &mut budget);
    let name = |letter: Letter| ["a", "b", "c"][letter.0].to_string();
    let mut text = |set: Semilinear| set.small(work).unwrap().display(&name).to_string();
    // Lowered: a period that may occur, and one that must.
    let pairs = set(&[([1, 0, 0], vec![[0, 0, 2]]), ([1, 1, 0], vec![[0, 1, 0], [0, 0, 2]])]);
    assert_eq!(text(pairs), "{ (a:1) + k1·(b:1) + k2·(c:2) }");
    // Grown: all residues.
    let residues = set(&[([0; 3], vec![[3, 0, 0]]), ([1, 0, 0], vec![[3, 0, 0]]), ([2, 0, 0], vec![[3, 0, 0]])]);
    assert_eq!(text(residues), "{ () + k1·(a:1) }");
    // Dropped: what two others have together.
    let halves = set(&[([0, 0, 0], vec![[2, 0, 0]]), ([1, 0, 0], vec![[2, 0, 0]]), ([0, 0, 0], vec![[3, 0, 0]]), ([0, 1, 0], vec![])]);
    assert_eq!(text(halves), "{ () + k1·(a:1) }\n{ (b:1) }");
    // Nothing can be done.
    let apart = set(&[([0; 3], vec![[2, 0, 0]]), ([0, 1, 0], vec![[1, 0, 0]])]);
    assert_eq!(text(apart.clone()), apart.display(&name).to_string());
}

#[test]
fn factoring_halves_the_components() {
    let bases = set(&[([1, 0, 0], vec![]), ([0, 1, 0], vec![]), ([0, 0, 1], vec![]), ([0; 3], vec![[1, 1, 0]])]);
    let count = |factor: bool, prune: bool| {
        let options = Options { factor, prune, ..Options::default() };
        bases.star(&mut SetWork::new(&options, &mut Budget::unlimited())).unwrap().components().len()
    };
    assert_eq!(count(true, false), 1);
    assert_eq!(count(false, false), 16);
    // 0 and so on are included in no larger base's component: 2³ by letters that occur.
    assert_eq!(count(false, true), 8);
}

#[test]
fn caps_and_budgets() {
    let many: Vec<(Point, Vec<Point>)> = (0..6).map(|a| ([a, 1, 0], vec![[0, 0, a + 1]])).collect();
    let options = Options { prune: false, factor: false, max_components: 30, ..Options::default() };
    let star = set(&many).star(&mut SetWork::new(&options, &mut Budget::unlimited()));
    assert_eq!(star.unwrap_err(), Error::TooLarge { what: "components", cap: 30 });
    assert_eq!(Error::TooLarge { what: "components", cap: 30 }.to_string(), "more than 30 components");
    let options = Options::default();
    assert_eq!(options.max_components, 20_000);
    let star = set(&many).star(&mut SetWork::new(&options, &mut Budget::ticks(100)));
    assert!(matches!(star, Err(Error::Stopped(_))));
}

#[test]
fn numbers_that_do_not_fit() {
    let huge: Vector = Counts::new([(Letter(0), u64::MAX)]).unwrap().into();
    let set = Semilinear::one(1, huge.clone()).unwrap();
    let options = Options::default();
    let mut budget = Budget::unlimited();
    let work = &mut SetWork::new(&options, &mut budget);
    assert_eq!(set.sum(&set, work).unwrap_err(), Error::Overflow);
    let almost: Vector = Counts::new([(Letter(0), u64::MAX - 1)]).unwrap().into();
    let set = Semilinear::new(1, vec![LinearSet::new(huge.clone(), [huge.clone(), almost])]).unwrap();
    assert_eq!(set.clauses(work).unwrap_err(), Error::Overflow);
    let outside = Semilinear::one(0, huge);
    assert_eq!(outside.unwrap_err(), Error::OutOfRange { what: "letter", index: 0, count: 0 });
}

#[test]
fn texts() {
    let name = |letter: Letter| ["a", "b", "c"][letter.0].to_string();
    let set = set(&[([1, 0, 0], vec![[0, 2, 1]]), ([0, 1, 0], vec![])]);
    assert_eq!(set.display(&name).to_string(), "{ (a:1) + k1·(b:2, c:1) }\n{ (b:1) }");
    assert_eq!(Semilinear::nothing(3).display(&name).to_string(), "∅");
    assert_eq!(point(linear([1, 2, 3], &[]).base().letters()), [1, 2, 3]);
}
