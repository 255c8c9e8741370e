//! Switches one condition off.

serval_linear::switch!(serval_proof::Condition);
