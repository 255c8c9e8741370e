//! The result of compiling: a network system per component, and the way back
//! from its states to the text.

use std::sync::Arc;

use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId, NetworkSystem, Step, SystemBuilder};
use serval_syntax::{GlobalVar, Program, Span};

use crate::error::{CompileError, describe};
use crate::explore::{Closure, Explored, Failure, Pairs, explore};
use crate::fault_run::Needs;
use crate::machine::Machine;
use crate::options::Options;
use crate::prepared::Prepared;
use crate::remark::{Remark, remarks};
use crate::space::{LocalState, Space};
use crate::split::SplitPart;

/// A compiled program.
#[derive(Clone)]
pub struct Compiled {
    prepared: Arc<Prepared>,
    components: Vec<Component>,
}

/// One independent part of a program, with all states that can occur.
#[derive(Clone)]
pub struct Component {
    system: NetworkSystem,
    /// Indices of its request bodies in [`Program::requests`].
    bodies: Vec<usize>,
    globals: Vec<GlobalVar>,
    machine: Arc<Machine>,
    global_values: Vec<Box<[i64]>>,
    local_states: Vec<LocalState>,
    local_spans: Vec<Span>,
    step_spans: Vec<Span>,
    spins: Vec<Span>,
    remarks: Vec<Remark>,
    /// The pairs of states whose steps the system has, by global state.
    pairs: Pairs,
    /// Why no others occur.
    closure: Closure,
}

/// Compiles a program.
///
/// ```
/// use serval_compile::{compile, Options};
/// use serval_budget::Budget;
/// let program = serval_syntax::analyze("request r { X := 1 - X }").program.unwrap();
/// let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap();
/// let system = compiled.components()[0].system();
/// assert_eq!((system.global_count(), system.steps().len()), (2, 2));
/// ```
pub fn compile(program: &Program, options: Options, budget: &Budget) -> Result<Compiled, CompileError> {
    Arc::new(Prepared::new(program, options)).compile(budget)
}

impl Prepared {
    /// Explores all states that can occur.
    pub fn compile(self: &Arc<Self>, budget: &Budget) -> Result<Compiled, CompileError> {
        self.compile_within(self.options.limits.pairs, budget)
    }

    /// The same with another limit on the pairs of states.
    pub fn compile_within(self: &Arc<Self>, pairs: u64, budget: &Budget) -> Result<Compiled, CompileError> {
        if let Some(many) = &self.program().many {
            let at = self.program().requests.first().map_or_else(Span::default, |request| request.name_span);
            return Err(CompileError::Many { combinations: many.combinations(), at });
        }
        let components = (0..self.parts.len()).map(|part| self.component(part, pairs, budget)).collect::<Result<_, _>>()?;
        Ok(Compiled { prepared: Arc::clone(self), components })
    }

    fn component(&self, part: usize, limit: u64, budget: &Budget) -> Result<Component, CompileError> {
        let mut space = self.space(part);
        let (number, part) = (part, &self.parts[part]);
        match explore(&mut space, limit, budget) {
            Ok(explored) => {
                let remarks = remarks(self.program(), &mut space, part, &explored.pairs);
                Ok(Component { remarks, ..self.build(space, explored, part) })
            }
            Err(failure) => {
                let (failure, needs) = self.simplest(&mut space, failure, budget);
                Err(self.error_of(number, &space, failure, needs, limit))
            }
        }
    }

    /// A failure of a part, in the names of its states.
    pub(crate) fn error_of(&self, number: usize, space: &Space, failure: Failure, needs: Needs, limit: u64) -> CompileError {
        let named = match &failure {
            Failure::Fault { trail, last: Some(last), .. } => Some(self.fault_run(number, space, trail, *last, needs)),
            _ => None,
        };
        let mut error = describe(self.program(), space, &self.parts[number], failure, limit);
        if let CompileError::Fault(report) = &mut error {
            report.named = named;
        }
        error
    }

