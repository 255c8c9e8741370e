//! Petri nets: what holds in all markings that can be reached, with evidence for both answers.
//!
//! A net is read once ([`NetInput`]); questions are properties in words, or queries of the Model Checking Contest.
//! [`decide_net`] answers one, and a [`NetSession`] several; every answer has been accepted by the checker
//! (`serval-net-proof`) as a whole certificate.
//!
//! ```
//! use serval::nets::{NetAnswer, NetInput, NetKind, NetOptions, decide_net};
//! let text = "pl free (1)\ntr take free -> held\ntr give held -> free\n";
//! let input = NetInput::read(text, NetKind::Tina).unwrap();
//! let question = input.question("one-safe").unwrap();
//! let decision = decide_net(&input, &question, &NetOptions::default());
//! assert_eq!(decision.answer, NetAnswer::Holds);
//! assert_eq!(decision.why.unwrap(), "every place is bounded by 1: weights on 2 places");
//! // The certificate can be checked again.
//! let certificate = decision.certificate.unwrap();
//! assert_eq!((certificate.property.as_str(), certificate.holds), ("one-safe", true));
//! ```

mod assume;
mod bound;
mod class;
mod clauses;
mod coverage;
mod decided;
mod decomposition;
pub mod export;
mod homes;
mod invariant;
mod paragraph;
mod reduction;
mod runs;
mod session;
mod smtlib;
mod space;
mod why;
mod words_of;

use serval_budget::Cancel;
use serval_petri::{Limits, NetError, mcc, mist, pnml, tina, vass, words};
use serval_report::nets::{DeadNode, NetCertificate, NetReport, NetRun};

pub use assume::{Assumption, assumptions};
pub use class::{NetClass, NetSums, SumBound, Unbounded, classify, sums};
pub use clauses::invariant_in_words;
pub use coverage::{Coverage, NoCoverage, Rackoff, coverage, rackoff};
pub use decomposition::{TreeOptions, decomposed};
pub use invariant::decide_proposed;
pub use reduction::{NoReduction, ReducedNet, reduced_net, reduction_rules};
pub use runs::{replayed, walked};
use serval_net_engine::Far;
pub use serval_net_engine::Method as NetMethod;
pub use serval_net_proof::{Certificate, Item, Refusal as NetRefusal, Run};
pub use serval_petri::{FormatError, Formula, Marking, Net, Property, TransitionId, words::Unknown, words::WordsError};
pub use serval_report::nets::NetAnswer;
pub use session::{NetSession, decide_net, decide_nets};
pub use smtlib::smtlib;
pub use space::{NoSpace, space_graph, state_space};

/// How a net is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetKind {
    /// The Petri Net Markup Language.
    Pnml,
    /// The format of Tina.
    Tina,
    /// A specification of mist, which asks something.
    Mist,
    /// A vector addition system with states.
    Vass,
}

impl NetKind {
    /// What the name of a file says, which ends like this.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "pnml" => Some(Self::Pnml),
            "net" => Some(Self::Tina),
            "spec" => Some(Self::Mist),
            "vass" => Some(Self::Vass),
            _ => None,
        }
    }
}

/// A net that has been read.
#[derive(Clone, Debug)]
pub struct NetInput {
    net: Net,
    ids: pnml::Ids,
    /// What the file itself asks: these can be covered.
    targets: Vec<Formula>,
    /// Whether the file begins with any number of some counters, for which the net has transitions that can always
    /// fire.
    grows: bool,
    /// How many of the first places are states, where the file is a system with states.
    states: Option<usize>,
}

/// A question about a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetQuestion {
    /// What it is called: the property in words, or the id of a query.
    pub name: String,
    /// What is asked.
    pub property: Property,
    /// The same in words, as it was asked: on the command line, or in a file. Certificates have these. `None` where it
    /// nests too deep for words.
    pub asked: Option<String>,
    /// Whether it comes from a file of the contest.
    pub is_query: bool,
}

impl NetQuestion {
    /// A question whose name is how it is asked.
    fn named(name: String, property: Property) -> Self {
        Self { asked: Some(name.clone()), name, property, is_query: false }
    }
}

impl NetInput {
    /// How long a file may be by default, in bytes.
    pub fn most_bytes() -> usize {
        Limits::default().bytes
    }

    /// Reads a net within the default limits.
    pub fn read(text: &str, kind: NetKind) -> Result<Self, FormatError> {
        Self::read_within(text, kind, &Limits::default())
    }

