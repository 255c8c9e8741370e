//! What would show that serval says something false.
//!
//! Each room attacks one thing, and the judge is code that shares nothing with
//! what is judged: trying everything with few requests, or following a run.
//!
//! - [`verdicts`]: what all methods together say of random systems and of
//!   programs with planted counterexamples.
//! - [`alone`]: what each method says when no other one helps.
//! - [`lipton`]: proofs on the program text, and certificates of such proofs that lie.
//! - [`reductions`]: the rules that make systems smaller, on random systems.
//! - [`hostile`]: the checker as a whole, by certificates that lie.
//!
//! They are given [`systems`] and programs one edit away from others ([`edits`]).

pub mod alone;
pub mod edits;
pub mod hostile;
mod limit;
pub mod lipton;
pub mod reductions;
mod share;
pub mod systems;
pub mod verdicts;

pub use limit::{CoreTime, Limit, within};
pub use serval_random::{Behaviours, Kind};
pub use share::{count_and_seed, in_threads};
