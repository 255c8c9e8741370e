//! Semilinear sets (Ginsburg, Spanier 1966): finite unions of linear sets.
//!
//! Sums of sets are commutative, and that is what all formulas below rest on.
//! Write `A + B` for all sums of a vector of `A` and one of `B`, and `A*` for
//! all finite sums of vectors of `A`, zero among them.
//!
//! **Sum.** `⋃ L(i) + ⋃ M(j) = ⋃ (L(i) + M(j))`, and for linear sets the bases
//! are added and the periods put together.
//!
//! **Star.** `(A ∪ B)* = A* + B*`, since a sum of vectors of both can be sorted.
//! For a linear set `L = b + ℕ P`, where `ℕ P` are the sums of its periods, a sum
//! of `n ≥ 1` of its vectors is `n b` plus any vector of `ℕ P` (all of it can
//! belong to the first), so that
//!
//! ```text
//! L* = {0} ∪ (b + ℕ b + ℕ P).
//! ```
//!
//! The sum of these over all components `i` is, when for each of them one of
//! the two is chosen, the published union over sets `I` of components, with
//! base `Σ b(i)` and periods `P(i)` and `b(i)` for `i` in `I`. It is computed
//! one component after the other, so that pruning sees what is on the way.
//!
//! **Factoring.** `{b}* = ℕ b` and `(ℕ P)* = ℕ P`: the star of a component
//! without periods, or with base zero, is one linear set with base zero, not
//! a union of two. Since `(A ∪ B)* = A* + B*`, such components are taken out,
//! and what they contribute are periods of each component of the other's star.
//!
//! **Pruning** drops periods that are sums of other periods of their component
//! ([`LinearSet::without_redundant_periods`]), and components that are obviously
//! included in another ([`LinearSet::obviously_within`]), both when a new one is
//! in an old one and the other way round. The union stays the same.

use std::collections::HashSet;
use std::fmt;

use serval_budget::Budget;

use crate::{Counts, EdgeId, Error, Letter, LinearSet, Vector};

/// How sets are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Eliminate the state with the fewest arcs first, not the one with the smallest number.
    pub order: bool,
    /// Drop redundant periods and included components on the way.
    pub prune: bool,
    /// Take components without periods, or with base zero, out of stars. With
    /// pruning, [`image`](crate::image()) also reduces the set when it is done.
    pub factor: bool,
    /// More components than these, at any time, are too many.
    pub max_components: usize,
}

impl Default for Options {
    /// Everything on, and 20,000 components.
    fn default() -> Self {
        Self { order: true, prune: true, factor: true, max_components: 20_000 }
    }
}

/// How to work, how long, and how large the sets became.
#[derive(Debug)]
pub struct SetWork<'a> {
    /// How sets are computed.
    pub options: &'a Options,
    /// How long.
    pub budget: &'a mut Budget,
    /// The largest number of components so far.
    pub largest: usize,
}

impl<'a> SetWork<'a> {
    /// Work that has not begun.
    pub fn new(options: &'a Options, budget: &'a mut Budget) -> Self {
        Self { options, budget, largest: 0 }
    }

    /// Notes a number of components, and says whether it is within the limit.
    pub(crate) fn met(&mut self, components: usize) -> Result<(), Error> {
        self.largest = self.largest.max(components);
        let cap = self.options.max_components;
        if components > cap { Err(Error::TooLarge { what: "components", cap }) } else { Ok(()) }
    }
}

/// Collects components, and prunes them if wanted. Equal ones are always
/// dropped: a union is a set of components.
#[derive(Default)]
pub(crate) struct Collector {
    components: Vec<LinearSet>,
    /// Also those that were dropped later, for something that includes them.
    seen: HashSet<LinearSet>,
}

impl Collector {
    pub(crate) fn add(&mut self, linear: LinearSet, work: &mut SetWork<'_>) -> Result<(), Error> {
        work.budget.spend(1)?;
        let linear = if work.options.prune { linear.without_redundant_periods(work.budget)? } else { linear };
        if !self.seen.insert(linear.clone()) {
            return Ok(());
        }
        if work.options.prune {
            for other in &self.components {
                if linear.obviously_within(other, work.budget)? {
                    return Ok(());
                }
            }
            let mut kept = Vec::with_capacity(self.components.len() + 1);
            for other in self.components.drain(..) {
                if !other.obviously_within(&linear, work.budget)? {
                    kept.push(other);
                }
            }
            self.components = kept;
        }
        self.components.push(linear);
        work.met(self.components.len())
    }

    pub(crate) fn finish(self, letters: usize) -> Semilinear {
        Semilinear { letters, components: self.components }
    }
}

/// A union of linear sets of vectors over the letters `0..letters`.
#[derive(Clone, Debug)]
pub struct Semilinear {
    letters: usize,
    components: Vec<LinearSet>,
}

