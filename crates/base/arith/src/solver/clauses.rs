//! What the search knows of clauses: their literals as the simplex has them,
//! and which clause to split on.

use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal};

use super::frame::{Split, SplitFrame};
use super::{SimplexForm, Solver};
use crate::simplex::{Side, Variable};
use crate::{Int, Rational};

/// A form of a literal that the simplex knows.
#[derive(Clone)]
pub(super) struct Prepared {
    pub(super) form: SimplexForm,
    /// The quotient of a divisibility.
    pub(super) quotient: Option<Variable>,
}

impl Solver {
    /// The form of a literal; it is found once.
    pub(super) fn prepare(&mut self, clause: u32, literal: usize) -> Prepared {
        if let Some(prepared) = &self.literals[clause as usize][literal] {
            return prepared.clone();
        }
        let given = &self.problem.clauses[clause as usize][literal];
        let linear = given.linear().clone();
        let divisor = match given {
            Literal::AtLeastZero(_) => None,
            Literal::NotDivisible(_, divisor) => Some(*divisor),
        };
        let quotient = divisor.map(|_| self.simplex_variable());
        let form = self.form(&linear, quotient.zip(divisor));
        let prepared = Prepared { form, quotient };
        self.literals[clause as usize][literal] = Some(prepared.clone());
        prepared
    }

    /// The terms of a literal's expression and the greatest sum of them for
    /// which it does not hold; `None` where that does not fit.
    pub(super) fn negation(&self, clause: u32, literal: usize) -> Option<(Vec<(Variable, i64)>, i64)> {
        let linear = self.problem.clauses[clause as usize][literal].linear();
        let terms = linear.terms().iter().map(|&(number, coefficient)| (self.variables[number as usize], coefficient)).collect();
        Some((terms, linear.constant().checked_neg()?.checked_sub(1)?))
    }

    /// The value of an expression at the present point.
    fn value(&self, linear: &Linear) -> Rational {
        let mut sum = Rational::from(linear.constant());
        for &(number, coefficient) in linear.terms() {
            let value = self.simplex.value(self.variables[number as usize]);
            if !value.is_zero() {
                sum = &sum + &(value * &Rational::from(coefficient));
            }
        }
        sum
    }

    /// A split on a clause that does not hold at the present point: the one
    /// with the fewest cases that bounds leave open, the first of several. A
    /// divisibility is not judged before its expression is integral. Clauses
    /// on the way have been dealt with: a residue that is assumed holds as
    /// soon as its quotient is integral.
    ///
    /// If several cases are open, the split is on whether the literal that is
    /// closest to holding holds, so that cases do not overlap. It becomes a
    /// split on the clause again where nothing needed that.
    pub(super) fn violated_clause(&self, frames: &[SplitFrame], budget: &mut Budget) -> Result<Option<Split>, Stopped> {
        let mut best: Option<(u64, Split)> = None;
        let mut on_way = vec![false; self.problem.clauses.len()];
        for clause in frames.iter().filter_map(SplitFrame::clause) {
            on_way[clause as usize] = true;
        }
        for (index, clause) in (0..).zip(&self.problem.clauses).filter(|&(index, _)| !on_way[index as usize]) {
            let terms: usize = clause.iter().map(|literal| literal.linear().terms().len()).sum();
            budget.spend(1 + terms as u64 / 8)?;
            let mut cases = 0_u64;
            let mut closest: Option<(Rational, usize)> = None;
            let mut holds = false;
            for (place, literal) in clause.iter().enumerate() {
                let value = self.value(literal.linear());
                match literal {
                    Literal::AtLeastZero(linear) => {
                        holds = value.signum() >= 0;
                        if !holds && self.can_be_met(linear, self.literals[index as usize][place].as_ref()) {
                            cases = cases.saturating_add(1);
                            if closest.as_ref().is_none_or(|(closer, _)| value > *closer) {
                                closest = Some((value, place));
                            }
                        }
                    }
                    Literal::NotDivisible(_, divisor) => {
                        let remainder = value.numerator().div_rem_floor(&Int::from(*divisor)).map(|(_, remainder)| remainder);
                        holds = !value.is_integer() || remainder.is_some_and(|remainder| !remainder.is_zero());
                        cases = cases.saturating_add(divisor.saturating_sub(1));
                    }
                }
                if holds {
                    break;
                }
            }
            if holds {
                continue;
            }
            if best.as_ref().is_none_or(|(fewest, _)| cases < *fewest) {
                let literal = closest.map(|(_, literal)| literal).filter(|&literal| cases > 1 && self.negation(index, literal).is_some());
                best = Some((cases, literal.map_or(Split::Clause(index), |literal| Split::Literal { clause: index, literal })));
            }
            if cases <= 1 {
                break;
            }
        }
        Ok(best.map(|(_, split)| split))
    }

    /// Whether bounds of its variables, and of its form as a whole, leave it
    /// open that an expression is at least 0.
    fn can_be_met(&self, linear: &Linear, prepared: Option<&Prepared>) -> bool {
        if let Some((variable, factor)) = prepared.and_then(|prepared| prepared.form.scaled.as_ref()) {
            let side = if factor.signum() > 0 { Side::Upper } else { Side::Lower };
            if let Some(bound) = self.simplex.bound(*variable, side) {
                let most = &(&bound.value * &Rational::from(factor)) + &Rational::from(linear.constant());
                if most.signum() < 0 {
                    return false;
                }
            }
        }
        let mut most = Rational::from(linear.constant());
        for &(number, coefficient) in linear.terms() {
            let side = if coefficient > 0 { Side::Upper } else { Side::Lower };
            match self.simplex.bound(self.variables[number as usize], side) {
                None => return true,
                Some(bound) => most = &most + &(&bound.value * &Rational::from(coefficient)),
            }
        }
        most.signum() >= 0
    }
}
