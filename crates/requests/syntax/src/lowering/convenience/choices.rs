//! `choose` and `for`: one of several values, and all of them in turn.

use super::{LoopExits, made, number, sequence};
use crate::diagnostic::{Diagnostic, codes};
use crate::grammar::SyntaxKind;
use crate::lowering::Lowering;
use crate::lowering::declare::declared_twice;
use crate::lowering::declared::{MAX_ELEMENTS, bad_parameter};
use crate::program::{Arm, Expr, ExprKind, is_global};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    pub(crate) fn choose(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let mut values = Vec::new();
        for part in expr.syntax().children() {
            if let Some(range) = ast::Range::cast(part.clone()) {
                let Some(interval) = self.interval(&range, Some(MAX_ELEMENTS)) else { return Some(number(0, place)) };
                let alone = expr.syntax().children().count() == 1;
                if let Some(chosen) = alone.then(|| self.chosen_at_first(&interval, place)).flatten() {
                    return Some(chosen);
                }
                values.extend(interval.values().map(|value| made(ExprKind::Constant(value), place)));
            } else if let Some(operand) = ast::Expr::cast(part) {
                let name = operand.token().filter(|_| operand.kind() == SyntaxKind::NameExpr);
                match name.filter(|name| self.declared.is_enum(name.text())) {
                    Some(name) => {
                        let count = self.declared.enum_size(name.text());
                        values.extend((0..count).map(|value| made(ExprKind::Constant(value), place)));
                    }
                    None => values.push(self.expr(&operand)?),
                }
            }
        }
        self.count(3 * values.len() as u64);
        let Some(last) = values.pop() else {
            self.error(|| {
                Diagnostic::error(codes::WRONG_ARGUMENTS, place, "`choose` needs something to choose from")
                    .expected("values or a range")
                    .help("write `choose(1, 2)` or `choose(0..3)`")
            });
            return Some(number(0, place));
        };
        if values.is_empty() {
            return Some(last);
        }
        let arms = values.into_iter().map(|body| Arm { condition: made(ExprKind::Choice, place), body }).collect();
        Some(made(ExprKind::If { arms, otherwise: Some(Box::new(last)) }, place))
    }

    pub(crate) fn for_loop(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let (name, range, body) = (expr.loop_variable()?, expr.range()?, expr.blocks().next()?);
        if is_global(name.text()) || self.declared.constants.contains_key(name.text()) {
            let at = span(name.text_range());
            self.error(|| bad_parameter(name.text(), at).help("choose another name for the variable of the loop"));
        } else if let Some(first) = self.arrays.place(name.text()) {
            let at = span(name.text_range());
            self.error(|| declared_twice(name.text(), at, first));
        }
        let Some(interval) = self.interval(&range, None) else { return Some(number(0, place)) };
        let mut rounds = Vec::new();
        self.loops.push(LoopExits::default());
        let outermost = self.outermost;
        self.outermost.get_or_insert(place);
        self.expanding += 1;
        for value in interval.values() {
            self.count(1);
            if self.is_full() {
                break;
            }
            self.scope.push((name.text().to_owned(), value, None));
            let round = self.block(&body);
            self.scope.pop();
            rounds.push(round?);
        }
        self.expanding -= 1;
        self.outermost = outermost;
        let exits = self.loops.pop().unwrap_or_default();
        let mut rounds = self.rounds(rounds, exits, place);
        rounds.push(number(0, Span::new(place.end, place.end)));
        Some(sequence(rounds, place))
    }
}
