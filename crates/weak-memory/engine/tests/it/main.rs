//! Tests of the methods, most of them against trying everything, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod changes;
mod choices;
mod copies;
mod diy;
mod examples;
mod fuzz;
mod litmus;
mod loads;
mod locked;
mod mutants;
mod rounds;
mod shared;
mod weak;
