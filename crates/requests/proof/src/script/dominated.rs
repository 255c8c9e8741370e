//! Steps for which a better one is kept are left out: `dominated`.
//!
//! # Dominated steps
//!
//! **Statement.** Let `≥` be strong [simulations](super::simulation) of nodes and of global states.
//! Leave out steps `(l, g) → (x, h)` for which a step `(l, g) → (y, k)` is kept
//! (`dominated.kept`) with `k = h` and `y ≥ x`, or `y = x` and `k ≥ h`, directly
//! (`dominated.better`).
//!
//! *Proof.* Follow a run of the old system in the new with a global state that
//! simulates the old one and each request at a node that simulates the old
//! one. For a step of the old run first the simulation of nodes and then that
//! of global states gives a single step of the old system which preserves
//! this. If it is left out, the one that was kept for it is better still. At
//! the end all requests are at the same done nodes, as these simulate only
//! themselves. Steps are followed by steps of the same request. ∎
//!
//! (With a weak simulation this is false: a path may lead through the very
//! step that is left out.)
//!
//! **The order in time** is kept (lemma 2 of [`crate::strict`]): each step is followed by one of the same request, in
//! its place.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::{objects, require};
use serval_model::{Node, NodeStep};

use super::Reduced;
use super::rule::{Range, Rule};
use super::simulation::{check_nodes, check_states};
use crate::{Checked, Work};

/// Steps that are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Dominated {
    /// `(y, x)`: `y` can do what `x` can, step by step.
    pub locals: Vec<(Node, Node)>,
    /// `(k, h)`: under `k` everything goes as under `h`, step by step.
    pub globals: Vec<(u32, u32)>,
    /// The number of a step that goes and of the one that is kept for it.
    pub drops: Vec<(u32, u32)>,
}

objects!(Dominated);

impl Rule for Dominated {
    fn in_range(&self, range: &Range) -> bool {
        let drops = self.drops.iter().all(|(dropped, kept)| range.step(dropped) && range.step(kept));
        range.nodes(&self.locals) && range.globals(&self.globals) && drops
    }

    fn check(&self, reduced: &Reduced, work: &mut Work) -> Checked {
        let form = &reduced.form;
        let nodes = check_nodes(form, &self.locals, true, work)?;
        let globals = check_states(form, &self.globals, true, work)?;
        work.spend(self.drops.len())?;
        let dropped: BTreeSet<u32> = self.drops.iter().map(|&(dropped, _)| dropped).collect();
        for &(drop, keep) in &self.drops {
            require!(DominatedKept, !dropped.contains(&keep), "step {keep} is left out, too");
            let (worse, better) = (form.steps()[drop as usize], form.steps()[keep as usize]);
            let by_node = worse.to_global == better.to_global && nodes.contains(&(better.to_node, worse.to_node));
            let by_global = worse.to_node == better.to_node && globals.contains(&(better.to_global, worse.to_global));
            let is_better = worse.source() == better.source() && (by_node || by_global);
            require!(DominatedBetter, is_better, "step {better:?} does not lead to more than {worse:?}");
        }
        Ok(())
    }

    fn apply(&self, reduced: &mut Reduced, _: &mut Budget) -> Result<(), Stopped> {
        let mut kept: Vec<Option<NodeStep>> = reduced.form.steps().iter().copied().map(Some).collect();
        for &(drop, _) in &self.drops {
            kept[drop as usize] = None;
        }
        reduced.form = reduced.form.clone().with_steps(kept.into_iter().flatten().collect());
        Ok(())
    }
}
