//! A counterexample as people and machines see it: the run performed again on
//! the real program, with real values.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_model::{Named, RequestId, ResponseId, SerialExplorer};
use serval_proof::{Action, RunCertificate, RunEvent};
use serval_report::{Answered, Causes, Closest, Counterexample, Explanation, SerialOrder, StateName, StatesField, TraceEvent};

use serval_syntax::{ExprKind, Program, Variable};

use crate::causes::RunCauses;
use crate::input::{Content, Input};
use crate::never::never_serial;
use crate::simulator::{Numbers, ProgramSimulator, Simulator, SystemSimulator, find_action};
use crate::value_names::ValueNames;

/// Performs the run of a certificate.
pub(crate) fn counterexample(input: &Input, run: &RunCertificate, component: usize, minimal: bool) -> Counterexample {
    let events: Vec<TraceEvent> = run.steps.iter().map(|event| trace_event(event, component)).collect();
    let requests = answered(&events);
    match input.content() {
        Content::Systems(systems) => {
            let mut shown = perform(&mut SystemSimulator::new(systems), events, requests, component, minimal);
            if let Some(system) = systems.get(component) {
                say_serial(&mut shown, system, None);
            }
            shown
        }
        Content::Program(program) => {
            let prepared = input.prepare(program);
            let mut simulator = ProgramSimulator::new(prepared, input.text());
            let mut shown = perform(&mut simulator, events, requests, component, minimal);
            let names = simulator.names();
            name_answers(&mut shown);
            names.tell(program, &mut shown);
            let causes = RunCauses::new(simulator.performance(), prepared.source());
            let nearest = causes.as_ref().and_then(|causes| causes.nearest(input.text(), names));
            shown.explain(input.text(), &locks(program), causes.as_ref().map(|causes| causes as &dyn Causes), nearest);
            say_serial(&mut shown, prepared.lazy(component), Some(program));
            name_serial(&mut shown, program, names);
            shown
        }
    }
}

/// A run in words, a line for each event; it need not be complete.
pub(crate) fn story(input: &Input, run: &RunCertificate, component: usize) -> Vec<String> {
    performed(input, &run.steps, Vec::new(), component).story
}

/// The events of a run of these requests, performed; it need not be complete.
pub(crate) fn performed(input: &Input, events: &[RunEvent], requests: Vec<Answered>, component: usize) -> Counterexample {
    let events: Vec<TraceEvent> = events.iter().map(|event| trace_event(event, component)).collect();
    match input.content() {
        Content::Systems(systems) => perform(&mut SystemSimulator::new(systems), events, requests, component, false),
        Content::Program(program) => {
            let mut simulator = ProgramSimulator::new(input.prepare(program), input.text());
            let mut shown = perform(&mut simulator, events, requests, component, false);
            name_answers(&mut shown);
            simulator.names().tell(program, &mut shown);
            shown
        }
    }
}

/// Gives the answers the names that the run has for them.
fn name_answers(shown: &mut Counterexample) {
    for event in &shown.steps {
        if let TraceEvent::Respond { id: number, name, .. } = event {
            shown.requests.iter_mut().filter(|answered| answered.id == *number).for_each(|answered| answered.name.clone_from(name));
        }
    }
}

/// The same for what serial orders give.
fn name_serial(shown: &mut Counterexample, program: &Program, names: &ValueNames) {
    let body = |name: &str| program.requests.iter().position(|request| request.name == name);
    let bodies: Vec<Option<usize>> = shown.requests.iter().map(|answered| body(&answered.request)).collect();
    if let Some(Closest { order, request, wanted, given }) = &mut shown.explanation.closest {
        let named = |request: &str, answer: &mut String| {
            if let Some(name) = body(request).zip(answer.parse::<i64>().ok()).and_then(|(body, value)| names.answer(body, value)) {
                *answer = name;
            }
        };
        order.iter_mut().for_each(|(request, answer)| named(request, answer));
        given.iter_mut().chain([wanted]).for_each(|answer| named(request, answer));
    }
    for answers in shown.explanation.serial.iter_mut().flat_map(|order| &mut order.answers) {
        for (answer, body) in answers.iter_mut().zip(&bodies) {
            if let Some(name) = body.zip(answer.parse::<i64>().ok()).and_then(|(body, value)| names.answer(body, value)) {
                *answer = name;
            }
        }
    }
}

