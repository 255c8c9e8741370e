//! The rule of robustness for any number of copies.

use super::cases::{Case, Refused, balanced, checked};
use super::lists::{any_attacks, begun, leave_largest};
use crate::{AnyRobust, Condition, Configuration};

fn attacked(text: &str) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.any = Some(any_attacks(&program));
    (program, certificate)
}

fn but(text: &str, change: impl Fn(&mut AnyRobust)) -> Case {
    let (program, mut certificate) = attacked(text);
    change(certificate.any.as_mut().unwrap());
    (program, certificate)
}

const OWN: &str = "memory x; thread* P { x := 1; r := x; }";
const FENCED: &str = "memory x, y; thread* P { x := 1; fence; r := y; } thread Q { y := 1; fence; r := x; }";
const SPINS: &str = "memory lock; thread* P { loop { o := xchg(lock, 1); if (o == 0) { break; } } lock := 0; }";

fn accepted() -> Vec<Case> {
    vec![
        attacked(OWN),
        attacked(FENCED),
        attacked(SPINS),
        attacked("memory x, y; thread* P { x := 1; y := 1; } thread* Q { r := y; s := x; }"),
        // A number for ω, where there is no more than that: no copy moves.
        attacked("memory x; thread* P { assume 0; } thread Q { x := 1; r := x; }"),
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    vec![
        (Condition::RobustAttackers, but(FENCED, |any| any.attackers.clear())),
        (Condition::RobustViolation, attacked(&FENCED.replacen("fence; ", "", 1))),
        // One copy is robust, and two are not.
        (Condition::RobustViolation, attacked("memory x, y; thread* P { x := 1; r := y; y := 1; s := x; }")),
        (Condition::StatesInitial, but(OWN, |any| any.attackers[0].clear())),
        // There may be more copies than one.
        (Condition::StatesInitial, but("memory x; thread* P { assume 0; }", |any| any.attackers[0][0].copies[0].2 = Some(1))),
        (Condition::StatesClosed, but(OWN, |any| any.attackers[0].truncate(1))),
        (Condition::StatesShape, but(OWN, |any| any.attackers[0].push(Configuration { core: vec![i64::MAX], copies: Vec::new() }))),
        (Condition::StatesFault, attacked("values 0..1; memory x; thread* P { r := 1; x := r + 1; }")),
        (Condition::LiveShape, but(OWN, |any| any.live.clear())),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

/// With the largest configuration of each core alone, each is needed.
#[test]
fn no_largest_configuration_can_be_left_out() {
    for text in [OWN, FENCED, SPINS] {
        let (program, mut certificate) = attacked(text);
        certificate.any.as_mut().unwrap().attackers.iter_mut().for_each(leave_largest);
        assert!(checked(&program, &certificate), "{text}");
        let lists = certificate.any.clone().unwrap().attackers;
        for (attacker, list) in lists.iter().enumerate() {
            for number in 0..list.len() {
                let mut mutant = certificate.clone();
                mutant.any.as_mut().unwrap().attackers[attacker].remove(number);
                assert!(!checked(&program, &mutant), "{text}: {attacker}, {number}");
            }
        }
    }
}
