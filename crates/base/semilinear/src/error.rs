//! Why this crate could not answer.

use std::fmt;

use serval_budget::{StopReason, Stopped};

/// Why this crate could not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The budget said so.
    Stopped(Stopped),
    /// There would be more of something than the caller allowed.
    TooLarge {
        /// Of what, in the plural.
        what: &'static str,
        /// How many were allowed.
        cap: usize,
    },
    /// A number does not fit its type.
    Overflow,
    /// A state, letter or edge that does not exist.
    OutOfRange {
        /// What kind of thing.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(Stopped::OutOfTicks) => write!(f, "the ticks are used up"),
            Self::Stopped(Stopped::Cancelled) => write!(f, "cancelled"),
            Self::TooLarge { what, cap } => write!(f, "more than {cap} {what}"),
            Self::Overflow => write!(f, "a number is too large"),
            Self::OutOfRange { what, index, count } => write!(f, "{what} {index} does not exist: there are {count}"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Why a stage that had this number of ticks gave no answer.
    pub fn reason(self, stage: &'static str, ticks: u64) -> StopReason {
        match self {
            Self::Stopped(stopped) => StopReason::stopped(stage, ticks, stopped),
            Self::TooLarge { what, cap } => StopReason::TooMany { stage, what, cap },
            Self::Overflow => StopReason::NumberTooLarge { stage },
            Self::OutOfRange { .. } => StopReason::Unsupported { stage, what: self.to_string() },
        }
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}
