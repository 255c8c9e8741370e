//! Attacks on verdicts, answers, rules and checkers: a sample of what `serval-measure` does at length. It is one
//! program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod nets;
mod requests;
mod weak_memory;
