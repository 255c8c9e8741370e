//! Programs by symbolic steps, and the checker of proofs by reduction on them.

mod words;

pub use words::{Commit, Counter, PointWords, Section, Words, words};

use serval_budget::Budget;
use serval_compile::Prepared;
use serval_proof::{Reduction, Refusal, TooLarge};

/// Checks that a reduction proves the program serializable and free of errors.
pub fn check<Stop>(prepared: &Prepared, reduction: &Reduction, budget: &mut Budget) -> Result<(), Refusal<Stop>> {
    let _ = (prepared, reduction, budget);
    Err(TooLarge { what: "paths", limit: 0 }.into())
}
