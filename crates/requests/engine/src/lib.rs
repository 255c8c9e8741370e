//! Decides serializability (Papadimitriou 1979) of network systems, with evidence.
//!
//! [`search`] looks for counterexamples by number of requests; [`reduce`] makes
//! systems smaller without changing what they do, until, with luck, every
//! request is a single step. What they find is evidence; that it proves
//! anything is for the independent checker to say.

pub mod cases;
mod decision;
pub mod flow;
pub mod letters;
pub mod portfolio;
pub mod reduce;
mod same;
pub mod sample;
pub mod search;
mod shared;
mod span;
pub mod strict;
pub mod stuck;
