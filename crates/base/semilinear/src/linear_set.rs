//! Linear sets (Ginsburg, Spanier 1966): a base, and periods that can be added any number of times.

use std::fmt;
use std::sync::Arc;

use serval_budget::Budget;

use crate::combination::combination;
use crate::{Counts, EdgeId, Error, Letter, Vector};

/// The linear set `{ base + Σ k(i) · periods(i) | k(i) natural }`.
///
/// Periods are in order, different and not zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinearSet {
    base: Vector,
    periods: Arc<[Vector]>,
    /// The mask of the base, and of all periods together: for quick answers.
    masks: (u64, u64),
}

impl LinearSet {
    /// Periods that are zero or equal to others say nothing and are left out.
    pub fn new(base: Vector, periods: impl IntoIterator<Item = Vector>) -> Self {
        let mut periods: Vec<Vector> = periods.into_iter().filter(|period| !period.is_zero()).collect();
        periods.sort();
        periods.dedup();
        let mask = periods.iter().fold(0, |mask, period| mask | period.letters().mask());
        Self { masks: (base.letters().mask(), mask), base, periods: periods.into() }
    }

    /// The least vector.
    pub fn base(&self) -> &Vector {
        &self.base
    }

    /// What can be added.
    pub fn periods(&self) -> &[Vector] {
        &self.periods
    }

