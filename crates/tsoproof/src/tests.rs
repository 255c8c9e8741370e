//! The checker's own tests.

pub(crate) mod switch;
