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
//!
//! Choices of requests of which one waits for more than the others do have no
//! complete run at all (`waits`).

mod configuration;
mod conflict;
mod evidence;
mod layer;
mod lift;
mod minimise;
mod parallel;
mod restrict;
mod serial;
mod subset;
mod waits;

pub use evidence::run_certificate;
pub use layer::{LayerOutcome, Search};
pub use lift::lift;
pub use parallel::parallel_layer;
pub use subset::SubsetSearch;
pub use waits::Waits;

/// The requests of a run: how many of each name, a position per request id.
pub(crate) type RequestMultiset = Vec<u32>;

/// All ways to choose `requests` requests among `names` names, in a fixed
/// order, up to a number.
pub(crate) fn request_multisets(names: usize, requests: u32, limit: usize) -> Vec<RequestMultiset> {
    let mut all = Vec::new();
    let mut multiset = vec![0; names];
    fill(&mut multiset, 0, requests, limit, &mut all);
    all
}

fn fill(multiset: &mut RequestMultiset, position: usize, left: u32, limit: usize, all: &mut Vec<RequestMultiset>) {
    if all.len() >= limit || multiset.is_empty() {
        return;
    }
    if position + 1 == multiset.len() {
        multiset[position] = left;
        all.push(multiset.clone());
        return;
    }
    for take in (0..=left).rev() {
        multiset[position] = take;
        fill(multiset, position + 1, left - take, limit, all);
    }
    multiset[position] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multisets_are_all_there() {
        assert_eq!(request_multisets(2, 2, 100), [vec![2, 0], vec![1, 1], vec![0, 2]]);
        assert_eq!(request_multisets(3, 2, 100).len(), 6);
        assert_eq!(request_multisets(4, 3, 100).len(), 20);
        assert_eq!(request_multisets(4, 3, 7).len(), 7);
        assert_eq!(request_multisets(0, 3, 7).len(), 0);
    }
}
