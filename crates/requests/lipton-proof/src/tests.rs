//! Tests of the whole crate.

mod conditions;
mod late;
mod rows;
mod steps;
pub(crate) mod switch;
mod tickets;
mod together;
