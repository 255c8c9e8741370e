//! Certificates of kind `run`: a complete run, and the proof that no serial
//! run has its answers.
//!
//! The statement and its proof are at the head of this crate. Here is one
//! function per event and per closing condition. The replay is the checker's
//! own: it asks the system what can happen, and finds by name what the
//! certificate says did.

mod format;

use std::collections::{BTreeMap, BTreeSet};

use serval_model::{Budget, Cancel, Event, GlobalId, Letter, LocalId, Multiset, Named, RequestId, ResponseId, Run, SerialExplorer, Thread};

use crate::conditions::{obtain, require};
use crate::shown::shown;
use crate::{Caps, Claim, Refusal};

pub(crate) use format::{read, write};

/// A run and its answers, in names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCertificate {
    /// What happens, in order.
    pub steps: Vec<RunEvent>,
    /// The answers, in any order.
    pub completed: Vec<Completed>,
}

/// One event of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// A request comes in.
    Spawn {
        /// The number it gets, from 1; no other request of the run has it.
        id: u32,
        /// Its name.
        request: String,
        /// Where it starts.
        local: String,
    },
    /// A request in flight makes a step.
    Step {
        /// Its number.
        id: u32,
        /// The states before.
        from: States,
        /// The states after.
        to: States,
    },
    /// A request in flight answers and is gone.
    Respond {
        /// Its number.
        id: u32,
        /// Where it is.
        local: String,
        /// The answer.
        response: String,
    },
}

/// A local and a global state by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    /// The local state of the request.
    pub local: String,
    /// The global state.
    pub global: String,
}

/// How often a request got a response.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completed {
    /// The request.
    pub request: String,
    /// Its response.
    pub response: String,
    /// How often, at least once.
    pub count: u64,
}

impl RunCertificate {
    /// A run of `system` in names. Whether it is one is not checked here.
    pub fn new<S: Named>(system: &S, run: &Run) -> Self {
        let mut sofar = Run::new(run.initial_global());
        let mut steps = Vec::new();
        for &event in run.events() {
            let id = event.thread().number();
            steps.push(match event {
                Event::Spawn { request, local, .. } => {
                    RunEvent::Spawn { id, request: system.request_name(request), local: system.local_name(local) }
                }
                Event::Step { step, .. } => RunEvent::Step {
                    id,
                    from: States { local: system.local_name(step.local), global: system.global_name(step.global) },
                    to: States { local: system.local_name(step.to_local), global: system.global_name(step.to_global) },
                },
                Event::Respond { thread, response } => {
                    // The events of a `Run` hang together, so the request is there.
                    let at = sofar.configuration().in_flight.get(&thread).map(|thread| thread.local);
                    let local = at.map_or_else(String::new, |local| system.local_name(local));
                    RunEvent::Respond { id, local, response: system.response_name(response) }
                }
            });
            // Cannot fail, for the same reason.
            let _ = sofar.push(event);
        }
        let completed = run.configuration().completed.iter();
        let mut completed: Vec<Completed> = completed
            .map(|(&(request, response), count)| Completed {
                request: system.request_name(request),
                response: system.response_name(response),
                count,
            })
            .collect();
        completed.sort_unstable();
        Self { steps, completed }
    }
}

/// The certificate claims what a run can show.
pub(crate) fn check_claim<Stop>(claim: Claim) -> Result<(), Refusal<Stop>> {
    require!(
        "run.claim",
        claim == Claim::NotSerializable,
        None,
        format!("claim {:?}", claim.name()),
        "a run can only show that an input is not serializable"
    );
    Ok(())
}

/// Checks that the run is one of `system`, that nothing is in flight at its
/// end, that its answers are those given, and that no serial run has them.
///
/// If so, `system` is not serializable.
pub fn check_run<S: Named>(system: S, certificate: &RunCertificate, caps: &Caps, cancel: &Cancel) -> Result<(), Refusal<S::Stop>> {
    caps.admit_events(certificate.steps.len())?;
    let mut replay = Replay::new(system, caps, cancel);
    for (index, event) in certificate.steps.iter().enumerate() {
        match event {
            RunEvent::Spawn { id, request, local } => replay.spawn(index, *id, request, local)?,
            RunEvent::Step { id, from, to } => replay.step(index, *id, from, to)?,
            RunEvent::Respond { id, local, response } => replay.respond(index, *id, local, response)?,
        }
    }
    replay.check_end()?;
    replay.check_completed(&certificate.completed)?;
    replay.check_not_serial(caps)
}

