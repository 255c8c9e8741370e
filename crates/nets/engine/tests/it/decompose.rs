//! Tests of the decomposition: alone, on nets whose answers are known or found by trying everything, and as the last of
//! all methods.

mod mutants;
mod random;
mod textbook;
mod together;

use serval_budget::Budget;
use serval_net_engine::decompose::{DecompositionOutcome, DecompositionRule, RuleCounts, decide_in};
use serval_net_proof::{Claim, Evidence, Refusal, check};
use serval_petri::{Formula, Marking, Net, Property};

/// That a marking is reached, as a goal.
fn goal_of(net: &Net, target: &[u64]) -> Formula {
    Property::Reaches(Marking::new(target.to_vec())).goals(net).unwrap().remove(0)
}

/// What the decomposition says, after the checker: whether the marking can be reached, with what and how; nothing where
/// the ticks end.
fn decided(net: &Net, goal: &Formula, ticks: u64, told: &str) -> Option<(bool, Evidence, RuleCounts)> {
    decided_in(net, goal, DecompositionRule::ORDER, ticks, told)
}

/// The same with another order of the rules.
fn decided_in(net: &Net, goal: &Formula, rules: [DecompositionRule; 4], ticks: u64, told: &str) -> Option<(bool, Evidence, RuleCounts)> {
    let (said, counts) = match decide_in(net, goal, rules, &mut Budget::ticks(ticks)) {
        Ok(said) => said,
        Err(Refusal::Stopped(_)) => return None,
        Err(refusal) => panic!("{told}: {refusal:?}"),
    };
    let (claim, evidence) = match said {
        DecompositionOutcome::Reached(run) => (Claim::Reachable, Evidence::Run(run)),
        DecompositionOutcome::Excluded(decomposition) => (Claim::Unreachable, Evidence::Decomposition(decomposition)),
        DecompositionOutcome::Nothing => panic!("{told}: nothing"),
    };
    check(net, goal, claim, &evidence, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{told}: {refusal:?}"));
    Some((claim == Claim::Reachable, evidence, counts))
}
