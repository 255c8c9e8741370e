//! Attacks on verdicts, rules and the checker, a small part of what the programs of this crate do at length. It is one
//! program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod alone;
mod cases;
mod hostile;
mod lipton;
mod reductions;
mod rules;
mod scripts;
mod verdicts;
