//! Independent periods, membership forms, clauses and disjuncts against
//! enumeration.

use proptest::prelude::*;
use serval_budget::Budget;
use serval_semilinear::{Error, Letter, Options, Semilinear, SetWork};

use crate::support::{all_options, any_set, config, counts, members, point, points, set};

proptest! {
    #![proptest_config(config(serval_effort::sweep("semilinear.complement", 64, 256)))]

    #[test]
    fn independent_periods_and_forms(set in any_set(2, 5)) {
        let members = members(&set);
        for options in all_options(5000).step_by(2) {
            let mut budget = Budget::unlimited();
            let independent = set.independent(&mut SetWork::new(&options, &mut budget)).unwrap();
            prop_assert_eq!(&crate::support::members(&independent), &members);
            let mut by_forms = std::collections::BTreeSet::new();
            for component in independent.components() {
                let forms = component.forms(3).unwrap().expect("independent");
                prop_assert_eq!(forms.periods.len(), component.periods().len());
                for point in points() {
                    let vector = counts(point);
                    if !forms.hold(&vector).unwrap() {
                        continue;
                    }
                    by_forms.insert(point);
                    // The forms say how often each period occurs.
                    let mut sum = component.base().clone();
                    for (form, period) in forms.periods.iter().zip(component.periods()) {
                        let number = form.expression.value(|letter| vector.get(letter).into()).unwrap() / i128::from(form.divisor);
                        sum = sum.plus(&period.times(u64::try_from(number).unwrap()).unwrap()).unwrap();
                    }
                    prop_assert_eq!(sum.letters(), &vector);
                }
            }
            prop_assert_eq!(&by_forms, &members);
        }
    }

    #[test]
    fn clauses_and_disjuncts(set in any_set(4, 3)) {
        let members = members(&set);
        let options = Options::default();
        let mut budget = Budget::unlimited();
        let complement = set.clauses(&mut SetWork::new(&options, &mut budget)).unwrap();
        // A cap, as some need more disjuncts than a test should make.
        let disjuncts: Result<Vec<_>, Error> = complement.disjuncts(3000, &mut budget).collect();
        let exact: Result<Vec<_>, Error> = complement.disjuncts(3000, &mut budget).exact(100_000).collect();
        if let (Ok(disjuncts), Ok(exact)) = (&disjuncts, &exact) {
            prop_assert!(exact.len() <= disjuncts.len());
        }
        for point in points() {
            let vector = counts(point);
            let outside = !members.contains(&point);
            prop_assert_eq!(complement.holds(&vector).unwrap(), outside);
            for disjuncts in [&disjuncts, &exact] {
                match disjuncts {
                    Ok(disjuncts) => {
                        let some = disjuncts.iter().any(|disjunct| disjunct.holds(&vector).unwrap());
                        prop_assert_eq!(some, outside, "{:?}", point);
                    }
                    Err(error) => prop_assert_eq!(*error, Error::TooLarge { what: "disjuncts", cap: 3000 }),
                }
            }
        }
    }

    #[test]
    fn dependence_is_noticed(set in any_set(1, 4)) {
        for component in set.components() {
            if component.periods().len() > 3 {
                prop_assert_eq!(component.forms(3).unwrap(), None);
            }
        }
    }

    #[test]
    fn emptiness_of_disjuncts(set in any_set(2, 2)) {
        let options = Options::default();
        let mut budget = Budget::unlimited();
        let complement = set.clauses(&mut SetWork::new(&options, &mut budget)).unwrap();
        let mut other = Budget::ticks(10_000_000);
        for disjunct in complement.disjuncts(50, &mut budget).flatten() {
            // Numbers are small, so that what is not empty has rather small vectors.
            let empty = [8, 24, 80].into_iter().all(|side: u64| {
                let mut all = (0..side).flat_map(|a| (0..side).flat_map(move |b| (0..side).map(move |c| [a, b, c])));
                all.all(|point| !disjunct.holds(&counts(point)).unwrap())
            });
            prop_assert_eq!(disjunct.is_empty(3, &mut other), Ok(empty), "{:?}", disjunct);
        }
    }
}

fn disjuncts(set: &Semilinear) -> Vec<String> {
    let name = |letter: Letter| ["a", "b", "c"][letter.0].to_string();
    let options = Options::default();
    let mut budget = Budget::unlimited();
    let complement = set.clauses(&mut SetWork::new(&options, &mut budget)).unwrap();
    complement.disjuncts(100, &mut budget).map(|disjunct| disjunct.unwrap().display(&name).to_string()).collect()
}

#[test]
fn known_complements() {
    // Everything, and nothing.
    assert_eq!(disjuncts(&set(&[([0; 3], vec![[1, 0, 0], [0, 1, 0], [0, 0, 1]])])), [""; 0]);
    assert_eq!(disjuncts(&Semilinear::nothing(3)), ["true"]);
    // Even numbers of a, any number of b.
    let even = Semilinear::new(2, set(&[([0; 3], vec![[2, 0, 0], [0, 1, 0]])]).components().to_vec()).unwrap();
    assert_eq!(disjuncts(&even), ["2 ∤ a"]);
    // As many a as b, and one more.
    let walk = Semilinear::new(2, set(&[([0; 3], vec![[1, 1, 0]]), ([1, 0, 0], vec![[1, 1, 0]])]).components().to_vec()).unwrap();
    assert_eq!(disjuncts(&walk), ["b ≥ a + 1", "a ≥ b + 2"]);
}

#[test]
fn all_disjuncts_are_wanted() {
    // Three bases: what is outside is found once, without overlapping choices that say less.
    let set = set(&[([1, 0, 0], vec![]), ([0, 1, 0], vec![]), ([0, 0, 1], vec![])]);
    let found = disjuncts(&set);
    let mut different = found.clone();
    different.sort();
    different.dedup();
    assert_eq!(found.len(), different.len(), "{found:#?}");
}

#[test]
fn the_iterator_stops() {
    let set = set(&[([1, 0, 0], vec![]), ([0, 1, 0], vec![]), ([0, 0, 1], vec![])]);
    let options = Options::default();
    let mut budget = Budget::unlimited();
    let complement = set.clauses(&mut SetWork::new(&options, &mut budget)).unwrap();
    let found: Vec<_> = complement.disjuncts(1, &mut budget).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[1], Err(Error::TooLarge { what: "disjuncts", cap: 1 }));
    let found: Vec<_> = complement.disjuncts(10, &mut Budget::ticks(3)).collect();
    assert!(matches!(found[..], [Err(Error::Stopped(_))]));
    // As many as there are, and no error, where the cap is just met.
    let all = complement.disjuncts(1000, &mut budget).count();
    assert!(complement.disjuncts(all, &mut budget).all(|disjunct| disjunct.is_ok()));
    assert_eq!(point(&counts([1, 2, 3])), [1, 2, 3]);
}
