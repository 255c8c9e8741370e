//! The rule of runs.

use super::cases::{Case, ONE, RUN, Refused, SB, answered, balanced, checked};
use super::lists::begun;
use crate::{Answer, Certificate, Claim, Condition, Model};

const WALKS: &str = "memory x; thread P { x := 1; l: skip; } never P@l;";

fn reached(text: &str, model: Model, run: &[i64]) -> Case {
    answered(text, model, Claim::Reachable(run.to_vec()))
}

fn accepted() -> Vec<Case> {
    vec![
        reached(WALKS, Model::Sc, &[0]),
        // The store waits, or it has landed.
        reached(WALKS, Model::Tso, &[0]),
        reached(WALKS, Model::Tso, &[0, -1]),
        // What is sought is there at the beginning.
        reached("memory x; thread P { l: x := 1; } never P@l;", Model::Sc, &[]),
        reached(SB, Model::Tso, &RUN),
        reached(SB, Model::Tso, &[0, 0, 1, 1, -1, -2]),
        reached(&SB.replace("R.r == 0", "R.r == 1"), Model::Sc, &[0, 0, 1, 1]),
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    vec![
        // There is no such thread, under sequential consistency nothing lands, and nothing lands twice.
        (Condition::RunStep, reached(WALKS, Model::Sc, &[0, 9])),
        (Condition::RunStep, reached(WALKS, Model::Sc, &[0, -1])),
        (Condition::RunStep, reached(WALKS, Model::Tso, &[0, -1, -1])),
        // A thread waits for what is not so, and for its own store.
        (Condition::RunStep, reached("memory x; thread P { r := x; k: assume r == 1; } never P@k;", Model::Sc, &[0, 0])),
        (Condition::RunStep, reached("memory x; thread P { x := 1; k: fence; } never P@k;", Model::Tso, &[0, 0])),
        (Condition::RunStep, reached("memory x; thread P { x := 1; k: xchg(x, 2); } never P@k;", Model::Tso, &[0, 0])),
        (Condition::RunEnd, reached(ONE, Model::Sc, &[0, 1])),
        // No state is final while a store waits.
        (Condition::RunEnd, reached(SB, Model::Tso, &[0, 0, 1, 1])),
        (Condition::RunEnd, reached(WALKS, Model::Sc, &[])),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn no_wrong_event_of_a_run_is_accepted_as_the_same() {
    let (program, _) = begun(SB);
    let mut accepted = 0;
    for place in 0..RUN.len() {
        for event in -3..4 {
            let mut run = RUN.to_vec();
            run[place] = event;
            let mut certificate = Certificate::new(&program);
            certificate.answers.push(Answer { question: 0, model: Model::Tso, claim: Claim::Reachable(run.clone()) });
            // Whatever is accepted reaches the state: here, only the run itself is left.
            accepted += usize::from(checked(&program, &certificate));
        }
    }
    assert_eq!(accepted, RUN.len());
}
