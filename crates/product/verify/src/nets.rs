//! Checks a certificate for a net.

use std::collections::BTreeMap;

use serval_budget::{Budget, Cancel};
use serval_diagnostic::FormatError;
use serval_diagnostic::counted;
use serval_net_proof::{Certificate, Evidence, Inductive, KInductive};
use serval_petri::{Limits, Net, compose, mist, pnml, tina, vass, words};
use serval_proof::Refusal;

use crate::{Caps, InputError, Outcome, Proved, Subject, Unusable, accept};

/// How a net is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetFormat {
    /// The Petri Net Markup Language, as files that end in `.pnml`.
    Pnml,
    /// The format of Tina, as files that end in `.net`.
    Tina,
    /// A specification of mist, as files that end in `.spec`.
    Mist,
    /// A vector addition system with states, as files that end in `.vass`.
    Vass,
}

impl NetFormat {
    /// By the ending of a file's name, without the dot; this is also how `--input` names it.
    pub fn named(ending: &str) -> Option<Self> {
        match ending {
            "pnml" => Some(Self::Pnml),
            "net" => Some(Self::Tina),
            "spec" => Some(Self::Mist),
            "vass" => Some(Self::Vass),
            _ => None,
        }
    }

    /// Reads a net.
    pub fn read(self, text: &str) -> Result<Net, FormatError> {
        match self {
            Self::Pnml => pnml::read(text).map(|read| read.net),
            Self::Tina => tina::read(text),
            Self::Mist => mist::read(text).map(|read| read.net),
            Self::Vass => vass::read(text).map(|read| read.net),
        }
    }

    /// Reads a net whose pages, and the nets of whose file, are composed by the names of their transitions.
    fn read_composed(self, text: &str) -> Result<Net, FormatError> {
        match self {
            Self::Pnml => pnml::read_composed(text, &Limits::default()).map(|read| read.net),
            Self::Tina | Self::Mist | Self::Vass => self.read(text),
        }
    }
}

/// One of the files that a net is composed of.
#[derive(Clone, Copy, Debug)]
pub struct NetPart<'a> {
    /// What the file is called.
    pub name: &'a str,
    /// What it says.
    pub text: &'a str,
    /// How it is written.
    pub format: NetFormat,
}

/// A net as text, or several that are composed: transitions with the same name are one, within each file and between
/// them ([`serval_petri::compose`]).
///
/// ```
/// use serval_budget::Cancel;
/// use serval_verify::{Caps, NetFormat, NetPart, NetText, accept};
/// let parts = [NetPart { name: "a.net", text: "tr t p -> q", format: NetFormat::Tina }];
/// let certificate = r#"{"format":"serval-net-certificate","version":1,"net":"",
///     "property":"one-safe","holds":true,"evidence":[]}"#;
/// let net = NetText { parts: &parts, is_composed: false, from: Some("r = 1") };
/// let outcome = accept(&net, certificate, &Caps::default(), &Cancel::new());
/// assert_eq!(outcome.line("a.net", "c.json", ""), "error: where it begins: column 1: the net has no place “r”");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NetText<'a> {
    /// The files.
    pub parts: &'a [NetPart<'a>],
    /// Whether pages and files are composed; a single file need not be.
    pub is_composed: bool,
    /// The marking that it begins with instead of its own, in which `*` stands for what the net says itself.
    pub from: Option<&'a str>,
}

/// A certificate about a net that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetProved {
    /// The property, as on the command line.
    pub property: String,
    /// Whether it holds.
    pub holds: bool,
    /// The evidence in a few words.
    pub summary: String,
}

impl Proved for NetProved {
    fn sentence(&self, input: &str) -> String {
        let Self { property, holds, summary } = self;
        format!("{property} {} of {input} ({summary})", if *holds { "holds" } else { "does not hold" })
    }
}

impl Subject for NetText<'_> {
    type Certificate = Certificate;
    type Proved = NetProved;

    fn check(&self, certificate: &Certificate, caps: &Caps, cancel: &Cancel) -> Result<NetProved, Refusal<Unusable>> {
        let net = self.read()?;
        let checked = certificate.check(&net, &mut Budget::new(caps.ticks, cancel.clone()));
        checked.map_err(|refusal| refusal.map_stop(|never| match never {}))?;
        Ok(NetProved { summary: summary(certificate), property: certificate.property.clone(), holds: certificate.holds })
    }
}

