//! Certificates of kind `run`: a complete run, and the proof that no serial
//! run has its answers.
//!
//! The statement and its proof are at the head of this crate. Here is one
//! function per event and per closing condition. The replay is the checker's
//! own: it asks the system what can happen, and finds by name what the
//! certificate says did.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serval_budget::Cancel;
use serval_diagnostic::counted;
use serval_evidence::{objects, obtain, require, shown};
use serval_model::{GlobalId, Letter, LocalId, Multiset, Named, ResponseId, SerialExplorer, Thread};

use crate::objects::positive;
use crate::strict::order::{Interval, is_in_order};
use crate::{Caps, Refusal, Work};

/// A run and its answers, in names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCertificate {
    /// What happens, in order.
    pub steps: Vec<RunEvent>,
    /// The answers, in any order.
    pub completed: Vec<Completed>,
}

/// One event of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEvent {
    /// The number of the request that does something, from 1.
    #[serde(deserialize_with = "positive")]
    pub id: u32,
    /// What it does.
    #[serde(flatten)]
    pub action: Action,
}

/// What a request does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Action {
    /// It comes in. No other request of the run has its number.
    Spawn {
        /// Its name.
        request: String,
        /// Where it starts.
        local: String,
    },
    /// In flight, it makes a step.
    Step {
        /// The states before.
        from: NamedStates,
        /// The states after.
        to: NamedStates,
    },
    /// In flight, it answers and is gone.
    Respond {
        /// Where it is.
        local: String,
        /// The answer.
        response: String,
    },
}

/// A local and a global state by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct NamedStates {
    /// The local state of the request.
    pub local: String,
    /// The global state.
    pub global: String,
}

/// How often a request got a response.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Completed {
    /// The request.
    pub request: String,
    /// Its response.
    pub response: String,
    /// How often, at least once.
    #[serde(deserialize_with = "positive")]
    pub count: u64,
}

objects!(NamedStates, Completed);

/// Checks that the run is one of `system`, that nothing is in flight at its
/// end, that its answers are those given, and that no serial run has them.
///
/// If so, `system` is not serializable.
pub fn check_run<S: Named>(system: S, certificate: &RunCertificate, caps: &Caps, cancel: &Cancel) -> Result<(), Refusal<S::Stop>> {
    caps.admit_events(certificate.steps.len())?;
    let mut replay = Replay::new(system, Work::new(caps, cancel));
    replay.events(&certificate.steps)?;
    replay.check_end()?;
    replay.check_completed(&certificate.completed)?;
    replay.check_not_serial(caps)
}

/// Checks that the run is one of `system`, that nothing is in flight at its end, that its answers are those given, and
/// that no serial run has its requests in an order that extends the one in time.
///
/// If so, `system` is not strict.
pub(crate) fn check_run_in_time<S: Named>(
    system: S,
    certificate: &RunCertificate,
    caps: &Caps,
    cancel: &Cancel,
) -> Result<(), Refusal<S::Stop>> {
    caps.admit_events(certificate.steps.len())?;
    let mut replay = Replay::new(system, Work::new(caps, cancel));
    replay.events(&certificate.steps)?;
    replay.check_end()?;
    replay.check_completed(&certificate.completed)?;
    replay.check_no_order(caps)
}

/// The run so far, in ids that the system gave out.
pub(crate) struct Replay<S> {
    pub(crate) system: S,
    pub(crate) global: GlobalId,
    pub(crate) in_flight: BTreeMap<u32, Thread>,
    /// All numbers so far.
    used: BTreeSet<u32>,
    completed: Multiset<Letter>,
    /// The number of the event.
    now: usize,
    /// When each request came.
    came: BTreeMap<u32, usize>,
    /// The requests that have answered.
    served: Vec<Interval>,
    work: Work,
}

impl<S: Named> Replay<S> {
    /// Nothing has happened yet.
    pub(crate) fn new(system: S, work: Work) -> Self {
        let global = system.initial_global();
        let (in_flight, used, completed) = (BTreeMap::new(), BTreeSet::new(), Multiset::new());
        Self { system, global, in_flight, used, completed, now: 0, came: BTreeMap::new(), served: Vec::new(), work }
    }