    /// Reads a net.
    pub fn read_within(text: &str, kind: NetKind, limits: &Limits) -> Result<Self, FormatError> {
        Ok(match kind {
            NetKind::Pnml => {
                let read = pnml::read_within(text, limits)?;
                Self { net: read.net, ids: read.ids, targets: Vec::new(), grows: false, states: None }
            }
            NetKind::Tina => Self::named(tina::read_within(text, limits)?, Vec::new()),
            NetKind::Mist => {
                let mist::Spec { net, targets } = mist::read_within(text, limits)?;
                // Names of rules and counters have no blanks.
                let grows = net.transitions().any(|one| net.transition_name(one).starts_with("more "));
                Self { grows, ..Self::named(net, targets) }
            }
            NetKind::Vass => {
                let mist::Spec { net, targets } = vass::read_within(text, limits)?;
                let states = Some(vass::states(&net));
                Self { states, ..Self::named(net, targets) }
            }
        })
    }

    fn named(net: Net, targets: Vec<Formula>) -> Self {
        Self { ids: pnml::Ids::named(&net), net, targets, grows: false, states: None }
    }

    /// Reads a file whose pages and nets are composed by the names of their transitions.
    pub fn read_composed(text: &str, kind: NetKind) -> Result<Self, FormatError> {
        match kind {
            NetKind::Pnml => pnml::read_composed(text, &Limits::default()).map(|read| Self {
                net: read.net,
                ids: read.ids,
                targets: Vec::new(),
                grows: false,
                states: None,
            }),
            NetKind::Tina | NetKind::Mist | NetKind::Vass => Self::read(text, kind),
        }
    }

    /// Several nets as one ([`serval_petri::compose`]). Queries speak of its nodes by their names.
    pub fn composed(inputs: &[Self]) -> Result<Self, NetError> {
        let nets: Vec<Net> = inputs.iter().map(|input| input.net.clone()).collect();
        Ok(Self::named(serval_petri::compose(&nets)?, Vec::new()))
    }

