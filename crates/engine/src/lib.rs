//! Decides serializability of network systems, with evidence.
//!
//! So far there is one method: [`search`] for counterexamples by number of
//! requests. What it finds is a run; that the run is a counterexample is for
//! the independent checker to say.

pub mod search;
pub mod stuck;
