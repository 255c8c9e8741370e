//! How much work a certificate may ask for.

use serval_budget::{Budget, Cancel};
use serval_linear::{Problem, Tree};
use serval_model::{Halt, Letter, Multiset};

use crate::{Checked, Refusal, TooLarge};

/// The largest certificates that are checked. Beyond a cap the answer is
/// [`TooLarge`], never "valid".
///
/// With the defaults a check takes some seconds at worst, if the steps of the
/// system are cheap to compute and few states follow each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Bytes of the certificate's text. Default 64 MiB.
    pub bytes: usize,
    /// Events of a run. Default 1,000,000.
    pub events: usize,
    /// Requests that a run completes. Default 10,000.
    pub requests: u64,
    /// Sub-multisets of the completed multiset: the product of `count + 1`
    /// over its letters. Default 2²⁰ = 1,048,576.
    pub submultisets: u64,
    /// Work in all. Default 200,000,000 ticks: one for each successor and
    /// response that the replay asks for, one for each name that it looks at
    /// and one more per 64 bytes of it, and what [`SerialExplorer`](serval_model::SerialExplorer) says it costs.
    pub ticks: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self { bytes: 64 << 20, events: 1_000_000, requests: 10_000, submultisets: 1 << 20, ticks: 200_000_000 }
    }
}

impl Caps {
    /// Whether a certificate of `bytes` bytes may be read.
    pub fn admit_bytes(&self, bytes: usize) -> Result<(), TooLarge> {
        admit("bytes", bytes, self.bytes)
    }

    pub(crate) fn admit_events(&self, events: usize) -> Result<(), TooLarge> {
        admit("events", events, self.events)
    }

    /// Whether few enough requests answer, and in few enough ways. In 128 bits
    /// nothing that exceeds a cap looks as if it did not.
    pub(crate) fn admit_answers(&self, completed: &Multiset<Letter>) -> Result<(), TooLarge> {
        admit("requests", completed.size(), self.requests.into())?;
        let submultisets = completed.iter().fold(1, |product: u128, (_, count)| product.saturating_mul(u128::from(count) + 1));
        admit("sub-multisets", submultisets, self.submultisets.into())
    }
}

fn admit<T: Ord + TryInto<u64>>(what: &'static str, size: T, limit: T) -> Result<(), TooLarge> {
    if size <= limit { Ok(()) } else { Err(TooLarge { what, limit: limit.try_into().unwrap_or(u64::MAX) }) }
}

/// The work that is left.
#[derive(Debug)]
pub struct Work {
    budget: Budget,
    /// How much there was.
    ticks: u64,
}

impl Work {
    /// All that the caps allow, until the flag is raised.
    pub fn new(caps: &Caps, cancel: &Cancel) -> Self {
        Self { budget: Budget::new(caps.ticks, cancel.clone()), ticks: caps.ticks }
    }

    /// Spends `ticks` ticks.
    pub fn spend<Stop>(&mut self, ticks: usize) -> Result<(), Refusal<Stop>> {
        self.within(|budget| budget.spend(u64::try_from(ticks).unwrap_or(u64::MAX)))
    }

    /// Does something that takes ticks from a budget.
    pub fn within<T, Stop, E: Into<Halt<Stop>>>(&mut self, work: impl FnOnce(&mut Budget) -> Result<T, E>) -> Result<T, Refusal<Stop>> {
        work(&mut self.budget).map_err(|error| match error.into() {
            Halt::Budget(stopped) => Refusal::from(stopped).of_ticks(self.ticks),
            Halt::System(stop) => Refusal::System(stop),
        })
    }

    /// Checks that a problem has no solution.
    pub(crate) fn check_tree(&mut self, problem: &Problem, tree: &Tree) -> Checked {
        serval_linear::check_tree(problem, tree, &mut self.budget).map_err(|refusal| refusal.of_ticks(self.ticks))
    }
}
