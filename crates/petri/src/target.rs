//! What is asked of a marking.

use std::fmt;
use std::num::NonZeroU64;

use crate::{Marking, PlaceId};

/// A linear expression `Σ c·v + k` over variables `v`, places unless said
/// otherwise. Equal expressions are equal as data: the variables ascend and no
/// coefficient is 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Linear<V = PlaceId> {
    terms: Vec<(V, i64)>,
    constant: i64,
}

/// The coefficients of one variable sum up to more than 64 bits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearOverflow;

impl fmt::Display for LinearOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a coefficient does not fit 64 bits")
    }
}

impl std::error::Error for LinearOverflow {}

impl<V: Ord + Copy> Linear<V> {
    /// The expression with these terms, in any order; coefficients of the same
    /// variable add up.
    pub fn new(terms: impl IntoIterator<Item = (V, i64)>, constant: i64) -> Result<Self, LinearOverflow> {
        let wide = terms.into_iter().map(|(variable, coefficient)| (variable, i128::from(coefficient)));
        Self::from_wide(wide.collect(), constant.into()).ok_or(LinearOverflow)
    }

    /// As [`Linear::new`], from numbers that may be too large.
    pub(crate) fn from_wide(mut terms: Vec<(V, i128)>, constant: i128) -> Option<Self> {
        terms.sort_unstable_by_key(|&(variable, _)| variable);
        let mut merged: Vec<(V, i128)> = Vec::new();
        for (variable, coefficient) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == variable => *sum = sum.checked_add(coefficient)?,
                _ => merged.push((variable, coefficient)),
            }
        }
        let narrow = |(variable, coefficient): (V, i128)| i64::try_from(coefficient).ok().map(|coefficient| (variable, coefficient));
        let terms: Option<Vec<(V, i64)>> = merged.into_iter().filter(|&(_, coefficient)| coefficient != 0).map(narrow).collect();
        Some(Self { terms: terms?, constant: i64::try_from(constant).ok()? })
    }

    /// The variable itself.
    pub fn variable(variable: V) -> Self {
        Self { terms: vec![(variable, 1)], constant: 0 }
    }

    /// The variables in ascending order, with their coefficients, none of them 0.
    pub fn terms(&self) -> &[(V, i64)] {
        &self.terms
    }

    /// What is added to the terms.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// The expression over other variables, without those that have none and
    /// stand for 0. Different variables must remain different.
    fn renamed<W: Ord + Copy>(&self, name: impl Fn(V) -> Option<W>) -> Linear<W> {
        let mut terms: Vec<(W, i64)> = self.terms.iter().filter_map(|&(variable, c)| Some((name(variable)?, c))).collect();
        terms.sort_unstable_by_key(|&(variable, _)| variable);
        Linear { terms, constant: self.constant }
    }

    fn value(&self, tokens: impl Fn(V) -> u64) -> Wide {
        let mut value = Wide::default();
        value.add(self.constant.into());
        for &(variable, coefficient) in &self.terms {
            // 2⁶³ · 2⁶⁴ in absolute value is the smallest number of 128 bits,
            // which is reached by no product, as there are at most 2⁶⁴ − 1 tokens.
            value.add(i128::from(coefficient) * i128::from(tokens(variable)));
        }
        value
    }
}

/// A sum of up to 2⁶² numbers of 128 bits, exactly: `high · 2⁶⁴ + low`.
#[derive(Clone, Copy, Default)]
struct Wide {
    high: i128,
    /// Below 2⁶⁴.
    low: i128,
}

const HALF: i128 = 1 << 64;

impl Wide {
    fn add(&mut self, number: i128) {
        let low = self.low + number.rem_euclid(HALF);
        self.high += number.div_euclid(HALF) + low.div_euclid(HALF);
        self.low = low.rem_euclid(HALF);
    }

    fn is_zero(self) -> bool {
        self.high == 0 && self.low == 0
    }

