//! The value of constant expressions.

use super::value::{self, ArithmeticError};
use super::{Expr, ExprKind};
use serval_diagnostic::Span;

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
        ExprKind::Number(value) | ExprKind::Constant(value) => Ok(*value),
        ExprKind::Not(operand) => Ok(i64::from(fold(operand)? == 0)),
        ExprKind::Negate(operand) => value::negate(fold(operand)?).map_err(|error| no_value(error, expr.span)),
        ExprKind::Arithmetic { first, rest } => {
            let mut result = fold(first)?;
            for (op, operand) in rest {
                let place = Span::new(expr.span.start, operand.span.end);
                result = value::arithmetic(*op, result, fold(operand)?).map_err(|error| no_value(error, place))?;
            }
            Ok(result)
        }
        ExprKind::Compare { op, left, right } => Ok(value::compare(*op, fold(left)?, fold(right)?)),
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

fn no_value(error: ArithmeticError, place: Span) -> NoValue {
    match error {
        ArithmeticError::Overflow => NoValue::Overflow(place),
        ArithmeticError::DivisionByZero => NoValue::DivisionByZero(place),
    }
}
