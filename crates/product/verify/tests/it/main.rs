//! Tests of the library and the binary, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod before;
mod binary;
mod corpus;
mod documents;
mod examples;
// The limits on memory that it sets are not known elsewhere.
#[cfg(target_os = "linux")]
mod hostile;
mod nets;
mod outcomes;
mod support;
mod theory;
mod trusted;
