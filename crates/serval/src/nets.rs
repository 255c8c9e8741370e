//! Petri nets: what holds in all markings that can be reached, with evidence for both answers.
//!
//! A net is read once ([`NetInput`]); questions are properties in words, or queries of the Model Checking Contest. [`decide_net`]
//! answers one, and every answer has been accepted by the checker (`serval-netproof`) as a whole certificate.
//!
//! ```
//! use serval::nets::{NetAnswer, NetInput, NetKind, NetOptions, decide_net};
//! let text = "pl free (1)\ntr take free -> held\ntr give held -> free\n";
//! let input = NetInput::read(text, NetKind::Tina).unwrap();
//! let question = input.question("one-safe").unwrap();
//! let decision = decide_net(&input, &question, &NetOptions::default());
//! assert_eq!(decision.answer, NetAnswer::Holds);
//! assert_eq!(decision.why.unwrap(), "every place is bounded by 1: weights on 2 places");
//! // Whoever wants to check it again has the certificate.
//! let certificate = decision.certificate.unwrap();
//! assert_eq!((certificate.property.as_str(), certificate.holds), ("one-safe", true));
//! ```

mod class;
mod runs;
mod smtlib;
mod why;

use serval_budget::{Budget, Cancel};
use serval_netproof::{About, Evidence, Refusal};
use serval_petri::{Decides, FormatError, Limits, mcc, pnml, tina, words::WordsError};
use serval_report::nets::{DeadNode, NetCertificate, NetReport, NetRun};

pub use class::{NetClass, NetSums, classify, sums};
pub use runs::{replayed, walked};
pub use serval_netproof::{Certificate, Item, Run};
pub use serval_petri::{Net, Property, words::Unknown};
pub use serval_report::nets::NetAnswer;
pub use smtlib::smtlib;

/// How a net is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetKind {
    /// The Petri Net Markup Language.
    Pnml,
    /// The format of Tina.
    Tina,
}

impl NetKind {
    /// What the name of a file says, which ends like this.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "pnml" => Some(Self::Pnml),
            "net" => Some(Self::Tina),
            _ => None,
        }
    }
}

/// A net that has been read.
#[derive(Clone, Debug)]
pub struct NetInput {
    net: Net,
    ids: pnml::Ids,
}

/// A question about a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetQuestion {
    /// What it is called: the property in words, or the id of a query.
    pub name: String,
    /// What is asked.
    pub property: Property,
    /// Whether it comes from a file of the contest.
    pub is_query: bool,
}

impl NetInput {
    /// Reads a net within the default limits.
    pub fn read(text: &str, kind: NetKind) -> Result<Self, FormatError> {
        Self::read_within(text, kind, &Limits::default())
    }

    /// Reads a net.
    pub fn read_within(text: &str, kind: NetKind, limits: &Limits) -> Result<Self, FormatError> {
        Ok(match kind {
            NetKind::Pnml => {
                let read = pnml::read_within(text, limits)?;
                Self { net: read.net, ids: read.ids }
            }
            NetKind::Tina => {
                let net = tina::read_within(text, limits)?;
                Self { ids: pnml::Ids::named(&net), net }
            }
        })
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// The question that is a property in words.
    pub fn question(&self, text: &str) -> Result<NetQuestion, WordsError> {
        Ok(NetQuestion { name: text.to_owned(), property: Property::parse(text, &self.net)?, is_query: false })
    }

    /// The questions in a file of the contest; its ids are those of the file of the net, or its names.
    pub fn queries(&self, text: &str) -> Result<Vec<NetQuestion>, FormatError> {
        let read = mcc::read(text, &self.net, &self.ids)?;
        let too_large = |id: &str| FormatError::new(1, 1, format!("a number in “{id}” does not fit 64 bits"));
        let asked = read.into_iter().map(|question| {
            let property = match question.holds {
                mcc::Holds::IfReachable => Property::Reachable(question.formula),
                // The formula has those that violate it.
                mcc::Holds::UnlessReachable => Property::Invariant(question.formula.negated().ok_or_else(|| too_large(&question.id))?),
            };
            Ok(NetQuestion { name: question.id, property, is_query: true })
        });
        asked.collect()
    }
}

/// How to decide.
#[derive(Clone)]
#[non_exhaustive]
pub struct NetOptions {
    /// Rounds of growing budgets. Default 5, which is a few seconds; whoever has a clock takes more, and raises the flag.
    pub rounds: u32,
    /// Ends the work from outside. Default: a flag that nobody raises.
    pub cancel: Cancel,
    /// Ticks to make a run shorter. Default 200,000.
    pub shorten: u64,
}

impl Default for NetOptions {
    fn default() -> Self {
        Self { rounds: 5, cancel: Cancel::new(), shorten: 200_000 }
    }
}

/// What is known about a question.
#[derive(Clone, Debug)]
pub struct NetDecision {
    /// Holds, does not hold, or undecided; an error where the checker has refused our evidence, which is a bug.
    pub answer: NetAnswer,
    /// The methods that decided it, each once.
    pub methods: Vec<&'static str>,
    /// For what is undecided or an error: what stopped it.
    pub reason: Option<String>,
    /// One sentence why.
    pub why: Option<String>,
    /// A run that shows it.
    pub run: Option<NetRun>,
    /// What is dead.
    pub dead: Vec<DeadNode>,
    /// Goals of which nothing is known.
    pub open: usize,
    /// The evidence, which the checker has accepted unless this is an error.
    pub certificate: Option<Certificate>,
}

impl NetDecision {
    fn without(answer: NetAnswer, reason: impl Into<String>) -> Self {
        let (methods, dead) = (Vec::new(), Vec::new());
        Self { answer, methods, reason: Some(reason.into()), why: None, run: None, dead, open: 0, certificate: None }
    }