    /// One event after the other.
    pub(crate) fn events(&mut self, events: &[RunEvent]) -> Result<(), Refusal<S::Stop>> {
        for (index, event) in events.iter().enumerate() {
            self.now = index;
            let done = match &event.action {
                Action::Spawn { request, local } => self.spawn(event.id, request, local),
                Action::Step { from, to } => self.step(event.id, from, to),
                Action::Respond { local, response } => self.respond(event.id, local, response),
            };
            done.map_err(|refusal| refusal.about(Some(index), format!("request {}", event.id)))?;
        }
        Ok(())
    }

    /// A request comes in: it may start there, and its number is new.
    fn spawn(&mut self, id: u32, request: &str, local: &str) -> Result<(), Refusal<S::Stop>> {
        let start = self.find_start(request, local)?;
        let (request, local) = (shown(request), shown(local));
        let start = obtain!(RunReplaySpawn, start, "request {request} does not start in local state {local}");
        require!(RunReplayFresh, !self.used.contains(&id), "there was a request {id} before");
        self.used.insert(id);
        self.in_flight.insert(id, start);
        self.came.insert(id, self.now);
        Ok(())
    }

    /// A request in flight makes a step of the system, from where it is.
    fn step(&mut self, id: u32, from: &NamedStates, to: &NamedStates) -> Result<(), Refusal<S::Stop>> {
        let thread = obtain!(RunReplayThread, self.in_flight.get(&id).copied(), "it is not in flight");
        let now = NamedStates { local: self.local_name(thread.local)?, global: self.global_name(self.global)? };
        let [now_local, now_global] = [shown(&now.local), shown(&now.global)];
        require!(RunReplayFromLocal, now.local == from.local, "it is in local state {now_local}, not {}", shown(&from.local));
        require!(RunReplayFromGlobal, now.global == from.global, "the global state is {now_global}, not {}", shown(&from.global));
        let [to_local, to_global] = [shown(&to.local), shown(&to.global)];
        let (local, global) = obtain!(
            RunReplayStep,
            self.find_step(thread.local, to)?,
            "there is no step from local state {now_local}, global state {now_global} to local state {to_local}, global state {to_global}"
        );
        self.in_flight.insert(id, Thread { request: thread.request, local });
        self.global = global;
        Ok(())
    }

    /// A request in flight gives a response that it may give where it is.
    fn respond(&mut self, id: u32, at: &str, response: &str) -> Result<(), Refusal<S::Stop>> {
        let thread = obtain!(RunReplayThread, self.in_flight.get(&id).copied(), "it is not in flight");
        let local = self.local_name(thread.local)?;
        require!(RunReplayRespondLocal, local == at, "it is in local state {}, not {}", shown(&local), shown(at));
        let found = self.find_response(thread.local, response)?;
        let (local, response) = (shown(&local), shown(response));
        let response = obtain!(RunReplayResponse, found, "local state {local} does not give response {response}");
        self.in_flight.remove(&id);
        let letter = (thread.request, response);
        self.completed.insert(letter);
        // A request in flight has come.
        let came = self.came.get(&id).copied().unwrap_or(self.now);
        self.served.push(Interval { letter, came, answered: self.now });
        Ok(())
    }

    /// Nothing is in flight.
    fn check_end(&self) -> Result<(), Refusal<S::Stop>> {
        let (count, first) = (self.in_flight.len(), self.in_flight.first_key_value().map_or(0, |(&id, _)| id));
        require!(RunEnd, count == 0, about(format!("request {first}")), "it is still in flight at the end, one of {count}");
        Ok(())
    }

