//! `min` and `max`: the least and the greatest of several values.
//!
//! `min(a, b, c)` becomes `(m := a; v := b; if (v < m) { m := v }; v := c; if (v < m) { m := v }; m)`
//! with new locals `m` and `v`. Each operand is evaluated once and from left to
//! right, as no other expression names `m` or `v`; and after each operand `m` is the least so far.

use super::{assign, made, number, read, sequence};
use crate::diagnostic::{Diagnostic, codes};
use crate::grammar::SyntaxKind;
use crate::lowering::Lowering;
use crate::program::{Arm, CompareOp, Expr, ExprKind, fold};
use crate::tree::{ast, span};

impl Lowering<'_> {
    /// `min(a, b)` or `max(a, b)`
    pub(crate) fn extreme(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let least = expr.kind() == SyntaxKind::MinExpr;
        let mut values = Vec::new();
        for operand in expr.operands() {
            values.push(self.expr(&operand)?);
        }
        self.count(4 * values.len() as u64);
        if values.len() < 2 {
            let word = if least { "min" } else { "max" };
            self.error(|| {
                Diagnostic::error(codes::WRONG_ARGUMENTS, place, format!("`{word}` takes at least two values, not {}", values.len()))
                    .expected("two values or more")
                    .help(format!("write `{word}(a, b)`"))
            });
            return Some(number(0, place));
        }
        // Constants stay constants: they are ends of ranges, and indices that need no test.
        let known: Option<Vec<i64>> = values.iter().map(|value| fold(value).ok()).collect();
        if let Some(known) = known {
            let found = if least { known.into_iter().min() } else { known.into_iter().max() };
            return Some(made(ExprKind::Constant(found?), place));
        }
        let (best, other) = (self.hidden(place), self.hidden(place));
        let op = if least { CompareOp::Less } else { CompareOp::Greater };
        let mut list = Vec::new();
        for (position, value) in values.into_iter().enumerate() {
            let at = value.span;
            if position == 0 {
                list.push(assign(best, at, value));
                continue;
            }
            list.push(assign(other, at, value));
            let condition = made(ExprKind::Compare { op, left: Box::new(read(other, at)), right: Box::new(read(best, at)) }, at);
            let arms = vec![Arm { condition, body: assign(best, at, read(other, at)) }];
            list.push(made(ExprKind::If { arms, otherwise: None }, at));
        }
        list.push(read(best, place));
        Some(sequence(list, place))
    }
}
