//! The value of constant expressions.

use crate::{ArithmeticOp, CompareOp, Expr, ExprKind, Span};

/// Why an expression has no constant value, and which part of it is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// It depends on the run.
    NotConstant(Span),
    /// It leaves 64 bits.
    Overflow(Span),
    /// It divides by zero.
    DivisionByZero(Span),
}

/// The value of `expr`, if it is the same in every run and has no effect.
pub(crate) fn fold(expr: &Expr) -> Result<i64, NoValue> {
    match &expr.kind {
        ExprKind::Number(value) => Ok(*value),
        ExprKind::Not(operand) => Ok(i64::from(fold(operand)? == 0)),
        ExprKind::Negate(operand) => fold(operand)?.checked_neg().ok_or(NoValue::Overflow(expr.span)),
        ExprKind::Arithmetic { first, rest } => {
            let mut value = fold(first)?;
            for (op, operand) in rest {
                value = arithmetic(*op, value, fold(operand)?, Span::new(expr.span.start, operand.span.end))?;
            }
            Ok(value)
        }
        ExprKind::Compare { op, left, right } => Ok(i64::from(compare(*op, fold(left)?, fold(right)?))),
        ExprKind::And(operands) => short_circuit(operands, false),
        ExprKind::Or(operands) => short_circuit(operands, true),
        _ => Err(NoValue::NotConstant(expr.span)),
    }
}

/// `&&` and `||`: the first operand whose truth is `decisive` decides.
fn short_circuit(operands: &[Expr], decisive: bool) -> Result<i64, NoValue> {
    for operand in operands {
        if (fold(operand)? != 0) == decisive {
            return Ok(i64::from(decisive));
        }
    }
    Ok(i64::from(!decisive))
}

fn arithmetic(op: ArithmeticOp, a: i64, b: i64, place: Span) -> Result<i64, NoValue> {
    let value = match op {
        ArithmeticOp::Add => a.checked_add(b),
        ArithmeticOp::Subtract => a.checked_sub(b),
        ArithmeticOp::Multiply => a.checked_mul(b),
        ArithmeticOp::Divide | ArithmeticOp::Remainder if b == 0 => return Err(NoValue::DivisionByZero(place)),
        ArithmeticOp::Divide => floor_divide(a, b),
        ArithmeticOp::Remainder => Some(floor_remainder(a, b)),
    };
    value.ok_or(NoValue::Overflow(place))
}

/// `b` is not 0. Only `i64::MIN / -1` overflows.
fn floor_divide(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// `b` is not 0. The result has the sign of `b`.
fn floor_remainder(a: i64, b: i64) -> i64 {
    let remainder = a.checked_rem(b).unwrap_or(0);
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

fn compare(op: CompareOp, a: i64, b: i64) -> bool {
    match op {
        CompareOp::Equal => a == b,
        CompareOp::NotEqual => a != b,
        CompareOp::Less => a < b,
        CompareOp::LessOrEqual => a <= b,
        CompareOp::Greater => a > b,
        CompareOp::GreaterOrEqual => a >= b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_floors() {
        for (a, b, quotient, remainder) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (6, 3, 2, 0), (-6, 3, -2, 0)] {
            assert_eq!(floor_divide(a, b), Some(quotient), "{a} / {b}");
            assert_eq!(floor_remainder(a, b), remainder, "{a} % {b}");
            assert_eq!(quotient * b + remainder, a);
        }
        assert_eq!(floor_divide(i64::MIN, -1), None);
        assert_eq!(floor_remainder(i64::MIN, -1), 0);
    }
}
