//! Tasks about one component each, which may run side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serval_budget::checkpoint::fenced;
use serval_budget::{Budget, Cancel, threads};
use serval_model::{Letter, Node, NormalForm, Run};
use serval_proof::flow::FlowProof;
use serval_proof::letters::LettersProof;
use serval_proof::script::Entry;
use serval_proof::{CasesProof, Part};

use super::{Attempt, End, Method, PortfolioWork, Progress, logged, method_of, published};
use crate::cases::{self, CaseOutcome};
use crate::flow::bounded::{self, Bounded};
use crate::flow::{self, FlowOutcome};
use crate::letters::{LettersOutcome, LettersProgress};
use crate::reduce::{reduce, track};

/// Requests in flight between steps that are tried by counting, in the first
/// round; one more in each further one.
const CONCURRENT: usize = 3;

/// Ticks for one way to count requests, at least.
const TRACKED_TICKS: u64 = 20_000;
/// Steps from which on reductions may be expensive.
const LARGE: usize = 1_000;

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A proof over the numbers of answers, of the original, before reductions,
    /// where these are expensive.
    LettersFirst,
    /// The same of the reduced system.
    LettersReduced,
    /// The same of the original.
    LettersOriginal,
    /// A proof by counting, of the reduced system.
    FlowReduced,
    /// A proof by counting, of the original.
    FlowOriginal,
    /// A proof over the numbers of answers, of the reduced system with requests
    /// counted in the global state.
    LettersTracked,
    /// Counterexamples with few requests in flight.
    Bounded,
    /// Proofs of parts of the original that few letters join.
    Parts,
    /// Random runs.
    Sample,
    /// The published method.
    Classic,
    /// Cases on nets, of the reduced system.
    Decompose,
}

impl Kind {
    pub(super) fn method(self) -> Method {
        match self {
            Self::LettersFirst | Self::LettersReduced | Self::LettersOriginal | Self::LettersTracked => Method::Letters,
            Self::FlowReduced | Self::FlowOriginal => Method::Flow,
            Self::Bounded => Method::Bounded,
            // That the parts are enough is a reduction; proofs of them come from the methods that are asked.
            Self::Parts => Method::Reduce,
            Self::Sample => Method::Sample,
            Self::Classic => Method::Classic,
            Self::Decompose => Method::Decompose,
        }
    }
}

/// A task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    component: usize,
    kind: Kind,
    /// Requests in flight, where that matters.
    concurrent: usize,
}

