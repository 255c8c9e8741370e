//! What the program `reachability` does at length, on a few questions.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod questions;
