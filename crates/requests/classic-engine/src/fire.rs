//! Runs of nets: with given counts of transitions, or to a target with as few
//! requests as possible.

use std::collections::VecDeque;

use crate::Places;
use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_model::{Event, NetAction, NetworkSystem, Run, ThreadId};
use serval_petri::{Marking, Net, Target, TransitionId};

/// A sequence in which each transition occurs as often as the counts say, if one
/// is found before the ticks are used up.
pub(crate) fn with_counts(net: &Net, counts: &[i64], ticks: u64, budget: &mut Budget) -> Result<Option<Vec<TransitionId>>, Stopped> {
    let transitions: Vec<TransitionId> = net.transitions().collect();
    let mut left: Vec<i64> = counts.iter().copied().take(transitions.len()).collect();
    let mut marking = net.initial();
    let mut tried: FxHashSet<Vec<i64>> = FxHashSet::default();
    // For each transition that was fired, the marking before it and the next to try there.
    let mut path: Vec<(usize, Marking)> = Vec::new();
    let mut next = 0;
    let mut spent = 0;
    loop {
        if left.iter().all(|&count| count == 0) {
            return Ok(Some(path.iter().map(|&(transition, _)| transitions[transition]).collect()));
        }
        budget.spend(transitions.len() as u64)?;
        spent += transitions.len() as u64;
        if spent > ticks {
            return Ok(None);
        }
        let enabled = (next..transitions.len()).find(|&index| left[index] > 0 && net.is_enabled(&marking, transitions[index]));
        match enabled {
            Some(index) => {
                let before = marking.clone();
                // Enabled, so it fires; numbers of tokens stay small.
                if net.fire(&mut marking, transitions[index]).is_err() {
                    return Ok(None);
                }
                left[index] -= 1;
                path.push((index, before));
                // What was tried before leads nowhere.
                next = if tried.insert(left.clone()) { 0 } else { transitions.len() };
            }
            None => {
                let Some((index, before)) = path.pop() else { return Ok(None) };
                left[index] += 1;
                marking = before;
                next = index + 1;
            }
        }
    }
}

/// A sequence to a target with as few spawns as possible, if one is found before
/// the ticks are used up.
pub(crate) fn to_target(net: &Net, target: &Target, ticks: u64, budget: &mut Budget) -> Result<Option<Vec<TransitionId>>, Stopped> {
    let transitions: Vec<TransitionId> = net.transitions().collect();
    let cost = (net.place_count() + net.transition_count()) as u64 + 1;
    let mut from: FxHashMap<Marking, Option<(Marking, TransitionId)>> = FxHashMap::default();
    // Those with fewer spawns come first.
    let mut queue: VecDeque<Marking> = VecDeque::from([net.initial()]);
    from.insert(net.initial(), None);
    let mut spent = 0;
    let mut done: FxHashSet<Marking> = FxHashSet::default();
    while let Some(marking) = queue.pop_front() {
        if !done.insert(marking.clone()) {
            continue;
        }
        budget.spend(cost)?;
        spent += cost;
        if spent > ticks {
            return Ok(None);
        }
        if target.holds(&marking) {
            let mut sequence = Vec::new();
            let mut at = &marking;
            while let Some(Some((before, transition))) = from.get(at) {
                sequence.push(*transition);
                at = before;
            }
            sequence.reverse();
            return Ok(Some(sequence));
        }
        for &transition in &transitions {
            if !net.is_enabled(&marking, transition) {
                continue;
            }
            let mut after = marking.clone();
            if net.fire(&mut after, transition).is_err() || from.contains_key(&after) {
                continue;
            }
            from.insert(after.clone(), Some((marking.clone(), transition)));
            if net.inputs(transition).is_empty() {
                queue.push_back(after);
            } else {
                queue.push_front(after);
            }
        }
    }
    Ok(None)
}

/// The run of a system for a sequence of its net: the request at a place first
/// leaves it first.
pub(crate) fn run(system: &NetworkSystem, places: &Places, sequence: &[TransitionId]) -> Option<Run> {
    let mut run = Run::new(system.initial_global());
    let mut waiting: FxHashMap<(serval_model::RequestId, serval_model::LocalId), VecDeque<ThreadId>> = FxHashMap::default();
    let mut number = 0;
    for &transition in sequence {
        let event = match places.action(transition)? {
            NetAction::Spawn(request, local) => {
                number += 1;
                let thread = ThreadId::new(number)?;
                waiting.entry((request, local)).or_default().push_back(thread);
                Event::Spawn { thread, request, local }
            }
            NetAction::Step(request, position) => {
                let step = *system.steps().get(position)?;
                let thread = waiting.get_mut(&(request, step.local))?.pop_front()?;
                waiting.entry((request, step.to_local)).or_default().push_back(thread);
                Event::Step { thread, step }
            }
            NetAction::Respond(request, local, response) => {
                let thread = waiting.get_mut(&(request, local))?.pop_front()?;
                Event::Respond { thread, response }
            }
        };
        run.push(event).ok()?;
    }
    Some(run)
}
