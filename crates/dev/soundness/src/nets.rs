//! Attacks on answers about Petri nets, and what these answers cost.
//!
//! - [`cases`]: random nets, counter systems, chains of modes and pairs of loops, each with a marking;
//! - [`asked`]: all methods together, against trying everything forwards and backwards, the marking equation and
//!   ω-markings;
//! - [`alone`]: the decomposition alone, with its rules in other orders, and on nets from which slicing has left out
//!   what it can;
//! - [`covered`]: coverability as reachability with leaks, by ω-markings, and backwards;
//! - [`mutants`]: changed evidence;
//! - [`obligations`]: what makes evidence evidence, for other solvers;
//! - [`families`]: nets whose answers are known by construction;
//! - [`campaign`]: all of these, for a page of measurements.
//!
//! An attack that succeeds returns a text that says what is wrong; the caller decides what to do about it.

pub mod alone;
pub mod asked;
pub mod campaign;
pub mod cases;
pub mod covered;
pub mod families;
pub mod mutants;
pub mod obligations;
pub mod page;
