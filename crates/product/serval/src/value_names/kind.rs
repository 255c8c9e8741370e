//! What an expression can be, as far as names go: values that the text names, values that it writes as numbers, and
//! values that it computes, of which only the range is known.
//!
//! A value has a name where every expression that gives it gives it under this one name. So a name is never a guess:
//! where a number or a computation can give the same value, the value is shown as a number.

use std::collections::BTreeMap;

/// The values of an expression. Without any, it never ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// Values that are written, with their names; without a name where one is written as a number, or under two names.
    written: BTreeMap<i64, Option<String>>,
    /// The least and the greatest value that may be computed.
    computed: Option<(i64, i64)>,
}

impl Kind {
    /// Any number.
    pub(super) fn number() -> Self {
        Self::between(i64::MIN, i64::MAX)
    }

    /// A number of this range, which is computed.
    pub(super) fn between(low: i64, high: i64) -> Self {
        Self { written: BTreeMap::new(), computed: Some((low, high)) }
    }

    /// A value that stands in the text as a number, or not at all.
    pub(super) fn literal(value: i64) -> Self {
        Self { written: BTreeMap::from([(value, None)]), computed: None }
    }

    /// A value that the text names.
    pub(super) fn named(value: i64, name: &str) -> Self {
        Self { written: BTreeMap::from([(value, Some(name.to_owned()))]), computed: None }
    }

    /// Any member of an `enum`.
    pub(super) fn members(names: &[String]) -> Self {
        Self { written: (0..).zip(names.iter().cloned().map(Some)).collect(), computed: None }
    }

    /// Whether no value is known yet.
    pub(super) fn is_nothing(&self) -> bool {
        self.written.is_empty() && self.computed.is_none()
    }

    /// The values of both.
    pub(super) fn or(mut self, other: &Self) -> Self {
        for (&value, name) in &other.written {
            let known = self.written.entry(value).or_insert_with(|| name.clone());
            if known != name {
                *known = None;
            }
        }
        self.computed = match (self.computed, other.computed) {
            (Some(one), Some(two)) => Some((one.0.min(two.0), one.1.max(two.1))),
            (one, two) => one.or(two),
        };
        self
    }

    /// The same as a number that is computed, within what is possible.
    pub(super) fn widened(self, (low, high): (i64, i64)) -> Self {
        if self.computed.is_some() { self.or(&Self::between(low, high)) } else { self }
    }

    /// What of this can be stored where values are within a range: anything else is an error, or stored as another
    /// value of the range.
    pub(super) fn stored(mut self, (low, high): (i64, i64)) -> Self {
        self.computed = self.computed.map(|(least, most)| if least < low || most > high { (low, high) } else { (least, most) });
        self
    }

    /// The least and the greatest value.
    pub(super) fn range(&self) -> Option<(i64, i64)> {
        let ends = self.written.keys().next().copied().zip(self.written.keys().next_back().copied());
        match (ends, self.computed) {
            (Some(one), Some(two)) => Some((one.0.min(two.0), one.1.max(two.1))),
            (one, two) => one.or(two),
        }
    }

    /// Names that the text compares these values with; a value that is compared with two of them keeps what it has.
    pub(super) fn compared(mut self, names: &BTreeMap<i64, Option<String>>) -> Self {
        for (&value, name) in names {
            let known = self.written.entry(value).or_default();
            if known.is_none() {
                known.clone_from(name);
            }
        }
        self
    }

    /// The values that have names.
    pub(super) fn names(&self) -> BTreeMap<i64, String> {
        let computed = |value: i64| self.computed.is_some_and(|(low, high)| (low..=high).contains(&value));
        let named = self.written.iter().filter(|(value, _)| !computed(**value));
        named.filter_map(|(&value, name)| Some((value, name.clone()?))).collect()
    }
}
