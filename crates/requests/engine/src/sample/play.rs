//! Runs that are being made, one act after the other.
//!
//! An *act* is what a request does in its turn: it makes a step, or none, and then perhaps answers. A request comes
//! with its first act, so that what never does anything is not there. Steps that change nothing are left out, and so
//! are those that lead where a request neither answers nor goes on. These are the rearrangements of `search`, which
//! change neither the answers nor whether there is a run.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_model::{Event, GlobalId, Letter, LocalId, Moves, RequestId, ResponseId, Run, SerialExplorer, SplitMix64, Step, ThreadId};

use super::membership::Membership;

/// Ticks for what follows a pair of states that has not been met before: mostly it has to be made.
const MADE_TICKS: u64 = 8;

/// What a request may do in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Where a step leads; none where the request answers as it is.
    pub(super) step: Option<(LocalId, GlobalId)>,
    /// What it answers afterwards, and is gone.
    pub(super) answer: Option<ResponseId>,
}

/// What a request has done in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Act {
    /// Its number in the run, from 0.
    pub(super) thread: u32,
    pub(super) request: RequestId,
    /// Where it was; its start, if this is its first act.
    pub(super) from: LocalId,
    pub(super) choice: Choice,
}

/// A request in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flying {
    pub(super) thread: u32,
    pub(super) request: RequestId,
    pub(super) local: LocalId,
}

/// A run that is being made.
#[derive(Clone, Debug)]
pub(super) struct Play {
    pub(super) global: GlobalId,
    /// In the order in which they came.
    pub(super) flight: Vec<Flying>,
    pub(super) acts: Vec<Act>,
    /// How many requests have come.
    pub(super) threads: u32,
    /// In the order in which they were given.
    pub(super) answers: Vec<Letter>,
}

/// Why a run is not made any further.
#[derive(Debug)]
pub(super) enum PlayEnd<S> {
    /// The budget said so.
    Stopped(Stopped),
    /// It is what was looked for.
    Found,
    /// The system cannot say how this request goes on.
    Fails(Failing<S>),
}

/// A request whose next step has no result.
#[derive(Debug)]
pub(super) struct Failing<S> {
    pub(super) request: RequestId,
    pub(super) local: LocalId,
    /// Its number, if it has done something before.
    pub(super) thread: Option<u32>,
    pub(super) stop: S,
}

impl<S> From<Stopped> for PlayEnd<S> {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl Play {
    /// Nothing has happened yet.
    pub(super) fn new(global: GlobalId) -> Self {
        Self { global, flight: Vec::new(), acts: Vec::new(), threads: 0, answers: Vec::new() }
    }

    /// Where a request is in the list of those in flight.
    pub(super) fn position(&self, thread: u32) -> Option<usize> {
        self.flight.iter().position(|flying| flying.thread == thread)
    }

    /// The events of this run.
    pub(super) fn run(&self, initial: GlobalId) -> Option<Run> {
        let mut run = Run::new(initial);
        let (mut global, mut threads): (GlobalId, FxHashMap<u32, ThreadId>) = (initial, FxHashMap::default());
        for act in &self.acts {
            let thread = match threads.get(&act.thread) {
                Some(&thread) => thread,
                None => {
                    let thread = run.next_thread()?;
                    run.push(Event::Spawn { thread, request: act.request, local: act.from }).ok()?;
                    threads.insert(act.thread, thread);
                    thread
                }
            };
            if let Some((to_local, to_global)) = act.choice.step {
                run.push(Event::Step { thread, step: Step { local: act.from, global, to_local, to_global } }).ok()?;
                global = to_global;
            }
            if let Some(response) = act.choice.answer {
                run.push(Event::Respond { thread, response }).ok()?;
            }
        }
        Some(run)
    }
}

/// The acts of a run.
pub(super) fn acts_of(run: &Run) -> Vec<Act> {
    let mut acts: Vec<Act> = Vec::new();
    // The number of each request, what it is, where it is, and whether it has done something.
    let mut threads: FxHashMap<ThreadId, (u32, RequestId, LocalId)> = FxHashMap::default();
    for event in run.events() {
        match *event {
            Event::Spawn { thread, request, local } => {
                let number = u32::try_from(threads.len()).unwrap_or(u32::MAX);
                threads.insert(thread, (number, request, local));
            }
            Event::Step { thread, step } => {
                let Some(place) = threads.get_mut(&thread) else { continue };
                let is_same = (step.local, step.global) == (step.to_local, step.to_global);
                if !is_same {
                    let choice = Choice { step: Some((step.to_local, step.to_global)), answer: None };
                    acts.push(Act { thread: place.0, request: place.1, from: place.2, choice });
                }
                place.2 = step.to_local;
            }
            Event::Respond { thread, response } => {
                let Some(&(number, request, from)) = threads.get(&thread) else { continue };
                match acts.last_mut().filter(|act| act.thread == number && act.choice.answer.is_none()) {
                    Some(act) => act.choice.answer = Some(response),
                    None => acts.push(Act { thread: number, request, from, choice: Choice { step: None, answer: Some(response) } }),
                }
            }
        }
    }
    acts
}

/// A system, what is known of its serial runs, and the dice.
pub(super) struct World<M> {
    pub(super) serial: SerialExplorer<M>,
    pub(super) random: SplitMix64,
    /// For each request name where it starts.
    starts: Vec<Vec<LocalId>>,
    successors: Vec<(LocalId, GlobalId)>,
    responses: Vec<ResponseId>,
    /// What a request can do in the pairs of states that have been met: from where to where in the list of all.
    known: FxHashMap<(LocalId, GlobalId), (usize, usize)>,
    choices: Vec<Choice>,
    /// Whether answers are serial that have been asked about all together, in the order of their numbers.
    pub(super) asked: FxHashMap<Vec<Letter>, Membership>,
}

impl<M: Moves> World<M> {
    pub(super) fn new(system: M, seed: u64) -> Self {
        let names = system.starts().iter().map(|(request, _)| request.index() + 1).max().unwrap_or(0);
        let mut starts = vec![Vec::new(); names];
        for &(request, local) in system.starts() {
            starts[request.index()].push(local);
        }
        let serial = SerialExplorer::new(system);
        let (successors, responses, known, choices) = Default::default();
        let (random, asked) = (SplitMix64::new(seed), FxHashMap::default());
        Self { serial, random, starts, successors, responses, known, choices, asked }
    }

