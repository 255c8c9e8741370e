//! An attack behind memory: how far it is, the cell of its first store, for each cell what the attacker keeps, for each
//! cell how it was accessed behind the attack, and for each thread whether it is a helper.

use super::{Layout, index, number};

/// How far an attack is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// It has not begun.
    Before,
    /// The attacker keeps its stores.
    Keeping,
    /// The attacker has made its last step.
    After,
}

/// How a cell was accessed behind the attack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Noted {
    Not,
    Read,
    Written,
}

/// Where the numbers of an attack are.
pub(crate) struct AttackPart {
    phase: usize,
    kept: usize,
    accessed: usize,
    helpers: usize,
    end: usize,
}

impl AttackPart {
    pub(crate) fn new(layout: &Layout) -> Self {
        let phase = layout.size();
        let kept = phase + 2;
        let accessed = kept + 2 * layout.cells;
        let helpers = accessed + layout.cells;
        Self { phase, kept, accessed, helpers, end: helpers + layout.count() }
    }

    /// Puts an attack behind memory that has not begun.
    pub(crate) fn add_none(&self, state: &mut Vec<i64>) {
        state.resize(self.end, 0);
    }

    pub(crate) fn phase(&self, state: &[i64]) -> Phase {
        match state[self.phase] {
            0 => Phase::Before,
            1 => Phase::Keeping,
            _ => Phase::After,
        }
    }

    /// The attack begins with a store to a cell.
    pub(crate) fn begin(&self, state: &mut [i64], cell: usize) {
        state[self.phase] = 1;
        state[self.phase + 1] = number(cell);
    }

    /// The attack ends, and what the attacker keeps does not matter any more.
    pub(crate) fn end(&self, state: &mut [i64]) {
        state[self.phase] = 2;
        state[self.kept..self.accessed].fill(0);
    }

    /// The cell of the first store of the attack.
    pub(crate) fn first_cell(&self, state: &[i64]) -> usize {
        index(state[self.phase + 1])
    }

    /// What the attacker keeps for a cell.
    pub(crate) fn kept(&self, state: &[i64], cell: usize) -> Option<i64> {
        (state[self.kept + 2 * cell] == 1).then(|| state[self.kept + 2 * cell + 1])
    }

    pub(crate) fn keep(&self, state: &mut [i64], cell: usize, value: i64) {
        state[self.kept + 2 * cell] = 1;
        state[self.kept + 2 * cell + 1] = value;
    }

    /// How a cell was accessed behind the attack.
    pub(crate) fn noted(&self, state: &[i64], cell: usize) -> Noted {
        match state[self.accessed + cell] {
            0 => Noted::Not,
            1 => Noted::Read,
            _ => Noted::Written,
        }
    }

    /// Notes an access of a cell; a load after a store says nothing more.
    pub(crate) fn note(&self, state: &mut [i64], cell: usize, how: Noted) {
        let noted = &mut state[self.accessed + cell];
        *noted = (how as i64).max(*noted);
    }

    pub(crate) fn is_helper(&self, state: &[i64], thread: usize) -> bool {
        state[self.helpers + thread] == 1
    }

    pub(crate) fn set_helper(&self, state: &mut [i64], thread: usize) {
        state[self.helpers + thread] = 1;
    }

    /// Changes the places of helpers: for each thread, which one takes its place.
    pub(crate) fn reorder(&self, state: &mut [i64], order: &[usize]) {
        let helpers: Vec<i64> = order.iter().map(|thread| state[self.helpers + thread]).collect();
        state[self.helpers..].copy_from_slice(&helpers);
    }
}
