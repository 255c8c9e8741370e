//! All methods, in a fixed order, each with a budget.
//!
//! Budgets are ticks, so the result does not depend on the machine or on the
//! number of threads unless a limit on time or memory ends the work. A verdict
//! comes with evidence; nothing is claimed beyond it.
//!
//! First counterexamples with few requests, then for each component reductions
//! and a proof by counting with a small budget. What is left then is worked on
//! by several tasks with growing budgets; they may run side by side, and the
//! first *in their order* that succeeds wins, not the first to finish, so that
//! the outcome is the one of running them one after the other. A component that
//! is proved is not looked at again; one counterexample ends everything, but
//! for looking whether fewer requests would have done.

mod few_kinds;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serval_budget::{Budget, Cancel, StopReason, Stopped};
use serval_model::{NetworkSystem, NormalForm, Run};
use serval_proof::Part;
use serval_proof::flow::FlowProof;
use serval_proof::script::Reduced;

use crate::flow::bounded::{self, Bounded};
use crate::flow::{self, FlowOutcome};
use crate::reduce::{Reduction, reduce};
use crate::search::{LayerOutcome, Search, lift, parallel_layer};

/// Requests in the first, cheap search.
pub const FIRST_LAYERS: u32 = 3;
/// Ticks for the first search.
pub const FIRST_TICKS: u64 = 300_000;
/// Ticks for the search after everything else.
pub const LAST_TICKS: u64 = 100_000;
/// Ticks for reductions of one component.
const REDUCE_TICKS: u64 = 100_000_000;
/// Ticks for the first try to prove by counting.
const FLOW_TICKS: u64 = 2_000_000;
/// By how much budgets grow from round to round, and how often.
const GROWTH: [u64; 3] = [1, 10, 100];
/// Requests in flight between steps that are tried by counting.
const CONCURRENT: [usize; 3] = [1, 2, 3];
/// Ticks for performing a run of a reduced system on the original.
const LIFT_TICKS: u64 = 2_000_000;

/// A way to find a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Counterexamples by number of requests.
    Search,
    /// Exact reductions.
    Reduce,
    /// Proofs by counting.
    Flow,
    /// Counterexamples with few requests in flight at a time.
    Bounded,
}

impl Method {
    /// All of them, in the order in which they are tried.
    pub const ALL: &[Self] = &[Self::Search, Self::Reduce, Self::Flow, Self::Bounded];

    /// The name, as in `--method`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Reduce => "reduce",
            Self::Flow => "flow",
            Self::Bounded => "bounded",
        }
    }

    /// The method with this name.
    pub fn named(name: &str) -> Option<Self> {
        Method::ALL.iter().copied().find(|method| method.name() == name)
    }
}

/// What may be tried, and how.
pub struct Plan<'a> {
    /// The methods that may be used.
    pub methods: Vec<Method>,
    /// Threads.
    pub jobs: usize,
    /// Ends the work from outside.
    pub cancel: Cancel,
    /// Is told what is tried.
    pub watch: &'a (dyn Fn(Progress) + Sync),
}

/// What is being tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// All runs with so many requests.
    Requests(u32),
    /// Reductions of a component.
    Reductions,
    /// Proofs by counting, and counterexamples with few requests in flight.
    Counting,
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// A proof for each component, and the method that mattered.
    Serializable(Vec<Part>, Method),
    /// A run of a component that should be a counterexample.
    Refuted {
        /// The component.
        component: usize,
        /// The run.
        run: Run,
        /// Whether it has the fewest requests.
        minimal: bool,
        /// How it was found.
        method: Method,
    },
    /// Neither, and what stopped the work.
    Unknown(StopReason),
}

/// What is known at the end.
#[derive(Debug)]
pub struct Decision {
    /// The answer.
    pub found: Found,
    /// No counterexample has so few requests.
    pub cleared: u32,
    /// No counterexample has so few requests in flight at a time; 0 if nothing
    /// is known.
    pub concurrent: usize,
    /// Sizes of the reduced systems: global states, nodes, steps.
    pub reduced: Option<(usize, usize, usize)>,
}

/// Decides about a list of components, of which no counterexample with up to
/// `cleared` requests exists.
pub fn decide(systems: &[&NetworkSystem], cleared: u32, plan: &Plan<'_>) -> Decision {
    decide_within(systems, cleared, plan, usize::MAX)
}

/// The same with at most so many rounds of growing budgets, for when there is
/// much to decide and an answer that takes long is worth little.
pub fn decide_within(systems: &[&NetworkSystem], cleared: u32, plan: &Plan<'_>, rounds: usize) -> Decision {
    crate::same::worked_on_once(systems, cleared, &plan.cancel, |systems| {
        let (parts, reductions) = (vec![None; systems.len()], vec![None; systems.len()]);
        Work { systems, plan, cleared, rounds, concurrent: vec![0; systems.len()], parts, reductions, method: Method::Reduce }.run()
    })
}

