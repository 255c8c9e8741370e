//! Products against sums.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serval_budget::Budget;
use serval_model::{Letter, Multiset, NetworkSystem, SystemBuilder, TooLarge, completed_multisets, product, serial_multisets};

use crate::systems::{by_name, lost_update, small, strangely_named};

type Names = Multiset<(String, String)>;

fn named(system: &NetworkSystem, multisets: BTreeSet<Multiset<Letter>>) -> BTreeSet<Names> {
    let name = |&(request, response): &Letter| (system.request_name(request).to_owned(), system.response_name(response).to_owned());
    let rename = |multiset: Multiset<Letter>| multiset.iter().flat_map(|(letter, count)| (0..count).map(move |_| name(letter))).collect();
    multisets.into_iter().map(rename).collect()
}

/// All sums of one multiset from each side with at most `size` elements.
fn sums(a: &BTreeSet<Names>, b: &BTreeSet<Names>, size: u128) -> BTreeSet<Names> {
    let all = a.iter().flat_map(|x| b.iter().filter_map(move |y| x.sum(y).ok()));
    all.filter(|sum| sum.size() <= size).collect()
}

proptest! {
    #![proptest_config(crate::cases(serval_effort::sweep("model.products", 32, 64)))]

    /// Also where both sides have the same request names.
    #[test]
    fn multisets_of_a_product_are_sums(a in small("a"), b in prop_oneof![small("b"), small("a")]) {
        let both = product(&[&a, &b], 10_000).unwrap();
        both.check_invariants();
        let budget = &mut Budget::unlimited();
        for multisets in [completed_multisets, serial_multisets] {
            let (of_a, of_b) = (named(&a, multisets(&a, 2, budget).unwrap()), named(&b, multisets(&b, 2, budget).unwrap()));
            let of_both = named(&both, multisets(&both, 2, budget).unwrap());
            prop_assert_eq!(of_both, sums(&of_a, &of_b, 2));
        }
    }

    /// Whatever the names are, nothing is confused, and the sizes are those
    /// that were compared with the limit.
    #[test]
    fn names_stay_apart(a in strangely_named(), b in strangely_named(), c in strangely_named()) {
        let all = product(&[&a, &b, &c], 1_000_000).unwrap();
        all.check_invariants();
        let (ga, gb, gc) = (a.global_count(), b.global_count(), c.global_count());
        prop_assert_eq!(all.global_count(), ga * gb * gc);
        prop_assert_eq!(all.local_count(), a.local_count() + b.local_count() + c.local_count());
        let steps = a.steps().len() * gb * gc + b.steps().len() * ga * gc + c.steps().len() * ga * gb;
        prop_assert_eq!(all.steps().len(), steps);
        let again = NetworkSystem::from_json(&all.to_json()).unwrap();
        prop_assert_eq!(by_name(&again), by_name(&all));
        if steps > all.global_count() && steps > all.local_count() {
            let limit = steps - 1;
            prop_assert_eq!(product(&[&a, &b, &c], limit), Err(TooLarge { what: "steps", needed: steps as u128, limit }));
        }
    }
}

#[test]
fn one_and_none() {
    let system = lost_update();
    assert_eq!(product(&[&system], 100), Ok(system));
    let nothing = product(&[], 1).unwrap();
    nothing.check_invariants();
    assert_eq!((nothing.global_count(), nothing.local_count()), (1, 0));
}

#[test]
fn too_large_is_known_beforehand() {
    let system = lost_update();
    let error = product(&[&system; 100], usize::MAX).unwrap_err();
    assert_eq!((error.what, error.needed), ("global states", 1 << 100));
    let error = product(&[&system; 200], usize::MAX).unwrap_err();
    assert_eq!(error.needed, u128::MAX);
    assert!(error.to_string().starts_with("the product has at least "));
    assert_eq!(product(&[&system; 2], 9).unwrap_err().what, "local states");
    assert_eq!(product(&[&system; 2], 23).unwrap_err().to_string(), "the product has 24 steps; the limit is 23");
    assert!(product(&[&system; 2], 24).is_ok());
}

#[test]
fn joined_names() {
    let global = |name: &str| {
        let mut builder = SystemBuilder::new();
        let initial = builder.global(name);
        builder.finish(initial)
    };
    let joined = |a: &str, b: &str| {
        let both = product(&[&global(a), &global(b)], 10).unwrap();
        both.global_name(both.initial_global()).to_owned()
    };
    assert_eq!(joined("X=0,Y=1", "Z=0"), "X=0,Y=1|Z=0");
    assert_eq!(joined("a|b", "c"), "a\\|b|c");
    assert_eq!(joined("a\\", "b|c"), "a\\\\|b\\|c");
    assert_eq!(joined("", ""), "|");
}
