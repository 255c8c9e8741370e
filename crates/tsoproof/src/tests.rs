//! The checker's own tests.

mod basis;
mod conditions;
mod finals;
mod lists;
mod merging;
mod rules;
pub(crate) mod switch;
