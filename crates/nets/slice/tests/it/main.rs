//! Tests of slicing, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod contest;
#[path = "../../../petri/tests/it/support.rs"]
mod nets;
mod slicing;
mod support;
