//! A system with some of its requests only, written out.
//!
//! A run whose requests are of some kinds is a run of the system without the
//! other kinds, and a serial order of its answers is one without them, too. So
//! with `S|K` for the system without the requests outside of `K`: a multiset of
//! letters of `K` is one of `Int(S)` exactly if it is one of `Int(S|K)`, and so
//! for `Ser`. A counterexample of `S|K` is one of `S`, and every counterexample
//! of `S` is one of `S|K` for the kinds `K` of its requests.
//!
//! Of `S|K` the states are kept that requests of these kinds can reach, by an
//! over-approximation that pairs every local state with every global state.
//! What others could have changed is then constant, and steps that look at
//! nothing else are *silent*: a local state is silent if it gives no response
//! and its steps are, in every global state, one step to the same other local
//! state that leaves the global state as it is. A request can make such a step
//! as soon as it arrives, because no other request sees it and nothing changes what it
//! does; so a silent local state is contracted to the one that it leads to.

use std::ops::Range;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_model::{Event, GlobalId, LocalId, Moves, NetworkSystem, RequestId, ResponseId, Run, Step, SystemBuilder};

/// A system without most of its requests, and which state of the whole each of
/// its states is.
pub(super) struct Restriction {
    /// Its request ids are positions in `requests`, and so for the rest.
    pub(super) system: NetworkSystem,
    requests: Vec<RequestId>,
    locals: IndexSet<LocalId, FxBuildHasher>,
    globals: IndexSet<GlobalId, FxBuildHasher>,
    responses: IndexSet<ResponseId, FxBuildHasher>,
}

/// The states that requests of some kinds can reach, and perhaps more, and
/// their steps, by positions.
pub(super) struct Reached {
    pub(super) locals: IndexSet<LocalId, FxBuildHasher>,
    pub(super) globals: IndexSet<GlobalId, FxBuildHasher>,
    steps: Vec<(usize, usize, usize, usize)>,
}

impl Reached {
    /// The starts alone.
    pub(super) fn new<M: Moves>(system: &M, requests: &[RequestId]) -> Self {
        let starts = system.starts().iter().filter(|(request, _)| requests.contains(request));
        Self {
            locals: starts.map(|start| start.1).collect(),
            globals: std::iter::once(system.initial_global()).collect(),
            steps: Vec::new(),
        }
    }

    /// Everything that follows, as far as the budget goes. A tick is a pair of states.
    pub(super) fn grow<M: Moves>(&mut self, system: &mut M, budget: &mut Budget) -> Result<(), NotRestricted> {
        let Self { locals, globals, steps } = self;
        // All pairs of the first `rows` local and `columns` global states have been run.
        let (mut rows, mut columns) = (0, 0);
        let mut successors = Vec::new();
        loop {
            let pairs: (Range<usize>, Range<usize>) = if rows < locals.len() {
                rows += 1;
                (rows - 1..rows, 0..columns)
            } else if columns < globals.len() {
                columns += 1;
                (0..rows, columns - 1..columns)
            } else {
                return Ok(());
            };
            for row in pairs.0 {
                for column in pairs.1.clone() {
                    budget.spend(1)?;
                    let (Some(&local), Some(&global)) = (locals.get_index(row), globals.get_index(column)) else { continue };
                    successors.clear();
                    system.successors(local, global, &mut successors).map_err(|_| NotRestricted::TooLarge)?;
                    for &(to_local, to_global) in &successors {
                        steps.push((row, column, locals.insert_full(to_local).0, globals.insert_full(to_global).0));
                    }
                }
            }
        }
    }
}

/// Why there is no restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotRestricted {
    /// The budget ended, or a step has no result.
    TooLarge,
    /// The flag was raised.
    Cancelled,
}

impl From<Stopped> for NotRestricted {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::OutOfTicks => Self::TooLarge,
            Stopped::Cancelled => Self::Cancelled,
        }
    }
}

impl Restriction {
    /// The restriction of `system` to some requests. A tick is a pair of states.
    pub(super) fn new<M: Moves>(system: &mut M, requests: &[RequestId], budget: &mut Budget) -> Result<Self, NotRestricted> {
        let mut reached = Reached::new(system, requests);
        reached.grow(system, budget)?;
        let Reached { locals, globals, steps } = reached;
        let (mut responses, mut builder) = (IndexSet::default(), SystemBuilder::new());
        for position in 0..requests.len() {
            builder.request(&position.to_string());
        }
        for (request, local) in system.starts() {
            let position = requests.iter().position(|other| other == request);
            if let (Some(position), Some(local)) = (position, locals.get_index_of(local)) {
                builder.start(RequestId::from_index(position), LocalId::from_index(local));
            }
        }
        let mut answers = Vec::new();
        for (position, &local) in locals.iter().enumerate() {
            answers.clear();
            system.responses(local, &mut answers);
            for &response in &answers {
                let response = responses.insert_full(response).0;
                builder.answer(LocalId::from_index(position), ResponseId::from_index(response));
            }
        }
        let system = written(builder, [locals.len(), globals.len(), responses.len()], &steps);
        Ok(Self { system, requests: requests.to_vec(), locals, globals, responses })
    }

