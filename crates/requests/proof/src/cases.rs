//! The data of a proof by cases on nets (kind `cases`).
//!
//! Such a proof has sets of serial answers, as [proofs by counting](crate::flow) have, and splits the answers that are
//! in none of them into cases, each of which it excludes by evidence about a Petri net. This crate knows network
//! systems alone, so it holds the data, and cases as the text that they are in the certificate; the crate
//! `serval-case-proof` makes the nets, states what each part means, proves the theorem and checks the conditions.

use crate::flow::LinearSet;
use crate::script::Entry;

/// Evidence that answers which are not serial cannot be reached, case by case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CasesProof {
    /// Reductions, before anything is said.
    pub script: Vec<Entry>,
    /// Sets of serial answers.
    pub sets: Vec<LinearSet>,
    /// The cases, as JSON.
    pub cases: String,
}
