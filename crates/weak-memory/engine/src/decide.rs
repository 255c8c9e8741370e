//! Everything about a program with a fixed number of threads.
//!
//! 1. Sequential consistency, for all questions at once.
//! 2. Robustness: the attacks of each thread.
//! 3. Store buffers: what can be reached under sequential consistency can be reached with them; what cannot, cannot in
//!    a robust program; for the rest store buffers of 1, 2, 4, … places, which is everything as soon as no store finds
//!    its buffer full, and in between merged states, and load buffers backwards.
//!
//! Methods for the last can be used alone ([`Method`]).

use serval_budget::{Budget, StopReason};
use serval_tso_program::Program;
use serval_tso_proof::{Answer, By, Certificate, Claim, Model, States};

use crate::limits::{EAGER, EngineLimits, MANY, fault, reason};
use crate::live::ProgramAnalysis;
use crate::loads::{Backwards, basis, search_back};
use crate::machine::{Machine, RangeFault};
use crate::models::{Merged, PendingQuestions, Sc, Tso};
use crate::persistent::Persistent;
use crate::reach::ReachableValues;
use crate::robustness::{Robustness, robustness};
use crate::rounds::in_rounds;
use crate::search::{Ended, Label, Visited, search, search_eagerly};
use crate::witness::{with_buffers, written};

/// How questions are answered with store buffers, where sequential consistency and robustness do not answer them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Store buffers with a growing bound; then what shows that nothing can be reached although there is no bound.
    #[default]
    All,
    /// Store buffers with a growing bound alone.
    StoreBuffers,
    /// Load buffers, backwards, alone: “no” is shown, and of “yes” there is no run.
    LoadBuffers,
    /// At most this number of rounds of each thread: “yes” is shown, and that nothing was found says nothing about more
    /// rounds.
    Rounds(u32),
}

/// What is not known, and why.
#[derive(Clone, Debug, Default)]
pub struct Open {
    /// For each question under sequential consistency.
    pub sc: Vec<Option<StopReason>>,
    /// With store buffers.
    pub tso: Vec<Option<StopReason>>,
    /// Whether the program is robust.
    pub robust: Option<StopReason>,
}

/// What was found.
#[derive(Debug)]
pub struct Outcome {
    /// Evidence for everything that is known.
    pub certificate: Certificate,
    /// What is not known.
    pub open: Open,
}

const SC: &str = "states under sequential consistency";
const TSO: &str = "states with store buffers";
const LOADS: &str = "configurations with load buffers";
/// The bound of store buffers beyond which equal stores are merged, and the bound of merged buffers.
const MERGE_AT: usize = 4;
const MERGED: usize = 16;
/// Ticks for load buffers, times the third power of the bound of store buffers.
const LOADED: u64 = 500;