impl PortfolioWork<'_> {
    /// The tasks of some kinds for the components that are not proved.
    pub(super) fn tasks_of(&self, kinds: &[Kind], round: usize) -> Vec<Task> {
        let mut tasks = Vec::new();
        for component in self.open() {
            for &kind in kinds.iter().filter(|kind| self.may(kind.method())) {
                match kind {
                    Kind::Bounded => {
                        let to_do = self.concurrent[component] + 1..=CONCURRENT.saturating_add(round);
                        tasks.extend(to_do.map(|concurrent| Task { component, kind, concurrent }));
                    }
                    // Without reductions the reduced system is the original.
                    Kind::LettersOriginal | Kind::FlowOriginal if !self.may(Method::Reduce) => {}
                    Kind::LettersFirst if !self.may(Method::Reduce) || self.steps(component) < LARGE => {}
                    _ => tasks.push(Task { component, kind, concurrent: 0 }),
                }
            }
        }
        tasks
    }

    /// The steps that the reductions of a component have left so far.
    pub(super) fn steps(&self, component: usize) -> usize {
        self.reductions[component].as_ref().map_or(0, |(reduction, _)| reduction.form().steps().len())
    }

    /// The ticks that a task gets. What is tried before reductions gets few
    /// where these have just become expensive, and more the more expensive
    /// they are, so that a system that is a little larger takes a little longer.
    fn share_of(&self, task: Task, ticks: u64) -> u64 {
        match task.kind {
            Kind::LettersFirst => {
                let beyond = self.steps(task.component).saturating_sub(LARGE);
                let share = u128::from(ticks) * beyond as u128 / LARGE as u128;
                u64::try_from(share).unwrap_or(u64::MAX)
            }
            _ => ticks,
        }
    }

    /// What the outcome of a task depends on beside its ticks, where tasks may be repeated.
    fn key(&self, task: Task) -> Option<(usize, Method, usize)> {
        let length = match task.kind {
            Kind::LettersFirst | Kind::LettersOriginal | Kind::FlowOriginal => 0,
            Kind::LettersReduced | Kind::FlowReduced | Kind::Decompose => self.reductions[task.component].as_ref()?.0.script.len(),
            Kind::LettersTracked | Kind::Bounded | Kind::Parts | Kind::Sample | Kind::Classic => return None,
        };
        Some((task.component, task.kind.method(), length))
    }

    /// Does tasks, on several threads; takes what the first ones found, up to
    /// the first counterexample.
    pub(super) fn tasks(&mut self, mut tasks: Vec<Task>, ticks: u64) -> Result<(), End> {
        tasks.retain(|task| !self.broken.tasks.contains(&(task.component, task.kind)));
        let count = tasks.len();
        tasks
            .retain(|&task| self.key(task).and_then(|key| self.failed.get(&key)).is_none_or(|&failed| failed < self.share_of(task, ticks)));
        self.short |= tasks.len() < count;
        if tasks.is_empty() {
            return Ok(());
        }
        (self.plan.watch)(Progress::Counting);
        let cancels: Vec<Cancel> = tasks.iter().map(|_| self.plan.cancel.child()).collect();
        let broken: Mutex<Vec<(usize, Kind)>> = Mutex::default();
        let results: Mutex<Vec<Option<Attempt>>> = Mutex::new(tasks.iter().map(|_| None).collect());
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some(&task) = tasks.get(position) else { return };
                let found = fenced(|| self.task(task, self.share_of(task, ticks), &cancels[position])).unwrap_or_else(|| {
                    broken.lock().unwrap_or_else(PoisonError::into_inner).push((task.component, task.kind));
                    Attempt::Ended
                });
                logged::attempt(task.component, (task.kind.method(), &task.kind), self.share_of(task, ticks), &found);
                // What comes later cannot matter any more: after a
                // counterexample nothing does, after a proof nothing about
                // the same component.
                for (later, cancel) in tasks.iter().zip(&cancels).skip(position + 1) {
                    let over = match found {
                        Attempt::Run(_) => true,
                        Attempt::Part(_) => later.component == task.component,
                        Attempt::Clear | Attempt::Open(_) | Attempt::Short | Attempt::Because(..) | Attempt::Ended => false,
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
        let threads = if tasks.len() == 1 { 1 } else { threads(self.plan.jobs).clamp(1, tasks.len()) };
        if threads == 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(work);
                }
            });
        }
        self.broken.tasks.extend(broken.into_inner().unwrap_or_else(PoisonError::into_inner));
        if self.plan.cancel.is_cancelled() {
            return Err(End::Cancelled);
        }
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (&task, found) in tasks.iter().zip(results) {
            let Task { component, kind, concurrent } = task;
            let share = self.share_of(task, ticks);
            // A task that was cancelled has found nothing, and one after a
            // proof of the same component may have gone further on another
            // machine.
            if self.parts[component].is_some() {
                continue;
            }
            if let (Some(Attempt::Open(_) | Attempt::Short | Attempt::Because(..)), Some(key)) = (&found, self.key(task)) {
                let failed = self.failed.entry(key).or_default();
                *failed = (*failed).max(share);
            }
            match found {
                Some(Attempt::Part(part)) => {
                    let of_parts = method_of(std::slice::from_ref(&part)).filter(|_| kind == Kind::Parts);
                    self.parts[component] = Some(part);
                    self.method = self.method.max(of_parts.unwrap_or(kind.method()));
                }
                Some(Attempt::Run(run)) => return Err(self.refuted(component, run, kind.method())),
                // There is always one more request that could be in flight.
                Some(Attempt::Clear) => {
                    self.concurrent[component] = concurrent;
                    self.short = true;
                }
                Some(Attempt::Open(answers)) => {
                    let size = |answers: &[(Letter, u64)]| answers.iter().map(|&(_, count)| count).sum::<u64>();
                    // The fewest answers come first, and of as many those that were found first.
                    if !self.open_answers.contains(&(component, answers.clone())) {
                        let place = self.open_answers.partition_point(|(_, known)| size(known) <= size(&answers));
                        self.open_answers.insert(place, (component, answers));
                    }
                    self.short = true;
                }
                Some(Attempt::Short) | None => self.short = true,
                Some(Attempt::Because(reason, more)) => {
                    self.short |= more;
                    // With other methods that is not the reason, but one of many.
                    self.reason = (self.plan.methods == [kind.method()]).then_some(reason);
                }
                Some(Attempt::Ended) => {}
            }
        }
        Ok(())
    }

    fn task(&self, task: Task, ticks: u64, cancel: &Cancel) -> Attempt {
        let Task { component, kind, concurrent } = task;
        #[cfg(test)]
        self.plan.sabotaged(kind.method());
        let mut budget = Budget::new(ticks, cancel.clone());
        if kind == Kind::Sample {
            return self.sample(component, &mut budget);
        }
        if kind == Kind::Parts {
            return self.in_parts(component, ticks, cancel);
        }
        let lifted = |run| self.lifted(component, &run, ticks, cancel).map_or(Attempt::Short, Attempt::Run);
        // Too large for a normal form: too large for all that follows.
        let Some((reduction, _)) = &self.reductions[component] else { return Attempt::Ended };
        match kind {
            Kind::Bounded => match bounded::search(reduction.form(), concurrent, &mut budget) {
                Ok(Bounded::Clear) => Attempt::Clear,
                Ok(Bounded::Run(run)) => lifted(run),
                Ok(Bounded::TooLarge) | Err(_) => Attempt::Short,
            },
            Kind::LettersTracked => self.tracked(component, &lifted, &mut budget),
            Kind::Decompose => match cases::prove(reduction.form(), ticks, cancel) {
                CaseOutcome::Proof(proof) => {
                    Attempt::Part(Part::Cases(Box::new(CasesProof { script: reduction.script.clone(), ..*proof })))
                }
                CaseOutcome::Run(run) => lifted(run),
                CaseOutcome::Short(reason) => Attempt::Because(reason, true),
                CaseOutcome::Ended(reason) => Attempt::Because(reason, false),
            },
            Kind::Classic => published::prove(self.systems[component], ticks, cancel),
            _ => {
                let original;
                let (form, script) = if matches!(kind, Kind::FlowReduced | Kind::LettersReduced) {
                    (reduction.form(), reduction.script.clone())
                } else {
                    let form = budget.during(|| NormalForm::new(self.systems[component]));
                    let Ok(Some((form, _))) = form else { return Attempt::Short };
                    original = form;
                    (&original, Vec::new())
                };
                if kind.method() == Method::Letters {
                    return self.letters(task, form, script, &lifted, &mut budget);
                }
                match flow::prove(form, &mut budget) {
                    Ok(FlowOutcome::Proof(proof)) => Attempt::Part(Part::Flow(Box::new(FlowProof { script, ..proof }))),
                    Ok(FlowOutcome::Run(run)) => lifted(run),
                    Ok(FlowOutcome::Stuck) | Err(_) => Attempt::Short,
                }
            }
        }
    }

    /// A proof over the numbers of answers that goes on from what was found with fewer ticks.
    fn letters(&self, task: Task, form: &NormalForm, script: Vec<Entry>, lifted: &dyn Fn(Run) -> Attempt, budget: &mut Budget) -> Attempt {
        let key = self.key(task);
        let taken = key.and_then(|key| self.kept.lock().ok()?.remove(&key));
        let mut kept = taken.unwrap_or_default();
        // Together it has had as many ticks as it has now.
        let had = key.filter(|_| kept.is_begun()).and_then(|key| self.failed.get(&key)).map_or(0, |&failed| failed);
        let mut part = budget.part(budget.left().saturating_sub(had));
        let found = in_letters(form, script, &mut kept, lifted, &mut part);
        if let (Some(key), Attempt::Open(_) | Attempt::Short, Ok(mut all)) = (key, &found, self.kept.lock()) {
            all.insert(key, kept);
        }
        found
    }

    /// The same where requests are counted in the global state, one way after the
    /// other.
    fn tracked(&self, component: usize, lifted: &dyn Fn(Run) -> Attempt, budget: &mut Budget) -> Attempt {
        let Some((reduction, _)) = &self.reductions[component] else { return Attempt::Ended };
        let candidates = track::candidates(reduction.form());
        let ticks = (budget.left() / (1 + candidates.len() as u64)).max(TRACKED_TICKS);
        for track in candidates {
            let (mut tracked, mut part) = (reduction.clone(), budget.part(ticks));
            let had = part.left();
            let reduced = tracked.push(Entry::Track(track), &mut part).and_then(|()| reduce(&mut tracked, &mut part));
            let script = tracked.script.clone();
            let found = match reduced {
                Err(_) => Attempt::Short,
                Ok(_) if tracked.form().is_atomic() => Attempt::Part(Part::Atomic(script)),
                Ok(_) => in_letters(tracked.form(), script, &mut LettersProgress::default(), lifted, &mut part),
            };
            if matches!(found, Attempt::Part(_) | Attempt::Run(_)) {
                return found;
            }
            if budget.spend(had - part.left()).is_err() {
                break;
            }
        }
        Attempt::Short
    }
}

/// A proof over the numbers of answers of a system that a script leaves.
fn in_letters(
    form: &NormalForm,
    script: Vec<Entry>,
    kept: &mut LettersProgress,
    lifted: &dyn Fn(Run) -> Attempt,
    budget: &mut Budget,
) -> Attempt {
    match kept.prove(form, budget) {
        Ok(LettersOutcome::Proof(proof)) => Attempt::Part(Part::Letters(Box::new(LettersProof { script, ..proof }))),
        Ok(LettersOutcome::Run(run)) => lifted(run),
        Ok(LettersOutcome::Stuck(answers)) => {
            let letter = |(node, count): (Node, i64)| Some((form.letter(node)?, count.unsigned_abs()));
            Attempt::Open(answers.into_iter().filter_map(letter).collect())
        }
        Err(_) => Attempt::Short,
    }
}
