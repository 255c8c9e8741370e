//! Methods that somebody else brings, and what a method found about one system.

use serval_budget::{Cancel, StopReason};
use serval_model::{Letter, NetworkSystem, NormalForm, Run};
use serval_proof::{CasesProof, Part};

/// A method for one system that is not part of the engine.
pub type Prover<'a> = dyn Fn(&NetworkSystem, u64, &Cancel) -> Attempt + Sync + 'a;

/// A method for systems in normal form that is not part of the engine.
pub type CaseProver<'a> = dyn Fn(&NormalForm, u64, &Cancel) -> CaseOutcome + Sync + 'a;

/// What such a method found.
#[derive(Debug)]
pub enum CaseOutcome {
    /// A proof, but for its script.
    Proof(Box<CasesProof>),
    /// A run of [`NormalForm::to_system`] that should be a counterexample.
    Run(Run),
    /// Nothing, for this reason; more ticks might have helped.
    Short(StopReason),
    /// Nothing, for this reason, however many ticks there are.
    Ended(StopReason),
}

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