    /// The answers are those that the certificate lists.
    fn check_completed(&mut self, claimed: &[Completed]) -> Result<(), Refusal<S::Stop>> {
        // For each answer, by name, how often it is given and how often it is listed. Fewer
        // than 2^64 numbers of less than 2^64 each fit 128 bits.
        let mut counts: BTreeMap<(String, String), (u128, u128)> = BTreeMap::new();
        for (&(request, response), count) in self.completed.clone().iter() {
            let answer = (self.name(|system| system.request_name(request))?, self.name(|system| system.response_name(response))?);
            counts.entry(answer).or_default().0 += u128::from(count);
        }
        for Completed { request, response, count } in claimed {
            counts.entry((request.clone(), response.clone())).or_default().1 += u128::from(*count);
        }
        for ((request, response), (given, listed)) in counts {
            let object = || format!("request {} with response {}", shown(&request), shown(&response));
            require!(RunCompleted, given == listed, about(object()), "the run gives this answer {given} times, not {listed}");
        }
        Ok(())
    }

    /// No serial run has these answers.
    fn check_not_serial(mut self, caps: &Caps) -> Result<(), Refusal<S::Stop>> {
        caps.admit_answers(&self.completed)?;
        let mut explorer = SerialExplorer::new(&mut self.system);
        let serial = self.work.within(|budget| explorer.contains(&self.completed, budget))?;
        let requests = self.completed.size();
        require!(RunSerial, !serial, about(counted(requests, "request")), "one after the other they can give the same answers");
        Ok(())
    }

    /// No serial run has these requests in an order that extends the one in time.
    fn check_no_order(mut self, caps: &Caps) -> Result<(), Refusal<S::Stop>> {
        caps.admit_answers(&self.completed)?;
        let mut explorer = SerialExplorer::new(&mut self.system);
        let in_order = is_in_order(&mut explorer, &self.served, caps, &mut self.work)?;
        let requests = self.completed.size();
        require!(
            RunOrder,
            !in_order,
            about(counted(requests, "request")),
            "one after the other, in an order that agrees with the one in time, they can give the same answers"
        );
        Ok(())
    }

    /// A start with these names. There is at most one, as different things
    /// have different names; any one would be a start.
    fn find_start(&mut self, request: &str, local: &str) -> Result<Option<Thread>, Refusal<S::Stop>> {
        for index in 0.. {
            let Some(&(candidate, at)) = self.system.starts().get(index) else { break };
            if self.name(|system| system.request_name(candidate))? == request && self.local_name(at)? == local {
                return Ok(Some(Thread { request: candidate, local: at }));
            }
        }
        Ok(None)
    }

    /// A step from `local` and the present global state to states with these
    /// names. There is at most one; any one would be a step.
    fn find_step(&mut self, local: LocalId, to: &NamedStates) -> Result<Option<(LocalId, GlobalId)>, Refusal<S::Stop>> {
        let mut successors = Vec::new();
        self.system.successors(local, self.global, &mut successors).map_err(Refusal::System)?;
        self.work.spend(successors.len())?;
        for (to_local, to_global) in successors {
            if self.local_name(to_local)? == to.local && self.global_name(to_global)? == to.global {
                return Ok(Some((to_local, to_global)));
            }
        }
        Ok(None)
    }

    /// A response of `local` with this name. There is at most one; any one
    /// would be a response.
    fn find_response(&mut self, local: LocalId, name: &str) -> Result<Option<ResponseId>, Refusal<S::Stop>> {
        let mut responses = Vec::new();
        self.system.responses(local, &mut responses);
        self.work.spend(responses.len())?;
        for response in responses {
            if self.name(|system| system.response_name(response))? == name {
                return Ok(Some(response));
            }
        }
        Ok(None)
    }

    pub(crate) fn local_name(&mut self, id: LocalId) -> Result<String, Refusal<S::Stop>> {
        self.name(|system| system.local_name(id))
    }

    pub(crate) fn global_name(&mut self, id: GlobalId) -> Result<String, Refusal<S::Stop>> {
        self.name(|system| system.global_name(id))
    }

    /// Makes a name: one tick, and one more per 64 bytes.
    fn name(&mut self, of: impl FnOnce(&S) -> String) -> Result<String, Refusal<S::Stop>> {
        let name = of(&self.system);
        self.work.spend(name.len() / 64 + 1)?;
        Ok(name)
    }
}
