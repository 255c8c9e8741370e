//! Putting numbers into a problem.

use crate::{Linear, Literal, Problem};

/// Whether these are non-negative integers that meet everything. Variables for
/// which there is no entry are 0.
///
/// ```
/// use serval_linear::{Linear, Problem, is_solved_by};
/// let problem = Problem { variables: 1, equalities: vec![Linear::new([(0, 2)], -94).unwrap()], ..Problem::default() };
/// assert!(is_solved_by(&problem, &[47]) && !is_solved_by(&problem, &[]));
/// ```
pub fn is_solved_by(problem: &Problem, values: &[i64]) -> bool {
    values.iter().all(|&value| value >= 0)
        && problem.equalities.iter().all(|linear| value(linear, values) == Some(0))
        && problem.inequalities.iter().all(|linear| value(linear, values).is_some_and(|value| value >= 0))
        && problem.clauses.iter().all(|clause| clause.iter().any(|literal| literal.holds(values)))
}

impl Literal {
    /// Whether it holds at these values; not if its own value does not fit.
    pub fn holds(&self, values: &[i64]) -> bool {
        value(self.linear(), values).is_some_and(|value| match self {
            Self::AtLeastZero(_) => value >= 0,
            Self::NotDivisible(_, divisor) => !value.unsigned_abs().is_multiple_of(u128::from(*divisor)),
        })
    }
}

/// The value of an expression; `None` where it does not fit.
fn value(linear: &Linear, values: &[i64]) -> Option<i128> {
    linear.value(|variable| values.get(variable as usize).copied().unwrap_or(0).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let linear = |terms: &[(u32, i64)], constant| Linear::new(terms.iter().copied(), constant).unwrap();
        assert_eq!(value(&linear(&[(0, i64::MIN), (1, i64::MIN)], 0), &[i64::MIN, i64::MIN]), None);
        assert_eq!(value(&linear(&[(0, 3), (7, 1)], -1), &[2]), Some(5));
    }
}
