//! Waiting that gains nothing is left out: `closure`.
//!
//! # Waiting that gains nothing
//!
//! **Statement.** Let a relation on nodes be given that is a weak simulation
//! (`relation.nodes`, `relation.weak`), and a point `(l, g)`. Again `≥` is the
//! reflexive and transitive closure of the relation, which is a weak simulation,
//! too ([`simulation`](super::simulation)); `l ≥ x` *directly* if the relation itself has the pair, or `x = l`. Let
//! `U` be the set of nodes that are reached from `l` by identity steps under `g`
//! through nodes `x` with `l ≥ x` directly, `x` not done (`l` itself included).
//! Replace all departures from `(l, g)` by steps to the points `z` to which a step
//! leads from `(u, g)` with `u ∈ U`, unless `z = (x, g)` with `x` not done and `l ≥ x`
//! directly.
//!
//! *Proof.* New steps are paths of the old system, so runs of the new system are
//! runs of the old, serial if they were. For the converse we show: if `c ≥ y` in
//! the old system and there is a step `(y, g1) → (y', g2)` in it, then the new
//! system has a path from `(c, g1)` to some `(c', g2)` with `c' ≥ y'`. The old
//! system has such a path, to some `c''`. Replace its steps one after the other:
//! steps that do not begin at `(l, g)` are still there. Where it comes to `(l, g)`,
//! it goes on inside `U` under `g` for a while. If it leaves, by a step `(u, g) → z`
//! to a `z` that is not excepted, there is a new step `(l, g) → z`. If it ends
//! there, at `u ∈ U`, let the new path stay at `l`: `l ≥ u ≥ y'`, hence `l ≥ y'`, as
//! `≥` is transitive; the relation itself need not be. So `≥` relates old
//! runs with new ones as before. It is still a weak simulation of the new
//! system: a new step is a path of old ones, and each of these is followed by a
//! path of the new system. So further points can be treated with the relation of
//! the first: what is used of it is that `l ≥ x` for the nodes of `U`. ∎
//!
//! (Removing identity steps one at a time, with their composites added, can go
//! round in circles for ever.)
//!
//! **The order in time** is kept (lemma 2 of [`crate::strict`]): each step is followed by a path of the same request,
//! perhaps an empty one, in its place.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::objects;
use serval_model::{Node, NodeStep, Point};

use super::rule::{Range, Rule};
use super::simulation::{Relation, check_nodes};
use super::{Reduced, size};
use crate::{Checked, Work};

/// Where waiting gains nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct WaitingElimination {
    /// `(x, y)`: `x` can do what `y` can.
    pub relation: Vec<(Node, Node)>,
    /// Where the departures are replaced, one point after the other.
    pub points: Vec<Point>,
}

objects!(WaitingElimination);

impl Rule for WaitingElimination {
    fn in_range(&self, range: &Range) -> bool {
        range.nodes(&self.relation) && range.points(&self.points)
    }

    fn check(&self, reduced: &Reduced, work: &mut Work) -> Checked {
        check_nodes(&reduced.form, &self.relation, false, work)?;
        // The set `U` is computed from the relation, so nothing else can be wrong.
        work.spend(self.points.len())
    }

    fn apply(&self, reduced: &mut Reduced, budget: &mut Budget) -> Result<(), Stopped> {
        let known: Relation = self.relation.iter().copied().collect();
        let form = &reduced.form;
        budget.spend(size(form) as u64)?;
        // Departures that have been replaced. What comes later sees them.
        let mut replaced: FxHashMap<Point, Vec<Point>> = FxHashMap::default();
        for &(l, g) in &self.points {
            let gains_nothing = |(x, at): Point| at == g && (x == l || known.contains(&(l, x)));
            let mut inside = vec![l];
            let mut seen: FxHashSet<Node> = FxHashSet::from_iter([l]);
            let mut exits = BTreeSet::new();
            let mut next = 0;
            while let Some(&node) = inside.get(next) {
                let mut go = |to: Point| {
                    if !gains_nothing(to) {
                        exits.insert(to);
                    } else if seen.insert(to.0) {
                        inside.push(to.0);
                    }
                };
                match replaced.get(&(node, g)) {
                    Some(targets) => {
                        budget.spend(targets.len() as u64 + 1)?;
                        targets.iter().copied().for_each(&mut go);
                    }
                    None => {
                        let steps = form.steps_from((node, g));
                        budget.spend(steps.len() as u64 + 1)?;
                        steps.iter().map(|step| step.target()).for_each(&mut go);
                    }
                }
                next += 1;
            }
            budget.spend(exits.len() as u64 + 1)?;
            replaced.insert((l, g), exits.into_iter().collect());
        }
        let mut steps: Vec<NodeStep> = form.steps().iter().filter(|step| !replaced.contains_key(&step.source())).copied().collect();
        // In the order of the points, as hash tables have none.
        for &(node, global) in &self.points {
            let targets = replaced.remove(&(node, global)).unwrap_or_default();
            budget.spend(targets.len() as u64)?;
            steps.extend(targets.into_iter().map(|(to_node, to_global)| NodeStep { node, global, to_node, to_global }));
        }
        let form = form.clone().with_steps(steps);
        reduced.form = form;
        Ok(())
    }
}
