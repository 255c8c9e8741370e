//! The cheapest changes of a program, and the text with them.

use serval_budget::Budget;
use serval_report::tso::{TsoCertificate, TsoFence, TsoFix, TsoQuestion, TsoUnhelped};
use serval_tso_engine::{FaultWith, Fixed, Outcome};
use serval_tso_program::{FencePlace, Syntax, with_changes_written};
use serval_tso_proof::{Goal, Means};

use super::{TsoDecision, TsoError, TsoEvidence, TsoInput, TsoOptions, accepted, faulty, words};

/// What was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TsoRepair {
    /// The report.
    pub report: TsoFix,
    /// The evidence, where there is some.
    pub certificate: Option<TsoEvidence>,
    /// The sets of places.
    sets: Vec<Vec<FencePlace>>,
}

/// The cheapest changes that make a program robust, or bad states unreachable, and the evidence for it.
pub fn fix_tso(file: &str, input: &TsoInput, options: &TsoOptions) -> Result<TsoRepair, TsoError> {
    let (program, wanted) = (&input.program, &options.fix);
    let goal = if wanted.goal == Goal::Robust { "robust" } else { "reach" };
    let mut report = TsoFix::undecided(file, goal);
    let mut budget = Budget::new(u64::MAX, options.cancel.clone());
    let found = serval_tso_engine::fix_as(program, wanted, &options.limits, &mut budget).map_err(|fault| faulty(input, &fault))?;
    let fences = match found {
        Fixed::Fences(fences) => fences,
        Fixed::Unknown(reason) => {
            report.reason = Some(reason.to_string());
            return Ok(TsoRepair { report, certificate: None, sets: Vec::new() });
        }
    };
    let mut certificate = TsoEvidence::new(program);
    certificate.fences = Some(fences);
    if wanted.goal == Goal::Robust {
        report.questions = unhelped(input, &mut certificate, options, &mut budget)?;
    }
    let shown = accepted(program, &certificate, options)?.fences.unwrap_or_default();
    report.certificate = Some(TsoCertificate { path: None, verified: true });
    let mut sets = shown.sets.iter().map(|set| set.iter().map(|place| fence(input, shown.means, *place)).collect::<Vec<_>>());
    match sets.next() {
        None => {
            report.verdict = "impossible";
            report.reason = Some(reason(input, &certificate));
        }
        Some(first) => {
            report.verdict = match (first.is_empty(), wanted.goal) {
                (false, _) => "fixed",
                (true, Goal::Robust) => "robust",
                (true, Goal::Reach) => "unreachable",
            };
            report.fences = first;
            report.cost = (shown.loop_cost > 1).then_some(shown.cost);
        }
    }
    report.also = sets.collect();
    report.all = shown.all;
    Ok(TsoRepair { report, certificate: Some(certificate), sets: shown.sets })
}

/// The questions that are violated under sequential consistency too, or may be, so that no fence helps for them: a
/// program that is robust now behaves as if there were no store buffers, and that is not to behave well. The runs
/// become part of the evidence.
fn unhelped(
    input: &TsoInput,
    certificate: &mut TsoEvidence,
    options: &TsoOptions,
    budget: &mut Budget,
) -> Result<Vec<TsoUnhelped>, TsoError> {
    let program = &input.program;
    if !program.questions.iter().any(|question| question.asked.is_defect()) {
        return Ok(Vec::new());
    }
    let found = match program.many().is_empty() {
        true => serval_tso_engine::sequential(program, &options.limits, budget).map_err(|fault| FaultWith { copies: None, fault }),
        false => serval_tso_engine::sequential_many(program, &options.limits, budget),
    };
    let Outcome { certificate: found, open } = found.map_err(|fault| faulty(input, &fault))?;
    let shown = accepted(program, &found, options)?;
    let is_violated = |number: usize| program.questions[number].asked.is_defect() && shown.sc[number] == Some(true);
    let runs = found.answers.iter().filter(|answer| is_violated(answer.question));
    certificate.answers.extend(runs.cloned());
    let decision = TsoDecision { shown, open, notes: Vec::new(), final_states: None, certificate: found };
    let may_be = |number: &usize| program.questions[*number].asked.is_defect() && decision.shown.sc[*number] != Some(false);
    let told = |number: usize| {
        let TsoQuestion { text, at, sc, reason, .. } = decision.question(input, number);
        TsoUnhelped { question: number + 1, text, at, sc, reason }
    };
    Ok((0..program.questions.len()).filter(may_be).map(told).collect())
}

/// Why nothing helps.
fn reason(input: &TsoInput, certificate: &TsoEvidence) -> String {
    let question = certificate.fences.as_ref().and_then(|fences| fences.witnesses.last()).and_then(|witness| witness.question);
    let text = question.and_then(|number| input.program.questions.get(number)).map(|question| words::source(input, question.span));
    format!("`{}` is violated under sequential consistency too, so that no fence helps", text.unwrap_or_default())
}

fn fence(input: &TsoInput, means: Means, place: FencePlace) -> TsoFence {
    let thread = &input.program.threads[place.thread.index()];
    let span = thread.spans[place.point.index()];
    let before = words::source(input, span);
    let locked = |(cell, value): (&str, &str)| format!("xchg({}, {})", cell.trim(), value.trim());
    let litmus = input.syntax == Syntax::Litmus;
    let instead = match means {
        Means::Fence => None,
        Means::Locked if litmus => Some("XCHG".to_owned()),
        Means::Locked => before.split_once(":=").map(locked),
    };
    TsoFence { thread: thread.name.clone(), at: input.at(span.start), before, instead, litmus }
}

impl TsoRepair {
    /// A report without evidence, where the work was ended.
    pub fn without(report: TsoFix) -> Self {
        Self { report, certificate: None, sets: Vec::new() }
    }

    /// The text with a set of changes, by its number from 1: it is proved to meet the goal, as it is written. The error
    /// says why there is none.
    pub fn written(&self, number: usize, input: &TsoInput, options: &TsoOptions) -> Result<String, String> {
        let Some(set) = number.checked_sub(1).and_then(|index| self.sets.get(index)) else {
            let there = if self.sets.len() == 1 { "there is 1".to_owned() } else { format!("there are {}", self.sets.len()) };
            return Err(format!("there is no set {number}; {there}"));
        };
        if input.syntax == Syntax::Litmus {
            // A column would have to grow, and those beside it with it.
            return Err("a litmus test is not rewritten; put the instructions there by hand, or make a program of it with `serval export --to tso`, and fix that".to_owned());
        }
        let wanted = &options.fix;
        let nothing = || "a fence stands where no statement is; put it there by hand".to_owned();
        let text = with_changes_written(&input.text, &input.program, wanted.means.change(), set).ok_or_else(nothing)?;
        let changed = TsoInput::read(text).map_err(|_| "the changed text cannot be read; make the changes by hand".to_owned())?;
        let mut budget = Budget::new(u64::MAX, options.cancel.clone());
        let proof = serval_tso_engine::prove(&changed.program, wanted.goal, &options.limits, &mut budget).ok().flatten();
        let is_proved = proof.is_some_and(|proof| {
            accepted(&changed.program, &proof, options).is_ok_and(|shown| {
                let demands = changed.program.questions.iter().zip(&shown.tso).filter(|(question, _)| question.asked.is_defect());
                match wanted.goal {
                    Goal::Robust => shown.robust == Some(true),
                    Goal::Reach => demands.into_iter().all(|(_, reachable)| *reachable == Some(false)),
                }
            })
        });
        is_proved.then_some(changed.text).ok_or_else(|| "the changed text was not proved; make the changes by hand".to_owned())
    }
}
