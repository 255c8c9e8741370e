//! The decomposition, asked about goals of any form: each is split into cases, conjunctions of linear conditions, and
//! each of them is decided, however many tokens there may be, if the budget is large enough.

use crate::decompose::{DecompositionOutcome, DecompositionRule, DecompositionSearch, MOST_PLACES, RuleCounts};
use serval_budget::{Budget, Cancel};
use serval_net_proof::{Evidence, Refusal};
use serval_petri::{Formula, Net};

use crate::answer::{GoalOutcome, Method, checked};

/// Asks about a goal with so many ticks; says whether more of them could help, and how far it came.
pub(crate) fn ask_alone(net: &Net, goal: &Formula, found: &mut GoalOutcome, ticks: u64, cancel: &Cancel) -> (bool, RuleCounts) {
    let mut counts = RuleCounts::default();
    let evidence = match look(net, goal, &mut counts, &mut Budget::new(ticks, cancel.clone())) {
        Ok(DecompositionOutcome::Reached(run)) => Evidence::Run(run),
        Ok(DecompositionOutcome::Excluded(decomposition)) => Evidence::Decomposition(decomposition),
        Ok(DecompositionOutcome::Nothing) => return (false, counts),
        Err(Refusal::TooLarge { what, limit }) => {
            *found = GoalOutcome::TooLarge { what, limit };
            return (false, counts);
        }
        Err(Refusal::Stopped(_)) => return (true, counts),
        Err(Refusal::Invalid(rejection)) => {
            // A step of its own that the checker refuses is a bug, and no answer.
            debug_assert!(false, "{rejection}");
            return (false, counts);
        }
    };
    *found = checked(net, goal, evidence, Method::Decompose.name(), cancel);
    (false, counts)
}

fn look(net: &Net, goal: &Formula, counts: &mut RuleCounts, budget: &mut Budget) -> Result<DecompositionOutcome, Refusal> {
    let mut search = DecompositionSearch::new(net, goal, DecompositionRule::ORDER)?;
    loop {
        let said = search.step(budget);
        *counts = search.counts;
        if let Some(said) = said? {
            return Ok(said);
        }
    }
}

/// The same after other methods: what is too large for this is not what the question failed for. What is upward closed
/// is left to those that go forwards and backwards with ω.
pub(crate) fn ask(net: &Net, goal: &Formula, found: &mut GoalOutcome, ticks: u64, cancel: &Cancel) -> RuleCounts {
    let (mut said, mut counts) = (GoalOutcome::Nothing, RuleCounts::default());
    if net.place_count() <= MOST_PLACES && goal.not_upward().is_some() {
        counts = ask_alone(net, goal, &mut said, ticks, cancel).1;
    }
    if !said.is_open() {
        *found = said;
    }
    counts
}
