//! Names of states, made of what a state is.
//!
//! A name depends on the program and the state alone, not on the order in
//! which states are met, so that a state has the same name in an export, in a
//! trace, and in a certificate that is checked without exploring everything.
//!
//! * a global state: `X=0 Y=1`, or `-` where no variable matters;
//! * a request that has not begun: `main@start` (`main@start2` for the second
//!   body of that name);
//! * a request that waits: `main@yield2 x=1`, with the `yield`s of one request
//!   name counted in the order of the text; where several lead to the same
//!   state, the first; operands that wait for others are `_0`, `_1`, …;
//! * a request at its end: `main@end 2`, with its answer.
//!
//! In the plain mode local states belong to no request: `@yield2 x=1`, counted
//! over the whole program.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use serval_syntax::{GlobalVar, Program};

use crate::graph::{Graph, Node, NodeId};
use crate::machine::Machine;
use crate::space::LocalState;

/// The names of the places where requests can be.
pub(crate) struct Naming {
    /// Request name per owner; empty in the plain mode.
    owners: Vec<String>,
    starts: FxHashMap<(u32, NodeId), String>,
    yields: FxHashMap<(u32, NodeId), String>,
}

impl Naming {
    /// `raw` is the graph as written, `image` maps its nodes to merged ones.
    pub(crate) fn new(program: &Program, raw: &Graph, image: &[Option<NodeId>], owners: &[u32], plain: bool) -> Self {
        let count = owners.iter().max().map_or(0, |&last| last as usize + 1);
        let mut naming = Self { owners: vec![String::new(); count], starts: FxHashMap::default(), yields: FxHashMap::default() };
        let (mut bodies, mut waits) = (vec![0_usize; count], vec![0_usize; count]);
        for (body, &owner) in owners.iter().enumerate() {
            let index = owner as usize;
            if !plain {
                naming.owners[index].clone_from(&program.requests[body].name);
            }
            bodies[index] += 1;
            let start = if bodies[index] == 1 { "start".to_owned() } else { format!("start{}", bodies[index]) };
            if let Some(node) = image[raw.entries[body].index()] {
                naming.starts.entry((owner, node)).or_insert(start);
            }
            for resume in resumes(raw, raw.entries[body]) {
                waits[index] += 1;
                if let Some(node) = image[resume.index()] {
                    naming.yields.entry((owner, node)).or_insert_with(|| format!("yield{}", waits[index]));
                }
            }
        }
        naming
    }

    pub(crate) fn local(&self, machine: &Machine, state: &LocalState) -> String {
        let owner = self.owners.get(state.owner as usize).map_or("", String::as_str);
        let values = &state.waiting.values;
        let mut name = format!("{owner}@");
        let Some(node) = state.waiting.node else {
            let _ = write!(name, "end {}", values.first().copied().unwrap_or(0));
            for (variable, value) in machine.graph.named_regs.iter().zip(values.iter().skip(1)) {
                let _ = write!(name, " {variable}={value}");
            }
            return name;
        };
        let start = self.starts.get(&(state.owner, node));
        let place = start.or_else(|| self.yields.get(&(state.owner, node)));
        name.push_str(place.map_or("?", String::as_str));
        // At the start all values are 0; only a request that came back there
        // with others has them in its name.
        if start.is_some() && values.iter().all(|&value| value == 0) {
            return name;
        }
        let named = machine.graph.named_regs.len();
        for (reg, value) in machine.kept_at(node).iter().zip(values) {
            let _ = match machine.graph.named_regs.get(reg.index()) {
                Some(variable) => write!(name, " {variable}={value}"),
                None => write!(name, " _{}={value}", reg.index() - named),
            };
        }
        name
    }

    pub(crate) fn global(program: &Program, variables: &[GlobalVar], values: &[i64]) -> String {
        if variables.is_empty() {
            return "-".to_owned();
        }
        let mut name = String::new();
        for (variable, value) in variables.iter().zip(values) {
            let space = if name.is_empty() { "" } else { " " };
            let _ = write!(name, "{space}{}={value}", program.globals[variable.index()].name);
        }
        name
    }
}

/// Where requests go on after the `yield`s of a body, in the order of the text.
fn resumes(graph: &Graph, entry: NodeId) -> Vec<NodeId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![entry];
    let mut found = Vec::new();
    while let Some(id) = stack.pop() {
        serval_budget::checkpoint::pass();
        if !seen.insert(id) {
            continue;
        }
        if let Node::Yield { next } = graph.node(id) {
            found.push((graph.spans[id.index()], next));
        }
        stack.extend(graph.node(id).successors());
    }
    found.sort_unstable();
    found.into_iter().map(|(_, next)| next).collect()
}
