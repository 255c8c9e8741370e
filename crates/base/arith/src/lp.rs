//! Linear programming over the rationals by the primal simplex, with the rule of Bland 1977.
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
//!
//! Where many expressions are to be made large under the same inequalities, a [`Region`] keeps the tableau from one to
//! the next.

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

/// All rationals `x ≥ 0` at which some expressions are at least 0, of which `x = 0` is one. One expression after the
/// other is made as large as possible, each from where the one before it ended, on one tableau.
///
/// ```
/// use serval_arith::{Rational, lp::{Largest, Region}};
/// use serval_budget::Budget;
/// use serval_linear::Linear;
/// let linear = |terms: &[(u32, i64)], constant| Linear::new(terms.iter().copied(), constant).unwrap();
/// // 3 − x ≥ 0 and 2x − y ≥ 0, so y is at most 6: y + 1·(2x − y) + 2·(3 − x) = 6.
/// let expressions = [linear(&[(0, -1)], 3), linear(&[(0, 2), (1, -1)], 0), linear(&[(1, 1)], 0)];
/// let mut region = Region::around_zero(2, &expressions, &mut Budget::unlimited()).unwrap().unwrap();
/// let largest = region.largest(2, &mut Budget::unlimited()).unwrap();
/// let Largest::Multipliers(multipliers) = largest else { panic!("unbounded") };
/// assert_eq!(multipliers, [(0, Rational::from(2)), (1, Rational::from(1))]);
/// ```
pub struct Region {
    simplex: Simplex,
    /// For each variable of the simplex the expression that it is, if it is one.
    expression_of: Vec<Option<usize>>,
    defined: Vec<Variable>,
}

/// How large an expression can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Largest {
    /// Arbitrarily large.
    Unbounded,
    /// No larger than this shows: multiples of some expressions, each by a positive number and ascending, which added
    /// to it give an expression in which no variable has a positive coefficient. Its value at `x = 0` is the largest
    /// value, and no other multiples give a smaller one.
    Multipliers(Vec<(usize, Rational)>),
}

impl Region {
    /// The region of these expressions over this number of variables; `None` where `x = 0` is not in it, or an
    /// expression has other variables.
    pub fn around_zero(variables: u32, expressions: &[Linear], budget: &mut Budget) -> Result<Option<Self>, Stopped> {
        let mut simplex = Simplex::default();
        let variables: Vec<Variable> = (0..variables).map(|_| simplex.variable()).collect();
        for &variable in &variables {
            budget.spend(1)?;
            simplex.assume(variable, Side::Lower, bound(Rational::ZERO, Source::Nonnegative(variable)), budget)?;
        }
        let mut expression_of = vec![None; variables.len()];
        let mut defined = Vec::with_capacity(expressions.len());
        for (index, linear) in (0..).zip(expressions) {
            budget.spend(1 + linear.terms().len() as u64)?;
            let (false, Ok(terms)) = (linear.constant() < 0, terms(linear, &variables)) else { return Ok(None) };
            let value = Rational::from(&-&Int::from(linear.constant()));
            let variable = simplex.define(&terms);
            simplex.assume(variable, Side::Lower, bound(value, Source::Inequality(index)), budget)?;
            expression_of.push(Some(defined.len()));
            defined.push(variable);
        }
        Ok(Some(Self { simplex, expression_of, defined }))
    }

    /// How large an expression can be. If this was cancelled, so is whatever is asked of the region afterwards.
    pub fn largest(&mut self, expression: usize, budget: &mut Budget) -> Result<Largest, Stopped> {
        let Some(&variable) = self.defined.get(expression) else { return Ok(Largest::Unbounded) };
        if !self.simplex.push(variable, true, budget)? {
            return Ok(Largest::Unbounded);
        }
        // It is its largest value and something non-positive times what is not basic, all of which is at its lower
        // bound.
        let rates = self.simplex.rates(variable).filter_map(|(other, rate)| Some((self.expression_of[other.index()]?, -&rate)));
        let mut multipliers: Vec<(usize, Rational)> = rates.collect();
        multipliers.sort_unstable_by_key(|one| one.0);
        Ok(Largest::Multipliers(multipliers))
    }
}

/// A bound whose reason is not needed.
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

    /// How many cases a property is tried on.
    fn cases(sweep: serval_effort::Sweep) -> ProptestConfig {
        ProptestConfig::with_cases(u32::try_from(sweep.count()).unwrap())
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

    proptest! {
        #![proptest_config(cases(serval_effort::sweep("arith.largest", 128, 256)))]

        /// Whatever was asked before, multiples show the largest value, which a program by itself finds as well.
        #[test]
        fn regions(
            rows in prop::collection::vec((prop::collection::vec(-2_i64..=2, 3), 0_i64..=3), 1..6),
            asked in prop::collection::vec(0_usize..6, 1..8),
        ) {
            let row = |(coefficients, constant): &(Vec<i64>, i64)| Linear::new((0..).zip(coefficients.iter().copied()), *constant).unwrap();
            let expressions: Vec<Linear> = rows.iter().map(row).collect();
            let mut region = Region::around_zero(3, &expressions, &mut Budget::unlimited()).unwrap().unwrap();
            for asked in asked.into_iter().map(|asked| asked % expressions.len()) {
                let problem = Problem { variables: 3, inequalities: expressions.clone(), ..Problem::default() };
                let opposite = Linear::new(expressions[asked].terms().iter().map(|&(variable, n)| (variable, -n)), 0).unwrap();
                let least = solved(&problem, &opposite);
                match region.largest(asked, &mut Budget::unlimited()).unwrap() {
                    Largest::Unbounded => prop_assert_eq!(least, Optimum::Unbounded),
                    Largest::Multipliers(multipliers) => {
                        let mut sum = [rows[asked].0.clone(), vec![rows[asked].1]].concat().into_iter().map(Rational::from).collect::<Vec<_>>();
                        for (other, factor) in multipliers {
                            prop_assert!(factor.signum() > 0);
                            for (sum, term) in sum.iter_mut().zip(rows[other].0.iter().chain([&rows[other].1])) {
                                *sum = &*sum + &(&factor * &Rational::from(*term));
                            }
                        }
                        let Optimum::Vertex(_, least) = least else { panic!("{least:?}") };
                        prop_assert_eq!(&sum[3] - &Rational::from(rows[asked].1), -&least);
                        prop_assert!(sum[..3].iter().all(|factor| factor.signum() <= 0));
                    }
                }
                region.simplex.check_invariants();
            }
        }
    }

    #[test]
    fn regions_have_zero_in_them() {
        let budget = &mut Budget::unlimited();
        assert!(Region::around_zero(1, &[linear(&[(0, 1)], -1)], budget).unwrap().is_none());
        assert!(Region::around_zero(1, &[linear(&[(1, 1)], 0)], budget).unwrap().is_none());
        let mut region = Region::around_zero(1, &[linear(&[], 5)], budget).unwrap().unwrap();
        assert_eq!(region.largest(0, budget), Ok(Largest::Multipliers(Vec::new())));
        assert_eq!(region.largest(1, budget), Ok(Largest::Unbounded));
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
        #![proptest_config(cases(serval_effort::sweep("arith.vertices", 128, 256)))]

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
