//! Why no proof was found.

use serval_budget::Stopped;
use serval_syntax::{GlobalVar, Span};

/// Why no proof was found. Nothing follows about the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The program has too much of something.
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How much is allowed.
        limit: u64,
    },
    /// The budget is used up, or the flag was raised.
    Stopped(Stopped),
    /// Two steps do not commute, and one of them would have to.
    Conflict(Box<Conflict>),
    /// An error that could not be excluded.
    Error(PossibleError),
}

/// Two neighbouring steps of different requests that cannot be exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The step that comes first.
    pub first: TextPlace,
    /// The step that comes next.
    pub second: TextPlace,
    /// The variable about which they disagree.
    pub global: GlobalVar,
}

/// A step in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The request body, an index into the requests of the program.
    pub body: usize,
    /// The text that the step runs.
    pub span: Span,
    /// Where it reads or writes the variable.
    pub access: Span,
    /// Whether it writes the variable.
    pub writes: bool,
}

/// An error that may happen, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PossibleError {
    /// The operation.
    pub span: Span,
    /// What may be wrong, in words such as `may leave 64 bits`.
    pub what: &'static str,
}

impl From<Stopped> for Why {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}
