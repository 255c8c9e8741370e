//! Linear expressions in the letters.

use std::fmt;

use serval_linear::Linear;

use crate::{Counts, Error, Letter};

/// `constant + Σ coefficient(l) · r(l)`, where `r(l)` counts letter `l`.
pub type Expression = Linear<Letter>;

/// Adds up terms in any order.
pub(crate) fn sum(terms: impl IntoIterator<Item = (Letter, i128)>, constant: i128) -> Result<Expression, Error> {
    Linear::from_wide(terms, constant).ok_or(Error::Overflow)
}

/// `factor · E + more`; factors are small.
fn scaled(expression: &Expression, factor: i128, more: i128) -> Result<Expression, Error> {
    let terms = expression.terms().iter().map(|&(letter, coefficient)| (letter, factor * i128::from(coefficient)));
    sum(terms, factor * i128::from(expression.constant()) + more)
}

/// `−E − 1`, which is not negative where `E` is.
pub(crate) fn below_zero(expression: &Expression) -> Result<Expression, Error> {
    scaled(expression, -1, -1)
}

/// `E − 1`.
pub(crate) fn less_one(expression: &Expression) -> Result<Expression, Error> {
    scaled(expression, 1, -1)
}

/// The value of an expression.
pub(crate) fn value(expression: &Expression, vector: &Counts<Letter>) -> Result<i128, Error> {
    expression.value(|letter| vector.get(letter).into()).ok_or(Error::Overflow)
}

/// A text such as `2·a − b + 3`.
pub(crate) fn shown<'a>(expression: &'a Expression, name: &'a dyn Fn(Letter) -> String) -> impl fmt::Display + 'a {
    fmt::from_fn(move |f| {
        for (place, &(letter, coefficient)) in expression.terms().iter().enumerate() {
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
            f.write_str(&name(letter))?;
        }
        let constant = expression.constant();
        match (expression.terms().is_empty(), constant) {
            (true, 0..) => write!(f, "{constant}"),
            (true, _) => write!(f, "−{}", constant.unsigned_abs()),
            (false, 0) => Ok(()),
            (false, 1..) => write!(f, " + {constant}"),
            (false, _) => write!(f, " − {}", constant.unsigned_abs()),
        }
    })
}
