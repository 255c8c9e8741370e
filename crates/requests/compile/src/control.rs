//! The control graph of a program, for those who execute it symbolically.
//!
//! This is the graph that the machine runs and that network systems come from: lowered, simplified, equal continuations
//! merged. It has the runs of the program as written, because each of those passes keeps every step's effect on the
//! remaining globals, its possible answers, its errors and the places where it ends (`simplify`, `merge`), and what a
//! waiting request keeps is what it can still read (`liveness`). A proof about this graph is therefore one about the
//! program, and a user who trusts the compiler for network systems trusts nothing more here.
//!
//! A node that stands for several of the text has the place of one of them.

pub use crate::graph::{Node, NodeId, Op, Operand, Reg};

use serval_syntax::{Program, Span};

use crate::Prepared;
use crate::graph::Graph;
use crate::liveness::{Liveness, Reads};

/// A view of the control graph.
pub struct Control<'a> {
    program: &'a Program,
    graph: &'a Graph,
    liveness: Liveness,
    entries: Vec<NodeId>,
    params: Vec<Vec<(Reg, i64, i64)>>,
    apart: bool,
}

impl Prepared {
    /// The control graph that is run.
    pub fn control(&self) -> Control<'_> {
        let graph = &self.machine().graph;
        let entries = graph.entries.clone();
        let (liveness, params) = (Liveness::new(graph, Reads::Executed), graph.params.clone());
        Control { program: self.program(), graph, liveness, entries, params, apart: false }
    }
}

impl Control<'_> {
    /// The program.
    pub fn program(&self) -> &Program {
        self.program
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.graph.nodes.len()
    }

    /// How many registers there are.
    pub fn reg_count(&self) -> usize {
        self.graph.reg_count
    }

    /// A node. What does not exist never comes to an end.
    pub fn node(&self, id: NodeId) -> Node {
        self.graph.nodes.get(id.index()).copied().unwrap_or(Node::Never)
    }

    /// Where a node's operation stands in the text.
    pub fn span(&self, id: NodeId) -> Span {
        self.graph.spans.get(id.index()).copied().unwrap_or_default()
    }

    /// The first node of each request body, in the order of the program. All registers but parameters are 0 there.
    pub fn entries(&self) -> &[NodeId] {
        &self.entries
    }

    /// The registers that are parameters of each of these bodies, with the least and the greatest value.
    pub fn params(&self) -> &[Vec<(Reg, i64, i64)>] {
        &self.params
    }

    /// The same graph with some of the request bodies alone, which are to be executed each by itself, even where they
    /// share nodes. Bodies that are not there are left out.
    pub fn only(mut self, bodies: &[u32]) -> Self {
        self.entries = bodies.iter().filter_map(|&body| self.graph.entries.get(body as usize).copied()).collect();
        self.params = bodies.iter().filter_map(|&body| self.graph.params.get(body as usize).cloned()).collect();
        self.apart = true;
        self
    }

    /// Whether bodies are to be executed each by itself.
    pub fn is_apart(&self) -> bool {
        self.apart
    }

    /// The registers that can be read at `id` or after before they are written, ascending.
    pub fn live_at(&self, id: NodeId) -> Vec<Reg> {
        self.liveness.live_at(id)
    }

    /// The name of a register that holds a local variable.
    pub fn reg_name(&self, reg: Reg) -> Option<&str> {
        self.graph.named_regs.get(reg.index()).map(String::as_str)
    }
}
