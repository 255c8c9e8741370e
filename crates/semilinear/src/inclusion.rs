//! Whether one semilinear set is included in another; exact.
//!
//! **Why it is right.** A set is included in another if each of its components
//! is. A component that is obviously included in one of the other's components
//! is ([`LinearSet::obviously_within`]). Otherwise its vectors are written as
//! `b + Σ k(i) p(i)` with natural `k(i)`, which turns the literals of the other's
//! complement into conditions on `k`; it is included if and only if no choice of
//! one literal per clause has a solution. `d ∤ E` holds just if there is a whole
//! number `q` with `1 ≤ E − d q ≤ d − 1`, so that all conditions are linear
//! inequalities, and solutions are decided exactly.

use serval_budget::Budget;

use crate::complement::{Clause, Literal};
use crate::expression;
use crate::integer::{Row, System};
use crate::number::{minus, negative};
use crate::set::{Semilinear, Work};
use crate::{Counts, Error, Letter, LinearSet, Vector};

/// Whether literals hold for some vector of `linear`.
fn satisfiable_within(linear: &LinearSet, literals: &[&Literal], budget: &mut Budget) -> Result<bool, Error> {
    let numbers = linear.periods().len();
    let quotients = literals.iter().filter(|literal| matches!(literal, Literal::NotDivisible(..))).count();
    let width = numbers + quotients;
    let zero = Row { coefficients: vec![0; width], constant: 0 };
    let mut system = System::default();
    for number in 0..numbers {
        let mut row = zero.clone();
        row.coefficients.iter_mut().skip(number).take(1).for_each(|coefficient| *coefficient = 1);
        system.inequalities.push(row);
    }
    let mut quotient = numbers;
    for literal in literals {
        let (Literal::AtLeastZero(expression) | Literal::NotDivisible(expression, _)) = literal;
        let mut row = Row { constant: expression::value(expression, linear.base().letters())?, ..zero.clone() };
        for (coefficient, period) in row.coefficients.iter_mut().zip(linear.periods()) {
            *coefficient = minus(expression::value(expression, period.letters())?, expression.constant().into())?;
        }
        if let Literal::NotDivisible(_, divisor) = literal {
            let divisor = i128::from(divisor.get());
            row.coefficients.iter_mut().skip(quotient).take(1).for_each(|coefficient| *coefficient = -divisor);
            quotient += 1;
            let coefficients = row.coefficients.iter().map(|&coefficient| negative(coefficient)).collect::<Result<_, _>>()?;
            system.inequalities.push(Row { coefficients, constant: minus(divisor - 1, row.constant)? });
            row.constant = minus(row.constant, 1)?;
        }
        system.inequalities.push(row);
    }
    system.satisfiable(budget)
}

/// Whether literals hold for some vector over the letters `0..letters`.
pub(crate) fn literals_satisfiable(letters: usize, literals: &[Literal], budget: &mut Budget) -> Result<bool, Error> {
    let all = LinearSet::new(Vector::zero(), (0..letters).map(|letter| Counts::one(Letter(letter)).into()));
    satisfiable_within(&all, &literals.iter().collect::<Vec<_>>(), budget)
}

/// Whether all clauses hold for some vector of `linear`.
fn meets(linear: &LinearSet, clauses: &[Clause], budget: &mut Budget) -> Result<bool, Error> {
    let mut chosen: Vec<&Literal> = Vec::new();
    let mut next: Vec<usize> = vec![0];
    while let Some(place) = next.last_mut() {
        let depth = chosen.len();
        let Some(clause) = clauses.get(depth) else { return Ok(true) };
        let Some(literal) = clause.literals().get(*place) else {
            next.pop();
            chosen.pop();
            continue;
        };
        *place += 1;
        chosen.push(literal);
        if satisfiable_within(linear, &chosen, budget)? {
            next.push(0);
        } else {
            chosen.pop();
        }
    }
    Ok(false)
}

impl Semilinear {
    /// Whether all vectors of this set are in the other; exact.
    pub fn is_included_in(&self, other: &Self, work: &mut Work<'_>) -> Result<bool, Error> {
        let mut left: Vec<&LinearSet> = Vec::new();
        'components: for component in self.components() {
            for other in other.components() {
                if component.obviously_within(other, work.budget)? {
                    continue 'components;
                }
            }
            left.push(component);
        }
        if left.is_empty() {
            return Ok(true);
        }
        let letters = self.letters().max(other.letters());
        let complement = Self::new(letters, other.components().to_vec())?.clauses(work)?;
        for component in left {
            if meets(component, complement.clauses(), work.budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether both sets have the same vectors; exact.
    pub fn equals(&self, other: &Self, work: &mut Work<'_>) -> Result<bool, Error> {
        Ok(self.is_included_in(other, work)? && other.is_included_in(self, work)?)
    }
}
