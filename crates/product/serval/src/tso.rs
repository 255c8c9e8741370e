//! Programs on weak memory: what can be reached under sequential consistency and with store buffers, whether a program
//! is robust, and which fences make it so, with evidence for every answer.
//!
//! ```
//! use serval::tso::{TsoInput, TsoOptions, decide_tso};
//! let text = "memory x = 0, y = 0;
//!     thread L { x := 1; r := y; }
//!     thread R { y := 1; r := x; }
//!     exists L.r == 0 && R.r == 0;";
//! let input = TsoInput::read(text.to_owned()).unwrap();
//! let report = decide_tso(&input, &TsoOptions::default()).unwrap().report("sb.tso", &input);
//! assert_eq!(report.verdict, "defect");
//! let question = &report.questions[0];
//! assert_eq!((question.verdict(question.sc), question.verdict(question.tso)), ("forbidden", "allowed"));
//! ```

mod evidence;
mod export;
mod finals;
mod fix;
mod printed;
mod vain;
mod words;

use serval_budget::{Budget, Cancel, StopReason};
use serval_diagnostic::{Diagnostic, LineIndex};
use serval_report::tso::{TsoAnswer, TsoCertificate, TsoFinals, TsoKind, TsoNote, TsoQuestion, TsoReport, TsoRobust};
use serval_tso_engine::{EngineLimits, FaultWith, Open, Outcome};
use serval_tso_program::{MAX_THREADS, Program, QuestionKind};
use serval_tso_proof::{Claim, Model, Refusal, Shown};

pub use fix::{TsoRepair, fix_tso};
pub use serval_tso_engine::{Method as TsoMethod, Wanted as TsoWanted};
pub use serval_tso_program::Syntax;
pub use serval_tso_proof::{Certificate as TsoEvidence, Goal as TsoGoal, Means as TsoMeans};

/// A program that has been read.
#[derive(Clone, Debug)]
pub struct TsoInput {
    text: String,
    lines: LineIndex,
    syntax: Syntax,
    program: Program,
}

impl TsoInput {
    /// Reads a program, or says what is wrong with it.
    pub fn read(text: String) -> Result<Self, (String, Vec<Diagnostic>)> {
        Self::read_as(text, Syntax::Tso)
    }

    /// Reads a program that is written in this way.
    pub fn read_as(text: String, syntax: Syntax) -> Result<Self, (String, Vec<Diagnostic>)> {
        match serval_tso_program::read_as(&text, syntax) {
            Ok(program) => Ok(Self { lines: LineIndex::new(&text), text, syntax, program }),
            Err(diagnostics) => Err((text, diagnostics)),
        }
    }

    /// Asks one question more, which is not in the text.
    pub fn ask(&mut self, question: &str) -> Result<(), Vec<Diagnostic>> {
        self.program = self.program.asking(question)?;
        Ok(())
    }

    /// How it is written.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many copies of each `thread*` there can be; nothing where there is none.
    pub fn most_copies(&self) -> Option<u32> {
        let fixed = self.program.threads.iter().filter(|thread| !thread.many).count();
        let most = MAX_THREADS.saturating_sub(fixed).checked_div(self.program.many().len())?;
        u32::try_from(most).ok()
    }

