//! What a sweep counts, and how the counts of its parts become those of the whole.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Iter;

use serde::{Deserialize, Serialize};

/// Counts that can be taken together. The order of the parts makes no difference, so that the number of threads makes
/// none.
pub trait Merge: Default {
    /// Takes the counts of another part in.
    fn absorb(&mut self, other: Self);
}

impl Merge for u64 {
    fn absorb(&mut self, other: Self) {
        *self += other;
    }
}

impl<K: Ord, V: Merge> Merge for BTreeMap<K, V> {
    fn absorb(&mut self, other: Self) {
        for (key, counts) in other {
            self.entry(key).or_default().absorb(counts);
        }
    }
}

/// The counts of all parts together.
pub fn merged<T: Merge>(parts: impl IntoIterator<Item = T>) -> T {
    let mut sum = T::default();
    parts.into_iter().for_each(|part| sum.absorb(part));
    sum
}

/// How often each outcome occurred, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tally(BTreeMap<Cow<'static, str>, u64>);

impl Tally {
    /// Counts one occurrence.
    pub fn count(&mut self, name: impl Into<Cow<'static, str>>) {
        self.add(name, 1);
    }

    /// Counts several occurrences.
    pub fn add(&mut self, name: impl Into<Cow<'static, str>>, times: u64) {
        *self.0.entry(name.into()).or_default() += times;
    }

    /// How often this occurred.
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// How often anything occurred.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Whether nothing occurred.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and counts, in the order of the names.
    pub fn iter(&self) -> Iter<'_, Cow<'static, str>, u64> {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a Tally {
    type Item = (&'a Cow<'static, str>, &'a u64);
    type IntoIter = Iter<'a, Cow<'static, str>, u64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Merge for Tally {
    fn absorb(&mut self, other: Self) {
        self.0.absorb(other.0);
    }
}
