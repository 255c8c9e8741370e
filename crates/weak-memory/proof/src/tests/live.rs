//! The lemma of live registers: which sets are accepted.

use super::cases::{Case, ONE, Refused, balanced, unreachable};
use super::lists::{begun, closed};
use crate::Condition;
use crate::state::Model as Memory;

/// With these live registers of the one thread, whether or not they are right.
fn with_live(text: &str, live: &[u64]) -> Case {
    unreachable(begun(text), |program| closed(program, Memory::Sc, vec![live.to_vec()]))
}

const READS: &str = "memory x = 1; thread P { r := x; assume r == 2; l: skip; } never P@l;";
const LATER: &str = "memory x = 1; thread P { r := x; skip; assume r == 2; l: skip; } never P@l;";
const ASKED: &str = "memory x = 1; thread P { r := x; skip; } exists P.r == 2;";
const LOCKED: &str = "memory x = 1; thread P { r := x; o := cas(x, r, 2); assume o == 3; l: skip; } never P@l;";

fn accepted() -> Vec<Case> {
    vec![
        // The fewest that will do, and more than that.
        with_live(READS, &[0, 1, 0, 0]),
        with_live(READS, &[1, 1, 1, 1]),
        with_live(LATER, &[0, 1, 1, 0, 0]),
        // What is asked about final states is live at the end.
        with_live(ASKED, &[0, 1, 1]),
        with_live(LOCKED, &[0, 1, 2, 0, 0]),
    ]
}

/// Refused by one condition alone: without it, the register would be forgotten, and what is there would not be found.
pub(super) fn refused() -> Refused {
    let found = |text: &str| text.replace("== 2;", "== 1;");
    vec![
        (Condition::LiveShape, unreachable(begun(ONE), |program| closed(program, Memory::Sc, Vec::new()))),
        // One set too few.
        (Condition::LiveShape, with_live(READS, &[u64::MAX; 3])),
        // It is seen on the way, and not at the end alone.
        (Condition::LiveQuestion, with_live("memory x = 1; thread P { r := x; r := 0; } never P.r == 1;", &[0, 0, 1])),
        (Condition::LiveUses, with_live(&found(READS), &[0, 0, 0, 0])),
        (Condition::LiveFlow, with_live(&found(LATER), &[0, 0, 1, 0, 0])),
        (Condition::LiveQuestion, with_live("memory x = 1; thread P { r := x; l: skip; } never P.r == 1;", &[0, 0, 0])),
        (Condition::LiveQuestion, with_live(&found(ASKED), &[0, 0, 0])),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}
