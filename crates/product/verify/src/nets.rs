//! Checks a certificate for a net.

use std::collections::BTreeMap;

use serval_budget::{Budget, Cancel, Stopped};
use serval_model::shown;
use serval_net_proof::{Certificate, Evidence, Inductive, KInductive, Refusal, Rejection};
use serval_petri::{FormatError, Limits, Net, compose, mist, pnml, tina, vass, words};

use crate::{Caps, TooLarge};

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

/// What came of checking a certificate for a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetOutcome {
    /// The claim is proved.
    Valid {
        /// The property, as on the command line.
        property: String,
        /// Whether it holds.
        holds: bool,
        /// The evidence in a few words.
        summary: String,
    },
    /// A condition does not hold. Nothing is said about the claim.
    Invalid(Rejection),
    /// The check would exceed a cap. Nothing is said about the certificate.
    TooLarge(TooLarge),
    /// The net cannot be read.
    Net(FormatError),
    /// One of the files that the net is composed of cannot be read.
    Part {
        /// What it is called.
        name: String,
        /// Why not.
        error: FormatError,
    },
    /// The nets cannot be composed.
    Composed(String),
    /// Where the net is to begin cannot be read.
    From(String),
    /// The certificate cannot be read.
    Certificate(FormatError),
    /// The flag was raised.
    Cancelled,
}

/// Checks a certificate for a net, both as texts.
///
/// ```
/// use serval_budget::Cancel;
/// use serval_verify::{Caps, NetFormat, verify_net};
/// let outcome = verify_net("tr t a -> b", NetFormat::Tina, "{}", &Caps::default(), &Cancel::new());
/// assert_eq!((outcome.status(), outcome.line("n.net", "c.json")), (2, "c.json:1:2: error: missing field `format`".to_owned()));
/// ```
pub fn verify_net(text: &str, format: NetFormat, certificate: &str, caps: &Caps, cancel: &Cancel) -> NetOutcome {
    verified(certificate, caps, cancel, || format.read(text).map_err(NetOutcome::Net))
}

