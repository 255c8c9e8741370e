//! Where the numbers of a state are.
//!
//! A state is a list of numbers in the order of certificates: for each thread its point and its registers, then memory.
//! What follows belongs to the system that is searched: store buffers (`Buffers`), an attack (`AttackPart`) or
//! rounds (`RoundsPart`).
//!
//! **Architecture Invariant:** this module and its parts have all arithmetic on places of numbers. All others name what
//! they want.

mod attack;
mod buffers;
mod rounds;

pub(crate) use attack::{AttackPart, Noted, Phase};
pub(crate) use buffers::Buffers;
pub(crate) use rounds::RoundsPart;
use serval_tso_program::Program;

/// A number that is an index.
fn index(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// An index as a number.
fn number(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(0)
}

/// The numbers that all states of a program have.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Where the point of each thread is, with its registers behind it; and where those of the last thread end, which
    /// is where memory begins.
    threads: Vec<usize>,
    cells: usize,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Self {
        let mut threads = vec![0];
        let mut end = 0;
        for thread in &program.threads {
            end += 1 + thread.registers.len();
            threads.push(end);
        }
        Self { threads, cells: program.cells.len() }
    }

    /// How many threads there are.
    pub(crate) fn count(&self) -> usize {
        self.threads.len() - 1
    }

    fn memory_start(&self) -> usize {
        self.threads[self.count()]
    }

    /// How many numbers all states have.
    fn size(&self) -> usize {
        self.memory_start() + self.cells
    }

    /// The state in which all is 0 but memory.
    pub(crate) fn initial(&self, memory: impl Iterator<Item = i64>) -> Vec<i64> {
        let mut state = vec![0; self.memory_start()];
        state.extend(memory);
        state
    }

    pub(crate) fn point(&self, state: &[i64], thread: usize) -> usize {
        index(state[self.threads[thread]])
    }

    pub(crate) fn set_point(&self, state: &mut [i64], thread: usize, point: usize) {
        state[self.threads[thread]] = number(point);
    }

    /// The point and the registers of a thread.
    pub(crate) fn local<'s>(&self, state: &'s [i64], thread: usize) -> &'s [i64] {
        &state[self.threads[thread]..self.threads[thread + 1]]
    }

    pub(crate) fn local_mut<'s>(&self, state: &'s mut [i64], thread: usize) -> &'s mut [i64] {
        &mut state[self.threads[thread]..self.threads[thread + 1]]
    }

    pub(crate) fn registers<'s>(&self, state: &'s [i64], thread: usize) -> &'s [i64] {
        &self.local(state, thread)[1..]
    }

    pub(crate) fn registers_mut<'s>(&self, state: &'s mut [i64], thread: usize) -> &'s mut [i64] {
        &mut self.local_mut(state, thread)[1..]
    }

    pub(crate) fn cell(&self, state: &[i64], cell: usize) -> i64 {
        state[self.memory_start() + cell]
    }

    pub(crate) fn set_cell(&self, state: &mut [i64], cell: usize, value: i64) {
        state[self.memory_start() + cell] = value;
    }

    /// The values of all cells.
    pub(crate) fn memory<'s>(&self, state: &'s [i64]) -> &'s [i64] {
        &state[self.memory_start()..self.size()]
    }

    /// What follows memory.
    pub(crate) fn rest<'s>(&self, state: &'s [i64]) -> &'s [i64] {
        &state[self.size()..]
    }

    /// Points, registers and memory without what follows.
    pub(crate) fn without_rest<'s>(&self, state: &'s [i64]) -> &'s [i64] {
        &state[..self.size()]
    }

    /// Points and registers; and memory with what follows it.
    pub(crate) fn at_memory<'s>(&self, state: &'s [i64]) -> (&'s [i64], &'s [i64]) {
        state.split_at(self.memory_start())
    }

    /// Changes the places of points and registers: for each thread, which one takes its place.
    pub(crate) fn move_locals(&self, state: &mut [i64], order: &[usize]) {
        let before: Vec<i64> = self.at_memory(state).0.to_vec();
        for (thread, &from) in order.iter().enumerate().filter(|(thread, from)| thread != *from) {
            self.local_mut(state, thread).copy_from_slice(self.local(&before, from));
        }
    }
}
