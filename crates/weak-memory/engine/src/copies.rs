//! Everything about a program with a `thread*`.
//!
//! 1. Robustness for any number of copies ([`crate::any`]).
//! 2. Sequential consistency: configurations ([`crate::counted`]) in which no question is met are evidence for all
//!    numbers of copies.
//! 3. What may be met, and in a program that is not robust every question: programs with 1, 2, … copies.

use serval_budget::{Budget, StopReason};
use serval_tso_program::{Program, ThreadId};
use serval_tso_proof::{Answer, AnyStates, By, Certificate, Claim, Model};

use crate::any::{AnyOutcome, COPIES, SOON, decide_any, stages};
use crate::counted::{Counted, Searched, live_of, nothing_urgent};
use crate::decide::{Open, Outcome, decide};
use crate::limits::{EngineLimits, reason};
use crate::live::ProgramAnalysis;
use crate::machine::{Machine, RangeFault};
use crate::models::{PendingQuestions, Sc, is_sought};
use crate::search::Ended;

const STAGE: &str = "states with any number of copies";
/// States of a search with some number of copies, at most.
const TRIED: usize = 200_000;
/// Copies that are tried before anything else.
const FEW: u32 = 2;

/// A step that leaves the range of values, of the program with this number of copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultWith {
    /// How many copies of each `thread*` there are, where there is one.
    pub copies: Option<u32>,
    /// The step.
    pub fault: RangeFault,
}

