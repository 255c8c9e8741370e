//! Everything that few requests can do, by trying everything.
//!
//! These functions follow the definition of a run word by word and use no
//! idea beyond it. They are what cleverer code is compared with: keep them
//! simple. The number of configurations grows exponentially with the number
//! of requests; the budget counts them.
//!
//! ```
//! use serval_budget::Budget;
//! use serval_model::{NetworkSystem, completed_multisets, serial_multisets};
//! // Reads a counter, and in a second step writes it back increased, modulo 2.
//! let system = NetworkSystem::from_json(
//!     r#"{"initial_global": "0", "requests": [["inc", "start"]], "responses": [["done 0", "0"], ["done 1", "1"]],
//!         "transitions": [["start", "0", "read 0", "0"], ["start", "1", "read 1", "1"],
//!             ["read 0", "0", "done 0", "1"], ["read 0", "1", "done 0", "1"],
//!             ["read 1", "0", "done 1", "0"], ["read 1", "1", "done 1", "0"]]}"#,
//! ).unwrap();
//! let budget = &mut Budget::unlimited();
//! let interleaved = completed_multisets(&system, 2, budget).unwrap();
//! let serial = serial_multisets(&system, 2, budget).unwrap();
//! // Only interleaved can both requests see 0.
//! let (inc, zero) = (system.request_named("inc").unwrap(), system.response_named("0").unwrap());
//! let beyond: Vec<_> = interleaved.difference(&serial).collect();
//! assert_eq!(beyond.len(), 1);
//! assert_eq!(beyond[0].count(&(inc, zero)), 2);
//! ```

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use serval_budget::{Budget, Stopped};

use crate::{GlobalId, Letter, Multiset, NetworkSystem, Thread};

/// The completed multisets of all complete runs with at most `requests`
/// requests. Those with exactly `k` requests are those of size `k`.
pub fn completed_multisets(system: &NetworkSystem, requests: usize, budget: &mut Budget) -> Result<BTreeSet<Multiset<Letter>>, Stopped> {
    bounded_multisets(system, requests, requests, budget)
}

/// The completed multisets of all complete *serial* runs with at most
/// `requests` requests: those with never more than one in flight.
pub fn serial_multisets(system: &NetworkSystem, requests: usize, budget: &mut Budget) -> Result<BTreeSet<Multiset<Letter>>, Stopped> {
    bounded_multisets(system, requests, 1, budget)
}

/// The completed multisets of all complete runs with at most `requests`
/// requests, of which at most `concurrent` are in flight at any time.
pub fn bounded_multisets(
    system: &NetworkSystem,
    requests: usize,
    concurrent: usize,
    budget: &mut Budget,
) -> Result<BTreeSet<Multiset<Letter>>, Stopped> {
    type Node = (GlobalId, Multiset<Thread>, Multiset<Letter>);
    let limit = |number: usize| u128::try_from(number).unwrap_or(u128::MAX);
    let (requests, concurrent) = (limit(requests), limit(concurrent));

    let initial: Node = (system.initial_global(), Multiset::new(), Multiset::new());
    let mut seen: FxHashSet<Node> = FxHashSet::default();
    seen.insert(initial.clone());
    let mut to_visit = vec![initial];
    let mut found = BTreeSet::new();
    while let Some((global, in_flight, completed)) = to_visit.pop() {
        budget.spend(1)?;
        let mut next: Vec<Node> = Vec::new();
        if in_flight.size() + completed.size() < requests && in_flight.size() < concurrent {
            for &(request, local) in system.starts() {
                next.push((global, in_flight.with(Thread { request, local }), completed.clone()));
            }
        }
        for (thread, _) in in_flight.iter() {
            let Some(others) = in_flight.without(thread) else { continue };
            for step in system.steps_from(thread.local, global) {
                let moved = Thread { request: thread.request, local: step.to_local };
                next.push((step.to_global, others.with(moved), completed.clone()));
            }
            for &(_, response) in system.answers_of(thread.local) {
                next.push((global, others.clone(), completed.with((thread.request, response))));
            }
        }
        if in_flight.is_empty() {
            found.insert(completed);
        }
        for node in next {
            if !seen.contains(&node) {
                seen.insert(node.clone());
                to_visit.push(node);
            }
        }
    }
    Ok(found)
}
