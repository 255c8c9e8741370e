//! All methods, in a fixed order, each with a budget.
//!
//! Budgets are ticks, so the result does not depend on the machine or on the
//! number of threads unless a limit on time or memory ends the work. A verdict
//! comes with evidence; nothing is claimed beyond it.
//!
//! First counterexamples with few requests, then rounds with budgets that grow
//! until the user's limits end the work, or until a round in which no method was
//! short of ticks. A round has levels (`LEVEL`), in each of which every method is
//! tried with twice the ticks of the level before. So what failed took, all
//! together, a fixed multiple of the ticks with which a method succeeds: a
//! system that needs a little more than some level has takes about twice as long as one
//! that needs a little less, and not ten times. A level goes on from what those before it
//! found: how far each component is reduced, what is ruled out, and what proofs over
//! the numbers of answers have come to. Which
//! budgets there are depends on no clock, so what is decided within some time
//! is decided within any longer time. Tasks may run side by side, and the
//! first *in their order* that succeeds wins, not the first to finish, so that
//! the outcome is the one of running them one after the other. A component that
//! is proved is not looked at again; one counterexample ends everything, but
//! for looking whether fewer requests would have done.
//!
//! A method that panics has a mistake. It costs its own answer: it is not asked again about the component, and the
//! others go on (`fence`). Only where none of them has an answer the call fails as the method did.

mod attempt;
mod fence;
mod few_kinds;
mod logged;
mod parts;
mod published;
mod sampling;
mod schedule;
mod tasks;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
#[cfg(test)]
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use serval_budget::checkpoint::fenced;
use serval_budget::{Budget, Cancel, StopReason, Stopped};
use serval_model::{Letter, NetworkSystem, NormalForm, Run};
use serval_proof::Part;
use serval_proof::script::Reduced;
use serval_proof::strict::StrictProof;

use crate::letters::LettersProgress;
use crate::reduce::{Extent, Reduction, reduce};
use crate::sample::{HowSampled, Sampler, shrunk};
use crate::search::{LayerOutcome, Search, Waits, lift, parallel_layer};

pub use crate::decision::{Decision, Found, Method};
pub use attempt::Attempt;
use fence::Broken;
use schedule::{
    ALWAYS, BEGIN, EARLY_TICKS, END, GLANCE, GROWTH, HALVED, HALVED_ALWAYS, LEVEL, SAMPLE_LEVEL, SAMPLE_TIMES, SOON_TICKS, Stage,
    TASK_TICKS,
};
use tasks::Kind;

/// Requests in the first, cheap search.
pub const FIRST_LAYERS: u32 = 3;
/// Ticks for the first search.
pub const FIRST_TICKS: u64 = 300_000;
/// Ticks for the search after everything else.
pub const LAST_TICKS: u64 = 100_000;
/// Rounds for those who set no limit. With the last one budgets are as large as
/// work of some minutes.
pub const ROUNDS: usize = 4;

/// What may be tried, and how.
pub struct Plan<'a> {
    /// The methods that may be used.
    pub methods: Vec<Method>,
    /// Threads; 0 for as many as the machine offers.
    pub jobs: usize,
    /// Ends the work from outside.
    pub cancel: Cancel,
    /// Receives what is tried.
    pub watch: &'a (dyn Fn(Progress) + Sync),
    /// Rounds of growing budgets, at most; with 0 only reductions and one proof
    /// by counting.
    pub rounds: usize,
    /// How large budgets are, in percent of the usual.
    pub percent: u64,
    /// What random runs are drawn from; none for a number that belongs to the system.
    pub seed: Option<u64>,
    /// Whether parts of a component that few letters join may be proved by themselves.
    pub in_parts: bool,
    /// A method that panics, and how often it did.
    #[cfg(test)]
    sabotage: Option<(Method, &'a AtomicUsize)>,
}

