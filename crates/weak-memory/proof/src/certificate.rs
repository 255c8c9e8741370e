//! Certificates: evidence for the answers about a program.
//!
//! A certificate has
//!
//! - the [`fingerprint`] of the program (`tso.input`);
//! - the questions in the program's own words, which must be those of the program but for blanks, where both are in one
//!   language (`tso.question`); a litmus test and the program exported from it have the same fingerprint and other
//!   words;
//! - answers to the questions, by number (`tso.question`), under sequential consistency (`sc`) or with store buffers
//!   (`tso`), evidence about robustness, and changes;
//! - perhaps a number of copies of each `thread*` (`instance`, `tso.copies`): then it is about the program with so many
//!   copies, which has a fixed number of threads.
//!
//! Most rules are about a fixed number of threads (`tso.fixed`). About a `thread*` a certificate can show that the
//! program is robust for any number of copies ([`crate::any`]); that it is not robust with some number (`tso.copies`),
//! by a violation of the program with so many copies; that a state is reachable with some number of copies, or
//! unreachable with any; and changes, which rest on all these.
//!
//! What an answer rests on:
//!
//! - *reachable*: a run ([`crate::run`]); a run under sequential consistency, with each store landing at once, is one
//!   with store buffers too;
//! - *reachable with so many copies*, `"copies"`: the same, of the program with these copies; a question about a
//!   `thread*` is about some copy, here the first;
//! - *unreachable*, `"states"`: the list of the model in this certificate (`tso.given`), none of whose states is sought
//!   ([`crate::states`]);
//! - *unreachable under `sc`*, `"finals"`: the list for final states (`tso.given`), in the same way
//!   ([`crate::finals`]);
//! - *unreachable under `tso`*, `"merged"`: the list of merged states (`tso.given`), in the same way
//!   ([`crate::merged`]);
//! - *unreachable under `tso`*, `"basis"`: the basis (`tso.given`), which covers all that is sought ([`crate::basis`]);
//!   the question does not speak of memory unless it is about final states (`tso.local`);
//! - *unreachable under `sc`*, `"any"`: the list of configurations (`tso.given`), in the same way
//!   ([`crate::anystates`]);
//! - *unreachable under `tso`*, `"robust"`: evidence that the program is robust, for any number of copies if it has a
//!   `thread*`, and that the same is unreachable under `sc` (`tso.given`); the question does not speak of memory unless
//!   it is about final states (`tso.local`).
//!
//! **Theorem** (for the last of these; the others are the theorems of the modules). In a robust program, what can be
//! reached with store buffers can be reached under sequential consistency: a final state, or a state with the same
//! points and registers.
//!
//! **Proof.** Let all stores that wait at the end of the run land. The trace is acyclic; order its events by a linear
//! extension of happens-before, and let each thread make its steps without access where they stand between its events.
//! By induction every load reads the same: the last write before it in the extension is the one it read from, for
//! coherence and conflict put all others before that one or behind the load. So every thread makes the same steps and
//! ends at the same point with the same registers; and each cell has the value that the last write in coherence put
//! there, which is what memory has after all stores have landed. For a question about final states no store waited. ∎
//!
//! Reading is strict: fields that are unknown, missing or repeated, arrays for objects and another format or version
//! are errors.

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};
use serval_diagnostic::FormatError;
use serval_evidence::{check_name, check_version};
use serval_tso_program::{Change, Program};

use crate::state::Model;
use crate::{AnyRobust, AnyStates, Basis, Robust, States, Violation};

/// The name of the format, in every certificate.
pub const FORMAT: &str = "serval-tso-certificate";

/// The version of the format that is written and read.
pub const VERSION: u64 = 1;

/// What is said of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// A state that it looks for can be reached by this run.
    Reachable(Vec<i64>),
    /// With this number of copies of each `thread*`, a state that it looks for can be reached by this run.
    Copies(u32, Vec<i64>),
    /// None can be reached.
    Unreachable(By),
}

/// Why nothing can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// It is in no state of the closed list of the model.
    States,
    /// It is in no state of the list for final states.
    Finals,
    /// It is in no state of the closed list of merged states.
    Merged,
    /// It is above a member of the basis.
    Basis,
    /// The program is robust, and under sequential consistency it cannot be reached.
    Robust,
    /// It is in no configuration of the closed list for any number of copies.
    Any,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Answer {
    /// The number of the question, from 0.
    pub question: usize,
    /// Under which model.
    pub model: Model,
    /// What is said.
    pub claim: Claim,
}

