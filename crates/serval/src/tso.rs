//! Programs on weak memory: what can be reached under sequential consistency and with store buffers, whether a program is robust, and which fences make it
//! so, with evidence for every answer.
//!
//! ```
//! use serval::tso::{TsoInput, TsoOptions, decide_tso};
//! let text = "memory x = 0, y = 0;
//!     thread L { x := 1; r := y; }
//!     thread R { y := 1; r := x; }
//!     exists L.r == 0 && R.r == 0;";
//! let input = TsoInput::read(text.to_owned()).unwrap();
//! let report = decide_tso(&input, &TsoOptions::default()).unwrap().into_report("sb.tso", &input);
//! assert_eq!(report.verdict, "defect");
//! assert_eq!((report.questions[0].verdict(report.questions[0].sc), report.questions[0].verdict(report.questions[0].tso)), ("forbidden", "allowed"));
//! ```

mod words;

use serval_budget::{Budget, Cancel, StopReason};
use serval_report::tso::{TsoAnswer, TsoCertificate, TsoFence, TsoFix, TsoKind, TsoQuestion, TsoReport, TsoRobust};
use serval_syntax::{Diagnostic, LineIndex};
use serval_tso::{Asked, Place, Program};
use serval_tsoengine::{AnyOutcome, Fixed, Limits, Open, Outcome};
use serval_tsoproof::{Claim, Model, Refusal, Shown};

pub use serval_tsoproof::Certificate as TsoEvidence;

/// A program that has been read.
#[derive(Clone, Debug)]
pub struct TsoInput {
    text: String,
    lines: LineIndex,
    program: Program,
}

impl TsoInput {
    /// Reads a program, or says what is wrong with it.
    pub fn read(text: String) -> Result<Self, (String, Vec<Diagnostic>)> {
        match serval_tso::read(&text) {
            Ok(program) => Ok(Self { lines: LineIndex::new(&text), text, program }),
            Err(diagnostics) => Err((text, diagnostics)),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same text with so many copies of each `thread*`.
    fn with_copies(&self, copies: u32) -> Self {
        Self { program: self.program.with_copies(copies), ..self.clone() }
    }

    fn at(&self, offset: u32) -> (u32, u32) {
        let position = self.lines.position(&self.text, offset);
        (position.line, position.column)
    }
}

/// How to decide.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TsoOptions {
    /// How far to go. Default: ten million states, 64 places of a store buffer.
    pub limits: Limits,
    /// Ends the search from outside: what is known by then is still checked. Default: a flag that nobody raises.
    pub cancel: Cancel,
    /// Ends the check as well, and then nothing is known. Default: a flag that nobody raises.
    pub check: Cancel,
}

/// Why there is no decision.
#[derive(Clone, Debug)]
pub enum TsoError {
    /// A value leaves its range: a mistake in the program.
    Program(Box<Diagnostic>),
    /// The check was ended, so that nothing is known.
    Stopped,
    /// The checker has refused our evidence, which is a bug.
    Refused(String, Box<TsoEvidence>),
}

/// What is known, each answer with evidence that the checker has accepted.
#[derive(Clone, Debug)]
pub struct TsoDecision {
    shown: Shown,
    open: Open,
    /// The evidence.
    pub certificate: TsoEvidence,
}

/// What is not decided about programs with any number of threads.
const MANY: &str = "questions and fences are decided for a fixed number of threads, not for `thread*`";

fn many() -> StopReason {
    StopReason::Unsupported { stage: "threads", what: MANY.to_owned() }
}

/// Whether a program with `thread*`s is robust; its questions stay open.
fn decide_many(input: &TsoInput, options: &TsoOptions) -> Result<TsoDecision, TsoError> {
    let program = &input.program;
    let count = program.questions.len();
    let mut certificate = TsoEvidence::new(program);
    let mut open = Open { sc: vec![Some(many()); count], tso: vec![Some(many()); count], robust: None };
    match serval_tsoengine::decide_any(program, &options.limits, &mut Budget::new(u64::MAX, options.cancel.clone())) {
        AnyOutcome::Robust(robust) => certificate.any = Some(robust),
        AnyOutcome::Violated(copies, violation) => (certificate.copies, certificate.violation) = (Some(copies), Some(violation)),
        AnyOutcome::Fault(copies, fault) => {
            let diagnostic =
                words::fault(&input.with_copies(copies), &fault).with_note(format!("there are {copies} copies of each `thread*`"));
            return Err(TsoError::Program(Box::new(diagnostic)));
        }
        AnyOutcome::Unknown(reason) => open.robust = Some(reason),
    }
    let shown = accepted(program, &certificate, options)?;
    Ok(TsoDecision { shown, open, certificate })
}

/// Answers all questions of a program, and says whether it is robust.
pub fn decide_tso(input: &TsoInput, options: &TsoOptions) -> Result<TsoDecision, TsoError> {
    let program = &input.program;
    if !program.many().is_empty() {
        return decide_many(input, options);
    }
    let mut budget = Budget::new(u64::MAX, options.cancel.clone());
    let found = serval_tsoengine::decide(program, &options.limits, &mut budget);
    let Outcome { certificate, open } = found.map_err(|fault| TsoError::Program(Box::new(words::fault(input, &fault))))?;
    let shown = accepted(program, &certificate, options)?;
    Ok(TsoDecision { shown, open, certificate })
}

/// What the checker accepts.
fn accepted(program: &Program, certificate: &TsoEvidence, options: &TsoOptions) -> Result<Shown, TsoError> {
    certificate.check(program, &mut Budget::new(u64::MAX, options.check.clone())).map_err(|refusal| match refusal {
        Refusal::Stopped(_) => TsoError::Stopped,
        Refusal::Invalid(_) => TsoError::Refused(format!("the checker has refused the evidence: {refusal}"), Box::new(certificate.clone())),
    })
}

fn answer(reachable: Option<bool>) -> TsoAnswer {
    match reachable {
        Some(true) => TsoAnswer::Reachable,
        Some(false) => TsoAnswer::Unreachable,
        None => TsoAnswer::Undecided,
    }
}

impl TsoDecision {
    /// Whether anything is known, so that the evidence is worth keeping.
    pub fn is_empty(&self) -> bool {
        self.shown.robust.is_none() && self.shown.sc.iter().chain(&self.shown.tso).all(Option::is_none)
    }

