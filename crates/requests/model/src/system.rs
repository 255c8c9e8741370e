//! The network system itself.

use std::borrow::Cow;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::{GlobalId, LocalId, RequestId, ResponseId, shown};

type Names = IndexSet<String, FxBuildHasher>;

/// One step `(local, global) → (to_local, to_global)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The local state of the request that moves.
    pub local: LocalId,
    /// The global state it moves in.
    pub global: GlobalId,
    /// Its local state afterwards.
    pub to_local: LocalId,
    /// The global state afterwards.
    pub to_global: GlobalId,
}

/// A finite network system.
///
/// Invariants, checked by [`NetworkSystem::check_invariants`]: every id that
/// occurs has a name; names within one table differ; steps are sorted by
/// `(local, global)` and no step, start or response is listed twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkSystem {
    globals: Names,
    locals: Names,
    requests: Names,
    responses: Names,
    initial_global: GlobalId,
    /// Sorted, without repetition.
    starts: Vec<(RequestId, LocalId)>,
    /// Sorted, without repetition.
    answers: Vec<(LocalId, ResponseId)>,
    /// Sorted by source, without repetition.
    steps: Vec<Step>,
    /// `steps[first_step[l] .. first_step[l + 1]]` leave local state `l`.
    first_step: Vec<usize>,
}

impl NetworkSystem {
    /// The system with every name as it is [shown]. The ids are the same, and so
    /// is everything else, as different names are shown differently.
    pub fn shown(&self) -> Cow<'_, Self> {
        let tables = [&self.globals, &self.locals, &self.requests, &self.responses];
        if tables.iter().all(|names| names.iter().all(|name| matches!(shown::name(name), Cow::Borrowed(_)))) {
            return Cow::Borrowed(self);
        }
        let [globals, locals, requests, responses] =
            tables.map(|names| names.iter().map(|name| shown::name(name).into_owned()).collect::<Names>());
        Cow::Owned(Self { globals, locals, requests, responses, ..self.clone() })
    }

    /// The number of global states.
    pub fn global_count(&self) -> usize {
        self.globals.len()
    }

    /// The number of local states.
    pub fn local_count(&self) -> usize {
        self.locals.len()
    }

    /// The number of request names.
    pub fn request_count(&self) -> usize {
        self.requests.len()
    }

    /// The number of different responses.
    pub fn response_count(&self) -> usize {
        self.responses.len()
    }

    /// All global states, in order.
    pub fn globals(&self) -> impl ExactSizeIterator<Item = GlobalId> + use<> {
        (0..self.globals.len()).map(GlobalId::from_index)
    }

    /// All local states, in order.
    pub fn locals(&self) -> impl ExactSizeIterator<Item = LocalId> + use<> {
        (0..self.locals.len()).map(LocalId::from_index)
    }

    /// All request names, in order.
    pub fn requests(&self) -> impl ExactSizeIterator<Item = RequestId> + use<> {
        (0..self.requests.len()).map(RequestId::from_index)
    }

    /// All responses, in order.
    pub fn responses(&self) -> impl ExactSizeIterator<Item = ResponseId> + use<> {
        (0..self.responses.len()).map(ResponseId::from_index)
    }

    /// The global state in which everything begins.
    pub fn initial_global(&self) -> GlobalId {
        self.initial_global
    }

    /// Which request may start in which local state.
    pub fn starts(&self) -> &[(RequestId, LocalId)] {
        &self.starts
    }

    /// Which local state may give which response.
    pub fn answers(&self) -> &[(LocalId, ResponseId)] {
        &self.answers
    }

    /// The responses that `local` may give.
    pub fn answers_of(&self, local: LocalId) -> &[(LocalId, ResponseId)] {
        let from = self.answers.partition_point(|&(l, _)| l < local);
        let to = self.answers.partition_point(|&(l, _)| l <= local);
        &self.answers[from..to]
    }

    /// All steps, sorted by `(local, global)`.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The steps that a request in `local` can make.
    pub fn steps_of(&self, local: LocalId) -> &[Step] {
        &self.steps[self.first_step[local.index()]..self.first_step[local.index() + 1]]
    }

    /// The steps that a request in `local` can make while the global state is `global`.
    pub fn steps_from(&self, local: LocalId, global: GlobalId) -> &[Step] {
        let steps = self.steps_of(local);
        let from = steps.partition_point(|step| step.global < global);
        let to = steps.partition_point(|step| step.global <= global);
        &steps[from..to]
    }

    /// The name of a global state.
    pub fn global_name(&self, id: GlobalId) -> &str {
        &self.globals[id.index()]
    }

    /// The name of a local state.
    pub fn local_name(&self, id: LocalId) -> &str {
        &self.locals[id.index()]
    }

    /// The name of a request.
    pub fn request_name(&self, id: RequestId) -> &str {
        &self.requests[id.index()]
    }

    /// The name of a response.
    pub fn response_name(&self, id: ResponseId) -> &str {
        &self.responses[id.index()]
    }

    /// The global state with this name.
    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals.get_index_of(name).map(GlobalId::from_index)
    }

    /// The local state with this name.
    pub fn local_named(&self, name: &str) -> Option<LocalId> {
        self.locals.get_index_of(name).map(LocalId::from_index)
    }

    /// The request with this name.
    pub fn request_named(&self, name: &str) -> Option<RequestId> {
        self.requests.get_index_of(name).map(RequestId::from_index)
    }

    /// The response with this name.
    pub fn response_named(&self, name: &str) -> Option<ResponseId> {
        self.responses.get_index_of(name).map(ResponseId::from_index)
    }

    /// Checks from scratch what the type promises.
    ///
    /// # Panics
    /// When a promise is broken.
    pub fn check_invariants(&self) {
        assert!(self.initial_global.index() < self.globals.len());
        assert!(self.starts.is_sorted_by(|a, b| a < b));
        assert!(self.answers.is_sorted_by(|a, b| a < b));
        assert!(self.steps.is_sorted_by(|a, b| a < b));
        for &(request, local) in &self.starts {
            assert!(request.index() < self.requests.len() && local.index() < self.locals.len());
        }
        for &(local, response) in &self.answers {
            assert!(local.index() < self.locals.len() && response.index() < self.responses.len());
        }
        for step in &self.steps {
            assert!(step.local.index() < self.locals.len());
            assert!(step.to_local.index() < self.locals.len());
            assert!(step.global.index() < self.globals.len());
            assert!(step.to_global.index() < self.globals.len());
        }
        assert_eq!(self.first_step.len(), self.locals.len() + 1);
        for local in self.locals() {
            assert!(self.steps_of(local).iter().all(|step| step.local == local));
        }
        assert_eq!(self.first_step.last(), Some(&self.steps.len()));
    }
}

