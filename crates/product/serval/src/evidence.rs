//! Evidence that the independent checker has accepted.

use std::time::Duration;

use serval_budget::{Budget, Cancel, StopReason};
use serval_compile::Compiled;
use serval_diagnostic::counted;
use serval_proof::{Body, Caps, Certificate, Claim, TooLarge, fingerprint};
use serval_verify::{InputKind, Outcome};

/// A certificate that the independent checker has accepted for the very text
/// that was decided about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// The certificate in its JSON form.
    pub certificate: String,
    /// The kind of certificate, such as `run` or `flow`.
    pub kind: &'static str,
    /// The method that found it.
    pub method: &'static str,
}

/// Why there is a claim, and no verdict.
pub(crate) enum Unproved {
    /// Checking it would exceed a cap.
    TooLarge(TooLarge),
    /// The flag was raised.
    Cancelled,
    /// The checker refuses it: a bug.
    Refused(Refused),
}

/// A certificate of ours that the checker refuses: a bug in serval.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The certificate in its JSON form.
    pub certificate: String,
    /// What the checker says.
    pub outcome: Outcome,
}

/// Why it is undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// No method gave an answer.
    Stopped(StopReason),
    /// It is serializable, and nothing more is known about the order in time than that it agrees while at most so many
    /// requests are in flight.
    InTime {
        /// How many; less than 2 says nothing.
        in_flight: usize,
        /// Whether for any one moment some order has what had answered before it before what came after it, however
        /// many are in flight.
        at_a_moment: bool,
    },
    /// There is an answer whose evidence is too large to be checked.
    Uncertified {
        /// The method that gave it.
        method: &'static str,
        /// Whether it says that the input is serializable.
        serializable: bool,
        /// What there is too much of.
        what: TooLarge,
    },
}

impl Undecided {
    /// What may help.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Stopped(reason) => reason.help(),
            Self::InTime { .. } => None,
            Self::Uncertified { .. } => Some("a smaller program, or one of fewer values"),
        }
    }
}

impl std::fmt::Display for Undecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(reason) if reason.stage().is_some() => write!(f, "stopped at the stage {reason}"),
            Self::Stopped(reason) => reason.fmt(f),
            Self::InTime { in_flight, at_a_moment } => {
                match in_flight {
                    0 | 1 => write!(f, "serializable; whether it is strict is open")?,
                    _ => write!(f, "serializable; strict with at most {} in flight, and open beyond", counted(*in_flight, "request"))?,
                }
                let words = "; for any one moment some order has what had answered before it before what came after it";
                write!(f, "{}", if *at_a_moment { words } else { "" })
            }
            Self::Uncertified { method, serializable, what } => {
                let words = if *serializable { "serializable" } else { "not serializable" };
                write!(f, "uncertified: {method} says {words}, but checking it is too large: {what}")
            }
        }
    }
}

/// How long writing a certificate down and checking it took.
#[derive(Clone, Copy, Default)]
pub(crate) struct CertifyTimes {
    pub(crate) certify: Duration,
    pub(crate) verify: Duration,
}

/// What evidence is about: a text, and its states where they have been made. The checker checks that they are all.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    pub(crate) text: &'a str,
    pub(crate) kind: InputKind,
    pub(crate) compiled: Option<&'a Compiled>,
}

/// Writes the evidence for a claim about a text down and has it checked.
pub(crate) fn certify(
    about: About<'_>,
    (body, component, claim): (Body, usize, Claim),
    cancel: &Cancel,
    clock: fn() -> Duration,
) -> (Result<String, Unproved>, CertifyTimes) {
    let start = clock();
    let written = Certificate { input: fingerprint(about.text), component, claim, body }.to_json();
    let certified = clock();
    let outcome = verified(about, &written, cancel);
    let times = CertifyTimes { certify: certified.saturating_sub(start), verify: clock().saturating_sub(certified) };
    let checked = match outcome {
        Outcome::Valid(valid) if valid.claim == claim => Ok(written),
        Outcome::TooLarge(what) => Err(Unproved::TooLarge(what)),
        Outcome::Cancelled => Err(Unproved::Cancelled),
        outcome => Err(Unproved::Refused(Refused { certificate: written, outcome })),
    };
    (checked, times)
}

/// What the independent checker says, unless the flag is raised.
pub(crate) fn verified(About { text, kind, compiled }: About<'_>, certificate: &str, cancel: &Cancel) -> Outcome {
    // How long our own evidence is looked at, the caller says by the flag.
    let caps = Caps { ticks: u64::MAX, ..Caps::default() };
    let checked = || serval_verify::verify_handed(text, kind, certificate, compiled, &caps, cancel);
    Budget::new(u64::MAX, cancel.clone()).during(checked).unwrap_or(Outcome::Cancelled)
}
