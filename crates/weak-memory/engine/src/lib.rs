//! Answers questions about programs on weak memory, with evidence that counts only once the checker has accepted it.
//!
//! | module | finds |
//! |---|---|
//! | [`machine`] | what the next step of a thread does: the engine's own interpreter |
//! | [`mod@layout`] | where the numbers of a state are |
//! | [`live`] | which registers matter where, and which steps no other thread sees |
//! | [`footprints`] | what threads access, and which of them may come first |
//! | [`search`] | all states of a system, breadth first, with the shortest run to each; or some run, eagerly |
//! | [`models`] | sequential consistency, and store buffers up to a bound, as systems |
//! | [`reach`], [`loads`] | what cannot be reached although store buffers are not bounded: load buffers, backwards |
//! | [`rounds`] | runs with store buffers in a bounded number of rounds |
//! | [`persistent`] | final states under sequential consistency, without all orders of steps |
//! | [`attack`], [`robustness`] | attacks of one thread, as a system |
//! | [`witness`] | a run with store buffers, and a cycle of its trace, for an attack that succeeds |
//! | [`alike`] | threads that may change places, of which one order is enough |
//! | [`network`] | programs with a `thread*` as network systems |
//! | [`any`] | robustness for any number of copies |
//! | [`counted`] | states of some threads with any number of copies of others |
//! | [`copies`] | all of it for a program with any number of copies |
//! | [`fences`] | the cheapest fences or locked stores |
//! | [`finals`] | all final states |
//! | [`vain`] | what a program has in vain |
//! | [`mod@decide`] | all of it for a program |
//!
//! **Architecture Invariant:** what it finds is a claim; its interpreter shares nothing with the checker's but the
//! program.

// Numbers of inputs have 64 bits: what is done with them is checked, saturates, or is done in 128 bits.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

pub mod alike;
pub mod any;
pub mod attack;
pub mod copies;
pub mod counted;
pub mod decide;
pub mod fences;
pub mod finals;
pub mod footprints;
pub mod layout;
pub mod limits;
pub mod live;
pub mod loads;
pub mod machine;
pub mod models;
pub mod network;
pub mod persistent;
pub mod reach;
pub mod robustness;
pub mod rounds;
pub mod search;
pub mod vain;
pub mod witness;

pub use any::{AnyOutcome, decide_any};
pub use copies::{FaultWith, decide_many, sequential_many};
pub use decide::{Method, Open, Outcome, decide, decide_by, sequential, sequential_finals};
pub use fences::{Fixed, Wanted, fix, fix_as, prove};
pub use finals::{Finals, final_states};
pub use limits::EngineLimits;
pub use loads::{backwards, forwards};
pub use machine::{FaultKind, RangeFault};
pub use robustness::Robustness;
pub use rounds::{Rounds, in_rounds};
pub use vain::{Vain, in_vain, needless_fences, without_fence};
