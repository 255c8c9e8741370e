//! Checks a certificate for a program on weak memory.

use serval_budget::{Budget, Cancel};
use serval_diagnostic::counted;
use serval_diagnostic::{Code, Diagnostic, Span};
use serval_proof::Refusal;
use serval_tso_program::{Program, Syntax};
use serval_tso_proof::{Certificate, FencesShown, Goal, Means, Shown};

use crate::{Caps, InputError, Proved, Subject, Unusable};

/// A program on weak memory as text.
#[derive(Clone, Copy, Debug)]
pub struct TsoText<'a> {
    /// The text.
    pub text: &'a str,
    /// How it is written.
    pub syntax: Syntax,
    /// Questions that are asked beside its own.
    pub questions: &'a [String],
}

impl Proved for Shown {
    fn sentence(&self, input: &str) -> String {
        format!("{input}: {}", said(self))
    }
}

impl Subject for TsoText<'_> {
    type Certificate = Certificate;
    type Proved = Shown;

    fn check(&self, certificate: &Certificate, caps: &Caps, cancel: &Cancel) -> Result<Shown, Refusal<Unusable>> {
        let program = self.read()?;
        let checked = certificate.check(&program, &mut Budget::new(caps.ticks, cancel.clone()));
        checked.map_err(|refusal| refusal.map_stop(|never| match never {}))
    }
}

impl TsoText<'_> {
    fn read(&self) -> Result<Program, InputError> {
        let first = |diagnostics: Vec<Diagnostic>| {
            let nothing = || Diagnostic::error(Code("E0601"), Span::default(), "the program cannot be read");
            Box::new(diagnostics.into_iter().next().unwrap_or_else(nothing))
        };
        let mut program = serval_tso_program::read_as(self.text, self.syntax).map_err(|errors| InputError::Tso(first(errors)))?;
        for question in self.questions {
            program = program.asking(question).map_err(|errors| InputError::Question(question.clone(), first(errors)))?;
        }
        Ok(program)
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
        said += &format!(" ({}{others})", counted(fences.sets.len(), "set"));
    }
    said
}