/// Evidence about a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Certificate {
    #[serde(deserialize_with = "format_name")]
    format: Format,
    /// The [`fingerprint`] of the program.
    pub program: String,
    /// The certificate is about the program with this number of copies of each `thread*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
    /// The questions of the program, in its own words. Certificates of before have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Answers to questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// A closed list of states under sequential consistency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sc: Option<States>,
    /// A list for final states under sequential consistency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finals: Option<States>,
    /// A closed list of states with store buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tso: Option<States>,
    /// A closed list of merged states, with store buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<States>,
    /// A finite basis of configurations with load buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// That the program is robust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robust: Option<Robust>,
    /// That it is robust for any number of copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<AnyRobust>,
    /// A closed list of configurations under sequential consistency, for any number of copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any_sc: Option<AnyStates>,
    /// That it is not robust; of the program with `copies` copies, if it has a `thread*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<Violation>,
    /// How many copies of each `thread*` the violation has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
    /// The cheapest changes that make it robust, or bad states unreachable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fences: Option<Fences>,
}

/// How places are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Means {
    /// By fences.
    #[default]
    Fence,
    /// By locked exchanges instead of stores.
    Locked,
}

impl Means {
    /// The change of the program.
    pub fn change(self) -> Change {
        match self {
            Self::Fence => Change::Fence,
            Self::Locked => Change::Locked,
        }
    }
}

/// What is to be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The program is robust.
    #[default]
    Robust,
    /// With store buffers, nothing that a demand forbids is reached.
    Reach,
}

/// A place: thread and point.
pub type At = (u32, u32);

/// A set of changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct FenceSet {
    /// Thread and point of each, ascending.
    pub places: Vec<At>,
    /// Evidence about the changed program.
    pub proof: Certificate,
}

/// What changes must prevent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Witness {
    /// The run.
    pub run: Vec<i64>,
    /// For robustness: the events of a cycle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<usize>,
    /// For what is reached: the question that looks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<usize>,
    /// How many copies of each `thread*` there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
}

/// The cheapest sets of changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Fences {
    /// How places are changed.
    #[serde(default)]
    pub means: Means,
    /// What for.
    #[serde(default)]
    pub goal: Goal,
    /// What a place in a loop costs; nothing means 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_cost: Option<u64>,
    /// The sets; nothing, if none helps.
    pub sets: Vec<FenceSet>,
    /// Whether these are all sets of their cost.
    #[serde(default)]
    pub all: bool,
    /// Why no cheaper set helps.
    pub witnesses: Vec<Witness>,
}

impl Fences {
    /// The places of the first set; nothing where there is none.
    pub fn places(&self) -> &[At] {
        self.sets.first().map_or(&[], |set| &set.places)
    }
}

serval_evidence::objects!(Answer, Certificate, FenceSet, Witness, Fences);

/// The name and the version of the format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Format(String, u64);

impl Default for Format {
    fn default() -> Self {
        Self(FORMAT.to_owned(), VERSION)
    }
}

fn format_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
    let format = Format::deserialize(deserializer)?;
    check_name(&format.0, FORMAT)?;
    check_version(format.1, VERSION)?;
    Ok(format)
}

/// The identity of a program: its automata, whatever the layout of its text. Nothing rests on it: what a certificate
/// shows is checked against the program that is given.
pub fn fingerprint(program: &Program) -> String {
    serval_evidence::fingerprint(&program.canonical())
}

impl Certificate {
    /// A certificate about a program that says nothing yet.
    pub fn new(program: &Program) -> Self {
        let questions = program.questions.iter().map(|question| question.text.clone()).collect();
        Self { program: fingerprint(program), questions, ..Self::default() }
    }

    /// Reads a certificate from JSON.
    pub fn from_json(text: &str) -> Result<Self, FormatError> {
        serval_evidence::read(text)
    }

    /// The certificate as JSON, on one line with its end.
    pub fn to_json(&self) -> String {
        serval_evidence::line(self) + "\n"
    }
}
