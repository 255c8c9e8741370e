//! Tests of the search and of the proofs over answers, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod cases;
mod continued;
mod fences;
mod parts;
mod sample;
mod search;
mod strict;
mod stuck;
mod subset;
mod waits;
