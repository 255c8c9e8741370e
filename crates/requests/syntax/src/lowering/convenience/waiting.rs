//! `atomic`, `await`, `lock` and `unlock`: where a step ends, and where none may.

use super::{compare, made, number, sequence};
use crate::diagnostic::{Diagnostic, codes};
use crate::grammar::SyntaxKind;
use crate::lowering::Lowering;
use crate::program::{CompareOp, Expr, ExprKind, Variable, is_global};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    /// Where no step may end, an error; `what` is what would end it.
    pub(crate) fn may_wait(&mut self, place: Span, what: &str) {
        let Some(atomic) = self.atomic else { return };
        let call = self.frames.last().map(|frame| frame.call);
        self.error(|| {
            let mut error = Diagnostic::error(codes::YIELD_IN_ATOMIC, place, format!("{what} cannot stand inside of `atomic`"))
                .also(atomic, "no step ends in here")
                .expected("statements that do not let others run")
                .help("move it out of the `atomic`, or leave out the `atomic`");
            if let Some(call) = call.filter(|call| atomic.start <= call.start && call.end <= atomic.end) {
                error = error.also(call, "called here");
            }
            error
        });
    }

    pub(crate) fn atomic_block(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let outer = self.atomic.replace(span(expr.syntax().text_range()));
        let body = self.block(&expr.blocks().next()?);
        self.atomic = outer;
        body
    }

    /// `while (condition) { yield }`
    fn wait_while(&mut self, condition: Expr, place: Span, what: &str) -> Expr {
        self.may_wait(place, what);
        let body = Box::new(made(ExprKind::Yield, place));
        made(ExprKind::While { condition: Box::new(condition), body }, place)
    }

    pub(crate) fn await_condition(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        self.repeated += 1;
        let condition = self.condition(&expr.conditions().next()?);
        self.repeated -= 1;
        let condition = condition?;
        let inner = condition.span;
        Some(self.wait_while(made(ExprKind::Not(Box::new(condition)), inner), place, "`await`"))
    }

    /// `lock(L)` or `unlock(L)`
    pub(crate) fn lock(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let locks = expr.kind() == SyntaxKind::LockExpr;
        let mut operands = expr.operands();
        let target = operands.next();
        let (Some(target), None) = (target, operands.next()) else {
            self.bad_lock(place, locks);
            return Some(number(0, place));
        };
        let target_span = span(target.syntax().text_range());
        let set = |this: &mut Self, to: i64| -> Option<Expr> {
            let value = number(to, place);
            if target.kind() == SyntaxKind::IndexExpr {
                let Some(array) = this.array(&target)? else { return Some(value) };
                this.touch(&array, target_span, true);
                let indices = this.indices(&target, &array)?;
                return Some(
                    this.dispatch(indices, &array, place, &mut |this, element| this.set_lock(element, target_span, value.clone())),
                );
            }
            let name = target.token()?;
            let Some(variable) = this.target(&name) else { return Some(value) };
            this.usage(variable).written = true;
            Some(this.set_lock(variable, target_span, value))
        };
        let global = match target.kind() {
            SyntaxKind::IndexExpr => target.token().is_none_or(|name| self.arrays.place(name.text()).is_none()),
            SyntaxKind::NameExpr => target.token().is_some_and(|name| is_global(name.text())),
            _ => false,
        };
        if !global {
            self.bad_lock(target_span, locks);
            return Some(number(0, place));
        }
        let whole = target.token().filter(|_| target.kind() == SyntaxKind::NameExpr);
        if whole.is_some_and(|name| self.known_array(name.text()).is_some()) {
            return self.expr(&target);
        }
        if !locks {
            return set(self, 0);
        }
        let held = self.expr(&target)?;
        let wait = self.wait_while(compare(CompareOp::Equal, held, 1), place, "`lock`");
        Some(sequence(vec![wait, set(self, 1)?], place))
    }

    fn set_lock(&mut self, target: Variable, target_span: Span, value: Expr) -> Expr {
        let unlock = matches!(value.kind, ExprKind::Number(0));
        let span = value.span;
        let mut stored = self.store(target, target_span, value);
        if let ExprKind::Assign { unlock: flag, .. } = &mut stored.kind {
            *flag = unlock;
        }
        stored.span = span;
        stored
    }

    fn bad_lock(&mut self, place: Span, locks: bool) {
        let word = if locks { "lock" } else { "unlock" };
        self.error(|| {
            Diagnostic::error(codes::BAD_LOCK, place, format!("`{word}` takes one global variable"))
                .expected("a global variable, whose first letter is upper-case")
                .help(format!("write `{word}(L)`: a lock is a variable that requests share, 0 when it is free and 1 when it is held"))
        });
    }
}
