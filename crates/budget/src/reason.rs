//! Why a method gave no answer, told apart so that people learn what would help.

use std::fmt;

use crate::Stopped;

/// Why a method gave no answer.
///
/// ```
/// use serval_budget::{StopReason, Stopped};
/// let reason = StopReason::stopped("slicing", 1000, Stopped::OutOfTicks);
/// assert_eq!(reason.to_string(), "slicing: the 1000 ticks are used up");
/// assert!(reason.help().is_some());
/// assert_eq!(StopReason::stopped("slicing", 1000, Stopped::Cancelled), StopReason::Cancelled);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Somebody raised the [`Cancel`](crate::Cancel) flag, and knows why: a
    /// limit on time or memory, or an interrupt.
    Cancelled,
    /// The ticks of a stage are used up.
    OutOfTicks {
        /// The stage.
        stage: &'static str,
        /// How many it had.
        ticks: u64,
    },
    /// There is more of something than a stage takes.
    TooMany {
        /// The stage.
        stage: &'static str,
        /// Of what, in the plural.
        what: &'static str,
        /// How many it takes.
        cap: usize,
    },
    /// A number does not fit its type.
    NumberTooLarge {
        /// The stage.
        stage: &'static str,
    },
    /// A stage does not apply to inputs of this shape, or its result is of no
    /// use for them.
    Unsupported {
        /// The stage.
        stage: &'static str,
        /// What it cannot do.
        what: String,
    },
    /// All rounds of growing budgets were made.
    RoundsUsedUp {
        /// How many there were.
        rounds: usize,
    },
    /// The methods that were asked for do not apply.
    MethodsExcluded,
}

impl StopReason {
    /// Why a stage with so many ticks did not end.
    pub fn stopped(stage: &'static str, ticks: u64, stopped: Stopped) -> Self {
        match stopped {
            Stopped::OutOfTicks => Self::OutOfTicks { stage, ticks },
            Stopped::Cancelled => Self::Cancelled,
        }
    }

    /// What a user may do about it. Who has raised a flag says more than this could.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Cancelled => None,
            Self::OutOfTicks { .. } | Self::TooMany { .. } | Self::NumberTooLarge { .. } | Self::Unsupported { .. } => {
                Some("the other methods have other limits (--method auto), and a smaller program has smaller numbers")
            }
            Self::RoundsUsedUp { .. } => Some("more time does not; fewer values of variables may, or another method (--method classic)"),
            Self::MethodsExcluded => Some("all methods together may (--method auto)"),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => write!(f, "cancelled"),
            Self::OutOfTicks { stage, ticks } => write!(f, "{stage}: the {ticks} ticks are used up"),
            Self::TooMany { stage, what, cap } => write!(f, "{stage}: more than {cap} {what}"),
            Self::NumberTooLarge { stage } => write!(f, "{stage}: a number is too large"),
            Self::Unsupported { stage, what } => write!(f, "{stage}: {what}"),
            Self::RoundsUsedUp { rounds } => write!(f, "no proof was found, and no counterexample, in {rounds} rounds of growing budgets"),
            Self::MethodsExcluded => write!(f, "the methods that were asked for do not decide it"),
        }
    }
}

impl std::error::Error for StopReason {}
