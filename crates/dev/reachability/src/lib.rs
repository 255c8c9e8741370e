//! What would show that serval says something false about markings that are reached, and what its answers cost.
//!
//! - [`cases`]: random nets, counter systems, chains of modes and pairs of loops, each with a marking;
//! - [`asked`]: all methods together, against trying everything forwards and backwards, the marking equation and ω-markings;
//! - [`alone`]: the decomposition alone, with its rules in other orders, and on nets from which slicing has left out what it can;
//! - [`covered`]: coverability as reachability with leaks, by ω-markings, and backwards;
//! - [`mutants`]: changed evidence;
//! - [`obligations`]: what makes evidence evidence, for other solvers;
//! - [`families`]: nets whose answers are known by construction;
//! - [`clock`]: time, memory, and work spread over threads.
//!
//! Whatever is wrong is returned as text; the caller decides what to do about it.

pub mod alone;
pub mod asked;
pub mod cases;
pub mod clock;
pub mod covered;
pub mod families;
pub mod mutants;
pub mod obligations;
pub mod page;

use std::collections::BTreeMap;

/// How often something happened, by its names.
pub type Tally = BTreeMap<String, u64>;

/// Adds one tally to another.
pub fn add(all: &mut Tally, more: Tally) {
    for (name, count) in more {
        *all.entry(name).or_default() += count;
    }
}

/// Counts something.
pub fn count(tally: &mut Tally, name: impl Into<String>) {
    *tally.entry(name.into()).or_default() += 1;
}
