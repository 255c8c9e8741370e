//! Linear programs over the rationals.
//!
//! The least value of a linear expression among all non-negative rationals that
//! meet equalities and inequalities, and a vertex where it is taken: a point at
//! which as many constraints hold with equality as there are variables, counted
//! without those that follow from others. In terms of equalities alone: the
//! columns of the variables that are not 0 at a vertex are linearly independent.
//!
//! The simplex ends at such a point. Each variable that is not basic is at one of its
//! bounds, from the beginning on (those of the problem are at 0) and after each
//! pivot; the values of the others follow from these.

use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Problem};

use crate::simplex::{Bound, Side, Simplex, Source, Variable};
use crate::{Int, Rational};

/// What there is to a linear program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Optimum {
    /// No values meet the constraints.
    Infeasible,
    /// The objective can be made arbitrarily small.
    Unbounded,
    /// A vertex where the objective is least, by variable, and that value.
    Vertex(Vec<Rational>, Rational),
}

/// Makes an expression as small as possible under the equalities and
/// inequalities of a problem, whose clauses have no say here.
///
/// ```
/// use serval_arith::{Int, Rational, lp::{Optimum, minimise}};
/// use serval_budget::Budget;
/// use serval_linear::{Linear, Problem};
/// let linear = |terms: &[(u32, i64)], constant| Linear::new(terms.iter().copied(), constant).unwrap();
/// // 2x + y ≥ 1: the least x + y is at x = 1/2.
/// let problem = Problem { variables: 2, inequalities: vec![linear(&[(0, 2), (1, 1)], -1)], ..Problem::default() };
/// let half = Rational::new(&Int::ONE, &Int::from(2_i64)).unwrap();
/// let least = minimise(&problem, &linear(&[(0, 1), (1, 1)], 0), &mut Budget::unlimited()).unwrap();
/// assert_eq!(least, Optimum::Vertex(vec![half.clone(), Rational::ZERO], half));
/// ```
pub fn minimise(problem: &Problem, objective: &Linear, budget: &mut Budget) -> Result<Optimum, Stopped> {
    let mut simplex = Simplex::default();
    let variables: Vec<Variable> = (0..problem.variables).map(|_| simplex.variable()).collect();
    for &variable in &variables {
        budget.spend(1)?;
        simplex.assume(variable, Side::Lower, bound(Rational::ZERO, Source::Nonnegative(variable)), budget)?;
    }
    let equalities = (0..).zip(&problem.equalities).map(|(index, linear)| (linear, Source::Equality(index)));
    let inequalities = (0..).zip(&problem.inequalities).map(|(index, linear)| (linear, Source::Inequality(index)));
    for (linear, source) in equalities.chain(inequalities) {
        budget.spend(1 + linear.terms().len() as u64)?;
        let defined = simplex.define(&terms(linear, &variables)?);
        let value = Rational::from(&-&Int::from(linear.constant()));
        simplex.assume(defined, Side::Lower, bound(value.clone(), source), budget)?;
        if matches!(source, Source::Equality(_)) {
            simplex.assume(defined, Side::Upper, bound(value, source), budget)?;
        }
    }
    let cost = simplex.define(&terms(objective, &variables)?);
    if simplex.check(None, budget)?.is_some() {
        return Ok(Optimum::Infeasible);
    }
    if !simplex.minimise(cost, budget)? {
        return Ok(Optimum::Unbounded);
    }
    let least = simplex.value(cost) + &Rational::from(objective.constant());
    Ok(Optimum::Vertex(variables.iter().map(|&variable| simplex.value(variable).clone()).collect(), least))
}

/// A bound whose reason nobody asks for.
fn bound(value: Rational, source: Source) -> Bound {
    Bound { value, source, factor: Rational::ONE }
}

