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
    // The name of each request, in order. No recursion over names: a program may have more than a small stack holds.
    let mut chosen = vec![0; requests as usize];
    while names > 0 && all.len() < limit {
        let mut multiset = vec![0; names];
        chosen.iter().for_each(|&name: &usize| multiset[name] += 1);
        all.push(multiset);
        // The last request that can have a later name takes the next one, and so do those after it.
        let Some(last) = chosen.iter().rposition(|&name| name + 1 < names) else { break };
        let next = chosen[last] + 1;
        chosen[last..].fill(next);
    }
    all
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
        assert_eq!(request_multisets(3, 0, 7), [vec![0, 0, 0]]);
        assert_eq!(request_multisets(3, 1, 0).len(), 0);
    }

    /// First those with most requests of the first name.
    #[test]
    fn multisets_come_in_order() {
        for (names, requests) in [(1, 4), (2, 5), (4, 4), (6, 3)] {
            let all = request_multisets(names, requests, usize::MAX);
            assert!(all.iter().all(|multiset| multiset.iter().sum::<u32>() == requests));
            assert!(all.is_sorted_by(|one, next| one > next), "{all:?}");
        }
    }

    #[test]
    fn there_may_be_more_names_than_a_stack_holds() {
        let all = request_multisets(100_000, 2, 3);
        assert_eq!(all.iter().map(|multiset| multiset[..3].to_vec()).collect::<Vec<_>>(), [[2, 0, 0], [1, 1, 0], [1, 0, 1]]);
    }
}
