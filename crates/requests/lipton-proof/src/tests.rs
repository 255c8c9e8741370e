//! Tests of the whole crate.

mod additions;
mod attempts;
mod conditions;
mod late;
mod rows;
mod steps;
mod tickets;
mod together;

/// Switches one condition off.
pub(crate) mod switch {
    serval_evidence::switch!(crate::Condition);
}
