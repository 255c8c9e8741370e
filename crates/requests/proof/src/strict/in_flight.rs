//! Certificates of kind `in-flight`: all states of the monitor, where there are never more than `k` requests in flight.
//!
//! A proof has a script, a number `k` and a list of states of the [monitor](super::monitor) of the system that the
//! script leaves, with at most `k` requests in flight each (`in-flight.numbers`). A state is *covered* if the list has
//! one at the same global state and nodes whose readings are among its own. Let
//!
//! 1. the first state be covered (`in-flight.initial`);
//! 2. with each state of the list every state that follows be covered, first steps of new requests only where fewer
//!    than `k` are in flight (`in-flight.step`);
//! 3. no state of the list have nothing in flight and no readings (`in-flight.complete`);
//! 4. where a state of the list has `k` requests in flight, no new request be able to make its first step
//!    (`in-flight.closed`).
//!
//! **Theorem.** Then the system is strict.
//!
//! *Proof.* We show by induction that after each run of the reduced system the state of the monitor is covered by a
//! state of the list. At first it is (1). Let it be covered, and let something happen. If it is a step of a request in
//! flight, or of a new one with fewer than `k` in flight, the same can happen to the state of the list, as it has the
//! same global state and nodes; what follows there is covered (2), and what follows here has all its readings
//! (monotony). If it is the first step of a new request with `k` in flight, it could happen to the state of the list,
//! too, which cannot be (4). So a complete run ends with more readings than a state of the list with nothing in flight,
//! which has some (3). By the theorem of the monitor every complete run of the reduced system is strict, and then the
//! system is (lemmas 1 and 2 of [`super`]). ∎
//!
//! Without 4 the list says that it is strict while at most `k` requests are in flight, which is no verdict.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serval_evidence::{objects, require};
use serval_model::{Node, NormalForm};

use super::monitor::{Monitor, MonitorState};
use crate::script::{Entry, check_script};
use crate::{Checked, Work};

/// All states with at most some number of requests in flight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct InFlight {
    /// Reductions, before anything is said.
    pub script: Vec<Entry>,
    /// The most requests in flight.
    pub k: usize,
    /// States that cover all.
    pub states: Vec<MonitorState>,
}

objects!(InFlight);

/// More in flight than this makes lists that are too long anyway.
const MOST: usize = 8;

/// Checks that the list covers everything, and that nothing in it ends without an order.
///
/// If so, the system is strict.
pub(crate) fn check_in_flight(form: NormalForm, proof: &InFlight, work: &mut Work) -> Checked {
    let reduced = check_script(form, &proof.script, work)?;
    let form = reduced.form();
    let monitor = work.within(|budget| Monitor::new(form, budget))?;
    let mut listed: FxHashMap<(u32, &[Node]), Vec<&MonitorState>> = FxHashMap::default();
    let most = proof.k <= MOST;
    require!(InFlightNumbers, most, "more than {MOST} requests in flight");
    let mut usable = Vec::new();
    for (number, state) in proof.states.iter().enumerate() {
        work.spend(state.readings.len().saturating_mul(state.nodes.len() + 1) + 1)?;
        let means = means_something(form, proof.k, state);
        require!(InFlightNumbers, means, about(format!("state {number}")), "a number in it is of nothing, or it is not in order");
        if means {
            listed.entry((state.global, &state.nodes)).or_default().push(state);
            usable.push((number, state));
        }
    }
    let is_covered = |state: &MonitorState, work: &mut Work| {
        let there = listed.get(&(state.global, &state.nodes[..])).map_or(&[][..], Vec::as_slice);
        work.spend(there.iter().map(|one| one.readings.len() + 1).sum())?;
        Ok::<_, crate::Refusal<std::convert::Infallible>>(there.iter().any(|one| one.covers(state)))
    };
    let initial = is_covered(&monitor.initial(), work)?;
    require!(InFlightInitial, initial, about("the first state"), "no state of the list covers it");
    for (number, state) in usable {
        let object = || format!("state {number}");
        let full = state.nodes.len() >= proof.k;
        for happening in monitor.happenings(state, !full) {
            let (next, _) = work.within(|budget| monitor.after(state, happening, budget))?;
            let covered = is_covered(&next, work)?;
            let step = happening.step;
            require!(InFlightStep, covered, about(object()), "no state of the list covers what follows by {step:?}");
        }
        let ends = state.nodes.is_empty() && state.readings.is_empty();
        require!(InFlightComplete, !ends, about(object()), "nothing is in flight, and no order in time explains it");
        let open = full && monitor.may_come(state.global);
        require!(InFlightClosed, !open, about(object()), "one more request can make its first step");
    }
    Ok(())
}

/// Whether all numbers of a state are of something, and its readings are in order.
fn means_something(form: &NormalForm, k: usize, state: &MonitorState) -> bool {
    let is_node = |node: Node| (node as usize) < form.nodes().len();
    let is_reading = |(serial, taken): &(u32, Vec<Option<Node>>)| {
        *serial < form.global_count()
            && taken.len() == state.nodes.len()
            && taken.iter().flatten().all(|&done| is_node(done) && form.is_done(done))
    };
    state.global < form.global_count()
        && state.nodes.len() <= k.min(MOST)
        && state.nodes.iter().all(|&node| is_node(node) && !form.is_done(node))
        && state.readings.iter().all(is_reading)
        && state.readings.is_sorted_by(|a, b| a < b)
}
