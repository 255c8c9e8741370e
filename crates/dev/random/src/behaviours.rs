//! What a system does, by trying everything.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_model::{Letter, Multiset, NetworkSystem, completed_multisets, serial_multisets};

/// The completed multisets with up to some number of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviours {
    /// How many requests at most.
    pub requests: usize,
    /// Of all complete runs.
    pub interleaved: BTreeSet<Multiset<Letter>>,
    /// Of complete serial runs.
    pub serial: BTreeSet<Multiset<Letter>>,
}

impl Behaviours {
    /// With exactly this bound, if there are ticks enough.
    pub fn with(system: &NetworkSystem, requests: usize, ticks: u64) -> Option<Self> {
        let interleaved = completed_multisets(system, requests, &mut Budget::ticks(ticks)).ok()?;
        let serial = serial_multisets(system, requests, &mut Budget::ticks(ticks)).ok()?;
        Some(Self { requests, interleaved, serial })
    }

    /// With four requests, or three if four take too long.
    pub fn of(system: &NetworkSystem, ticks: u64) -> Option<Self> {
        (3..=4).rev().find_map(|requests| Self::with(system, requests, ticks))
    }

    /// Whether no run has answers that no serial run has.
    pub fn is_serializable(&self) -> bool {
        self.interleaved.is_subset(&self.serial)
    }

    /// How many requests the smallest answers have that no serial run has;
    /// `None` where every run has the answers of a serial one.
    pub fn fewest(&self) -> Option<u128> {
        self.interleaved.difference(&self.serial).map(Multiset::size).min()
    }

    /// Whether a system does the same: with as many requests, or three if that
    /// takes too long. `None`: three take too long, too.
    pub fn same_as(&self, system: &NetworkSystem, ticks: u64) -> Option<bool> {
        let other = (3..=self.requests).rev().find_map(|requests| Self::with(system, requests, ticks))?;
        let of_size = |set: &BTreeSet<Multiset<Letter>>| -> BTreeSet<Multiset<Letter>> {
            set.iter().filter(|multiset| multiset.size() <= other.requests as u128).cloned().collect()
        };
        Some(other.interleaved == of_size(&self.interleaved) && other.serial == of_size(&self.serial))
    }
}
