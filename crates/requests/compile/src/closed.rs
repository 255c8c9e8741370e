//! Checks that a compiled program has all states that can occur, without exploring again.
//!
//! The compiler hands over, for each component, the system, what its states are, the pairs `(l, g)` of local and global
//! states whose steps are listed, and why no other pair occurs ([`Closure`]). [`Prepared::check_closed`] evaluates the
//! steps of each pair once, by the program that it has prepared for itself, and compares:
//!
//! * `initial`, `starts`, `answers`: the system begins where the program does, its requests begin where they do, and a
//!   local state gives an answer exactly if it is finished, the one that it holds;
//! * `missing step`, `additional step`: the steps listed from each pair are those that the program makes there, and
//!   none is listed from another pair; `fault`: none of them fails;
//! * `closed`: the pairs are closed as the closure says; `count`: the counts that it rests on are conserved.
//!
//! **Claim.** Then the system has the runs of the program, so the same interleaved and the same serial completed
//! multisets. *Proof.* By `closed` and the claims of [`crate::explore`]'s modules every request in flight in a run of
//! the program is, with the global state, at one of the pairs, by induction on the run: closure by sets is the rule of
//! `product`, with the claim of `counts`; for closure by markings every configuration is below some marking, as each
//! step from a marking leads below one and steps are monotone. At a pair the program and the system have the same
//! steps. Backwards, a run of the system begins as the program does and each of its steps is listed, so by
//! `additional step` the program makes it. Two numbers may stand for one state; then either is as good as the other, as
//! the steps of both are compared with those of the same state. ∎
//!
//! What is trusted is what prepares a program and evaluates one step. Names of states are not looked at: nothing
//! depends on them.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId, NetworkSystem, Step};

use crate::compiled::{Compiled, Component};
use crate::explore::{Closure, Function, LocalSet, Marking, below, fire};
use crate::machine::Scratch;
use crate::prepared::Prepared;
use crate::space::LocalState;

/// Why a compiled program was not found to have all states, or to be the program at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unclosed {
    /// The parts of it do not fit each other.
    Tables,
    /// It does not begin in the global state in which the program does.
    Initial,
    /// Its requests do not begin where those of the program do.
    Starts,
    /// A local state gives another answer than it should, or none.
    Answers,
    /// The program makes a step that is not listed.
    MissingStep,
    /// A step is listed that the program does not make.
    AdditionalStep,
    /// A step fails.
    Fault,
    /// A pair of states can occur, as far as is shown, and is not there.
    Closed,
    /// What a global state should count is not what the steps change.
    Count,
    /// The flag was raised, or the budget ended.
    Stopped(Stopped),
}

impl Unclosed {
    /// The name of the condition.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tables => "tables",
            Self::Initial => "initial",
            Self::Starts => "starts",
            Self::Answers => "answers",
            Self::MissingStep => "missing step",
            Self::AdditionalStep => "additional step",
            Self::Fault => "fault",
            Self::Closed => "closed",
            Self::Count => "count",
            Self::Stopped(_) => "stopped",
        }
    }
}

impl fmt::Display for Unclosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the compiled program does not meet the condition `{}`", self.name())
    }
}

impl From<Stopped> for Unclosed {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl Prepared {
    /// Checks that the compiled program handed over is this program, with all states that can occur.
    pub fn check_closed(&self, handed: &Compiled, budget: &mut Budget) -> Result<(), Unclosed> {
        require(handed.components().len() == self.component_count(), Unclosed::Tables)?;
        for (part, component) in handed.components().iter().enumerate() {
            Check { prepared: self, part, component, system: component.system() }.all(budget)?;
        }
        Ok(())
    }
}

fn require(condition: bool, otherwise: Unclosed) -> Result<(), Unclosed> {
    if condition { Ok(()) } else { Err(otherwise) }
}

/// The check of one component.
struct Check<'a> {
    prepared: &'a Prepared,
    part: usize,
    component: &'a Component,
    system: &'a NetworkSystem,
}

