//! Switches conditions off, one at a time, to see that they are needed.

serval_linear::switch!(serval_proof::Condition);
