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
    /// The [`Cancel`](crate::Cancel) flag was raised; its owner knows why: a
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
    /// A stage came to its end and found neither answer.
    Inconclusive {
        /// The stage.
        stage: &'static str,
        /// What it did not find.
        what: String,
    },
    /// All rounds of growing budgets were made that were asked for.
    RoundsUsedUp {
        /// How many there were.
        rounds: usize,
    },
    /// The methods that were asked for came to their end, and no number of
    /// ticks would change that.
    MethodsExcluded,
}

impl StopReason {
    /// Why a stage with this number of ticks did not end.
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
            Self::OutOfTicks { .. }
            | Self::TooMany { .. }
            | Self::NumberTooLarge { .. }
            | Self::Unsupported { .. }
            | Self::Inconclusive { .. } => {
                Some("the other methods have other limits (--method auto), and a smaller program has smaller numbers")
            }
            Self::RoundsUsedUp { .. } => Some("more rounds may, which take more time, and fewer values of variables"),
            Self::MethodsExcluded => Some("all methods together may (--method auto)"),
        }
    }

    /// The stage that gave no answer, where it was one.
    pub fn stage(&self) -> Option<&'static str> {
        match *self {
            Self::OutOfTicks { stage, .. }
            | Self::TooMany { stage, .. }
            | Self::NumberTooLarge { stage }
            | Self::Unsupported { stage, .. }
            | Self::Inconclusive { stage, .. } => Some(stage),
            Self::Cancelled | Self::RoundsUsedUp { .. } | Self::MethodsExcluded => None,
        }
    }

    /// The reason without its stage.
    pub fn what(&self) -> String {
        match self {
            Self::Cancelled => "cancelled".to_owned(),
            Self::OutOfTicks { ticks, .. } => format!("the {ticks} ticks are used up"),
            Self::TooMany { what, cap, .. } => format!("more than {cap} {what}"),
            Self::NumberTooLarge { .. } => "a number is too large".to_owned(),
            Self::Unsupported { what, .. } | Self::Inconclusive { what, .. } => what.clone(),
            Self::RoundsUsedUp { rounds } => format!("no proof was found, and no counterexample, in {rounds} rounds of growing budgets"),
            Self::MethodsExcluded => "the methods that were asked for do not decide it".to_owned(),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(stage) = self.stage() {
            write!(f, "{stage}: ")?;
        }
        f.write_str(&self.what())
    }
}

impl std::error::Error for StopReason {}
