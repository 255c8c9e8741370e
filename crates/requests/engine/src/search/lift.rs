//! A run of a reduced system, performed on the original.
//!
//! Every step of a reduced system stands for a path of the original by the
//! same request without interruption ([`serval_proof::script`]). So the original
//! can follow a run of the reduced system with the same requests taking turns
//! in the same order, each turn being any number of steps. Which steps is
//! found by trying: a state is how many turns are over, the global state and
//! where each request is. A reduction mostly keeps the names of the states in
//! which a turn ends, so a turn that has come to these ends before anything
//! else is tried; without that, runs of a dozen requests took longer to lift
//! than to find.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_model::{Event, GlobalId, LocalId, NetworkSystem, RequestId, ResponseId, Run, Step, ThreadId};

/// Where a request is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    ToCome,
    Local(LocalId),
    Gone,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct LiftState {
    turn: usize,
    global: GlobalId,
    places: Vec<At>,
}

#[derive(Clone, Copy)]
enum LiftAction {
    NextTurn,
    Spawn(LocalId),
    Step(Step),
    Respond,
}

/// A complete run of `original` in which requests take turns as in `reduced`,
/// a complete run of a reduction of it, and give the same answers.
pub fn lift(original: &NetworkSystem, reduced: &Run, budget: &mut Budget) -> Result<Option<Run>, Stopped> {
    let mut threads: Vec<(ThreadId, RequestId, Option<ResponseId>)> = Vec::new();
    let mut turns: Vec<usize> = Vec::new();
    // Where each turn ends in the reduced system.
    let mut ends: Vec<(GlobalId, LocalId)> = Vec::new();
    for event in reduced.events() {
        let position = threads.iter().position(|&(thread, ..)| thread == event.thread());
        match (*event, position) {
            (Event::Spawn { thread, request, .. }, _) => threads.push((thread, request, None)),
            (Event::Step { step, .. }, Some(at)) => {
                let end = (step.to_global, step.to_local);
                match ends.last_mut().filter(|_| turns.last() == Some(&at)) {
                    Some(last) => *last = end,
                    None => {
                        turns.push(at);
                        ends.push(end);
                    }
                }
            }
            (Event::Respond { response, .. }, Some(at)) => threads[at].2 = Some(response),
            (_, None) => return Ok(None),
        }
    }
    let initial = LiftState { turn: 0, global: original.initial_global(), places: vec![At::ToCome; threads.len()] };
    let mut seen: IndexMap<LiftState, Option<(usize, LiftAction)>, FxBuildHasher> = IndexMap::default();
    seen.insert(initial, None);
    // Depth first: mostly the first way that is tried works.
    let mut to_visit = vec![0];
    while let Some(position) = to_visit.pop() {
        let Some((state, _)) = seen.get_index(position) else { continue };
        budget.spend(1 + threads.len() as u64 / 8)?;
        let state = state.clone();
        let Some(&at) = turns.get(state.turn) else {
            return Ok(perform(original, &threads, &turns, &actions_to(&seen, position)));
        };
        let mut next: Vec<(LiftAction, LiftState)> = Vec::new();
        // A request without a further turn must be gone.
        let may_end = state.places[at] == At::Gone || turns[state.turn + 1..].contains(&at);
        let over = may_end.then(|| (LiftAction::NextTurn, LiftState { turn: state.turn + 1, ..state.clone() }));
        let (global, local) = ends[state.turn];
        let is_end = state.global == global && matches!(state.places[at], At::Local(here) if here == local) || state.places[at] == At::Gone;
        // What is pushed last is tried first.
        let (first, last) = if is_end { (over, None) } else { (None, over) };
        next.extend(last);
        let mut moved = |action: LiftAction, global: GlobalId, place: At| {
            let mut places = state.places.clone();
            places[at] = place;
            next.push((action, LiftState { turn: state.turn, global, places }));
        };
        match state.places[at] {
            At::ToCome => {
                for &(_, local) in original.starts().iter().filter(|start| start.0 == threads[at].1) {
                    moved(LiftAction::Spawn(local), state.global, At::Local(local));
                }
            }
            At::Local(local) => {
                for &step in original.steps_from(local, state.global) {
                    moved(LiftAction::Step(step), step.to_global, At::Local(step.to_local));
                }
                if original.answers_of(local).iter().any(|&(_, response)| Some(response) == threads[at].2) {
                    moved(LiftAction::Respond, state.global, At::Gone);
                }
            }
            At::Gone => {}
        }
        next.extend(first);
        for (action, state) in next {
            let entry = seen.entry(state);
            if let indexmap::map::Entry::Vacant(vacant) = entry {
                to_visit.push(vacant.index());
                vacant.insert(Some((position, action)));
            }
        }
    }
    Ok(None)
}

fn actions_to(seen: &IndexMap<LiftState, Option<(usize, LiftAction)>, FxBuildHasher>, mut position: usize) -> Vec<LiftAction> {
    let mut actions = Vec::new();
    while let Some((_, Some((before, action)))) = seen.get_index(position) {
        actions.push(*action);
        position = *before;
    }
    actions.reverse();
    actions
}

fn perform(
    original: &NetworkSystem,
    threads: &[(ThreadId, RequestId, Option<ResponseId>)],
    turns: &[usize],
    actions: &[LiftAction],
) -> Option<Run> {
    let mut run = Run::new(original.initial_global());
    let mut turn = 0;
    for action in actions {
        let (thread, request, response) = threads[*turns.get(turn)?];
        match *action {
            LiftAction::NextTurn => turn += 1,
            LiftAction::Spawn(local) => run.push(Event::Spawn { thread, request, local }).ok()?,
            LiftAction::Step(step) => run.push(Event::Step { thread, step }).ok()?,
            LiftAction::Respond => run.push(Event::Respond { thread, response: response? }).ok()?,
        }
    }
    run.is_complete().then_some(run)
}
