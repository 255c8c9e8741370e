//! From an entry to its conditions, and to what it does.

use serval_model::{Budget, Stopped};

use super::{Entry, Reduced, Work, fold, movers, simulation, size};
use crate::Refusal;

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
            Entry::Locals { relation, classes } => nodes(relation) && classes.iter().flatten().all(node) && filled(classes),
            Entry::Globals { relation, classes } => globals(relation) && classes.iter().flatten().all(global) && filled(classes),
            Entry::Dominated { locals, globals: relation, drops } => {
                nodes(locals) && globals(relation) && drops.iter().all(|(dropped, kept)| step(dropped) && step(kept))
            }
            Entry::Closure { relation, points: at } => nodes(relation) && points(at),
            Entry::Mover(mover) => {
                mover.points.iter().all(|(l, at)| node(l) && at.iter().all(global))
                    && mover.witnesses.iter().all(|w| step(&w.step) && step(&w.other) && points(&w.own_path) && points(&w.other_path))
            }
        }
    }

    /// Checks the conditions of an entry. `name` is what messages call it.
    pub(crate) fn check<Stop>(&self, entry: &Entry, name: &str, work: &mut Work) -> Result<(), Refusal<Stop>> {
        match entry {
            Entry::Split(node) => fold::check_split(&self.form, *node, name),
            Entry::Fold(folds) => fold::check_folds(&self.form, folds, name, work),
            Entry::Pairs => Ok(()),
            Entry::Locals { relation, classes } => simulation::check_locals(&self.form, relation, classes, name, work),
            Entry::Globals { relation, classes } => simulation::check_globals(&self.form, relation, classes, name, work),
            Entry::Dominated { locals, globals, drops } => simulation::check_dominated(&self.form, locals, globals, drops, name, work),
            Entry::Closure { relation, points } => simulation::check_closure(&self.form, relation, points, name, work),
            Entry::Mover(mover) => movers::check_mover(self, mover, name, work),
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
            Entry::Pairs => (self.form, self.pairs) = super::pairs::prune(form, budget)?,
            Entry::Locals { classes, .. } => {
                self.form = simulation::merge_locals(form, classes);
                self.pairs = None;
            }
            Entry::Globals { classes, .. } => {
                self.form = simulation::merge_globals(form, classes);
                self.pairs = None;
            }
            Entry::Dominated { drops, .. } => self.form = simulation::drop_dominated(form, drops),
            Entry::Closure { relation, points } => self.form = simulation::close(form, relation, points, budget)?,
            Entry::Mover(mover) => self.form = movers::compose(form, mover, budget)?,
        }
        Ok(())
    }
}
