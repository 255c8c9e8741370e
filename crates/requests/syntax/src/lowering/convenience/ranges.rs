//! Assignments to variables with a range.

use super::{assign, compare, made, number, read, sequence};
use crate::diagnostic::{Diagnostic, codes};
use crate::lowering::Lowering;
use crate::lowering::declared::Fit;
use crate::program::{ArithmeticOp, Arm, CompareOp, Expr, ExprKind, Limit, Variable, fold};
use serval_diagnostic::Span;

impl Lowering<'_> {
    /// `target := value`, kept within the range of the target.
    pub(crate) fn store(&mut self, target: Variable, target_span: Span, value: Expr) -> Expr {
        let values = match target {
            Variable::Global(global) => self.declared.values.get(&global.0),
            Variable::Local(local) => self.element_values.get(&local.0),
        };
        let Some(&values) = values else { return assign(target, target_span, value) };
        if fold(&value).is_ok_and(|value| (values.low..=values.high).contains(&value)) {
            return assign(target, target_span, value);
        }
        let place = value.span;
        let fitted = match values.fit {
            Fit::Error => {
                made(ExprKind::Within { value: Box::new(value), low: values.low, high: values.high, limit: Limit::Range(target) }, place)
            }
            Fit::Wrap => self.wrapped(value, values.low, values.high),
            Fit::Saturate => {
                let temporary = self.hidden(place);
                let seen = || read(temporary, place);
                let arms = vec![
                    Arm { condition: compare(CompareOp::Less, seen(), values.low), body: number(values.low, place) },
                    Arm { condition: compare(CompareOp::Greater, seen(), values.high), body: number(values.high, place) },
                ];
                let choice = made(ExprKind::If { arms, otherwise: Some(Box::new(seen())) }, place);
                sequence(vec![assign(temporary, place, value), choice], place)
            }
        };
        assign(target, target_span, fitted)
    }

    fn wrapped(&mut self, value: Expr, low: i64, high: i64) -> Expr {
        let place = value.span;
        let Some(size) = high.checked_sub(low).and_then(|width| width.checked_add(1)) else {
            self.error(|| {
                Diagnostic::error(codes::BAD_RANGE, place, "the range of this variable is too large to wrap")
                    .expected("a range with fewer than 2^63 values")
                    .help("leave out `wrap`, or use a smaller range")
            });
            return value;
        };
        let arithmetic = |first: Expr, rest| made(ExprKind::Arithmetic { first: Box::new(first), rest }, place);
        let offset = if low == 0 { value } else { arithmetic(value, vec![(ArithmeticOp::Subtract, number(low, place))]) };
        let rest = arithmetic(offset, vec![(ArithmeticOp::Remainder, number(size, place))]);
        if low == 0 { rest } else { arithmetic(number(low, place), vec![(ArithmeticOp::Add, rest)]) }
    }
}
