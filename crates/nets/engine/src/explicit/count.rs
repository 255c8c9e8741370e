//! Explicit-state enumeration: how many markings there are, and what is most in them. There is no evidence for these
//! numbers.

use serval_budget::{Budget, Stopped};
use serval_petri::Net;

use super::{Exploration, Here, explore};
use crate::fast::Fast;

/// What was counted of all markings that can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateSpace {
    /// How many there are.
    pub markings: usize,
    /// In how many ways one leads to one: pairs of a marking and a transition that is enabled there.
    pub firings: u128,
    /// The most tokens on one place.
    pub most_on_place: u64,
    /// The most tokens on all places together.
    pub most_in_all: u128,
}

/// Counts all markings that can be reached; of a net without bounds that does not end before the budget does. Nothing
/// where a place has more tokens than fit, or there are more than 2³² markings. A tick is a marking. What is counted
/// when the budget ends is in `so_far`.
pub fn count(net: &Net, so_far: &mut StateSpace, budget: &mut Budget) -> Result<Option<StateSpace>, Stopped> {
    let fast = Fast::new(net);
    *so_far = StateSpace::default();
    let mut firings = 0_u128;
    let look = |here: Here<'_>| {
        so_far.markings = so_far.markings.saturating_add(1);
        let (most, sum) = here.known.rows().largest_and_sum(here.number);
        so_far.most_on_place = most.max(so_far.most_on_place);
        so_far.most_in_all = sum.max(so_far.most_in_all);
        false
    };
    let next = |here: Here<'_>, into: &mut Vec<usize>| {
        here.enabled(into);
        // The search lists what is enabled once for each marking.
        firings = firings.saturating_add(into.len() as u128);
    };
    let explored = explore(&fast, usize::MAX, budget, look, next);
    so_far.firings = firings;
    Ok(matches!(explored?, Exploration::All(_)).then_some(*so_far))
}
