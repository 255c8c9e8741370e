//! `assume (c)`: the step is made only where `c` holds.
//!
//! It stands for `while (!(c)) { 0 }`. Where `c` does not hold when it is looked at, nothing that could change it
//! comes any more, so the step has no end and is not made, and neither is what it did before. That is so because `c`
//! only looks: it assigns to nothing, lets no other request run, and leaves nothing to chance, which
//! [`Lowering::only_looks`] asks for.

use super::{made, number};
use crate::diagnostic::{Diagnostic, codes};
use crate::grammar::SyntaxKind;
use crate::lowering::Lowering;
use crate::lowering::names::Names;
use crate::program::{Expr, ExprKind, Variable};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    pub(crate) fn assume(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let condition = expr.conditions().next()?;
        let leaves = condition
            .syntax()
            .descendants()
            .find(|part| matches!(part.kind(), SyntaxKind::BreakExpr | SyntaxKind::ContinueExpr | SyntaxKind::ReturnExpr));
        if let Some(leaves) = leaves {
            let (place, word) = (span(leaves.text_range()), leaves.first_token()?);
            self.error(|| effect(place, &format!("`{}`", word.text()), "`assume`"));
            return Some(number(0, place));
        }
        self.repeated += 1;
        let condition = self.condition(&condition);
        self.repeated -= 1;
        let condition = condition?;
        self.only_looks(&condition, "`assume`");
        let inner = condition.span;
        let negated = Box::new(made(ExprKind::Not(Box::new(condition)), inner));
        Some(made(ExprKind::While { condition: negated, body: Box::new(number(0, place)) }, place))
    }

    /// Reports the first thing in a condition of `what` that does more than look; whether there is none.
    pub(crate) fn only_looks(&mut self, condition: &Expr, what: &str) -> bool {
        match first_effect(condition, self.locals) {
            Some((place, found)) => {
                self.error(|| effect(place, found, what));
                false
            }
            None => true,
        }
    }
}

/// What does more than look, if there is something. Values that are put aside (operands, arguments and the variables
/// of functions) are seen by no other expression.
fn first_effect(condition: &Expr, locals: &Names) -> Option<(Span, &'static str)> {
    let is_inner = |name: &str| name.starts_with('#') || name.contains('.');
    let mut first = None;
    condition.visit(&mut |part| {
        let found = match &part.kind {
            ExprKind::Assign { target: Variable::Local(local), .. } if is_inner(&locals.list[local.index()].0) => return,
            ExprKind::Assign { .. } => "an assignment",
            ExprKind::Yield => "`yield`",
            ExprKind::Choice => "`?`",
            ExprKind::Return(_) => "`return`",
            _ => return,
        };
        first.get_or_insert((part.span, found));
    });
    first
}

fn effect(place: Span, found: &str, what: &str) -> Diagnostic {
    Diagnostic::error(codes::EFFECT_IN_CONDITION, place, format!("{found} cannot stand in the condition of {what}"))
        .expected("a condition that only looks at variables")
        .help(format!("take it out: {what} only looks at variables"))
}