/// Checks a certificate for the net that several files are together: transitions with the same name are one, within each file and
/// between them ([`serval_petri::compose`]).
///
/// ```
/// use serval_budget::Cancel;
/// use serval_verify::{Caps, NetFormat, NetPart, verify_composed};
/// let part = |name, text| NetPart { name, text, format: NetFormat::Tina };
/// let parts = [part("a.net", "tr t p -> q"), part("b.net", "tr t")];
/// let outcome = verify_composed(&parts, "[]", &Caps::default(), &Cancel::new());
/// assert_eq!(outcome.status(), 2);
/// ```
pub fn verify_composed(parts: &[NetPart<'_>], certificate: &str, caps: &Caps, cancel: &Cancel) -> NetOutcome {
    verified(certificate, caps, cancel, || composed(parts))
}

/// Checks a certificate for a net, or for several that are composed, which begins with this marking instead of its own; in the marking `*` stands for what the net says itself.
///
/// ```
/// use serval_budget::Cancel;
/// use serval_verify::{Caps, NetFormat, NetPart, verify_net_from};
/// let part = NetPart { name: "a.net", text: "tr t p -> q", format: NetFormat::Tina };
/// let certificate = r#"{"format":"serval-net-certificate","version":1,"net":"","property":"one-safe","holds":true,"evidence":[]}"#;
/// let outcome = verify_net_from(&[part], false, "r = 1", certificate, &Caps::default(), &Cancel::new());
/// assert_eq!(outcome.line("a.net", "c.json"), "error: where it begins: column 1: the net has no place “r”");
/// ```
pub fn verify_net_from(
    parts: &[NetPart<'_>],
    is_composed: bool,
    from: &str,
    certificate: &str,
    caps: &Caps,
    cancel: &Cancel,
) -> NetOutcome {
    verified(certificate, caps, cancel, || {
        let net = match parts {
            [part] if !is_composed => part.format.read(part.text).map_err(NetOutcome::Net)?,
            _ => composed(parts)?,
        };
        let marking = words::start(from, &net).map_err(|error| {
            let column = from.get(..error.start).unwrap_or(from).chars().count() + 1;
            NetOutcome::From(format!("column {column}: {error}"))
        })?;
        Ok(net.with_initial(&marking))
    })
}

fn composed(parts: &[NetPart<'_>]) -> Result<Net, NetOutcome> {
    let read =
        |part: &NetPart<'_>| part.format.read_composed(part.text).map_err(|error| NetOutcome::Part { name: part.name.to_owned(), error });
    let mut nets = parts.iter().map(read).collect::<Result<Vec<Net>, _>>()?;
    match (nets.len(), nets.pop()) {
        (1, Some(only)) => Ok(only),
        (_, last) => {
            nets.extend(last);
            compose(&nets).map_err(|error| NetOutcome::Composed(error.to_string()))
        }
    }
}

fn verified(certificate: &str, caps: &Caps, cancel: &Cancel, read: impl FnOnce() -> Result<Net, NetOutcome>) -> NetOutcome {
    if let Err(too_large) = caps.admit_bytes(certificate.len()) {
        return NetOutcome::TooLarge(too_large);
    }
    let certificate = match Certificate::from_json(certificate) {
        Ok(certificate) => certificate,
        Err(error) => return NetOutcome::Certificate(error),
    };
    let net = match read() {
        Ok(net) => net,
        Err(outcome) => return outcome,
    };
    match certificate.check(&net, &mut Budget::new(caps.ticks, cancel.clone())) {
        Ok(()) => NetOutcome::Valid { summary: summary(&certificate), property: certificate.property, holds: certificate.holds },
        Err(Refusal::Invalid(rejection)) => NetOutcome::Invalid(rejection),
        Err(Refusal::TooLarge { what, limit }) => NetOutcome::TooLarge(TooLarge { what, limit }),
        Err(Refusal::Stopped(Stopped::OutOfTicks)) => NetOutcome::TooLarge(TooLarge { what: "ticks of work", limit: caps.ticks }),
        Err(Refusal::Stopped(Stopped::Cancelled)) => NetOutcome::Cancelled,
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
        Evidence::Cover(cover) => format!("a cover of {}", counted(cover.markings.len(), "marking")),
        Evidence::Basis(basis) => format!("a basis of {}", counted(basis.markings.len(), "marking")),
        Evidence::Backward(backward) => format!("backwards, {}", described(&backward.evidence)),
        Evidence::Separator(separator) => {
            let trees = counted(separator.steps.len() + 1, "tree");
            format!("a separator of {} with {trees}", counted(separator.clauses.len(), "clause"))
        }
        Evidence::Decomposition(decomposition) => format!("a decomposition in {}", counted(decomposition.steps.len(), "step")),
        Evidence::Pump(pump) => format!("a run with pumps of {}", counted(pump.steps.len(), "step")),
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl NetOutcome {
    /// The exit status: 0 valid, 1 invalid, 2 input error, 3 too large or cancelled.
    pub fn status(&self) -> u8 {
        match self {
            Self::Valid { .. } => 0,
            Self::Invalid(_) => 1,
            Self::Net(_) | Self::Part { .. } | Self::Composed(_) | Self::From(_) | Self::Certificate(_) => 2,
            Self::TooLarge(_) | Self::Cancelled => 3,
        }
    }

    /// The outcome in one line, without a newline. `input` and `certificate` are what the files are called.
    pub fn line(&self, input: &str, certificate: &str) -> String {
        let (input, certificate) = (&shown::name(input), &shown::name(certificate));
        let said = match self {
            Self::Valid { property, holds, summary } => {
                let does = if *holds { "holds" } else { "does not hold" };
                format!("{certificate}: valid: {property} {does} of {input} ({summary})")
            }
            Self::Invalid(rejection) => format!("{certificate}: invalid: {rejection}"),
            Self::TooLarge(too_large) => format!("{certificate}: too large: {too_large}"),
            Self::Net(error) => format!("{input}:{}:{}: error: {}", error.line, error.column, error.message),
            Self::Part { name, error } => format!("{}:{}:{}: error: {}", shown::name(name), error.line, error.column, error.message),
            Self::Composed(why) => format!("error: the nets cannot be composed: {why}"),
            Self::From(why) => format!("error: where it begins: {why}"),
            Self::Certificate(error) => format!("{certificate}:{}:{}: error: {}", error.line, error.column, error.message),
            Self::Cancelled => format!("{certificate}: cancelled"),
        };
        shown::line(&said).into_owned()
    }
}