impl<'a> Plan<'a> {
    /// Methods with one thread and a few rounds; progress is not reported.
    pub fn new(methods: &[Method], cancel: &Cancel) -> Self {
        let methods = methods.to_vec();
        Self {
            methods,
            jobs: 1,
            cancel: cancel.clone(),
            watch: &|_| {},
            rounds: ROUNDS,
            percent: 100,
            seed: None,
            in_parts: true,
            #[cfg(test)]
            sabotage: None,
        }
    }

    /// The ticks that something has in a round, if it has `first` in the first.
    fn ticks(&self, first: u64, round: usize) -> u64 {
        let growth = u32::try_from(round).ok().and_then(|round| GROWTH.checked_pow(round)).unwrap_or(u64::MAX);
        (first.saturating_mul(self.percent) / 100).saturating_mul(growth)
    }
}

/// What is being tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// All runs with this number of requests.
    Requests(u32),
    /// Reductions of a component.
    Reductions,
    /// Proofs by counting, and counterexamples with few requests in flight.
    Counting,
}

/// Decides about a list of components, of which no counterexample with up to
/// `cleared` requests exists.
///
/// # Panics
/// When a method panics and no other has an answer.
pub fn decide(systems: &[&NetworkSystem], cleared: u32, plan: &Plan<'_>) -> Decision {
    crate::same::worked_on_once(systems, cleared, &plan.cancel, |systems| {
        let (parts, reductions) = (vec![None; systems.len()], vec![None; systems.len()]);
        let concurrent = vec![0; systems.len()];
        let (failed, kept, open_answers) = (FxHashMap::default(), Mutex::default(), Vec::new());
        let (searched, clear, method) = (0, vec![0; systems.len()], Method::Reduce);
        let (short, reason, broken) = (false, None, Broken::default());
        let (samplers, sampled, splits) = Default::default();
        let decision = PortfolioWork {
            systems,
            plan,
            cleared,
            concurrent,
            parts,
            reductions,
            failed,
            kept,
            searched,
            clear,
            method,
            short,
            reason,
            open_answers,
            broken,
            samplers,
            sampled,
            splits,
        }
        .run();
        fence::decided(decision)
    })
}

/// The method that proofs like these, one for each component, come from; `None`
/// for proofs that no method here makes.
pub fn method_of(parts: &[Part]) -> Option<Method> {
    let of = |part: &Part| match part {
        Part::Atomic(_) | Part::Same(_) => Some(Method::Reduce),
        Part::Letters(_) => Some(Method::Letters),
        Part::Flow(_) => Some(Method::Flow),
        Part::Invariant(_) => Some(Method::Classic),
        Part::Cases(_) => Some(Method::Decompose),
        Part::Shared(proof) => method_of(&proof.parts),
        // Such proofs are about more than what the portfolio decides.
        Part::Strict(_) => None,
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
            Part::Letters(proof) => &proof.script,
            Part::Flow(proof) => &proof.script,
            Part::Cases(proof) => &proof.script,
            Part::Invariant(_) | Part::Shared(_) => return None,
            Part::Strict(StrictProof::InFlight(proof)) => &proof.script,
            Part::Strict(StrictProof::Points(proof)) => &proof.script,
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

struct PortfolioWork<'a> {
    systems: &'a [&'a NetworkSystem],
    plan: &'a Plan<'a>,
    cleared: u32,
    /// For each component, what bounded concurrency has ruled out.
    concurrent: Vec<usize>,
    parts: Vec<Option<Part>>,
    /// One per component, once made, and whether it is complete; without
    /// reductions the normal form.
    reductions: Vec<Option<(Reduction, Extent)>>,
    /// With how many ticks a method found nothing about a component, reduced by a script of some length: with as many
    /// it would again.
    failed: FxHashMap<(usize, Method, usize), u64>,
    /// What such attempts have found over the numbers of answers, for the next one.
    kept: Mutex<FxHashMap<(usize, Method, usize), LettersProgress>>,
    /// The ticks that searches of the reduced systems have had, and found nothing with.
    searched: u64,
    /// How many ways to choose one request more than `cleared` were looked at, for each component.
    clear: Vec<usize>,
    /// The last method that proved a component.
    method: Method,
    /// Whether something in this round could have used more ticks.
    short: bool,
    /// What stopped the last method that said so, where it is the only one.
    reason: Option<StopReason>,
    /// Components and answers of theirs that were open, in some round.
    open_answers: Vec<(usize, Vec<(Letter, u64)>)>,
    /// What panicked.
    broken: Broken,
    /// The random runs of each component, as far as they have come.
    samplers: Mutex<BTreeMap<usize, Sampler<&'a NetworkSystem>>>,
    /// How the last of them was found that is a counterexample.
    sampled: Mutex<Option<HowSampled>>,
    /// What is known of the parts of each component.
    splits: Mutex<BTreeMap<usize, parts::PartsKnown>>,
}

