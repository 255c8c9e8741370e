//! Tests of the methods on random nets, in one program so that it links once.
//!
//! `SERVAL_COUNT=20000 cargo test --release -p serval-net-engine --test it cover -- --nocapture` tries more nets, and
//! `SERVAL_SEED=20000` others.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod answers;
mod bound;
mod cover;
mod decompose;
mod found;
mod homes;
mod huge;
mod inductive;
mod made;
mod mutants;
mod problems;
mod reach;
mod reduce;
mod sliced;
mod states;
mod textbook;
mod toward;

use std::collections::BTreeMap;

/// How often each thing was seen in all of them together.
fn together<K: Ord>(parts: impl IntoIterator<Item = BTreeMap<K, u64>>) -> BTreeMap<K, u64> {
    let mut sum = BTreeMap::new();
    for (what, count) in parts.into_iter().flatten() {
        *sum.entry(what).or_default() += count;
    }
    sum
}

/// The size that an environment variable asks for, or else this one.
fn number(variable: &str, or: u64) -> u64 {
    std::env::var(variable).map_or(or, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}
