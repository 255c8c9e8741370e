//! A counterexample as people and machines see it: the run performed again on
//! the real program, with real values.

use serval_compile::{Options, Prepared};
use serval_proof::{Action, RunCertificate, RunEvent};
use serval_report::{Answered, Counterexample, StateName, TraceEvent};

use crate::input::{Content, Input};
use crate::stage::{Numbers, ProgramStage, Stage, SystemStage, find_action};

/// Performs the run of a certificate.
pub(super) fn counterexample(input: &Input, run: &RunCertificate, component: usize, minimal: bool) -> Counterexample {
    let events: Vec<TraceEvent> = run.steps.iter().map(|event| trace_event(event, component)).collect();
    let requests = answered(&events);
    match &input.content {
        Content::Systems(systems) => perform(&mut SystemStage::new(systems), events, requests, component, minimal),
        Content::Program(program) => {
            let prepared = Prepared::new(program, Options::default());
            perform(&mut ProgramStage::new(&prepared, &input.text), events, requests, component, minimal)
        }
    }
}

fn trace_event(event: &RunEvent, component: usize) -> TraceEvent {
    let name = |states: &serval_proof::States| StateName { local: states.local.clone(), global: states.global.clone() };
    let id = event.id;
    match &event.action {
        Action::Spawn { request, local } => TraceEvent::Spawn { id, component, request: Some(request.clone()), local: local.clone() },
        Action::Step { from, to } => TraceEvent::Step { id, component, from: name(from), to: name(to), span: None, accesses: None },
        Action::Respond { local, response } => TraceEvent::Respond { id, component, local: local.clone(), response: response.clone() },
    }
}

fn answered(events: &[TraceEvent]) -> Vec<Answered> {
    let spawned = |number: u32| {
        events.iter().find_map(|event| match event {
            TraceEvent::Spawn { id, request: Some(request), .. } if *id == number => Some(request.clone()),
            _ => None,
        })
    };
    let mut answered: Vec<Answered> = events
        .iter()
        .filter_map(|event| match event {
            TraceEvent::Respond { id, response, .. } => Some(Answered { id: *id, request: spawned(*id)?, response: response.clone() }),
            _ => None,
        })
        .collect();
    answered.sort_by_key(|answered| answered.id);
    answered
}

fn perform(stage: &mut dyn Stage, events: Vec<TraceEvent>, requests: Vec<Answered>, component: usize, minimal: bool) -> Counterexample {
    let mut numbers = Numbers::default();
    let mut story = Vec::new();
    for event in &events {
        let actions = stage.actions();
        // The checker has accepted the run, and the source can follow every
        // run of the compiled system; if it did not, names alone are shown.
        match numbers.arrival(event).and_then(|()| find_action(event, &actions, &numbers)) {
            Ok(found) => story.push(stage.perform(found)),
            Err(_) => {
                let states = stage.states().into();
                return Counterexample { requests, minimal, component, steps: events, states, story };
            }
        }
    }
    Counterexample { requests, minimal, component, steps: stage.events().to_vec(), states: stage.states().into(), story }
}
