//! Nodes, and global states, that simulate each other are merged: `locals` and
//! `globals`.
//!
//! What a weak simulation is, and why it may be taken to be reflexive and
//! transitive, is said in [`simulation`](super::simulation).
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
//! **The order in time** is kept (lemma 2 of [`crate::strict`]): each step is followed by a path of the same request,
//! perhaps an empty one, in its place.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::{objects, require};
use serval_model::{NodeKind, NodeStep, NormalForm};

use super::Reduced;
use super::rule::{Range, Rule};
use super::simulation::{Relation, check_nodes, check_states};
use crate::{Checked, Work};

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

objects!(Quotient);

/// The rule for nodes.
pub(super) struct LocalQuotient<'a>(pub(super) &'a Quotient);

/// The rule for global states.
pub(super) struct GlobalQuotient<'a>(pub(super) &'a Quotient);

impl Rule for LocalQuotient<'_> {
    fn in_range(&self, range: &Range) -> bool {
        range.nodes(&self.0.relation) && self.0.classes.iter().all(|class| !class.is_empty() && class.iter().all(|node| range.node(node)))
    }

    fn check(&self, reduced: &Reduced, work: &mut Work) -> Checked {
        let known = check_nodes(&reduced.form, &self.0.relation, false, work)?;
        check_classes(&known, &self.0.classes, work)
    }

    fn apply(&self, reduced: &mut Reduced, _: &mut Budget) -> Result<(), Stopped> {
        let (form, classes) = (&reduced.form, &self.0.classes);
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
        let merged = |step: &NodeStep| NodeStep { node: of[step.node as usize], to_node: of[step.to_node as usize], ..*step };
        let steps = form.steps().iter().map(merged).collect();
        *reduced = Reduced::new(NormalForm::from_parts(form.global_count(), form.initial_global(), nodes, steps));
        Ok(())
    }
}

impl Rule for GlobalQuotient<'_> {
    fn in_range(&self, range: &Range) -> bool {
        range.globals(&self.0.relation)
            && self.0.classes.iter().all(|class| !class.is_empty() && class.iter().all(|state| range.global(state)))
    }

    fn check(&self, reduced: &Reduced, work: &mut Work) -> Checked {
        let known = check_states(&reduced.form, &self.0.relation, false, work)?;
        check_classes(&known, &self.0.classes, work)
    }

    fn apply(&self, reduced: &mut Reduced, _: &mut Budget) -> Result<(), Stopped> {
        let form = &reduced.form;
        let of = representatives(form.global_count(), &self.0.classes);
        let merged = |step: &NodeStep| NodeStep { global: of[step.global as usize], to_global: of[step.to_global as usize], ..*step };
        let steps = form.steps().iter().map(merged).collect();
        let initial = of[form.initial_global() as usize];
        *reduced = Reduced::new(NormalForm::from_parts(form.global_count(), initial, form.nodes().to_vec(), steps));
        Ok(())
    }
}

/// In each class each member simulates the next, and the last the first.
fn check_classes(known: &Relation, classes: &[Vec<u32>], work: &mut Work) -> Checked {
    let mut seen = BTreeSet::new();
    for class in classes {
        work.spend(class.len())?;
        for (&member, &next) in class.iter().zip(class.iter().cycle().skip(1)) {
            require!(QuotientDisjoint, seen.insert(member), "{member} is in two classes, or twice in one");
            let simulates = member == next || known.contains(&(member, next));
            require!(QuotientClasses, simulates, "{member} does not simulate {next}");
        }
    }
    Ok(())
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
