//! Configurations and runs.
//!
//! A *configuration* is a triple: the global state, the requests in flight,
//! and the multiset of completed request/response pairs. A *run* starts with
//! nothing in flight and nothing completed, and goes on by three kinds of
//! events:
//!
//! ```text
//! spawn    (g, R, Z) → (g,  R + (request, l),  Z)                     (request, l) is a start
//! step     (g, R + (request, l), Z) → (g', R + (request, l'), Z)      (l, g) → (l', g') is a step
//! respond  (g, R + (request, l), Z) → (g,  R,  Z + (request/response)) l may give the response
//! ```
//!
//! A run is *complete* when nothing is in flight at its end. (Deciding
//! Serializability in Network Systems, section 2.3.) Here requests in flight
//! carry numbers, so that people can tell them apart; [`Configuration::places`]
//! forgets the numbers.
//!
//! ```
//! use serval_model::{Event, NetworkSystem, Run, Step, ThreadId, replay};
//! let system = NetworkSystem::from_json(
//!     r#"{"initial_global": "G0", "requests": [["Req", "L0"]],
//!         "responses": [["L1", "Resp"]], "transitions": [["L0", "G0", "L1", "G1"]]}"#,
//! ).unwrap();
//! let (request, response) = (system.request_named("Req").unwrap(), system.response_named("Resp").unwrap());
//! let (thread, step) = (ThreadId::FIRST, system.steps()[0]);
//! let events = [
//!     Event::Spawn { thread, request, local: step.local },
//!     Event::Step { thread, step },
//!     Event::Respond { thread, response },
//! ];
//! let end = replay(&system, &events).unwrap();
//! assert!(end.is_complete());
//! assert_eq!(end.completed.count(&(request, response)), 1);
//!
//! // The same step again: the request has answered and is gone.
//! let error = replay(&system, &[&events[..], &events[1..2]].concat()).unwrap_err();
//! assert_eq!(error.describe(&system), "event 4: request 1 has already answered");
//! ```

use std::collections::BTreeSet;

use crate::{Configuration, GlobalId, LocalId, Move, NetworkSystem, RequestId, ResponseId, Step, Thread, ThreadId};

/// One event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// A new request comes in.
    Spawn {
        /// The number it gets; no other request of the run has it.
        thread: ThreadId,
        /// Its name.
        request: RequestId,
        /// Where it starts.
        local: LocalId,
    },
    /// A request in flight makes a step.
    Step {
        /// Which one.
        thread: ThreadId,
        /// The step.
        step: Step,
    },
    /// A request in flight answers and is gone.
    Respond {
        /// Which one.
        thread: ThreadId,
        /// The response.
        response: ResponseId,
    },
}

impl Event {
    /// The request that the event is about.
    pub fn thread(&self) -> ThreadId {
        match *self {
            Self::Spawn { thread, .. } | Self::Step { thread, .. } | Self::Respond { thread, .. } => thread,
        }
    }
}

/// What is wrong with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An earlier request of the run has the same number.
    NumberUsed {
        /// The number.
        thread: ThreadId,
    },
    /// All numbers are used.
    NoNumberLeft,
    /// There is no request with this number.
    UnknownThread {
        /// The number.
        thread: ThreadId,
    },
    /// The request has answered before and can do nothing more.
    AlreadyAnswered {
        /// The request.
        thread: ThreadId,
    },
    /// The request is elsewhere.
    WrongLocal {
        /// The request.
        thread: ThreadId,
        /// Where it is.
        actual: LocalId,
        /// Where the event says it is.
        claimed: LocalId,
    },
    /// The global state is another one.
    WrongGlobal {
        /// The global state.
        actual: GlobalId,
        /// What the event says it is.
        claimed: GlobalId,
    },
    /// The request does not start there.
    NotAStart {
        /// The request name.
        request: RequestId,
        /// The local state.
        local: LocalId,
    },
    /// The system has no such step.
    NotAStep {
        /// The step.
        step: Step,
    },
    /// The local state does not give this response.
    NotAResponse {
        /// The local state.
        local: LocalId,
        /// The response.
        response: ResponseId,
    },
}