    /// The report on it.
    pub fn into_report(self, file: &str, input: &TsoInput) -> TsoReport {
        let questions: Vec<TsoQuestion> = (0..input.program.questions.len()).map(|number| self.question(input, number)).collect();
        let robust = match self.shown.robust {
            Some(true) => TsoRobust::Robust,
            Some(false) => TsoRobust::NotRobust,
            None => TsoRobust::Undecided,
        };
        let verified = !self.is_empty();
        let undecided = robust == TsoRobust::Undecided || questions.iter().any(|question| question.tso == TsoAnswer::Undecided);
        let verdict = match () {
            () if robust == TsoRobust::NotRobust || questions.iter().any(TsoQuestion::is_defect) => "defect",
            () if undecided => "undecided",
            () => "fine",
        };
        TsoReport {
            schema: 1,
            file: file.to_owned(),
            verdict,
            reason: None,
            robust: Some(robust),
            robust_reason: self.open.robust.as_ref().map(StopReason::to_string),
            violation: self.certificate.violation.as_ref().and_then(|violation| match self.certificate.copies {
                Some(copies) => words::violation(&input.with_copies(copies), violation),
                None => words::violation(input, violation),
            }),
            copies: self.certificate.copies,
            questions,
            certificate: verified.then_some(TsoCertificate { path: None, verified }),
            time_ms: None,
        }
    }

    fn question(&self, input: &TsoInput, number: usize) -> TsoQuestion {
        let question = &input.program.questions[number];
        let kind = match question.asked {
            Asked::Never => TsoKind::Never,
            Asked::Exists => TsoKind::Exists,
            Asked::Forall => TsoKind::Forall,
            Asked::Assert => TsoKind::Assert,
        };
        let at = input.at(question.span.start);
        let text = match kind {
            TsoKind::Assert => format!("{} (line {})", words::source(input, question.span), at.0),
            _ => question.text.clone(),
        };
        let open = self.open.tso.get(number).and_then(Option::as_ref).or(self.open.sc.get(number).and_then(Option::as_ref));
        let run = |model: Model| {
            self.certificate.answers.iter().find_map(|answer| match &answer.claim {
                Claim::Reachable(run) if answer.question == number && answer.model == model => {
                    words::run(input, model, run).map(|(run, _)| run)
                }
                _ => None,
            })
        };
        TsoQuestion {
            text,
            at,
            kind,
            sc: answer(self.shown.sc[number]),
            tso: answer(self.shown.tso[number]),
            reason: open.map(StopReason::to_string),
            run: run(Model::Sc).or_else(|| run(Model::Tso)),
        }
    }
}

/// The fewest fences that make a program robust, and the evidence for it.
pub fn fix_tso(file: &str, input: &TsoInput, options: &TsoOptions) -> Result<(TsoFix, Option<TsoEvidence>), TsoError> {
    let program = &input.program;
    let mut fix = TsoFix { schema: 1, file: file.to_owned(), verdict: "undecided", reason: None, fences: Vec::new(), certificate: None };
    if program.threads.iter().any(|thread| thread.many) {
        fix.reason = Some(many().to_string());
        return Ok((fix, None));
    }
    let mut budget = Budget::new(u64::MAX, options.cancel.clone());
    let found = serval_tsoengine::fix(program, &options.limits, &mut budget);
    match found.map_err(|fault| TsoError::Program(Box::new(words::fault(input, &fault))))? {
        Fixed::Unknown(reason) => {
            fix.reason = Some(reason.to_string());
            Ok((fix, None))
        }
        Fixed::Fences(fences) => {
            let mut certificate = TsoEvidence::new(program);
            certificate.fences = Some(fences);
            let shown = accepted(program, &certificate, options)?;
            let places = shown.fences.unwrap_or_default();
            fix.verdict = if places.is_empty() { "robust" } else { "fixed" };
            fix.fences = places.iter().map(|place| fence(input, *place)).collect();
            fix.certificate = Some(TsoCertificate { path: None, verified: true });
            Ok((fix, Some(certificate)))
        }
    }
}

fn fence(input: &TsoInput, place: Place) -> TsoFence {
    let thread = &input.program.threads[place.thread.index()];
    let span = thread.spans[place.point.index()];
    TsoFence { thread: thread.name.clone(), at: input.at(span.start), before: words::source(input, span) }
}
