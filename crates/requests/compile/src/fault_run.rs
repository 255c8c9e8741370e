//! A run after which a step of a program fails, in the names of its states.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_model::{GlobalId, LocalId};
use serval_syntax::ExprKind;

use crate::explore::{Failing, Failure, SerialFault, Trail, fewer_at_once, fewest_requests, serial_fault};
use crate::machine::FaultKind;
use crate::prepared::Prepared;
use crate::space::Space;

/// Ticks for serial runs: configurations that are looked at.
const SERIAL_TICKS: u64 = 40_000;
/// Ticks for runs with two requests at a time, with three, and so on.
const FEWER_TICKS: u64 = 10_000;
/// Ticks for a run with the fewest requests.
const FEWEST_TICKS: u64 = 200_000;

/// A run after which a step fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRun {
    /// The component of the program that the run is of.
    pub component: usize,
    /// What happens, in order.
    pub events: Vec<FaultEvent>,
    /// The number of the request that fails then, from 1.
    pub id: u32,
    /// Its local state.
    pub local: String,
    /// The global state.
    pub global: String,
    /// What it takes.
    pub needs: Needs,
}

/// One event of such a run, with the number of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultEvent {
    /// A request of this name comes, in this local state.
    Spawn(u32, String, String),
    /// A step, from a local and a global state to others.
    Step(u32, (String, String), (String, String)),
    /// In this local state a request answers so.
    Respond(u32, String, String),
}

/// What it takes for a step to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// One request, which has neither parameters nor choices.
    Nothing,
    /// One request.
    OneRequest,
    /// Several requests, one at a time.
    OneAtATime,
    /// Requests that overlap: none of those that run one at a time fails.
    Overlap,
    /// Requests that overlap do it; whether others do is not known.
    Unknown,
}

impl Needs {
    /// A sentence for people, without a full stop.
    pub fn words(self) -> &'static str {
        match self {
            Self::Nothing => "one request alone fails here, without any input: this is a mistake in the program and no race",
            Self::OneRequest => "one request alone can do this, too: it depends on the input and takes no race",
            Self::OneAtATime => "requests that run one at a time can do this, too: it takes no race",
            Self::Overlap => "requests that run one at a time never do this: it takes requests that overlap, a race",
            Self::Unknown => "it is not known whether requests that run one at a time can do this, too",
        }
    }
}

impl FaultRun {
    /// How many requests come in all.
    pub fn requests(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, FaultEvent::Spawn(..))).count()
    }

    /// How many of them have come and not answered, at most.
    pub fn at_once(&self) -> usize {
        let (mut now, mut most) = (0_usize, 0);
        for event in &self.events {
            match event {
                FaultEvent::Spawn(..) => now += 1,
                FaultEvent::Respond(..) => now = now.saturating_sub(1),
                FaultEvent::Step(..) => {}
            }
            most = most.max(now);
        }
        most
    }

    /// Both for people, where there are several requests.
    pub(crate) fn size_note(&self) -> Option<String> {
        let (requests, at_once) = (self.requests(), self.at_once());
        (requests > 1).then(|| format!("this run has {} in all, and at most {at_once} at a time", counted(requests, "request")))
    }
}

impl Prepared {
    /// Looks whether a failure needs requests that overlap. If it does not, the run is replaced by one of requests that
    /// run one at a time.
    pub(crate) fn simplest(&self, space: &mut Space, failure: Failure, budget: &Budget) -> (Failure, Needs) {
        let failing = match failure {
            Failure::Fault { fault, trail, last: Some(last) } if fault.kind != FaultKind::TooLong => Failing { fault, trail, last },
            failure => return (failure, Needs::Unknown),
        };
        let (Failing { fault, trail, last }, needs) = match serial_fault(space, &mut budget.aside(SERIAL_TICKS)) {
            SerialFault::Never => (fewer_at_once(space, failing, FEWER_TICKS, budget), Needs::Overlap),
            SerialFault::Unknown => (fewer_at_once(space, failing, FEWER_TICKS, budget), Needs::Unknown),
            SerialFault::Found(found) => {
                let answered = found.trail.iter().any(|step| space.is_finished(space.moves[step.step].local));
                let needs = match (answered, self.has_input(space, found.last.0)) {
                    (true, _) => Needs::OneAtATime,
                    (false, true) => Needs::OneRequest,
                    (false, false) => Needs::Nothing,
                };
                (found, needs)
            }
        };
        // What an assertion is about is people's own claim, and the run is to be read: it has the fewest requests.
        let Failing { fault, trail, last } = match fault.kind {
            FaultKind::Assertion { .. } => fewest_requests(space, Failing { fault, trail, last }, FEWEST_TICKS, budget),
            _ => Failing { fault, trail, last },
        };
        (Failure::Fault { fault, trail, last: Some(last) }, needs)
    }

    /// Whether the request that is in this state has parameters or makes choices.
    fn has_input(&self, space: &Space, local: LocalId) -> bool {
        let owner = space.local(local).owner;
        let bodies = self.program().requests.iter().enumerate().filter(|(body, _)| self.owner(*body) == owner);
        bodies.into_iter().any(|(_, request)| {
            let mut choices = request.name.contains('(');
            request.body.visit(&mut |part| choices |= matches!(part.kind, ExprKind::Choice));
            choices
        })
    }

    /// The run of a failure in names.
    pub(crate) fn fault_run(&self, component: usize, space: &Space, trail: &Trail, last: (LocalId, GlobalId), needs: Needs) -> FaultRun {
        let names = self.request_names(&self.parts[component]);
        let local = |id: LocalId| self.local_name(space.local(id));
        let global = |id: GlobalId| self.global_name(&self.parts[component], space.global(id));
        let spawn = |id: u32, at: LocalId| {
            let start = space.starts().find(|(_, start)| *start == at);
            let name = start.and_then(|(request, _)| names.get_index(request.index())).copied().unwrap_or_default();
            FaultEvent::Spawn(id, name.to_owned(), local(at))
        };
        let mut events = Vec::new();
        // Where the requests in flight are.
        let mut flight: BTreeMap<u32, LocalId> = BTreeMap::new();
        for step in trail {
            let id = u32::try_from(step.thread + 1).unwrap_or(u32::MAX);
            if flight.insert(id, step.from).is_none() {
                events.push(spawn(id, step.from));
            }
            let to = space.moves[step.step];
            events.push(FaultEvent::Step(id, (local(step.from), global(step.from_global)), (local(to.local), global(to.global))));
            flight.insert(id, to.local);
            if let Some(answer) = space.answer(to.local) {
                events.push(FaultEvent::Respond(id, local(to.local), answer.to_string()));
                flight.remove(&id);
            }
        }
        let there = flight.iter().find(|(_, at)| **at == last.0).map(|(&id, _)| id);
        let id = there.unwrap_or_else(|| {
            let threads = trail.iter().map(|step| step.thread + 1).max().unwrap_or(0);
            let id = u32::try_from(threads + 1).unwrap_or(u32::MAX);
            events.push(spawn(id, last.0));
            id
        });
        FaultRun { component, events, id, local: local(last.0), global: global(last.1), needs }
    }
}
