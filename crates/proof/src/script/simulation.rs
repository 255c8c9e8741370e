//! Nodes and global states that can do what others can: `locals`, `globals`,
//! `dominated`, `closure`.
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
//!
//! # Merging nodes (`locals`)
//!
//! **Statement.** Let `≥` be a weak simulation, and let in each class each
//! member simulate the next, and the last the first (`quotient.classes`), no
//! node in two classes (`quotient.disjoint`). Replace every node by its class, in
//! all steps; a class is initial if a member is.
//!
//! *Proof.* Every run of the old system becomes one of the new by going from
//! nodes to classes. Conversely, follow a run of the new system in the old,
//! keeping the global state the same and each request at a node that
//! simulates every member of its class. A request begins at an initial member,
//! which does. A step of the class is a step `(y, g) → (y', g')` of a member `y`;
//! the request is at some `c ≥ y`, and plays a path to some `c' ≥ y'` under `g'`;
//! the members of the class of `y'` simulate each other, so `c'` simulates them
//! all. Done nodes are in no class but their own and simulate nothing else, so
//! the letters are the same; and each step is followed by a path of the same
//! request, so serial runs are followed by serial runs. ∎
//!
//! # Merging global states (`globals`)
//!
//! **Statement.** The same with a weak simulation of global states; the initial
//! one becomes its class.
//!
//! *Proof.* Follow a run of the new system in the old with all requests at the
//! same nodes, and a global state that simulates every member of the class. ∎
//!
//! # Dominated steps (`dominated`)
//!
//! **Statement.** Let `≥` be strong simulations of nodes and of global states.
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
//! # Waiting that gains nothing (`closure`)
//!
//! **Statement.** Let a relation on nodes be given that is a weak simulation
//! (`relation.nodes`, `relation.weak`), and a point `(l, g)`. As above, `≥` is the
//! reflexive and transitive closure of the relation, which is a weak simulation,
//! too; `l ≥ x` *directly* if the relation itself has the pair, or `x = l`. Let
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

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_model::{Node, NodeKind, NodeStep, NormalForm, Point};

use super::size;
use crate::conditions::require;
use crate::objects::objects;
use crate::{Condition, Refusal, Work};

/// What is merged: nodes (`locals`) or global states (`globals`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Quotient {
    /// `(x, y)`: `x` can do what `y` can; of global states, under `x` everything
    /// goes as under `y`.
    pub relation: Vec<(u32, u32)>,
    /// The classes with more than one member.
    pub classes: Vec<Vec<u32>>,
}

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

/// Where waiting gains nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Closure {
    /// `(x, y)`: `x` can do what `y` can.
    pub relation: Vec<(Node, Node)>,
    /// Where the departures are replaced, one point after the other.
    pub points: Vec<Point>,
}

objects!(Quotient, Dominated, Closure);

/// Pairs of numbers that are looked up.
type Relation = BTreeSet<(u32, u32)>;

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
    fn leads<Stop>(&mut self, from: Point, wanted: impl Fn(Point) -> bool, work: &mut Work) -> Result<bool, Refusal<Stop>> {
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
fn check_nodes<Stop>(form: &NormalForm, relation: &[(Node, Node)], strong: bool, work: &mut Work) -> Result<Relation, Refusal<Stop>> {
    let known: Relation = relation.iter().copied().collect();
    let request = |node: Node| form.nodes()[node as usize].0;
    for &(x, y) in relation {
        let alike = x == y || (!form.is_done(x) && !form.is_done(y) && request(x) == request(y));
        require!(Condition::RelationNodes, alike, "nodes {x} and {y} are of different requests, or one of them is a done node");
    }
    let mut follower = Follower::new(form, strong);
    for &(x, y) in relation {
        for step in form.steps_of(y) {
            let wanted = |to: Point| to.1 == step.to_global && (to.0 == step.to_node || known.contains(&(to.0, step.to_node)));
            let follows = follower.leads((x, step.global), wanted, work)?;
            require!(Condition::RelationWeak, strong || follows, "node {x} cannot follow step {step:?} of node {y}");
            require!(Condition::RelationStrong, !strong || follows, "node {x} has no step like {step:?} of node {y}");
        }
    }
    Ok(known)
}

/// The relation on global states is a simulation, weak or strong.
fn check_states<Stop>(form: &NormalForm, relation: &[(u32, u32)], strong: bool, work: &mut Work) -> Result<Relation, Refusal<Stop>> {
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
            require!(Condition::RelationGlobalWeak, strong || follows, "under global state {h} step {step:?} cannot be followed");
            require!(Condition::RelationGlobalStrong, !strong || follows, "under global state {h} there is no step like {step:?}");
        }
    }
    Ok(known)
}

/// In each class each member simulates the next, and the last the first.
fn check_classes<Stop>(known: &Relation, classes: &[Vec<u32>], work: &mut Work) -> Result<(), Refusal<Stop>> {
    let mut seen = BTreeSet::new();
    for class in classes {
        work.spend(class.len())?;
        for (&member, &next) in class.iter().zip(class.iter().cycle().skip(1)) {
            require!(Condition::QuotientDisjoint, seen.insert(member), "{member} is in two classes, or twice in one");
            let simulates = member == next || known.contains(&(member, next));
            require!(Condition::QuotientClasses, simulates, "{member} does not simulate {next}");
        }
    }
    Ok(())
}