    /// A run of the restriction as one of the whole.
    pub(super) fn whole(&self, run: &Run) -> Option<Run> {
        let local = |id: LocalId| self.locals.get_index(id.index()).copied();
        let global = |id: GlobalId| self.globals.get_index(id.index()).copied();
        let mut whole = Run::new(global(run.initial_global())?);
        for &event in run.events() {
            let event = match event {
                Event::Spawn { thread, request, local: at } => {
                    Event::Spawn { thread, request: *self.requests.get(request.index())?, local: local(at)? }
                }
                Event::Step { thread, step } => {
                    let (to_local, to_global) = (local(step.to_local)?, global(step.to_global)?);
                    Event::Step { thread, step: Step { local: local(step.local)?, global: global(step.global)?, to_local, to_global } }
                }
                Event::Respond { thread, response } => Event::Respond { thread, response: *self.responses.get_index(response.index())? },
            };
            whole.push(event).ok()?;
        }
        Some(whole)
    }

    /// The restriction with its silent local states contracted, which has the
    /// same requests and responses, and its shape.
    pub(super) fn contracted(&self) -> (NetworkSystem, RestrictionShape) {
        let target = self.targets();
        let system = &self.system;
        let mut locals: IndexSet<LocalId, FxBuildHasher> = IndexSet::default();
        let mut starts: Vec<(RequestId, usize)> = Vec::new();
        for &(request, local) in system.starts() {
            starts.push((request, locals.insert_full(target[local.index()]).0));
        }
        let mut steps: Vec<(usize, usize, usize, usize)> = Vec::new();
        let mut position = 0;
        while let Some(&local) = locals.get_index(position) {
            for step in system.steps_of(local) {
                let to = locals.insert_full(target[step.to_local.index()]).0;
                steps.push((position, step.global.index(), to, step.to_global.index()));
            }
            position += 1;
        }
        let mut builder = SystemBuilder::new();
        for request in 0..self.requests.len() {
            builder.request(&request.to_string());
        }
        // In the shape responses are numbered as they are met, so that it does not
        // depend on what contracted states were reached through.
        let mut responses: IndexSet<ResponseId, FxBuildHasher> = IndexSet::default();
        let mut answers = Vec::new();
        for (position, &local) in locals.iter().enumerate() {
            for &(_, response) in system.answers_of(local) {
                builder.answer(LocalId::from_index(position), response);
                answers.push((position, responses.insert_full(response).0));
            }
        }
        for &(request, local) in &starts {
            builder.start(request, LocalId::from_index(local));
        }
        steps.sort_unstable();
        let contracted = written(builder, [locals.len(), self.globals.len(), self.responses.len()], &steps);
        (contracted, RestrictionShape { starts, steps, answers })
    }

    /// Where each local state leads silently; itself, if it is not silent.
    fn targets(&self) -> Vec<LocalId> {
        let system = &self.system;
        let silent: Vec<Option<LocalId>> = system
            .locals()
            .map(|local| {
                let steps = system.steps_of(local);
                let first = steps.first()?.to_local;
                let everywhere = steps.len() == system.global_count() && steps.windows(2).all(|two| two[0].global != two[1].global);
                let unseen = steps.iter().all(|step| step.to_local == first && step.to_global == step.global);
                (everywhere && unseen && first != local && system.answers_of(local).is_empty()).then_some(first)
            })
            .collect();
        let mut target: Vec<Option<LocalId>> = vec![None; silent.len()];
        for local in system.locals() {
            let (mut path, mut at): (IndexSet<LocalId, FxBuildHasher>, _) = (IndexSet::default(), local);
            let end = loop {
                if let Some(known) = target[at.index()] {
                    break known;
                }
                match silent[at.index()] {
                    // Silent steps in a circle never lead to an answer; one of the states stays.
                    Some(_) if path.contains(&at) => break at,
                    Some(next) => {
                        path.insert(at);
                        at = next;
                    }
                    None => break at,
                }
            };
            for passed in path.into_iter().chain([end]) {
                target[passed.index()] = Some(end);
            }
        }
        system.locals().map(|local| target[local.index()].unwrap_or(local)).collect()
    }
}

/// What a contracted restriction does, in numbers: two of the same shape have
/// the same runs up to the names of what occurs in them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RestrictionShape {
    starts: Vec<(RequestId, usize)>,
    steps: Vec<(usize, usize, usize, usize)>,
    answers: Vec<(usize, usize)>,
}

/// A system of given numbers of local states, global states and responses, whose names
/// are their numbers; the first global state is the initial one.
fn written(mut builder: SystemBuilder, [locals, globals, responses]: [usize; 3], steps: &[(usize, usize, usize, usize)]) -> NetworkSystem {
    for local in 0..locals {
        builder.local(&local.to_string());
    }
    for global in 0..globals {
        builder.global(&global.to_string());
    }
    for response in 0..responses {
        builder.response(&response.to_string());
    }
    for &(local, global, to_local, to_global) in steps {
        let (local, to_local) = (LocalId::from_index(local), LocalId::from_index(to_local));
        builder.step(local, GlobalId::from_index(global), to_local, GlobalId::from_index(to_global));
    }
    builder.finish(GlobalId::from_index(0))
}
