//! Whether one semilinear set is included in another; exact.
//!
//! **Why it is right.** A set is included in another if each of its components
//! is. A component that is obviously included in one of the other's components
//! is ([`LinearSet::obviously_within`]). Otherwise its vectors are written as
//! `b + Σ k(i) p(i)` with natural `k(i)`, which turns the literals of the other's
//! complement into conditions on `k`; it is included if and only if no choice of
//! one literal per clause has a solution, which the solver decides.

use serval_arith::{Outcome, solve};
use serval_budget::Budget;
use serval_linear::Problem;

use crate::complement::{Clause, Literal};
use crate::expression;
use crate::number::minus;
use crate::set::{Semilinear, SetWork};
use crate::{Counts, Error, Letter, LinearSet, Vector};

/// A literal about vectors of `linear`, as one about how often each period is
/// added.
fn within(linear: &LinearSet, literal: &Literal) -> Result<serval_linear::Literal, Error> {
    let (Literal::AtLeastZero(expression) | Literal::NotDivisible(expression, _)) = literal;
    let mut terms = Vec::with_capacity(linear.periods().len());
    for (number, period) in (0..).zip(linear.periods()) {
        let of_period = minus(expression::value(expression, period.letters())?, expression.constant().into())?;
        terms.push((number, of_period));
    }
    let constant = expression::value(expression, linear.base().letters())?;
    let expression = serval_linear::Linear::from_wide(terms, constant).ok_or(Error::Overflow)?;
    Ok(match literal {
        Literal::AtLeastZero(_) => serval_linear::Literal::AtLeastZero(expression),
        Literal::NotDivisible(_, divisor) => serval_linear::Literal::NotDivisible(expression, divisor.get()),
    })
}

/// Whether some vector of `linear` satisfies a literal of each clause.
fn meets<'a>(linear: &LinearSet, clauses: impl Iterator<Item = &'a [Literal]>, budget: &mut Budget) -> Result<bool, Error> {
    let mut problem = Problem { variables: u32::try_from(linear.periods().len()).map_err(|_| Error::Overflow)?, ..Problem::default() };
    for literals in clauses {
        match &literals.iter().map(|literal| within(linear, literal)).collect::<Result<Vec<_>, Error>>()?[..] {
            [serval_linear::Literal::AtLeastZero(only)] => problem.inequalities.push(only.clone()),
            clause => problem.clauses.push(clause.to_vec()),
        }
    }
    match solve(problem, budget) {
        Outcome::Satisfiable(_) => Ok(true),
        Outcome::Refuted(_) => Ok(false),
        Outcome::Stopped(stopped) => Err(Error::Stopped(stopped)),
    }
}

/// Whether all literals hold for some vector over the letters `0..letters`.
pub(crate) fn literals_satisfiable(letters: usize, literals: &[Literal], budget: &mut Budget) -> Result<bool, Error> {
    let all = LinearSet::new(Vector::zero(), (0..letters).map(|letter| Counts::one(Letter(letter)).into()));
    meets(&all, literals.iter().map(std::slice::from_ref), budget)
}

impl Semilinear {
    /// Whether all vectors of this set are in the other; exact.
    pub fn is_included_in(&self, other: &Self, work: &mut SetWork<'_>) -> Result<bool, Error> {
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
            if meets(component, complement.clauses().iter().map(Clause::literals), work.budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether both sets have the same vectors; exact.
    pub fn equals(&self, other: &Self, work: &mut SetWork<'_>) -> Result<bool, Error> {
        Ok(self.is_included_in(other, work)? && other.is_included_in(self, work)?)
    }
}
