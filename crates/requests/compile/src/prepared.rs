//! A program ready to be explored: its control graph, its independent parts,
//! the names of its states. Making this is cheap; exploring may not be.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_model::RequestId;
use serval_syntax::{GlobalVar, Program};

use crate::graph::{Graph, GraphBranch, NodeId, Reg};
use crate::liveness::Liveness;
use crate::machine::{Keep, Machine, Waiting};
use crate::naming::Naming;
use crate::options::{Mode, Options};
use crate::registers::Registers;
use crate::source::Source;
use crate::space::{LocalState, Space};
use crate::split::{SplitPart, split, whole};
use crate::{merge, simplify};

/// A program whose states can be explored: all of them, with
/// [`Prepared::compile`], or as they are needed, with [`Prepared::lazy`].
pub struct Prepared {
    pub(crate) options: Options,
    /// The program as written, for replaying runs with real values.
    source: Source,
    machine: Arc<Machine>,
    pub(crate) parts: Vec<SplitPart>,
    /// Where each node of the source graph went.
    image: Vec<Option<NodeId>>,
    /// The owner of each request body's local states.
    owners: Vec<u32>,
    naming: Naming,
}

impl Prepared {
    /// Prepares a program.
    pub fn new(program: &Program, options: Options) -> Self {
        let (source, liveness) = Source::with_liveness(program, options.limits.step);
        let raw = &source.machine.graph;
        let plain = options.mode == Mode::Plain;
        let owners = owners(program, options.mode);
        let merged = reduce(program, raw, &liveness, &owners, options.mode);
        let naming = Naming::new(program, raw, &merged.image, &owners, plain);
        let parts = if plain { whole(program) } else { split(program, &merged.graph) };
        // A global belongs to at most one part, so one table of positions, and
        // with it one machine, serves all of them.
        let tables: Vec<&[GlobalVar]> = parts.iter().map(|part| part.globals.as_slice()).collect();
        let machine = Arc::new(Machine::new(
            merged.graph,
            &tables,
            program.globals.len(),
            if plain { Keep::AllNamed } else { Keep::Live },
            options.limits.step,
        ));
        Self { options, source, machine, parts, image: merged.image, owners, naming }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.source.program()
    }

    /// The program as written, ready to run.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The branches of the program as written, and the node of the graph that is run that a node of it became.
    pub(crate) fn branches(&self) -> &[GraphBranch] {
        &self.source.machine.graph.branches
    }

    pub(crate) fn image_of_node(&self, id: NodeId) -> Option<NodeId> {
        self.image.get(id.index()).copied().flatten()
    }

    pub(crate) fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    /// How many independent parts there are. The first holds the first request.
    pub fn component_count(&self) -> usize {
        self.parts.len()
    }

    /// The component that a request body belongs to.
    pub fn component_of(&self, body: usize) -> Option<usize> {
        self.parts.iter().position(|part| part.bodies.binary_search(&body).is_ok())
    }

    /// Whose local states those of a request body are.
    pub(crate) fn owner(&self, body: usize) -> u32 {
        self.owners[body]
    }

    /// The initial states of a part, and nothing else yet.
    pub(crate) fn space(&self, part: usize) -> Space {
        let (program, part) = (self.program(), &self.parts[part]);
        let initial = part.globals.iter().map(|global| program.globals[global.index()].initial).collect();
        let mut space = Space::new(Arc::clone(&self.machine), initial);
        let mut names: IndexSet<&str, FxBuildHasher> = IndexSet::default();
        // Stand-ins are for proofs on the text: nothing is run of them, and nothing follows from what they do.
        let bodies = if program.many.is_some() { &[] } else { part.bodies.as_slice() };
        for &body in bodies {
            let request = &program.requests[body];
            let id = RequestId::from_index(names.insert_full(&request.name).0);
            let waiting = self.machine.entry(self.machine.graph.entries[body]);
            space.add_start(id, LocalState { owner: self.owners[body], waiting }, request.name_span);
        }
        space
    }

