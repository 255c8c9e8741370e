//! `assert (c)`: a claim that a step fails where it is wrong.
//!
//! It stands for `if (c) { 0 }` and else a step that fails: the value of `c`, as 0 or 1, must lie between 1 and 1,
//! exactly as a value must lie in the range of its variable. So whatever is known of ranges is known of assertions:
//! what is read for them is followed, a failing step has a run, and a proof on the text has to show them.

use super::Lowering;
use crate::program::{CompareOp, Expr, ExprKind, Limit};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    pub(crate) fn assertion(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let condition = self.condition(&expr.conditions().next()?)?;
        let number = Expr { kind: ExprKind::Number(0), span: place };
        Some(Expr { kind: ExprKind::Sequence(vec![claimed(condition, place, Limit::Assertion), number]), span: place })
    }
}

/// A value that must be 1: whether the condition holds.
pub(super) fn claimed(condition: Expr, place: Span, limit: Limit) -> Expr {
    let span = condition.span;
    let value = match condition.kind {
        ExprKind::Compare { .. } | ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => condition,
        _ => {
            let zero = Expr { kind: ExprKind::Number(0), span };
            Expr { kind: ExprKind::Compare { op: CompareOp::NotEqual, left: Box::new(condition), right: Box::new(zero) }, span }
        }
    };
    Expr { kind: ExprKind::Within { value: Box::new(value), low: 1, high: 1, limit }, span: place }
}
