//! Choices of requests that cannot all answer, because one waits for more than the others do.
//!
//! **Rule.** Let `most(k)` be a number that no request of kind `k` exceeds in steps that change the global state, and
//! let `needs(k)` be the least weight of a path from a start of `k` with the initial global state to a local state that
//! answers, in the graph over pairs of a local and a global state whose edges are the steps of one request (weight 0)
//! and, at an unchanged local state, the changes of the global state that some step of any request makes (weight 1). If
//! `needs(k)` is larger than the sum of `most` over all chosen requests but one of kind `k`, then no complete run has
//! exactly the chosen requests.
//!
//! **Proof.** Take a complete run and a request of kind `k` in it. Leave out of the run what the others do without
//! changing the global state, and look at the pair of this request's local state and the global state: it begins with
//! the initial global state, before or when the request comes, and ends where the request answers. Its own steps are
//! edges of weight 0, what the others do to the global state are edges of weight 1, and of those there are at most
//! `most` of each. So the path has a weight of at least `needs(k)` and at most that sum. ∎
//!
//! Where everybody can answer alone from the beginning (`needs` is 0), nothing else is worked out.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId, NetworkSystem, RequestId};

/// A request that may change the global state so often counts as one that does so without end.
const MANY: u64 = 16;

/// Who waits for how many changes by others, as far as it is known.
#[derive(Debug, Default)]
pub struct Waits {
    /// For each kind of requests; empty where no request is known to wait.
    kinds: Vec<Kind>,
}

#[derive(Debug)]
struct Kind {
    /// The least number of changes by others before the answer; none if there never is one.
    needs: Option<u64>,
    /// The greatest number of changes that it makes; none if there is no end to them.
    most: Option<u64>,
}

impl Waits {
    /// Looks for requests that wait. Nothing is known where the budget does not suffice; a tick is a step that is
    /// looked at.
    pub fn of(system: &NetworkSystem, budget: &mut Budget) -> Result<Self, Stopped> {
        match Self::kinds(system, budget) {
            Ok(kinds) => Ok(Self { kinds }),
            Err(Stopped::OutOfTicks) => Ok(Self::default()),
            Err(Stopped::Cancelled) => Err(Stopped::Cancelled),
        }
    }

    fn kinds(system: &NetworkSystem, budget: &mut Budget) -> Result<Vec<Kind>, Stopped> {
        let mut all_alone = true;
        for request in system.requests() {
            all_alone = all_alone && needs(system, request, &[], budget)?.is_some();
        }
        if all_alone {
            return Ok(Vec::new());
        }
        let most = system.requests().map(|request| most(system, request, budget)).collect::<Result<Vec<_>, _>>()?;
        let changes = changes(system, budget)?;
        let kinds = system.requests().zip(most);
        kinds.map(|(request, most)| Ok(Kind { needs: needs(system, request, &changes, budget)?, most })).collect()
    }

    /// Whether these requests, given as a number of each kind, may all answer. If not, no run is complete with them.
    pub(super) fn may_all_answer(&self, requests: &[u32]) -> bool {
        let chosen = || self.kinds.iter().zip(requests).filter(|(_, count)| **count > 0);
        let sum = chosen().try_fold(0_u64, |sum, (kind, &count)| Some(sum.saturating_add(kind.most?.saturating_mul(count.into()))));
        chosen().all(|(kind, _)| match (kind.needs, sum) {
            (None, _) => false,
            (Some(_), None) => true,
            // Where the sum is known, so is each part of it.
            (Some(needs), Some(sum)) => needs <= sum - kind.most.unwrap_or(0),
        })
    }
}

/// From which global states to which others some step leads, sorted.
fn changes(system: &NetworkSystem, budget: &mut Budget) -> Result<Vec<(GlobalId, GlobalId)>, Stopped> {
    let mut changes: Vec<(GlobalId, GlobalId)> = Vec::new();
    for step in system.steps().iter().filter(|step| step.global != step.to_global) {
        budget.spend(1)?;
        changes.push((step.global, step.to_global));
    }
    changes.sort_unstable();
    changes.dedup();
    Ok(changes)
}

fn starts(system: &NetworkSystem, request: RequestId) -> impl Iterator<Item = LocalId> {
    system.starts().iter().filter(move |start| start.0 == request).map(|start| start.1)
}

/// How many of these changes by others a request needs to answer.
fn needs(
    system: &NetworkSystem,
    request: RequestId,
    changes: &[(GlobalId, GlobalId)],
    budget: &mut Budget,
) -> Result<Option<u64>, Stopped> {
    // Pairs in the order of their distances, which are never more than one apart.
    let mut queue: VecDeque<(LocalId, GlobalId, u64)> = starts(system, request).map(|local| (local, system.initial_global(), 0)).collect();
    let mut seen: FxHashSet<(LocalId, GlobalId)> = FxHashSet::default();
    while let Some((local, global, distance)) = queue.pop_front() {
        if !system.answers_of(local).is_empty() {
            return Ok(Some(distance));
        }
        if !seen.insert((local, global)) {
            continue;
        }
        budget.spend(1)?;
        for step in system.steps_from(local, global) {
            budget.spend(1)?;
            queue.push_front((step.to_local, step.to_global, distance));
        }
        let first = changes.partition_point(|change| change.0 < global);
        for &(_, to) in changes[first..].iter().take_while(|change| change.0 == global) {
            budget.spend(1)?;
            queue.push_back((local, to, distance + 1));
        }
    }
    Ok(None)
}

/// How often a request changes the global state at most, by paths over local states.
fn most(system: &NetworkSystem, request: RequestId, budget: &mut Budget) -> Result<Option<u64>, Stopped> {
    // The most changes on a path to each local state, as far as it is known: it grows at most `MANY` times.
    let mut until: FxHashMap<LocalId, u64> = starts(system, request).map(|local| (local, 0)).collect();
    let mut stack: Vec<LocalId> = starts(system, request).collect();
    while let Some(local) = stack.pop() {
        let before = until.get(&local).copied().unwrap_or(0);
        for step in system.steps_of(local) {
            budget.spend(1)?;
            let after = before + u64::from(step.global != step.to_global);
            if after >= MANY {
                return Ok(None);
            }
            let known = until.get(&step.to_local).copied();
            if known.is_none_or(|known| known < after) {
                until.insert(step.to_local, after);
                stack.push(step.to_local);
            }
        }
    }
    Ok(until.into_values().max())
}