impl Semilinear {
    /// The union of linear sets over `letters` letters.
    pub fn new(letters: usize, components: Vec<LinearSet>) -> Result<Self, Error> {
        let missing = components.iter().flat_map(LinearSet::letters).find(|letter| letter.0 >= letters);
        match missing {
            Some(letter) => Err(Error::OutOfRange { what: "letter", index: letter.0, count: letters }),
            None => Ok(Self { letters, components }),
        }
    }

    /// No vector.
    pub fn nothing(letters: usize) -> Self {
        Self { letters, components: Vec::new() }
    }

    /// One vector.
    pub fn one(letters: usize, vector: Vector) -> Result<Self, Error> {
        Self::new(letters, vec![LinearSet::new(vector, [])])
    }

    /// The vector zero alone.
    pub fn zero(letters: usize) -> Self {
        Self { letters, components: vec![LinearSet::new(Vector::zero(), [])] }
    }

    /// How many letters there are.
    pub fn letters(&self) -> usize {
        self.letters
    }

    /// The linear sets.
    pub fn components(&self) -> &[LinearSet] {
        &self.components
    }

    /// Whether there is no vector. A component always has one.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Whether `vector` is in the set.
    pub fn contains(&self, vector: &Counts<Letter>, budget: &mut Budget) -> Result<bool, Error> {
        Ok(self.find(vector, budget)?.is_some())
    }

    /// The first component that has `vector`, and how often each of its
    /// periods is added.
    pub fn find(&self, vector: &Counts<Letter>, budget: &mut Budget) -> Result<Option<(usize, Vec<u64>)>, Error> {
        for (place, component) in self.components.iter().enumerate() {
            budget.spend(1)?;
            if let Some(coefficients) = component.coefficients(vector, budget)? {
                return Ok(Some((place, coefficients)));
            }
        }
        Ok(None)
    }

    /// Edges for `vector`, if it is in the set.
    pub fn witness(&self, vector: &Counts<Letter>, budget: &mut Budget) -> Result<Option<Counts<EdgeId>>, Error> {
        for component in &self.components {
            budget.spend(1)?;
            if let Some(edges) = component.witness(vector, budget)? {
                return Ok(Some(edges));
            }
        }
        Ok(None)
    }

    /// The vectors of any of the sets.
    pub fn union_of<'a>(letters: usize, sets: impl IntoIterator<Item = &'a Self>, work: &mut SetWork<'_>) -> Result<Self, Error> {
        let mut collector = Collector::default();
        let mut letters = letters;
        for set in sets {
            letters = letters.max(set.letters);
            for component in &set.components {
                collector.add(component.clone(), work)?;
            }
        }
        Ok(collector.finish(letters))
    }

    /// The vectors of either set.
    pub fn union(&self, other: &Self, work: &mut SetWork<'_>) -> Result<Self, Error> {
        Self::union_of(0, [self, other], work)
    }

    /// All sums of a vector of this set and one of the other.
    pub fn sum(&self, other: &Self, work: &mut SetWork<'_>) -> Result<Self, Error> {
        let mut collector = Collector::default();
        for left in &self.components {
            for right in &other.components {
                collector.add(left.plus(right)?, work)?;
            }
        }
        Ok(collector.finish(self.letters.max(other.letters)))
    }

    /// All finite sums of vectors of this set.
    pub fn star(&self, work: &mut SetWork<'_>) -> Result<Self, Error> {
        let mut factors: Vec<Vector> = Vec::new();
        let mut rest: Vec<&LinearSet> = Vec::new();
        for component in &self.components {
            if work.options.factor && component.periods().is_empty() {
                factors.push(component.base().clone());
            } else if work.options.factor && component.base().is_zero() {
                factors.extend_from_slice(component.periods());
            } else {
                rest.push(component);
            }
        }
        let mut sums = Self::zero(self.letters);
        for component in rest {
            let again = component.with_periods(std::slice::from_ref(component.base()));
            let mut collector = Collector::default();
            for sum in &sums.components {
                collector.add(sum.clone(), work)?;
                collector.add(sum.plus(&again)?, work)?;
            }
            sums = collector.finish(self.letters);
        }
        let mut collector = Collector::default();
        for sum in &sums.components {
            collector.add(sum.with_periods(&factors), work)?;
        }
        Ok(collector.finish(self.letters))
    }

    /// The same set without redundant periods and obviously included components.
    pub fn pruned(&self, budget: &mut Budget) -> Result<Self, Error> {
        let options = Options { prune: true, max_components: usize::MAX, ..Options::default() };
        Self::union_of(self.letters, [self], &mut SetWork::new(&options, budget))
    }

    /// The set as a text, one component per line, letters called as `name` says.
    pub fn display<'a>(&'a self, name: &'a dyn Fn(Letter) -> String) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            if self.is_empty() {
                return write!(f, "∅");
            }
            for (place, component) in self.components.iter().enumerate() {
                let line = if place > 0 { "\n" } else { "" };
                write!(f, "{line}{}", component.display(name))?;
            }
            Ok(())
        })
    }
}
