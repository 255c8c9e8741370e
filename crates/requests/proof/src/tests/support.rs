//! Systems, runs found by trying everything, and an oracle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;

use serval_budget::{Budget, Cancel};
use serval_model::{Event, Letter, Move, Multiset, NetworkSystem, Run, Step, ThreadId, enabled_moves, replay, serial_multisets};

use crate::{
    Action, Body, Caps, Certificate, Claim, Condition, FormatError, Input, NamedStates, Part, Refusal, RunCertificate, RunEvent, check,
    fingerprint,
};

/// Enough for what is small: what would go on for ever is stopped, and seen.
pub(super) fn enough() -> Budget {
    Budget::ticks(2_000_000)
}

pub(super) type Answer = Result<(), Refusal<Infallible>>;

/// The condition that the answer names.
pub(super) fn condition(answer: &Answer) -> Condition {
    match answer {
        Err(Refusal::Invalid(rejection)) => *Condition::ALL.iter().find(|&&one| rejection.condition == one).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// What is said about a certificate with the first `from` replaced.
pub(super) fn misread(certificate: &Certificate, from: &str, to: &str) -> FormatError {
    let text = certificate.to_json();
    assert!(text.contains(from), "{from}\n{text}");
    match Certificate::from_json(&text.replacen(from, to, 1)) {
        Err(error) => error,
        Ok(_) => panic!("{from} → {to} is accepted"),
    }
}

/// A system, its text, and a certificate that is accepted for it.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) text: String,
    pub(super) system: NetworkSystem,
    /// The other components.
    pub(super) beside: Vec<NetworkSystem>,
    pub(super) certificate: Certificate,
}

impl Case {
    pub(super) fn new(system: NetworkSystem, run: RunCertificate) -> Self {
        Self::with(system, Claim::NotSerializable, Body::Run(run))
    }

    /// A proof that the system is serializable.
    pub(super) fn proved(system: NetworkSystem, part: Part) -> Self {
        Self::with(system, Claim::Serializable, Body::Part(part))
    }

    fn with(system: NetworkSystem, claim: Claim, body: Body) -> Self {
        let text = serval_model::systems_to_json(std::slice::from_ref(&system));
        let certificate = Certificate { input: fingerprint(&text), component: 0, claim, body };
        Self { text, system, beside: Vec::new(), certificate }
    }

    pub(super) fn run(&mut self) -> &mut RunCertificate {
        match &mut self.certificate.body {
            Body::Run(run) => run,
            other => panic!("{other:?}"),
        }
    }

    /// Within caps that are enough for what is small: what runs away ends soon.
    pub(super) fn check(&self) -> Answer {
        self.check_within(&Caps { ticks: 2_000_000, ..Caps::default() })
    }

    pub(super) fn check_within(&self, caps: &Caps) -> Answer {
        check(self, &self.certificate, caps, &Cancel::new())
    }
}

/// The text and its components, the first for whatever number there is none of:
/// the condition that there is such a component can be switched off.
impl Input for Case {
    type Stop = Infallible;
    type Lazy<'a> = &'a NetworkSystem;

    fn text(&self) -> &str {
        &self.text
    }

    fn components(&self) -> usize {
        1 + self.beside.len()
    }

    fn lazy(&self, component: usize) -> &NetworkSystem {
        component.checked_sub(1).and_then(|other| self.beside.get(other)).unwrap_or(&self.system)
    }

    fn whole(&self, _: &Cancel) -> Result<Vec<&NetworkSystem>, Refusal<Infallible>> {
        Ok(std::iter::once(&self.system).chain(&self.beside).collect())
    }
}

/// Reads a counter, and in a second step writes it back increased, modulo 2.
pub(super) fn counter() -> NetworkSystem {
    NetworkSystem::from_json(
        r#"{"initial_global": "0", "requests": [["inc", "start"]], "responses": [["done 0", "0"], ["done 1", "1"]],
            "transitions": [["start", "0", "read 0", "0"], ["start", "1", "read 1", "1"],
                ["read 0", "0", "done 0", "1"], ["read 0", "1", "done 0", "1"],
                ["read 1", "0", "done 1", "0"], ["read 1", "1", "done 1", "0"]]}"#,
    )
    .unwrap()
}

pub(super) fn spawn(id: u32) -> RunEvent {
    RunEvent { id, action: Action::Spawn { request: "inc".into(), local: "start".into() } }
}

pub(super) fn step(id: u32, from: (&str, &str), to: (&str, &str)) -> RunEvent {
    let states = |(local, global): (&str, &str)| NamedStates { local: local.into(), global: global.into() };
    RunEvent { id, action: Action::Step { from: states(from), to: states(to) } }
}

pub(super) fn respond(id: u32, local: &str, response: &str) -> RunEvent {
    RunEvent { id, action: Action::Respond { local: local.into(), response: response.into() } }
}

