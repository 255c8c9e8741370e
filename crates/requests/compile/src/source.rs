//! Runs the text itself, with every real value.
//!
//! [`Source`] is the program as written: nothing folded, reset or dropped.
//! [`SourceRun`] runs it, request by request and step by step, and works for
//! programs with infinitely many states too.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serval_syntax::{GlobalVar, Program, Span};

use crate::graph::{Node, NodeId};
use crate::liveness::{Liveness, Reads};
use crate::lower;
use crate::machine::{Fault, Keep, Machine, Scratch, StepLimits, Waiting};
use crate::split::whole;

/// A read or write of a global variable as it really happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The variable.
    pub variable: GlobalVar,
    /// Whether it was written.
    pub write: bool,
    /// The value read or written.
    pub value: i64,
    /// Where in the text.
    pub span: Span,
}

/// One way in which a request can make its next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStep {
    /// The text that is run, from the first operation to the last.
    pub span: Span,
    /// All accesses to globals, in order.
    pub accesses: Vec<Access>,
    /// The `yield`, the `return` or the end of the body where the step ends.
    pub ended_at: Span,
    /// The globals afterwards, in the order of the program.
    pub globals: Vec<i64>,
    pub(crate) waiting: Waiting,
}

/// Why a run of a compiled system could not be followed on the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceMismatch {
    /// No request body of the component starts in this local state.
    NoSuchStart,
    /// There is no request with this number.
    NoSuchThread,
    /// No way of running the text ends in these states.
    NoSuchStep,
}

impl fmt::Display for SourceMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchStart => "no request of the program starts in this state",
            Self::NoSuchThread => "there is no request with this number",
            Self::NoSuchStep => "no way of running the program makes this step",
        })
    }
}

/// A program ready to run as written.
pub struct Source {
    program: Program,
    pub(crate) machine: Arc<Machine>,
}

impl Source {
    /// Prepares `program`.
    pub fn new(program: &Program, limits: StepLimits) -> Self {
        Self::with_liveness(program, limits).0
    }

    /// The same with the live registers of its graph.
    pub(crate) fn with_liveness(program: &Program, limits: StepLimits) -> (Self, Liveness) {
        let globals = whole(program).swap_remove(0).globals;
        let graph = lower::lower(program);
        let liveness = Liveness::new(&graph, Reads::Executed);
        let machine = Machine::with_liveness(graph, &liveness, &[&globals], program.globals.len(), Keep::OwnNamed, limits);
        (Self { program: program.clone(), machine: Arc::new(machine) }, liveness)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The first node of a request body, in the graph of the text as written. All registers are 0 there.
    pub fn entry(&self, body: usize) -> Option<NodeId> {
        self.machine.graph.entries.get(body).copied()
    }

    /// A node of that graph, and where its operation stands. What does not exist never comes to an end.
    pub fn node(&self, id: NodeId) -> (Node, Span) {
        let graph = &self.machine.graph;
        let node = graph.nodes.get(id.index()).copied().unwrap_or(Node::Never);
        (node, graph.spans.get(id.index()).copied().unwrap_or_default())
    }

    /// How many registers that graph has.
    pub fn reg_count(&self) -> usize {
        self.machine.graph.reg_count
    }

    /// The program before any request has come.
    pub fn start(&self) -> SourceRun<'_> {
        let globals = self.program.globals.iter().map(|global| global.initial).collect();
        SourceRun { source: self, globals, threads: BTreeMap::new(), scratch: Scratch::recording() }
    }
}

struct SourceThread {
    body: usize,
    waiting: Waiting,
    at: Span,
}

/// A program in the middle of a run.
pub struct SourceRun<'a> {
    source: &'a Source,
    globals: Vec<i64>,
    threads: BTreeMap<u32, SourceThread>,
    scratch: Scratch,
}

impl<'a> SourceRun<'a> {
    /// The program that runs.
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// The values of all global variables, in the order of the program.
    pub fn globals(&self) -> &[i64] {
        &self.globals
    }