/// Answers all questions, and says whether the program is robust. The error is a step that leaves the range of values.
pub fn decide(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Result<Outcome, RangeFault> {
    decide_by(Method::All, program, limits, budget)
}

/// The same by one method.
pub fn decide_by(method: Method, program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Result<Outcome, RangeFault> {
    let analysis = ProgramAnalysis::new(program, &program.questions);
    let machine = Machine::new(program, &analysis);
    let mut deciding = Deciding::new(method, program, &machine, limits);
    deciding.sequential(budget)?;
    match robustness(program, limits, budget)? {
        Robustness::Robust(robust) => deciding.certificate.robust = Some(robust),
        Robustness::Violated(violation) => deciding.certificate.violation = Some(violation),
        Robustness::Unknown(reason) => deciding.open.robust = Some(reason),
    }
    deciding.buffered(budget)?;
    let Deciding { certificate, open, .. } = deciding;
    Ok(Outcome { certificate, open })
}

/// That something can be reached, of which there is no run.
fn reachable() -> StopReason {
    let what = "what is looked for can be reached, but no run was found".to_owned();
    StopReason::Inconclusive { stage: LOADS, what }
}

/// Answers all questions under sequential consistency, and leaves all else open.
pub fn sequential(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Result<Outcome, RangeFault> {
    let analysis = ProgramAnalysis::new(program, &program.questions);
    let machine = Machine::new(program, &analysis);
    let mut deciding = Deciding::new(Method::All, program, &machine, limits);
    deciding.sequential(budget)?;
    let Deciding { certificate, open, .. } = deciding;
    Ok(Outcome { certificate, open })
}

/// Answers questions about final states under sequential consistency, without all orders of steps, and leaves all else
/// open.
pub fn sequential_finals(program: &Program, limits: &EngineLimits, budget: &mut Budget) -> Result<Outcome, RangeFault> {
    let analysis = ProgramAnalysis::new(program, &program.questions);
    let machine = Machine::new(program, &analysis);
    let mut deciding = Deciding::new(Method::All, program, &machine, limits);
    if program.questions.iter().all(|question| question.asked.is_final()) {
        deciding.final_states(budget)?;
    }
    let Deciding { certificate, open, .. } = deciding;
    Ok(Outcome { certificate, open })
}

struct Deciding<'m, 'p> {
    program: &'p Program,
    machine: &'m Machine<'p>,
    method: Method,
    limits: &'m EngineLimits,
    certificate: Certificate,
    open: Open,
    /// Questions of which load buffers say that they can be reached.
    reachable: Vec<bool>,
}

impl<'m, 'p> Deciding<'m, 'p> {
    fn new(method: Method, program: &'p Program, machine: &'m Machine<'p>, limits: &'m EngineLimits) -> Self {
        let count = program.questions.len();
        let open = Open { sc: vec![None; count], tso: vec![None; count], robust: None };
        Self { program, machine, method, limits, certificate: Certificate::new(program), open, reachable: vec![false; count] }
    }
}

impl Deciding<'_, '_> {
    fn say(&mut self, question: usize, model: Model, claim: Claim) {
        self.certificate.answers.push(Answer { question, model, claim });
    }

    fn sequential(&mut self, budget: &mut Budget) -> Result<(), RangeFault> {
        let questions: Vec<usize> = (0..self.program.questions.len()).collect();
        let asked = || PendingQuestions::some(self.program, &questions, self.limits.alike);
        let mut system = Sc { machine: self.machine, asked: asked() };
        let (mut found, mut ended) = search(&mut system, self.limits.states.min(MANY), budget);
        if matches!(ended, Ended::TooMany) {
            if self.program.questions.is_empty() {
                return Ok(());
            }
            if self.program.questions.iter().all(|question| question.asked.is_final()) {
                return self.final_states(budget);
            }
            system = Sc { machine: self.machine, asked: asked() };
            (found, ended) = search(&mut system, self.limits.states, budget);
        }
        if let Ended::Fault(at, faulting) = ended {
            return Err(fault(self.machine, &found, at, faulting));
        }
        for question in questions {
            match (system.asked.path(question, &found), &ended) {
                (Some(labels), _) => self.say_reached(question, &labels),
                (None, Ended::Done) => self.say(question, Model::Sc, Claim::Unreachable(By::States)),
                (None, ended) => self.open.sc[question] = Some(reason(SC, ended, self.limits.states)),
            }
        }
        let rests = self.certificate.answers.iter().any(|answer| answer.claim == Claim::Unreachable(By::States));
        if rests {
            self.certificate.sc = Some(self.list(system.asked, found));
        }
        Ok(())
    }

    /// Questions about final states under sequential consistency, without all orders of steps.
    fn final_states(&mut self, budget: &mut Budget) -> Result<(), RangeFault> {
        let questions: Vec<usize> = (0..self.program.questions.len()).collect();
        let asked = PendingQuestions::some(self.program, &questions, self.limits.alike);
        let mut system = Persistent { machine: self.machine, asked };
        let (found, ended) = search(&mut system, self.limits.states, budget);
        if let Ended::Fault(at, faulting) = ended {
            return Err(fault(self.machine, &found, at, faulting));
        }
        for question in questions {
            match (system.asked.path(question, &found), &ended) {
                (Some(labels), _) => self.say_reached(question, &labels),
                (None, Ended::Done) => self.say(question, Model::Sc, Claim::Unreachable(By::Finals)),
                (None, ended) => self.open.sc[question] = Some(reason(SC, ended, self.limits.states)),
            }
        }
        if system.asked.met.contains(&None) && matches!(ended, Ended::Done) {
            self.certificate.finals = Some(self.list(system.asked, found));
        }
        Ok(())
    }

    /// The states that were found, as a list.
    fn list(&self, asked: PendingQuestions<'_>, found: Visited) -> States {
        States { live: self.machine.analysis.live.clone(), alike: asked.alike.groups, states: found.ascending() }
    }

    /// What a run under sequential consistency reaches is reached with store buffers as well.
    fn say_reached(&mut self, question: usize, labels: &[Label]) {
        self.say(question, Model::Sc, Claim::Reachable(written(self.machine, labels)));
        self.say(question, Model::Tso, Claim::Reachable(with_buffers(self.machine, labels)));
    }

    /// The questions that have no answer with store buffers.
    fn is_answered(&self, question: usize, model: Model) -> Option<&Claim> {
        self.certificate.answers.iter().find(|answer| answer.question == question && answer.model == model).map(|answer| &answer.claim)
    }

    fn buffered(&mut self, budget: &mut Budget) -> Result<(), RangeFault> {
        let questions = 0..self.program.questions.len();
        // A method that is used alone answers by itself.
        if self.certificate.robust.is_some() && matches!(self.method, Method::All | Method::Rounds(_)) {
            for question in questions.clone() {
                match self.is_answered(question, Model::Sc) {
                    Some(Claim::Unreachable(_)) => self.say(question, Model::Tso, Claim::Unreachable(By::Robust)),
                    Some(Claim::Reachable(_) | Claim::Copies(..)) => {}
                    None => self.open.tso[question] = self.open.sc[question].clone(),
                }
            }
            return Ok(());
        }
        match self.method {
            Method::All | Method::StoreBuffers => self.store_buffers(budget),
            Method::LoadBuffers => {
                let open = self.unanswered();
                if let Some(reason) = self.loaded(&open, budget) {
                    let open = self.unanswered();
                    self.leave(&open, &reason);
                }
                Ok(())
            }
            Method::Rounds(rounds) => {
                self.in_rounds(rounds, budget);
                Ok(())
            }
        }
    }

    fn unanswered(&self) -> Vec<usize> {
        (0..self.program.questions.len()).filter(|question| self.is_answered(*question, Model::Tso).is_none()).collect()
    }

    fn leave(&mut self, questions: &[usize], reason: &StopReason) {
        questions.iter().for_each(|question| self.open.tso[*question] = Some(reason.clone()));
    }

    /// What can be reached in `rounds` rounds.
    fn in_rounds(&mut self, rounds: u32, budget: &mut Budget) {
        let open = self.unanswered();
        if open.is_empty() {
            return;
        }
        let skipped: Vec<bool> = (0..self.program.questions.len()).map(|question| !open.contains(&question)).collect();
        let what = format!("nothing was found in {rounds} rounds of each thread, which says nothing about more");
        let nothing = StopReason::Inconclusive { stage: "rounds", what };
        match in_rounds(self.program, rounds, &skipped, self.limits, budget) {
            Err(reason) => self.leave(&open, &reason),
            Ok(found) => {
                for question in open {
                    match &found.runs[question] {
                        Some(run) => self.say(question, Model::Tso, Claim::Reachable(run.clone())),
                        None => self.leave(&[question], found.open.as_ref().unwrap_or(&nothing)),
                    }
                }
            }
        }
    }

    /// Whether load buffers show that these questions cannot be reached; otherwise why not.
    fn loaded(&mut self, questions: &[usize], budget: &mut Budget) -> Option<StopReason> {
        let reach = match ReachableValues::new(self.machine, self.limits.states, budget) {
            Ok(reach) => reach,
            Err(ended) => return Some(reason(LOADS, &ended, self.limits.states)),
        };
        // Members for other questions stay: what covers more is closed as well.
        let mut members = self.certificate.basis.take().map_or_else(Vec::new, |basis| basis.members);
        let mut why = None;
        for &question in questions {
            if self.reachable[question] {
                why.get_or_insert_with(reachable);
                continue;
            }
            match search_back(self.machine, &reach, &self.program.questions[question], self.limits.states, budget) {
                Backwards::Unreachable(found) => {
                    members.extend(found);
                    self.say(question, Model::Tso, Claim::Unreachable(By::Basis));
                }
                Backwards::Reachable => {
                    self.reachable[question] = true;
                    why.get_or_insert_with(reachable);
                }
                Backwards::Ended(ended) => {
                    why.get_or_insert(reason(LOADS, &ended, self.limits.states));
                }
            }
        }
        if self.certificate.answers.iter().any(|answer| answer.claim == Claim::Unreachable(By::Basis)) {
            self.certificate.basis = Some(basis(self.machine.analysis, &reach, members));
        }
        why
    }

    fn store_buffers(&mut self, budget: &mut Budget) -> Result<(), RangeFault> {
        let mut bound = 1;
        loop {
            let open = self.unanswered();
            if open.is_empty() {
                return Ok(());
            }
            let asked = PendingQuestions::some(self.program, &open, self.limits.alike);
            let mut system = Tso { machine: self.machine, asked, bound, hit: false };
            let (mut found, mut ended) = search(&mut system, self.limits.states.min(MANY), budget);
            if matches!(ended, Ended::TooMany) {
                // A run that is found eagerly is a run; if there is none, everything is looked at.
                system = system.again();
                (found, ended) = search_eagerly(&mut system, self.limits.states.min(EAGER), budget);
                if !matches!(ended, Ended::Met(_) | Ended::Fault(..)) {
                    system = system.again();
                    (found, ended) = search(&mut system, self.limits.states, budget);
                }
            }
            if let Ended::Fault(at, faulting) = ended {
                return Err(fault(self.machine, &found, at, faulting));
            }
            for &question in &open {
                if let Some(labels) = system.asked.path(question, &found) {
                    self.say(question, Model::Tso, Claim::Reachable(written(self.machine, &labels)));
                }
            }
            let rest: Vec<usize> = open.into_iter().filter(|question| system.asked.met[*question].is_none()).collect();
            match ended {
                Ended::Done if !system.hit => {
                    rest.iter().for_each(|question| self.say(*question, Model::Tso, Claim::Unreachable(By::States)));
                    if !rest.is_empty() {
                        self.certificate.tso = Some(self.list(system.asked, found));
                    }
                    return Ok(());
                }
                // Buffers may be without a bound because of equal stores alone, or for other reasons.
                Ended::Done | Ended::Met(_) if bound < self.limits.buffer => {
                    if self.method == Method::All && self.is_shown(&rest, bound, budget) {
                        return Ok(());
                    }
                    bound *= 2;
                }
                Ended::Done | Ended::Met(_) | Ended::Fault(..) => {
                    if self.method == Method::All && self.loaded(&rest, budget).is_none() {
                        return Ok(());
                    }
                    let what = format!("store buffers are not bounded by {bound}, and nothing was found with so many stores");
                    let open = self.unanswered();
                    self.leave(&open, &StopReason::Inconclusive { stage: TSO, what });
                    return Ok(());
                }
                Ended::TooMany | Ended::Stopped(_) => {
                    if self.method == Method::All && self.loaded(&rest, budget).is_none() {
                        return Ok(());
                    }
                    let open = self.unanswered();
                    self.leave(&open, &reason(TSO, &ended, self.limits.states));
                    return Ok(());
                }
            }
        }
    }
}

impl Deciding<'_, '_> {
    /// Whether something that is for buffers without a bound shows that these questions cannot be reached, while a
    /// bound does not suffice. The higher the bound, the longer this is tried.
    fn is_shown(&mut self, questions: &[usize], bound: usize, budget: &mut Budget) -> bool {
        if questions.is_empty() || bound < MERGE_AT {
            return questions.is_empty();
        }
        if bound == MERGE_AT && self.merged(questions, budget) {
            return true;
        }
        let ticks = u64::try_from(bound).unwrap_or(u64::MAX).saturating_pow(3).saturating_mul(LOADED);
        self.loaded(questions, &mut budget.part(ticks)).is_none()
    }

    /// Whether merged states show that none of these questions can be reached.
    fn merged(&mut self, questions: &[usize], budget: &mut Budget) -> bool {
        let asked = PendingQuestions::some(self.program, questions, self.limits.alike);
        let bound = self.limits.buffer.min(MERGED);
        let mut system = Merged { machine: self.machine, asked, bound, hit: false };
        let (found, ended) = search(&mut system, self.limits.states, budget);
        if !matches!(ended, Ended::Done) || system.hit || questions.is_empty() {
            return false;
        }
        questions.iter().for_each(|question| self.say(*question, Model::Tso, Claim::Unreachable(By::Merged)));
        self.certificate.merged = Some(self.list(system.asked, found));
        true
    }
}
