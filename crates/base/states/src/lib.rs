//! Sets of states that a search fills, and what searches over graphs share.
//!
//! | module | has |
//! |---|---|
//! | [`set`] | states as rows of numbers, each once, numbered in the order in which they came |
//! | [`explored`] | the same with what led to each state, and the way back |
//! | [`graph`] | what can be reached, and strongly connected parts |
//! | [`number`] | the greatest common divisor |
//!
//! **Architecture Invariant:** nothing that is trusted stands on this crate. The checkers and the compiler have the few
//! lines of it that they need, so that a mistake here costs an answer, and makes none wrong.

pub mod explored;
pub mod graph;
pub mod number;
pub mod set;

pub use explored::Explored;
pub use number::gcd;
pub use set::StateSet;
