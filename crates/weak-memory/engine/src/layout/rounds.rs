//! Rounds behind memory: whose turn it is, from 1; then for each thread its round, its landing round, and for each
//! later round and each cell 1 and the value that is queued, or 0 and 0.

use super::{Layout, index, number};

/// Where the numbers of rounds are.
pub(crate) struct RoundsPart {
    turn: usize,
    threads: usize,
    rounds: usize,
    cells: usize,
}

impl RoundsPart {
    pub(crate) fn new(layout: &Layout, rounds: usize) -> Self {
        Self { turn: layout.size(), threads: layout.count(), rounds, cells: layout.cells }
    }

    /// Where the numbers of a thread begin.
    fn place(&self, thread: usize) -> usize {
        self.turn + 1 + thread * (2 + 2 * self.rounds * self.cells)
    }

    /// Where a cell is in the queue of a round; the first round that has one is the second.
    fn queue(&self, thread: usize, round: usize, cell: usize) -> usize {
        self.place(thread) + 2 + 2 * ((round - 2) * self.cells + cell)
    }

    /// Puts rounds behind memory none of which is open.
    pub(crate) fn add_none(&self, state: &mut Vec<i64>) {
        state.resize(self.place(self.threads), 0);
    }

    pub(crate) fn has_turn(&self, state: &[i64], thread: usize) -> bool {
        state[self.turn] == number(thread).saturating_add(1)
    }

    /// The round that a thread is in.
    pub(crate) fn round(&self, state: &[i64], thread: usize) -> usize {
        index(state[self.place(thread)])
    }

    /// The first round in which a store of a thread may land.
    pub(crate) fn landing(&self, state: &[i64], thread: usize) -> usize {
        index(state[self.place(thread) + 1])
    }

    /// A thread has its turn, and is in its next round; says which.
    pub(crate) fn open(&self, state: &mut [i64], thread: usize) -> usize {
        let place = self.place(thread);
        state[self.turn] = number(thread).saturating_add(1);
        state[place] = state[place].saturating_add(1);
        // A landing round that has come is the round itself.
        state[place + 1] = state[place + 1].max(state[place]);
        index(state[place])
    }

    /// Whether something is queued.
    pub(crate) fn waits(&self, state: &[i64], thread: usize) -> bool {
        state[self.place(thread) + 2..self.place(thread + 1)].chunks_exact(2).any(|pair| pair[0] == 1)
    }

    /// The newest value for a cell that is queued.
    pub(crate) fn queued(&self, state: &[i64], thread: usize, cell: usize) -> Option<i64> {
        let newest = (2..=self.rounds + 1).rev().map(|round| self.queue(thread, round, cell)).find(|&at| state[at] == 1);
        newest.map(|at| state[at + 1])
    }

    /// Queues a value that lands in a later round.
    pub(crate) fn enqueue(&self, state: &mut [i64], thread: usize, landing: usize, (cell, value): (usize, i64)) {
        let at = self.queue(thread, landing, cell);
        (state[at], state[at + 1]) = (1, value);
        state[self.place(thread) + 1] = number(landing);
    }

    /// Takes the value for a cell out of the queue of a round.
    pub(crate) fn dequeue(&self, state: &mut [i64], thread: usize, round: usize, cell: usize) -> Option<i64> {
        if round < 2 {
            return None;
        }
        let at = self.queue(thread, round, cell);
        if state[at] != 1 {
            return None;
        }
        let value = state[at + 1];
        (state[at], state[at + 1]) = (0, 0);
        Some(value)
    }
}
