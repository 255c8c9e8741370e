//! Why evidence is not accepted.

use std::convert::Infallible;
use std::fmt;

use serval_budget::Stopped;

/// A condition of some checker, by the name that messages and the manual call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionName(pub &'static str);

impl ConditionName {
    /// The name in messages and in the manual.
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ConditionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Why evidence is not accepted. `Stop` is how what it is about can fail to be there, if it is made on demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal<Stop = Infallible> {
    /// A condition does not hold.
    Invalid(Rejection),
    /// The check would exceed a cap, or a number does not fit. Nothing is said about the evidence.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much is allowed.
        limit: u64,
    },
    /// The budget ended the check. Nothing is said about the evidence.
    Stopped(Stopped),
    /// What the evidence is about could not be made. Nothing is said about the evidence.
    System(Stop),
}

/// The answer of a check of something that is there.
pub type Checked<T = ()> = Result<T, Refusal>;

/// A condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Which one.
    pub condition: ConditionName,
    /// The index of the event, from 0; `None` where it is about the whole.
    pub event: Option<usize>,
    /// What it is about, such as `request 2`; empty where that is plain. One line.
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
    fn from(TooLarge { what, limit }: TooLarge) -> Self {
        Self::TooLarge { what, limit }
    }
}

impl<Stop> From<Stopped> for Refusal<Stop> {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl<Stop> Refusal<Stop> {
    /// A condition does not hold.
    pub fn invalid(condition: ConditionName, object: String, message: String) -> Self {
        Self::Invalid(Rejection { condition, event: None, object, message })
    }

    /// The same for an input that stops in another way.
    pub fn map_stop<Other>(self, other: impl FnOnce(Stop) -> Other) -> Refusal<Other> {
        match self {
            Self::Invalid(rejection) => Refusal::Invalid(rejection),
            Self::TooLarge { what, limit } => Refusal::TooLarge { what, limit },
            Self::Stopped(stopped) => Refusal::Stopped(stopped),
            Self::System(stop) => Refusal::System(other(stop)),
        }
    }

    /// The same at an event and about an object, unless it already says what it is about.
    pub fn about(self, event: Option<usize>, object: String) -> Self {
        match self {
            Self::Invalid(rejection) if rejection.object.is_empty() => Self::Invalid(Rejection { event, object, ..rejection }),
            other => other,
        }
    }

    /// The same where so many ticks were allowed: that they were used up means that the evidence is too large.
    pub fn of_ticks(self, limit: u64) -> Self {
        match self {
            Self::Stopped(Stopped::OutOfTicks) => Self::TooLarge { what: "ticks of work", limit },
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
        if !self.object.is_empty() {
            write!(f, "{}: ", self.object)?;
        }
        f.write_str(&self.message)
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
            &Self::TooLarge { what, limit } => TooLarge { what, limit }.fmt(f),
            Self::Stopped(Stopped::Cancelled) => f.write_str("cancelled"),
            Self::Stopped(Stopped::OutOfTicks) => f.write_str("the check was ended before it was done"),
            Self::System(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for Rejection {}
impl std::error::Error for TooLarge {}
impl<Stop: fmt::Debug + fmt::Display> std::error::Error for Refusal<Stop> {}
