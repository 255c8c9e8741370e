//! Nodes and global states that can do what others can.
//!
//! A *path* is a sequence of steps of one request, each from where the one
//! before landed, none or more; played in a run, it is played without another
//! request in between.
//!
//! # Simulations
//!
//! A relation `≥` on the nodes of one request, none of them done
//! (`relation.nodes`), is a *weak simulation* if for `x ≥ y` and every step
//! `(y, g) → (y', g')` there is a path from `(x, g)` to some `(x', g')` with `x' ≥ y'`
//! or `x' = y'` (`relation.weak`). It is a *strong simulation* if the path is a
//! single step (`relation.strong`). The reflexive and transitive closure of a
//! simulation is one, too: for `x ≥ y ≥ z` and a step of `z` there is a path of
//! `y`, each of whose steps `x` follows by a path to where it again simulates
//! `y`. We write `≥` for the closure.
//!
//! The same on global states: `h ≥ g` and a step `(l, g) → (l', g')` of any node
//! give a path from `(l, h)` to some `(l', h')` with `h' ≥ g'` or `h' = g'`
//! (`relation.global.weak`); the end is at the same node `l'`, so an empty path
//! needs `l = l'`. Strong: a single step (`relation.global.strong`).

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_evidence::require;
use serval_model::{Node, NodeStep, NormalForm, Point};

use crate::{Checked, Work};

/// Pairs of numbers that are looked up.
pub(super) type Relation = BTreeSet<(u32, u32)>;

/// Where a request alone can get to from a point, the point included. A tick
/// for each point and each step.
pub fn reach_from(form: &NormalForm, from: Point, budget: &mut Budget) -> Result<Vec<Point>, Stopped> {
    let mut found = vec![from];
    let mut seen: FxHashSet<Point> = found.iter().copied().collect();
    let mut next = 0;
    while next < found.len() {
        let steps = form.steps_from(found[next]);
        budget.spend(steps.len() as u64 + 1)?;
        found.extend(steps.iter().map(|step| step.target()).filter(|&target| seen.insert(target)));
        next += 1;
    }
    Ok(found)
}

/// Looks for what follows a step: a single step, or a path.
struct Follower<'a> {
    form: &'a NormalForm,
    strong: bool,
    /// Where paths lead.
    memo: FxHashMap<Point, Vec<Point>>,
}

impl<'a> Follower<'a> {
    fn new(form: &'a NormalForm, strong: bool) -> Self {
        Self { form, strong, memo: FxHashMap::default() }
    }

    /// Whether something leads from a point to one that is wanted.
    fn leads(&mut self, from: Point, wanted: impl Fn(Point) -> bool, work: &mut Work) -> Checked<bool> {
        if self.strong {
            let steps = self.form.steps_from(from);
            work.spend(steps.len() + 1)?;
            return Ok(steps.iter().any(|step| wanted(step.target())));
        }
        let reached = match self.memo.entry(from) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(work.within(|budget| reach_from(self.form, from, budget))?),
        };
        work.spend(reached.len())?;
        Ok(reached.iter().any(|&to| wanted(to)))
    }
}

/// The relation on nodes is a simulation, weak or strong.
pub(super) fn check_nodes(form: &NormalForm, relation: &[(Node, Node)], strong: bool, work: &mut Work) -> Checked<Relation> {
    let known: Relation = relation.iter().copied().collect();
    let request = |node: Node| form.nodes()[node as usize].0;
    for &(x, y) in relation {
        let alike = x == y || (!form.is_done(x) && !form.is_done(y) && request(x) == request(y));
        require!(RelationNodes, alike, "nodes {x} and {y} are of different requests, or one of them is a done node");
    }
    let mut follower = Follower::new(form, strong);
    for &(x, y) in relation {
        for step in form.steps_of(y) {
            let wanted = |to: Point| to.1 == step.to_global && (to.0 == step.to_node || known.contains(&(to.0, step.to_node)));
            let follows = follower.leads((x, step.global), wanted, work)?;
            require!(RelationWeak, strong || follows, "node {x} cannot follow step {step:?} of node {y}");
            require!(RelationStrong, !strong || follows, "node {x} has no step like {step:?} of node {y}");
        }
    }
    Ok(known)
}

/// The relation on global states is a simulation, weak or strong.
pub(super) fn check_states(form: &NormalForm, relation: &[(u32, u32)], strong: bool, work: &mut Work) -> Checked<Relation> {
    let known: Relation = relation.iter().copied().collect();
    let mut by_global: Vec<Vec<NodeStep>> = vec![Vec::new(); form.global_count() as usize];
    for &step in form.steps() {
        by_global[step.global as usize].push(step);
    }
    let mut follower = Follower::new(form, strong);
    for &(h, g) in relation {
        for step in &by_global[g as usize] {
            let wanted = |to: Point| to.0 == step.to_node && (to.1 == step.to_global || known.contains(&(to.1, step.to_global)));
            let follows = follower.leads((step.node, h), wanted, work)?;
            require!(RelationGlobalWeak, strong || follows, "under global state {h} step {step:?} cannot be followed");
            require!(RelationGlobalStrong, !strong || follows, "under global state {h} there is no step like {step:?}");
        }
    }
    Ok(known)
}
