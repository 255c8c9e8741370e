//! Tests of the whole crate.

mod steps;
pub(crate) mod switch;
