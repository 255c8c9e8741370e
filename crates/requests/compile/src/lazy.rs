//! Components whose states are made when they are needed.
//!
//! A search with few requests needs few states, and works on programs with
//! infinitely many. States have the same names as in a full compilation; only
//! their numbers depend on the order in which they are met.

use serval_budget::Budget;
use serval_model::{Event, GlobalId, LocalId, Moves, Named, RequestId, ResponseId, Run, ThreadId};

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::error::CompileError;
use crate::explore::{Failing, Failure, Trail, TrailStep, shortened};
use crate::machine::Fault;
use crate::prepared::Prepared;
use crate::space::Space;

/// One component of a program, explored on demand.
pub struct Lazy<'a> {
    prepared: &'a Prepared,
    part: usize,
    space: Space,
    requests: Vec<String>,
    starts: Vec<(RequestId, LocalId)>,
    /// Answers met so far; a response is a position.
    answers: IndexSet<i64, FxBuildHasher>,
}

impl Prepared {
    /// A component that is explored on demand.
    ///
    /// # Panics
    /// When there is no such component.
    pub fn lazy(&self, component: usize) -> Lazy<'_> {
        let requests = self.request_names(&self.parts[component]).into_iter().map(str::to_owned).collect();
        let space = self.space(component);
        let mut starts: Vec<(RequestId, LocalId)> = space.starts().copied().collect();
        starts.sort_unstable();
        Lazy { prepared: self, part: component, space, requests, starts, answers: IndexSet::default() }
    }
}

/// Ticks to make a run to a failing step shorter.
const SHORTEN_TICKS: u64 = 200_000;

impl Lazy<'_> {
    /// The error that the step of a request in `local` fails after a run, which is made shorter. `None` where the step
    /// does not fail, or is only given up because it takes too long.
    pub fn error_after(&mut self, run: &Run, local: LocalId, budget: &Budget) -> Option<CompileError> {
        let (mut trail, mut threads): (Trail, IndexSet<ThreadId, FxBuildHasher>) = Default::default();
        for event in run.events() {
            if let Event::Step { thread, step } = *event {
                let mut moves = self.space.moves(step.local, step.global);
                let to = (step.to_local, step.to_global);
                let index = moves.find(|&index| (self.space.moves[index].local, self.space.moves[index].global) == to)?;
                let thread = threads.insert_full(thread).0;
                trail.push(TrailStep { thread, from: step.local, from_global: step.global, step: index });
            }
        }
        let last = (local, run.configuration().global);
        self.space.moves(last.0, last.1);
        let fault = self.space.failure(last.0, last.1)?;
        let failing = Failing { fault, trail, last };
        let Failing { fault, trail, last } = shortened(&mut self.space, failing, &mut budget.aside(SHORTEN_TICKS));
        let failure = Failure::Fault { fault, trail, last: Some(last) };
        let (failure, needs) = self.prepared.simplest(&mut self.space, failure, budget);
        Some(self.prepared.error_of(self.part, &self.space, failure, needs, u64::MAX))
    }

    /// How many pairs of local and global states have been run.
    pub fn pairs(&self) -> usize {
        self.space.pair_count()
    }
}

impl Moves for Lazy<'_> {
    type Stop = Fault;

    fn initial_global(&self) -> GlobalId {
        self.space.initial_global()
    }

    fn starts(&self) -> &[(RequestId, LocalId)] {
        &self.starts
    }

    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), Fault> {
        let range = self.space.moves(local, global);
        if let Some(fault) = self.space.fault(local, global) {
            return Err(fault);
        }
        out.extend(self.space.moves[range].iter().map(|step| (step.local, step.global)));
        Ok(())
    }

    fn responses(&mut self, local: LocalId, out: &mut Vec<ResponseId>) {
        if let Some(answer) = self.space.answer(local) {
            out.push(ResponseId::from_index(self.answers.insert_full(answer).0));
        }
    }

    fn is_final(&self, local: LocalId) -> bool {
        self.space.is_finished(local)
    }
}

impl Named for Lazy<'_> {
    fn global_name(&self, id: GlobalId) -> String {
        self.prepared.global_name(&self.prepared.parts[self.part], self.space.global(id))
    }

    fn local_name(&self, id: LocalId) -> String {
        self.prepared.local_name(self.space.local(id))
    }

    fn request_name(&self, id: RequestId) -> String {
        self.requests[id.index()].clone()
    }

    fn response_name(&self, id: ResponseId) -> String {
        self.answers.get_index(id.index()).map_or_else(String::new, i64::to_string)
    }
}
