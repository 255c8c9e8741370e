//! Attacks on verdicts about request handlers.
//!
//! - [`verdicts`]: what all methods together decide of random systems and of programs with planted counterexamples.
//! - [`alone`]: what each method decides when no other one helps.
//! - [`lipton`]: proofs on the program text, and forged certificates of such proofs.
//! - [`reductions`]: the rules that make systems smaller, on random systems.
//! - [`hostile`]: the checker as a whole, by certificates that claim something false.
//!
//! They draw [`systems`], and programs one edit away from others ([`edits`]).

pub mod alone;
pub mod edits;
pub mod hostile;
pub mod lipton;
pub mod reductions;
pub mod systems;
pub mod verdicts;
