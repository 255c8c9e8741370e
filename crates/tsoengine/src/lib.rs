//! Answers questions about programs on weak memory, with evidence that nobody believes before the checker has accepted it.
//!
//! | module | finds |
//! |---|---|
//! | [`machine`] | what the next step of a thread does: the engine's own interpreter |
//! | [`live`] | which registers matter where, and which steps nobody sees |
//! | [`search`] | all states of a system, breadth first, with the shortest run to each |
//! | [`models`] | sequential consistency, and store buffers up to a bound, as systems |
//! | [`attack`] | attacks of one thread, as a system |
//! | [`witness`] | a run with store buffers, and a cycle of its trace, for an attack that succeeds |
//! | [`any`] | robustness for any number of copies |
//! | [`fences`] | the fewest fences |
//! | [`mod@decide`] | all of it for a program |
//!
//! **Architecture Invariant:** what it finds is a claim; its interpreter shares nothing with the checker's but the program.

pub mod any;
pub mod attack;
pub mod decide;
pub mod fences;
pub mod live;
pub mod machine;
pub mod models;
pub mod search;
pub mod witness;

pub use any::{AnyOutcome, decide_any};
pub use decide::{Limits, Open, Outcome, Robustness, decide};
pub use fences::{Fixed, fix};
pub use machine::{Fault, FaultKind};
