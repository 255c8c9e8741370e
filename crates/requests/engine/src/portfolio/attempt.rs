//! What a method found about one system.

use serval_budget::StopReason;
use serval_model::{Letter, Run};
use serval_proof::Part;

/// What a method found about one system.
#[derive(Debug)]
pub enum Attempt {
    /// A proof.
    Part(Part),
    /// A run that should be a counterexample.
    Run(Run),
    /// There is no counterexample of those that it looks for.
    Clear,
    /// Nothing: answers that could neither be realised nor excluded.
    Open(Vec<(Letter, u64)>),
    /// Nothing, and more ticks might have helped.
    Short,
    /// Nothing, for this reason, and whether more ticks might have helped.
    Because(StopReason, bool),
    /// Nothing, however many ticks there are.
    Ended,
}