/// The end of the work before all methods were tried.
enum End {
    Found(Box<Found>),
    Cancelled,
}

impl PortfolioWork<'_> {
    fn run(mut self) -> Decision {
        let found = match self.methods() {
            Ok(found) => found,
            Err(End::Found(found)) => *found,
            Err(End::Cancelled) => Found::Unknown(StopReason::Cancelled),
        };
        let sizes = self.reductions.iter().flatten().map(|(reduction, _)| sizes(reduction.form()));
        let reduced = self.may(Method::Reduce) && self.reductions.iter().all(Option::is_some);
        let reduced = reduced.then(|| sizes.fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2)));
        let open = self.concurrent.iter().zip(&self.parts).filter(|(_, part)| part.is_none()).map(|(&concurrent, _)| concurrent);
        let concurrent = open.min().unwrap_or(0);
        self.open_answers.retain(|&(component, _)| self.parts[component].is_none());
        let is_sampled = matches!(found, Found::Refuted { method: Method::Sample, .. });
        let sampled = self.sampled.into_inner().unwrap_or_else(PoisonError::into_inner).filter(|_| is_sampled);
        Decision { found, cleared: self.cleared, concurrent, reduced, open: self.open_answers, sampled, failed: self.broken.methods() }
    }

    fn may(&self, method: Method) -> bool {
        self.plan.methods.contains(&method) && !(method == Method::Search && self.broken.search)
    }

    fn methods(&mut self) -> Result<Found, End> {
        if self.may(Method::Search) && self.cleared < FIRST_LAYERS {
            self.searching(|work| {
                work.search(FIRST_LAYERS, work.plan.ticks(FIRST_TICKS, 0), false)?;
                work.few_kinds(None)
            })?;
        }
        self.normal_forms()?;
        for round in 0..self.plan.rounds.max(1) {
            if self.plan.cancel.is_cancelled() {
                return Err(End::Cancelled);
            }
            self.short = false;
            let begin = BEGIN.iter().chain(GLANCE.iter().filter(|_| round == 0));
            for (stage, first) in begin {
                self.stage(stage, self.plan.ticks(*first, round), round)?;
                if let Some(proof) = self.proof() {
                    return Ok(proof);
                }
            }
            let last = self.plan.ticks(TASK_TICKS, round);
            let (level, halved) = match self.plan.rounds {
                0 => (&LEVEL[..ALWAYS], HALVED_ALWAYS),
                _ => (LEVEL, HALVED[round.min(1)]),
            };
            for ticks in halved.iter().map(|&times| last >> times) {
                // With fewer ticks than steps nothing can even be looked at.
                if ticks < last && self.open().all(|component| ticks < self.steps(component) as u64) {
                    continue;
                }
                for (stage, part) in level {
                    self.stage(stage, ticks / part, round)?;
                    if let Some(proof) = self.proof() {
                        return Ok(proof);
                    }
                }
            }
            for (stage, first) in END.iter().filter(|_| self.plan.rounds > 0) {
                self.stage(stage, self.plan.ticks(*first, round), round)?;
                if let Some(proof) = self.proof() {
                    return Ok(proof);
                }
            }
            if !self.short && self.plan.rounds > 0 {
                return Ok(Found::Unknown(self.reason.take().unwrap_or(StopReason::MethodsExcluded)));
            }
            // Once budgets are as large as numbers are, further rounds would only repeat what is known.
            if self.plan.ticks(EARLY_TICKS, round.saturating_add(1)) <= self.plan.ticks(EARLY_TICKS, round) {
                break;
            }
        }
        let used_up = StopReason::RoundsUsedUp { rounds: self.plan.rounds };
        Ok(Found::Unknown(self.reason.take().unwrap_or(used_up)))
    }

    /// Does a part of a round.
    fn stage(&mut self, stage: &Stage, ticks: u64, round: usize) -> Result<(), End> {
        match stage {
            Stage::Reduce => self.reduce(ticks),
            Stage::SearchSoon if self.searched >= self.plan.ticks(SOON_TICKS, 0) => Ok(()),
            Stage::SearchSoon => self.stage(&Stage::Search, ticks.min(self.plan.ticks(SOON_TICKS, 0)), round),
            Stage::Parts if ticks < SAMPLE_LEVEL || !self.plan.in_parts => Ok(()),
            Stage::Parts => self.stage(&Stage::Tasks(&[Kind::Parts]), ticks, round),
            Stage::Sample if ticks < SAMPLE_LEVEL && self.plan.methods != [Method::Sample] => Ok(()),
            Stage::Sample => self.stage(&Stage::Tasks(&[Kind::Sample]), ticks.saturating_mul(SAMPLE_TIMES), round),
            Stage::Search if !self.may(Method::Search) => Ok(()),
            // With far fewer ticks than it has had it would not get much further.
            Stage::Search if ticks < self.searched / 2 => {
                self.short = true;
                Ok(())
            }
            Stage::Search => {
                self.searching(|work| {
                    work.search(u32::MAX, ticks, true)?;
                    work.few_kinds(Some(ticks))
                })?;
                self.searched = ticks;
                logged::searched(ticks, self.cleared);
                Ok(())
            }
            Stage::Tasks(kinds) => {
                let tasks = self.tasks_of(kinds, round);
                self.tasks(tasks, ticks)
            }
        }
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

    /// The systems before any reduction.
    fn normal_forms(&mut self) -> Result<(), End> {
        for component in self.open() {
            self.normal_form(component, Extent::Partial)?;
        }
        Ok(())
    }

    /// A system before any reduction, and whether it shall stay like this.
    fn normal_form(&mut self, component: usize, extent: Extent) -> Result<(), End> {
        let budget = Budget::new(u64::MAX, self.plan.cancel.clone());
        let Ok(form) = budget.during(|| NormalForm::new(self.systems[component])) else { return Err(End::Cancelled) };
        self.reductions[component] = form.map(|(form, _)| (Reduction::new(form), extent));
        Ok(())
    }

    /// Reduces what is not proved, from where it was left.
    fn reduce(&mut self, ticks: u64) -> Result<(), End> {
        if !self.may(Method::Reduce) {
            return Ok(());
        }
        for component in self.open() {
            match fenced(|| self.reduce_one(component, ticks)) {
                Some(reduced) => reduced?,
                // What is left of it may be half a reduction: methods have the system as it was.
                None => {
                    self.broken.reductions.insert(component);
                    self.normal_form(component, Extent::Complete)?;
                }
            }
        }
        Ok(())
    }

    fn reduce_one(&mut self, component: usize, ticks: u64) -> Result<(), End> {
        (self.plan.watch)(Progress::Reductions);
        let mut budget = Budget::new(ticks, self.plan.cancel.clone());
        let Some((reduction, extent)) = &mut self.reductions[component] else { return Ok(()) };
        if *extent == Extent::Partial {
            match reduce(reduction, &mut budget) {
                Ok(reached) => *extent = reached,
                Err(Stopped::OutOfTicks) => {}
                Err(Stopped::Cancelled) => return Err(End::Cancelled),
            }
        }
        logged::reduced(component, ticks, &budget, reduction.form());
        self.short |= *extent == Extent::Partial;
        if reduction.form().is_atomic() {
            self.parts[component] = Some(Part::Atomic(reduction.script.clone()));
            self.method = self.method.max(Method::Reduce);
        }
        Ok(())
    }

    /// A counterexample was found: perhaps there is one with fewer requests.
    fn refuted(&mut self, component: usize, run: Run, method: Method) -> End {
        // Those that were drawn are small, and those that were searched for have few requests from the beginning.
        let run = if matches!(method, Method::Search | Method::Sample) { run } else { self.smaller(component, run) };
        let size = u32::try_from(run.configuration().completed.size()).unwrap_or(u32::MAX);
        if self.may(Method::Search) && self.cleared.saturating_add(1) < size {
            match self.searching(|work| work.search(size - 1, LAST_TICKS, true)) {
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
                let (reduction, _) = self.reductions[component].as_ref().filter(|_| reduced && self.may(Method::Reduce))?;
                Some(reduction.form().to_system(self.systems[component]))
            })
            .collect();
        let mut budget = Budget::new(ticks, self.plan.cancel.clone());
        let waits = |(component, form): (usize, &Option<NetworkSystem>)| {
            // For few requests there is no need to know.
            let needless = up_to <= FIRST_LAYERS || self.parts[component].is_some();
            let system = form.as_ref().unwrap_or(self.systems[component]);
            if needless { Ok(Waits::default()) } else { Waits::of(system, &mut budget.part(ticks)) }
        };
        let waits: Vec<Waits> = forms.iter().enumerate().map(waits).collect::<Result<_, _>>().map_err(|_| End::Cancelled)?;
        for requests in self.cleared.saturating_add(1)..=up_to {
            (self.plan.watch)(Progress::Requests(requests));
            for component in self.open() {
                let system = forms[component].as_ref().unwrap_or(self.systems[component]);
                match parallel_layer(system, &waits[component], requests, self.plan.jobs, &mut self.clear[component], &mut budget) {
                    LayerOutcome::Clear => {}
                    LayerOutcome::Found(run) => {
                        let run = match &forms[component] {
                            None => run,
                            Some(_) => match self.lifted(component, &run, ticks, &self.plan.cancel) {
                                Some(run) => self.shortened(component, run),
                                None if self.plan.cancel.is_cancelled() => return Err(End::Cancelled),
                                // Never seen; without a run of the original there is no evidence.
                                None => return Ok(()),
                            },
                        };
                        return Err(End::Found(Box::new(Found::Refuted { component, run, minimal: true, method: Method::Search })));
                    }
                    LayerOutcome::Stopped(Stopped::Cancelled) => return Err(End::Cancelled),
                    LayerOutcome::Stopped(Stopped::OutOfTicks) => {
                        self.short = true;
                        return Ok(());
                    }
                    LayerOutcome::Fault(never) => match never {},
                }
            }
            self.cleared = requests;
            self.clear.fill(0);
        }
        Ok(())
    }

    /// A counterexample with fewer requests, if parts of this one are one.
    fn smaller(&self, component: usize, run: Run) -> Run {
        let budget = Budget::new(u64::MAX, self.plan.cancel.clone());
        fenced(|| shrunk(self.systems[component], &run, &budget)).unwrap_or(run)
    }

    /// A counterexample with the same requests that is as short as can be had.
    fn shortened(&self, component: usize, run: Run) -> Run {
        let budget = Budget::new(u64::MAX, self.plan.cancel.clone());
        // A longer run is evidence as well.
        fenced(|| Search::new(self.systems[component]).shorten(run.clone(), &budget).ok()).flatten().unwrap_or(run)
    }

    /// A run of a reduced system on the original, which may cost as much as
    /// finding it did.
    fn lifted(&self, component: usize, run: &Run, ticks: u64, cancel: &Cancel) -> Option<Run> {
        let system = self.systems[component];
        let mut budget = Budget::new(ticks.max(TASK_TICKS), cancel.clone());
        lift(system, run, &mut budget).ok().flatten()
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
