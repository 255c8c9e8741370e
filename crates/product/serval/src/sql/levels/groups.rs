//! Small groups of scripts, which are asked about before all scripts of a part together.
//!
//! A question about many scripts costs much more than one about two of them, and most anomalies need two or three. So
//! before a question about [`MANY`] scripts or more is asked, its pairs are, if they *meet* (one changes or locks what
//! the other touches); and where it stays open, its triples are. What is refuted so refutes the question, and each
//! other one with these scripts at these levels; a pair that is proved is in no counterexample of two scripts again.
//!
//! **Claim.** Which groups are asked about changes nothing in what is said to be proved or refuted, except that less
//! stays open. **Proof.** An answer about a group is one about a set of scripts at levels, and what follows from it for
//! others is what [`Knowledge::of`] says, by which question it came. A walk goes on from an allocation when its verdict
//! is known, and the theorem at the head of `levels` needs no more than that: it does not say by which question. An
//! allocation that stayed open may be refuted later by a group, and is said to be open no longer.
//!
//! **Effort.** A part of n scripts has at most 2n(n-1) pairs at two levels each: 264 of 12 scripts, beside 4,096
//! allocations. A script at a level of which a pair or a triple stayed open is in no further group, so that at most n
//! questions about groups stay open; a triple is asked about only if all its pairs are proved or do not meet.

use std::collections::BTreeSet;

use serval_sql::Isolation;

use super::known::{Allocation, ELSEWHERE, Knowledge, KnownVerdict};

/// From how many scripts on pairs are asked about first.
pub(super) const MANY: usize = 6;

/// What is known, and else the pair to be asked about first.
pub(super) enum NextQuestion<'k> {
    Known(KnownVerdict<'k>),
    Group(Allocation),
    Unknown,
}

/// Which groups are worth a question.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// The pairs that meet, the smaller first.
    meet: BTreeSet<[usize; 2]>,
    /// From how many scripts on.
    from: usize,
}

impl Groups {
    pub(super) fn new(meet: BTreeSet<[usize; 2]>) -> Self {
        Self { meet, from: MANY }
    }

    /// Begins with questions of so many scripts.
    pub(super) fn asked_from(&mut self, scripts: usize) {
        self.from = scripts.max(3);
    }

    /// A pair about which nothing is known, of scripts that an allocation has.
    pub(super) fn pair(&self, allocation: &Allocation, knowledge: &Knowledge) -> Option<Allocation> {
        let scripts = self.worth(allocation, knowledge)?;
        let of = |at: usize| scripts[at + 1..].iter().map(move |&other| (at, other));
        let pairs = (0..scripts.len()).flat_map(of).map(|(at, other)| [scripts[at], other]);
        let mut unknown = pairs.filter(|pair| self.meet.contains(pair)).map(|pair| only(allocation, &pair));
        unknown.find(|pair| knowledge.of(pair).is_none())
    }

    /// The same of triples, where two of the pairs meet, and none is open.
    pub(super) fn triple(&self, allocation: &Allocation, knowledge: &Knowledge) -> Option<Allocation> {
        let scripts = self.worth(allocation, knowledge)?;
        for &[first, second] in self.meet.iter().filter(|pair| pair.iter().all(|script| scripts.contains(script))) {
            for &third in scripts.iter().filter(|third| ![first, second].contains(third)) {
                let pair = |one: usize| [one.min(third), one.max(third)];
                if !self.meet.contains(&pair(first)) && !self.meet.contains(&pair(second)) {
                    continue;
                }
                let triple = only(allocation, &[first, second, third]);
                if knowledge.of(&triple).is_none() {
                    return Some(triple);
                }
            }
        }
        None
    }

    /// What is known of an allocation; if it is open or unknown, which group is to be asked about.
    pub(super) fn of<'k>(&self, allocation: &Allocation, knowledge: &'k Knowledge) -> NextQuestion<'k> {
        let known = knowledge.of(allocation);
        let group = match known {
            None => self.pair(allocation, knowledge),
            Some(KnownVerdict::Open(reason)) if reason != ELSEWHERE => self.triple(allocation, knowledge),
            Some(_) => None,
        };
        match (group, known) {
            (Some(group), _) => NextQuestion::Group(group),
            (None, Some(known)) => NextQuestion::Known(known),
            (None, None) => NextQuestion::Unknown,
        }
    }

    /// The scripts of which groups are asked about: none of a small allocation.
    fn worth(&self, allocation: &Allocation, knowledge: &Knowledge) -> Option<Vec<usize>> {
        if self.meet.is_empty() || size(allocation) < self.from {
            return None;
        }
        let hard: BTreeSet<(usize, Isolation)> = knowledge
            .open
            .keys()
            .filter(|open| size(open) <= 3)
            .flat_map(|open| open.iter().enumerate().filter_map(|(at, level)| Some((at, (*level)?))))
            .collect();
        let is_worth = |at: &usize| allocation[*at].is_some_and(|level| !hard.contains(&(*at, level)));
        Some((0..allocation.len()).filter(is_worth).collect())
    }
}

/// How many scripts there are.
fn size(allocation: &Allocation) -> usize {
    allocation.iter().flatten().count()
}

/// An allocation with some of its scripts.
fn only(allocation: &Allocation, scripts: &[usize]) -> Allocation {
    allocation.iter().enumerate().map(|(at, level)| level.filter(|_| scripts.contains(&at))).collect()
}