impl NetText<'_> {
    fn read(&self) -> Result<Net, InputError> {
        let net = match self.parts {
            [part] if !self.is_composed => part.format.read(part.text).map_err(InputError::Net)?,
            parts => composed(parts)?,
        };
        let Some(from) = self.from else { return Ok(net) };
        let marking = words::start(from, &net).map_err(|error| {
            let column = from.get(..error.start).unwrap_or(from).chars().count() + 1;
            InputError::From(format!("column {column}: {error}"))
        })?;
        Ok(net.with_initial(&marking))
    }
}

/// Checks a certificate for a net, both as texts.
pub fn verify_net(text: &str, format: NetFormat, certificate: &str, caps: &Caps, cancel: &Cancel) -> Outcome<NetProved> {
    let parts = [NetPart { name: "", text, format }];
    accept(&NetText { parts: &parts, is_composed: false, from: None }, certificate, caps, cancel)
}

fn composed(parts: &[NetPart<'_>]) -> Result<Net, InputError> {
    let read =
        |part: &NetPart<'_>| part.format.read_composed(part.text).map_err(|error| InputError::Part { name: part.name.to_owned(), error });
    let mut nets = parts.iter().map(read).collect::<Result<Vec<Net>, _>>()?;
    match (nets.len(), nets.pop()) {
        (1, Some(only)) => Ok(only),
        (_, last) => {
            nets.extend(last);
            compose(&nets).map_err(|error| InputError::Composed(error.to_string()))
        }
    }
}

/// Kinds that occur once are described, others are counted.
fn summary(certificate: &Certificate) -> String {
    let mut each: BTreeMap<&str, usize> = BTreeMap::new();
    for about in &certificate.evidence {
        *each.entry(about.evidence.kind()).or_default() += 1;
    }
    let mut said: Vec<String> = match &certificate.evidence[..] {
        [about] => vec![described(&about.evidence)],
        _ => each.into_iter().map(|(kind, count)| format!("{count} × {kind}")).collect(),
    };
    if !certificate.runs.ends.is_empty() {
        said.push(format!("{} into {}", counted(certificate.runs.words.len(), "run"), counted(certificate.runs.ends.len(), "goal")));
    }
    if said.is_empty() { "there is nothing to show".to_owned() } else { said.join("; ") }
}

fn described(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Run(run) => format!("a run of {}", counted(run.word.len(), "item")),
        Evidence::Weights(weights) => format!("weights: {}", counted(weights.sums.len(), "sum")),
        Evidence::Dead(dead) => format!("{} that stay empty", counted(dead.places.len(), "place")),
        Evidence::Equation(equation) => {
            let (traps, nodes) = (counted(equation.traps.len(), "trap"), counted(equation.tree.nodes.len(), "node"));
            format!("the marking equation with {traps} and a tree of {nodes}")
        }
        Evidence::Inductive(Inductive { invariant, .. }) => {
            let trees = counted(invariant.steps.len() + 1, "tree");
            format!("an invariant of {} with {trees}", counted(invariant.clauses.len(), "clause"))
        }
        Evidence::KInductive(KInductive { invariant, base, .. }) => {
            let with = match invariant.clauses.len() {
                0 => String::new(),
                clauses => format!(", with an invariant of {}", counted(clauses, "clause")),
            };
            format!("induction over {}{with}", counted(base.len(), "step"))
        }
        Evidence::States(states) => format!("all of {}", counted(states.markings.len(), "marking")),
        Evidence::Stubborn(stubborn) => format!("{} with stubborn sets", counted(stubborn.markings.len(), "marking")),
        Evidence::Toward(toward) => format!("{} with stubborn sets for it", counted(toward.markings.len(), "marking")),
        Evidence::Cover(cover) => format!("a cover of {}", counted(cover.markings.len(), "marking")),
        Evidence::Basis(basis) => format!("a basis of {}", counted(basis.markings.len(), "marking")),
        Evidence::Backward(backward) => format!("backwards, {}", described(&backward.evidence)),
        Evidence::Separator(separator) => {
            let trees = counted(separator.steps.len() + 1, "tree");
            format!("a separator of {} with {trees}", counted(separator.clauses.len(), "clause"))
        }
        Evidence::Decomposition(decomposition) => format!("a decomposition in {}", counted(decomposition.steps.len(), "step")),
        Evidence::Pump(pump) => format!("a run with pumps of {}", counted(pump.steps.len(), "step")),
        Evidence::Homes(homes) => {
            format!("all of {}, each with its way to {}", counted(homes.markings.len(), "marking"), counted(homes.words.len(), "home"))
        }
        Evidence::Script(script) => format!("{}, and then {}", counted(script.entries.len(), "reduction"), described(&script.evidence)),
        Evidence::Lost(lost) => {
            format!("a run of {}, and from there {}", counted(lost.word.len(), "item"), described(&lost.evidence))
        }
    }
}