impl Check<'_> {
    fn all(&self, budget: &mut Budget) -> Result<(), Unclosed> {
        self.tables()?;
        self.beginnings()?;
        self.answers()?;
        let at = self.places()?;
        self.steps(budget)?;
        match self.component.closure() {
            Closure::Counts { functions, weights } => self.closed_by_sets(functions, weights, &at, budget),
            Closure::Markings(markings) => self.closed_by_markings(markings, &at, budget),
        }
    }

    fn tables(&self) -> Result<(), Unclosed> {
        let (component, system) = (self.component, self.system);
        let fits = component.all_global_values().len() == system.global_count() && component.local_states().len() == system.local_count();
        require(fits && component.pairs().is_sorted_by(|a, b| (a.1, a.0) < (b.1, b.0)), Unclosed::Tables)
    }

    fn global(&self, id: GlobalId) -> &[i64] {
        self.component.global_values(id)
    }

    fn local(&self, id: LocalId) -> &LocalState {
        &self.component.local_states()[id.index()]
    }

    fn is_finished(&self, id: LocalId) -> bool {
        self.local(id).waiting.node.is_none()
    }

    fn beginnings(&self) -> Result<(), Unclosed> {
        let space = self.prepared.space(self.part);
        require(self.global(self.system.initial_global()) == space.global(space.initial_global()), Unclosed::Initial)?;
        let names = self.prepared.request_names(&self.prepared.parts[self.part]);
        let wanted: Vec<(&str, &LocalState)> = space.starts().map(|&(id, local)| (names[id.index()], space.local(local))).collect();
        let starts = self.system.starts().iter();
        let given: Vec<(&str, &LocalState)> = starts.map(|&(id, local)| (self.system.request_name(id), self.local(local))).collect();
        // A part has few starts.
        let same = wanted.iter().all(|start| given.contains(start)) && given.iter().all(|start| wanted.contains(start));
        require(same, Unclosed::Starts)
    }

    fn answers(&self) -> Result<(), Unclosed> {
        for id in self.system.locals() {
            let waiting = &self.local(id).waiting;
            let wanted = if waiting.node.is_none() { waiting.values.first().map(i64::to_string) } else { None };
            let given: Vec<&str> = self.system.answers_of(id).iter().map(|&(_, answer)| self.system.response_name(answer)).collect();
            require(given.iter().copied().eq(wanted.as_deref()), Unclosed::Answers)?;
        }
        Ok(())
    }

    /// The local states at each global state.
    fn places(&self) -> Result<Vec<LocalSet>, Unclosed> {
        let mut at = vec![LocalSet::default(); self.system.global_count()];
        for &(local, global) in self.component.pairs() {
            require(local.index() < self.system.local_count(), Unclosed::Tables)?;
            at.get_mut(global.index()).ok_or(Unclosed::Tables)?.insert(local);
        }
        for set in &at {
            let begins = self.system.starts().iter().all(|&(_, start)| set.contains(start));
            require(begins, Unclosed::Closed)?;
        }
        Ok(at)
    }

    /// Evaluates each pair once.
    fn steps(&self, budget: &mut Budget) -> Result<(), Unclosed> {
        let machine = Arc::clone(self.prepared.machine());
        let mut scratch = Scratch::default();
        let mut listed = 0;
        for &(local, global) in self.component.pairs() {
            let LocalState { owner, waiting } = self.local(local);
            let steps = self.system.steps_from(local, global);
            listed += steps.len();
            let mut made = vec![false; steps.len()];
            let mut missing = false;
            let mut found = |outcome: crate::machine::Outcome<'_>| {
                let mut known = false;
                for (made, step) in made.iter_mut().zip(steps) {
                    let to = self.local(step.to_local);
                    if to.owner == *owner && to.waiting == outcome.waiting && self.global(step.to_global) == outcome.global {
                        (*made, known) = (true, true);
                    }
                }
                missing |= !known;
            };
            let (fault, operations) = machine.step(waiting, self.global(global), &mut scratch, &mut found);
            budget.spend(1 + operations / 64)?;
            require(fault.is_none(), Unclosed::Fault)?;
            require(!missing, Unclosed::MissingStep)?;
            require(made.iter().all(|&made| made), Unclosed::AdditionalStep)?;
        }
        require(listed == self.system.steps().len(), Unclosed::AdditionalStep)
    }

    fn steps_at(&self, &(local, global): &(LocalId, GlobalId)) -> &[Step] {
        self.system.steps_from(local, global)
    }

    /// What a request does and what the steps of others do leads to pairs that are there.
    fn closed_by_sets(&self, functions: &[Function], weights: &[Box<[i64]>], at: &[LocalSet], budget: &mut Budget) -> Result<(), Unclosed> {
        let counts = self.counts(functions, weights)?;
        for pairs in self.component.pairs().chunk_by(|a, b| a.1 == b.1) {
            let mut ways: IndexSet<(GlobalId, usize), FxBuildHasher> = IndexSet::default();
            for pair in pairs {
                for step in self.steps_at(pair) {
                    require(counts.conserve(step), Unclosed::Count)?;
                    let inside = self.is_finished(step.to_local) || at[step.to_global.index()].contains(step.to_local);
                    require(inside, Unclosed::Closed)?;
                    if step.to_global != step.global {
                        ways.insert((step.to_global, counts.class(step.local)));
                    }
                }
            }
            let Some(&(_, global)) = pairs.first() else { continue };
            for &(to, class) in &ways {
                budget.spend(1 + pairs.len() as u64 / 64)?;
                let (here, there) = (&at[global.index()], &at[to.index()]);
                let carried = |local: LocalId| there.contains(local) || !counts.admit(class, counts.class(local), global);
                require(if functions.is_empty() { there.contains_all(here) } else { here.iter().all(carried) }, Unclosed::Closed)?;
            }
        }
        Ok(())
    }

    /// The counts, after it was found that initial and finished states weigh nothing.
    fn counts(&self, functions: &[Function], weights: &[Box<[i64]>]) -> Result<GivenCounts, Unclosed> {
        if functions.is_empty() {
            return Ok(GivenCounts::default());
        }
        let initial = self.global(self.system.initial_global());
        let level = |id: GlobalId| functions.iter().map(|function| function.at(self.global(id), initial)).collect::<Option<_>>();
        let levels: Vec<Box<[i64]>> = self.system.globals().map(level).collect::<Option<_>>().ok_or(Unclosed::Count)?;
        require(weights.len() == self.system.local_count(), Unclosed::Tables)?;
        let (mut classes, mut class_of) = (IndexSet::default(), Vec::new());
        for (local, weights) in self.system.locals().zip(weights) {
            let weightless = self.is_finished(local) || self.system.starts().iter().any(|&(_, start)| start == local);
            let sound =
                weights.len() == functions.len() && weights.iter().all(|&weight| if weightless { weight == 0 } else { weight >= 0 });
            require(sound, Unclosed::Count)?;
            class_of.push(classes.insert_full(weights.clone()).0);
        }
        Ok(GivenCounts { levels, classes, class_of })
    }

    /// Each step from a marking leads below a marking.
    fn closed_by_markings(&self, markings: &[Vec<Marking>], at: &[LocalSet], budget: &mut Budget) -> Result<(), Unclosed> {
        require(markings.len() == self.system.global_count(), Unclosed::Tables)?;
        let begins = markings.get(self.system.initial_global().index()).is_some_and(|known| !known.is_empty());
        require(begins, Unclosed::Closed)?;
        let mut starts: Vec<LocalId> = self.system.starts().iter().map(|&(_, local)| local).collect();
        starts.sort_unstable();
        starts.dedup();
        let is_start = |local: LocalId| starts.binary_search(&local).is_ok();
        for (global, known) in self.system.globals().zip(markings) {
            for marking in known {
                require(marking.is_sorted_by(|a, b| a.0 < b.0), Unclosed::Tables)?;
                for source in starts.iter().copied().chain(marking.iter().map(|&(local, _)| local)) {
                    require(at[global.index()].contains(source), Unclosed::Closed)?;
                    for step in self.system.steps_from(source, global) {
                        let arrives = !self.is_finished(step.to_local) && !is_start(step.to_local);
                        let after = fire(marking, (!is_start(source)).then_some(source), arrives.then_some(step.to_local));
                        let there = &markings[step.to_global.index()];
                        budget.spend(1 + (there.len() * (after.len() + 1)) as u64 / 32)?;
                        require(there.iter().any(|larger| below(&after, larger)), Unclosed::Closed)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Counts as they were handed over.
#[derive(Default)]
struct GivenCounts {
    levels: Vec<Box<[i64]>>,
    classes: IndexSet<Box<[i64]>, FxBuildHasher>,
    class_of: Vec<usize>,
}

impl GivenCounts {
    fn class(&self, local: LocalId) -> usize {
        self.class_of.get(local.index()).copied().unwrap_or(0)
    }

    /// Whether a step changes what is counted by what it changes of the weights.
    fn conserve(&self, step: &Step) -> bool {
        let (Some(before), Some(after)) = (self.levels.get(step.global.index()), self.levels.get(step.to_global.index())) else {
            return true;
        };
        let (from, to) = (&self.classes[self.class(step.local)], &self.classes[self.class(step.to_local)]);
        (0..before.len()).all(|position| {
            let (gained, grown) = (after[position].checked_sub(before[position]), to[position].checked_sub(from[position]));
            gained.is_some() && gained == grown
        })
    }

    /// Whether requests of these classes can be in flight together.
    fn admit(&self, one: usize, other: usize, global: GlobalId) -> bool {
        let (one, other, level) = (&self.classes[one], &self.classes[other], &self.levels[global.index()]);
        one.iter().zip(other).zip(level).all(|((one, other), level)| one.checked_add(*other).is_some_and(|sum| sum <= *level))
    }
}

#[cfg(test)]
mod tests;
