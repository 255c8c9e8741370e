//! The checker's own tests.

mod conditions;
mod lists;
mod rules;
pub(crate) mod switch;
