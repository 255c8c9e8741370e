//! The decomposition, asked about goals that say of some places how many tokens they have.
//!
//! Where a goal says nothing else it is decided, however many tokens there may be, if the budget is large enough. Where it says more, only what the numbers exclude is excluded, and a run counts if it ends in the goal.

use serval_budget::{Budget, Cancel};
use serval_decompose::{MOST_PLACES, Said, decide};
use serval_netproof::decomposition::sequence::label_of;
use serval_netproof::{Evidence, Refusal};
use serval_petri::{Formula, Net};

use crate::Found;
use crate::portfolio::{Method, checked};

/// Asks about a goal with so many ticks; says whether more of them could help.
pub(crate) fn ask_alone(net: &Net, goal: &Formula, found: &mut Found, ticks: u64, cancel: &Cancel) -> bool {
    // A goal that gives no numbers is no question for this.
    if label_of(net, goal).iter().all(Option::is_none) && net.place_count() > 0 {
        return false;
    }
    let evidence = match decide(net, goal, &mut Budget::new(ticks, cancel.clone())) {
        Ok((Said::Reached(run), _)) => Evidence::Run(run),
        Ok((Said::Excluded(decomposition), _)) => Evidence::Decomposition(decomposition),
        Ok((Said::Nothing, _)) => return false,
        Err(Refusal::TooLarge { what, limit }) => {
            *found = Found::TooLarge { what, limit };
            return false;
        }
        Err(Refusal::Stopped(_)) => return true,
        Err(Refusal::Invalid(rejection)) => {
            // A step of its own that the checker refuses is a bug, and no answer.
            debug_assert!(false, "{rejection}");
            return false;
        }
    };
    *found = checked(net, goal, evidence, Method::Decompose.name(), cancel);
    false
}

/// The same after other methods: what is too large for this is not what the question failed for.
pub(crate) fn ask(net: &Net, goal: &Formula, found: &mut Found, ticks: u64, cancel: &Cancel) {
    let mut said = Found::Nothing;
    if net.place_count() <= MOST_PLACES {
        ask_alone(net, goal, &mut said, ticks, cancel);
    }
    if !said.is_open() {
        *found = said;
    }
}
