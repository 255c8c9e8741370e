//! Switches one condition off.

serval_linear::switch!(crate::Condition);