/// Collects the parts of a network system in any order.
///
/// ```
/// use serval_model::SystemBuilder;
/// let mut builder = SystemBuilder::new();
/// let (idle, busy) = (builder.global("idle"), builder.global("busy"));
/// let (start, end) = (builder.local("start"), builder.local("end"));
/// let (get, ok) = (builder.request("get"), builder.response("ok"));
/// builder.start(get, start);
/// builder.step(start, idle, end, busy);
/// builder.answer(end, ok);
/// let system = builder.finish(idle);
/// assert_eq!(system.steps_from(start, idle).len(), 1);
/// assert_eq!(system.steps_from(start, busy).len(), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SystemBuilder {
    globals: Names,
    locals: Names,
    requests: Names,
    responses: Names,
    starts: Vec<(RequestId, LocalId)>,
    answers: Vec<(LocalId, ResponseId)>,
    steps: Vec<Step>,
}

fn intern(names: &mut Names, name: &str) -> usize {
    match names.get_index_of(name) {
        Some(index) => index,
        None => names.insert_full(name.to_owned()).0,
    }
}

impl SystemBuilder {
    /// A builder that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The global state with this name, made if it is new.
    pub fn global(&mut self, name: &str) -> GlobalId {
        GlobalId::from_index(intern(&mut self.globals, name))
    }

    /// The local state with this name, made if it is new.
    pub fn local(&mut self, name: &str) -> LocalId {
        LocalId::from_index(intern(&mut self.locals, name))
    }

    /// The request with this name, made if it is new.
    pub fn request(&mut self, name: &str) -> RequestId {
        RequestId::from_index(intern(&mut self.requests, name))
    }

    /// The response with this name, made if it is new.
    pub fn response(&mut self, name: &str) -> ResponseId {
        ResponseId::from_index(intern(&mut self.responses, name))
    }

    /// Lets `request` start in `local`.
    pub fn start(&mut self, request: RequestId, local: LocalId) {
        self.starts.push((request, local));
    }

    /// Lets `local` give `response`.
    pub fn answer(&mut self, local: LocalId, response: ResponseId) {
        self.answers.push((local, response));
    }

    /// Adds the step `(local, global) → (to_local, to_global)`.
    pub fn step(&mut self, local: LocalId, global: GlobalId, to_local: LocalId, to_global: GlobalId) {
        self.steps.push(Step { local, global, to_local, to_global });
    }

    /// The system that begins in `initial_global`.
    pub fn finish(mut self, initial_global: GlobalId) -> NetworkSystem {
        self.starts.sort_unstable();
        self.starts.dedup();
        self.answers.sort_unstable();
        self.answers.dedup();
        self.steps.sort_unstable();
        self.steps.dedup();
        let mut first_step = vec![0; self.locals.len() + 1];
        for step in &self.steps {
            first_step[step.local.index() + 1] += 1;
        }
        for l in 0..self.locals.len() {
            first_step[l + 1] += first_step[l];
        }
        NetworkSystem {
            globals: self.globals,
            locals: self.locals,
            requests: self.requests,
            responses: self.responses,
            initial_global,
            starts: self.starts,
            answers: self.answers,
            steps: self.steps,
            first_step,
        }
    }
}
