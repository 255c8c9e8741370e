//! Fractions of any size that are fast while they are small.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use dashu_int::IBig;
use dashu_ratio::RBig;

use crate::Int;
use crate::int::gcd_words;

/// A fraction: two machine words where it fits, and a big fraction where it
/// does not. Always in lowest terms.
///
/// ```
/// use serval_arith::{Int, Rational};
/// let half = Rational::new(&Int::from(2_i64), &Int::from(4_i64)).unwrap();
/// assert_eq!((half.floor(), (&half + &half).is_integer()), (Int::ZERO, true));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Rational(Repr);

/// Invariant: the denominator is positive, the terms are lowest, and `Big`
/// only where a part does not fit into a word, so that equal fractions are
/// equal values.
#[derive(Clone, PartialEq, Eq)]
enum Repr {
    Small(i64, i64),
    Big(Box<RBig>),
}

impl Rational {
    /// 0.
    pub const ZERO: Self = Self(Repr::Small(0, 1));
    /// 1.
    pub const ONE: Self = Self(Repr::Small(1, 1));

    /// A fraction; `None` for the denominator 0.
    pub fn new(numerator: &Int, denominator: &Int) -> Option<Self> {
        if denominator.is_zero() {
            return None;
        }
        if let (Some(a), Some(b)) = (numerator.to_i64(), denominator.to_i64()) {
            return Some(Self::reduced(a.into(), b.into()));
        }
        Some(Self::from_big(RBig::from_parts_signed(numerator.to_big(), denominator.to_big())))
    }

    /// In lowest terms. The denominator is not 0.
    #[inline]
    fn reduced(mut numerator: i128, mut denominator: i128) -> Self {
        if denominator < 0 {
            // Callers stay below 2¹²⁷ in size.
            (numerator, denominator) = (-numerator, -denominator);
        }
        let divisor = gcd_wide(numerator.unsigned_abs(), denominator.unsigned_abs());
        if divisor > 1 {
            // A divisor of a number below 2¹²⁷.
            let divisor = i128::try_from(divisor).unwrap_or(1);
            (numerator, denominator) = (numerator / divisor, denominator / divisor);
        }
        match (i64::try_from(numerator), i64::try_from(denominator)) {
            (Ok(a), Ok(b)) => Self(Repr::Small(a, b)),
            _ => Self(Repr::Big(Box::new(RBig::from_parts_signed(numerator.into(), denominator.into())))),
        }
    }

    fn to_big(&self) -> RBig {
        match &self.0 {
            Repr::Small(a, b) => RBig::from_parts_signed(IBig::from(*a), IBig::from(*b)),
            Repr::Big(big) => big.as_ref().clone(),
        }
    }

    fn from_big(big: RBig) -> Self {
        match (i64::try_from(big.numerator()), i64::try_from(big.denominator())) {
            (Ok(a), Ok(b)) => Self(Repr::Small(a, b)),
            _ => Self(Repr::Big(Box::new(big))),
        }
    }

    /// What is divided.
    pub fn numerator(&self) -> Int {
        match &self.0 {
            Repr::Small(a, _) => Int::from(*a),
            Repr::Big(big) => Int::from_big(big.numerator().clone()),
        }
    }

    /// What it is divided by, at least 1.
    pub fn denominator(&self) -> Int {
        match &self.0 {
            Repr::Small(_, b) => Int::from(*b),
            Repr::Big(big) => Int::from_big(IBig::from(big.denominator().clone())),
        }
    }

    /// Whether the denominator is 1.
    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small(_, b) => *b == 1,
            Repr::Big(big) => big.is_int(),
        }
    }

    /// Whether it is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// −1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(a, _) => i32::from(*a > 0) - i32::from(*a < 0),
            Repr::Big(big) => {
                if **big > RBig::ZERO {
                    1
                } else {
                    -1
                }
            }
        }
    }

    /// The greatest integer that is not greater.
    pub fn floor(&self) -> Int {
        match &self.0 {
            Repr::Small(a, b) => Int::from(a.div_euclid(*b)),
            Repr::Big(big) => Int::from_big(big.floor()),
        }
    }

    /// The fraction by which it exceeds its floor.
    pub fn fraction(&self) -> Self {
        self - &Self::from(&self.floor())
    }
}

fn gcd_wide(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    loop {
        if b == 1 || a == 1 {
            return 1;
        }
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return gcd_words(a, b).into();
        }
        if b == 0 {
            return a;
        }
        (a, b) = (b, a % b);
    }
}

impl From<&Int> for Rational {
    #[inline]
    fn from(number: &Int) -> Self {
        match number.to_i64() {
            Some(small) => Self(Repr::Small(small, 1)),
            None => Self(Repr::Big(Box::new(RBig::from(number.to_big())))),
        }
    }
}

impl From<i64> for Rational {
    #[inline]
    fn from(number: i64) -> Self {
        Self(Repr::Small(number, 1))
    }
}

impl From<Int> for Rational {
    #[inline]
    fn from(number: Int) -> Self {
        Self::from(&number)
    }
}

impl Add<&Rational> for &Rational {
    type Output = Rational;

    #[inline]
    fn add(self, other: &Rational) -> Rational {
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            if b == 1 && d == 1 {
                if let Some(sum) = a.checked_add(c) {
                    return Rational(Repr::Small(sum, 1));
                }
            } else {
                // Each product is at most 2⁶³·(2⁶³ − 1) in size, so the sum is below 2¹²⁷.
                let (a, b, c, d) = (i128::from(a), i128::from(b), i128::from(c), i128::from(d));
                return Rational::reduced(a * d + c * b, b * d);
            }
        }
        Rational::from_big(self.to_big() + other.to_big())
    }
}

impl Sub<&Rational> for &Rational {
    type Output = Rational;

    #[inline]
    fn sub(self, other: &Rational) -> Rational {
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            if b == 1 && d == 1 {
                if let Some(difference) = a.checked_sub(c) {
                    return Rational(Repr::Small(difference, 1));
                }
            } else {
                let (a, b, c, d) = (i128::from(a), i128::from(b), i128::from(c), i128::from(d));
                return Rational::reduced(a * d - c * b, b * d);
            }
        }
        Rational::from_big(self.to_big() - other.to_big())
    }
}

impl Mul<&Rational> for &Rational {
    type Output = Rational;

    #[inline]
    fn mul(self, other: &Rational) -> Rational {
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            if b == 1 && d == 1 {
                if let Some(product) = a.checked_mul(c) {
                    return Rational(Repr::Small(product, 1));
                }
            } else {
                return Rational::reduced(i128::from(a) * i128::from(c), i128::from(b) * i128::from(d));
            }
        }
        Rational::from_big(self.to_big() * other.to_big())
    }
}

impl Div<&Rational> for &Rational {
    /// `None` for the divisor 0.
    type Output = Option<Rational>;

    #[inline]
    fn div(self, other: &Rational) -> Option<Rational> {
        if other.is_zero() {
            return None;
        }
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            return Some(Rational::reduced(i128::from(a) * i128::from(d), i128::from(b) * i128::from(c)));
        }
        Some(Rational::from_big(self.to_big() / other.to_big()))
    }
}

impl Neg for &Rational {
    type Output = Rational;

    #[inline]
    fn neg(self) -> Rational {
        &Rational::ZERO - self
    }
}

impl Ord for Rational {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a, b), Repr::Small(c, d)) if b == d => a.cmp(c),
            (Repr::Small(a, b), Repr::Small(c, d)) => (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b))),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() { self.numerator().fmt(f) } else { write!(f, "{}/{}", self.numerator(), self.denominator()) }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
