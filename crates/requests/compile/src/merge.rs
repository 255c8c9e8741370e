//! Canonical continuations: nodes that go on in the same way become one.
//!
//! Strongly connected parts of the graph are visited successors first. A node
//! on no cycle is merged with an earlier one when operation and (merged)
//! successors agree. A whole cycle is merged into an earlier one when walking
//! both in step finds the same operations everywhere and the same merged nodes
//! outside. In both cases the map from old to new nodes is a bisimulation by
//! construction: a node and its image do the same and go on to a node and its
//! image. So merging changes no behaviour, whatever the order of the visits, and each step is where it was in time.
//!
//! Without the simplifications this is equality of the expression that remains
//! to be run, which is what a local state of the published translation is.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

use crate::graph::{Graph, Node, NodeId, Operand};

/// The merged graph and where each old node went.
pub(crate) struct Merged {
    pub(crate) graph: Graph,
    /// The new node per old node; `None` for nodes no request can come to.
    pub(crate) image: Vec<Option<NodeId>>,
}

/// Merges nodes of the same group (`group_of` gives the group of an old node).
pub(crate) fn merge(graph: &Graph, group_of: &dyn Fn(NodeId) -> u32) -> Merged {
    let mut merging = Merging {
        old: skip_jumps(graph),
        group_of,
        image: vec![None; graph.nodes.len()],
        nodes: Vec::new(),
        origin: Vec::new(),
        by_shape: FxHashMap::default(),
        cycles: FxHashMap::default(),
    };
    let entries: Vec<NodeId> = graph.entries.iter().map(|&entry| merging.old.target[entry.index()]).collect();
    for component in strong_components(&merging.old, &entries) {
        serval_budget::checkpoint::pass();
        merging.component(&component);
    }
    let Merging { old, mut image, nodes, origin, .. } = merging;
    for id in graph.ids() {
        serval_budget::checkpoint::pass();
        image[id.index()] = image[old.target[id.index()].index()];
    }
    let merged = Graph {
        spans: origin.iter().map(|id| graph.spans[id.index()]).collect(),
        entries: graph.entries.iter().filter_map(|entry| image[entry.index()]).collect(),
        params: graph.params.clone(),
        named_regs: graph.named_regs.clone(),
        reg_count: graph.reg_count,
        branches: Vec::new(),
        nodes,
    };
    Merged { graph: merged, image }
}

/// A graph in which no edge leads to a jump.
struct Jumpless {
    nodes: Vec<Node>,
    /// The node that each node is after its jumps.
    target: Vec<NodeId>,
}

fn skip_jumps(graph: &Graph) -> Jumpless {
    let mut nodes = graph.nodes.clone();
    let jump_target = |node: Node| match node {
        Node::Branch { test: Operand::Const(value), then, otherwise } => Some(if value != 0 { then } else { otherwise }),
        _ => None,
    };
    let mut target: Vec<Option<NodeId>> = vec![None; nodes.len()];
    let mut path = Vec::new();
    let mut on_path = vec![false; nodes.len()];
    for id in graph.ids() {
        serval_budget::checkpoint::pass();
        let mut at = id;
        let end = loop {
            if let Some(known) = target[at.index()] {
                break known;
            }
            let Some(next) = jump_target(graph.node(at)) else { break at };
            if on_path[at.index()] {
                // Nothing but jumps: a loop that never ends and never yields.
                nodes[at.index()] = Node::Never;
                break at;
            }
            path.push(at);
            on_path[at.index()] = true;
            at = next;
        };
        target[id.index()] = Some(end);
        for passed in path.drain(..) {
            target[passed.index()] = Some(end);
            on_path[passed.index()] = false;
        }
    }
    let target: Vec<NodeId> = graph.ids().map(|id| target[id.index()].unwrap_or(id)).collect();
    for node in &mut nodes {
        node.map_successors(|next| target[next.index()]);
    }
    Jumpless { nodes, target }
}

