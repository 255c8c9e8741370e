//! From an entry to its conditions, and to what it does.

use serval_budget::{Budget, Stopped};

use super::{Closure, Dominated, Entry, Mover, Quotient, Reduced, Side, fold, movers, pairs, simulation, size};
use crate::{Refusal, Work};

impl Reduced {
    /// Whether all numbers in an entry mean something here. What does more with
    /// an entry relies on it.
    pub(crate) fn knows(&self, entry: &Entry) -> bool {
        let (nodes, globals, steps) = (self.form.nodes().len(), self.form.global_count() as usize, self.form.steps().len());
        let node = |&n: &u32| (n as usize) < nodes;
        let global = |&g: &u32| (g as usize) < globals;
        let step = |&s: &u32| (s as usize) < steps;
        let nodes = |pairs: &[(u32, u32)]| pairs.iter().all(|(x, y)| node(x) && node(y));
        let globals = |pairs: &[(u32, u32)]| pairs.iter().all(|(h, g)| global(h) && global(g));
        let filled = |classes: &[Vec<u32>]| classes.iter().all(|class| !class.is_empty());
        let points = |points: &[(u32, u32)]| points.iter().all(|(l, g)| node(l) && global(g));
        match entry {
            Entry::Split(copied) => node(copied),
            Entry::Fold(folds) => nodes(folds),
            Entry::Pairs => true,
            Entry::Locals(Quotient { relation, classes }) => nodes(relation) && classes.iter().flatten().all(node) && filled(classes),
            Entry::Globals(Quotient { relation, classes }) => globals(relation) && classes.iter().flatten().all(global) && filled(classes),
            Entry::Dominated(Dominated { locals, globals: states, drops }) => {
                nodes(locals) && globals(states) && drops.iter().all(|(dropped, kept)| step(dropped) && step(kept))
            }
            Entry::Closure(Closure { relation, points: at }) => nodes(relation) && points(at),
            Entry::Right(Mover { points: set, witnesses }) | Entry::Left(Mover { points: set, witnesses }) => {
                set.iter().all(|(l, at)| node(l) && at.iter().all(global))
                    && witnesses.iter().all(|w| step(&w.step) && step(&w.other) && points(&w.own_path) && points(&w.other_path))
            }
        }
    }

    /// Checks the conditions of an entry.
    pub(crate) fn check<Stop>(&self, entry: &Entry, work: &mut Work) -> Result<(), Refusal<Stop>> {
        match entry {
            Entry::Split(node) => fold::check_split(&self.form, *node),
            Entry::Fold(folds) => fold::check_folds(&self.form, folds, work),
            Entry::Pairs => Ok(()),
            Entry::Locals(quotient) => simulation::check_locals(&self.form, quotient, work),
            Entry::Globals(quotient) => simulation::check_globals(&self.form, quotient, work),
            Entry::Dominated(dominated) => simulation::check_dominated(&self.form, dominated, work),
            Entry::Closure(closure) => simulation::check_closure(&self.form, closure, work),
            Entry::Right(mover) => movers::check_mover(self, Side::Right, mover, work),
            Entry::Left(mover) => movers::check_mover(self, Side::Left, mover, work),
        }
    }

    /// Does what an entry says, whether or not it may. Numbers must be in range.
    ///
    /// Costs ticks in proportion to the nodes, global states and steps that are
    /// looked at and made.
    pub fn apply(&mut self, entry: &Entry, budget: &mut Budget) -> Result<(), Stopped> {
        let form = self.form.clone();
        budget.spend(size(&form) as u64)?;
        match entry {
            Entry::Split(node) => {
                self.form = fold::split(form, *node);
                if let Some(pairs) = &mut self.pairs {
                    pairs.copy(*node);
                }
            }
            Entry::Fold(folds) => self.form = fold::fold_all(form, folds, budget)?,
            Entry::Pairs => (self.form, self.pairs) = pairs::prune(form, budget)?,
            Entry::Locals(quotient) => *self = Self::new(simulation::merge_locals(form, &quotient.classes)),
            Entry::Globals(quotient) => *self = Self::new(simulation::merge_globals(form, &quotient.classes)),
            Entry::Dominated(dominated) => self.form = simulation::drop_dominated(form, dominated),
            Entry::Closure(closure) => self.form = simulation::close(form, closure, budget)?,
            Entry::Right(mover) => self.form = movers::compose(form, Side::Right, mover, budget)?,
            Entry::Left(mover) => self.form = movers::compose(form, Side::Left, mover, budget)?,
        }
        Ok(())
    }
}
