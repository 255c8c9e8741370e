//! What a reduction rule is to the checker.

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NormalForm, Point};

use super::Reduced;
use crate::{Checked, Work};

/// A reduction rule with what one entry of a script carries.
///
/// The module of a rule states it, and proves that a system for which
/// [`Rule::check`] accepts has the `Int` and `Ser` of the one that [`Rule::apply`]
/// leaves, and that pairs which are kept stay true ([`super`]).
pub(crate) trait Rule {
    /// Whether all numbers in the entry are of nodes, global states and steps
    /// that there are. The other methods rely on it.
    fn in_range(&self, range: &Range) -> bool;

    /// Checks the conditions of the rule.
    fn check(&self, reduced: &Reduced, work: &mut Work) -> Checked;

    /// Does what the entry says, whether or not it may; does nothing if the
    /// budget ends before. Costs ticks for what is looked at and made, beyond
    /// looking at the whole system once.
    fn apply(&self, reduced: &mut Reduced, budget: &mut Budget) -> Result<(), Stopped>;

    /// The node of which the entry adds a copy, if it adds one.
    fn copied(&self) -> Option<Node> {
        None
    }
}

/// How many nodes, global states and steps there are: numbers below are theirs.
pub(crate) struct Range {
    nodes: usize,
    globals: usize,
    steps: usize,
}

impl Range {
    pub(super) fn of(form: &NormalForm) -> Self {
        Self { nodes: form.nodes().len(), globals: form.global_count() as usize, steps: form.steps().len() }
    }

    pub(super) fn node(&self, &node: &Node) -> bool {
        (node as usize) < self.nodes
    }

    pub(super) fn global(&self, &global: &u32) -> bool {
        (global as usize) < self.globals
    }

    pub(super) fn step(&self, &step: &u32) -> bool {
        (step as usize) < self.steps
    }

    pub(super) fn nodes(&self, pairs: &[(Node, Node)]) -> bool {
        pairs.iter().all(|(x, y)| self.node(x) && self.node(y))
    }

    pub(super) fn globals(&self, pairs: &[(u32, u32)]) -> bool {
        pairs.iter().all(|(h, g)| self.global(h) && self.global(g))
    }

    pub(super) fn points(&self, points: &[Point]) -> bool {
        points.iter().all(|(l, g)| self.node(l) && self.global(g))
    }
}
