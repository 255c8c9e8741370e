//! What is known of scripts at levels.

use std::collections::BTreeMap;

use serval_report::levels::LevelsCounterexample;
use serval_sql::Isolation;

/// For each script its level; nothing where no request of it comes.
pub(super) type Allocation = Vec<Option<Isolation>>;

/// What an answer of another part of the work looks like here.
pub(super) const ELSEWHERE: &str = "another part of the work decides it";

/// What is known of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownVerdict<'k> {
    /// It is serializable.
    Proved,
    /// This run refutes it.
    Refuted(usize),
    /// It was tried in vain.
    Open(&'k str),
}

/// All answers so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    /// Runs, with the scripts that take part at their levels.
    pub(super) counterexamples: Vec<(Allocation, LevelsCounterexample)>,
    pub(super) proofs: Vec<Allocation>,
    pub(super) open: BTreeMap<Allocation, String>,
    /// How many questions were answered.
    pub(super) decided: u64,
}

impl Knowledge {
    /// Takes a proof, in the place of those that follow from it.
    pub(super) fn proved(&mut self, allocation: Allocation) {
        self.proofs.retain(|proved| !is_part(proved, &allocation));
        self.proofs.push(allocation);
    }

    /// What follows for an allocation.
    pub(super) fn of(&self, allocation: &Allocation) -> Option<KnownVerdict<'_>> {
        let refutes = |(scripts, _): &(Allocation, LevelsCounterexample)| is_part(scripts, allocation);
        if let Some(number) = self.counterexamples.iter().position(refutes) {
            return Some(KnownVerdict::Refuted(number));
        }
        if self.proofs.iter().any(|proved| is_part(allocation, proved)) {
            return Some(KnownVerdict::Proved);
        }
        self.open.get(allocation).map(|reason| KnownVerdict::Open(reason))
    }
}

/// Whether each script of one is in the other, at the same level.
pub(super) fn is_part(one: &Allocation, other: &Allocation) -> bool {
    one.iter().zip(other).all(|(here, there)| here.is_none() || here == there)
}
