//! Complements of semilinear sets (Ginsburg, Spanier 1966): what is outside, as a conjunction of clauses.
//!
//! **What it computes.** For each component a *clause*, a disjunction of
//! literals, that holds for exactly the vectors that are not in the component.
//! A vector is outside of the union if and only if all clauses hold.
//!
//! **Why it is right.** The periods are made independent first
//! ([`Semilinear::independent`]). Then a vector is in a component if and only
//! if its [`Forms`](crate::Forms) hold: all `E ≥ 0`, all `d | E`, all `R = 0`.
//! So it is not in the component if and only if some `E ≤ −1`, or some `d`
//! does not divide its `E`, or some `R ≥ 1` or `R ≤ −1`. Literals that hold for
//! no vector of natural numbers are left out, and so are those that imply
//! another literal of their clause.

use std::fmt;
use std::num::NonZeroU64;

use crate::expression::{self, Expression};
use crate::number::ticks;
use crate::set::{Semilinear, SetWork};
use crate::{Counts, Error, Letter};

/// A condition on vectors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal {
    /// The expression is not negative.
    AtLeastZero(Expression),
    /// The number does not divide the expression.
    NotDivisible(Expression, NonZeroU64),
}

impl Literal {
    /// Whether `vector` satisfies the condition.
    pub fn holds(&self, vector: &Counts<Letter>) -> Result<bool, Error> {
        Ok(match self {
            Self::AtLeastZero(expression) => expression::value(expression, vector)? >= 0,
            Self::NotDivisible(expression, divisor) => expression::value(expression, vector)?.rem_euclid(i128::from(divisor.get())) != 0,
        })
    }

    /// A text such as `a + 2·b ≥ 3` or `2 ∤ a + 1`.
    pub fn display<'a>(&'a self, name: &'a dyn Fn(Letter) -> String) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| match self {
            Self::NotDivisible(expression, divisor) => write!(f, "{divisor} ∤ {}", expression::shown(expression, name)),
            Self::AtLeastZero(expression) => {
                let (left, sign, right) = sides(expression).ok_or(fmt::Error)?;
                write!(f, "{} {sign} {}", expression::shown(&left, name), expression::shown(&right, name))
            }
        })
    }

    /// Whether every vector that satisfies this one obviously satisfies the
    /// other: both are about the same sum of letters.
    fn obviously_implies(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AtLeastZero(this), Self::AtLeastZero(other)) => this.terms() == other.terms() && this.constant() <= other.constant(),
            _ => self == other,
        }
    }

    /// Whether no vector satisfies it, for an obvious reason: nothing in it can
    /// make it larger than its constant, or nothing is divided by one.
    fn obviously_false(&self) -> bool {
        match self {
            Self::AtLeastZero(expression) => {
                expression.constant() < 0 && expression.terms().iter().all(|&(_, coefficient)| coefficient < 0)
            }
            Self::NotDivisible(_, divisor) => divisor.get() == 1,
        }
    }
}

/// That an expression is at least zero, with what is subtracted on the other side.
fn sides(expression: &Expression) -> Option<(Expression, &'static str, Expression)> {
    let side = |sign: i64, constant: i64| {
        let terms = expression.terms().iter().filter(|&&(_, coefficient)| coefficient.signum() == sign);
        Expression::from_wide(terms.map(|&(letter, coefficient)| (letter, i128::from(coefficient) * i128::from(sign))), constant.into())
    };
    let positive = expression.terms().iter().any(|&(_, coefficient)| coefficient > 0);
    let negative = expression.terms().iter().any(|&(_, coefficient)| coefficient < 0);
    let constant = expression.constant();
    let (left, sign, right) = match (positive, negative) {
        (false, true) => (side(-1, 0), "≤", side(1, constant)),
        (true, true) if constant > 0 => (side(1, constant), "≥", side(-1, 0)),
        (true, _) => (side(1, 0), "≥", side(-1, constant.checked_neg()?)),
        (false, false) => (side(1, constant), "≥", side(-1, 0)),
    };
    Some((left?, sign, right?))
}

/// A disjunction of literals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clause {
    literals: Vec<Literal>,
}