/// Strongly connected components of what `entries` reach, successors first
/// (Tarjan, with an explicit stack because chains are as long as the text).
fn strong_components(graph: &Jumpless, entries: &[NodeId]) -> Vec<Vec<NodeId>> {
    const UNSEEN: usize = usize::MAX;
    let count = graph.nodes.len();
    let (mut order, mut low, mut on_stack) = (vec![UNSEEN; count], vec![0; count], vec![false; count]);
    let (mut open, mut components, mut next_order) = (Vec::new(), Vec::new(), 0);
    for &entry in entries {
        if order[entry.index()] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(NodeId, usize)> = vec![(entry, 0)];
        while let Some(&mut (id, ref mut position)) = calls.last_mut() {
            serval_budget::checkpoint::pass();
            if *position == 0 {
                order[id.index()] = next_order;
                low[id.index()] = next_order;
                next_order += 1;
                open.push(id);
                on_stack[id.index()] = true;
            }
            let next = graph.nodes[id.index()].successors().nth(*position);
            *position += 1;
            match next {
                Some(next) if order[next.index()] == UNSEEN => calls.push((next, 0)),
                Some(next) => {
                    if on_stack[next.index()] {
                        low[id.index()] = low[id.index()].min(order[next.index()]);
                    }
                }
                None => {
                    calls.pop();
                    if let Some(&(caller, _)) = calls.last() {
                        low[caller.index()] = low[caller.index()].min(low[id.index()]);
                    }
                    if low[id.index()] == order[id.index()] {
                        let start = open.iter().rposition(|&o| o == id).unwrap_or(0);
                        let mut component: Vec<NodeId> = open.drain(start..).collect();
                        component.sort_unstable();
                        for member in &component {
                            on_stack[member.index()] = false;
                        }
                        components.push(component);
                    }
                }
            }
        }
    }
    components
}

struct Merging<'a> {
    old: Jumpless,
    group_of: &'a dyn Fn(NodeId) -> u32,
    image: Vec<Option<NodeId>>,
    nodes: Vec<Node>,
    /// An old node that each new node stands for.
    origin: Vec<NodeId>,
    by_shape: FxHashMap<(u32, Node), NodeId>,
    /// Merged cycles by a hash of their shape; equality is checked by walking.
    cycles: FxHashMap<u64, Vec<Vec<NodeId>>>,
}

/// Stands for "some node of the same cycle" in shapes.
const INSIDE: NodeId = NodeId(u32::MAX);

