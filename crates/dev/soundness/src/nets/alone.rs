//! The decomposition alone.

use serval_budget::Budget;
use serval_net_engine::decompose::{DecompositionOutcome, DecompositionRule, RuleCounts, decide_in};
use serval_net_proof::{Claim, Evidence, Refusal, check};
use serval_net_slice::{Slice, slice};
use serval_petri::{Constraint, Formula, Net, Target};

use crate::Tally;
use crate::nets::cases::Case;

/// Orders of the rules; the first is the usual one.
pub const ORDERS: [[DecompositionRule; 4]; 4] = [
    DecompositionRule::ORDER,
    [DecompositionRule::Backward, DecompositionRule::Forward, DecompositionRule::Arcs, DecompositionRule::Value],
    [DecompositionRule::Value, DecompositionRule::Forward, DecompositionRule::Backward, DecompositionRule::Arcs],
    [DecompositionRule::Forward, DecompositionRule::Arcs, DecompositionRule::Backward, DecompositionRule::Value],
];

/// What the decomposition says, after the checker: whether a marking of the goal can be reached, why, and how often
/// each rule was used. Nothing where the budget ends or something is too large.
pub fn decided(
    net: &Net,
    goal: &Formula,
    rules: [DecompositionRule; 4],
    budget: &mut Budget,
) -> Result<Option<(bool, Evidence, RuleCounts)>, String> {
    let (said, counts) = match decide_in(net, goal, rules, budget) {
        Ok(said) => said,
        Err(Refusal::Stopped(_) | Refusal::TooLarge { .. }) => return Ok(None),
        Err(refusal) => return Err(format!("{refusal:?}")),
    };
    let (claim, evidence) = match said {
        DecompositionOutcome::Reached(run) => (Claim::Reachable, Evidence::Run(run)),
        DecompositionOutcome::Excluded(decomposition) => (Claim::Unreachable, Evidence::Decomposition(decomposition)),
        DecompositionOutcome::Nothing => return Ok(None),
    };
    check(net, goal, claim, &evidence, &mut Budget::unlimited()).map_err(|refusal| format!("{refusal:?}"))?;
    Ok(Some((claim == Claim::Reachable, evidence, counts)))
}

/// What is left of a net, and the goal there; or that there is nothing to be reached. `None` where the goal is more
/// than constraints.
fn sliced(net: &Net, goal: &Formula) -> Option<Result<(Net, Formula), ()>> {
    let constraints: Vec<Constraint> = goal.constraints().cloned().collect();
    match slice(net, &Target::new(constraints), &mut Budget::unlimited()).ok()? {
        Slice::Unreachable(_) => Some(Err(())),
        Slice::Kept(left) => {
            let constraints = left.target.constraints().iter().cloned().map(Formula::constraint);
            Some(Ok((left.net, Formula::all(constraints))))
        }
    }
}

/// Asks the decomposition alone, in the first so many orders, and, if these are all, on what slicing leaves, with so
/// many ticks each, and compares the answers with each other and with the `known` one. Says what is wrong, and tallies
/// who agreed, and which rules were used.
pub fn ask(case: &Case, known: Option<bool>, orders: usize, ticks: u64, tally: &mut Tally) -> Result<(), String> {
    let told = |what: &str| format!("{}: {what}: {:?} of {:?}", case.told, case.target, case.net);
    let mut known = known;
    let mut agree = |name: &str, answer: Option<bool>, tally: &mut Tally| match (answer, known) {
        (None, _) => {
            tally.count(format!("{name}, undecided"));
            Ok(())
        }
        (Some(answer), None) => {
            known = Some(answer);
            tally.count(format!("{name}, alone"));
            Ok(())
        }
        (Some(answer), Some(known)) if answer == known => {
            tally.count(format!("{name}, the same"));
            Ok(())
        }
        (Some(answer), Some(_)) => Err(told(&format!("{name} says {answer}"))),
    };
    for (number, order) in ORDERS.into_iter().enumerate().take(orders) {
        let decided = decided(&case.net, &case.goal, order, &mut Budget::ticks(ticks)).map_err(|wrong| told(&wrong))?;
        if let (0, Some((_, _, counts))) = (number, &decided) {
            for (name, used) in
                [("a value step", counts.value), ("an arc step", counts.first), ("a covering", counts.forward + counts.backward)]
            {
                if used > 0 {
                    tally.count(format!("with {name}"));
                }
            }
        }
        agree(&format!("order {number}"), decided.map(|one| one.0), tally)?;
    }
    if orders < ORDERS.len() {
        return Ok(());
    }
    let answer = match sliced(&case.net, &case.goal) {
        None => None,
        Some(Err(())) => Some(false),
        Some(Ok((net, goal))) => {
            decided(&net, &goal, DecompositionRule::ORDER, &mut Budget::ticks(ticks)).map_err(|wrong| told(&wrong))?.map(|one| one.0)
        }
    };
    agree("sliced", answer, tally)
}