/// The method that proofs like these, one for each component, come from; `None`
/// for proofs that no method here makes.
pub fn method_of(parts: &[Part]) -> Option<Method> {
    let of = |part: &Part| match part {
        Part::Atomic(_) | Part::Same(_) => Some(Method::Reduce),
        Part::Flow(_) => Some(Method::Flow),
        Part::Invariant(_) => None,
    };
    parts.iter().map(of).try_fold(Method::Reduce, |all, one| Some(all.max(one?)))
}

/// How large the systems are that the reductions of these proofs leave, one for
/// each component: global states, nodes, steps. The checker must have accepted
/// the proofs. `None` where that cannot be said.
pub fn reduced_by(systems: &[&NetworkSystem], parts: &[Part], cancel: &Cancel) -> Option<(usize, usize, usize)> {
    if systems.len() != parts.len() {
        return None;
    }
    let mut sum = (0, 0, 0);
    for (system, part) in systems.iter().zip(parts) {
        let script = match part {
            Part::Atomic(script) => script,
            Part::Flow(proof) => &proof.script,
            Part::Invariant(_) => return None,
            Part::Same(_) => continue, // Only one of those that are the same is reduced.
        };
        let mut reduced = Reduced::new(NormalForm::new(system)?.0);
        let mut budget = Budget::new(u64::MAX, cancel.clone());
        for entry in script {
            reduced.apply(entry, &mut budget).ok()?;
        }
        let one = sizes(reduced.form());
        sum = (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2);
    }
    Some(sum)
}

struct Work<'a> {
    systems: &'a [&'a NetworkSystem],
    plan: &'a Plan<'a>,
    cleared: u32,
    rounds: usize,
    /// For each component, what bounded concurrency has ruled out.
    concurrent: Vec<usize>,
    parts: Vec<Option<Part>>,
    /// One per component, once made; without reductions the normal form.
    reductions: Vec<Option<Reduction>>,
    /// The last method that proved a component.
    method: Method,
}

/// The end of the work before all methods were tried.
enum End {
    Found(Box<Found>),
    Cancelled,
}

/// One of the tasks that work on what reductions leave.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// A proof by counting, of the reduced system or of the original.
    Flow { component: usize, reduced: bool },
    /// Counterexamples with few requests in flight.
    Bounded { component: usize, concurrent: usize },
}

/// What a task found.
enum Outcome {
    Part(Part),
    Run(Run),
    Clear,
    Nothing,
}

