//! Why a certificate was not accepted.

use std::convert::Infallible;
use std::fmt;

use crate::Condition;

/// Why a certificate was not accepted. `Stop` is how the system can fail:
/// [`Moves::Stop`](serval_model::Moves::Stop).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal<Stop> {
    /// A condition does not hold.
    Invalid(Rejection),
    /// The check would exceed a cap. Nothing is said about the certificate.
    TooLarge(TooLarge),
    /// The system could not say how a request goes on: a fault of the
    /// program. Nothing is said about the certificate.
    System(Stop),
    /// The flag was raised. Nothing is said about the certificate.
    Cancelled,
}

/// The answer of a check that asks no system how its requests go on.
pub type Checked<T = ()> = Result<T, Refusal<Infallible>>;

/// A condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Which one.
    pub condition: Condition,
    /// The index of the event, from 0; `None` where it is about the whole.
    pub event: Option<usize>,
    /// What it is about, such as `request 2`. One line.
    pub object: String,
    /// What is wrong, without a full stop. One line.
    pub message: String,
}

/// A cap that the check would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What there is too much of.
    pub what: &'static str,
    /// How much is allowed.
    pub limit: u64,
}

impl<Stop> From<TooLarge> for Refusal<Stop> {
    fn from(too_large: TooLarge) -> Self {
        Self::TooLarge(too_large)
    }
}

impl<Stop> Refusal<Stop> {
    /// The same for an input that stops in another way.
    pub(crate) fn map_stop<Other>(self, other: impl FnOnce(Stop) -> Other) -> Refusal<Other> {
        match self {
            Self::Invalid(rejection) => Refusal::Invalid(rejection),
            Self::TooLarge(too_large) => Refusal::TooLarge(too_large),
            Self::System(stop) => Refusal::System(other(stop)),
            Self::Cancelled => Refusal::Cancelled,
        }
    }

    /// The same at an event and about an object, unless it already says what it is about.
    pub fn about(self, event: Option<usize>, object: String) -> Self {
        match self {
            Self::Invalid(rejection) if rejection.object.is_empty() => Self::Invalid(Rejection { event, object, ..rejection }),
            other => other,
        }
    }
}

impl fmt::Display for Rejection {
    /// One line; events are counted from 1, as in everything that is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.condition)?;
        if let Some(event) = self.event {
            write!(f, "event {}: ", event.saturating_add(1))?;
        }
        write!(f, "{}: {}", self.object, self.message)
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} {}", self.limit, self.what)
    }
}

impl<Stop: fmt::Display> fmt::Display for Refusal<Stop> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(rejection) => rejection.fmt(f),
            Self::TooLarge(too_large) => too_large.fmt(f),
            Self::System(stop) => stop.fmt(f),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for Rejection {}
impl std::error::Error for TooLarge {}
impl<Stop: fmt::Debug + fmt::Display> std::error::Error for Refusal<Stop> {}
