//! Shorter runs to a failure: requests are left out as long as a step still fails.

use std::collections::BTreeMap;

use serval_budget::{Budget, Stopped};
use serval_model::LocalId;

use super::bounded::{Failing, starts};
use super::trail::{Trail, TrailStep};
use crate::space::Space;

/// A step of a run, by who makes it and which of its ways it goes, so that it can be made after other steps, too.
#[derive(Clone, Copy)]
struct Play {
    thread: usize,
    /// Where the request is when it makes this step in the run that is known.
    from: LocalId,
    way: usize,
}

/// The run with requests left out, half of them at first and in the end one by one. There are never more at a time than
/// before.
pub(crate) fn shortened(space: &mut Space, failing: Failing, budget: &mut Budget) -> Failing {
    let mut best = failing;
    let mut chunk = threads(&best.trail).div_ceil(2);
    while chunk > 0 {
        let (mut first, mut changed) = (0, false);
        while first < threads(&best.trail) {
            match without(space, &best, first..first + chunk, budget) {
                // The run is at hand, and evidence as it is.
                Err(_) => return best,
                Ok(Some(shorter)) => (best, changed) = (shorter, true),
                Ok(None) => first += chunk,
            }
        }
        if chunk > 1 || !changed {
            chunk /= 2;
        }
    }
    best
}

/// How many requests make steps.
fn threads(trail: &Trail) -> usize {
    trail.iter().map(|step| step.thread + 1).max().unwrap_or(0)
}

/// How many requests there are in all, together with the one that fails.
pub(super) fn requests(space: &Space, failing: &Failing) -> usize {
    let ends: BTreeMap<usize, LocalId> = failing.trail.iter().map(|step| (step.thread, space.moves[step.step].local)).collect();
    threads(&failing.trail) + usize::from(!ends.values().any(|&local| local == failing.last.0))
}

/// How many requests are in flight at a time, at most, together with the one that fails.
pub(super) fn at_once(space: &Space, failing: &Failing) -> usize {
    let mut flight: BTreeMap<usize, LocalId> = BTreeMap::new();
    let mut most = 0;
    for step in &failing.trail {
        let to = space.moves[step.step].local;
        flight.insert(step.thread, to);
        most = most.max(flight.len());
        if space.is_finished(to) {
            flight.remove(&step.thread);
        }
    }
    let is_there = flight.values().any(|&local| local == failing.last.0);
    most.max(flight.len() + usize::from(!is_there))
}

/// The run without some requests, up to the first step that fails, if one does and fewer requests take part.
fn without(
    space: &mut Space,
    failing: &Failing,
    left_out: std::ops::Range<usize>,
    budget: &mut Budget,
) -> Result<Option<Failing>, Stopped> {
    let mut plays = Vec::new();
    for step in failing.trail.iter().filter(|step| !left_out.contains(&step.thread)) {
        let way = step.step - space.moves(step.from, step.from_global).start;
        plays.push(Play { thread: step.thread, from: step.from, way });
    }
    let Some(shorter) = played(space, &plays, budget)? else { return Ok(None) };
    let is_shorter = threads(&shorter.trail) < threads(&failing.trail) && at_once(space, &shorter) <= at_once(space, failing);
    Ok(is_shorter.then_some(shorter))
}

/// Makes steps as far as they can be made, up to the first that fails.
fn played(space: &mut Space, plays: &[Play], budget: &mut Budget) -> Result<Option<Failing>, Stopped> {
    let initial = starts(space);
    let mut global = space.initial_global();
    let mut trail: Trail = Vec::new();
    // Where each request is that has begun, by its number in the run that is known, and its number in this one.
    let mut at: BTreeMap<usize, (LocalId, usize)> = BTreeMap::new();
    for play in plays.iter().map(Some).chain([None]) {
        budget.spend(1 + (initial.len() + at.len()) as u64 / 16 + space.take_cost())?;
        let flight = at.values().map(|&(local, _)| local).filter(|&local| !space.is_finished(local));
        let sources: Vec<LocalId> = flight.chain(initial.iter().copied()).collect();
        for local in sources {
            space.moves(local, global);
            if let Some(fault) = space.failure(local, global) {
                return Ok(Some(Failing { fault, trail, last: (local, global) }));
            }
        }
        let Some(play) = play else { break };
        let number = at.len();
        let known = at.get(&play.thread).copied();
        let (from, thread) = known.unwrap_or((play.from, number));
        if space.is_finished(from) {
            continue;
        }
        let moves = space.moves(from, global);
        let Some(step) = moves.clone().nth(play.way).or_else(|| moves.last()) else { continue };
        let to = space.moves[step];
        trail.push(TrailStep { thread, from, from_global: global, step });
        at.insert(play.thread, (to.local, thread));
        global = to.global;
    }
    Ok(None)
}
