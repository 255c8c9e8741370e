//! Integers of any size that are fast while they are small.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_int::IBig;
use dashu_int::ops::{DivRem, Gcd, UnsignedAbs};

/// An integer: a machine word where it fits, and a big integer where it does
/// not.
///
/// ```
/// use serval_arith::Int;
/// let big = &Int::from(i64::MAX) + &Int::ONE;
/// assert_eq!(big.to_string(), "9223372036854775808");
/// assert_eq!(&big - &Int::ONE, Int::from(i64::MAX));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

/// Invariant: `Big` only where the number does not fit into `Small`, so that
/// equal numbers are equal values.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Box<IBig>),
}

impl Int {
    /// 0.
    pub const ZERO: Self = Self(Repr::Small(0));
    /// 1.
    pub const ONE: Self = Self(Repr::Small(1));

    /// The number, if it is a machine word.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(small) => Some(small),
            Repr::Big(_) => None,
        }
    }

    /// The number, if it fits into two machine words.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Repr::Small(small) => Some(i128::from(*small)),
            Repr::Big(big) => i128::try_from(big.as_ref()).ok(),
        }
    }

    pub(crate) fn to_big(&self) -> IBig {
        match &self.0 {
            Repr::Small(small) => IBig::from(*small),
            Repr::Big(big) => big.as_ref().clone(),
        }
    }

    pub(crate) fn from_big(big: IBig) -> Self {
        match i64::try_from(&big) {
            Ok(small) => Self(Repr::Small(small)),
            Err(_) => Self(Repr::Big(Box::new(big))),
        }
    }

    /// −1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(small) => i32::from(*small > 0) - i32::from(*small < 0),
            Repr::Big(big) => {
                if **big > IBig::ZERO {
                    1
                } else {
                    -1
                }
            }
        }
    }

    /// Whether it is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Whether it is 1 or −1.
    #[inline]
    pub fn is_unit(&self) -> bool {
        matches!(self.0, Repr::Small(1 | -1))
    }

    /// The number without its sign.
    pub fn abs(&self) -> Self {
        if self.signum() < 0 { -self } else { self.clone() }
    }

    /// The greatest common divisor, not negative; 0 of 0 and 0.
    pub fn gcd(&self, other: &Self) -> Self {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0) {
            return Self::from(gcd_words(a.unsigned_abs(), b.unsigned_abs()));
        }
        // The big library refuses 0 and 0, but one of the two is big here.
        Self::from_big(self.to_big().unsigned_abs().gcd(other.to_big().unsigned_abs()).into())
    }

    /// The quotient rounded down and the remainder, which has the sign of the
    /// divisor or is 0; `None` for the divisor 0.
    pub fn div_rem_floor(&self, divisor: &Self) -> Option<(Self, Self)> {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0)
            && let (Some(quotient), Some(remainder)) = (a.checked_div(*b), a.checked_rem(*b))
        {
            return Some(if remainder != 0 && (remainder < 0) != (*b < 0) {
                (Self(Repr::Small(quotient - 1)), Self(Repr::Small(remainder + b)))
            } else {
                (Self(Repr::Small(quotient)), Self(Repr::Small(remainder)))
            });
        }
        if divisor.is_zero() {
            return None;
        }
        let big = divisor.to_big();
        let (quotient, remainder) = self.to_big().div_rem(&big);
        let (quotient, remainder) = (Self::from_big(quotient), Self::from_big(remainder));
        Some(if remainder.signum() * divisor.signum() < 0 { (&quotient - &Self::ONE, &remainder + divisor) } else { (quotient, remainder) })
    }

    /// The quotient by a number that divides it; rounded down otherwise, and
    /// the number itself for the divisor 0.
    #[inline]
    pub(crate) fn div_exact(&self, divisor: &Self) -> Self {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0)
            && let Some(quotient) = a.checked_div(*b)
        {
            return Self(Repr::Small(quotient));
        }
        self.div_rem_floor(divisor).map_or_else(|| self.clone(), |(quotient, _)| quotient)
    }

    /// `a · x + b · y`: what row operations consist of.
    #[inline]
    pub(crate) fn combine(a: &Self, x: &Self, b: &Self, y: &Self) -> Self {
        if let (Repr::Small(a), Repr::Small(x), Repr::Small(b), Repr::Small(y)) = (&a.0, &x.0, &b.0, &y.0) {
            // Nearly all are 1 and −1.
            if let (Some(first), Some(second)) = (a.checked_mul(*x), b.checked_mul(*y))
                && let Some(sum) = first.checked_add(second)
            {
                return Self(Repr::Small(sum));
            }
            // Two products of words and their sum: at most 2¹²⁷, reached only by four smallest words.
            let (first, second) = (i128::from(*a) * i128::from(*x), i128::from(*b) * i128::from(*y));
            if let Some(sum) = first.checked_add(second) {
                return Self::from(sum);
            }
        }
        &(a * x) + &(b * y)
    }
}

pub(crate) fn gcd_words(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
    }
    a << shift
}

impl From<i64> for Int {
    #[inline]
    fn from(small: i64) -> Self {
        Self(Repr::Small(small))
    }
}

impl From<u64> for Int {
    #[inline]
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or_else(|_| Self(Repr::Big(Box::new(number.into()))), Self::from)
    }
}

impl From<i128> for Int {
    #[inline]
    fn from(number: i128) -> Self {
        i64::try_from(number).map_or_else(|_| Self(Repr::Big(Box::new(number.into()))), Self::from)
    }
}

macro_rules! operation {
    ($name:ident, $method:ident, $checked:ident, $symbol:tt) => {
        impl $name<&Int> for &Int {
            type Output = Int;

            #[inline]
            fn $method(self, other: &Int) -> Int {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
                    && let Some(small) = a.$checked(*b)
                {
                    return Int(Repr::Small(small));
                }
                Int::from_big(self.to_big() $symbol other.to_big())
            }
        }
    };
}

operation!(Add, add, checked_add, +);
operation!(Sub, sub, checked_sub, -);
operation!(Mul, mul, checked_mul, *);

impl Neg for &Int {
    type Output = Int;

    #[inline]
    fn neg(self) -> Int {
        &Int::ZERO - self
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            // A big number is beyond all small ones, on the side of its sign.
            (Repr::Small(_), Repr::Big(b)) => IBig::ZERO.cmp(b),
            (Repr::Big(a), Repr::Small(_)) => a.as_ref().cmp(&IBig::ZERO),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
        }
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(small) => small.fmt(f),
            Repr::Big(big) => big.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
