//! Answers to questions about Petri nets, for people and for machines.
//!
//! A [`NetReport`] is the answer to one question. It is data: who decided it, and how, is not known here.

mod coverage;
mod decomposition;
mod fold;
mod formats;
mod mistake;
mod picture;
mod space;
mod text;
mod trace;

use serde::{Deserialize, Serialize};

pub use coverage::{CoverMarking, CoverReport};
pub use decomposition::{TreeAnswer, TreeFate, TreeGraph, TreeNode, TreePiece, TreeReport, TreeSizes};
pub use fold::folded;
pub use formats::net_sarif;
pub use mistake::{net_file_mistake, net_words_mistake};
pub use picture::{net_dot, net_mermaid, net_svg};
pub use space::{SpaceGraph, SpaceReport};
pub use text::{MarkingShown, TextStyle, marking_words};
pub use trace::{NetTrace, TraceStep};

/// What is said of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetAnswer {
    /// It holds.
    Holds,
    /// It does not hold.
    DoesNotHold,
    /// Undecided.
    Undecided,
    /// Something is wrong with the input, or with serval.
    Error,
}

impl NetAnswer {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Undecided => "undecided",
            Self::Error => "error",
        }
    }
}

/// The answer to one question about a net.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetReport {
    /// The version of this form.
    pub schema: u32,
    /// The file of the net.
    pub file: String,
    /// The question: the property as on the command line, or the id of a query.
    pub question: String,
    /// The property in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// What is said of it.
    pub answer: NetAnswer,
    /// The largest value, where that is asked: a number or ω.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The methods that decided it, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<&'static str>,
    /// For what is undecided or wrong: what stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One sentence why it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Why it is so, in a paragraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// What is dead, where the question is about that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead: Vec<DeadNode>,
    /// Places that always have the same number of tokens, where the question is about that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stable: Vec<DeadNode>,
    /// Of how many nodes it is not known whether they are dead or stable.
    #[serde(skip_serializing_if = "is_zero")]
    pub open: usize,
    /// A run that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<NetRun>,
    /// The evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<NetCertificate>,
    /// Where the run was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
    /// What the contest would call it.
    #[serde(skip)]
    pub contest: Option<Contest>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The answer in the terms of the Model Checking Contest, whose questions may be the opposite of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contest {
    /// The id of the formula, or the name of the examination.
    pub id: String,
    /// Whether it is asked whether the property does *not* hold.
    pub is_opposite: bool,
}

/// A place that no token ever gets to, or a transition that never fires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeadNode {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
}

/// What shows it, as far as others may want to check it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NetCertificate {
    /// The kinds of evidence in it, each once.
    pub kinds: Vec<&'static str>,
    /// Where it was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the checker has accepted it.
    pub verified: bool,
}

/// Where a vector addition system with states is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VassConfiguration {
    /// The state.
    pub state: String,
    /// The counters, in order.
    pub counters: Vec<u64>,
}

impl std::fmt::Display for VassConfiguration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counters: Vec<String> = self.counters.iter().map(u64::to_string).collect();
        write!(f, "{} ({})", crate::escape::name(&self.state), counters.join(", "))
    }
}

/// A run from the initial marking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NetRun {
    /// The places that have tokens in the beginning.
    pub initial: Vec<(String, u64)>,
    /// Where it begins, for a system with states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<VassConfiguration>,
    /// What fires as a word with repeated words in it, `a (b c^2)^3`, where that is shorter than all steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// What fires.
    pub steps: Vec<NetStep>,
    /// Whether no run with the same end has fewer firings.
    pub shortest: bool,
    /// What is so in the end, one sentence.
    pub end: String,
}

/// A transition that fires, or a word of several that fires some times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NetStep {
    /// What fires, in order.
    pub fire: Vec<String>,
    /// How often in a row.
    pub times: u64,
    /// The places that have another number of tokens then.
    pub changes: Vec<TokenChange>,
    /// Where it leads, for a system with states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<VassConfiguration>,
}

/// A place whose tokens change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenChange {
    /// The place.
    pub place: String,
    /// How many it had.
    pub from: u64,
    /// How many it has.
    pub to: u64,
}

impl NetReport {
    /// The nodes that are named, each with what is said of it.
    pub(crate) fn named_nodes(&self) -> impl Iterator<Item = (&DeadNode, &'static str)> {
        let dead = self.dead.iter().map(|node| (node, "is dead"));
        dead.chain(self.stable.iter().map(|node| (node, "always has the same number of tokens")))
    }

    /// The report on a question about which nothing is known yet.
    pub fn new(file: impl Into<String>, question: impl Into<String>, answer: NetAnswer) -> Self {
        Self {
            schema: 1,
            file: file.into(),
            question: question.into(),
            property: None,
            answer,
            value: None,
            methods: Vec::new(),
            reason: None,
            why: None,
            explanation: None,
            dead: Vec::new(),
            stable: Vec::new(),
            open: 0,
            run: None,
            certificate: None,
            trace: None,
            time_ms: None,
            contest: None,
        }
    }
}

impl NetReport {
    /// What is said of it, in words; a value where one is asked for.
    pub(crate) fn answer_words(&self) -> &str {
        self.value.as_deref().unwrap_or_else(|| self.answer.words())
    }
}

impl NetRun {
    /// Says where each step leads in terms of states and counters, which are places; nothing changes where the places
    /// are none.
    pub fn in_states(&mut self, states: &[&str], counters: &[&str]) {
        let mut marking: std::collections::BTreeMap<String, u64> = self.initial.iter().cloned().collect();
        let configuration = |marking: &std::collections::BTreeMap<String, u64>| {
            let tokens = |place: &str| marking.get(place).copied().unwrap_or(0);
            let mut here = states.iter().filter(|state| tokens(state) > 0);
            let state = here.next().filter(|state| tokens(state) == 1)?;
            let counters = counters.iter().map(|counter| tokens(counter)).collect();
            here.next().is_none().then(|| VassConfiguration { state: (*state).to_owned(), counters })
        };
        self.configuration = configuration(&marking);
        for step in &mut self.steps {
            for change in &step.changes {
                marking.insert(change.place.clone(), change.to);
            }
            step.configuration = configuration(&marking);
        }
    }

    /// How many transitions fire.
    pub fn firings(&self) -> u128 {
        self.steps.iter().map(|step| u128::from(step.times).saturating_mul(step.fire.len() as u128)).fold(0, u128::saturating_add)
    }
}