impl Work<'_> {
    fn run(mut self) -> Decision {
        let found = match self.methods() {
            Ok(found) => found,
            Err(End::Found(found)) => *found,
            Err(End::Cancelled) => Found::Unknown(StopReason::Cancelled),
        };
        let sizes = self.reductions.iter().flatten().map(|reduction| sizes(reduction.form()));
        let reduced = self.may(Method::Reduce) && self.reductions.iter().all(Option::is_some);
        let reduced = reduced.then(|| sizes.fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2)));
        let open = self.concurrent.iter().zip(&self.parts).filter(|(_, part)| part.is_none()).map(|(&concurrent, _)| concurrent);
        Decision { found, cleared: self.cleared, concurrent: open.min().unwrap_or(0), reduced }
    }

    fn may(&self, method: Method) -> bool {
        self.plan.methods.contains(&method)
    }

    fn methods(&mut self) -> Result<Found, End> {
        if self.may(Method::Search) && self.cleared < FIRST_LAYERS {
            self.search(FIRST_LAYERS, FIRST_TICKS, false)?;
            self.few_kinds(None)?;
        }
        self.reduce()?;
        if self.may(Method::Flow) && self.proof().is_none() {
            (self.plan.watch)(Progress::Counting);
            let tasks = self.open().map(|component| Task::Flow { component, reduced: true });
            self.tasks(tasks.collect(), FLOW_TICKS)?;
        }
        for growth in GROWTH.into_iter().take(self.rounds) {
            if let Some(proof) = self.proof() {
                return Ok(proof);
            }
            if self.may(Method::Search) {
                self.search(u32::MAX, LAST_TICKS.saturating_mul(growth), true)?;
                self.few_kinds(Some(LAST_TICKS.saturating_mul(growth)))?;
            }
            (self.plan.watch)(Progress::Counting);
            let mut tasks = Vec::new();
            for component in self.open() {
                if self.may(Method::Bounded) {
                    let to_do = CONCURRENT.into_iter().filter(|&concurrent| concurrent > self.concurrent[component]);
                    tasks.extend(to_do.map(|concurrent| Task::Bounded { component, concurrent }));
                }
                if self.may(Method::Flow) {
                    tasks.push(Task::Flow { component, reduced: true });
                    if self.may(Method::Reduce) {
                        tasks.push(Task::Flow { component, reduced: false });
                    }
                }
            }
            self.tasks(tasks, FLOW_TICKS.saturating_mul(growth))?;
        }
        if let Some(proof) = self.proof() {
            return Ok(proof);
        }
        Ok(Found::Unknown(if self.plan.methods.len() == Method::ALL.len() {
            StopReason::RoundsUsedUp { rounds: GROWTH.len().min(self.rounds) }
        } else {
            StopReason::MethodsExcluded
        }))
    }

    /// The components that are not proved.
    fn open(&self) -> impl Iterator<Item = usize> + use<> {
        let open: Vec<usize> = (0..self.systems.len()).filter(|&component| self.parts[component].is_none()).collect();
        open.into_iter()
    }

    /// The proofs, if there is one for each component.
    fn proof(&self) -> Option<Found> {
        let parts: Option<Vec<Part>> = self.parts.iter().cloned().collect();
        parts.map(|parts| Found::Serializable(parts, self.method))
    }

    fn reduce(&mut self) -> Result<(), End> {
        (self.plan.watch)(Progress::Reductions);
        for component in 0..self.systems.len() {
            let budget = Budget::new(u64::MAX, self.plan.cancel.clone());
            let Ok(form) = budget.during(|| NormalForm::new(self.systems[component])) else { return Err(End::Cancelled) };
            let Some((form, _)) = form else { continue };
            let mut reduction = Reduction::new(form);
            if self.may(Method::Reduce) {
                let mut budget = Budget::new(REDUCE_TICKS, self.plan.cancel.clone());
                if reduce(&mut reduction, &mut budget) == Err(Stopped::Cancelled) {
                    return Err(End::Cancelled);
                }
                if reduction.form().is_atomic() {
                    self.parts[component] = Some(Part::Atomic(reduction.script.clone()));
                    self.method = self.method.max(Method::Reduce);
                }
            }
            self.reductions[component] = Some(reduction);
        }
        Ok(())
    }

    /// Does tasks, on several threads; takes what the first ones found, up to
    /// the first counterexample.
    fn tasks(&mut self, tasks: Vec<Task>, ticks: u64) -> Result<(), End> {
        let cancels: Vec<Cancel> = tasks.iter().map(|_| self.plan.cancel.child()).collect();
        let results: Mutex<Vec<Option<Outcome>>> = Mutex::new(tasks.iter().map(|_| None).collect());
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some(&task) = tasks.get(position) else { return };
                let found = self.task(task, ticks, &cancels[position]);
                // What comes later cannot matter any more: after a
                // counterexample nothing does, after a proof nothing about
                // the same component.
                for (later, cancel) in tasks.iter().zip(&cancels).skip(position + 1) {
                    let over = match found {
                        Outcome::Run(_) => true,
                        Outcome::Part(_) => later.component() == task.component(),
                        Outcome::Clear | Outcome::Nothing => false,
                    };
                    if over {
                        cancel.cancel();
                    }
                }
                if let Ok(mut results) = results.lock() {
                    results[position] = Some(found);
                }
            }
        };
        let threads = self.plan.jobs.clamp(1, tasks.len().max(1));
        if threads == 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(work);
                }
            });
        }
        if self.plan.cancel.is_cancelled() {
            return Err(End::Cancelled);
        }
        let results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (task, found) in tasks.iter().zip(results) {
            let component = task.component();
            // A task that was cancelled has found nothing, and one after a
            // proof of the same component may have gone further on another
            // machine.
            if self.parts[component].is_some() {
                continue;
            }
            match (task, found) {
                (Task::Flow { .. }, Some(Outcome::Part(part))) => {
                    self.parts[component] = Some(part);
                    self.method = self.method.max(Method::Flow);
                }
                (Task::Bounded { concurrent, .. }, Some(Outcome::Clear)) => self.concurrent[component] = *concurrent,
                (Task::Flow { .. }, Some(Outcome::Run(run))) => return Err(self.refuted(component, run, Method::Flow)),
                (Task::Bounded { .. }, Some(Outcome::Run(run))) => return Err(self.refuted(component, run, Method::Bounded)),
                _ => {}
            }
        }
        Ok(())
    }

    fn task(&self, task: Task, ticks: u64, cancel: &Cancel) -> Outcome {
        let mut budget = Budget::new(ticks, cancel.clone());
        let Some(reduction) = &self.reductions[task.component()] else { return Outcome::Nothing };
        match task {
            Task::Flow { component, reduced } => {
                let original;
                let (form, script) = if reduced {
                    (reduction.form(), reduction.script.clone())
                } else {
                    let form = budget.during(|| NormalForm::new(self.systems[component]));
                    let Ok(Some((form, _))) = form else { return Outcome::Nothing };
                    original = form;
                    (&original, Vec::new())
                };
                match flow::prove(form, &mut budget) {
                    Ok(FlowOutcome::Proof(proof)) => Outcome::Part(Part::Flow(Box::new(FlowProof { script, ..proof }))),
                    Ok(FlowOutcome::Run(run)) => self.lifted(component, &run, cancel).map_or(Outcome::Nothing, Outcome::Run),
                    Ok(FlowOutcome::Stuck) | Err(_) => Outcome::Nothing,
                }
            }
            Task::Bounded { component, concurrent } => match bounded::search(reduction.form(), concurrent, &mut budget) {
                Ok(Bounded::Clear) => Outcome::Clear,
                Ok(Bounded::Run(run)) => self.lifted(component, &run, cancel).map_or(Outcome::Nothing, Outcome::Run),
                Ok(Bounded::TooLarge) | Err(_) => Outcome::Nothing,
            },
        }
    }

    /// A counterexample was found: perhaps there is one with fewer requests.
    fn refuted(&mut self, component: usize, run: Run, method: Method) -> End {
        let size = u32::try_from(run.configuration().completed.size()).unwrap_or(u32::MAX);
        if self.may(Method::Search) && self.cleared.saturating_add(1) < size {
            match self.search(size - 1, LAST_TICKS, true) {
                Ok(()) => {}
                Err(end) => return end,
            }
        }
        let run = self.shortened(component, run);
        End::Found(Box::new(Found::Refuted { component, run, minimal: self.cleared.saturating_add(1) >= size, method }))
    }

    /// Searches the components that are not proved, layer by layer; reduced
    /// ones, if there are any and `reduced` says so.
    fn search(&mut self, up_to: u32, ticks: u64, reduced: bool) -> Result<(), End> {
        let forms: Vec<Option<NetworkSystem>> = (0..self.systems.len())
            .map(|component| {
                let reduction = self.reductions[component].as_ref().filter(|_| reduced && self.may(Method::Reduce))?;
                Some(reduction.form().to_system(self.systems[component]))
            })
            .collect();
        let mut budget = Budget::new(ticks, self.plan.cancel.clone());
        for requests in self.cleared.saturating_add(1)..=up_to {
            (self.plan.watch)(Progress::Requests(requests));
            for component in self.open() {
                let system = forms[component].as_ref().unwrap_or(self.systems[component]);
                match parallel_layer(system, requests, self.plan.jobs, &mut budget) {
                    LayerOutcome::Clear => {}
                    LayerOutcome::Found(run) => {
                        let run = match &forms[component] {
                            None => run,
                            Some(_) => match self.lifted(component, &run, &self.plan.cancel) {
                                Some(run) => self.shortened(component, run),
                                None if self.plan.cancel.is_cancelled() => return Err(End::Cancelled),
                                // Never seen; without a run of the original there is no evidence.
                                None => return Ok(()),
                            },
                        };
                        return Err(End::Found(Box::new(Found::Refuted { component, run, minimal: true, method: Method::Search })));
                    }
                    LayerOutcome::Stopped(Stopped::Cancelled) => return Err(End::Cancelled),
                    LayerOutcome::Stopped(Stopped::OutOfTicks) => return Ok(()),
                    LayerOutcome::Fault(never) => match never {},
                }
            }
            self.cleared = requests;
        }
        Ok(())
    }

    /// A counterexample with the same requests that is as short as can be had.
    fn shortened(&self, component: usize, run: Run) -> Run {
        let budget = Budget::new(u64::MAX, self.plan.cancel.clone());
        Search::new(self.systems[component]).shorten(run.clone(), &budget).unwrap_or(run)
    }

    /// A run of a reduced system on the original.
    fn lifted(&self, component: usize, run: &Run, cancel: &Cancel) -> Option<Run> {
        let system = self.systems[component];
        let mut budget = Budget::new(LIFT_TICKS, cancel.clone());
        lift(system, run, &mut budget).ok().flatten()
    }
}

impl Task {
    fn component(self) -> usize {
        match self {
            Self::Flow { component, .. } | Self::Bounded { component, .. } => component,
        }
    }
}

/// How large a reduced system is: global states, nodes and steps that occur.
fn sizes(form: &NormalForm) -> (usize, usize, usize) {
    let mut globals: Vec<u32> = form.steps().iter().flat_map(|step| [step.global, step.to_global]).chain([form.initial_global()]).collect();
    globals.sort_unstable();
    globals.dedup();
    let mut nodes: Vec<u32> = form.steps().iter().flat_map(|step| [step.node, step.to_node]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    (globals.len(), nodes.len(), form.steps().len())
}