/// The run so far, in ids that the system gave out.
struct Replay<S> {
    system: S,
    global: GlobalId,
    in_flight: BTreeMap<u32, Thread>,
    /// All numbers so far.
    used: BTreeSet<u32>,
    completed: Multiset<Letter>,
    budget: Budget,
    ticks: u64,
}

impl<S: Named> Replay<S> {
    /// Nothing has happened yet.
    fn new(system: S, caps: &Caps, cancel: &Cancel) -> Self {
        Self {
            global: system.initial_global(),
            system,
            in_flight: BTreeMap::new(),
            used: BTreeSet::new(),
            completed: Multiset::new(),
            budget: Budget::new(caps.ticks, cancel.clone()),
            ticks: caps.ticks,
        }
    }

    /// A request comes in: it may start there, and its number is new.
    fn spawn(&mut self, event: usize, id: u32, request: &str, local: &str) -> Result<(), Refusal<S::Stop>> {
        let start = obtain!(
            "run.replay.spawn",
            self.find_start(request, local)?,
            Some(event),
            format!("request {id}"),
            "request {} does not start in local state {}",
            shown(request),
            shown(local)
        );
        require!("run.replay.fresh", !self.used.contains(&id), Some(event), format!("request {id}"), "there was a request {id} before");
        self.used.insert(id);
        self.in_flight.insert(id, start);
        Ok(())
    }

    /// A request in flight makes a step of the system, from where it is.
    fn step(&mut self, event: usize, id: u32, from: &States, to: &States) -> Result<(), Refusal<S::Stop>> {
        let thread = obtain!("run.replay.thread", self.thread(id), Some(event), format!("request {id}"), "it is not in flight");
        let (local, global) = (self.local_name(thread.local)?, self.global_name(self.global)?);
        require!(
            "run.replay.from.local",
            local == from.local,
            Some(event),
            format!("request {id}"),
            "it is in local state {}, not {}",
            shown(&local),
            shown(&from.local)
        );
        require!(
            "run.replay.from.global",
            global == from.global,
            Some(event),
            format!("request {id}"),
            "the global state is {}, not {}",
            shown(&global),
            shown(&from.global)
        );
        let (to_local, to_global) = obtain!(
            "run.replay.step",
            self.find_step(thread.local, to)?,
            Some(event),
            format!("request {id}"),
            "there is no step from local state {}, global state {} to local state {}, global state {}",
            shown(&local),
            shown(&global),
            shown(&to.local),
            shown(&to.global)
        );
        self.in_flight.insert(id, Thread { request: thread.request, local: to_local });
        self.global = to_global;
        Ok(())
    }

    /// A request in flight gives a response that it may give where it is.
    fn respond(&mut self, event: usize, id: u32, at: &str, response: &str) -> Result<(), Refusal<S::Stop>> {
        let thread = obtain!("run.replay.thread", self.thread(id), Some(event), format!("request {id}"), "it is not in flight");
        let local = self.local_name(thread.local)?;
        require!(
            "run.replay.respond.local",
            local == at,
            Some(event),
            format!("request {id}"),
            "it is in local state {}, not {}",
            shown(&local),
            shown(at)
        );
        let response = obtain!(
            "run.replay.response",
            self.find_response(thread.local, response)?,
            Some(event),
            format!("request {id}"),
            "local state {} does not give response {}",
            shown(&local),
            shown(response)
        );
        self.in_flight.remove(&id);
        self.completed.insert((thread.request, response));
        Ok(())
    }

    /// Nothing is in flight.
    fn check_end(&self) -> Result<(), Refusal<S::Stop>> {
        let first = self.in_flight.first_key_value().map_or(0, |(&id, _)| id);
        require!(
            "run.end",
            self.in_flight.is_empty(),
            None,
            format!("request {first}"),
            "it is still in flight at the end, one of {}",
            self.in_flight.len()
        );
        Ok(())
    }

