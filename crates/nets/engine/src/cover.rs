//! Coverability and boundedness (Karp, Miller 1969; Abdulla, Čerāns, Jonsson, Tsay 1996), for any number of tokens.
//!
//! - [`forward`]: the minimal coverability set, by a tree of ω-markings;
//! - [`backward`]: the least markings from which a goal can be covered;
//! - [`sliced`]: the set of ω-markings of few places, and of more where these matter;
//! - [`levels`]: how short a covering run is, exactly;
//! - [`run`]: runs out of ω-runs, whose pumps are repeated often enough.
//!
//! Both methods end, however many markings there are, if their budgets do not end them. They serve goals that are
//! *upward closed*: what is above a marking of the goal is in it, too.

pub mod backward;
pub mod forward;
mod index;
pub mod levels;
pub mod run;
mod shrink;
pub mod sliced;

pub use forward::{Bounds, Justified, Largest, Tree};
pub use shrink::pump as shorter_pump;

/// ω, which is more than every number of tokens.
pub const OMEGA: u64 = u64::MAX;

/// An ω-marking as evidence writes it.
pub(crate) fn written(marking: &[u64]) -> Vec<Option<u64>> {
    marking.iter().map(|&tokens| (tokens != OMEGA).then_some(tokens)).collect()
}

/// Ticks for one marking: it takes as much memory as there are places.
pub(crate) fn cost(places: usize) -> u64 {
    u64::try_from(places / 32).unwrap_or(u64::MAX).saturating_add(1)
}

/// What a method says of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoverOutcome {
    /// A run into it.
    Reached(Vec<serval_net_proof::Item>),
    /// Why it cannot be reached.
    Excluded(Box<serval_net_proof::Evidence>),
    /// Nothing: a place has more tokens than fit.
    TooManyTokens,
    /// Nothing: the goal has more than this number of least markings.
    TooManyLeast(usize),
    /// Nothing: the goal is not upward closed.
    Nothing,
}
