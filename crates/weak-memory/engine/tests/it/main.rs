//! Tests of the methods on programs with known answers, in one program so that it links once. The sweeps over random
//! programs are in `serval-soundness`.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod examples;
mod litmus;
mod loads;
mod locked;
mod mutants;
mod rounds;
mod shared;