    /// The numbers of the requests in flight, ascending.
    pub fn threads(&self) -> impl Iterator<Item = u32> + '_ {
        self.threads.keys().copied()
    }

    /// The body that a request runs: an index into [`Program::requests`].
    pub fn body(&self, thread: u32) -> Option<usize> {
        self.threads.get(&thread).map(|state| state.body)
    }

    /// The local variables of a request, with their values.
    pub fn locals(&self, thread: u32) -> Option<Vec<(&'a str, i64)>> {
        let state = self.threads.get(&thread)?;
        let machine = &self.source.machine;
        let (regs, values) = match state.waiting.node {
            Some(node) => (machine.kept_at(node), &state.waiting.values[..]),
            None => (machine.named_at(machine.graph.entries[state.body]), &state.waiting.values[1..]),
        };
        let named = &machine.graph.named_regs;
        let value = |name: &str| {
            let known = regs.iter().zip(values).find(|(reg, _)| named.get(reg.index()).is_some_and(|known| known == name));
            known.map_or(0, |(_, &value)| value)
        };
        Some(self.source.program.requests[state.body].locals.iter().map(|local| (local.name.as_str(), value(&local.name))).collect())
    }

    /// Where a request waits, for the names of states.
    pub(crate) fn waiting(&self, thread: u32) -> Option<&Waiting> {
        self.threads.get(&thread).map(|state| &state.waiting)
    }

    /// Where a request stands: its name before the first step, then the
    /// `yield` at which it waits, at last its end.
    pub fn place(&self, thread: u32) -> Option<Span> {
        self.threads.get(&thread).map(|state| state.at)
    }

    /// The answer of a request that is at its end.
    pub fn answer(&self, thread: u32) -> Option<i64> {
        let waiting = &self.threads.get(&thread)?.waiting;
        if waiting.node.is_none() { waiting.values.first().copied() } else { None }
    }

    /// A request comes and will run the given body.
    pub fn spawn(&mut self, thread: u32, body: usize) {
        let machine = &self.source.machine;
        let waiting = machine.entry(machine.graph.entries[body]);
        self.threads.insert(thread, SourceThread { body, waiting, at: self.source.program.requests[body].name_span });
    }

    /// All ways in which a request can make its next step, in a fixed order,
    /// and the first fault met on another way. Ways that end alike are listed
    /// once per way.
    pub fn steps(&mut self, thread: u32) -> (Vec<SourceStep>, Option<Fault>) {
        let mut steps = Vec::new();
        let Some(state) = self.threads.get(&thread) else { return (steps, None) };
        let (fault, _) = self.source.machine.step(&state.waiting, &self.globals, &mut self.scratch, &mut |outcome| {
            let accesses = outcome.accesses.iter().map(|access| Access {
                variable: access.global,
                write: access.write,
                value: access.value,
                span: access.span,
            });
            steps.push(SourceStep {
                span: outcome.span,
                accesses: accesses.collect(),
                ended_at: outcome.at,
                globals: outcome.global.to_vec(),
                waiting: outcome.waiting,
            });
        });
        (steps, fault)
    }

    /// A request makes a step that [`SourceRun::steps`] offered it.
    pub fn take(&mut self, thread: u32, step: &SourceStep) -> Result<(), SourceMismatch> {
        let state = self.threads.get_mut(&thread).ok_or(SourceMismatch::NoSuchThread)?;
        state.waiting = step.waiting.clone();
        state.at = step.ended_at;
        self.globals.clone_from(&step.globals);
        Ok(())
    }

    /// A request has answered and is gone.
    pub fn respond(&mut self, thread: u32) -> Result<(), SourceMismatch> {
        self.threads.remove(&thread).map(|_| ()).ok_or(SourceMismatch::NoSuchThread)
    }
}

impl SourceStep {
    /// The answer, where the request is at its end after this step.
    pub fn answer(&self) -> Option<i64> {
        if self.waiting.node.is_none() { self.waiting.values.first().copied() } else { None }
    }
}
