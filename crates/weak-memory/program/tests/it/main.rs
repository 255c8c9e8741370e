//! Tests of the language, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod corpus;
mod documents;
mod language;
mod litmus;
