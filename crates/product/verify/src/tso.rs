//! Checks a certificate for a program on weak memory.

use serval_budget::{Budget, Cancel, Stopped};
use serval_diagnostic::{Diagnostic, LineIndex};
use serval_model::shown;
use serval_tso_program::Syntax;
use serval_tso_proof::{Certificate, FencesShown, Goal, Means, Refusal, Rejection, Shown};

use crate::{Caps, TooLarge};

/// What came of checking a certificate for a program on weak memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TsoOutcome {
    /// All that it says is proved; this is what, in words.
    Valid(String),
    /// A condition does not hold. Nothing is said about the program.
    Invalid(Rejection),
    /// The check would exceed a cap. Nothing is said about the certificate.
    TooLarge(TooLarge),
    /// The program cannot be read.
    Program(Box<Diagnostic>),
    /// A question that is asked beside those of the program cannot be read.
    Question(String, Box<Diagnostic>),
    /// The certificate cannot be read: line, column, message.
    Certificate(usize, usize, String),
    /// The flag was raised.
    Cancelled,
}

/// Checks a certificate for a program on weak memory, both as texts.
///
/// ```
/// use serval_budget::Cancel;
/// use serval_verify::{Caps, verify_tso};
/// let text = "memory x; thread P { x := 1; }";
/// let outcome = verify_tso(text, "{}", &Caps::default(), &Cancel::new());
/// assert_eq!((outcome.status(), outcome.line("p.tso", "c.json", text)), (2, "c.json:1:2: error: missing field `format`".to_owned()));
/// ```
pub fn verify_tso(text: &str, certificate: &str, caps: &Caps, cancel: &Cancel) -> TsoOutcome {
    verify_tso_as(text, Syntax::Tso, &[], certificate, caps, cancel)
}

/// The same for a program that is written in this way, about which these questions are asked beside its own.
pub fn verify_tso_as(text: &str, syntax: Syntax, questions: &[String], certificate: &str, caps: &Caps, cancel: &Cancel) -> TsoOutcome {
    if let Err(too_large) = caps.admit_bytes(certificate.len()) {
        return TsoOutcome::TooLarge(too_large);
    }
    let certificate = match Certificate::from_json(certificate) {
        Ok(certificate) => certificate,
        Err((line, column, message)) => return TsoOutcome::Certificate(line, column, message),
    };
    let first = |diagnostics: Vec<Diagnostic>| {
        let nothing =
            || Diagnostic::error(serval_diagnostic::Code("E0601"), serval_diagnostic::Span::default(), "the program cannot be read");
        Box::new(diagnostics.into_iter().next().unwrap_or_else(nothing))
    };
    let mut program = match serval_tso_program::read_as(text, syntax) {
        Ok(program) => program,
        Err(diagnostics) => return TsoOutcome::Program(first(diagnostics)),
    };
    for question in questions {
        program = match program.asking(question) {
            Ok(program) => program,
            Err(diagnostics) => return TsoOutcome::Question(question.clone(), first(diagnostics)),
        };
    }
    match certificate.check(&program, &mut Budget::new(caps.ticks, cancel.clone())) {
        Ok(shown) => TsoOutcome::Valid(said(&shown)),
        Err(Refusal::Invalid(rejection)) => TsoOutcome::Invalid(rejection),
        Err(Refusal::Stopped(Stopped::OutOfTicks)) => TsoOutcome::TooLarge(TooLarge { what: "ticks of work", limit: caps.ticks }),
        Err(Refusal::Stopped(Stopped::Cancelled)) => TsoOutcome::Cancelled,
    }
}

/// What is shown, in words.
fn said(shown: &Shown) -> String {
    let mut parts = Vec::new();
    match shown.robust {
        Some(true) => parts.push("robust".to_owned()),
        Some(false) => parts.push("not robust".to_owned()),
        None => {}
    }
    for (model, answers) in [("SC", &shown.sc), ("TSO", &shown.tso)] {
        for (number, reachable) in (1..).zip(answers).filter_map(|(number, answer)| Some((number, (*answer)?))) {
            let word = if reachable { "reachable" } else { "unreachable" };
            parts.push(format!("question {number} {word} under {model}"));
        }
    }
    if let Some(fences) = &shown.fences {
        parts.push(changes(fences));
    }
    if let Some(copies) = shown.instance {
        parts.push(format!("all with {copies} of each `thread*`"));
    }
    if parts.is_empty() { "nothing is said".to_owned() } else { parts.join(", ") }
}

/// What is shown of changes, in words.
fn changes(fences: &FencesShown) -> String {
    let (one, many) = match fences.means {
        Means::Fence => ("fence", "fences"),
        Means::Locked => ("locked store", "locked stores"),
    };
    let Some(first) = fences.sets.first() else {
        return match fences.goal {
            Goal::Robust => format!("no {many} make it robust"),
            Goal::Reach => format!("no {many} keep bad states out"),
        };
    };
    let make = match (fences.goal, first.len()) {
        (Goal::Robust, 1) => "makes it robust",
        (Goal::Robust, _) => "make it robust",
        (Goal::Reach, 1) => "keeps bad states out",
        (Goal::Reach, _) => "keep bad states out",
    };
    let what = if first.len() == 1 { one } else { many };
    let mut said = match fences.loop_cost {
        1 => format!("{} {what} {make}, and no fewer do", first.len()),
        cost => format!(
            "{} {what} {make} at a cost of {}, with {cost} for a place in a loop, and no cheaper set does",
            first.len(),
            fences.cost
        ),
    };
    if fences.sets.len() > 1 {
        let others = if fences.all { ", and no others" } else { "" };
        said += &format!(" ({} sets{others})", fences.sets.len());
    }
    said
}

impl TsoOutcome {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Self::Valid(_) => 0,
            Self::Invalid(_) => 1,
            Self::Program(_) | Self::Question(..) | Self::Certificate(..) => 2,
            Self::TooLarge(_) | Self::Cancelled => 3,
        }
    }

    /// The outcome in one line, without a newline. `input` and `certificate` are what the files are called, `text` is the program.
    pub fn line(&self, input: &str, certificate: &str, text: &str) -> String {
        let (input, certificate) = (&shown::name(input), &shown::name(certificate));
        let said = match self {
            Self::Valid(said) => format!("{certificate}: valid: {input}: {said}"),
            Self::Invalid(rejection) => format!("{certificate}: invalid: {rejection}"),
            Self::TooLarge(too_large) => format!("{certificate}: too large: {too_large}"),
            Self::Program(diagnostic) => {
                let at = LineIndex::new(text).position(text, diagnostic.primary.span.start);
                format!("{input}:{}:{}: error: {} [{}]", at.line, at.column, diagnostic.message, diagnostic.code)
            }
            Self::Question(question, diagnostic) => {
                let at = LineIndex::new(question).position(question, diagnostic.primary.span.start);
                format!("--question:{}:{}: error: {} [{}]", at.line, at.column, diagnostic.message, diagnostic.code)
            }
            Self::Certificate(line, column, message) => format!("{certificate}:{line}:{column}: error: {message}"),
            Self::Cancelled => format!("{certificate}: cancelled"),
        };
        shown::line(&said).into_owned()
    }
}