pub(super) fn answers(request: &str, response: &str, count: u64) -> crate::Completed {
    crate::Completed { request: request.into(), response: response.into(), count }
}

/// Both requests see 0.
pub(super) fn lost_update() -> Case {
    let steps = vec![
        spawn(1),
        step(1, ("start", "0"), ("read 0", "0")),
        spawn(2),
        step(2, ("start", "0"), ("read 0", "0")),
        step(1, ("read 0", "0"), ("done 0", "1")),
        respond(1, "done 0", "0"),
        step(2, ("read 0", "1"), ("done 0", "1")),
        respond(2, "done 0", "0"),
    ];
    Case::new(counter(), RunCertificate { steps, completed: vec![answers("inc", "0", 2)] })
}

/// A complete run that completes exactly `wanted`, by trying everything.
pub(super) fn find_run(system: &NetworkSystem, wanted: &Multiset<Letter>) -> Option<Run> {
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([Run::new(system.initial_global())]);
    while let Some(run) = queue.pop_front() {
        let now = run.configuration();
        if now.is_complete() && now.completed == *wanted {
            return Some(run);
        }
        let size = u128::try_from(now.in_flight.len()).unwrap() + now.completed.size();
        let Ok(moves) = enabled_moves(system, now);
        for chosen in moves {
            if matches!(chosen, Move::Spawn { .. }) && size >= wanted.size() {
                continue;
            }
            let mut next = run.clone();
            next.perform(chosen).unwrap();
            let then = next.configuration();
            if then.completed.is_subset(wanted) && seen.insert((then.global, then.places(), then.completed.clone())) {
                queue.push_back(next);
            }
        }
    }
    None
}

/// A run in names.
pub(super) fn in_names(system: &NetworkSystem, run: &Run) -> RunCertificate {
    let local = |id| system.local_name(id).to_owned();
    let states = |local_id, global| NamedStates { local: local(local_id), global: system.global_name(global).to_owned() };
    let mut at = BTreeMap::new();
    let steps = run.events().iter().map(|event| {
        let action = match *event {
            Event::Spawn { request, local: start, .. } => {
                at.insert(event.thread(), start);
                Action::Spawn { request: system.request_name(request).to_owned(), local: local(start) }
            }
            Event::Step { step, .. } => {
                at.insert(event.thread(), step.to_local);
                Action::Step { from: states(step.local, step.global), to: states(step.to_local, step.to_global) }
            }
            Event::Respond { thread, response } => {
                Action::Respond { local: local(at[&thread]), response: system.response_name(response).to_owned() }
            }
        };
        RunEvent { id: event.thread().number(), action }
    });
    let completed = run
        .configuration()
        .completed
        .iter()
        .map(|(&(request, response), count)| answers(system.request_name(request), system.response_name(response), count));
    RunCertificate { steps: steps.collect(), completed: completed.collect() }
}

/// Whether the certificate is right, by definitions: names looked up, replayed
/// by the model, compared with all serial runs of that size. Shares nothing
/// with the checker but the data.
pub(super) fn is_genuine(case: &Case) -> bool {
    let Certificate { input, component, claim, body: Body::Run(run) } = &case.certificate else { return false };
    if *input != fingerprint(&case.text) || *component != 0 || *claim != Claim::NotSerializable {
        return false;
    }
    replays(&case.system, run).unwrap_or(false)
}

fn replays(system: &NetworkSystem, run: &RunCertificate) -> Option<bool> {
    let mut events: Vec<Event> = Vec::new();
    for event in &run.steps {
        let thread = ThreadId::new(event.id)?;
        let event = match &event.action {
            Action::Spawn { request, local } => {
                Event::Spawn { thread, request: system.request_named(request)?, local: system.local_named(local)? }
            }
            Action::Step { from, to } => Event::Step {
                thread,
                step: Step {
                    local: system.local_named(&from.local)?,
                    global: system.global_named(&from.global)?,
                    to_local: system.local_named(&to.local)?,
                    to_global: system.global_named(&to.global)?,
                },
            },
            Action::Respond { local, response } => {
                let before = replay(system, &events).ok()?;
                if before.in_flight.get(&thread)?.local != system.local_named(local)? {
                    return None;
                }
                Event::Respond { thread, response: system.response_named(response)? }
            }
        };
        events.push(event);
    }
    let end = replay(system, &events).ok()?;
    let mut claimed = Multiset::new();
    for entry in &run.completed {
        claimed.insert_many((system.request_named(&entry.request)?, system.response_named(&entry.response)?), entry.count).ok()?;
    }
    let size = usize::try_from(end.completed.size()).ok()?;
    let serial = serial_multisets(system, size, &mut Budget::unlimited()).ok()?;
    Some(end.is_complete() && end.completed == claimed && !serial.contains(&end.completed))
}