/// The variables that `unlock` releases.
fn locks(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for request in &program.requests {
        request.body.visit(&mut |part| {
            if let ExprKind::Assign { target: Variable::Global(global), unlock: true, .. } = &part.kind {
                found.insert(program.globals[global.index()].name.clone());
            }
        });
    }
    found
}

/// Of more requests than these there are too many orders to show.
const MOST_ORDERED: usize = 3;
/// A list of more ways to answer than these is not read.
const MOST_WAYS: usize = 6;
/// Ticks for running requests one at a time.
const SERIAL_TICKS: u64 = 1_000_000;

/// What serial orders give: each, or how many states there are.
fn say_serial<M: Named>(shown: &mut Counterexample, system: M, program: Option<&Program>) {
    let mut explorer = SerialExplorer::new(system);
    let never = never_serial(&mut explorer, &shown.requests, program, Budget::ticks(SERIAL_TICKS));
    shown.set_never(never);
    if shown.requests.len() <= MOST_ORDERED {
        shown.explanation.serial = serial_orders(&mut explorer, &shown.requests);
    }
    if shown.explanation.serial.is_empty()
        && let Some((states, closest)) = serial_states(&mut explorer, &shown.requests)
    {
        shown.explanation.serial_states = Some(states);
        shown.explanation.closest = closest;
    }
}

/// The states of serial runs that give some of these answers and no others, and
/// the order that gives most of them.
fn serial_states<M: Named>(explorer: &mut SerialExplorer<M>, requests: &[Answered]) -> Option<(usize, Option<Closest>)> {
    let mut wanted: Vec<(RequestId, &str, usize)> = Vec::new();
    for answered in requests {
        let id = request_named(explorer, &answered.request)?;
        match wanted.iter_mut().find(|(request, response, _)| *request == id && *response == answered.response) {
            Some((_, _, count)) => *count += 1,
            None => wanted.push((id, &answered.response, 1)),
        }
    }
    let mut budget = Budget::ticks(SERIAL_TICKS);
    let start = (explorer.system().initial_global(), vec![0; wanted.len()]);
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = vec![(start.0, start.1.clone(), Vec::new())];
    // The order that gives most answers: where it ends, how often each was given, and who came when.
    let mut best = (start.0, start.1, Vec::new());
    while let Some((global, given, order)) = open.pop() {
        if order.len() > best.2.len() {
            best = (global, given.clone(), order.clone());
        }
        for (index, &(request, response, count)) in wanted.iter().enumerate() {
            if given[index] == count {
                continue;
            }
            let results = explorer.alone(request, global, &mut budget).ok()?.to_vec();
            for (answer, after) in results {
                if explorer.system().response_name(answer) == response {
                    let mut given = given.clone();
                    given[index] += 1;
                    if seen.insert((after, given.clone())) {
                        let mut order = order.clone();
                        order.push(index);
                        open.push((after, given, order));
                    }
                }
            }
        }
    }
    let (global, given, order) = best;
    let next = wanted.iter().zip(&given).find(|((_, _, count), given)| *count > **given).map(|(next, _)| *next);
    let closest = next.and_then(|(request, response, _)| {
        let results = explorer.alone(request, global, &mut budget).ok()?.to_vec();
        let given: BTreeSet<String> = results.iter().map(|&(answer, _)| explorer.system().response_name(answer)).collect();
        let order = order.iter().map(|&index: &usize| {
            let (request, response, _) = wanted[index];
            (explorer.system().request_name(request), response.to_owned())
        });
        let order = order.collect();
        let request = explorer.system().request_name(request);
        Some(Closest { order, request, wanted: response.to_owned(), given: given.into_iter().collect() })
    });
    Some((seen.len(), closest))
}

fn request_named<M: Named>(explorer: &mut SerialExplorer<M>, name: &str) -> Option<RequestId> {
    let starts: Vec<RequestId> = explorer.system().starts().iter().map(|&(request, _)| request).collect();
    starts.into_iter().find(|&request| explorer.system().request_name(request) == name)
}

