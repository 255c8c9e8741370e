//! The result of compiling: a network system per component, and the way back
//! from its states to the text.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_model::{Budget, GlobalId, LocalId, NetworkSystem, RequestId, Step, Stopped, SystemBuilder};
use serval_syntax::{GlobalVar, Program, Span};

use crate::error::{CompileError, describe};
use crate::explore::{Pairs, explore};
use crate::graph::{Graph, NodeId};
use crate::machine::{Machine, StepLimits, Waiting};
use crate::source::Source;
use crate::space::{LocalState, Space};
use crate::split::{Part, split, whole};
use crate::{merge, simplify};

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether to keep everything the text says.
    pub mode: Mode,
    /// How large the result may be.
    pub limits: Limits,
}

/// What may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Dead locals are reset, constants folded, equal continuations merged,
    /// independent requests separated.
    #[default]
    Optimised,
    /// A local state is the expression that remains and the values of all
    /// local variables, a global state the values of all global variables, and
    /// there is one component: the published translation.
    Plain,
}

/// How large the result may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pairs of local and global state whose steps are run, per component.
    pub pairs: u64,
    /// Work in one step.
    pub step: StepLimits,
}

impl Default for Limits {
    /// Four million pairs.
    fn default() -> Self {
        Self { pairs: 4_000_000, step: StepLimits::default() }
    }
}

/// A compiled program.
pub struct Compiled {
    /// The program as written, for replaying runs with real values.
    source: Source,
    components: Vec<Component>,
    /// Where each node of the source graph went.
    image: Vec<Option<NodeId>>,
    /// The owner of each request body's local states.
    owners: Vec<u32>,
}

/// One independent part of a program.
pub struct Component {
    system: NetworkSystem,
    /// Indices of its request bodies in [`Program::requests`].
    bodies: Vec<usize>,
    globals: Vec<GlobalVar>,
    machine: Arc<Machine>,
    global_values: IndexSet<Box<[i64]>, FxBuildHasher>,
    local_states: IndexSet<LocalState, FxBuildHasher>,
    local_spans: Vec<Span>,
    step_spans: Vec<Span>,
}

/// Compiles a program.
///
/// ```
/// use serval_compile::{compile, Options};
/// use serval_model::Budget;
/// let program = serval_syntax::analyze("request r { X := 1 - X }").program.unwrap();
/// let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap();
/// let system = compiled.components()[0].system();
/// assert_eq!((system.global_count(), system.steps().len()), (2, 2));
/// ```
pub fn compile(program: &Program, options: Options, budget: &Budget) -> Result<Compiled, CompileError> {
    let source = Source::new(program, options.limits.step);
    let raw = &source.machine.graph;
    let owners = owners(program, options.mode);
    let prepared = prepare(program, raw, &owners, options.mode);
    let parts = match options.mode {
        Mode::Optimised => split(program, &prepared.graph),
        Mode::Plain => whole(program),
    };
    // A global belongs to at most one part, so one table of positions, and
    // with it one machine, serves all of them.
    let tables: Vec<&[GlobalVar]> = parts.iter().map(|part| part.globals.as_slice()).collect();
    let machine = Arc::new(Machine::new(prepared.graph, &tables, program.globals.len(), options.mode == Mode::Plain, options.limits.step));
    let mut components = Vec::new();
    for part in parts {
        components.push(component(program, &machine, part, &owners, options, budget)?);
    }
    Ok(Compiled { source, components, image: prepared.image, owners })
}

/// Bodies of one request name have one owner; in the plain mode all have.
fn owners(program: &Program, mode: Mode) -> Vec<u32> {
    let mut names: IndexSet<&str, FxBuildHasher> = IndexSet::default();
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    program.requests.iter().map(|request| if mode == Mode::Plain { 0 } else { number(names.insert_full(&request.name).0) }).collect()
}

