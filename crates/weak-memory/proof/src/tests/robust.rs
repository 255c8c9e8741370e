//! The rule of attacks.

use super::cases::{Case, FENCED, ONE, Refused, SB, balanced, checked};
use super::lists::{attacks, begun};
use crate::{Condition, Robust};

fn attacked(text: &str) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.robust = Some(attacks(&program));
    (program, certificate)
}

fn but(text: &str, change: impl Fn(&mut Robust)) -> Case {
    let (program, mut certificate) = attacked(text);
    change(certificate.robust.as_mut().unwrap());
    (program, certificate)
}

const PASSING: &str = "memory x, y; thread P { x := 1; y := 1; } thread Q { r := y; s := x; }";
const LOCKED: &str = "memory x, y; thread P { xchg(x, 1); r := y; } thread Q { xchg(y, 1); s := x; }";

fn accepted() -> Vec<Case> {
    vec![
        attacked(ONE),
        attacked(FENCED),
        attacked(PASSING),
        attacked(LOCKED),
        // The load sees the store that waits, and none of memory.
        attacked("memory x; thread P { x := 1; r := x; } thread Q { x := 2; s := x; }"),
        attacked("memory x, y; thread P { loop { x := 1; fence; r := y; if (r == 1) { break; } } } thread Q { y := 1; }"),
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    vec![
        (Condition::RobustAttackers, but(SB, |robust| robust.attackers.clear())),
        (Condition::RobustViolation, attacked(SB)),
        // One fence is not enough, nor is one locked store.
        (Condition::RobustViolation, attacked(&FENCED.replacen("fence; ", "", 1))),
        (Condition::RobustViolation, attacked(&LOCKED.replacen("xchg(x, 1)", "x := 1", 1))),
        (Condition::StatesFault, attacked("values 0..1; memory x; thread P { r := 1; x := r + 1; }")),
        (Condition::StatesInitial, but(FENCED, |robust| robust.attackers[0].change(|states| states.clear()))),
        (Condition::StatesClosed, but(FENCED, |robust| robust.attackers[1].change(|states| states.truncate(1)))),
        (Condition::StatesShape, but(FENCED, |robust| robust.attackers[0].change(|states| states.push(vec![i64::MAX])))),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn no_state_of_an_attack_can_be_left_out() {
    let mut mutants = 0;
    for text in [FENCED, PASSING, LOCKED] {
        let (program, certificate) = attacked(text);
        for attacker in 0..2 {
            for number in 0..certificate.robust.as_ref().unwrap().attackers[attacker].len() {
                let mut mutant = certificate.clone();
                mutant.robust.as_mut().unwrap().attackers[attacker].change(|states| drop(states.remove(number)));
                assert!(!checked(&program, &mutant), "{text}: {attacker}, {number}");
                mutants += 1;
            }
        }
    }
    assert!(mutants > 100, "{mutants}");
}
