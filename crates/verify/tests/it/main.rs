//! Tests of the library and the binary, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod binary;
mod documents;
mod examples;
mod outcomes;
mod support;
mod theory;
mod trusted;
