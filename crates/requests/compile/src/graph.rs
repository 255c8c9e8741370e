//! Control graphs: what a request does, one small operation per node.
//!
//! A graph is shared by all requests of a program. Values live in registers:
//! first the local variables, by name, then temporaries that hold the values
//! of operands already evaluated while later ones are. A request that waits
//! at a `yield` is therefore a node and some register values, and that is all
//! an evaluation context `E[0]` can be.

use serval_syntax::{ArithmeticOp, CompareOp, GlobalVar, IndexPlace, Limit, Span, Variable};

/// A node of a control graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    pub(crate) fn from_index(index: usize) -> Self {
        match u32::try_from(index) {
            Ok(index) => Self(index),
            // A node takes more than one byte of source, and sources are limited to far less than 4 GiB.
            Err(_) => panic!("control graph with more than 2^32 nodes"),
        }
    }

    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u32);

impl Reg {
    pub(crate) fn from_index(index: usize) -> Self {
        // Registers come from a text of limited size.
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A number.
    Const(i64),
    /// What a register holds.
    Reg(Reg),
}

impl Operand {
    /// The register, if it is one.
    pub fn reg(self) -> Option<Reg> {
        match self {
            Self::Const(_) => None,
            Self::Reg(reg) => Some(reg),
        }
    }
}

/// An operation that is followed by exactly one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "what the parts of an operation are is said with the operation")]
pub enum Op {
    /// `to := from`
    Copy { to: Reg, from: Operand },
    /// Reads a global variable.
    Load { to: Reg, global: GlobalVar },
    /// Writes a global variable. With `unlock` it is worth a remark where the
    /// variable is 0 already.
    Store { global: GlobalVar, from: Operand, unlock: bool },
    /// Goes on where the operand lies between `low` and `high`, and is an error
    /// elsewhere.
    Check { from: Operand, low: i64, high: i64, limit: Limit },
    /// `to := from == 0`
    Not { to: Reg, from: Operand },
    /// `to := -from`
    Negate { to: Reg, from: Operand },
    /// `to := left op right`
    Arithmetic { op: ArithmeticOp, to: Reg, left: Operand, right: Operand },
    /// `to := left op right`, 0 or 1
    Compare { op: CompareOp, to: Reg, left: Operand, right: Operand },
    /// `to := 0` or `to := 1`, either may happen.
    Choose { to: Reg },
}

impl Op {
    /// The register written, if any.
    pub fn writes(&self) -> Option<Reg> {
        match *self {
            Self::Store { .. } | Self::Check { .. } => None,
            Self::Copy { to, .. }
            | Self::Load { to, .. }
            | Self::Not { to, .. }
            | Self::Negate { to, .. }
            | Self::Arithmetic { to, .. }
            | Self::Compare { to, .. }
            | Self::Choose { to } => Some(to),
        }
    }

    /// The operands read, at most two.
    pub fn reads(&self) -> [Option<Operand>; 2] {
        match *self {
            Self::Load { .. } | Self::Choose { .. } => [None, None],
            Self::Copy { from, .. }
            | Self::Store { from, .. }
            | Self::Check { from, .. }
            | Self::Not { from, .. }
            | Self::Negate { from, .. } => [Some(from), None],
            Self::Arithmetic { left, right, .. } | Self::Compare { left, right, .. } => [Some(left), Some(right)],
        }
    }

