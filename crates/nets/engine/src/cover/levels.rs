//! Lengths of shortest covering runs (Rackoff 1978): how short a run is that covers a marking, if only the first places
//! count.
//!
//! Let `U_0` be what is at least as large as the marking, and `U_(k+1)` what is in `U_k`, or comes there by one
//! transition. From a marking a run of at most `k` transitions covers the marking iff it is in `U_k`, by induction on
//! `k`; each `U_k` is upward closed, and grows by the predecessors of the least markings that came last. If none comes,
//! there is no such run. The places beyond the first `i` are forgotten: what may fall below 0 there, and need not be
//! enough in the end, has no say.

use serval_budget::{Budget, Stopped};
use serval_petri::{Marking, Net};

use super::backward::{before, turned};
use super::index::Index;
use super::{OMEGA, cost};
use crate::fast::Fast;

/// `m(i, M0)` in the sense of Rackoff, for `i` from 0 to the number of places: one more than the length of a shortest
/// run that keeps the first `i` places at 0 or above and covers the marking there; 0 where there is none. `None` where
/// a number does not fit.
pub fn shortest(net: &Net, marking: &Marking, budget: &mut Budget) -> Result<Option<Vec<u64>>, Stopped> {
    let fast = Fast::new(net);
    let mut all = Vec::with_capacity(net.place_count() + 1);
    for places in 0..=net.place_count() {
        let Some(length) = shortest_of(&fast.first(places), &marking.as_slice()[..places], budget)? else { return Ok(None) };
        all.push(length);
    }
    Ok(Some(all))
}

fn shortest_of(fast: &Fast, marking: &[u64], budget: &mut Budget) -> Result<Option<u64>, Stopped> {
    if fast.initial.iter().chain(marking).any(|&tokens| tokens == OMEGA) {
        return Ok(None);
    }
    let is_there = |marking: &[u64]| marking.iter().zip(&fast.initial).all(|(least, tokens)| tokens >= least);
    let mut rows = Index::new(marking.len());
    rows.add(0, &turned(marking));
    let (mut last, mut count, mut length) = (vec![marking.to_vec()], 1, 1);
    if is_there(marking) {
        return Ok(Some(length));
    }
    while !last.is_empty() {
        length = length.saturating_add(1);
        let mut next = Vec::new();
        for marking in &last {
            for transition in 0..fast.inputs.len() {
                budget.spend(cost(marking.len()))?;
                let Some(before) = before(fast, marking, transition) else { return Ok(None) };
                if rows.above(&turned(&before), false).is_some() {
                    continue;
                }
                if is_there(&before) {
                    return Ok(Some(length));
                }
                rows.add(count, &turned(&before));
                count += 1;
                next.push(before);
            }
        }
        last = next;
    }
    Ok(Some(0))
}
