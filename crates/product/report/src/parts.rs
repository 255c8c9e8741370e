//! What reports are made of: the verdict, and what is said with it.

use serde::{Deserialize, Serialize};

use serval_diagnostic::counted;

use crate::escape::name;

/// The answer to whether a file is serializable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is, for any number of requests.
    Serializable,
    /// It is by what the server promises at SERIALIZABLE; there is no certificate.
    Assumed,
    /// It is not.
    NotSerializable,
    /// In some run a step of the program fails.
    Fault,
    /// It is, in an order that agrees with the one in time.
    Strict,
    /// It is, but not always in an order that agrees with the one in time.
    NotStrict,
    /// In no run one does; that is all that was asked.
    Safe,
    /// Undecided so far.
    Unknown,
    /// The file cannot be used.
    Error,
}

/// The verdict that the header of a file promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HeaderPromise {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether it is the one that was found.
    pub holds: bool,
}

impl HeaderPromise {
    /// How it compares, in words.
    pub(crate) fn words(self) -> &'static str {
        match self.verdict {
            _ if self.holds => "as its header expects",
            Verdict::Serializable => "but its header expects serializable",
            Verdict::Fault => "but its header expects can fail",
            Verdict::Strict => "but its header expects strict",
            Verdict::NotStrict => "but its header expects not strict",
            _ => "but its header expects not serializable",
        }
    }
}

impl Verdict {
    /// Whether a verdict is what a header promises. What is strict is serializable, and so is what is asked about the
    /// order in time and has another.
    pub fn keeps(self, promise: Self) -> bool {
        self == promise || promise == Self::Serializable && matches!(self, Self::Strict | Self::NotStrict)
    }

    /// Whether it says that something is always so, for any number of requests.
    pub fn is_proved(self) -> bool {
        matches!(self, Self::Serializable | Self::Strict)
    }

    /// Whether it is shown by a run whose answers no order explains.
    pub fn is_refuted(self) -> bool {
        matches!(self, Self::NotSerializable | Self::NotStrict)
    }
}

/// An answer, and how often it is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenAnswer {
    /// The request.
    pub request: String,
    /// What it answers.
    pub response: String,
    /// What that is called, where it is a member of an `enum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How often.
    pub count: u64,
}

impl OpenAnswer {
    /// The answer in words; what it is called, where it has a name.
    pub(crate) fn words(&self) -> String {
        let Self { request, response, name, count } = self;
        format!("{count} × {request} answers {}", name.as_ref().unwrap_or(response))
    }
}

/// What has been excluded.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RuledOut {
    /// No counterexample has so few requests.
    pub requests_up_to: u32,
    /// No counterexample has so few requests in flight at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrent_up_to: Option<u32>,
}

impl RuledOut {
    pub(crate) fn words(self) -> String {
        let mut limits = Vec::new();
        if self.requests_up_to > 0 {
            limits.push(format!("up to {}", counted(self.requests_up_to, "request")));
        }
        limits.extend(self.concurrent_up_to.map(|concurrent| format!("{concurrent} at a time")));
        if limits.is_empty() { String::new() } else { format!("   no counterexample with {}", limits.join(" or ")) }
    }
}

/// A diagnostic in short.
#[derive(Clone, Debug, Serialize)]
pub struct Note {
    /// Its code.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// One line.
    pub message: String,
    /// Of a workload of SQL: the file in which the place is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// First line and column, last line and column.
    pub span: [u32; 4],
}

impl Note {
    /// Where it is, in words.
    pub fn place(&self) -> String {
        let line = self.span[0];
        self.file.as_ref().map_or_else(|| format!("line {line}"), |file| format!("{}:{line}", name(file)))
    }
}

/// What is said about a workload of SQL with larger bounds.
#[derive(Clone, Debug, Serialize)]
pub struct GrownNote {
    /// The verdict.
    pub verdict: Verdict,
    /// The bounds.
    pub bounds: Vec<String>,
    /// For unknown and error: what stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl GrownNote {
    /// How it compares with the verdict within the bounds that were asked about.
    pub fn line(&self, verdict: Verdict) -> String {
        let bounds = self.bounds.join(", ");
        let reason = self.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
        match self.verdict {
            Verdict::Unknown | Verdict::Error => format!("undecided with larger bounds{reason}: {bounds}"),
            grown if grown == verdict => format!("{} with larger bounds, too: {bounds}", grown.on_screen()),
            grown => format!("{} with larger bounds, so that the verdict depends on them: {bounds}", grown.on_screen()),
        }
    }
}

/// A request that can get stuck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StuckNote {
    /// Its name.
    pub request: String,
    /// The line and column where it waits, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[u32; 2]>,
    /// The local state in which it is.
    pub local: String,
    /// Whether it may only wait because as many versions are held as may be: versions that are held by few are a limit
    /// of ours.
    #[serde(skip)]
    pub awaits_version: bool,
    /// A run that leads there, in words, for one of the notes.
    #[serde(skip)]
    pub run: Vec<String>,
}

impl StuckNote {
    /// Where it is, in words.
    pub(crate) fn place(&self) -> String {
        let place = self.at.map_or_else(|| format!("in {}", self.local), |[line, _]| format!("on line {line}"));
        if self.awaits_version { format!("{place}, or waits for a version while all that may be are held") } else { place }
    }
}

/// Milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Times {
    /// Everything.
    pub total: f64,
    /// Reading and checking the text.
    pub parse: f64,
    /// Exploring its states.
    pub compile: f64,
    /// Deciding.
    pub decide: f64,
    /// Writing the evidence down.
    pub certify: f64,
    /// Checking the evidence.
    pub verify: f64,
    /// Looking for fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<f64>,
}

/// Numbers of states and steps, over all components.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Sizes {
    /// Global states.
    pub globals: usize,
    /// Local states.
    pub locals: usize,
    /// Steps.
    pub steps: usize,
    /// Independent parts.
    pub components: usize,
    /// What reductions left of it, where there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduced: Option<ReducedSizes>,
}

/// Numbers of states and steps after reductions, over all components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReducedSizes {
    /// Global states.
    pub globals: usize,
    /// Places a request can be in, those after its answer included.
    pub locals: usize,
    /// Steps.
    pub steps: usize,
}

/// Evidence and whether it was checked.
#[derive(Clone, Debug, Serialize)]
pub struct CertificateNote {
    /// The kind of evidence.
    pub kind: &'static str,
    /// Where it was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the independent checker accepted it.
    pub verified: bool,
}