impl Clause {
    /// Any of the literals, without those that say nothing more.
    pub fn new(literals: impl IntoIterator<Item = Literal>) -> Self {
        let mut kept: Vec<Literal> = Vec::new();
        for literal in literals {
            if literal.obviously_false() || kept.iter().any(|other| literal.obviously_implies(other)) {
                continue;
            }
            kept.retain(|other| !other.obviously_implies(&literal));
            kept.push(literal);
        }
        Self { literals: kept }
    }

    /// The literals. If there are none, the clause never holds.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// Whether `vector` satisfies one of the literals.
    pub fn holds(&self, vector: &Counts<Letter>) -> Result<bool, Error> {
        for literal in &self.literals {
            if literal.holds(vector)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The vectors that are not in a semilinear set: those for which all clauses hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complement {
    letters: usize,
    clauses: Vec<Clause>,
}

impl Complement {
    /// How many letters there are.
    pub fn letters(&self) -> usize {
        self.letters
    }

    /// A clause for each component whose periods are independent, except that
    /// equal ones occur once.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// Whether `vector` is not in the set.
    pub fn holds(&self, vector: &Counts<Letter>) -> Result<bool, Error> {
        for clause in &self.clauses {
            if !clause.holds(vector)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Semilinear {
    /// The clauses that hold for exactly the vectors that are not in this set.
    pub fn clauses(&self, work: &mut SetWork<'_>) -> Result<Complement, Error> {
        let mut clauses: Vec<Clause> = Vec::new();
        for component in self.independent(work)?.components() {
            // Elimination clears a column in each row for each period.
            let periods = ticks(component.periods().len());
            let support = component.periods().iter().fold(0, |sum, period| ticks(period.letters().support()).saturating_add(sum));
            work.budget.spend(periods.saturating_mul(support).saturating_add(ticks(self.letters())).saturating_add(1))?;
            // Periods have been made independent, so that there are forms.
            let Some(forms) = component.forms(self.letters())? else { continue };
            let mut literals = Vec::new();
            for form in &forms.periods {
                literals.push(Literal::AtLeastZero(expression::below_zero(&form.expression)?));
            }
            for form in &forms.periods {
                if let Some(divisor) = NonZeroU64::new(form.divisor) {
                    literals.push(Literal::NotDivisible(form.expression.clone(), divisor));
                }
            }
            for rest in &forms.rest {
                literals.push(Literal::AtLeastZero(expression::less_one(rest)?));
                literals.push(Literal::AtLeastZero(expression::below_zero(rest)?));
            }
            clauses.push(Clause::new(literals));
        }
        let mut seen = std::collections::HashSet::new();
        clauses.retain(|clause| seen.insert(clause.clone()));
        Ok(Complement { letters: self.letters(), clauses })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(letter: Letter) -> String {
        ["a", "b", "c"][letter.0].to_string()
    }

    fn at_least_zero(constant: i64, coefficients: &[i64]) -> Literal {
        let terms = coefficients.iter().enumerate().map(|(letter, &coefficient)| (Letter(letter), coefficient));
        Literal::AtLeastZero(Expression::new(terms, constant).unwrap())
    }

    #[test]
    fn texts() {
        let text = |literal: Literal| literal.display(&name).to_string();
        assert_eq!(text(at_least_zero(-3, &[1, 2])), "a + 2·b ≥ 3");
        assert_eq!(text(at_least_zero(3, &[1, -2])), "a + 3 ≥ 2·b");
        assert_eq!(text(at_least_zero(-3, &[1, -2])), "a ≥ 2·b + 3");
        assert_eq!(text(at_least_zero(3, &[-1, -2])), "a + 2·b ≤ 3");
        assert_eq!(text(at_least_zero(-1, &[])), "−1 ≥ 0");
        let Literal::AtLeastZero(expression) = at_least_zero(-4, &[1, 0, -1]) else { return };
        assert_eq!(text(Literal::NotDivisible(expression, NonZeroU64::new(2).unwrap())), "2 ∤ a − c − 4");
    }

    #[test]
    fn literals_that_say_nothing() {
        let clause = Clause::new([
            at_least_zero(-3, &[1]),
            at_least_zero(-1, &[1]),
            at_least_zero(-2, &[1]),
            at_least_zero(-1, &[-1]),
            at_least_zero(-1, &[-1, 1]),
        ]);
        assert_eq!(clause.literals(), [at_least_zero(-1, &[1]), at_least_zero(-1, &[-1, 1])]);
    }
}