fn prepare(program: &Program, raw: &Graph, owners: &[u32], mode: Mode) -> merge::Merged {
    // Requests are lowered one after the other, the entry last but for loops,
    // so the owner of a node is found through reachability, not numbering.
    let mut owner_of = vec![0; raw.nodes.len()];
    for (body, &entry) in raw.entries.iter().enumerate() {
        let mut stack = vec![entry];
        while let Some(id) = stack.pop() {
            if owner_of[id.index()] != owners[body] + 1 {
                owner_of[id.index()] = owners[body] + 1;
                stack.extend(raw.node(id).successors());
            }
        }
    }
    let group = |id: NodeId| owner_of[id.index()];
    match mode {
        Mode::Plain => merge::merge(raw, &group),
        Mode::Optimised => {
            let mut graph = raw.clone();
            simplify::simplify(&mut graph, &program.globals);
            merge::merge(&graph, &group)
        }
    }
}

fn component(
    program: &Program,
    machine: &Arc<Machine>,
    part: Part,
    owners: &[u32],
    options: Options,
    budget: &Budget,
) -> Result<Component, CompileError> {
    let initial = part.globals.iter().map(|global| program.globals[global.index()].initial).collect();
    let mut space = Space::new(Arc::clone(machine), initial);
    let mut names: IndexSet<&str, FxBuildHasher> = IndexSet::default();
    for &body in &part.bodies {
        let request = &program.requests[body];
        let id = RequestId::from_index(names.insert_full(&request.name).0);
        let waiting = machine.entry(machine.graph.entries[body]);
        space.add_start(id, LocalState { owner: owners[body], waiting }, request.name_span);
    }
    match explore(&mut space, options.limits.pairs, budget) {
        Ok(pairs) => Ok(build(space, &pairs, &names, part)),
        Err(failure) => Err(describe(program, &space, &part, failure, options.limits)),
    }
}

/// Numbers the states that occur and makes the system.
fn build(mut space: Space, pairs: &Pairs, names: &IndexSet<&str, FxBuildHasher>, part: Part) -> Component {
    let mut steps: Vec<(Step, Span)> = Vec::new();
    let mut used_globals = vec![false; space.global_count()];
    let mut used_locals = vec![false; space.local_count()];
    used_globals[space.initial_global().index()] = true;
    for &(_, local) in space.starts() {
        used_locals[local.index()] = true;
    }
    for &(local, global) in pairs {
        for index in space.moves(local, global) {
            let to = space.moves[index];
            used_globals[to.global.index()] = true;
            used_locals[to.local.index()] = true;
            steps.push((Step { local, global, to_local: to.local, to_global: to.global }, to.span));
        }
    }
    let mut builder = SystemBuilder::new();
    let mut number = 0;
    let globals: Vec<Option<GlobalId>> = used_globals
        .iter()
        .map(|&used| {
            used.then(|| {
                number += 1;
                builder.global(&format!("G{}", number - 1))
            })
        })
        .collect();
    number = 0;
    let locals: Vec<Option<LocalId>> = used_locals
        .iter()
        .map(|&used| {
            used.then(|| {
                number += 1;
                builder.local(&format!("L{}", number - 1))
            })
        })
        .collect();
    for name in names {
        builder.request(name);
    }
    for &(request, local) in space.starts() {
        if let Some(local) = locals[local.index()] {
            builder.start(request, local);
        }
    }
    for (index, &local) in locals.iter().enumerate() {
        if let (Some(local), Some(answer)) = (local, space.answer(LocalId::from_index(index))) {
            let response = builder.response(&answer.to_string());
            builder.answer(local, response);
        }
    }
    for (step, _) in &mut steps {
        let renumbered = (|| {
            Some(Step {
                local: locals[step.local.index()]?,
                global: globals[step.global.index()]?,
                to_local: locals[step.to_local.index()]?,
                to_global: globals[step.to_global.index()]?,
            })
        })();
        // Every source is a start or the target of a step, as both passes only
        // visit pairs that they came to.
        *step = renumbered.unwrap_or(*step);
    }
    steps.sort_unstable_by_key(|&(step, _)| step);
    for &(step, _) in &steps {
        builder.step(step.local, step.global, step.to_local, step.to_global);
    }
    let initial = globals[space.initial_global().index()].unwrap_or(GlobalId::from_index(0));
    let tables = space.into_tables();
    Component {
        system: builder.finish(initial),
        bodies: part.bodies,
        globals: part.globals,
        machine: tables.machine,
        global_values: keep(tables.globals, &used_globals).collect(),
        local_states: keep(tables.locals, &used_locals).collect(),
        local_spans: keep(tables.local_spans, &used_locals).collect(),
        step_spans: steps.into_iter().map(|(_, span)| span).collect(),
    }
}

