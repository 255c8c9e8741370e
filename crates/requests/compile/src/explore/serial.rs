//! Failures of requests that run one at a time.
//!
//! Whether a step can fail without requests that overlap tells a mistake in a
//! program from a race. Serial runs are explored by steps, fewest first; where
//! they are finitely many and none fails, it takes requests that overlap.

use serval_budget::Budget;

use super::bounded::{Bounded, Failing};
use super::shorten::{at_once, requests, shortened};
use crate::space::Space;

/// What serial runs say about failures.
pub(crate) enum SerialFault {
    /// A shortest serial run after which a request fails in this state.
    Found(Failing),
    /// No serial run fails.
    Never,
    /// There are more serial runs than were looked at.
    Unknown,
}

/// A run with fewer requests at a time and no more of them in all, if there is one nearby.
pub(crate) fn fewer_at_once(space: &mut Space, failing: Failing, ticks: u64, budget: &Budget) -> Failing {
    let (most, requests) = (at_once(space, &failing), requests(space, &failing));
    for fewer in 2..most {
        space.take_cost();
        if let Ok(Some(found)) = Bounded::new(space, fewer).run(space, &mut budget.aside(ticks)) {
            let found = shortened(space, found, &mut budget.aside(ticks));
            if self::requests(space, &found) <= requests {
                return found;
            }
        }
    }
    failing
}

/// Looks at serial runs until the budget ends.
pub(crate) fn serial_fault(space: &mut Space, budget: &mut Budget) -> SerialFault {
    // What others have run is not paid for here.
    space.take_cost();
    match Bounded::new(space, 1).run(space, budget) {
        Ok(Some(failing)) => SerialFault::Found(failing),
        Ok(None) => SerialFault::Never,
        Err(_) => SerialFault::Unknown,
    }
}
