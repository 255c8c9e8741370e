//! What a proof tree refutes.

/// A linear expression with integer coefficients: the sum of `coefficient ·
/// variable` over its terms, plus a constant. Variables are numbers in a
/// [`Problem`], and places of a net or letters elsewhere.
///
/// Terms are sorted by variable, no variable has two, and no coefficient is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Linear<V = u32> {
    terms: Vec<(V, i64)>,
    constant: i64,
}

impl<V: Copy + Ord> Linear<V> {
    /// Adds up terms in any order; `None` where a sum does not fit.
    pub fn new(terms: impl IntoIterator<Item = (V, i64)>, constant: i64) -> Option<Self> {
        Self::from_wide(terms.into_iter().map(|(variable, coefficient)| (variable, coefficient.into())), constant.into())
    }

    /// As [`new`](Self::new), from numbers that may be too large.
    pub fn from_wide(terms: impl IntoIterator<Item = (V, i128)>, constant: i128) -> Option<Self> {
        let mut given: Vec<(V, i128)> = terms.into_iter().collect();
        given.sort_unstable_by_key(|&(variable, _)| variable);
        let mut terms: Vec<(V, i64)> = Vec::with_capacity(given.len());
        for same in given.chunk_by(|(a, _), (b, _)| a == b) {
            let sum = same.iter().try_fold(0_i128, |sum, &(_, coefficient)| sum.checked_add(coefficient))?;
            if let (Some(&(variable, _)), true) = (same.first(), sum != 0) {
                terms.push((variable, sum.try_into().ok()?));
            }
        }
        Some(Self { terms, constant: constant.try_into().ok()? })
    }

    /// The variable itself.
    pub fn variable(variable: V) -> Self {
        Self { terms: vec![(variable, 1)], constant: 0 }
    }

    /// Takes terms that are sorted, without repetition and without 0; `None`
    /// where they are not.
    pub fn from_sorted(terms: Vec<(V, i64)>, constant: i64) -> Option<Self> {
        let sorted = terms.is_sorted_by(|(a, _), (b, _)| a < b) && terms.iter().all(|&(_, coefficient)| coefficient != 0);
        sorted.then_some(Self { terms, constant })
    }

    /// Variables and their coefficients, sorted by variable.
    pub fn terms(&self) -> &[(V, i64)] {
        &self.terms
    }

    /// What is added to the terms.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// The value at these values of the variables; `None` where it does not fit.
    pub fn value(&self, of: impl Fn(V) -> i128) -> Option<i128> {
        self.terms.iter().try_fold(i128::from(self.constant), |sum, &(variable, coefficient)| {
            sum.checked_add(i128::from(coefficient).checked_mul(of(variable))?)
        })
    }
}

impl Linear {
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
