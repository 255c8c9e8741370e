//! All methods together.

use std::time::Duration;

use serval_budget::{Budget, Cancel};
use serval_net_engine::{GoalAnswer, GoalOutcome, Method, Session, decide};
use serval_net_proof::{Claim, check};
use serval_random::reach::looked;

use crate::clock::timed;
use crate::nets::cases::Case;

/// Markings that trying everything may take, each way.
const MARKINGS: usize = 1_500;

/// What became of a question.
pub struct Outcome {
    /// The answer that was accepted.
    pub answer: Option<GoalAnswer>,
    /// What else decides the question, and its answer: trying everything `forwards` or `backwards`, the `equation`, or
    /// `cover`.
    pub oracle: Option<(&'static str, bool)>,
    /// How long it took, with the check.
    pub time: Duration,
    /// What is wrong.
    pub wrong: Option<String>,
}

/// What else decides a question.
fn oracle(case: &Case) -> Option<(&'static str, bool)> {
    let Case { net, target, goal, .. } = case;
    if let Some((reached, forwards)) = looked(net, target, MARKINGS) {
        return Some((if forwards { "forwards" } else { "backwards" }, reached));
    }
    let cancel = Cancel::new();
    let session = Session::new(net, &cancel);
    [Method::Equation, Method::Cover].into_iter().find_map(|method| {
        let found = session.alone(net, std::slice::from_ref(goal), method, 1, &cancel).0.pop()?;
        found.answer().map(|answer| (method.name(), answer.claim == Claim::Reachable))
    })
}

/// Asks all methods, in so many rounds; the evidence is checked once more, as the receiver of a certificate does.
pub fn ask(case: &Case, rounds: u32, cancel: &Cancel) -> Outcome {
    let ((found, refusal), time) = timed(|| {
        let found = decide(&case.net, std::slice::from_ref(&case.goal), rounds, cancel).pop().unwrap_or_default();
        let checked = found
            .answer()
            .map_or(Ok(()), |GoalAnswer { claim, evidence, .. }| check(&case.net, &case.goal, *claim, evidence, &mut Budget::unlimited()));
        (found, checked.err())
    });
    let mut wrong = refusal.map(|refusal| format!("{}: {refusal:?}", case.told));
    let oracle = oracle(case);
    let told = |what: &str| format!("{}: {what}: {:?} of {:?}", case.told, case.target, case.net);
    let answer = match found {
        GoalOutcome::Answer(answer) => Some(answer),
        GoalOutcome::Refused(answer, rejection) => {
            wrong = Some(told(&format!("{} is refused, {rejection}", answer.method)));
            None
        }
        GoalOutcome::Nothing | GoalOutcome::TooLarge { .. } => None,
    };
    if let (Some(answer), Some((who, reached))) = (&answer, oracle)
        && (answer.claim == Claim::Reachable) != reached
    {
        wrong = Some(told(&format!("{} says {}, {who} does not", answer.method, answer.claim.word())));
    }
    Outcome { answer, oracle, time, wrong }
}
