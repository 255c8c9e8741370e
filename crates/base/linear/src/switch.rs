//! Switches one condition off, for the tests that show it to be needed.

crate::switch!(crate::Condition);
