//! Affine expressions in the letters.

use std::fmt;

use crate::number::{gcd, minus, negative, plus, times};
use crate::{Counts, Error, Letter};

/// `constant + Σ coefficient(l) · r(l)`, where `r(l)` counts letter `l`.
///
/// No number in it is `i128::MIN`, so that each has a negative.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    constant: i128,
    terms: Vec<(Letter, i128)>,
}

impl Affine {
    /// Adds up what is said of each letter.
    pub fn new(constant: i128, terms: impl IntoIterator<Item = (Letter, i128)>) -> Result<Self, Error> {
        let mut sorted: Vec<(Letter, i128)> = terms.into_iter().collect();
        sorted.sort_by_key(|&(letter, _)| letter);
        let mut terms: Vec<(Letter, i128)> = Vec::with_capacity(sorted.len());
        for (letter, coefficient) in sorted {
            match terms.last_mut() {
                Some((last, sum)) if *last == letter => *sum = plus(*sum, coefficient)?,
                _ => terms.push((letter, coefficient)),
            }
        }
        terms.retain(|&(_, coefficient)| coefficient != 0);
        if constant == i128::MIN || terms.iter().any(|&(_, coefficient)| coefficient == i128::MIN) {
            return Err(Error::Overflow);
        }
        Ok(Self { constant, terms })
    }

    /// What does not depend on letters.
    pub fn constant(&self) -> i128 {
        self.constant
    }

    /// The letters on which it depends, in order, with their coefficients.
    pub fn terms(&self) -> &[(Letter, i128)] {
        &self.terms
    }

    /// What is multiplied with the count of `letter`.
    pub fn coefficient(&self, letter: Letter) -> i128 {
        let place = self.terms.binary_search_by_key(&letter, |&(letter, _)| letter).ok();
        place.and_then(|place| self.terms.get(place)).map_or(0, |&(_, coefficient)| coefficient)
    }

    /// Its value without the constant.
    pub(crate) fn linear_value(&self, vector: &Counts<Letter>) -> Result<i128, Error> {
        let mut value = 0;
        for &(letter, coefficient) in &self.terms {
            value = plus(value, times(coefficient, i128::from(vector.get(letter)))?)?;
        }
        Ok(value)
    }

    /// Its value.
    pub fn value(&self, vector: &Counts<Letter>) -> Result<i128, Error> {
        plus(self.linear_value(vector)?, self.constant)
    }

    /// `−E − 1`, which is not negative where `E` is.
    pub fn below_zero(&self) -> Result<Self, Error> {
        let terms = self.terms.iter().map(|&(letter, coefficient)| (letter, -coefficient));
        Self::new(minus(negative(self.constant)?, 1)?, terms)
    }

    /// `E − 1`.
    pub(crate) fn less_one(&self) -> Result<Self, Error> {
        Self::new(minus(self.constant, 1)?, self.terms.iter().copied())
    }

    /// The greatest common divisor of the coefficients, zero if there are none.
    pub(crate) fn content(&self) -> Result<i128, Error> {
        self.terms.iter().try_fold(0, |divisor, &(_, coefficient)| gcd(divisor, coefficient))
    }

    /// A text such as `2·a − b + 3`.
    pub fn display<'a>(&'a self, name: &'a dyn Fn(Letter) -> String) -> impl fmt::Display + 'a {
        Shown { affine: self, name }
    }
}

struct Shown<'a> {
    affine: &'a Affine,
    name: &'a dyn Fn(Letter) -> String,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, &(letter, coefficient)) in self.affine.terms.iter().enumerate() {
            let sign = match (place, coefficient < 0) {
                (0, false) => "",
                (0, true) => "−",
                (_, false) => " + ",
                (_, true) => " − ",
            };
            f.write_str(sign)?;
            if coefficient.unsigned_abs() != 1 {
                write!(f, "{}·", coefficient.unsigned_abs())?;
            }
            f.write_str(&(self.name)(letter))?;
        }
        let constant = self.affine.constant;
        match (self.affine.terms.is_empty(), constant) {
            (true, 0..) => write!(f, "{constant}"),
            (true, _) => write!(f, "−{}", constant.unsigned_abs()),
            (false, 0) => Ok(()),
            (false, 1..) => write!(f, " + {constant}"),
            (false, _) => write!(f, " − {}", constant.unsigned_abs()),
        }
    }
}
