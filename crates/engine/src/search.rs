//! Counterexamples by number of requests.
//!
//! Layer `k` looks at all complete runs with exactly `k` requests, grouped by
//! which requests they are. The first layer with a completed multiset outside
//! `Ser` gives a counterexample with the fewest requests, provided all layers
//! before it are complete. Systems may be made on demand, so this works for
//! programs with infinitely many states as well.
//!
//! Runs are explored up to three rearrangements that change neither the
//! completed multiset nor whether a run exists:
//!
//! * A request that has not moved is not in flight: spawning touches nothing
//!   else, so it can be delayed to just before the request's first step. For a
//!   request with one start, being back in the start state is the same as not
//!   having come.
//! * A response touches nothing else, so it can be advanced to the moment the
//!   request arrives in the state that gives it. On arrival a request decides
//!   whether to answer there or to go on.
//! * A step that changes neither the local nor the global state is left out.

mod configuration;
mod evidence;
mod layer;
mod lift;
mod minimise;
mod parallel;
mod serial;

pub use evidence::run_certificate;
pub use layer::{LayerOutcome, Search};
pub use lift::lift;
pub use parallel::parallel_layer;

/// How many requests of each name: a position per request id.
pub(crate) type Demand = Vec<u32>;

/// All ways to choose `requests` requests among `names` names, in a fixed
/// order, up to a number.
pub(crate) fn demands(names: usize, requests: u32, limit: usize) -> Vec<Demand> {
    let mut all = Vec::new();
    let mut demand = vec![0; names];
    fill(&mut demand, 0, requests, limit, &mut all);
    all
}

fn fill(demand: &mut Demand, position: usize, left: u32, limit: usize, all: &mut Vec<Demand>) {
    if all.len() >= limit || demand.is_empty() {
        return;
    }
    if position + 1 == demand.len() {
        demand[position] = left;
        all.push(demand.clone());
        return;
    }
    for take in (0..=left).rev() {
        demand[position] = take;
        fill(demand, position + 1, left - take, limit, all);
    }
    demand[position] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_all_multisets() {
        assert_eq!(demands(2, 2, 100), [vec![2, 0], vec![1, 1], vec![0, 2]]);
        assert_eq!(demands(3, 2, 100).len(), 6);
        assert_eq!(demands(4, 3, 100).len(), 20);
        assert_eq!(demands(4, 3, 7).len(), 7);
        assert_eq!(demands(0, 3, 7).len(), 0);
    }
}
