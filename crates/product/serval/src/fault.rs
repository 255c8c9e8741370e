//! A program that can fail: the run in the words of certificates, and as people
//! see it.

use serval_compile::{FaultEvent, FaultRun, Needs};
use serval_proof::{Action, Fails, Failure, FaultCertificate, NamedStates, RunEvent};
use serval_report::{Answered, FaultNote, notes};
use serval_syntax::Diagnostic;

use crate::counterexample::performed;
use crate::input::Input;

/// The run and the failure, for the checker.
pub(crate) fn certificate(run: &FaultRun, fault: Failure) -> FaultCertificate {
    let states = |(local, global): &(String, String)| NamedStates { local: local.clone(), global: global.clone() };
    let event = |event: &FaultEvent| match event {
        FaultEvent::Spawn(id, request, local) => {
            RunEvent { id: *id, action: Action::Spawn { request: request.clone(), local: local.clone() } }
        }
        FaultEvent::Step(id, from, to) => RunEvent { id: *id, action: Action::Step { from: states(from), to: states(to) } },
        FaultEvent::Respond(id, local, response) => {
            RunEvent { id: *id, action: Action::Respond { local: local.clone(), response: response.clone() } }
        }
    };
    let from = NamedStates { local: run.local.clone(), global: run.global.clone() };
    FaultCertificate { steps: run.events.iter().map(event).collect(), fails: Fails { id: run.id, from, fault } }
}

/// What the report says, with the run performed on the real program.
pub(crate) fn note(input: &Input, run: &FaultRun, events: &[RunEvent], diagnostic: &Diagnostic) -> FaultNote {
    let came = run.events.iter().filter_map(|event| match event {
        FaultEvent::Spawn(id, request, _) => Some((*id, request.clone())),
        _ => None,
    });
    let answer = |number: u32| {
        let mut answers = run.events.iter().filter_map(|event| match event {
            FaultEvent::Respond(id, _, response) if *id == number => Some(response.clone()),
            _ => None,
        });
        answers.next().unwrap_or_default()
    };
    let requests: Vec<Answered> = came.map(|(id, request)| Answered { id, request, response: answer(id), name: None }).collect();
    let request = requests.iter().find(|one| one.id == run.id).map_or_else(String::new, |one| one.request.clone());
    let span = notes(std::slice::from_ref(diagnostic), input.text()).first().map_or([1; 4], |note| note.span);
    FaultNote {
        code: diagnostic.code.to_string(),
        message: diagnostic.message.clone(),
        file: None,
        span,
        id: run.id,
        request,
        needs: match run.needs {
            Needs::Nothing | Needs::OneRequest => "one-request",
            Needs::OneAtATime => "one-at-a-time",
            Needs::Overlap => "overlap",
            Needs::Unknown => "unknown",
        },
        needs_words: run.needs.words(),
        at_once: run.at_once(),
        help: diagnostic.help.clone(),
        run: performed(input, events, requests, run.component),
    }
}
