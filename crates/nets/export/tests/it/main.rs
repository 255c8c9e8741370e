//! Tests of what is written for other tools, and of what is read of theirs.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod examples;
mod lustre;
mod other;
mod programs;
mod published;
mod smt;
mod traces;
