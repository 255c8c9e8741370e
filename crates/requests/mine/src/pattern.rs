//! What executions of one sequence of shapes have in common: which values are always equal, and which never change.

use std::collections::BTreeMap;

use crate::counts::Counts;
use crate::shape::Shaped;

/// How many sequences of shapes are kept, and how long they are together.
const MOST_PATTERNS: usize = 10_000;
const MOST_BYTES: usize = 64 << 20;

/// Sequences of shapes, with what is known of each.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    pub(crate) known: BTreeMap<Vec<String>, Pattern>,
    bytes: usize,
}

/// One sequence.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) count: u64,
    pub(crate) slots: Vec<Slot>,
}

/// A value of a sequence.
#[derive(Debug)]
pub(crate) struct Slot {
    /// The statement that it stands in.
    pub(crate) statement: usize,
    pub(crate) is_bound: bool,
    pub(crate) column: Option<String>,
    /// As it first was; nothing where the log did not always say it.
    pub(crate) first: Option<String>,
    /// Whether it was another one later.
    pub(crate) varies: bool,
    /// Values of one class were equal in each execution.
    pub(crate) class: usize,
}

/// A value without the quotes in which protocols put all of them.
pub(crate) fn bare(value: &str) -> &str {
    value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(value)
}

impl Patterns {
    pub(crate) fn add(&mut self, statements: &[Shaped], counts: &mut Counts) {
        let key: Vec<String> = statements.iter().map(|one| one.shape.clone()).collect();
        if !self.known.contains_key(&key) {
            let bytes = statements.iter().map(Shaped::bytes).sum::<usize>();
            if self.known.len() >= MOST_PATTERNS || self.bytes.saturating_add(bytes) > MOST_BYTES {
                let kind = format!("transactions beyond {MOST_PATTERNS} different ones, or {} MB of them", MOST_BYTES >> 20);
                *counts.left_out.entry(kind).or_default() += 1;
                return;
            }
            self.bytes += bytes;
        }
        let holes = || statements.iter().enumerate().flat_map(|(statement, one)| one.holes.iter().map(move |hole| (statement, hole)));
        let pattern = self.known.entry(key).or_insert_with(|| Pattern {
            count: 0,
            slots: holes()
                .map(|(statement, hole)| Slot {
                    statement,
                    is_bound: hole.is_bound,
                    column: hole.column.clone(),
                    first: hole.value.clone(),
                    varies: false,
                    class: 0,
                })
                .collect(),
        });
        pattern.count += 1;
        // Classes become finer: together stays what was together and is equal now. What is unknown is alone.
        let mut classes: BTreeMap<(usize, Option<&str>, usize), usize> = BTreeMap::new();
        for (index, (slot, (_, hole))) in pattern.slots.iter_mut().zip(holes()).enumerate() {
            let value = hole.value.as_deref().map(bare);
            slot.varies |= value != slot.first.as_deref().map(bare);
            if value.is_none() {
                slot.first = None;
            }
            let alone = if value.is_none() { index + 1 } else { 0 };
            let next = classes.len();
            slot.class = *classes.entry((slot.class, value, alone)).or_insert(next);
        }
    }
}