pub(super) fn check_locals<Stop>(form: &NormalForm, quotient: &Quotient, work: &mut Work) -> Result<(), Refusal<Stop>> {
    let known = check_nodes(form, &quotient.relation, false, work)?;
    check_classes(&known, &quotient.classes, work)
}

pub(super) fn check_globals<Stop>(form: &NormalForm, quotient: &Quotient, work: &mut Work) -> Result<(), Refusal<Stop>> {
    let known = check_states(form, &quotient.relation, false, work)?;
    check_classes(&known, &quotient.classes, work)
}

/// For each number the first of its class.
fn representatives(count: u32, classes: &[Vec<u32>]) -> Vec<u32> {
    let mut of: Vec<u32> = (0..count).collect();
    for class in classes {
        for &member in class {
            of[member as usize] = class[0];
        }
    }
    of
}

pub(super) fn merge_locals(form: NormalForm, classes: &[Vec<u32>]) -> NormalForm {
    let of = representatives(form.node_numbers().end, classes);
    let mut nodes = form.nodes().to_vec();
    for class in classes {
        if class.iter().any(|&member| form.is_initial(member)) {
            for &member in class {
                nodes[member as usize].1 = NodeKind::Inner;
            }
            nodes[class[0] as usize].1 = NodeKind::Initial;
        }
    }
    let steps = form.steps().iter().map(|step| NodeStep { node: of[step.node as usize], to_node: of[step.to_node as usize], ..*step });
    NormalForm::from_parts(form.global_count(), form.initial_global(), nodes, steps.collect())
}

pub(super) fn merge_globals(form: NormalForm, classes: &[Vec<u32>]) -> NormalForm {
    let of = representatives(form.global_count(), classes);
    let steps =
        form.steps().iter().map(|step| NodeStep { global: of[step.global as usize], to_global: of[step.to_global as usize], ..*step });
    NormalForm::from_parts(form.global_count(), of[form.initial_global() as usize], form.nodes().to_vec(), steps.collect())
}

pub(super) fn check_dominated<Stop>(form: &NormalForm, dominated: &Dominated, work: &mut Work) -> Result<(), Refusal<Stop>> {
    let nodes = check_nodes(form, &dominated.locals, true, work)?;
    let globals = check_states(form, &dominated.globals, true, work)?;
    work.spend(dominated.drops.len())?;
    let dropped: BTreeSet<u32> = dominated.drops.iter().map(|&(dropped, _)| dropped).collect();
    for &(drop, keep) in &dominated.drops {
        require!(Condition::DominatedKept, !dropped.contains(&keep), "step {keep} is left out, too");
        let (worse, better) = (form.steps()[drop as usize], form.steps()[keep as usize]);
        let by_node = worse.to_global == better.to_global && nodes.contains(&(better.to_node, worse.to_node));
        let by_global = worse.to_node == better.to_node && globals.contains(&(better.to_global, worse.to_global));
        let is_better = worse.source() == better.source() && (by_node || by_global);
        require!(Condition::DominatedBetter, is_better, "step {better:?} does not lead to more than {worse:?}");
    }
    Ok(())
}

pub(super) fn drop_dominated(form: NormalForm, dominated: &Dominated) -> NormalForm {
    let mut kept: Vec<Option<NodeStep>> = form.steps().iter().copied().map(Some).collect();
    for &(drop, _) in &dominated.drops {
        kept[drop as usize] = None;
    }
    form.with_steps(kept.into_iter().flatten().collect())
}

pub(super) fn check_closure<Stop>(form: &NormalForm, closure: &Closure, work: &mut Work) -> Result<(), Refusal<Stop>> {
    check_nodes(form, &closure.relation, false, work)?;
    // The set `U` is computed from the relation, so nothing else can be wrong.
    work.spend(closure.points.len())
}

pub(super) fn close(mut form: NormalForm, closure: &Closure, budget: &mut Budget) -> Result<NormalForm, Stopped> {
    let known: Relation = closure.relation.iter().copied().collect();
    for &(l, g) in &closure.points {
        let gains_nothing = |(x, at): Point| at == g && (x == l || known.contains(&(l, x)));
        let mut inside = vec![l];
        let mut seen: FxHashSet<Node> = FxHashSet::from_iter([l]);
        let mut exits = BTreeSet::new();
        let mut next = 0;
        while next < inside.len() {
            for step in form.steps_from((inside[next], g)) {
                budget.spend(1)?;
                if !gains_nothing(step.target()) {
                    exits.insert(step.target());
                } else if seen.insert(step.to_node) {
                    inside.push(step.to_node);
                }
            }
            next += 1;
        }
        budget.spend(size(&form) as u64)?;
        let mut steps: Vec<NodeStep> = form.steps().iter().filter(|step| step.source() != (l, g)).copied().collect();
        steps.extend(exits.into_iter().map(|(to_node, to_global)| NodeStep { node: l, global: g, to_node, to_global }));
        form = form.with_steps(steps);
    }
    Ok(form)
}
