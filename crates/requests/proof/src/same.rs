//! A component that does what an earlier one does, under other names.
//!
//! Let `N` and `N'` be the normal forms of two components, `ν` a one-to-one map
//! of the nodes of `N` onto those of `N'` and `γ` one of the global states of `N`
//! onto those of `N'`, such that
//!
//! 1. `γ` takes the initial global state to the initial global state;
//! 2. `ν` takes initial nodes to initial nodes, done nodes to done nodes, and
//!    the others to the others;
//! 3. `(n, g) → (n', g')` is a step of `N` exactly if
//!    `(ν(n), γ(g)) → (ν(n'), γ(g'))` is one of `N'`.
//!
//! **Theorem.** If `N'` is serializable, so is `N`.
//!
//! *Proof.* In a normal form each letter has one done node, so `ν` is also a
//! one-to-one map of letters. Replacing nodes and global states by their images
//! turns a complete run of `N` into a complete run of `N'` (1, 2 and 3, from left
//! to right), in which the same requests move at the same times; its letters are
//! the images of the letters. Let a complete run of `N` have the letters `r`. Then
//! `ν(r)` are letters of a complete run of `N'`, and, since `N'` is serializable,
//! of a complete serial run of `N'`. Replacing nodes and global states by those
//! whose images they are turns that into a complete run of `N` (1, 2 and 3, from
//! right to left), which is serial as well, and whose letters are `r`, because `ν`
//! is one-to-one. ∎
//!
//! Which request a node belongs to need not be kept: no step depends on it, and
//! the letter of a done node says it. The component that is referred to comes
//! before and has a proof of its own, so that no proofs stand on each other in a
//! circle.

use serval_diagnostic::counted;
use serval_evidence::require;
use serval_model::{NodeKind, NodeStep, NormalForm};

use crate::{Checked, Work};

/// Says that a component does what an earlier one does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Same {
    /// The number of the earlier component, from 0.
    pub part: usize,
    /// For each global state which of the earlier component's it is.
    pub globals: Vec<u32>,
    /// For each node which of the earlier component's it is.
    pub nodes: Vec<u32>,
}

/// Whether `form` does what `earlier`, the form of the component with the
/// number `same.part`, does.
pub fn check_same(form: &NormalForm, earlier: &NormalForm, same: &Same, work: &mut Work) -> Checked {
    let object = || format!("the same as component {}", same.part);
    work.spend(same.globals.len() + same.nodes.len() + form.nodes().len() + 4 * (form.steps().len() + earlier.steps().len()))?;
    let (globals, nodes) = (earlier.global_count() as usize, earlier.nodes().len());
    let fits = form.global_count() as usize == globals && form.nodes().len() == nodes;
    let maps = fits && is_one_to_one(&same.globals, globals) && is_one_to_one(&same.nodes, nodes);
    require!(
        SameMaps,
        maps,
        about(object()),
        "the maps do not take {} and {} to as many",
        counted(globals, "global state"),
        counted(nodes, "node")
    );
    // Where the condition above is met every number is there.
    let global = |global: u32| same.globals.get(global as usize).copied().unwrap_or(u32::MAX);
    let node = |node: u32| same.nodes.get(node as usize).copied().unwrap_or(u32::MAX);
    let initial = global(form.initial_global()) == earlier.initial_global();
    require!(SameInitial, initial, about(object()), "the initial global states do not correspond");
    for (number, &(_, kind)) in form.nodes().iter().enumerate() {
        let image = same.nodes.get(number).and_then(|&image| earlier.nodes().get(image as usize));
        let alike = image.is_some_and(|&(_, other)| are_alike(kind, other));
        require!(SameNodes, alike, about(object()), "node {number} is not of the kind of the node it is said to be");
    }
    let image = |step: &NodeStep| NodeStep {
        node: node(step.node),
        global: global(step.global),
        to_node: node(step.to_node),
        to_global: global(step.to_global),
    };
    let mut images: Vec<NodeStep> = form.steps().iter().map(image).collect();
    images.sort_unstable();
    images.dedup();
    let steps = images == earlier.steps();
    require!(SameSteps, steps, about(object()), "its steps are not those of the earlier component");
    Ok(())
}

/// Whether each number below `count` is in the list once.
fn is_one_to_one(map: &[u32], count: usize) -> bool {
    let mut seen = vec![false; count];
    let new = |&image: &u32| seen.get_mut(image as usize).is_some_and(|seen| !std::mem::replace(seen, true));
    map.len() == count && map.iter().all(new)
}

fn are_alike(one: NodeKind, other: NodeKind) -> bool {
    matches!(
        (one, other),
        (NodeKind::Initial, NodeKind::Initial) | (NodeKind::Inner, NodeKind::Inner) | (NodeKind::Done(_), NodeKind::Done(_))
    )
}