    /// Names the states that occur and makes the system.
    fn build(&self, mut space: Space, Explored { mut pairs, closure }: Explored, part: &SplitPart) -> Component {
        let mut steps: Vec<(Step, Span)> = Vec::new();
        let mut used_globals = vec![false; space.global_count()];
        let mut used_locals = vec![false; space.local_count()];
        let mut spins: Vec<Span> = Vec::new();
        used_globals[space.initial_global().index()] = true;
        for &(_, local) in space.starts() {
            used_locals[local.index()] = true;
        }
        for &(local, global) in &pairs {
            for index in space.moves(local, global) {
                let to = space.moves[index];
                used_globals[to.global.index()] = true;
                used_locals[to.local.index()] = true;
                steps.push((Step { local, global, to_local: to.local, to_global: to.global }, to.span));
            }
            spins.extend(space.spins(local, global));
        }
        spins.sort_unstable();
        spins.dedup();
        let mut builder = SystemBuilder::new();
        let globals: Vec<Option<GlobalId>> = (0..space.global_count())
            .map(GlobalId::from_index)
            .map(|id| used_globals[id.index()].then(|| builder.global(&self.global_name(part, space.global(id)))))
            .collect();
        let locals: Vec<Option<LocalId>> = (0..space.local_count())
            .map(LocalId::from_index)
            .map(|id| used_locals[id.index()].then(|| builder.local(&self.local_name(space.local(id)))))
            .collect();
        for name in self.request_names(part) {
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
        for (local, global) in &mut pairs {
            (*local, *global) = (locals[local.index()].unwrap_or(*local), globals[global.index()].unwrap_or(*global));
        }
        pairs.sort_unstable_by_key(|&(local, global)| (global, local));
        let closure = closure.renumbered(&locals, &globals);
        steps.sort_unstable_by_key(|&(step, _)| step);
        for &(step, _) in &steps {
            builder.step(step.local, step.global, step.to_local, step.to_global);
        }
        let initial = globals[space.initial_global().index()].unwrap_or(GlobalId::from_index(0));
        let tables = space.into_tables();
        Component {
            system: builder.finish(initial),
            bodies: part.bodies.clone(),
            globals: part.globals.clone(),
            machine: tables.machine,
            global_values: keep(tables.globals, &used_globals).collect(),
            local_states: keep(tables.locals, &used_locals).collect(),
            local_spans: keep(tables.local_spans, &used_locals).collect(),
            step_spans: steps.into_iter().map(|(_, span)| span).collect(),
            spins,
            remarks: Vec::new(),
            pairs,
            closure,
        }
    }
}

fn keep<T>(items: Vec<T>, used: &[bool]) -> impl Iterator<Item = T> {
    items.into_iter().zip(used).filter(|(_, used)| **used).map(|(item, _)| item)
}

impl Compiled {
    /// The program that was compiled.
    pub fn program(&self) -> &Program {
        self.prepared.program()
    }

    /// What is known of the program without its states.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// The independent parts, the first request's first.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The most pairs of a local and a global state that a component has.
    pub fn pairs(&self) -> u64 {
        self.components.iter().map(|component| component.pairs.len() as u64).max().unwrap_or(0)
    }

    /// Puts another system in the place of a component's.
    #[cfg(test)]
    pub(crate) fn replace_system(&mut self, component: usize, system: NetworkSystem) {
        self.components[component].system = system;
    }

    /// What a component was explored to be, to be doctored.
    #[cfg(test)]
    pub(crate) fn explored_mut(&mut self, component: usize) -> (&mut Pairs, &mut Closure, &mut Vec<Box<[i64]>>) {
        let Component { pairs, closure, global_values, .. } = &mut self.components[component];
        (pairs, closure, global_values)
    }

    /// Moves a request body from one component to another.
    #[cfg(test)]
    pub(crate) fn move_body(&mut self, from: usize, to: usize) {
        if let Some(body) = self.components[from].bodies.pop() {
            self.components[to].bodies.push(body);
        }
    }
}

impl Closure {
    /// The same about the states that are used, by their new numbers.
    fn renumbered(self, locals: &[Option<LocalId>], globals: &[Option<GlobalId>]) -> Self {
        match self {
            Self::Counts { functions, weights } => {
                let weights = weights.into_iter().zip(locals).filter_map(|(weights, local)| local.map(|_| weights)).collect();
                Self::Counts { functions, weights }
            }
            Self::Markings(mut markings) => {
                markings.resize_with(globals.len(), Vec::new);
                // Numbers keep their order, so that markings stay sorted.
                for (local, _) in markings.iter_mut().flatten().flat_map(|marking| marking.iter_mut()) {
                    *local = locals[local.index()].unwrap_or(*local);
                }
                Self::Markings(markings.into_iter().zip(globals).filter_map(|(known, global)| global.map(|_| known)).collect())
            }
        }
    }
}

impl Component {
    /// The network system. States are named by what they are, such as `X=0`
    /// and `main@yield1 y=2`, requests by their names, responses by their
    /// values.
    pub fn system(&self) -> &NetworkSystem {
        &self.system
    }

    /// What runs its steps.
    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What each local state is, by number.
    pub(crate) fn local_states(&self) -> &[LocalState] {
        &self.local_states
    }

    /// What each global state is, by number.
    pub(crate) fn all_global_values(&self) -> &[Box<[i64]>] {
        &self.global_values
    }

    /// The pairs of states whose steps the system has, by global state.
    pub(crate) fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// Why no other pairs occur.
    pub(crate) fn closure(&self) -> &Closure {
        &self.closure
    }

    /// What its steps do that is worth a remark.
    pub(crate) fn remarks(&self) -> &[Remark] {
        &self.remarks
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

    /// Where loops stand that a request may get into within a step and never
    /// leave, so that no other request gets a turn; sorted. Such a step has no end,
    /// so it is not among those of the system. As the states are an
    /// over-approximation, a loop that is not here never does this, and one
    /// that is here may not.
    pub fn spins(&self) -> &[Span] {
        &self.spins
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