    /// Rewrites the operands read.
    pub(crate) fn map_reads(&mut self, f: impl Fn(Operand) -> Operand) {
        match self {
            Self::Load { .. } | Self::Choose { .. } => {}
            Self::Copy { from, .. }
            | Self::Store { from, .. }
            | Self::Check { from, .. }
            | Self::Not { from, .. }
            | Self::Negate { from, .. } => *from = f(*from),
            Self::Arithmetic { left, right, .. } | Self::Compare { left, right, .. } => {
                *left = f(*left);
                *right = f(*right);
            }
        }
    }
}

/// One node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "what the parts of a node are is said with the node")]
pub enum Node {
    /// Do `op`, go on with `next`.
    Do { op: Op, next: NodeId },
    /// Go on with `then` where the operand is not 0, else with `otherwise`.
    Branch { test: Operand, then: NodeId, otherwise: NodeId },
    /// The step ends; the request waits and goes on with `next` later.
    Yield { next: NodeId },
    /// The step ends; the request is at its end and can answer this value.
    Answer { value: Operand },
    /// No way from here leads to the end of a step.
    Never,
}

impl Node {
    /// The nodes that may follow, across `yield` too.
    pub fn successors(&self) -> impl Iterator<Item = NodeId> + use<> {
        let (a, b) = match *self {
            Self::Do { next, .. } | Self::Yield { next } => (Some(next), None),
            Self::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Self::Answer { .. } | Self::Never => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// The nodes that may follow within one step.
    pub fn successors_in_step(&self) -> impl Iterator<Item = NodeId> + use<> {
        let node = *self;
        node.successors().filter(move |_| !matches!(node, Self::Yield { .. }))
    }

    /// The same with other names. What a limit is called says nothing about what is done, so it is left out.
    pub fn renamed(mut self, reg: impl Fn(Reg) -> Reg, global: impl Fn(GlobalVar) -> GlobalVar, next: impl Fn(NodeId) -> NodeId) -> Self {
        let operand = |from: Operand| from.reg().map_or(from, |from| Operand::Reg(reg(from)));
        self.map_successors(next);
        match &mut self {
            Self::Do { op, .. } => {
                op.map_reads(operand);
                match op {
                    Op::Load { to, global: read } => (*to, *read) = (reg(*to), global(*read)),
                    Op::Store { global: written, .. } => *written = global(*written),
                    Op::Check { limit, .. } => {
                        let first = Variable::Global(GlobalVar(0));
                        *limit = match limit {
                            Limit::Range(_) => Limit::Range(first),
                            Limit::Index(..) => Limit::Index(first, IndexPlace::Only),
                            Limit::Assertion | Limit::Invariant(_) => Limit::Assertion,
                        };
                    }
                    Op::Copy { to, .. }
                    | Op::Not { to, .. }
                    | Op::Negate { to, .. }
                    | Op::Arithmetic { to, .. }
                    | Op::Compare { to, .. }
                    | Op::Choose { to } => *to = reg(*to),
                }
            }
            Self::Branch { test, .. } => *test = operand(*test),
            Self::Answer { value } => *value = operand(*value),
            Self::Yield { .. } | Self::Never => {}
        }
        self
    }

    /// The registers and globals of which it speaks.
    pub fn mentions(&self) -> (impl Iterator<Item = Reg> + use<>, Option<GlobalVar>) {
        let (regs, global) = match *self {
            Self::Do { op, .. } => {
                let [left, right] = op.reads();
                let global = match op {
                    Op::Load { global, .. } | Op::Store { global, .. } => Some(global),
                    _ => None,
                };
                ([left.and_then(Operand::reg), right.and_then(Operand::reg), op.writes()], global)
            }
            Self::Branch { test: operand, .. } | Self::Answer { value: operand } => ([operand.reg(), None, None], None),
            Self::Yield { .. } | Self::Never => ([None; 3], None),
        };
        (regs.into_iter().flatten(), global)
    }

    /// Rewrites the successors.
    pub(crate) fn map_successors(&mut self, mut f: impl FnMut(NodeId) -> NodeId) {
        match self {
            Self::Do { next, .. } | Self::Yield { next } => *next = f(*next),
            Self::Branch { then, otherwise, .. } => {
                *then = f(*then);
                *otherwise = f(*otherwise);
            }
            Self::Answer { .. } | Self::Never => {}
        }
    }
}

/// The control graph of a whole program.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// Where each node's operation stands in the text.
    pub(crate) spans: Vec<Span>,
    /// The first node of each request body, in the order of the program.
    pub(crate) entries: Vec<NodeId>,
    /// The registers that hold parameters when each request body begins, with the least and the greatest value. All
    /// others are 0 then.
    pub(crate) params: Vec<Vec<(Reg, i64, i64)>>,
    /// Registers that hold named local variables come first.
    pub(crate) named_regs: Vec<String>,
    /// How many registers there are in all.
    pub(crate) reg_count: usize,
    /// The branches of `if` and `while`; of a graph as it was lowered.
    pub(crate) branches: Vec<GraphBranch>,
}

/// A branch of `if` or `while`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphBranch {
    /// Where it stands in the text.
    pub(crate) place: Span,
    /// The node with which its condition begins, the first of them in a chain.
    pub(crate) head: NodeId,
    /// The node with which it begins itself.
    pub(crate) entry: NodeId,
    /// Whether one of the conditions before it is constant, so that it may be switched on and off there.
    pub(crate) switched: bool,
}

impl Graph {
    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::from_index)
    }

    /// Checks from scratch that every edge and register exists.
    #[cfg(test)]
    pub(crate) fn check_invariants(&self) {
        assert_eq!(self.nodes.len(), self.spans.len());
        for node in &self.nodes {
            for next in node.successors() {
                assert!(next.index() < self.nodes.len());
            }
            if let Node::Do { op, .. } = node {
                let regs = op.reads().into_iter().flatten().filter_map(Operand::reg).chain(op.writes());
                for reg in regs {
                    assert!(reg.index() < self.reg_count);
                }
            }
        }
    }
}