    fn is_divisible(self, by: NonZeroU64) -> bool {
        let signed = i128::from(by.get());
        // Remainders are below 2⁶⁴, so that their products fit 128 bits.
        let rest = |number: i128| number.rem_euclid(signed).unsigned_abs();
        let by = u128::from(by.get());
        (rest(self.high) * rest(HALF) % by + rest(self.low)).is_multiple_of(by)
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constraint<V = PlaceId> {
    /// The expression is at least 0.
    AtLeastZero(Linear<V>),
    /// The expression is 0.
    Zero(Linear<V>),
    /// `divisor` does not divide the expression.
    NotDivisible {
        /// The number that does not divide it.
        divisor: NonZeroU64,
        /// What is not divided.
        expression: Linear<V>,
    },
}

impl<V: Ord + Copy> Constraint<V> {
    /// The expression.
    pub fn expression(&self) -> &Linear<V> {
        match self {
            Self::AtLeastZero(expression) | Self::Zero(expression) | Self::NotDivisible { expression, .. } => expression,
        }
    }

    /// Whether it holds for these values of the variables.
    pub fn holds(&self, tokens: impl Fn(V) -> u64) -> bool {
        let value = self.expression().value(tokens);
        match self {
            Self::AtLeastZero(_) => value.high >= 0,
            Self::Zero(_) => value.is_zero(),
            Self::NotDivisible { divisor, .. } => !value.is_divisible(*divisor),
        }
    }

    /// The condition over other variables; those without one stand for 0.
    /// Different variables must remain different.
    pub fn renamed<W: Ord + Copy>(&self, name: impl Fn(V) -> Option<W>) -> Constraint<W> {
        match self {
            Self::AtLeastZero(expression) => Constraint::AtLeastZero(expression.renamed(name)),
            Self::Zero(expression) => Constraint::Zero(expression.renamed(name)),
            Self::NotDivisible { divisor, expression } => {
                Constraint::NotDivisible { divisor: *divisor, expression: expression.renamed(name) }
            }
        }
    }
}

/// A set of markings: those for which all constraints hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    constraints: Vec<Constraint>,
}

impl Target {
    /// The markings for which all of these hold.
    pub fn new(constraints: Vec<Constraint>) -> Self {
        Self { constraints }
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Whether `marking` is one of them.
    pub fn holds(&self, marking: &Marking) -> bool {
        self.constraints.iter().all(|constraint| constraint.holds(|place| marking.tokens(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(index: usize) -> PlaceId {
        PlaceId::try_from_index(index).unwrap()
    }

    fn not_divisible(divisor: u64, expression: Linear) -> Constraint {
        Constraint::NotDivisible { divisor: NonZeroU64::new(divisor).unwrap(), expression }
    }

    #[test]
    fn expressions_are_canonical() {
        let one = Linear::new([(place(2), 3), (place(1), 1), (place(2), -3)], 5).unwrap();
        assert_eq!(one, Linear::new([(place(1), 1)], 5).unwrap());
        assert_eq!(Linear::new([(place(1), i64::MAX), (place(1), 1)], 0), Err(LinearOverflow));
        assert!(Linear::new([(place(1), i64::MAX), (place(1), 1), (place(1), -1)], 0).is_ok());
    }

    #[test]
    fn the_largest_numbers_are_exact() {
        let most = Marking::new(vec![u64::MAX; 4]);
        let sum = |coefficients: [i64; 4], constant| Linear::new(most.marked().map(|(p, _)| p).zip(coefficients), constant).unwrap();
        let holds = |constraint: Constraint| Target::new(vec![constraint]).holds(&most);
        for c in [i64::MIN, i64::MIN + 1, -1, 1, i64::MAX] {
            assert!(holds(Constraint::Zero(sum([c, 0, 0, 0], 0))) == (c == 0));
            assert_eq!(holds(Constraint::AtLeastZero(sum([c; 4], 0))), c > 0, "{c}");
            assert_eq!(holds(Constraint::AtLeastZero(sum([c; 4], -1))), c > 0, "{c}");
        }
        assert!(holds(Constraint::Zero(sum([i64::MAX, i64::MIN, 1, 0], 0))));
        assert!(!holds(Constraint::Zero(sum([i64::MAX, i64::MIN, 1, 0], 1))));
        assert!(holds(Constraint::AtLeastZero(sum([i64::MAX, i64::MIN, 1, 0], 0))));
        assert!(!holds(Constraint::AtLeastZero(sum([i64::MAX, i64::MIN, 1, 0], -1))));
        // 2⁶⁴ − 1 divides its multiples and, with 1 added, none of them.
        assert!(!holds(not_divisible(u64::MAX, sum([i64::MAX; 4], 0))));
        assert!(holds(not_divisible(u64::MAX, sum([i64::MIN; 4], 1))));
        assert!(!holds(not_divisible(3, sum([-1, -1, 0, 0], -3))));
        assert!(holds(not_divisible(7, sum([1, 0, 0, 0], 0))));
        assert!(!holds(not_divisible(1, sum([1, 0, 0, 0], 0))));
    }

    #[test]
    fn no_constraint_is_always_met() {
        assert!(Target::default().holds(&Marking::new(vec![])));
    }
}