    pub(super) fn initial_global(&self) -> GlobalId {
        self.serial.system().initial_global()
    }

    /// How many request names there are.
    pub(super) fn names(&self) -> usize {
        self.starts.len()
    }

    /// What a request can do.
    fn list(&mut self, local: LocalId, global: GlobalId) -> Result<std::ops::Range<usize>, M::Stop> {
        if let Some(&(from, to)) = self.known.get(&(local, global)) {
            return Ok(from..to);
        }
        let Self { serial, successors, responses, choices, known, .. } = self;
        let (system, from) = (serial.system_mut(), choices.len());
        successors.clear();
        system.successors(local, global, successors)?;
        responses.clear();
        system.responses(local, responses);
        choices.extend(responses.iter().map(|&response| Choice { step: None, answer: Some(response) }));
        for &next in successors.iter().filter(|&&next| next != (local, global)) {
            responses.clear();
            system.responses(next.0, responses);
            choices.extend(responses.iter().map(|&response| Choice { step: Some(next), answer: Some(response) }));
            if !system.is_final(next.0) {
                choices.push(Choice { step: Some(next), answer: None });
            }
        }
        known.insert((local, global), (from, choices.len()));
        Ok(from..choices.len())
    }

    /// A request in flight does something, the same as `wanted` if it can; `false` where it can do nothing.
    pub(super) fn act(
        &mut self,
        play: &mut Play,
        position: usize,
        wanted: Option<&Act>,
        budget: &mut Budget,
    ) -> Result<bool, PlayEnd<M::Stop>> {
        let Flying { thread, request, local } = play.flight[position];
        let Some(choice) = self.choose((request, local, Some(thread)), play.global, wanted, budget)? else { return Ok(false) };
        play.acts.push(Act { thread, request, from: local, choice });
        if let Some((to_local, to_global)) = choice.step {
            play.global = to_global;
            play.flight[position].local = to_local;
        }
        if let Some(response) = choice.answer {
            play.flight.remove(position);
            play.answers.push((request, response));
        }
        Ok(true)
    }

    /// A new request comes and does something; `false` where it can do nothing. Its number is `play.threads - 1` then.
    pub(super) fn come(
        &mut self,
        play: &mut Play,
        request: RequestId,
        wanted: Option<&Act>,
        budget: &mut Budget,
    ) -> Result<bool, PlayEnd<M::Stop>> {
        let starts = &self.starts[request.index()];
        let drawn = if starts.len() < 2 { starts.first().copied() } else { self.random.pick(starts) };
        // What is wanted may be a later act, whose request has not come yet.
        let known = wanted.map(|act| act.from).filter(|from| starts.contains(from));
        let Some(local) = known.or(drawn) else { return Ok(false) };
        let Some(choice) = self.choose((request, local, None), play.global, wanted, budget)? else { return Ok(false) };
        let thread = play.threads;
        play.threads += 1;
        play.acts.push(Act { thread, request, from: local, choice });
        let local = choice.step.map_or(local, |step| step.0);
        play.global = choice.step.map_or(play.global, |step| step.1);
        match choice.answer {
            Some(response) => play.answers.push((request, response)),
            None => play.flight.push(Flying { thread, request, local }),
        }
        Ok(true)
    }

    fn choose(
        &mut self,
        (request, local, thread): (RequestId, LocalId, Option<u32>),
        global: GlobalId,
        wanted: Option<&Act>,
        budget: &mut Budget,
    ) -> Result<Option<Choice>, PlayEnd<M::Stop>> {
        let known = self.known.len();
        let all = self.list(local, global).map_err(|stop| PlayEnd::Fails(Failing { request, local, thread, stop }))?;
        let made = (self.known.len() - known) as u64;
        budget.spend(1 + all.len() as u64 / 8 + made * MADE_TICKS)?;
        let choices = &self.choices[all];
        let Some(wanted) = wanted else {
            // Most have one choice, for which no number need be drawn.
            return Ok(if choices.len() < 2 { choices.first().copied() } else { self.random.pick(choices) });
        };
        let to = |choice: &Choice| choice.step.map(|step| step.0);
        let same = choices.iter().find(|&choice| *choice == wanted.choice);
        let like = || choices.iter().find(|choice| to(choice) == to(&wanted.choice) && choice.answer == wanted.choice.answer);
        let ends = || choices.iter().find(|choice| choice.answer.is_some() == wanted.choice.answer.is_some());
        Ok(same.or_else(like).or_else(ends).or(choices.first()).copied())
    }
}
