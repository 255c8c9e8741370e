//! Answers about programs on weak memory, for people and for machines.
//!
//! A [`TsoReport`] is what is known about one file. It is data: who decided it, and how, is not known here.

mod cycle;
mod formats;
mod page;
mod table;
mod text;

use serde::Serialize;

pub use cycle::TsoPlace;
pub(crate) use page::BUFFERS;
pub use table::{TsoEdge, TsoEvent, TsoRun};

/// What is said of a question, under one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TsoAnswer {
    /// A state that it looks for can be reached.
    Reachable,
    /// None can.
    Unreachable,
    /// Undecided.
    Undecided,
}

/// Whether the program behaves as under sequential consistency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TsoRobust {
    /// Every trace is one of sequential consistency.
    Robust,
    /// Some trace is not.
    NotRobust,
    /// Undecided.
    Undecided,
}

impl TsoRobust {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Robust => "robust",
            Self::NotRobust => "not robust",
            Self::Undecided => "robustness undecided",
        }
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TsoKind {
    /// No state may be like this.
    Never,
    /// Can a final state be like this?
    Exists,
    /// All final states must be like this.
    Forall,
    /// An assertion must hold.
    Assert,
}

/// A question, and the answers to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoQuestion {
    /// As it is written.
    pub text: String,
    /// Line and column, from 1.
    pub at: (u32, u32),
    /// What is asked.
    pub kind: TsoKind,
    /// Under sequential consistency.
    pub sc: TsoAnswer,
    /// With store buffers.
    pub tso: TsoAnswer,
    /// Why one of them is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many copies of each `thread*` the run has, where the program has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
    /// A run that reaches it: under sequential consistency if there is one, else with store buffers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<TsoRun>,
}

impl TsoQuestion {
    /// What an answer means for the question.
    pub fn verdict(&self, answer: TsoAnswer) -> &'static str {
        match (self.kind, answer) {
            (_, TsoAnswer::Undecided) => "undecided",
            (TsoKind::Exists, TsoAnswer::Reachable) => "allowed",
            (TsoKind::Exists, TsoAnswer::Unreachable) => "forbidden",
            (_, TsoAnswer::Reachable) => "violated",
            (_, TsoAnswer::Unreachable) => "holds",
        }
    }

    /// Whether the program has a defect because of it.
    pub fn is_defect(&self) -> bool {
        self.kind != TsoKind::Exists && self.tso == TsoAnswer::Reachable
    }
}

/// A violation of robustness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoViolation {
    /// The run.
    pub run: TsoRun,
    /// The cycle: why each access happens before the next.
    pub cycle: Vec<TsoEdge>,
}

/// The evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoCertificate {
    /// Where it was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the checker has accepted it.
    pub verified: bool,
}

/// Something worth knowing about a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoNote {
    /// Its code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: &'static str,
    /// What it is.
    pub message: String,
    /// What can be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Line and column of its beginning and of its end, from 1.
    pub span: [u32; 4],
}

/// A final state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoFinal {
    /// Its values, in the order of the names.
    pub values: Vec<i64>,
    /// Under sequential consistency.
    pub sc: TsoAnswer,
    /// With store buffers.
    pub tso: TsoAnswer,
}

/// Final states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoFinals {
    /// Registers and cells.
    pub names: Vec<String>,
    /// The states.
    pub states: Vec<TsoFinal>,
    /// Whether it is shown that there are no others.
    pub complete: bool,
}

/// What is known about a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TsoReport {
    /// The version of this form.
    pub schema: u32,
    /// The file.
    pub file: String,
    /// `fine`, `defect`, `undecided` or `error`.
    pub verdict: &'static str,
    /// For an error: what is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it is robust; absent for an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robust: Option<TsoRobust>,
    /// Why that is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robust_reason: Option<String>,
    /// Why it is not robust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<TsoViolation>,
    /// How many copies of each `thread*` that has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
    /// The questions of the file.
    pub questions: Vec<TsoQuestion>,
    /// The number of copies of each `thread*` that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
    /// What else is worth knowing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TsoNote>,
    /// All final states, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_states: Option<TsoFinals>,
    /// What the answers rest on, in plain words.
    #[serde(skip)]
    pub rests: Vec<String>,
    /// The evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<TsoCertificate>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
}

impl TsoReport {
    /// That a file cannot be used, or that serval has a bug.
    pub fn error(file: &str, reason: impl Into<String>) -> Self {
        Self {
            schema: 1,
            file: file.to_owned(),
            verdict: "error",
            reason: Some(reason.into()),
            robust: None,
            robust_reason: None,
            violation: None,
            copies: None,
            questions: Vec::new(),
            instance: None,
            notes: Vec::new(),
            final_states: None,
            rests: Vec::new(),
            certificate: None,
            time_ms: None,
        }
    }

    /// One object on one line.
    pub fn to_json(&self) -> String {
        // Strings, numbers and structures of them always have a JSON form.
        crate::escape::json(serde_json::to_string(self).unwrap_or_default()) + "\n"
    }
}

/// A place for a fence, or a store that becomes locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoFence {
    /// The thread.
    pub thread: String,
    /// Line and column of the statement before which it stands.
    pub at: (u32, u32),
    /// The statement.
    pub before: String,
    /// What stands in its place, where it becomes locked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// Whether the program is a litmus test, of instructions of the machine.
    #[serde(skip)]
    pub litmus: bool,
}

/// A demand for which no change of this kind helps, because store buffers are not what it fails for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoUnhelped {
    /// Its number among the questions of the program, from 1.
    pub question: usize,
    /// As it is written.
    pub text: String,
    /// Line and column, from 1.
    pub at: (u32, u32),
    /// Under sequential consistency: reachable or undecided.
    pub sc: TsoAnswer,
    /// Why it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What makes a program robust, or bad states unreachable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoFix {
    /// The version of this form.
    pub schema: u32,
    /// The file.
    pub file: String,
    /// `robust` (for bad states: `unreachable`), `fixed`, `impossible`, `undecided` or `error`.
    pub verdict: &'static str,
    /// What is to be reached: `robust`, or `reach`: that bad states are not.
    pub goal: &'static str,
    /// What stopped it, or why nothing helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// A cheapest set of fences or locked stores.
    pub fences: Vec<TsoFence>,
    /// What it costs; a place costs 1, or what was said for places in loops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// Further sets that cost the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Vec<TsoFence>>,
    /// Whether it is shown that there are no others.
    pub all: bool,
    /// The demands that are violated under sequential consistency too, or may be: no change here helps for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<TsoUnhelped>,
    /// The evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<TsoCertificate>,
}

impl TsoFix {
    /// That nothing is known.
    pub fn undecided(file: &str, goal: &'static str) -> Self {
        Self {
            schema: 1,
            file: file.to_owned(),
            verdict: "undecided",
            goal,
            reason: None,
            fences: Vec::new(),
            cost: None,
            also: Vec::new(),
            all: false,
            questions: Vec::new(),
            certificate: None,
        }
    }

    /// The worst of the answers that no change helps for.
    pub fn unhelped(&self) -> Option<TsoAnswer> {
        let answers = || self.questions.iter().map(|question| question.sc);
        answers().find(|answer| *answer == TsoAnswer::Reachable).or_else(|| answers().next())
    }

    /// One object on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