    /// The kinds of evidence, each once.
    pub fn kinds(&self) -> Vec<&'static str> {
        let Some(certificate) = &self.certificate else { return Vec::new() };
        let mut kinds: Vec<&'static str> = certificate.evidence.iter().map(|one| one.evidence.kind()).collect();
        if !certificate.runs.ends.is_empty() {
            kinds.push("runs");
        }
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The report on it.
    pub fn into_report(self, file: &str, question: &NetQuestion) -> NetReport {
        let mut report = NetReport::new(file, &question.name, self.answer);
        let kinds = self.kinds();
        report.property = self.certificate.as_ref().map(|certificate| certificate.property.clone());
        if self.answer != NetAnswer::Error {
            report.certificate = self.certificate.map(|_| NetCertificate { kinds, path: None, verified: true });
        }
        (report.methods, report.reason, report.why) = (self.methods, self.reason, self.why);
        (report.run, report.dead, report.open) = (self.run, self.dead, self.open);
        report
    }
}

/// Answers a question about a net.
pub fn decide_net(input: &NetInput, question: &NetQuestion, options: &NetOptions) -> NetDecision {
    let net = &input.net;
    let too_large = || NetDecision::without(NetAnswer::Undecided, "a number in the question does not fit 64 bits, or it nests too deep");
    // Evidence is about the property as the checker reads it.
    let Some(property) = question.property.text(net).and_then(|text| Property::parse(&text, net).ok()) else { return too_large() };
    let Some(goals) = property.goals(net) else { return too_large() };
    let answers = serval_nets::decide(net, &goals, options.rounds, &options.cancel);
    let open = answers.iter().filter(|answer| answer.is_none()).count();
    let mut evidence: Vec<(usize, Evidence)> = Vec::new();
    let mut methods: Vec<(usize, &'static str)> = Vec::new();
    for (goal, answer) in answers.into_iter().enumerate() {
        let Some(answer) = answer else { continue };
        methods.push((goal, answer.method));
        evidence.push((goal, answer.evidence));
    }
    let mut shortest = false;
    if let ([goal], [(_, Evidence::Run(run))]) = (&goals[..], &mut evidence[..]) {
        let mut budget = Budget::new(options.shorten, options.cancel.clone());
        (*run, shortest) = runs::shortened(net, goal, std::mem::take(run), &mut budget);
    }
    let Some(mut certificate) = Certificate::new(net, &property, goals.len(), evidence.clone()) else {
        let reason = match (goals.len(), open) {
            (1, _) => "no method found an answer within the limits".to_owned(),
            (all, open) => format!("of {all} {}, {open} are open: no method found an answer within the limits", why::nodes(&property)),
        };
        return NetDecision { open, ..NetDecision::without(NetAnswer::Undecided, reason) };
    };
    if !certificate.holds && property.decides() == Decides::IfReachable {
        // One is enough, but each of them is told, and so each of them is shown.
        evidence.retain(|one| !matches!(one.1, Evidence::Run(_)));
        certificate.evidence = evidence.iter().map(|(goal, evidence)| About { goal: *goal, evidence: evidence.clone() }).collect();
    }
    if let Err(refusal) = certificate.check(net, &mut Budget::new(u64::MAX, options.cancel.clone())) {
        let (answer, reason) = match refusal {
            Refusal::Invalid(rejection) => (NetAnswer::Error, format!("internal error: the checker refuses our evidence: {rejection}")),
            Refusal::TooLarge { what, limit } => (NetAnswer::Undecided, format!("the evidence is too large: more than {limit} {what}")),
            Refusal::Stopped(_) => (NetAnswer::Undecided, "stopped before the evidence was checked".to_owned()),
        };
        let kept = (answer == NetAnswer::Error).then_some(certificate);
        return NetDecision { certificate: kept, open, ..NetDecision::without(answer, reason) };
    }
    let used: Vec<usize> = evidence.iter().map(|one| one.0).collect();
    let mut names: Vec<&'static str> = methods.iter().filter(|one| used.contains(&one.0)).map(|one| one.1).collect();
    names.sort_unstable();
    names.dedup();
    let answer = if certificate.holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold };
    NetDecision {
        answer,
        methods: names,
        reason: None,
        why: why::why(net, &property, &certificate),
        run: match &evidence[..] {
            [(goal, Evidence::Run(run))] if goals.len() == 1 => {
                runs::told(net, run, shortest, why::end(net, &property, &goals[*goal], run))
            }
            _ => None,
        },
        dead: why::dead(net, &property, &evidence),
        open,
        certificate: Some(certificate),
    }
}
