//! Whether answers are serial.

use serval_model::{Budget, Halt, Letter, Moves, Multiset, SerialExplorer, Stopped};

/// Ticks for one question.
const TICKS: u64 = 2_000_000;

/// A system and what is known of its serial behaviours.
pub(super) struct Serial<M>(SerialExplorer<M>);

impl<M: Moves> Serial<M> {
    pub(super) fn new(system: M) -> Self {
        Self(SerialExplorer::new(system))
    }

    pub(super) fn system(&self) -> &M {
        self.0.system()
    }

    pub(super) fn system_mut(&mut self) -> &mut M {
        self.0.system_mut()
    }

    /// Whether some serial run gives these answers. A question that takes too
    /// long counts as answered with yes, so that it accuses nobody.
    pub(super) fn contains(&mut self, completed: &Multiset<Letter>, budget: &Budget) -> Result<bool, Halt<M::Stop>> {
        match self.0.contains(completed, &mut budget.aside(TICKS)) {
            Err(Halt::Budget(Stopped::OutOfTicks)) => Ok(true),
            other => other,
        }
    }
}
