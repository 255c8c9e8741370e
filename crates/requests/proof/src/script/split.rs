//! Requests that come in at a node of their own: `split`.
//!
//! # Split
//!
//! **Statement.** Let `l` be an initial node (`split.initial`). Add a node `l'`
//! with all departures of `l` and no incoming step; `l'` is initial, and `l` no
//! longer is.
//!
//! *Proof.* A request that begins at `l` in the old system begins at `l'` in the
//! new one and is where it was after its first step; and conversely. ∎
//!
//! **The order in time** is kept (lemma 2 of [`crate::strict`]): a request makes the same steps at the same places.

use serval_budget::{Budget, Stopped};
use serval_evidence::require;
use serval_model::{Node, NodeKind, NodeStep, NormalForm};

use super::Reduced;
use super::rule::{Range, Rule};
use crate::{Checked, Work};

/// The rule for this node `l`.
pub(super) struct Split(pub(super) Node);

impl Rule for Split {
    fn in_range(&self, range: &Range) -> bool {
        range.node(&self.0)
    }

    fn check(&self, reduced: &Reduced, _: &mut Work) -> Checked {
        require!(SplitInitial, reduced.form.is_initial(self.0), "node {} is not initial", self.0);
        Ok(())
    }

    fn apply(&self, reduced: &mut Reduced, _: &mut Budget) -> Result<(), Stopped> {
        let form = &reduced.form;
        let mut nodes = form.nodes().to_vec();
        let copy = form.node_numbers().end;
        let request = nodes[self.0 as usize].0;
        nodes[self.0 as usize].1 = NodeKind::Inner;
        nodes.push((request, NodeKind::Initial));
        let mut steps = form.steps().to_vec();
        steps.extend(form.steps_of(self.0).iter().map(|step| NodeStep { node: copy, ..*step }));
        reduced.form = NormalForm::from_parts(form.global_count(), form.initial_global(), nodes, steps);
        if let Some(pairs) = &mut reduced.pairs {
            pairs.copy(self.0);
        }
        Ok(())
    }

    fn copied(&self) -> Option<Node> {
        Some(self.0)
    }
}
