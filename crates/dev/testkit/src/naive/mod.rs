//! A literal reading of the language, independent of the compiler.
//!
//! A request in flight is a pair ⟨e, ρ⟩ of a term and the values of its
//! locals. A *step* of it at globals g rewrites ⟨e, ρ, g⟩ by small steps until
//! e is a value (the request answers) or `yield` stands in the hole of the
//! evaluation context (the request waits at E\[0\]). A run of small steps that
//! never gets there is no step; it is found by the repetition of an exact
//! configuration, or else ends at a cap.
//!
//! Everything is explicit: [`Naive::completed`] walks all interleavings of at
//! most k requests and collects the multisets of (request, response) pairs
//! with which nothing is left in flight; [`Naive::serial`] does the same with
//! one request in flight at a time. A program whose sets differ for some k is
//! not serializable.
//!
//! ```
//! use serval_testkit::naive::{Caps, Naive, Source, term::*};
//!
//! // x := X; yield; X := x + 1
//! let body = block([assign("x", read("X")), yields(), assign("X", binary(read("x"), Operator::Add, number(1)))]);
//! let mut naive = Naive::new(&Source::single(body));
//! assert!(naive.is_serializable(1, Caps::default()).unwrap());
//! assert!(!naive.is_serializable(2, Caps::default()).unwrap()); // both answer 1
//! ```

mod alone;
mod from_program;
mod reduce;
mod retell;
mod search;
pub mod term;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

pub use alone::{SerialWay, ways_after};
pub use retell::{RetoldAccess, Step, retell};
pub use search::{Naive, Together};
pub use term::{Source, Term};

/// The (request name, response) pairs of a completed run, sorted.
pub type Multiset = Vec<(String, i64)>;

/// The completed multisets of a set of runs.
pub type Completed = BTreeSet<Multiset>;

/// Where exploration gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Configurations of the whole program.
    pub configurations: usize,
    /// Configurations ⟨e, ρ, g⟩ within a single step.
    pub small_steps: usize,
}

impl Default for Caps {
    /// 200,000 configurations, 20,000 within a step.
    fn default() -> Self {
        Self { configurations: 200_000, small_steps: 20_000 }
    }
}

/// What has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A value left the 64-bit range.
    Overflow,
    /// `/` or `%` by zero.
    DivisionByZero,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rejected {
    /// A cap was reached.
    TooLarge,
    /// A run that was explored, whether it completes or not, has a fault.
    Fault(Fault),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "overflow",
            Self::DivisionByZero => "division by zero",
        })
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("too large to explore"),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for Rejected {}

impl From<Fault> for Rejected {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
