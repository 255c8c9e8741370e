//! Identity steps that are taken when their source is landed on: `fold`.
//!
//! # Identity elimination
//!
//! **Statement.** Let `l` be a node that is neither initial nor done
//! (`fold.initial`), `x` any node, and let `(l, h) → (x, h)` be a step for every `h`
//! such that some step lands on `(l, h)` (`fold.present`). Leave out all steps
//! `(l, h) → (x, h)`, and for every step that lands on `(l, h)` add one from the same
//! point that lands on `(x, h)`.
//!
//! *Proof.* If `l = x`, nothing lands on `l`, as a normal form has no steps that
//! change nothing; then nothing is left out and nothing added. So let `l ≠ x`.
//! Take a complete run of the old system and a step in it by which a
//! request `i` goes from `l` to `x` under some global state `h2`, changing
//! nothing else. As `l` is not initial, `i` has landed on `l` by a step before,
//! under some `h`; let it land on `x` instead, and leave out the identity step.
//! In between `i` makes no step, and others cannot see where it is. Doing this
//! for all of them gives a run of the new system with the same letters: no
//! landing belongs to two identity steps, and none is itself one of those left
//! out, as it lands on `l` and they land on `x`. (A landing `(x, h) → (l, h)` comes
//! to change nothing, and goes.) If the old run is serial, so is the new one.
//! Conversely, a new landing on `(x, h)` is an old landing on `(l, h)` followed by
//! `(l, h) → (x, h)`, which exists by the condition. The two are next to each
//! other, so a serial run stays serial. ∎
//!
//! Several folds in one entry are done one after the other, each on the
//! system that the one before leaves.
//!
//! **The order in time** is kept (lemma 2 of [`crate::strict`]): steps vanish, and none comes to another place, so a
//! request begins no earlier and ends no later.

use serval_budget::{Budget, Stopped};
use serval_evidence::require;
use serval_model::{Node, NodeStep, NormalForm};

use super::rule::{Range, Rule};
use super::{Reduced, size};
use crate::{Checked, Work};

/// The rule for these pairs `(l, x)`.
pub(super) struct IdentityElimination<'a>(pub(super) &'a [(Node, Node)]);

impl Rule for IdentityElimination<'_> {
    fn in_range(&self, range: &Range) -> bool {
        range.nodes(self.0)
    }

    fn check(&self, reduced: &Reduced, work: &mut Work) -> Checked {
        let mut form = reduced.form.clone();
        for &(l, x) in self.0 {
            work.spend(size(&form))?;
            require!(FoldInitial, !form.is_initial(l) && !form.is_done(l), "node {l} is initial or done");
            for &step in form.steps().iter().filter(|step| step.to_node == l) {
                let (h, present) = (step.to_global, form.has_step(step.target(), (x, step.to_global)));
                require!(
                    FoldPresent,
                    present,
                    "a step lands on node {l} under global state {h}, where there is no identity step to node {x}"
                );
            }
            form = fold(form, l, x);
        }
        Ok(())
    }

    fn apply(&self, reduced: &mut Reduced, budget: &mut Budget) -> Result<(), Stopped> {
        let mut form = reduced.form.clone();
        for &(l, x) in self.0 {
            budget.spend(size(&form) as u64)?;
            form = fold(form, l, x);
        }
        reduced.form = form;
        Ok(())
    }
}

/// Takes the identity steps from `l` to `x` when `l` is landed on.
fn fold(form: NormalForm, l: Node, x: Node) -> NormalForm {
    let stays = |step: &&NodeStep| !(step.node == l && step.to_node == x && step.global == step.to_global);
    let mut steps: Vec<NodeStep> = form.steps().iter().filter(stays).copied().collect();
    let landings: Vec<NodeStep> = steps.iter().filter(|step| step.to_node == l).map(|step| NodeStep { to_node: x, ..*step }).collect();
    steps.extend(landings);
    form.with_steps(steps)
}
