//! Answers questions about Petri nets, with evidence for both answers.
//!
//! A question is whether a marking of a *goal* can be reached. Methods, in the order in which they pay:
//!
//! - `walk`: random walks that look at all goals at once, with fixed seeds;
//! - [`siphon`]: places that stay empty because whatever gives to them takes from them;
//! - [`weights`]: sums that no transition increases bound places;
//! - [`equation`]: the marking equation with traps excludes a goal, or is a plan that is carried out with a little
//!   slack (`guided`);
//! - [`explicit`]: all markings one by one, for deadlocks with stubborn sets; their strongly connected parts say what
//!   can always be reached again.
//! - [`cover`]: for any number of tokens, ω-markings forwards, and least markings backwards;
//! - [`inductive`]: inductive clauses (`pdr`), and several steps at once (`induction`);
//! - [`reduce`]: smaller nets for one goal, in which [`explicit`] looks for what it does not find in the whole net;
//! - [`separator`]: inductive clauses of a few shapes about tokens, firings and residues;
//! - [`decompose`]: all runs into a goal that says how many tokens places have, split into cases. It ends with an
//!   answer, if its budget does not end it.
//!
//! What they find is a claim like any other: the checker (`serval-net-proof`) decides. Nothing here reads or writes,
//! and budgets are ticks.

// Numbers of inputs have 64 bits: what is done with them is checked, saturates, or is done in 128 bits.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

mod answer;
pub mod cover;
pub mod decompose;
pub mod equation;
pub mod explicit;
mod fast;
pub mod fill;
mod goals;
mod guided;
pub mod inductive;
mod portfolio;
pub mod reduce;
pub mod separator;
pub mod shorten;
pub mod siphon;
mod walk;
pub mod weights;

pub use answer::{GoalAnswer, GoalOutcome, Method};
pub use portfolio::{Extent, Far, Homing, Session, decide};
