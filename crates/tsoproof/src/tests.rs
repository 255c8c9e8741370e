//! The checker's own tests.

mod conditions;
mod lists;
mod merging;
mod rules;
pub(crate) mod switch;
