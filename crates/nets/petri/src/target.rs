//! What is asked of a marking.

use std::num::NonZeroU64;

use crate::{Marking, PlaceId};

/// A linear expression over places, unless said otherwise.
pub type Linear<V = PlaceId> = serval_linear::Linear<V>;

/// The expression over other variables, without those that have none and stand
/// for 0. Different variables must remain different.
fn renamed<V: Ord + Copy, W: Ord + Copy>(expression: &Linear<V>, name: impl Fn(V) -> Option<W>) -> Linear<W> {
    let terms = expression.terms().iter().filter_map(|&(variable, c)| Some((name(variable)?, c)));
    let renamed = Linear::new(terms, expression.constant());
    renamed.unwrap_or_else(|| unreachable!("each sum has one term"))
}

/// The value of an expression in a marking, where that and the sums on the way to it fit 128 bits.
fn small_value<V: Ord + Copy>(expression: &Linear<V>, tokens: impl Fn(V) -> u64) -> Option<i128> {
    let product = |&(variable, coefficient): &(V, i64)| i128::from(coefficient).checked_mul(i128::from(tokens(variable)));
    expression.terms().iter().try_fold(i128::from(expression.constant()), |sum, term| sum.checked_add(product(term)?))
}

/// The value of an expression in a marking, whatever its size.
fn value<V: Ord + Copy>(expression: &Linear<V>, tokens: impl Fn(V) -> u64) -> ExactSum {
    let mut value = ExactSum::default();
    value.add(expression.constant().into());
    for &(variable, coefficient) in expression.terms() {
        // 2⁶³ · 2⁶⁴ in absolute value is the smallest number of 128 bits,
        // which is reached by no product, as there are at most 2⁶⁴ − 1 tokens.
        value.add(i128::from(coefficient) * i128::from(tokens(variable)));
    }
    value
}

/// A sum of up to 2⁶² numbers of 128 bits, exactly: `high · 2⁶⁴ + low`.
#[derive(Clone, Copy, Default)]
struct ExactSum {
    high: i128,
    /// Below 2⁶⁴.
    low: i128,
}

const HALF: i128 = 1 << 64;

impl ExactSum {
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
        if let Some(value) = small_value(self.expression(), &tokens) {
            return match self {
                Self::AtLeastZero(_) => value >= 0,
                Self::Zero(_) => value == 0,
                Self::NotDivisible { divisor, .. } => value.rem_euclid(i128::from(divisor.get())) != 0,
            };
        }
        let value = value(self.expression(), tokens);
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
            Self::AtLeastZero(expression) => Constraint::AtLeastZero(renamed(expression, name)),
            Self::Zero(expression) => Constraint::Zero(renamed(expression, name)),
            Self::NotDivisible { divisor, expression } => {
                Constraint::NotDivisible { divisor: *divisor, expression: renamed(expression, name) }
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
        assert_eq!(Linear::new([(place(1), i64::MAX), (place(1), 1)], 0), None);
        assert!(Linear::new([(place(1), i64::MAX), (place(1), 1), (place(1), -1)], 0).is_some());
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
