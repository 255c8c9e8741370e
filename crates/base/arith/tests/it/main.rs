//! Tests of the solver from outside, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod brute;
mod known;
mod mutations;
mod numbers;
mod solvers;
mod support;
mod timing;