impl Merging<'_> {
    fn component(&mut self, members: &[NodeId]) {
        let on_cycle = members.len() > 1 || self.old.nodes[members[0].index()].successors().any(|next| next == members[0]);
        if !on_cycle {
            let shape = (self.group(members[0]), self.shape(members[0]));
            let found = self.by_shape.get(&shape).copied();
            let new = found.unwrap_or_else(|| self.add(members[0], shape.1));
            self.by_shape.insert(shape, new);
            self.image[members[0].index()] = Some(new);
            return;
        }
        let hash = self.cycle_hash(members);
        // A few candidates are enough; missing a merge costs states, not truth.
        let candidates: Vec<Vec<NodeId>> = self.cycles.get(&hash).map(|c| c.iter().take(8).cloned().collect()).unwrap_or_default();
        for candidate in &candidates {
            if let Some(walk) = self.walk_in_step(members, candidate) {
                for (old, new) in walk {
                    self.image[old.index()] = Some(new);
                }
                return;
            }
        }
        let new: Vec<NodeId> = members.iter().map(|&member| self.add(member, Node::Never)).collect();
        for (&old, &new) in members.iter().zip(&new) {
            self.image[old.index()] = Some(new);
        }
        for (&old, &new) in members.iter().zip(&new) {
            self.nodes[new.index()] = self.shape(old);
        }
        self.cycles.entry(hash).or_default().push(new);
    }

    fn group(&self, id: NodeId) -> u32 {
        (self.group_of)(id)
    }

    fn add(&mut self, origin: NodeId, node: Node) -> NodeId {
        self.nodes.push(node);
        self.origin.push(origin);
        NodeId::from_index(self.nodes.len() - 1)
    }

    /// The node with its successors merged, or `INSIDE` where they are not yet.
    fn shape(&self, id: NodeId) -> Node {
        let mut node = self.old.nodes[id.index()];
        node.map_successors(|next| self.image[next.index()].unwrap_or(INSIDE));
        node
    }

    fn cycle_hash(&self, members: &[NodeId]) -> u64 {
        let hasher = FxBuildHasher;
        let mut shapes: Vec<u64> = members.iter().map(|&id| hasher.hash_one((self.group(id), self.shape(id)))).collect();
        shapes.sort_unstable();
        hasher.hash_one(shapes)
    }

    /// A map from the cycle `members` into the merged cycle `candidate` that
    /// is a bisimulation, if starting from some node one is found.
    fn walk_in_step(&self, members: &[NodeId], candidate: &[NodeId]) -> Option<Vec<(NodeId, NodeId)>> {
        let first = members[0];
        candidate.iter().take(64).find_map(|&start| self.walk_from(first, start, members, candidate))
    }

    fn walk_from(&self, first: NodeId, start: NodeId, members: &[NodeId], candidate: &[NodeId]) -> Option<Vec<(NodeId, NodeId)>> {
        if self.group(first) != self.group(self.origin[start.index()]) {
            return None;
        }
        let mut paired: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        paired.insert(first, start);
        let mut stack = vec![(first, start)];
        while let Some((old, new)) = stack.pop() {
            serval_budget::checkpoint::pass();
            let (old_node, new_node) = (self.old.nodes[old.index()], self.nodes[new.index()]);
            let (mut a, mut b) = (old_node, new_node);
            a.map_successors(|_| INSIDE);
            b.map_successors(|_| INSIDE);
            if a != b {
                return None;
            }
            for (next_old, next_new) in old_node.successors().zip(new_node.successors()) {
                match self.image[next_old.index()] {
                    Some(outside) if outside == next_new => {}
                    Some(_) => return None,
                    None => match paired.get(&next_old) {
                        Some(&known) if known == next_new => {}
                        Some(_) => return None,
                        None => {
                            if candidate.binary_search(&next_new).is_err() {
                                return None;
                            }
                            paired.insert(next_old, next_new);
                            stack.push((next_old, next_new));
                        }
                    },
                }
            }
        }
        members.iter().map(|&old| Some((old, *paired.get(&old)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liveness::{Liveness, Reads};
    use crate::{lower, simplify};
    use serval_testkit::random::{Shape, random_program};

    /// Graphs stay well formed, and images do what their originals do.
    #[test]
    fn the_image_of_a_node_does_the_same() {
        serval_effort::sweep("compile.merge", 100, 400).each(0, |seed| {
            for shape in Shape::WITH_EDGES {
                let program = serval_syntax::analyze(&random_program(seed, shape)).program.unwrap();
                let raw = lower::lower(&program);
                raw.check_invariants();
                let mut simple = raw.clone();
                simplify::simplify(&mut simple, &program.globals, &Liveness::new(&raw, Reads::Executed));
                simple.check_invariants();
                for graph in [&raw, &simple] {
                    check_bisimulation(graph, &merge(graph, &|_| 0));
                }
            }
        });
    }

    fn check_bisimulation(graph: &Graph, merged: &Merged) {
        merged.graph.check_invariants();
        assert_eq!(merged.graph.entries.len(), graph.entries.len());
        let jumpless = skip_jumps(graph);
        for id in graph.ids() {
            serval_budget::checkpoint::pass();
            let Some(image) = merged.image[id.index()] else { continue };
            let mut node = jumpless.nodes[jumpless.target[id.index()].index()];
            node.map_successors(|next| merged.image[next.index()].expect("a successor of a reachable node is reachable"));
            assert_eq!(node, merged.graph.node(image));
        }
    }

    #[test]
    fn a_ring_of_jumps_never_ends() {
        let program = serval_syntax::analyze("while (1) { while (1) { 0 } }").program.unwrap();
        let mut graph = lower::lower(&program);
        let executed = Liveness::new(&graph, Reads::Executed);
        simplify::simplify(&mut graph, &program.globals, &executed);
        let merged = merge(&graph, &|_| 0);
        assert_eq!(merged.graph.node(merged.graph.entries[0]), Node::Never);
    }
}
