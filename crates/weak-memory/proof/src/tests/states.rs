//! The rule of closed lists, under either model.

use super::cases::{Case, FENCED, ONE, Refused, SB, WAITS, all, answer, balanced, checked, unreachable};
use super::lists::{all_live, begun, closed};
use crate::state::Model as Memory;
use crate::{By, Certificate, Claim, Condition, Model, States};

/// By the list of all states with store buffers.
fn buffered(text: &str) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.tso = Some(closed(&program, Memory::Tso, all_live(&program)));
    certificate.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::States)));
    (program, certificate)
}

fn accepted() -> Vec<Case> {
    let mut more = unreachable(begun(ONE), all);
    // A state that is not reached may be there as long as the list is closed: here all threads have ended.
    let states = &mut more.1.sc.as_mut().unwrap().states;
    states.change(|states| {
        states.push(vec![1, 1, 0, 0]);
        states.sort_unstable();
        states.dedup();
    });
    vec![
        unreachable(begun(ONE), all),
        unreachable(begun(SB), all),
        unreachable(begun(FENCED), all),
        buffered(ONE),
        buffered(FENCED),
        buffered("memory x; thread P { x := 1; r := x; e: skip; } never P@e && P.r == 0;"),
        more,
    ]
}

/// The list with something changed.
fn but(text: &str, change: impl Fn(&mut States)) -> Case {
    let (program, mut certificate) = unreachable(begun(text), all);
    change(certificate.sc.as_mut().unwrap());
    (program, certificate)
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    let mut waiting = buffered(ONE);
    waiting.1.tso.as_mut().unwrap().states.change(|states| states.truncate(1));
    vec![
        (Condition::StatesShape, but(ONE, |list| list.states.change(|states| states.push(vec![i64::MAX])))),
        // A number too many.
        (Condition::StatesShape, but(ONE, |list| list.states.change(|states| states.push(vec![9; 5])))),
        (Condition::StatesInitial, but(WAITS, |list| list.states.change(|states| states.clear()))),
        (Condition::StatesClosed, but(WAITS, |list| list.states.change(|states| states.truncate(1)))),
        (Condition::StatesClosed, waiting),
        (Condition::StatesFault, unreachable(begun("values 0..1; thread P { r := 1; r := r + 1; l: skip; } never P@l;"), all)),
        (Condition::StatesQuestion, unreachable(begun(WAITS), all)),
        (Condition::StatesQuestion, buffered(SB)),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn no_state_can_be_left_out_and_none_changed() {
    let (program, mut certificate) = buffered(FENCED);
    certificate.sc = Some(all(&program));
    certificate.answers.push(answer(0, Model::Sc, Claim::Unreachable(By::States)));
    assert!(checked(&program, &certificate));
    // All states are reachable, since this is how they were found, so each is needed, and each number of it.
    let mut mutants = 0;
    let mut refuse = |mutant: &Certificate| {
        assert!(!checked(&program, mutant));
        mutants += 1;
    };
    for number in 0..certificate.tso.as_ref().unwrap().states.len() {
        let mut mutant = certificate.clone();
        mutant.tso.as_mut().unwrap().states.change(|states| drop(states.remove(number)));
        refuse(&mutant);
    }
    for number in 0..certificate.sc.as_ref().unwrap().states.len() {
        for place in 0..certificate.sc.as_ref().unwrap().states.iter().nth(number).unwrap().len() {
            let mut mutant = certificate.clone();
            mutant.sc.as_mut().unwrap().states.change(|states| states[number][place] += 1);
            refuse(&mutant);
        }
    }
    assert!(mutants > 100, "{mutants}");
}
