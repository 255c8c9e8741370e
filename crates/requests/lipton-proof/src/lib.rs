//! Programs by symbolic steps, and the checker of proofs by reduction on them.
//!
//! A proof by reduction (Lipton 1975) shows that a program is serializable without looking at its states: every request
//! has one step in which it *commits*; the steps before it can be moved to the right past steps of others, the steps
//! after it to the left, so that every run can be made serial. What can be exchanged with what follows from invariants
//! that count requests: who owns a lock, how many are inside. None of that depends on how many values data have.
//!
//! * [`domain`], [`term`]: sets of numbers, and values as functions of the values at the start of a step;
//! * [`execute`], [`path`]: points where requests wait, and the paths between them, by executing the control graph;
//! * [`model`], [`additions`], [`late`], [`validated`], [`attempts`]: transformations of the program, and what paths do
//!   to globals;
//! * [`facts`], [`invariants`], [`tickets`]: what holds at every moment, and why;
//! * [`exchange`]: which steps commute;
//! * [`rows`]: few request bodies that stand for many;
//! * [`check()`](check()): the theorem, and the checker;
//! * [`words()`](words()): what a proof says, by places of the text.
//!
//! This crate is trusted: there is no search here, no solver, and no fixpoint. Proofs are found by
//! `serval-lipton-engine`, which asks the same questions, and believes its own answers no more than anybody else does.

pub mod additions;
pub mod attempts;
mod check;
pub mod domain;
pub mod exchange;
pub mod execute;
pub mod facts;
pub mod invariants;
mod kept;
pub mod late;
pub mod model;
pub mod path;
pub mod rows;
mod said;
mod sums;
pub mod term;
#[cfg(test)]
mod tests;
pub mod tickets;
mod turns;
pub mod validated;
mod words;

pub use check::{check, first_error};
use serval_proof::Condition;
pub use words::{Commit, Counter, Look, PointWords, Section, SumWords, TicketWords, Words, words};
