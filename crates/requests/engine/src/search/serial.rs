//! Whether answers are serial.

use serval_budget::Budget;
use serval_model::{Halt, Letter, Moves, Multiset, SerialExplorer};

/// A system and what is known of its serial behaviours.
pub(super) struct Serial<M> {
    explorer: SerialExplorer<M>,
    /// Ticks for one question.
    ticks: u64,
}

impl<M: Moves> Serial<M> {
    pub(super) fn new(system: M, ticks: u64) -> Self {
        Self { explorer: SerialExplorer::new(system), ticks }
    }

    pub(super) fn system(&self) -> &M {
        self.explorer.system()
    }

    pub(super) fn system_mut(&mut self) -> &mut M {
        self.explorer.system_mut()
    }

    /// Whether some serial run gives these answers. A question that takes too
    /// long ends the search: neither answer may be guessed, since one accuses
    /// and the other rules out.
    pub(super) fn contains(&mut self, completed: &Multiset<Letter>, budget: &Budget) -> Result<bool, Halt<M::Stop>> {
        self.explorer.contains(completed, &mut budget.aside(self.ticks))
    }
}