/// What each serial order gives; nothing where that is too much to show.
fn serial_orders<M: Named>(explorer: &mut SerialExplorer<M>, requests: &[Answered]) -> Vec<SerialOrder> {
    let ids = requests.iter().map(|answered| request_named(explorer, &answered.request)).collect::<Option<Vec<RequestId>>>();
    let Some(ids) = ids else { return Vec::new() };
    let mut budget = Budget::ticks(SERIAL_TICKS);
    let mut orders = Vec::new();
    for order in permutations(requests.len()) {
        // Where the answers so far lead to; in the order of the requests.
        let mut ways = BTreeSet::from([(explorer.system().initial_global(), vec![None; requests.len()])]);
        for &index in &order {
            let mut next = BTreeSet::new();
            for (global, answers) in ways {
                let Ok(results) = explorer.alone(ids[index], global, &mut budget) else { return Vec::new() };
                for &(response, after) in results {
                    let mut answers = answers.clone();
                    answers[index] = Some(response);
                    next.insert((after, answers));
                }
            }
            ways = next;
        }
        let given: BTreeSet<Vec<ResponseId>> = ways.into_iter().filter_map(|(_, answers)| answers.into_iter().collect()).collect();
        if given.len() > MOST_WAYS {
            return Vec::new();
        }
        let name = |answers: Vec<ResponseId>| answers.into_iter().map(|id| explorer.system().response_name(id)).collect();
        orders.push(SerialOrder {
            order: order.iter().map(|&index| requests[index].id).collect(),
            answers: given.into_iter().map(name).collect(),
        });
    }
    orders
}

/// All orders of `count` things, the given one first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let mut longer = Vec::new();
        for order in &all {
            for next in (0..count).filter(|next| !order.contains(next)) {
                longer.push(order.iter().copied().chain([next]).collect());
            }
        }
        all = longer;
    }
    all
}

fn trace_event(event: &RunEvent, component: usize) -> TraceEvent {
    let name = |states: &serval_proof::NamedStates| StateName { local: states.local.clone(), global: states.global.clone() };
    let id = event.id;
    match &event.action {
        Action::Spawn { request, local } => TraceEvent::Spawn { id, component, request: Some(request.clone()), local: local.clone() },
        Action::Step { from, to } => TraceEvent::Step { id, component, from: name(from), to: name(to), span: None, accesses: None },
        Action::Respond { local, response } => {
            TraceEvent::Respond { id, component, local: local.clone(), response: response.clone(), name: None }
        }
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
            TraceEvent::Respond { id, response, .. } => {
                Some(Answered { id: *id, request: spawned(*id)?, response: response.clone(), name: None })
            }
            _ => None,
        })
        .collect();
    answered.sort_by_key(|answered| answered.id);
    answered
}

fn perform(
    simulator: &mut dyn Simulator,
    events: Vec<TraceEvent>,
    requests: Vec<Answered>,
    component: usize,
    minimal: bool,
) -> Counterexample {
    let mut numbers = Numbers::default();
    let mut story = Vec::new();
    for event in &events {
        let actions = simulator.actions();
        // The checker has accepted the run, and the source can follow every
        // run of the compiled system; if it did not, names alone are shown.
        match numbers.arrival(event).and_then(|()| find_action(event, &actions, &numbers)) {
            Ok(found) => story.push(simulator.perform(found)),
            Err(_) => {
                let states = simulator.states().into();
                return told(requests, minimal, component, events, states, story);
            }
        }
    }
    told(requests, minimal, component, simulator.events().to_vec(), simulator.states().into(), story)
}

fn told(
    requests: Vec<Answered>,
    minimal: bool,
    component: usize,
    steps: Vec<TraceEvent>,
    states: StatesField,
    story: Vec<String>,
) -> Counterexample {
    let (enums, constants, spelled) = Default::default();
    Counterexample {
        requests,
        minimal,
        anomaly: None,
        never: Vec::new(),
        component,
        steps,
        states,
        enums,
        constants,
        spelled,
        precedence: Vec::new(),
        in_time: None,
        story,
        statements: Vec::new(),
        explanation: Explanation::default(),
    }
}
