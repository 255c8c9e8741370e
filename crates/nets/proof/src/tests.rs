//! Tests of the checker, with conditions switched off one at a time.

mod cases;
mod certificates;
mod conditions;
mod covering;
mod decompositions;
mod homing;
mod hostile;
mod parts;
mod scripts;
mod separators;
mod toward;

/// Switches one condition off.
pub(crate) mod switch {
    serval_evidence::switch!(crate::Condition);
}
