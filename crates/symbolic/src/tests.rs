//! Tests of the whole crate.

pub(crate) mod switch;
