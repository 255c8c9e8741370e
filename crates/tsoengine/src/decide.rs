//! Everything about a program with a fixed number of threads.
//!
//! 1. Sequential consistency, for all questions at once.
//! 2. Robustness: the attacks of each thread.
//! 3. Store buffers: what can be reached under sequential consistency can be reached with them; what cannot, cannot in a robust program; for the rest
//!    store buffers of 1, 2, 4, … places, which is everything as soon as no store finds its buffer full, and merged states in between.

use serval_budget::{Budget, StopReason, Stopped};
use serval_tso::Program;
use serval_tsoproof::{Answer, By, Certificate, Claim, Model, Robust, States, Violation};

use crate::attack::Attacks;
use crate::live::Analysis;
use crate::machine::{Fault, Machine};
use crate::models::{Asked, Merged, Sc, Tso};
use crate::search::{Ended, Faulting, Found, Label, search};
use crate::witness::{violation, with_buffers, written};

/// How far the engine goes.
#[derive(Clone, Debug)]
pub struct Limits {
    /// States of one search. Default: ten million.
    pub states: usize,
    /// Places of a store buffer. Default: 64.
    pub buffer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 10_000_000, buffer: 64 }
    }
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
const ATTACKS: &str = "attacks";
/// The bound of store buffers beyond which equal stores are merged, and the bound of merged buffers.
const MERGE_AT: usize = 4;
const MERGED: usize = 16;

pub(crate) fn reason(stage: &'static str, ended: &Ended, states: usize) -> StopReason {
    match ended {
        Ended::Stopped(stopped) => StopReason::stopped(stage, 0, *stopped),
        _ => StopReason::TooMany { stage, what: "states", cap: states },
    }
}

