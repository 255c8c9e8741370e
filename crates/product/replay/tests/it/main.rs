//! What a PostgreSQL server does, step by step, where there is one.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod differential;
mod failures;
mod hermitage;
mod isolation;
mod locks;
mod orders;
mod outcomes;
mod overtaking;
mod rules;
mod steps;
mod support;
mod traces;