    /// The same text with `copies` copies of each `thread*`.
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
    pub limits: EngineLimits,
    /// How questions are answered with store buffers. Default: everything that there is.
    pub method: TsoMethod,
    /// What is wanted of changes. Default: the fewest fences that make a program robust.
    pub fix: TsoWanted,
    /// Decide the program with this number of copies of each `thread*`. Default: with any number.
    pub copies: Option<u32>,
    /// List all final states too. Default: do not.
    pub final_states: bool,
    /// Ends the search from outside: what is known by then is still checked. Default: a flag that is never raised.
    pub cancel: Cancel,
    /// Ends the check as well, and then nothing is known. Default: a flag that is never raised.
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
#[non_exhaustive]
pub struct TsoDecision {
    shown: Shown,
    open: Open,
    notes: Vec<TsoNote>,
    final_states: Option<TsoFinals>,
    /// The evidence.
    pub certificate: TsoEvidence,
}

/// A fault, in the words of the program.
fn faulty(input: &TsoInput, FaultWith { copies, fault }: &FaultWith) -> TsoError {
    let diagnostic = match copies {
        Some(copies) => words::fault(&input.with_copies(*copies), fault).with_note(format!("there are {copies} copies of each `thread*`")),
        None => words::fault(input, fault),
    };
    TsoError::Program(Box::new(diagnostic))
}

/// Answers all questions of a program, and says whether it is robust.
pub fn decide_tso(input: &TsoInput, options: &TsoOptions) -> Result<TsoDecision, TsoError> {
    let Some(copies) = options.copies.filter(|_| input.most_copies().is_some()) else { return decided(input, options) };
    let mut decision = decided(&input.with_copies(copies), options)?;
    // The evidence is about the program of the text, with these copies.
    (decision.certificate.program, decision.certificate.instance) = (serval_tso_proof::fingerprint(&input.program), Some(copies));
    decision.shown = accepted(&input.program, &decision.certificate, options)?;
    Ok(decision)
}

fn decided(input: &TsoInput, options: &TsoOptions) -> Result<TsoDecision, TsoError> {
    let program = &input.program;
    let mut budget = Budget::new(u64::MAX, options.cancel.clone());
    let found = match program.many().is_empty() {
        true => serval_tso_engine::decide_by(options.method, program, &options.limits, &mut budget)
            .map_err(|fault| FaultWith { copies: None, fault }),
        false => serval_tso_engine::decide_many(program, &options.limits, &mut budget),
    };
    let Outcome { certificate, open } = found.map_err(|fault| faulty(input, &fault))?;
    let shown = accepted(program, &certificate, options)?;
    let notes = vain::notes(input, shown.robust == Some(true), options, &mut budget);
    let final_states = options.final_states.then(|| finals::table(input, shown.robust == Some(true), options, &mut budget)).flatten();
    Ok(TsoDecision { shown, open, notes, final_states, certificate })
}

/// What the checker accepts.
fn accepted(program: &Program, certificate: &TsoEvidence, options: &TsoOptions) -> Result<Shown, TsoError> {
    certificate.check(program, &mut Budget::new(u64::MAX, options.check.clone())).map_err(|refusal| match refusal {
        Refusal::Stopped(_) => TsoError::Stopped,
        _ => TsoError::Refused(format!("the checker has refused the evidence: {refusal}"), Box::new(certificate.clone())),
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
    pub fn report(&self, file: &str, input: &TsoInput) -> TsoReport {
        let with_copies = self.certificate.instance.map(|copies| input.with_copies(copies));
        let input = with_copies.as_ref().unwrap_or(input);
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
            instance: self.certificate.instance,
            notes: self.notes.clone(),
            final_states: self.final_states.clone(),
            rests: evidence::words(&self.certificate),
            certificate: verified.then_some(TsoCertificate { path: None, verified }),
            time_ms: None,
        }
    }

    fn question(&self, input: &TsoInput, number: usize) -> TsoQuestion {
        let question = &input.program.questions[number];
        let kind = match question.asked {
            QuestionKind::Never => TsoKind::Never,
            QuestionKind::Exists => TsoKind::Exists,
            QuestionKind::Forall => TsoKind::Forall,
            QuestionKind::Assert => TsoKind::Assert,
        };
        let at = input.at(question.span.start);
        let text = match kind {
            TsoKind::Assert => format!("{} (line {})", words::source(input, question.span), at.0),
            _ => question.text.clone(),
        };
        let open = self.open.tso.get(number).and_then(Option::as_ref).or(self.open.sc.get(number).and_then(Option::as_ref));
        let run = |model: Model| {
            self.certificate.answers.iter().filter(|answer| answer.question == number && answer.model == model).find_map(|answer| {
                match &answer.claim {
                    Claim::Reachable(run) => Some((None, words::run(input, model, run)?.0)),
                    Claim::Copies(copies, run) => Some((Some(*copies), words::run(&input.with_copies(*copies), model, run)?.0)),
                    Claim::Unreachable(_) => None,
                }
            })
        };
        let (copies, run) = run(Model::Sc).or_else(|| run(Model::Tso)).map_or((None, None), |(copies, run)| (copies, Some(run)));
        TsoQuestion {
            text,
            at,
            kind,
            sc: answer(self.shown.sc[number]),
            tso: answer(self.shown.tso[number]),
            reason: open.map(StopReason::to_string),
            copies,
            run,
        }
    }
}