/// Answers all questions of a program with a `thread*`, and says whether it is robust.
pub fn decide_many(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Result<Outcome, FaultWith> {
    let count = program.questions.len();
    let open = Open { sc: vec![None; count], tso: vec![None; count], robust: None };
    let mut many = Many { program, limits, certificate: Certificate::new(program), open };
    if count > 0 {
        // What is reached with few copies is soon found.
        many.tried(Model::Tso, FEW, SOON, budget)?;
    }
    match decide_any(program, limits, budget) {
        AnyOutcome::Robust(robust) => many.certificate.any = Some(robust),
        AnyOutcome::Violated(copies, violation) => {
            (many.certificate.copies, many.certificate.violation) = (Some(copies), Some(violation));
        }
        AnyOutcome::Fault(copies, fault) => return Err(FaultWith { copies: Some(copies), fault }),
        AnyOutcome::Unknown(reason) => many.open.robust = Some(reason),
    }
    if count > 0 {
        many.sequential(budget)?;
        many.buffered(budget)?;
    }
    Ok(Outcome { certificate: many.certificate, open: many.open })
}

/// Answers all questions under sequential consistency, and leaves all else open.
pub fn sequential_many(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Result<Outcome, FaultWith> {
    let count = program.questions.len();
    let open = Open { sc: vec![None; count], tso: vec![None; count], robust: None };
    let mut many = Many { program, limits, certificate: Certificate::new(program), open };
    if count > 0 {
        many.sequential(budget)?;
    }
    Ok(Outcome { certificate: many.certificate, open: many.open })
}

struct Many<'p> {
    program: &'p Program,
    limits: &'p EngineLimits,
    certificate: Certificate,
    open: Open,
}

/// What configurations show: the list, and for each question whether it may be met.
type Met = (AnyStates, Vec<bool>);

impl Many<'_> {
    fn is_answered(&self, question: usize, model: Model) -> bool {
        self.certificate.answers.iter().any(|answer| answer.question == question && answer.model == model)
    }

    fn is_open(&self, model: Model) -> Vec<usize> {
        (0..self.program.questions.len()).filter(|question| !self.is_answered(*question, model)).collect()
    }

    fn sequential(&mut self, budget: &mut Budget) -> Result<(), FaultWith> {
        let mut known: Option<Met> = None;
        let (mut ended, mut too_many) = (None, false);
        for (stage, (bound, limits)) in stages(self.limits).enumerate() {
            if self.is_open(Model::Sc).is_empty() {
                break;
            }
            // What is coarser shows no more than what has come to its end.
            let found = if bound == 0 && !too_many { Ok(None) } else { configurations(self.program, bound, &limits, budget) };
            match found {
                Ok(found) => known = found.or(known),
                Err(Ended::TooMany) if stage < 2 => too_many = true,
                Err(stopped) => {
                    ended = Some(reason(STAGE, &stopped, self.limits.states));
                    break;
                }
            }
            let perhaps = |question: &usize| known.as_ref().is_none_or(|(_, met)| met[*question]);
            if self.is_open(Model::Sc).iter().all(|question| !perhaps(question)) {
                break;
            }
            if stage == 1 {
                self.tried(Model::Sc, COPIES, TRIED, budget)?;
            }
        }
        for question in self.is_open(Model::Sc) {
            match &known {
                Some((_, met)) if !met[question] => {
                    self.certificate.answers.push(Answer { question, model: Model::Sc, claim: Claim::Unreachable(By::Any) });
                }
                _ => {
                    let what = format!("no proof was found, and nothing with up to {COPIES} copies");
                    let inconclusive = StopReason::Inconclusive { stage: STAGE, what };
                    self.open.sc[question] = Some(ended.clone().unwrap_or(inconclusive));
                }
            }
        }
        let rests = self.certificate.answers.iter().any(|answer| answer.claim == Claim::Unreachable(By::Any));
        self.certificate.any_sc = known.filter(|_| rests).map(|(list, _)| list);
        Ok(())
    }

    fn buffered(&mut self, budget: &mut Budget) -> Result<(), FaultWith> {
        if self.certificate.any.is_some() {
            for question in self.is_open(Model::Tso) {
                if self.open.sc[question].is_none() {
                    self.certificate.answers.push(Answer { question, model: Model::Tso, claim: Claim::Unreachable(By::Robust) });
                } else {
                    self.open.tso[question] = self.open.sc[question].clone();
                }
            }
            return Ok(());
        }
        if !self.is_open(Model::Tso).is_empty() {
            self.tried(Model::Tso, COPIES, TRIED, budget)?;
        }
        for question in self.is_open(Model::Tso) {
            let what = format!(
                "a program with a `thread*` that is not shown to be robust is searched with some number of copies only, and nothing was found with up to {COPIES}"
            );
            self.open.tso[question] = Some(StopReason::Inconclusive { stage: STAGE, what });
        }
        Ok(())
    }

    /// Looks for what has no answer with 1, 2, … copies.
    fn tried(&mut self, model: Model, most: u32, states: usize, budget: &mut Budget) -> Result<(), FaultWith> {
        let limits = EngineLimits { states: self.limits.states.min(states), ..self.limits.clone() };
        for copies in 1..=most {
            if self.is_open(model).is_empty() {
                return Ok(());
            }
            let outcome = decide(&self.program.with_copies(copies), &limits, budget);
            let outcome = outcome.map_err(|fault| FaultWith { copies: Some(copies), fault })?;
            for answer in outcome.certificate.answers {
                if let Claim::Reachable(run) = answer.claim
                    && !self.is_answered(answer.question, answer.model)
                {
                    self.certificate.answers.push(Answer { claim: Claim::Copies(copies, run), ..answer });
                }
            }
            // More copies have more states.
            let stopped = |reason: &Option<StopReason>| matches!(reason, Some(StopReason::TooMany { .. }));
            if outcome.open.sc.iter().any(stopped) {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Searches the configurations under sequential consistency, with numbers up to a bound; `visit` sees each core, that
/// is the threads that are one each, in order, and one copy of each `thread*`.
pub(crate) fn cores(
    program: &Program,
    live: &[Vec<u64>],
    bound: u64,
    limits: &EngineLimits,
    budget: &mut Budget,
    visit: &mut dyn FnMut(&Machine<'_>, &[i64]),
) -> Searched {
    let kinds = program.many();
    let core = program.observed_with(None);
    let analysis = nothing_urgent(&core, live_of(program, live, &kinds));
    let machine = Machine::new(&core, &analysis);
    let joint: Vec<Program> = kinds.iter().map(|kind| program.observed_with(Some(*kind))).collect();
    let also = |kind: &ThreadId| kinds.iter().copied().chain([*kind]).collect::<Vec<_>>();
    let analyses: Vec<ProgramAnalysis> =
        joint.iter().zip(&kinds).map(|(joint, kind)| nothing_urgent(joint, live_of(program, live, &also(kind)))).collect();
    let machines: Vec<Machine<'_>> = joint.iter().zip(&analyses).map(|(program, analysis)| Machine::new(program, analysis)).collect();
    let joint = machines.iter().map(|machine| (machine, Sc { machine, asked: PendingQuestions::new(machine.program) })).collect();
    let system = Sc { machine: &machine, asked: PendingQuestions::new(&core) };
    let mut counted = Counted { program, core: &machine, system, joint, helpers: false };
    counted.search(bound, limits.states, budget, &mut |state| {
        visit(&machine, state);
        false
    })
}

/// The configurations under sequential consistency, with numbers up to a bound; nothing where a step may fault.
fn configurations(program: &Program, bound: u64, limits: &EngineLimits, budget: &mut Budget) -> Result<Option<Met>, Ended> {
    let live = ProgramAnalysis::new(program, &program.questions).live;
    let mut met = vec![false; program.questions.len()];
    let found = cores(program, &live, bound, limits, budget, &mut |machine, state| {
        for (question, met) in machine.program.questions.iter().zip(&mut met) {
            *met |= is_sought(machine, question, state);
        }
    });
    match found {
        Searched::All(configurations) => Ok(Some((AnyStates { live, configurations }, met))),
        Searched::Perhaps => Ok(None),
        Searched::Ended(ended) => Err(ended),
    }
}
