//! Siphons that a solution leaves empty, and communication-free nets (Esparza 1997): places that get a token if the
//! transitions of a plan fire.
//!
//! Let `x` say how often transitions fire. A place is *filled* if it has a token in the beginning, or a transition of
//! `x` gives to it all whose inputs are filled. If a run fires each `t` exactly `x_t` times, the inputs of all
//! transitions of `x` are filled, as each place that something is taken from has been given to, by what fired before.
//! If one is not, the places that are not filled are empty in the beginning, something of `x` takes from them, and
//! nothing of `x` feeds them without taking from them: the clause of `serval_net_proof::equation` for these places
//! excludes `x`.
//!
//! **Communication-free nets** are those in which each transition takes at most one token. There a solution of the
//! equation whose transitions have filled inputs is always fired in some order (Esparza 1997), so that the equation
//! with these clauses is exact: `carried_out` fires next what leaves a rest that is such a solution again. Nothing
//! rests on that but that a run is found: a run is looked at like everything else.

use serval_budget::{Budget, Stopped};
use serval_net_proof::Item;
use serval_petri::Net;

use crate::fast::Fast;

/// The longest run that is looked for.
const LONGEST: u64 = 1 << 16;

/// Whether each transition takes at most one token.
pub fn is_communication_free(net: &Net) -> bool {
    net.transitions().all(|one| net.inputs(one).iter().map(|arc| u128::from(arc.1)).sum::<u128>() <= 1)
}

/// The places that are filled.
fn filled(fast: &Fast, net: &Net, marking: &[u64], plan: &[u64]) -> Vec<bool> {
    let mut filled: Vec<bool> = marking.iter().map(|&tokens| tokens > 0).collect();
    let mut open: Vec<usize> = (0..plan.len()).filter(|&transition| plan[transition] > 0).collect();
    loop {
        let before = open.len();
        open.retain(|&transition| {
            let can = fast.inputs[transition].iter().all(|&(place, _)| filled[place]);
            if can && let Some(transition) = net.transitions().nth(transition) {
                net.outputs(transition).iter().for_each(|arc| filled[arc.0.index()] = true);
            }
            !can
        });
        if open.len() == before {
            return filled;
        }
    }
}

/// Whether all inputs of the plan are filled.
fn is_fed(fast: &Fast, plan: &[u64], filled: &[bool]) -> bool {
    (0..plan.len()).all(|transition| plan[transition] == 0 || fast.inputs[transition].iter().all(|&(place, _)| filled[place]))
}

/// Places that are empty in the beginning, that the plan takes from, and that it does not feed; `None` where all is
/// fed.
pub(crate) fn unfed(fast: &Fast, net: &Net, plan: &[u64]) -> Option<Vec<u32>> {
    let filled = filled(fast, net, &fast.initial, plan);
    if is_fed(fast, plan, &filled) {
        return None;
    }
    Some((0..).zip(filled).filter(|one| !one.1).map(|one| one.0).collect())
}

/// The plan in an order in which it fires, if each choice that leaves something fed leads to one; a tick is a choice
/// that is looked at.
pub(crate) fn carried_out(fast: &Fast, net: &Net, plan: &[u64], budget: &mut Budget) -> Result<Option<Vec<Item>>, Stopped> {
    let mut rest = plan.to_vec();
    if rest.iter().fold(0_u64, |sum, &times| sum.saturating_add(times)) > LONGEST {
        return Ok(None);
    }
    let (mut marking, mut word) = (fast.initial.clone(), Vec::new());
    while rest.iter().any(|&times| times > 0) {
        let mut is_fired = false;
        for transition in 0..rest.len() {
            if rest[transition] == 0 || !fast.is_enabled(&marking, transition) {
                continue;
            }
            budget.spend(u64::try_from(rest.len() / 8).unwrap_or(u64::MAX).saturating_add(1))?;
            let mut next = marking.clone();
            if !fast.fire(&mut next, transition) {
                continue;
            }
            rest[transition] = rest[transition].saturating_sub(1);
            if is_fed(fast, &rest, &filled(fast, net, &next, &rest)) {
                marking = next;
                word.push(Item::Fire(u32::try_from(transition).unwrap_or(u32::MAX)));
                is_fired = true;
                break;
            }
            rest[transition] = rest[transition].saturating_add(1);
        }
        if !is_fired {
            return Ok(None);
        }
    }
    Ok(Some(word))
}
