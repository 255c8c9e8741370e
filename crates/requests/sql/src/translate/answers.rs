//! What a caller gets, as one number, and back.
//!
//! The answer of a request is one integer. Each value that a script can be told has a *slot* of its own, with a weight
//! that is the product of the sizes of the slots before: 0 is *was not told*. So branches need no agreement about what
//! was told before, and the last slot, the outcome, has the largest weight.

use std::collections::BTreeMap;

use super::domain::Texts;
use super::model::{Model, shown, written};
use super::usage::Place;
use crate::workload::Kind;

/// What a caller gets, as a server gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answered {
    /// By the first byte of the statement, or of the script where the script says itself what is answered: rows of
    /// values, sorted; a statement that gives none is not there. `None` is NULL.
    pub rows: BTreeMap<u32, Vec<Vec<Option<String>>>>,
    /// How it ended, if not as it should: `rolled back`, `error 23505`.
    pub outcomes: Vec<&'static str>,
}

/// Errors and ends of a script, by their numbers in the slot of the outcome.
pub(super) const OUTCOMES: &[&str] = &["done", "rolled back", "error 23505", "error 23514", "error 55P03", "error 23503", "error 23502"];
pub(super) const DONE: i64 = 0;
pub(super) const ROLLED_BACK: i64 = 1;
pub(super) const UNIQUE_VIOLATION: i64 = 2;
pub(super) const CHECK_VIOLATION: i64 = 3;
pub(super) const LOCK_NOT_AVAILABLE: i64 = 4;
pub(super) const FOREIGN_KEY_VIOLATION: i64 = 5;
pub(super) const NOT_NULL_VIOLATION: i64 = 6;

/// Answers have at most this many values.
const MOST: i64 = 1 << 61;

/// A value as it is answered: from `low`, `count` numbers, of which the last means NULL if it can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) name: String,
    pub(super) low: i64,
    pub(super) count: i64,
    /// Where NULL stands among the numbers from 0, if it can be.
    pub(super) null: Option<i64>,
    pub(super) kind: Kind,
}

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    /// One row of values.
    Row(Vec<Told>),
    /// Several rows of the same form, each one more than its number, the first in the largest place.
    Rows(Vec<Told>, u32),
    /// Which of [`OUTCOMES`].
    Outcome,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Where the statement stands that tells it.
    pub(super) place: u32,
    pub(super) weight: i64,
    pub(super) size: i64,
    pub(super) kind: SlotKind,
}

/// The form of the answers of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnswerForm {
    pub(super) slots: Vec<Slot>,
}

/// How many numbers a row of values has.
pub(super) fn row_size(told: &[Told]) -> Option<i64> {
    told.iter().try_fold(1_i64, |size, told| size.checked_mul(told.count))
}

impl AnswerForm {
    /// A new slot; `None` where answers become too large.
    pub(super) fn slot(&mut self, place: u32, kind: SlotKind) -> Option<&Slot> {
        let size = match &kind {
            SlotKind::Row(told) => row_size(told)?.checked_add(1)?,
            SlotKind::Rows(told, most) => row_size(told)?.checked_add(1)?.checked_pow(*most)?.checked_add(1)?,
            SlotKind::Outcome => i64::try_from(OUTCOMES.len()).ok()?,
        };
        let weight = self.slots.last().map_or(Some(1), |last| last.weight.checked_mul(last.size))?;
        if weight.checked_mul(size)? > MOST {
            return None;
        }
        self.slots.push(Slot { place, weight, size, kind });
        self.slots.last()
    }

    /// An answer as what a server gives.
    pub(super) fn answered(&self, answer: i64, texts: &Texts) -> Answered {
        let mut answered = Answered::default();
        for slot in &self.slots {
            let digit = answer.div_euclid(slot.weight).rem_euclid(slot.size);
            let rows = answered.rows.entry(slot.place).or_default();
            match &slot.kind {
                SlotKind::Outcome => {
                    if let Some(outcome) = usize::try_from(digit).ok().and_then(|digit| OUTCOMES.get(digit)).filter(|_| digit != DONE) {
                        answered.outcomes.push(outcome);
                    }
                }
                SlotKind::Row(told) if digit > 0 => rows.push(row_values(told, digit - 1, texts)),
                SlotKind::Rows(told, _) if digit > 0 => {
                    let (mut rest, base) = (digit - 1, row_size(told).and_then(|size| size.checked_add(1)).unwrap_or(i64::MAX));
                    while rest > 0 {
                        if rest % base > 0 {
                            rows.push(row_values(told, rest % base - 1, texts));
                        }
                        rest /= base;
                    }
                }
                SlotKind::Row(_) | SlotKind::Rows(..) => {}
            }
        }
        answered.outcomes.sort_unstable();
        answered.rows.retain(|_, rows| !rows.is_empty());
        answered.rows.values_mut().for_each(|rows| rows.sort());
        answered
    }

    /// An answer in words.
    pub(super) fn words(&self, answer: i64, texts: &Texts) -> String {
        let mut parts = Vec::new();
        for slot in &self.slots {
            let digit = answer.div_euclid(slot.weight).rem_euclid(slot.size);
            match &slot.kind {
                SlotKind::Outcome => match usize::try_from(digit).ok().and_then(|digit| OUTCOMES.get(digit)) {
                    Some(&"done") if !parts.is_empty() => {}
                    Some(outcome) => parts.push((*outcome).to_owned()),
                    None => {}
                },
                SlotKind::Row(told) if digit > 0 => parts.push(row_words(told, digit - 1, texts)),
                SlotKind::Rows(told, _) if digit > 0 => parts.push(rows_words(told, digit - 1, texts)),
                SlotKind::Row(_) | SlotKind::Rows(..) => {}
            }
        }
        parts.join(", ")
    }
}

/// A row of values as a server writes them.
fn row_values(told: &[Told], mut number: i64, texts: &Texts) -> Vec<Option<String>> {
    let mut values = Vec::new();
    for one in told.iter().rev() {
        let digit = number % one.count.max(1);
        number /= one.count.max(1);
        values.push((one.null != Some(digit)).then(|| written(&one.kind, digit + one.low, texts)));
    }
    values.reverse();
    values
}

fn rows_words(told: &[Told], mut number: i64, texts: &Texts) -> String {
    let Some(base) = row_size(told).and_then(|size| size.checked_add(1)) else { return String::new() };
    let mut rows = Vec::new();
    while number > 0 {
        if number % base > 0 {
            rows.push(row_words(told, number % base - 1, texts));
        }
        number /= base;
    }
    rows.reverse();
    if rows.is_empty() { "no row".to_owned() } else { rows.join("; ") }
}

fn row_words(told: &[Told], mut number: i64, texts: &Texts) -> String {
    let mut values = Vec::new();
    for one in told.iter().rev() {
        let digit = number % one.count.max(1);
        number /= one.count.max(1);
        let value = if one.null == Some(digit) { "NULL".to_owned() } else { shown(&one.kind, digit + one.low, texts) };
        values.push(if one.name.starts_with('?') { value } else { format!("{} = {value}", one.name) });
    }
    values.reverse();
    if values.is_empty() { "a row".to_owned() } else { values.join(", ") }
}

/// A value of a column that is answered.
pub(super) fn of_column(model: &Model<'_>, place: Place, name: &str) -> Option<Told> {
    let domain = model.domain(place)?;
    let kind = model.workload.table(place.0).column(place.1).kind.clone();
    let null = domain.nullable.then(|| domain.bounds.count());
    Some(Told { name: name.to_owned(), low: domain.bounds.low, count: domain.count(), null, kind })
}
