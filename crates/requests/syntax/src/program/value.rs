//! The arithmetic of the language on 64-bit integers, checked.
//!
//! ```
//! use serval_syntax::{ArithmeticOp, value};
//! assert_eq!(value::arithmetic(ArithmeticOp::Divide, -7, 2), Ok(-4));
//! assert_eq!(value::arithmetic(ArithmeticOp::Remainder, -7, 2), Ok(1));
//! ```

use super::{ArithmeticOp, CompareOp};

/// Why an operation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticError {
    /// It does not fit 64 bits.
    Overflow,
    /// It divides by zero.
    DivisionByZero,
}

/// `left op right`.
pub fn arithmetic(op: ArithmeticOp, left: i64, right: i64) -> Result<i64, ArithmeticError> {
    let value = match op {
        ArithmeticOp::Add => left.checked_add(right),
        ArithmeticOp::Subtract => left.checked_sub(right),
        ArithmeticOp::Multiply => left.checked_mul(right),
        ArithmeticOp::Divide | ArithmeticOp::Remainder if right == 0 => return Err(ArithmeticError::DivisionByZero),
        ArithmeticOp::Divide => floor_divide(left, right),
        // `left - right * floor(left / right)`, computed without the product,
        // which could overflow where the result does not.
        ArithmeticOp::Remainder => left
            .checked_rem(right)
            .map_or(Some(0), |rest| if rest != 0 && (rest < 0) != (right < 0) { rest.checked_add(right) } else { Some(rest) }),
    };
    value.ok_or(ArithmeticError::Overflow)
}

fn floor_divide(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    let exact = left.checked_rem(right)? == 0;
    if !exact && (left < 0) != (right < 0) { quotient.checked_sub(1) } else { Some(quotient) }
}

/// `-value`.
pub fn negate(value: i64) -> Result<i64, ArithmeticError> {
    value.checked_neg().ok_or(ArithmeticError::Overflow)
}

/// 1 where the comparison holds, else 0.
pub fn compare(op: CompareOp, left: i64, right: i64) -> i64 {
    i64::from(match op {
        CompareOp::Equal => left == right,
        CompareOp::NotEqual => left != right,
        CompareOp::Less => left < right,
        CompareOp::LessOrEqual => left <= right,
        CompareOp::Greater => left > right,
        CompareOp::GreaterOrEqual => left >= right,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_floors_and_fits_the_remainder() {
        for left in -9..=9_i64 {
            for right in (-4..=4_i64).filter(|&right| right != 0) {
                let quotient = arithmetic(ArithmeticOp::Divide, left, right).unwrap();
                let rest = arithmetic(ArithmeticOp::Remainder, left, right).unwrap();
                assert_eq!(quotient * right + rest, left);
                assert!(if right > 0 { (0..right).contains(&rest) } else { (right + 1..=0).contains(&rest) });
            }
        }
    }

    #[test]
    fn the_edges_of_the_range() {
        assert_eq!(arithmetic(ArithmeticOp::Divide, i64::MIN, -1), Err(ArithmeticError::Overflow));
        assert_eq!(arithmetic(ArithmeticOp::Remainder, i64::MIN, -1), Ok(0));
        assert_eq!(arithmetic(ArithmeticOp::Add, i64::MAX, 1), Err(ArithmeticError::Overflow));
        assert_eq!(arithmetic(ArithmeticOp::Remainder, 1, 0), Err(ArithmeticError::DivisionByZero));
        assert_eq!(negate(i64::MIN), Err(ArithmeticError::Overflow));
    }
}
