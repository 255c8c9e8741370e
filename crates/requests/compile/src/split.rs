//! Independent components: requests that share nothing are decided alone.
//!
//! Two requests belong together when they have the same name, or when both
//! use a global variable that some request writes. (After simplification a
//! global that no request writes is a constant, and one that none reads is
//! gone.) No step of one component changes what a step of another one sees,
//! so a run of the whole is a shuffle of runs of the components: `Int` and
//! `Ser` are the sums of those of the components. Requests of one name must
//! stay together because completed multisets do not tell their bodies apart.
//! The order in time is kept: the whole is strict iff each component is (locality: Herlihy and Wing 1990), as
//! each request is in one of them.

use serval_syntax::{GlobalVar, Program};

use crate::disjoint::DisjointSets;
use crate::graph::{Graph, Node, Op};

/// One component: request bodies and the globals they use, both ascending.
pub(crate) struct SplitPart {
    /// Indices into [`Program::requests`].
    pub(crate) bodies: Vec<usize>,
    pub(crate) globals: Vec<GlobalVar>,
}

/// Splits the simplified program; the first component holds the first request.
pub(crate) fn split(program: &Program, graph: &Graph) -> Vec<SplitPart> {
    let used: Vec<Vec<GlobalVar>> = graph.entries.iter().map(|&entry| globals_used(graph, entry)).collect();
    let mut together = DisjointSets::new(program.requests.len());
    let mut user: Vec<Option<usize>> = vec![None; program.globals.len()];
    let mut named = rustc_hash::FxHashMap::default();
    for (body, request) in program.requests.iter().enumerate() {
        let other = *named.entry(request.name.as_str()).or_insert(body);
        together.unite(body, other);
        for global in &used[body] {
            let other = *user[global.index()].get_or_insert(body);
            together.unite(body, other);
        }
    }
    let mut parts: Vec<SplitPart> = Vec::new();
    let mut part_of: Vec<Option<usize>> = vec![None; program.requests.len()];
    for (body, used) in used.iter().enumerate() {
        let root = together.least(body);
        let part = *part_of[root].get_or_insert_with(|| {
            parts.push(SplitPart { bodies: Vec::new(), globals: Vec::new() });
            parts.len() - 1
        });
        parts[part].bodies.push(body);
        parts[part].globals.extend(used);
    }
    for part in &mut parts {
        part.globals.sort_unstable();
        part.globals.dedup();
    }
    parts
}

/// Everything in one component.
pub(crate) fn whole(program: &Program) -> Vec<SplitPart> {
    let globals = (0..program.globals.len()).map(|index| GlobalVar(u32::try_from(index).unwrap_or(u32::MAX))).collect();
    vec![SplitPart { bodies: (0..program.requests.len()).collect(), globals }]
}

fn globals_used(graph: &Graph, entry: crate::graph::NodeId) -> Vec<GlobalVar> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![entry];
    let mut used = Vec::new();
    while let Some(id) = stack.pop() {
        serval_budget::checkpoint::pass();
        if !seen.insert(id) {
            continue;
        }
        let node = graph.node(id);
        if let Node::Do { op: Op::Load { global, .. } | Op::Store { global, .. }, .. } = node {
            used.push(global);
        }
        stack.extend(node.successors());
    }
    used.sort_unstable();
    used.dedup();
    used
}