    /// The same net, which begins with another marking: `p=1, q=3`, and 0 on all other places, or, where it ends with
    /// `*`, what they had.
    ///
    /// ```
    /// use serval::nets::{NetAnswer, NetInput, NetKind, NetOptions, decide_net};
    /// let input = NetInput::read("pl free (1)\ntr take free -> held\n", NetKind::Tina).unwrap();
    /// let two = input.starting("free=2").unwrap();
    /// let asked = |input: &NetInput| {
    ///     let question = input.question("reaches:held=2").unwrap();
    ///     decide_net(input, &question, &NetOptions::default()).answer
    /// };
    /// assert_eq!((asked(&input), asked(&two)), (NetAnswer::DoesNotHold, NetAnswer::Holds));
    /// ```
    pub fn starting(&self, text: &str) -> Result<Self, WordsError> {
        let marking = words::start(text, &self.net)?;
        Ok(Self { net: self.net.clone().with_initial(&marking), ..self.clone() })
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// What is to be reached: a marking, which may leave places free, a formula, or, of a system with states,
    /// `q (1, 0)`.
    pub fn target(&self, text: &str) -> Result<Formula, WordsError> {
        let as_state = self.states.and_then(|states| vass::configuration(text, &self.net, states));
        words::target(as_state.as_deref().unwrap_or(text), &self.net)
    }

    /// A marking in words, such as `p=1, q=3`.
    pub fn marking(&self, text: &str) -> Result<Marking, WordsError> {
        words::marking(text, &self.net)
    }

    /// A target in words; `None` where it nests too deep for words.
    pub fn target_in_words(&self, target: &Formula) -> Option<String> {
        words::text(target, &self.net)
    }

    /// The targets that the file itself asks about.
    pub fn own_targets(&self) -> &[Formula] {
        &self.targets
    }

    /// Says of a run where each step leads in terms of states and counters, where the file is a system with states.
    pub(crate) fn in_states(&self, run: &mut NetRun) {
        if let Some(states) = self.states {
            let names: Vec<&str> = self.net.places().map(|place| self.net.place_name(place)).collect();
            let (states, counters) = names.split_at(states.min(names.len()));
            run.in_states(states, counters);
        }
    }

    /// The question that is a property in words. Where the file begins with any number of some counters, the net never
    /// deadlocks, whatever the rules do, so that this is no question.
    pub fn question(&self, text: &str) -> Result<NetQuestion, WordsError> {
        let property = Property::parse(text, &self.net)?;
        if self.grows && property == Property::DeadlockFree {
            let message = "the file begins with any number of some counters, which is a transition that can always fire; ask reachable:FORMULA for what would be a deadlock";
            return Err(WordsError { start: 0, end: text.len(), message: message.to_owned(), unknown: None });
        }
        Ok(NetQuestion::named(text.to_owned(), property))
    }

    /// The questions that the file of the net asks itself: whether its targets can be covered, or reached where they
    /// name exact numbers.
    pub fn own_questions(&self) -> Vec<NetQuestion> {
        let name = |number: usize| if self.targets.len() == 1 { "target".to_owned() } else { format!("target {number}") };
        let question = |(number, target): (usize, &Formula)| {
            let property = match target.not_upward() {
                None => Property::Coverable(target.clone()),
                Some(_) => Property::Reachable(target.clone()),
            };
            NetQuestion { name: name(number), asked: property.text(&self.net), property, is_query: false }
        };
        (1..).zip(&self.targets).map(question).collect()
    }

    /// The questions in a file of the contest; its ids are those of the file of the net, or its names.
    pub fn queries(&self, text: &str) -> Result<Vec<NetQuestion>, FormatError> {
        self.each_query(text)?.into_iter().collect()
    }

    /// The same, where one that cannot be read costs no other.
    pub fn each_query(&self, text: &str) -> Result<Vec<Result<NetQuestion, FormatError>>, FormatError> {
        let read = mcc::each_property(text, &self.net, &self.ids)?;
        let question = |mcc::Query { id, property, asked }| NetQuestion { name: id, property, asked, is_query: true };
        Ok(read.into_iter().map(|one| one.map(question)).collect())
    }
}

/// How to decide.
#[derive(Clone)]
#[non_exhaustive]
pub struct NetOptions {
    /// Rounds of growing budgets. Default 7, which is a few seconds; a caller with a clock takes more, and raises the
    /// flag.
    pub rounds: u32,
    /// Ends the work from outside. Default: a flag that is never raised.
    pub cancel: Cancel,
    /// Ticks to make a run shorter. Default 200,000.
    pub shorten: u64,
    /// One method alone. Default: all of them, in the order in which they pay.
    pub method: Option<NetMethod>,
    /// The names of the rules that leave out what does not matter for the question before markings are looked at one by
    /// one. Default: all of [`reduction_rules`]; with none it is the whole net.
    pub reduce: Vec<String>,
    /// Whether stubborn sets may say which markings are looked at one by one. Default: they may.
    pub stubborn: bool,
    /// Bytes of a certificate, written down, beyond which there is no answer. Default 4 GiB, which is what the checker
    /// reads.
    pub most_bytes: u64,
}

impl Default for NetOptions {
    fn default() -> Self {
        Self {
            rounds: 7,
            cancel: Cancel::new(),
            shorten: 200_000,
            method: None,
            reduce: reduction_rules().map(str::to_owned).collect(),
            stubborn: true,
            most_bytes: serval_net_proof::MOST_BYTES,
        }
    }
}

/// What is known about a question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NetDecision {
    /// Holds, does not hold, or undecided; an error where the checker has refused our evidence, which is a bug.
    pub answer: NetAnswer,
    /// The methods that decided it, each once.
    pub methods: Vec<&'static str>,
    /// For what is undecided or an error: what stopped it.
    pub reason: Option<String>,
    /// One sentence why.
    pub why: Option<String>,
    /// Why a goal cannot be reached, in a paragraph.
    pub explanation: Option<String>,
    /// The largest value, where that is asked: a number or ω.
    pub value: Option<String>,
    /// For what is undecided: how far methods came that could go on.
    pub far: Option<String>,
    /// A run that shows it.
    pub run: Option<NetRun>,
    /// What is dead.
    pub dead: Vec<DeadNode>,
    /// Places that always have the same number of tokens, where that is asked.
    pub stable: Vec<DeadNode>,
    /// Goals of which nothing is known.
    pub open: usize,
    /// The evidence, which the checker has accepted unless this is an error.
    pub certificate: Option<Certificate>,
}

impl NetDecision {
    fn without(answer: NetAnswer, reason: impl Into<String>) -> Self {
        Self { answer, ..Self::with_reason(Some(reason.into())) }
    }

    /// Undecided, perhaps for a reason.
    fn with_reason(reason: Option<String>) -> Self {
        let (answer, methods, dead, stable) = (NetAnswer::Undecided, Vec::new(), Vec::new(), Vec::new());
        let (why, explanation, value, far, run, certificate) = (None, None, None, None, None, None);
        Self { answer, methods, reason, why, explanation, value, far, run, dead, stable, open: 0, certificate }
    }

    /// With how far methods came, if that is of interest.
    fn with_far(mut self, far: Far) -> Self {
        self.far = (self.answer == NetAnswer::Undecided).then(|| bound::far(far)).flatten();
        self
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
        report.explanation = self.explanation;
        if let (Some(reason), Some(far)) = (&mut report.reason, &self.far) {
            *reason = format!("{reason}; {far}");
        }
        (report.run, report.dead, report.stable, report.open, report.value) = (self.run, self.dead, self.stable, self.open, self.value);
        report
    }
}
