//! Which method is tried when, and with how many ticks.

use serval_budget::{Budget, Cancel};
use serval_netproof::{Claim, Evidence, Item, Refusal, Run, check};
use serval_petri::{Formula, Net};

use crate::siphon::Empty;
use crate::weights::Known;
use crate::{equation, explicit, walk};

/// An answer, for the checker to accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What is so.
    pub claim: Claim,
    /// Why.
    pub evidence: Evidence,
    /// Who found it.
    pub method: &'static str,
}

/// Ticks in the first round.
const WALK_TICKS: u64 = 50_000;
const WEIGHTS_TICKS: u64 = 10_000_000;
const EQUATION_TICKS: u64 = 1_000_000;
const EXPLICIT: usize = 20_000;
/// By how much they grow.
const GROWTH: u64 = 4;

/// Asks about each goal whether a marking of it can be reached; rounds of growing budgets, until all is known, somebody stops it, or the
/// rounds are over.
pub fn decide(net: &Net, goals: &[Formula], rounds: u32, cancel: &Cancel) -> Vec<Option<Answer>> {
    let mut answers: Vec<Option<Answer>> = vec![None; goals.len()];
    let accepted = |goal: &Formula, evidence: Evidence, method: &'static str| {
        let claim = evidence.claim();
        let checked = check(net, goal, claim, &evidence, &mut Budget::new(u64::MAX, cancel.clone()));
        // Walks add up within 128 bits, so a run may end elsewhere. Any other evidence that is refused is a bug: whoever asks checks it
        // again, and tells.
        let kept = match checked {
            Ok(()) => true,
            Err(Refusal::Invalid(_)) => claim == Claim::Unreachable,
            Err(Refusal::TooLarge { .. } | Refusal::Stopped(_)) => false,
        };
        kept.then_some(Answer { claim, evidence, method })
    };
    let run = |word: &[u32]| Evidence::Run(Run { word: word.iter().map(|&transition| Item::Fire(transition)).collect() });
    let (mut known, empty, deadlock) = (Known::new(net), Empty::new(net), Formula::deadlock(net));
    for round in 0..rounds {
        let ticks = |first: u64| first.saturating_mul(GROWTH.saturating_pow(round));
        let mut open: Vec<bool> = answers.iter().map(Option::is_none).collect();
        let mut found = |goal: usize, word: &[u32]| answers[goal] = accepted(&goals[goal], run(word), "walk");
        let _ = walk::walk(net, goals, &mut open, u64::from(round) + 1, &mut found, &mut Budget::new(ticks(WALK_TICKS), cancel.clone()));
        for (goal, formula) in goals.iter().enumerate() {
            if answers[goal].is_some() || cancel.is_cancelled() {
                continue;
            }
            if let Some(evidence) = empty.exclude(net, formula) {
                answers[goal] = accepted(formula, evidence, "siphon");
                continue;
            }
            if let Ok(Some(evidence)) = known.exclude(net, formula, &mut Budget::new(ticks(WEIGHTS_TICKS), cancel.clone())) {
                answers[goal] = accepted(formula, evidence, "weights");
                continue;
            }
            let mut budget = Budget::new(ticks(EQUATION_TICKS), cancel.clone());
            let plans = usize::try_from(4_u32.saturating_pow(round)).unwrap_or(usize::MAX);
            match equation::ask(net, formula, u64::from(round) + 1, plans, &mut budget) {
                Ok(equation::Said::Excluded(evidence)) => answers[goal] = accepted(formula, *evidence, "equation"),
                Ok(equation::Said::Reached(word)) => answers[goal] = accepted(formula, Evidence::Run(Run { word }), "guided"),
                Ok(equation::Said::Nothing) | Err(_) => {}
            }
            if answers[goal].is_some() {
                continue;
            }
            let most = usize::try_from(ticks(EXPLICIT as u64)).unwrap_or(usize::MAX);
            let budget = &mut Budget::new(u64::MAX, cancel.clone());
            let said = if deadlock.as_ref() == Some(formula) {
                explicit::look_for_deadlock(net, most, budget)
            } else {
                explicit::look(net, formula, most, budget)
            };
            match said {
                Ok(Some(explicit::Said::Reached(word))) => answers[goal] = accepted(formula, run(&word), "explicit"),
                Ok(Some(explicit::Said::Excluded(evidence))) => answers[goal] = accepted(formula, *evidence, "explicit"),
                Ok(None) | Err(_) => {}
            }
        }
        if answers.iter().all(Option::is_some) || cancel.is_cancelled() {
            break;
        }
    }
    answers
}