/// Answers all questions, and says whether the program is robust. The error is a step that leaves the range of values.
pub fn decide(program: &Program, limits: &Limits, budget: &mut Budget) -> Result<Outcome, Fault> {
    let analysis = Analysis::new(program, &program.questions);
    let machine = Machine::new(program, &analysis);
    let count = program.questions.len();
    let open = Open { sc: vec![None; count], tso: vec![None; count], robust: None };
    let mut deciding = Deciding { program, machine: &machine, limits, certificate: Certificate::new(program), open };
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

struct Deciding<'m, 'p> {
    program: &'p Program,
    machine: &'m Machine<'p>,
    limits: &'m Limits,
    certificate: Certificate,
    open: Open,
}

impl Deciding<'_, '_> {
    fn say(&mut self, question: usize, model: Model, claim: Claim) {
        self.certificate.answers.push(Answer { question, model, claim });
    }

    fn sequential(&mut self, budget: &mut Budget) -> Result<(), Fault> {
        let mut system = Sc { machine: self.machine, asked: Asked::new(self.program) };
        let (found, ended) = search(&mut system, self.limits.states, budget);
        if let Ended::Fault(at, faulting) = ended {
            return Err(fault(self.machine, &found, at, faulting));
        }
        for (question, met) in system.asked.met.iter().enumerate() {
            match (met, &ended) {
                (Some(at), _) => {
                    let labels = found.path(*at);
                    self.say(question, Model::Sc, Claim::Reachable(written(&labels)));
                    self.say(question, Model::Tso, Claim::Reachable(with_buffers(self.machine, &labels)));
                }
                (None, Ended::Done) => self.say(question, Model::Sc, Claim::Unreachable(By::States)),
                (None, ended) => self.open.sc[question] = Some(reason(SC, ended, self.limits.states)),
            }
        }
        let rests = self.certificate.answers.iter().any(|answer| answer.claim == Claim::Unreachable(By::States));
        if rests {
            self.certificate.sc = Some(States { live: self.machine.analysis.live.clone(), states: found.ascending() });
        }
        Ok(())
    }

    /// The questions that have no answer with store buffers.
    fn is_answered(&self, question: usize, model: Model) -> Option<&Claim> {
        self.certificate.answers.iter().find(|answer| answer.question == question && answer.model == model).map(|answer| &answer.claim)
    }

    fn buffered(&mut self, budget: &mut Budget) -> Result<(), Fault> {
        let questions = 0..self.program.questions.len();
        if self.certificate.robust.is_some() {
            for question in questions.clone() {
                match self.is_answered(question, Model::Sc) {
                    Some(Claim::Unreachable(_)) => self.say(question, Model::Tso, Claim::Unreachable(By::Robust)),
                    Some(Claim::Reachable(_)) => {}
                    None => self.open.tso[question] = self.open.sc[question].clone(),
                }
            }
            return Ok(());
        }
        let mut bound = 1;
        loop {
            let open: Vec<usize> = questions.clone().filter(|question| self.is_answered(*question, Model::Tso).is_none()).collect();
            if open.is_empty() {
                return Ok(());
            }
            let mut asked = Asked::new(self.program);
            asked.skipped = questions.clone().map(|question| !open.contains(&question)).collect();
            let mut system = Tso { machine: self.machine, asked, bound, hit: false };
            let (found, ended) = search(&mut system, self.limits.states, budget);
            if let Ended::Fault(at, faulting) = ended {
                return Err(fault(self.machine, &found, at, faulting));
            }
            for &question in &open {
                if let Some(at) = system.asked.met[question] {
                    self.say(question, Model::Tso, Claim::Reachable(written(&found.path(at))));
                }
            }
            let rest: Vec<usize> = open.into_iter().filter(|question| system.asked.met[*question].is_none()).collect();
            match ended {
                Ended::Done if !system.hit => {
                    rest.iter().for_each(|question| self.say(*question, Model::Tso, Claim::Unreachable(By::States)));
                    if !rest.is_empty() {
                        self.certificate.tso = Some(States { live: self.machine.analysis.live.clone(), states: found.ascending() });
                    }
                    return Ok(());
                }
                // Buffers may be without a bound because of equal stores alone.
                Ended::Done | Ended::Met(_) if bound == MERGE_AT && self.merged(&rest, budget) => return Ok(()),
                Ended::Done | Ended::Met(_) if bound < self.limits.buffer => bound *= 2,
                Ended::Done | Ended::Met(_) | Ended::Fault(..) => {
                    let what = format!("store buffers are not bounded by {bound}, and nothing was found with so many stores");
                    let reason = StopReason::Inconclusive { stage: TSO, what };
                    rest.iter().for_each(|question| self.open.tso[*question] = Some(reason.clone()));
                    return Ok(());
                }
                Ended::TooMany | Ended::Stopped(_) => {
                    let reason = reason(TSO, &ended, self.limits.states);
                    rest.iter().for_each(|question| self.open.tso[*question] = Some(reason.clone()));
                    return Ok(());
                }
            }
        }
    }
}

impl Deciding<'_, '_> {
    /// Whether merged states show that none of these questions can be reached.
    fn merged(&mut self, questions: &[usize], budget: &mut Budget) -> bool {
        let mut asked = Asked::new(self.program);
        asked.skipped = (0..self.program.questions.len()).map(|question| !questions.contains(&question)).collect();
        let bound = self.limits.buffer.min(MERGED);
        let mut system = Merged { machine: self.machine, asked, bound, hit: false };
        let (found, ended) = search(&mut system, self.limits.states, budget);
        if !matches!(ended, Ended::Done) || system.hit || questions.is_empty() {
            return false;
        }
        questions.iter().for_each(|question| self.say(*question, Model::Tso, Claim::Unreachable(By::Merged)));
        self.certificate.merged = Some(States { live: self.machine.analysis.live.clone(), states: found.ascending() });
        true
    }
}

/// Whether a program is robust.
#[derive(Debug)]
pub enum Robustness {
    /// It is.
    Robust(Robust),
    /// It is not.
    Violated(Violation),
    /// Nobody knows.
    Unknown(StopReason),
}

/// Looks for an attack of each thread.
pub(crate) fn robustness(program: &Program, limits: &Limits, budget: &mut Budget) -> Result<Robustness, Fault> {
    let analysis = Analysis::new(program, &[]);
    let machine = Machine::new(program, &analysis);
    let mut attackers = Vec::new();
    for attacker in 0..program.threads.len() {
        let (found, ended) = search(&mut Attacks::new(&machine, attacker), limits.states, budget);
        match ended {
            Ended::Done => attackers.push(found.ascending()),
            Ended::Met(at) => {
                let run = with_buffers(&machine, &found.path(at));
                let what = "an attack whose trace has no cycle, which is a bug".to_owned();
                let none = Robustness::Unknown(StopReason::Inconclusive { stage: ATTACKS, what });
                return Ok(violation(&machine, run).map_or(none, Robustness::Violated));
            }
            Ended::Fault(at, faulting) => return Err(fault(&machine, &found, at, faulting)),
            Ended::TooMany | Ended::Stopped(Stopped::Cancelled | Stopped::OutOfTicks) => {
                return Ok(Robustness::Unknown(reason(ATTACKS, &ended, limits.states)));
            }
        }
    }
    Ok(Robustness::Robust(Robust { live: analysis.live.clone(), attackers }))
}

fn fault(machine: &Machine<'_>, found: &Found, at: usize, (thread, point, kind): Faulting) -> Fault {
    let labels = found.path(at);
    let lands = labels.iter().any(|label: &Label| label.event == crate::search::Event::Land);
    let run = if lands { written(&labels) } else { with_buffers(machine, &labels) };
    Fault { thread, point, kind, run }
}
