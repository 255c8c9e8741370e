//! The serial automaton against the definition.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serval_budget::{Budget, Stopped};
use serval_model::{
    Letter, Multiset, NetworkSystem, SerialAutomaton, SerialExplorer, bounded_multisets, completed_multisets, serial_multisets,
};

use crate::systems::{lost_update, small};

/// All multisets of at most `size` letters.
fn multisets(letters: &[Letter], size: usize) -> BTreeSet<Multiset<Letter>> {
    let mut all = BTreeSet::from([Multiset::new()]);
    for _ in 0..size {
        let larger: Vec<_> = all.iter().flat_map(|bag| letters.iter().map(|&letter| bag.with(letter))).collect();
        all.extend(larger);
    }
    all
}

fn all_letters(system: &NetworkSystem) -> Vec<Letter> {
    system.requests().flat_map(|request| system.responses().map(move |response| (request, response))).collect()
}

proptest! {
    #![proptest_config(crate::cases(serval_effort::sweep("model.serial", 128, 256)))]

    #[test]
    fn agrees_with_the_definition(system in small("")) {
        let budget = &mut Budget::unlimited();
        let serial = SerialAutomaton::new(&system, budget).unwrap();
        serial.check_invariants();
        let mut explorer = SerialExplorer::new(&system);
        let expected = serial_multisets(&system, 3, budget).unwrap();
        for multiset in multisets(&all_letters(&system), 3) {
            let member = expected.contains(&multiset);
            prop_assert_eq!(serial.contains(&multiset, budget), Ok(member), "{:?}", multiset);
            prop_assert_eq!(explorer.contains(&multiset, budget), Ok(member), "{:?}", multiset);
        }
    }

    #[test]
    fn serial_runs_are_runs(system in small("")) {
        let budget = &mut Budget::unlimited();
        let serial = serial_multisets(&system, 3, budget).unwrap();
        let two = bounded_multisets(&system, 3, 2, budget).unwrap();
        let interleaved = completed_multisets(&system, 3, budget).unwrap();
        prop_assert!(serial.is_subset(&two));
        prop_assert!(two.is_subset(&interleaved));
        // One request at most is never interleaved with another.
        prop_assert_eq!(completed_multisets(&system, 1, budget), serial_multisets(&system, 1, budget));
        // With fewer requests allowed, exactly the smaller multisets remain.
        let fewer: BTreeSet<_> = interleaved.into_iter().filter(|multiset| multiset.size() <= 2).collect();
        prop_assert_eq!(completed_multisets(&system, 2, budget), Ok(fewer));
    }
}

#[test]
fn the_lost_update_is_not_serial() {
    let system = lost_update();
    let budget = &mut Budget::unlimited();
    let serial = SerialAutomaton::new(&system, budget).unwrap();
    serial.check_invariants();
    assert_eq!(serial.initial(), system.initial_global());
    let [zero, one] = serial.letters()[..] else { panic!("two letters") };
    assert_eq!(serial.edges_from(system.initial_global()).len(), 1);
    assert_eq!(serial.edges_from(system.initial_global())[0].letter, zero);
    let mut explorer = SerialExplorer::new(&system);
    for (letters, expected) in
        [(vec![], true), (vec![zero], true), (vec![one], false), (vec![zero, one, zero], true), (vec![zero, zero], false)]
    {
        let multiset: Multiset<_> = letters.into_iter().collect();
        assert_eq!(serial.contains(&multiset, budget), Ok(expected));
        assert_eq!(explorer.contains(&multiset, budget), Ok(expected));
    }
    assert_eq!(completed_multisets(&system, 2, budget).unwrap().difference(&serial_multisets(&system, 2, budget).unwrap()).count(), 1);
}

/// Size is no problem in itself: neither the stack nor the time grows with
/// more than the number of sub-multisets that can be reached.
#[test]
fn large_multisets() {
    let system = lost_update();
    let serial = SerialAutomaton::new(&system, &mut Budget::unlimited()).unwrap();
    let [zero, one] = serial.letters()[..] else { panic!("two letters") };
    let mut multiset = Multiset::new();
    multiset.insert_many(zero, 20_000).unwrap();
    assert_eq!(SerialExplorer::new(&system).contains(&multiset, &mut Budget::unlimited()), Ok(false));
    multiset.insert_many(one, 19_999).unwrap();
    assert_eq!(serial.contains(&multiset, &mut Budget::unlimited()), Ok(true));
    multiset.insert_many(one, u64::MAX - 19_999).unwrap();
    assert_eq!(serial.contains(&multiset, &mut Budget::unlimited()), Ok(false));
    multiset.insert_many(zero, u64::MAX - 20_000).unwrap();
    assert_eq!(serial.contains(&multiset, &mut Budget::ticks(10_000)), Err(Stopped::OutOfTicks));
}

#[test]
fn budgets_end_everything() {
    let system = lost_update();
    assert_eq!(SerialAutomaton::new(&system, &mut Budget::ticks(3)), Err(Stopped::OutOfTicks));
    assert_eq!(completed_multisets(&system, 5, &mut Budget::ticks(20)), Err(Stopped::OutOfTicks));
    assert_eq!(serial_multisets(&system, 50, &mut Budget::ticks(20)), Err(Stopped::OutOfTicks));
}
