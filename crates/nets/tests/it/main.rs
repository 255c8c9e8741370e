//! Tests of the methods on random nets, in one program so that it links once.
//!
//! `SERVAL_COUNT=20000 cargo test -p serval-nets --test it -- --nocapture` tries more nets, and `SERVAL_SEED` others.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod answers;
mod bound;
mod cover;
mod decompose;
mod found;
mod inductive;
mod mutants;
mod problems;
mod reach;
mod sliced;
mod textbook;

/// What an environment variable says, or else this number.
fn number(variable: &str, or: u64) -> u64 {
    std::env::var(variable).map_or(or, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}