impl Fault {
    /// What is wrong, in the names of `system`. Ids that the system does not
    /// have are shown as numbers.
    pub fn describe(&self, system: &NetworkSystem) -> String {
        let shown = |name: Option<&str>, index: usize| name.map_or_else(|| format!("number {index}"), |name| format!("{name:?}"));
        let global = |id: GlobalId| shown((id.index() < system.global_count()).then(|| system.global_name(id)), id.index());
        let local = |id: LocalId| shown((id.index() < system.local_count()).then(|| system.local_name(id)), id.index());
        let request = |id: RequestId| shown((id.index() < system.request_count()).then(|| system.request_name(id)), id.index());
        let response = |id: ResponseId| shown((id.index() < system.response_count()).then(|| system.response_name(id)), id.index());
        match *self {
            Self::NumberUsed { thread } => format!("there was a request {thread} before"),
            Self::NoNumberLeft => "there are more requests than numbers".to_owned(),
            Self::UnknownThread { thread } => format!("there is no request {thread}"),
            Self::AlreadyAnswered { thread } => format!("request {thread} has already answered"),
            Self::WrongLocal { thread, actual, claimed } => {
                format!("request {thread} is in local state {}, not {}", local(actual), local(claimed))
            }
            Self::WrongGlobal { actual, claimed } => format!("the global state is {}, not {}", global(actual), global(claimed)),
            Self::NotAStart { request: id, local: at } => format!("request {} does not start in local state {}", request(id), local(at)),
            Self::NotAStep { step } => format!(
                "there is no step from local state {}, global state {} to local state {}, global state {}",
                local(step.local),
                global(step.global),
                local(step.to_local),
                global(step.to_global)
            ),
            Self::NotAResponse { local: at, response: id } => format!("local state {} does not give response {}", local(at), response(id)),
        }
    }
}

/// An event that does not fit, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The index of the event, from 0.
    pub event: usize,
    /// What is wrong with it.
    pub fault: Fault,
}

impl ReplayError {
    /// Which event, counted from 1, and what is wrong with it, in the names
    /// of `system`.
    pub fn describe(&self, system: &NetworkSystem) -> String {
        format!("event {}: {}", self.event.saturating_add(1), self.fault.describe(system))
    }
}

/// A run: events that hang together, and where they lead.
///
/// Invariant, checked by [`Run::check_invariants`]: every event fits the ones
/// before it. Numbers are not used twice, only requests in flight move, each
/// step begins in the local and the global state that the events before it
/// lead to, and [`Run::configuration`] is where they lead in the end. Whether
/// the events are those of a given system is for [`replay`] to say; a run
/// alone does not know its system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    initial_global: GlobalId,
    events: Vec<Event>,
    configuration: Configuration,
    /// The numbers of requests that have answered.
    answered: BTreeSet<ThreadId>,
}

impl Run {
    /// The run in which nothing has happened yet.
    pub fn new(initial_global: GlobalId) -> Self {
        Self { initial_global, events: Vec::new(), configuration: Configuration::initial(initial_global), answered: BTreeSet::new() }
    }

    /// The run with these events, where they hang together.
    pub fn from_events(initial_global: GlobalId, events: &[Event]) -> Result<Self, ReplayError> {
        let mut run = Self::new(initial_global);
        for (index, &event) in events.iter().enumerate() {
            run.push(event).map_err(|fault| ReplayError { event: index, fault })?;
        }
        Ok(run)
    }

    /// Where the run begins.
    pub fn initial_global(&self) -> GlobalId {
        self.initial_global
    }

    /// What happened.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Where the run stands now.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Whether nothing is in flight at the end.
    pub fn is_complete(&self) -> bool {
        self.configuration.is_complete()
    }

    /// The number that the next new request gets: one more than any so far.
    pub fn next_thread(&self) -> Option<ThreadId> {
        let in_flight = self.configuration.in_flight.last_key_value().map(|(&thread, _)| thread);
        match in_flight.max(self.answered.last().copied()) {
            None => Some(ThreadId::FIRST),
            Some(last) => last.next(),
        }
    }