    /// The answers are those that the certificate lists.
    fn check_completed(&mut self, claimed: &[Completed]) -> Result<(), Refusal<S::Stop>> {
        let mut actual: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (&(request, response), count) in self.completed.clone().iter() {
            actual.insert((self.request_name(request)?, self.response_name(response)?), count);
        }
        let wrong = first_difference(&actual, claimed);
        require!(
            "run.completed",
            wrong.is_none(),
            None,
            wrong.as_ref().map_or_else(String::new, |(letter, ..)| letter.clone()),
            "the run gives this answer {} times, not {}",
            wrong.as_ref().map_or(0, |&(_, actual, _)| actual),
            wrong.as_ref().map_or("0", |(.., claimed)| claimed)
        );
        Ok(())
    }

    /// No serial run has these answers.
    fn check_not_serial(mut self, caps: &Caps) -> Result<(), Refusal<S::Stop>> {
        caps.admit_requests(self.completed.size())?;
        caps.admit_submultisets(self.completed.iter().map(|(_, count)| count))?;
        let mut explorer = SerialExplorer::new(&mut self.system);
        let serial = explorer.contains(&self.completed, &mut self.budget).map_err(|halt| Refusal::halted(halt, self.ticks))?;
        require!(
            "run.serial",
            !serial,
            None,
            format!("{} requests", self.completed.size()),
            "one after the other they can give the same answers"
        );
        Ok(())
    }

    fn thread(&self, id: u32) -> Option<Thread> {
        self.in_flight.get(&id).copied()
    }

    /// A start with these names. There is at most one, as different things
    /// have different names; any one would be a start.
    fn find_start(&mut self, request: &str, local: &str) -> Result<Option<Thread>, Refusal<S::Stop>> {
        for index in 0.. {
            let Some(&(candidate, at)) = self.system.starts().get(index) else { break };
            if self.request_name(candidate)? == request && self.local_name(at)? == local {
                return Ok(Some(Thread { request: candidate, local: at }));
            }
        }
        Ok(None)
    }

    /// A step from `local` and the present global state to states with these
    /// names. There is at most one; any one would be a step.
    fn find_step(&mut self, local: LocalId, to: &States) -> Result<Option<(LocalId, GlobalId)>, Refusal<S::Stop>> {
        let mut successors = Vec::new();
        self.system.successors(local, self.global, &mut successors).map_err(Refusal::System)?;
        self.pay(successors.len())?;
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
        self.pay(responses.len())?;
        for response in responses {
            if self.response_name(response)? == name {
                return Ok(Some(response));
            }
        }
        Ok(None)
    }

    fn local_name(&mut self, id: LocalId) -> Result<String, Refusal<S::Stop>> {
        let name = self.system.local_name(id);
        self.paid(name)
    }

    fn global_name(&mut self, id: GlobalId) -> Result<String, Refusal<S::Stop>> {
        let name = self.system.global_name(id);
        self.paid(name)
    }

    fn request_name(&mut self, id: RequestId) -> Result<String, Refusal<S::Stop>> {
        let name = self.system.request_name(id);
        self.paid(name)
    }

    fn response_name(&mut self, id: ResponseId) -> Result<String, Refusal<S::Stop>> {
        let name = self.system.response_name(id);
        self.paid(name)
    }

    /// Counts the work of making a name: one tick, and one more per 64 bytes.
    fn paid(&mut self, name: String) -> Result<String, Refusal<S::Stop>> {
        self.pay(name.len() / 64 + 1)?;
        Ok(name)
    }

    fn pay(&mut self, ticks: usize) -> Result<(), Refusal<S::Stop>> {
        let ticks = u64::try_from(ticks).unwrap_or(u64::MAX);
        self.budget.spend(ticks).map_err(|stopped| Refusal::stopped(stopped, self.ticks))
    }
}

/// The first letter that is not there as often as claimed: how it is shown,
/// how often it is there, and how often it is claimed to be.
fn first_difference(actual: &BTreeMap<(String, String), u64>, claimed: &[Completed]) -> Option<(String, u64, String)> {
    let mut counts: BTreeMap<(&str, &str), (u64, u128)> = BTreeMap::new();
    for ((request, response), &count) in actual {
        counts.entry((request, response)).or_default().0 = count;
    }
    for Completed { request, response, count } in claimed {
        // Fewer than 2^64 entries of less than 2^64 each fit 128 bits.
        counts.entry((request, response)).or_default().1 += u128::from(*count);
    }
    let wrong = counts.into_iter().find(|&(_, (actual, claimed))| u128::from(actual) != claimed);
    wrong.map(|((request, response), (actual, claimed))| {
        (format!("request {} with response {}", shown(request), shown(response)), actual, claimed.to_string())
    })
}
