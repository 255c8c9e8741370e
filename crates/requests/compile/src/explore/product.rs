//! The cheap pass: which local states may be somewhere at a global state.
//!
//! For each global state `g` a set `at(g)` of local states that some request
//! may be in while the global state is `g`. It contains the initial states
//! (anyone may start at any time) and is closed under
//!
//! * a request's own steps: `l ∈ at(g)` and `(l,g) → (l',g')` put `l'` into `at(g')`;
//! * the steps of others: if some step leads from `g` to `g'`, then all of
//!   `at(g)` is in `at(g')`.
//!
//! By induction on a run, every request in flight at `g` is in `at(g)`. The
//! converse fails: the second rule forgets that the request that moved may
//! have been the only one, so states can appear that no run reaches, and there
//! may be infinitely many of those although the program is finite. Hence the
//! budget, and the exact pass in [`super::cover`].
//!
//! With [`Counts`] the second rule forgets less: `m ∈ at(g)` is carried along a step from `(l, g)` only if the counts
//! admit requests in `l` and in `m` at `g` together. As all steps from pairs in the sets are compared with the counts,
//! the weights of requests in flight add up to what the global state counts, by the claim there, so every request in
//! flight is still in `at(g)`.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId};

use super::counts::{Broken, Class, Counts};
use super::sets::LocalSet;
use super::{Closure, Explored};
use crate::space::Space;

/// The pass, which can be stopped and taken up again.
#[derive(Default)]
pub(crate) struct Product {
    met: Vec<bool>,
    at: Vec<LocalSet>,
    pending: Vec<LocalSet>,
    /// Where steps lead, with the class of the request that makes them.
    next: Vec<Vec<(GlobalId, Class)>>,
    edges: FxHashSet<(GlobalId, GlobalId, Class)>,
    queue: VecDeque<GlobalId>,
    /// Pairs taken from `pending` whose steps have not been run yet.
    open: VecDeque<(LocalId, GlobalId)>,
    initial: LocalSet,
    /// All pairs whose steps have been run, in order.
    pub(crate) pairs: Vec<(LocalId, GlobalId)>,
    carry: Option<Carry>,
    counts: Counts,
}

/// Why the pass is not complete.
pub(crate) enum Incomplete {
    Stopped(Stopped),
    /// Some counts are not conserved.
    Broken(Broken),
}

impl From<Stopped> for Incomplete {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// A visit to a global state: what is new there is carried to its successors.
struct Carry {
    global: GlobalId,
    fresh: LocalSet,
    known_edges: usize,
}

impl Product {
    /// The pass with these counts.
    pub(crate) fn with(counts: Counts) -> Self {
        Self { counts, ..Self::default() }
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The pairs, when nothing is new.
    pub(crate) fn explored(self, space: &Space) -> Explored {
        let functions = self.counts.functions().to_vec();
        let locals = if functions.is_empty() { 0 } else { space.local_count() };
        let weights = (0..locals).map(|index| self.counts.weights(LocalId::from_index(index))).collect();
        Explored { pairs: self.pairs, closure: Closure::Counts { functions, weights } }
    }

    /// Goes on until nothing is new, a count turns out not to be conserved, or the budget ends. A tick is a pair, long
    /// steps cost more.
    pub(crate) fn run(&mut self, space: &mut Space, budget: &mut Budget) -> Result<(), Incomplete> {
        if self.at.is_empty() {
            for &(_, local) in space.starts() {
                self.initial.insert(local);
            }
            self.meet(space.initial_global());
        }
        loop {
            while let Some(&(local, global)) = self.open.front() {
                budget.spend(1 + space.take_cost())?;
                self.step(space, local, global)?;
                self.open.pop_front();
            }
            if let Some(carry) = self.carry.take() {
                self.carry_on(carry, budget)?;
            }
            let Some(global) = self.queue.pop_front() else { return Ok(()) };
            let fresh = std::mem::take(&mut self.pending[global.index()]);
            self.open.extend(fresh.iter().map(|local| (local, global)));
            self.carry = Some(Carry { global, fresh, known_edges: self.next[global.index()].len() });
        }
    }

    /// Anyone may start at this global state. Those with smaller numbers may be met by another pass alone.
    fn meet(&mut self, global: GlobalId) {
        if self.at.len() <= global.index() {
            self.at.resize_with(global.index() + 1, LocalSet::default);
            self.pending.resize_with(global.index() + 1, LocalSet::default);
            self.next.resize_with(global.index() + 1, Vec::new);
            self.met.resize(global.index() + 1, false);
        }
        if !std::mem::replace(&mut self.met[global.index()], true) {
            self.at[global.index()] = self.initial.clone();
            self.pending[global.index()] = self.initial.clone();
            self.queue.push_back(global);
        }
    }

    fn step(&mut self, space: &mut Space, local: LocalId, global: GlobalId) -> Result<(), Incomplete> {
        self.pairs.push((local, global));
        for index in space.moves(local, global) {
            let step = space.moves[index];
            self.counts.conserve(space, local, global, step).map_err(Incomplete::Broken)?;
            self.meet(step.global);
            if !space.is_finished(step.local) && self.at[step.global.index()].insert(step.local) {
                if self.pending[step.global.index()].is_empty() {
                    self.queue.push_back(step.global);
                }
                self.pending[step.global.index()].insert(step.local);
            }
            let class = self.counts.class(local);
            if step.global != global && self.edges.insert((global, step.global, class)) {
                self.next[global.index()].push((step.global, class));
            }
        }
        Ok(())
    }

    /// Carries what is new at a global state along old edges and everything
    /// along the edges found during this visit.
    fn carry_on(&mut self, carry: Carry, budget: &mut Budget) -> Result<(), Stopped> {
        let Carry { global, ref fresh, known_edges } = carry;
        for position in 0..self.next[global.index()].len() {
            // What was carried may be carried again, but nothing may be forgotten.
            if let Err(stopped) = budget.spend(0) {
                self.carry = Some(carry);
                return Err(stopped);
            }
            let (to, class) = self.next[global.index()][position];
            let everything = std::mem::take(&mut self.at[global.index()]);
            let carried = if position < known_edges { fresh } else { &everything };
            let idle = self.pending[to.index()].is_empty();
            if self.counts.is_empty() {
                self.at[to.index()].absorb(carried, &mut self.pending[to.index()]);
            } else {
                let counts = &self.counts;
                let admitted = carried.iter().filter(|&local| counts.admit(class, counts.class(local), global)).collect();
                self.at[to.index()].absorb(&admitted, &mut self.pending[to.index()]);
            }
            self.at[global.index()] = everything;
            if idle && !self.pending[to.index()].is_empty() {
                self.queue.push_back(to);
            }
        }
        // Cancellation must not wait for a pair to be run.
        budget.spend(0)
    }
}
