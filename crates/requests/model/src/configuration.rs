//! Where a run stands: the global state, the requests in flight with their numbers, and what was answered.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use crate::{GlobalId, LocalId, Multiset, RequestId, ResponseId};

/// A request and its response: a letter of the alphabet that serializability
/// is about.
pub type Letter = (RequestId, ResponseId);

/// The number of one request within a run. Counts from 1, as in everything
/// that is shown or written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(NonZeroU32);

impl ThreadId {
    /// The first request of a run.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// The request with this number, or `None` for 0.
    pub fn new(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// Its number, at least 1.
    pub fn number(self) -> u32 {
        self.0.get()
    }

    /// The request after this one, or `None` where numbers end.
    pub fn next(self) -> Option<Self> {
        self.0.checked_add(1).map(Self)
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ThreadId({})", self.0)
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A request in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thread {
    /// What was asked.
    pub request: RequestId,
    /// How far it has come.
    pub local: LocalId,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration {
    /// The global state.
    pub global: GlobalId,
    /// The requests in flight by number.
    pub in_flight: BTreeMap<ThreadId, Thread>,
    /// What was answered so far.
    pub completed: Multiset<Letter>,
}

impl Configuration {
    /// Nothing in flight, nothing completed.
    pub fn initial(global: GlobalId) -> Self {
        Self { global, in_flight: BTreeMap::new(), completed: Multiset::new() }
    }

    /// Whether nothing is in flight, so that a run may end here.
    pub fn is_complete(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// The requests in flight without their numbers.
    pub fn places(&self) -> Multiset<Thread> {
        self.in_flight.values().copied().collect()
    }
}