    /// The letters that occur in some vector of the set.
    pub fn letters(&self) -> impl Iterator<Item = Letter> + '_ {
        std::iter::once(&self.base).chain(self.periods.iter()).flat_map(|vector| vector.letters().iter().map(|(letter, _)| letter))
    }

    /// How often each period is added to give `vector`, if it is in the set.
    pub fn coefficients(&self, vector: &Counts<Letter>, budget: &mut Budget) -> Result<Option<Vec<u64>>, Error> {
        match vector.minus(self.base.letters()) {
            Some(rest) => combination(&rest, self.periods.iter().map(Vector::letters), budget),
            None => Ok(None),
        }
    }

    /// Whether `vector` is in the set.
    pub fn contains(&self, vector: &Counts<Letter>, budget: &mut Budget) -> Result<bool, Error> {
        Ok(self.coefficients(vector, budget)?.is_some())
    }

    /// Edges for `vector`, if it is in the set: those of the base and of its periods.
    pub fn witness(&self, vector: &Counts<Letter>, budget: &mut Budget) -> Result<Option<Counts<EdgeId>>, Error> {
        let Some(coefficients) = self.coefficients(vector, budget)? else { return Ok(None) };
        let mut edges = self.base.edges().clone();
        for (period, &number) in self.periods.iter().zip(&coefficients) {
            edges = edges.plus(&period.edges().times(number)?)?;
        }
        Ok(Some(edges))
    }

    /// Whether this set is *obviously* included in the other: its base is in
    /// the other, and each of its periods is a sum of the other's.
    ///
    /// Then `b + Σ k(i) p(i)` is a vector of the other plus sums of its periods,
    /// and so in it. The converse does not hold: all natural numbers from 2 on
    /// are sums of 2 and 3, but 1 is not.
    pub fn obviously_within(&self, other: &Self, budget: &mut Budget) -> Result<bool, Error> {
        budget.spend(1)?;
        if other.masks.0 & !self.masks.0 != 0 || self.masks.1 & !other.masks.1 != 0 {
            return Ok(false);
        }
        let Some(rest) = self.base.letters().minus(other.base.letters()) else { return Ok(false) };
        if rest.mask() & !other.masks.1 != 0 {
            return Ok(false);
        }
        for period in self.periods.iter() {
            if other.periods.binary_search(period).is_err()
                && combination(period.letters(), other.periods.iter().map(Vector::letters), budget)?.is_none()
            {
                return Ok(false);
            }
        }
        Ok(rest.is_zero() || combination(&rest, other.periods.iter().map(Vector::letters), budget)?.is_some())
    }

    /// The same set without periods that are sums of others.
    ///
    /// A sum in which such a period occurs is also a sum of the others. It does
    /// not matter in which order they are looked at: a sum of others is still
    /// one of those that remain.
    pub fn without_redundant_periods(&self, budget: &mut Budget) -> Result<Self, Error> {
        let mut kept: Vec<Vector> = self.periods.to_vec();
        let mut place = 0;
        while let Some(period) = kept.get(place) {
            let others = kept.iter().enumerate().filter(|&(other, _)| other != place).map(|(_, other)| other.letters());
            if combination(period.letters(), others, budget)?.is_some() {
                kept.remove(place);
            } else {
                place += 1;
            }
        }
        if kept.len() == self.periods.len() {
            return Ok(self.clone());
        }
        Ok(Self::new(self.base.clone(), kept))
    }

    /// All sums of a vector of this set and one of the other.
    pub fn plus(&self, other: &Self) -> Result<Self, Error> {
        Ok(Self::new(self.base.plus(&other.base)?, self.periods.iter().chain(other.periods.iter()).cloned()))
    }

    /// The set with more periods.
    pub(crate) fn with_periods(&self, more: &[Vector]) -> Self {
        Self::new(self.base.clone(), self.periods.iter().chain(more).cloned())
    }

    /// The set as a text such as `{ (a:1) + k1·(b:2, c:1) }`.
    pub fn display<'a>(&'a self, name: &'a dyn Fn(Letter) -> String) -> impl fmt::Display + 'a {
        let vector = move |vector: &Vector, f: &mut fmt::Formatter<'_>| {
            write!(f, "(")?;
            for (place, (letter, count)) in vector.letters().iter().enumerate() {
                let comma = if place > 0 { ", " } else { "" };
                write!(f, "{comma}{}:{count}", name(letter))?;
            }
            write!(f, ")")
        };
        fmt::from_fn(move |f| {
            write!(f, "{{ ")?;
            vector(&self.base, f)?;
            for (place, period) in self.periods.iter().enumerate() {
                write!(f, " + k{}·", place + 1)?;
                vector(period, f)?;
            }
            write!(f, " }}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(numbers: &[u64]) -> Vector {
        Counts::new(numbers.iter().enumerate().map(|(letter, &count)| (Letter(letter), count))).unwrap().into()
    }

    #[test]
    fn redundant_periods() {
        let linear = LinearSet::new(vector(&[1]), [vector(&[2]), vector(&[3]), vector(&[5]), vector(&[0]), vector(&[7]), vector(&[2])]);
        let pruned = linear.without_redundant_periods(&mut Budget::unlimited()).unwrap();
        assert_eq!(pruned.periods(), [vector(&[2]), vector(&[3])]);
    }

    #[test]
    fn obvious_inclusion() {
        let budget = &mut Budget::unlimited();
        let small = LinearSet::new(vector(&[4, 1]), [vector(&[2, 2])]);
        let large = LinearSet::new(vector(&[1, 1]), [vector(&[1, 1]), vector(&[3])]);
        assert!(small.obviously_within(&large, budget).unwrap());
        assert!(!large.obviously_within(&small, budget).unwrap());
        let all = LinearSet::new(vector(&[2]), [vector(&[1])]);
        let sums = LinearSet::new(vector(&[]), [vector(&[2]), vector(&[3])]);
        assert!(!all.obviously_within(&sums, budget).unwrap(), "included, but not obviously");
    }

    #[test]
    fn texts() {
        let name = |letter: Letter| ["a", "b", "c"][letter.0].to_string();
        let linear = LinearSet::new(vector(&[1]), [vector(&[0, 2, 1]), vector(&[1])]);
        assert_eq!(linear.display(&name).to_string(), "{ (a:1) + k1·(a:1) + k2·(b:2, c:1) }");
        assert_eq!(LinearSet::new(vector(&[]), []).display(&name).to_string(), "{ () }");
    }
}
