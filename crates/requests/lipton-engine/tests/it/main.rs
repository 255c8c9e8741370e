//! Tests of proofs by reduction, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod additions;
mod attempts;
mod choices;
mod corpus;
mod flags;
mod many;
mod programs;
mod soundness;
mod tickets;
mod words;
