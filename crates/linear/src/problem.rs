//! What a proof tree refutes.

use std::fmt;

use crate::Reference;

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
    /// Whether it speaks of its variables only, and divides by no 0.
    pub(crate) fn is_well_formed(&self) -> bool {
        let literals = || self.clauses.iter().flatten();
        let linears = self.equalities.iter().chain(&self.inequalities).chain(literals().map(Literal::linear));
        linears.into_iter().all(|linear| linear.is_over(self.variables))
            && literals().all(|literal| !matches!(literal, Literal::NotDivisible(_, 0)))
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