fn keep<T>(items: Vec<T>, used: &[bool]) -> impl Iterator<Item = T> {
    items.into_iter().zip(used).filter(|(_, used)| **used).map(|(item, _)| item)
}

impl Compiled {
    /// The program that was compiled.
    pub fn program(&self) -> &Program {
        self.source.program()
    }

    /// The program as written, ready to run.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The independent parts, the first request's first.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The local state of a component that a request of `body`, waiting in the
    /// source at `waiting`, is in.
    pub(crate) fn abstract_local(&self, component: &Component, body: usize, waiting: &Waiting) -> Option<LocalId> {
        let owner = self.owners[body];
        let named = self.source.machine.graph.named_regs.len();
        let state = match waiting.node {
            None => {
                let answer = *waiting.values.first()?;
                component.machine.finished(answer, &waiting.values[1..=named])
            }
            Some(node) => {
                let mut registers = vec![0; self.source.machine.graph.reg_count];
                for (reg, &value) in self.source.machine.kept_at(node).iter().zip(&waiting.values) {
                    registers[reg.index()] = value;
                }
                component.machine.waiting(self.image[node.index()]?, &registers)
            }
        };
        component.local_states.get_index_of(&LocalState { owner, waiting: state }).map(LocalId::from_index)
    }

    /// The global state of a component when the program's globals are `values`.
    pub(crate) fn abstract_global(&self, component: &Component, values: &[i64]) -> Option<GlobalId> {
        let kept: Vec<i64> = component.globals.iter().map(|global| values[global.index()]).collect();
        component.global_values.get_index_of(kept.as_slice()).map(GlobalId::from_index)
    }
}

impl Component {
    /// The network system. Global states are named `G0`, `G1`, …, local states
    /// `L0`, `L1`, …, requests by their names, responses by their values.
    pub fn system(&self) -> &NetworkSystem {
        &self.system
    }

    /// Which request bodies belong here: indices into [`Program::requests`].
    pub fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    /// The global variables that its global states consist of.
    pub fn globals(&self) -> &[GlobalVar] {
        &self.globals
    }

    /// The values of [`Component::globals`] in a global state.
    pub fn global_values(&self, id: GlobalId) -> &[i64] {
        &self.global_values[id.index()]
    }

    /// Where a request in this local state stands: the `yield` it waits at,
    /// the name of the request if it has not begun, the end of its body or
    /// its `return` if it is done. Of several such places, the first met.
    pub fn local_span(&self, id: LocalId) -> Span {
        self.local_spans[id.index()]
    }

    /// The named local variables that matter in a local state, with values.
    pub fn local_values(&self, id: LocalId) -> Vec<(&str, i64)> {
        let waiting = &self.local_states[id.index()].waiting;
        let names = &self.machine.graph.named_regs;
        match waiting.node {
            None => names.iter().map(String::as_str).zip(waiting.values.iter().skip(1).copied()).collect(),
            Some(node) => {
                let kept = self.machine.kept_at(node).iter().zip(&waiting.values);
                kept.filter_map(|(reg, &value)| Some((names.get(reg.index())?.as_str(), value))).collect()
            }
        }
    }

    /// The text that a step runs, given its position in
    /// [`NetworkSystem::steps`]. Of several ways, the first met.
    pub fn step_span(&self, position: usize) -> Span {
        self.step_spans[position]
    }
}

impl From<Stopped> for CompileError {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}
