//! What a proof tree refutes.

use std::fmt;

use super::Reference;

/// A linear expression with integer coefficients: the sum of `coefficient ·
/// variable` over its terms, plus a constant.
///
/// Terms are sorted by variable, no variable has two, and no coefficient is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Linear {
    terms: Vec<(u32, i64)>,
    constant: i64,
}

impl Linear {
    /// Adds up terms in any order; `None` where a sum does not fit.
    pub fn new(terms: impl IntoIterator<Item = (u32, i64)>, constant: i64) -> Option<Self> {
        let mut given: Vec<(u32, i64)> = terms.into_iter().collect();
        given.sort_unstable_by_key(|&(variable, _)| variable);
        let mut terms: Vec<(u32, i64)> = Vec::with_capacity(given.len());
        for (variable, coefficient) in given {
            match terms.last_mut() {
                Some((last, sum)) if *last == variable => *sum = sum.checked_add(coefficient)?,
                _ => terms.push((variable, coefficient)),
            }
        }
        terms.retain(|&(_, coefficient)| coefficient != 0);
        Some(Self { terms, constant })
    }

    /// Takes terms that are sorted, without repetition and without 0; `None`
    /// where they are not.
    pub fn from_sorted(terms: Vec<(u32, i64)>, constant: i64) -> Option<Self> {
        let sorted = terms.is_sorted_by(|(a, _), (b, _)| a < b) && terms.iter().all(|&(_, coefficient)| coefficient != 0);
        sorted.then_some(Self { terms, constant })
    }

    /// Variables and their coefficients, sorted by variable.
    pub fn terms(&self) -> &[(u32, i64)] {
        &self.terms
    }

    /// What is added to the terms.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// Whether all variables are below `variables`.
    pub fn is_over(&self, variables: u32) -> bool {
        self.terms.last().is_none_or(|&(variable, _)| variable < variables)
    }

    /// The value where variable `v` is `values[v]`, and 0 where there is no
    /// such entry; `None` where it does not fit.
    pub fn value(&self, values: &[i64]) -> Option<i128> {
        self.terms.iter().try_fold(i128::from(self.constant), |sum, &(variable, coefficient)| {
            let value = values.get(variable as usize).copied().unwrap_or(0);
            sum.checked_add(i128::from(coefficient) * i128::from(value))
        })
    }
}

/// One way to meet a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// The expression is at least 0.
    AtLeastZero(Linear),
    /// The number, at least 1, does not divide the expression.
    NotDivisible(Linear, u64),
}

impl Literal {
    /// The expression.
    pub fn linear(&self) -> &Linear {
        match self {
            Self::AtLeastZero(linear) | Self::NotDivisible(linear, _) => linear,
        }
    }

    /// Whether it holds at these values; see [`Linear::value`].
    pub fn holds(&self, values: &[i64]) -> Option<bool> {
        let value = self.linear().value(values)?;
        Some(match self {
            Self::AtLeastZero(_) => value >= 0,
            Self::NotDivisible(_, divisor) => !value.unsigned_abs().is_multiple_of(u128::from(*divisor)),
        })
    }
}

/// Are there non-negative integers that meet all of this?
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// How many variables there are. Each is an integer and at least 0.
    pub variables: u32,
    /// Expressions that must be 0.
    pub equalities: Vec<Linear>,
    /// Expressions that must be at least 0.
    pub inequalities: Vec<Linear>,
    /// Of each of these, one literal must hold.
    pub clauses: Vec<Vec<Literal>>,
}

impl Problem {
    /// Whether these are non-negative integers that meet everything; see
    /// [`Linear::value`].
    pub fn is_solved_by(&self, values: &[i64]) -> bool {
        values.iter().all(|&value| value >= 0)
            && self.equalities.iter().all(|linear| linear.value(values) == Some(0))
            && self.inequalities.iter().all(|linear| linear.value(values).is_some_and(|value| value >= 0))
            && self.clauses.iter().all(|clause| clause.iter().any(|literal| literal.holds(values) == Some(true)))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fact(index) => write!(f, "fact {index}"),
            Self::AtLeastZero(variable) => write!(f, "variable {variable} ≥ 0"),
        }
    }
}
