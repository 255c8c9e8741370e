//! Tests of the interleaving net, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod interleaving;
mod suite;
mod support;
