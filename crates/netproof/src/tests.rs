//! Tests of the checker, with conditions switched off one at a time.

mod certificates;
pub(crate) mod switch;
