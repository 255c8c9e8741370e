//! Tests of the language from outside, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod corpus;
mod findings;
mod forms;
mod limits;
mod lossless;
mod mistakes;
mod programs;
