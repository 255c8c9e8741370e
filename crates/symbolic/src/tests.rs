//! Tests of the whole crate.

mod conditions;
mod steps;
pub(crate) mod switch;
