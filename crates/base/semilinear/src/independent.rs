//! Unions of linear sets whose periods are linearly independent.
//!
//! **What it computes.** The same set, with components whose periods are
//! linearly independent.
//!
//! **Why it is right.** Let the periods of `b + ℕ P` be dependent. Periods are
//! not zero, so that an integer relation between them, sorted by sign, says
//!
//! ```text
//! Σ λ(i) p(i) = Σ μ(j) p(j),    i in A, j in B,    all λ(i), μ(j) ≥ 1
//! ```
//!
//! with `A` and `B` disjoint, and both not empty: a sum of vectors that are not
//! zero and have no negative entries is not zero. Then
//!
//! ```text
//! b + ℕ P = ⋃ { b + c p(i) + ℕ (P without p(i)) | i in A, 0 ≤ c < λ(i) }.
//! ```
//!
//! The right side is obviously included in the left. Conversely, take a vector
//! `b + Σ k(i) p(i)`. If `k(i) ≥ λ(i)` for all `i` in `A`, then take `λ(i)` away
//! from each of them and add `μ(j)` to those in `B`: the vector is the same,
//! and the sum of the `k(i)` with `i` in `A` has become smaller, since `A` is
//! not empty and disjoint from `B`. That cannot go on for ever, so in the end
//! `k(i) < λ(i)` for some `i` in `A`, and the vector is in the part for `i` and
//! `c = k(i)`. `A` and `B` can change roles; the one with fewer parts is taken.
//! Every part has a period less, so that this ends.

use std::collections::HashSet;

use serval_budget::Budget;

use crate::number::{clear, content, ticks};
use crate::set::{Collector, Semilinear, SetWork};
use crate::{Error, Letter, LinearSet, Vector};

/// One side of a relation: periods, by place, and how often each occurs.
type RelationSide = Vec<(usize, u64)>;

/// The side of a relation between the periods that has the smaller sum, if
/// they are dependent.
fn relation(periods: &[Vector], budget: &mut Budget) -> Result<Option<RelationSide>, Error> {
    let mut letters: Vec<Letter> = periods.iter().flat_map(|period| period.letters().iter().map(|(letter, _)| letter)).collect();
    letters.sort();
    letters.dedup();
    // Rows of letters, and beside them which periods they are made of.
    let mut rows: Vec<(usize, Vec<i128>)> = Vec::new();
    for (place, period) in periods.iter().enumerate() {
        budget.spend(ticks(rows.len()).saturating_mul(ticks(letters.len())).saturating_add(1))?;
        let counts = letters.iter().map(|&letter| i128::from(period.letters().get(letter)));
        let unit = (0..periods.len()).map(|other| i128::from(other == place));
        let mut row: Vec<i128> = counts.chain(unit).collect();
        for (column, pivot) in &rows {
            clear(&mut row, pivot, *column)?;
        }
        if let Some(column) = row.iter().take(letters.len()).position(|&entry| entry != 0) {
            rows.push((column, row));
            continue;
        }
        let combination = row.get(letters.len()..).unwrap_or_default();
        let divisor = content(combination.iter().copied())?.max(1);
        let side = |sign: i128| -> Result<(u128, RelationSide), Error> {
            let mut side = RelationSide::new();
            let mut sum: u128 = 0;
            for (place, &entry) in combination.iter().enumerate() {
                if entry.signum() == sign {
                    let number = u64::try_from((entry / divisor).unsigned_abs()).map_err(|_| Error::Overflow)?;
                    sum = sum.saturating_add(u128::from(number));
                    side.push((place, number));
                }
            }
            Ok((sum, side))
        };
        let (positive, negative) = (side(1)?, side(-1)?);
        return Ok(Some(if positive.0 <= negative.0 { positive.1 } else { negative.1 }));
    }
    Ok(None)
}

impl Semilinear {
    /// The same set, with components whose periods are linearly independent.
    pub fn independent(&self, work: &mut SetWork<'_>) -> Result<Self, Error> {
        let cap = work.options.max_components;
        let too_large = Error::TooLarge { what: "components", cap };
        let mut collector = Collector::default();
        let mut seen: HashSet<LinearSet> = HashSet::new();
        let mut waiting: Vec<LinearSet> = self.components().iter().rev().cloned().collect();
        while let Some(linear) = waiting.pop() {
            let Some(side) = relation(linear.periods(), work.budget)? else {
                collector.add(linear, work)?;
                continue;
            };
            for (place, number) in side {
                let Some(period) = linear.periods().get(place) else { continue };
                let others = linear.periods().iter().enumerate().filter(|&(other, _)| other != place).map(|(_, other)| other);
                let mut base = linear.base().clone();
                for copies in 0..number {
                    work.budget.spend(1)?;
                    if copies > 0 {
                        base = base.plus(period)?;
                    }
                    let part = LinearSet::new(base.clone(), others.clone().cloned());
                    if seen.insert(part.clone()) {
                        waiting.push(part);
                    }
                    if waiting.len() > cap.max(self.components().len()) {
                        return Err(too_large);
                    }
                }
            }
        }
        Ok(collector.finish(self.letters()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counts, Options};

    fn vector(numbers: &[u64]) -> Vector {
        Counts::new(numbers.iter().enumerate().map(|(letter, &count)| (Letter(letter), count))).unwrap().into()
    }

    #[test]
    fn coins() {
        let set = Semilinear::new(1, vec![LinearSet::new(vector(&[1]), [vector(&[2]), vector(&[3])])]).unwrap();
        let options = Options::default();
        let mut budget = Budget::unlimited();
        let independent = set.independent(&mut SetWork::new(&options, &mut budget)).unwrap();
        let name = |_: Letter| "a".to_string();
        assert_eq!(independent.display(&name).to_string(), "{ (a:4) + k1·(a:2) }\n{ (a:1) + k1·(a:2) }");
    }

    #[test]
    fn too_many_parts() {
        let set = Semilinear::new(1, vec![LinearSet::new(vector(&[1]), [vector(&[200]), vector(&[301])])]).unwrap();
        let options = Options { max_components: 100, ..Options::default() };
        let mut budget = Budget::unlimited();
        let independent = set.independent(&mut SetWork::new(&options, &mut budget));
        assert_eq!(independent.unwrap_err(), Error::TooLarge { what: "components", cap: 100 });
    }
}