    /// Adds an event, where it fits; otherwise changes nothing.
    pub fn push(&mut self, event: Event) -> Result<(), Fault> {
        match event {
            Event::Spawn { thread, request, local } => {
                if self.configuration.in_flight.contains_key(&thread) || self.answered.contains(&thread) {
                    return Err(Fault::NumberUsed { thread });
                }
                self.configuration.in_flight.insert(thread, Thread { request, local });
            }
            Event::Step { thread, step } => {
                let Thread { request, local } = self.thread(thread)?;
                if local != step.local {
                    return Err(Fault::WrongLocal { thread, actual: local, claimed: step.local });
                }
                if self.configuration.global != step.global {
                    return Err(Fault::WrongGlobal { actual: self.configuration.global, claimed: step.global });
                }
                self.configuration.in_flight.insert(thread, Thread { request, local: step.to_local });
                self.configuration.global = step.to_global;
            }
            Event::Respond { thread, response } => {
                let Thread { request, .. } = self.thread(thread)?;
                self.configuration.in_flight.remove(&thread);
                self.answered.insert(thread);
                self.configuration.completed.insert((request, response));
            }
        }
        self.events.push(event);
        Ok(())
    }

    /// Performs a move, giving a new request the next number, and returns the
    /// event that this adds.
    pub fn perform(&mut self, chosen: Move) -> Result<Event, Fault> {
        let event = match chosen {
            Move::Spawn { request, local } => {
                let thread = self.next_thread().ok_or(Fault::NoNumberLeft)?;
                Event::Spawn { thread, request, local }
            }
            Move::Step { thread, step } => Event::Step { thread, step },
            Move::Respond { thread, response } => Event::Respond { thread, response },
        };
        self.push(event)?;
        Ok(event)
    }

    /// Checks from scratch what the type promises.
    ///
    /// # Panics
    /// When a promise is broken.
    pub fn check_invariants(&self) {
        let again = Self::from_events(self.initial_global, &self.events);
        assert_eq!(again.as_ref(), Ok(self));
        self.configuration.completed.check_invariants();
        assert!(self.answered.iter().all(|thread| !self.configuration.in_flight.contains_key(thread)));
    }

    fn thread(&self, thread: ThreadId) -> Result<Thread, Fault> {
        match self.configuration.in_flight.get(&thread) {
            Some(&state) => Ok(state),
            None if self.answered.contains(&thread) => Err(Fault::AlreadyAnswered { thread }),
            None => Err(Fault::UnknownThread { thread }),
        }
    }
}

/// Runs the events on the system from its initial global state, and returns
/// where they lead.
///
/// This is the whole check that something is a run of the system: the events
/// hang together ([`Run::push`]) and each is one that the system has.
pub fn replay(system: &NetworkSystem, events: &[Event]) -> Result<Configuration, ReplayError> {
    let mut run = Run::new(system.initial_global());
    for (index, &event) in events.iter().enumerate() {
        replay_event(system, &mut run, event).map_err(|fault| ReplayError { event: index, fault })?;
    }
    Ok(run.configuration)
}

fn replay_event(system: &NetworkSystem, run: &mut Run, event: Event) -> Result<(), Fault> {
    // Where the request is before it answers; afterwards it is gone.
    let before = run.configuration.in_flight.get(&event.thread()).map(|thread| thread.local);
    run.push(event)?;
    // The tables are searched for the ids as they are, so that ids which the
    // system does not have are simply not found.
    match event {
        Event::Spawn { request, local, .. } => {
            system.starts().binary_search(&(request, local)).map_err(|_| Fault::NotAStart { request, local })?;
        }
        Event::Step { step, .. } => {
            system.steps().binary_search(&step).map_err(|_| Fault::NotAStep { step })?;
        }
        Event::Respond { thread, response } => {
            let local = before.ok_or(Fault::UnknownThread { thread })?;
            system.answers().binary_search(&(local, response)).map_err(|_| Fault::NotAResponse { local, response })?;
        }
    }
    Ok(())
}
