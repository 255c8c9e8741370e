//! The rule of what cannot be reached under sequential consistency, whatever the number of copies.

use super::cases::{Case, Refused, answer, balanced, checked, refusal};
use super::lists::{any_states, begun, leave_largest};
use crate::{AnyStates, By, Claim, Condition, Configuration, Model};

fn by_any(text: &str) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.any_sc = Some(any_states(&program));
    certificate.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::Any)));
    (program, certificate)
}

fn but(text: &str, change: impl Fn(&mut AnyStates)) -> Case {
    let (program, mut certificate) = by_any(text);
    change(certificate.any_sc.as_mut().unwrap());
    (program, certificate)
}

const LOOKS: &str = "memory x; thread A { x := 1; } thread* P { r := x; } never P.r == 2;";
const STORES: &str = "memory x; thread* P { x := 1; } exists x == 0;";

fn accepted() -> Vec<Case> {
    vec![
        by_any(LOOKS),
        by_any(STORES),
        by_any("values 0..2 wrap; memory n; thread* P { o := fadd(n, 1); } never P.o == 3;"),
        by_any("memory x; thread* P { x := 1; } thread* Q { r := x; if (r == 2) { l: skip; } } never Q@l;"),
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    vec![
        (Condition::StatesQuestion, by_any(&LOOKS.replace("P.r == 2", "P.r == 1"))),
        (Condition::StatesQuestion, by_any(&STORES.replace("x == 0", "x == 1"))),
        (Condition::StatesInitial, but(LOOKS, |list| list.configurations.clear())),
        (Condition::StatesClosed, but(LOOKS, |list| list.configurations.truncate(1))),
        (Condition::StatesShape, but(LOOKS, |list| list.configurations.push(Configuration { core: vec![i64::MAX], copies: Vec::new() }))),
        (Condition::StatesFault, by_any("values 0..1; memory n; thread* P { o := fadd(n, 1); } never P.o == 3;")),
        (Condition::LiveShape, but(LOOKS, |list| list.live.clear())),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn no_largest_configuration_can_be_left_out() {
    for (program, mut certificate) in accepted() {
        leave_largest(&mut certificate.any_sc.as_mut().unwrap().configurations);
        assert!(checked(&program, &certificate));
        for number in 0..certificate.any_sc.as_ref().unwrap().configurations.len() {
            let mut mutant = certificate.clone();
            mutant.any_sc.as_mut().unwrap().configurations.remove(number);
            assert!(!checked(&program, &mutant), "configuration {number}");
        }
    }
}

/// What a copy does behind its first step is found where the copy has come to: with copies at the first step alone
/// nothing is ever stored.
#[test]
fn copies_that_move_are_listed_where_they_are() {
    let text = "memory x; thread A { r := x; if (r == 1) { l: skip; } } thread* P { skip; x := 1; } never A@l;";
    let case = but(text, |list| {
        list.configurations.retain(|one| one.core.last() == Some(&0));
        list.configurations.iter_mut().for_each(|one| one.copies = vec![(1, vec![0], None)]);
    });
    assert_eq!(refusal(&case), Condition::StatesClosed);
}

#[test]
fn configurations_have_the_numbers_of_states_and_copies() {
    let changes: [fn(&mut Configuration); 6] = [
        |one| one.core.push(0),
        // `A` has no copies.
        |one| one.copies.push((0, vec![0], None)),
        |one| one.copies.push((1, vec![0], None)),
        |one| one.copies.push((1, vec![99, 0], None)),
        |one| one.copies.push((1, vec![1, 7], Some(0))),
        |one| one.copies.push(one.copies[0].clone()),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let case = but(LOOKS, |list| change(&mut list.configurations[0]));
        assert_eq!(refusal(&case), Condition::StatesShape, "change {number}");
    }
}