    /// The different request names of a part, in the order of their ids.
    pub(crate) fn request_names(&self, part: &SplitPart) -> IndexSet<&str, FxBuildHasher> {
        part.bodies.iter().map(|&body| self.program().requests[body].name.as_str()).collect()
    }

    pub(crate) fn local_name(&self, state: &LocalState) -> String {
        self.naming.local(&self.machine, state)
    }

    pub(crate) fn global_name(&self, part: &SplitPart, values: &[i64]) -> String {
        Naming::global(self.program(), &part.globals, values)
    }

    /// The name of the local state in which a request of `body` is that waits
    /// in the source at `waiting`.
    pub(crate) fn local_name_at(&self, body: usize, waiting: &Waiting) -> Option<String> {
        Some(self.local_name(&self.image_of(body, waiting)?))
    }

    /// The local state of its component in which a request of `body` is that waits in the
    /// source at `waiting`. What is kept there is kept in the source: every operation of the simplified graph is one
    /// of the source with the same registers, so what it can still read the source can still read.
    pub(crate) fn image_of(&self, body: usize, waiting: &Waiting) -> Option<LocalState> {
        let source = &self.source.machine;
        let mut registers = Registers::new(source.graph.reg_count);
        // A local variable that the body does not mention is 0.
        for reg in 0..source.graph.named_regs.len() {
            registers.set(Reg::from_index(reg), 0);
        }
        let mut fill = |regs: &[Reg], values: &[i64]| {
            for (&reg, &value) in regs.iter().zip(values) {
                registers.set(reg, value);
            }
        };
        let waiting = match waiting.node {
            None => {
                let (answer, named) = waiting.values.split_first()?;
                fill(source.named_at(source.graph.entries[body]), named);
                self.machine.finished(self.machine.graph.entries[body], *answer, &registers)
            }
            Some(node) => {
                fill(source.kept_at(node), &waiting.values);
                self.machine.waiting(self.image[node.index()]?, &registers)
            }
        };
        Some(LocalState { owner: self.owners[body], waiting })
    }

    /// The name of the global state of a part when the program's globals are
    /// `values`.
    pub(crate) fn global_name_at(&self, part: usize, values: &[i64]) -> Option<String> {
        let part = self.parts.get(part)?;
        let kept: Vec<i64> = part.globals.iter().map(|global| values[global.index()]).collect();
        Some(self.global_name(part, &kept))
    }
}

/// Bodies of one request name have one owner; in the plain mode all have.
fn owners(program: &Program, mode: Mode) -> Vec<u32> {
    let mut names: IndexSet<&str, FxBuildHasher> = IndexSet::default();
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    program.requests.iter().map(|request| if mode == Mode::Plain { 0 } else { number(names.insert_full(&request.name).0) }).collect()
}

/// Simplifies (unless in the plain mode) and merges nodes of the same owner.
fn reduce(program: &Program, raw: &Graph, liveness: &Liveness, owners: &[u32], mode: Mode) -> merge::Merged {
    let mut owner_of = vec![None; raw.nodes.len()];
    for (body, &entry) in raw.entries.iter().enumerate() {
        let mut stack = vec![entry];
        while let Some(id) = stack.pop() {
            serval_budget::checkpoint::pass();
            // No two bodies share nodes yet.
            if owner_of[id.index()].is_none() {
                owner_of[id.index()] = Some(owners[body]);
                stack.extend(raw.node(id).successors());
            }
        }
    }
    let group = |id: NodeId| owner_of[id.index()].unwrap_or(u32::MAX);
    match mode {
        Mode::Plain => merge::merge(raw, &group),
        Mode::Optimised => {
            let mut graph = raw.clone();
            simplify::simplify(&mut graph, &program.globals, liveness);
            merge::merge(&graph, &group)
        }
    }
}
