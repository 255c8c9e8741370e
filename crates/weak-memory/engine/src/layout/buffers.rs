//! Buffers behind memory: for each thread how many entries there are, and the numbers of each, the oldest first. The
//! first two numbers of an entry are a cell and a value.

use super::{Layout, index, number};

/// Where the buffer of each thread is in a state. It says nothing of another state.
pub(crate) struct Buffers {
    /// Where the number of entries is, and where the last entry ends.
    spans: Vec<(usize, usize)>,
    /// How many numbers an entry has.
    entry: usize,
}

impl Buffers {
    /// The buffers of a state, with entries of so many numbers.
    pub(crate) fn of(layout: &Layout, state: &[i64], entry: usize) -> Self {
        let mut start = layout.size();
        let mut spans = Vec::with_capacity(layout.count());
        for _ in 0..layout.count() {
            let end = start + 1 + entry * index(state[start]);
            spans.push((start, end));
            start = end;
        }
        Self { spans, entry }
    }

    /// Puts empty buffers behind memory.
    pub(crate) fn add_empty(layout: &Layout, state: &mut Vec<i64>) {
        state.resize(layout.size() + layout.count(), 0);
    }

    /// How many entries a buffer has.
    pub(crate) fn len(&self, thread: usize) -> usize {
        let (start, end) = self.spans[thread];
        (end - start - 1) / self.entry
    }

    pub(crate) fn is_empty(&self, thread: usize) -> bool {
        self.len(thread) == 0
    }

    /// The entries of a buffer, the oldest first.
    pub(crate) fn entries<'s>(&self, state: &'s [i64], thread: usize) -> impl DoubleEndedIterator<Item = &'s [i64]> + ExactSizeIterator {
        let (start, end) = self.spans[thread];
        state[start + 1..end].chunks_exact(self.entry)
    }

    /// The cells of the entries of a buffer, the oldest first.
    pub(crate) fn cells(&self, state: &[i64], thread: usize) -> impl Iterator<Item = usize> {
        self.entries(state, thread).map(|entry| index(entry[0]))
    }

    /// What a thread reads that sees its own entries before memory.
    pub(crate) fn read(&self, layout: &Layout, state: &[i64], thread: usize, cell: usize) -> i64 {
        let own = self.entries(state, thread).rev().find(|entry| entry[0] == number(cell));
        own.map_or_else(|| layout.cell(state, cell), |entry| entry[1])
    }

    /// Adds an entry for a cell, with its value and what else entries have.
    pub(crate) fn push(&self, state: &mut Vec<i64>, thread: usize, cell: usize, values: &[i64]) {
        let (start, end) = self.spans[thread];
        state.splice(end..end, std::iter::once(number(cell)).chain(values.iter().copied()));
        state[start] = state[start].saturating_add(1);
    }

    /// Takes an entry away, counted from the oldest.
    pub(crate) fn remove(&self, state: &mut Vec<i64>, thread: usize, at: usize) {
        let (start, _) = self.spans[thread];
        let first = start + 1 + self.entry * at;
        state.drain(first..first + self.entry);
        state[start] = state[start].saturating_sub(1);
    }

    /// The numbers of the newest entry, if there is one.
    pub(crate) fn newest_mut<'s>(&self, state: &'s mut [i64], thread: usize) -> Option<&'s mut [i64]> {
        let (start, end) = self.spans[thread];
        (end > start + 1).then(|| &mut state[end - self.entry..end])
    }

    /// The numbers of the oldest entry, if there is one.
    pub(crate) fn oldest_mut<'s>(&self, state: &'s mut [i64], thread: usize) -> Option<&'s mut [i64]> {
        let (start, end) = self.spans[thread];
        (end > start + 1).then(|| &mut state[start + 1..=start + self.entry])
    }

    /// The value of the oldest entry reaches memory; the entry stays.
    pub(crate) fn write_oldest(&self, layout: &Layout, state: &mut [i64], thread: usize) {
        if let Some(&mut [cell, value, ..]) = self.oldest_mut(state, thread) {
            layout.set_cell(state, index(cell), value);
        }
    }

    /// The oldest entry reaches memory, and is gone.
    pub(crate) fn land(&self, layout: &Layout, state: &mut Vec<i64>, thread: usize) {
        self.write_oldest(layout, state, thread);
        self.remove(state, thread, 0);
    }

    /// Changes the places of buffers: for each thread, which one takes its place.
    pub(crate) fn reorder(&self, layout: &Layout, state: &mut Vec<i64>, order: &[usize]) {
        let behind: Vec<i64> = order.iter().flat_map(|thread| &state[self.spans[*thread].0..self.spans[*thread].1]).copied().collect();
        state.truncate(layout.size());
        state.extend(behind);
    }
}
