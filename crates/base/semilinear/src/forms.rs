//! By which equations, inequalities and divisibilities a vector belongs to a
//! linear set.
//!
//! **What it computes.** Let `b + ℕ p(1) + … + ℕ p(m)` be a linear set whose
//! periods are linearly independent. A vector `r` is in it if and only if there
//! are natural numbers `k` with `r − b = Σ k(i) p(i)`. For each period an
//! expression `E(i)`, affine in `r`, and a divisor `d(i) ≥ 1` are computed, and
//! for the remaining dimensions expressions `R(j)`, such that `r` is in the set
//! if and only if
//!
//! ```text
//! E(i) ≥ 0 and d(i) divides E(i) for all i,   R(j) = 0 for all j,
//! ```
//!
//! and then `k(i) = E(i) / d(i)`.
//!
//! **Why it is right.** The equations `Σ k(i) p(i)[l] = r[l] − b[l]`, one for
//! each letter `l`, are written as rows `[p(1)[l], …, p(m)[l] | unit vector l]`.
//! Adding a multiple of one row to a multiple (not by zero) of another, and
//! dividing a row by a common divisor, can be undone over the rationals: the
//! equations keep their rational solutions `(k, r − b)`. For each period a row
//! is chosen whose entry there is not zero and which is not chosen for another,
//! and the entry is cleared in all other rows. Since the periods are
//! independent, there is such a row each time; if there is none, they are
//! not. At the end a chosen row says `d · k(i) = E(i)` with `d ≠ 0`, and by a
//! change of sign `d ≥ 1`, and the others say `0 = R(j)`. Over the rationals
//! there is a solution `k` if and only if all `R(j)` are zero, and it is
//! `E(i) / d(i)`; it is natural just if the conditions hold.

use crate::expression::{self, Expression};
use crate::number::{clear, content, negative};
use crate::{Counts, Error, Letter, LinearSet, Vector};

/// The number of times that a period occurs in a vector, if it is in the set:
/// `expression / divisor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeriodForm {
    /// What the expression is divided by; at least one.
    pub divisor: u64,
    /// An expression in the letters.
    pub expression: Expression,
}

/// The conditions under which a vector is in a linear set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forms {
    /// For each period, in order: not negative, and divisible.
    pub periods: Vec<PeriodForm>,
    /// All are zero.
    pub rest: Vec<Expression>,
}

impl Forms {
    /// Whether `vector` satisfies the conditions.
    pub fn hold(&self, vector: &Counts<Letter>) -> Result<bool, Error> {
        for form in &self.periods {
            let value = expression::value(&form.expression, vector)?;
            if value < 0 || value.checked_rem(i128::from(form.divisor)) != Some(0) {
                return Ok(false);
            }
        }
        for rest in &self.rest {
            if expression::value(rest, vector)? != 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl LinearSet {
    /// The conditions under which a vector over the letters `0..letters` is in
    /// this set, or `None` if its periods are not linearly independent.
    pub fn forms(&self, letters: usize) -> Result<Option<Forms>, Error> {
        if let Some(letter) = self.letters().find(|letter| letter.0 >= letters) {
            return Err(Error::OutOfRange { what: "letter", index: letter.0, count: letters });
        }
        let periods = self.periods().len();
        // Letters that no period has are in no row but their own, which is ready.
        let mut used: Vec<Letter> = self.periods().iter().flat_map(|period| period.letters().iter().map(|(letter, _)| letter)).collect();
        used.sort();
        used.dedup();
        let row = |&letter: &Letter| {
            let period = |period: &Vector| i128::from(period.letters().get(letter));
            let unit = used.iter().map(|&other| i128::from(other == letter));
            self.periods().iter().map(period).chain(unit).collect()
        };
        let mut rows: Vec<Vec<i128>> = used.iter().map(row).collect();
        let mut chosen: Vec<Option<usize>> = vec![None; periods];
        let mut free: Vec<bool> = vec![true; used.len()];
        for _ in 0..periods {
            let Some((row, column)) = smallest(&rows, &free, &chosen) else { return Ok(None) };
            let Some(pivot) = rows.get(row).cloned() else { return Ok(None) };
            for (other, entries) in rows.iter_mut().enumerate() {
                if other != row {
                    clear(entries, &pivot, column)?;
                }
            }
            if let (Some(free), Some(chosen)) = (free.get_mut(row), chosen.get_mut(column)) {
                (*free, *chosen) = (false, Some(row));
            }
        }
        let expression = |row: &[i128], sign: i128| -> Result<Expression, Error> {
            let terms = || used.iter().zip(row.iter().skip(periods)).map(|(&letter, &coefficient)| (letter, coefficient * sign));
            let at_base = expression::value(&expression::sum(terms(), 0)?, self.base().letters())?;
            expression::sum(terms(), negative(at_base)?)
        };
        let mut forms = Forms { periods: Vec::with_capacity(periods), rest: Vec::new() };
        for (column, row) in chosen.iter().enumerate() {
            let Some(row) = row.and_then(|row| rows.get_mut(row)) else { return Ok(None) };
            let divisor = content(row.iter().copied())?.max(1);
            row.iter_mut().for_each(|entry| *entry /= divisor);
            if row.contains(&i128::MIN) {
                return Err(Error::Overflow);
            }
            let pivot = row.get(column).copied().unwrap_or(1);
            let divisor = u64::try_from(pivot.unsigned_abs()).map_err(|_| Error::Overflow)?;
            forms.periods.push(PeriodForm { divisor, expression: expression(row, pivot.signum())? });
        }
        for (row, _) in rows.iter().zip(&free).filter(|&(_, &free)| free) {
            // The last letter, mostly the one that the row began with, gets a positive coefficient.
            let sign = row.iter().rev().find(|&&entry| entry != 0).map_or(1, |entry| entry.signum());
            if row.contains(&i128::MIN) {
                return Err(Error::Overflow);
            }
            forms.rest.push(expression(row, sign)?);
        }
        for letter in (0..letters).map(Letter).filter(|letter| used.binary_search(letter).is_err()) {
            forms.rest.push(expression::sum([(letter, 1)], -i128::from(self.base().letters().get(letter)))?);
        }
        Ok(Some(forms))
    }
}

/// The entry nearest to zero, but not zero, in a free row and in the column of
/// a period that has no row yet; in the row with the fewest entries among
/// equals. Small divisors make for few disjuncts.
fn smallest(rows: &[Vec<i128>], free: &[bool], chosen: &[Option<usize>]) -> Option<(usize, usize)> {
    let mut best: Option<((u128, usize), (usize, usize))> = None;
    for (row, (entries, _)) in rows.iter().zip(free).enumerate().filter(|&(_, (_, &free))| free) {
        let filled = entries.iter().filter(|&&entry| entry != 0).count();
        for (column, (entry, _)) in entries.iter().zip(chosen).enumerate().filter(|(_, (_, chosen))| chosen.is_none()) {
            let cost = (entry.unsigned_abs(), filled);
            if *entry != 0 && best.is_none_or(|(best, _)| cost < best) {
                best = Some((cost, (row, column)));
            }
        }
    }
    best.map(|(_, place)| place)
}