/// The terms of an expression; an expression over other variables is no part of
/// any program.
fn terms(linear: &Linear, variables: &[Variable]) -> Result<Vec<(Variable, Int)>, Stopped> {
    let term = |&(variable, coefficient): &(u32, i64)| Some((*variables.get(variable as usize)?, Int::from(coefficient)));
    linear.terms().iter().map(term).collect::<Option<_>>().ok_or(Stopped::OutOfTicks)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn linear(terms: &[(u32, i64)], constant: i64) -> Linear {
        Linear::new(terms.iter().copied(), constant).unwrap()
    }

    fn solved(problem: &Problem, objective: &Linear) -> Optimum {
        minimise(problem, objective, &mut Budget::ticks(1_000_000)).unwrap()
    }

    #[test]
    fn what_there_can_be() {
        let none = Problem { variables: 1, equalities: vec![linear(&[(0, 1)], 1)], ..Problem::default() };
        assert_eq!(solved(&none, &linear(&[], 0)), Optimum::Infeasible);
        let constant = Problem { variables: 1, inequalities: vec![linear(&[], -1)], ..Problem::default() };
        assert_eq!(solved(&constant, &linear(&[], 0)), Optimum::Infeasible);
        let free = Problem { variables: 2, equalities: vec![linear(&[(0, 1), (1, -1)], 0)], ..Problem::default() };
        assert_eq!(solved(&free, &linear(&[(0, -1)], 0)), Optimum::Unbounded);
        assert_eq!(solved(&free, &linear(&[(0, 1), (1, -1)], 7)), Optimum::Vertex(vec![Rational::ZERO; 2], Rational::from(7)));
        assert_eq!(minimise(&free, &linear(&[], 0), &mut Budget::ticks(1)), Err(Stopped::OutOfTicks));
    }

    /// Whether the columns are linearly independent, by elimination.
    fn independent(mut columns: Vec<Vec<Rational>>) -> bool {
        while let Some(first) = columns.pop() {
            let Some(row) = first.iter().position(|value| !value.is_zero()) else { return false };
            for other in &mut columns {
                let factor = (&other[row] / &first[row]).unwrap();
                for (value, by) in other.iter_mut().zip(&first) {
                    *value = &*value - &(&factor * by);
                }
            }
        }
        true
    }

    proptest! {
        /// A vertex meets the constraints, has independent columns, and no point of
        /// a box is better.
        #[test]
        fn vertices(
            rows in prop::collection::vec((prop::collection::vec(-2_i64..=2, 3), -3_i64..=3, any::<bool>()), 0..4),
            costs in prop::collection::vec(-2_i64..=2, 3),
        ) {
            let row = |(coefficients, constant, _): &(Vec<i64>, i64, bool)| Linear::new((0..).zip(coefficients.iter().copied()), *constant).unwrap();
            let equalities: Vec<Linear> = rows.iter().filter(|row| row.2).map(row).collect();
            let inequalities: Vec<Linear> = rows.iter().filter(|row| !row.2).map(row).collect();
            let problem = Problem { variables: 3, equalities, inequalities, ..Problem::default() };
            let objective = Linear::new((0..).zip(costs), 0).unwrap();
            let value = |linear: &Linear, point: &[Rational]| linear.terms().iter().fold(Rational::from(linear.constant()), |sum, &(variable, n)| &sum + &(&Rational::from(n) * &point[variable as usize]));
            let points: Vec<Vec<i64>> = (0..5_i64.pow(3)).map(|n| vec![n % 5, n / 5 % 5, n / 25]).collect();
            let solutions = points.iter().filter(|point| serval_linear::is_solved_by(&problem, point));
            let values = solutions.map(|point| objective.value(|variable| point[variable as usize].into()).unwrap());
            let best = values.min();
            match solved(&problem, &objective) {
                Optimum::Infeasible => prop_assert_eq!(best, None),
                Optimum::Unbounded => {}
                Optimum::Vertex(point, least) => {
                    prop_assert!(point.iter().all(|value| value.signum() >= 0));
                    prop_assert!(problem.equalities.iter().all(|linear| value(linear, &point).is_zero()));
                    prop_assert!(problem.inequalities.iter().all(|linear| value(linear, &point).signum() >= 0));
                    prop_assert_eq!(&value(&objective, &point), &least);
                    prop_assert!(best.is_none_or(|best| least <= Rational::from(i64::try_from(best).unwrap())));
                    // Columns of what is not 0, where inequalities have slacks.
                    let all: Vec<&Linear> = problem.equalities.iter().chain(&problem.inequalities).collect();
                    let mut columns: Vec<Vec<Rational>> = Vec::new();
                    for variable in (0..3).filter(|&variable: &u32| !point[variable as usize].is_zero()) {
                        let entry = |linear: &&Linear| linear.terms().iter().find(|term| term.0 == variable).map_or(Rational::ZERO, |term| Rational::from(term.1));
                        columns.push(all.iter().map(entry).collect());
                    }
                    for (index, linear) in all.iter().enumerate().skip(problem.equalities.len()) {
                        if !value(linear, &point).is_zero() {
                            columns.push((0..all.len()).map(|row| Rational::from(i64::from(row == index))).collect());
                        }
                    }
                    prop_assert!(independent(columns), "{:?}", point);
                }
            }
        }
    }
}
