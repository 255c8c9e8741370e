//! Elements of arrays, read and assigned to.

use super::{assign, compare, made, number, read, sequence};
use crate::diagnostic::{Diagnostic, codes, similar};
use crate::lowering::Lowering;
use crate::lowering::declared::Array;
use crate::program::{ArithmeticOp, Arm, CompareOp, Expr, ExprKind, GlobalVar, Limit, Variable, fold};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    /// `A[i]`, read.
    pub(crate) fn element(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let Some(array) = self.array(expr)? else { return Some(number(0, place)) };
        self.touch(array, place, false);
        let index = self.index(expr, array)?;
        Some(self.dispatch(index, array, place, &mut |_, element| read(element, place)))
    }

    /// `A[i] := e`
    pub(crate) fn assign_element(&mut self, target: &ast::Expr, value: &ast::Expr) -> Option<Expr> {
        let target_span = span(target.syntax().text_range());
        let place = target_span.to(span(value.syntax().text_range()));
        let Some(array) = self.array(target)? else { return self.expr(value) };
        self.touch(array, target_span, true);
        let index = self.index(target, array)?;
        let value = self.expr(value)?;
        if matches!(index, Index::Constant(_)) || fold(&value).is_ok() {
            return Some(self.dispatch(index, array, place, &mut |this, element| this.store(element, target_span, value.clone())));
        }
        // The index is evaluated before the value, and the value once.
        let Index::Computed(index) = index else { return None };
        let (at, new) = (self.hidden(target_span), self.hidden(value.span));
        let seen = read(new, value.span);
        let list = vec![assign(at, target_span, *index), assign(new, value.span, value)];
        let choice = self.dispatch(Index::Known(at), array, place, &mut |this, element| this.store(element, target_span, seen.clone()));
        Some(sequence(list.into_iter().chain([choice]).collect(), place))
    }

    /// `A[i] += e`: the index is evaluated once, then the element is read, then `e`.
    pub(crate) fn add_to_element(&mut self, target: &ast::Expr, op: ArithmeticOp, value: &ast::Expr) -> Option<Expr> {
        let target_span = span(target.syntax().text_range());
        let place = target_span.to(span(value.syntax().text_range()));
        let Some(array) = self.array(target)? else { return self.expr(value) };
        self.touch(array, target_span, true);
        self.touch(array, target_span, false);
        let index = self.index(target, array)?;
        let value = self.expr(value)?;
        let sum = |old: Expr, value: Expr| made(ExprKind::Arithmetic { first: Box::new(old), rest: vec![(op, value)] }, place);
        let Index::Computed(index) = index else {
            return Some(self.dispatch(index, array, place, &mut |this, element| {
                this.store(element, target_span, sum(read(element, target_span), value.clone()))
            }));
        };
        let (at, new) = (self.hidden(target_span), self.hidden(place));
        let old = self.dispatch(Index::Known(at), array, target_span, &mut |_, element| read(element, target_span));
        let list = vec![assign(at, target_span, *index), assign(new, place, sum(old, value))];
        let seen = read(new, place);
        let choice = self.dispatch(Index::Known(at), array, place, &mut |this, element| this.store(element, target_span, seen.clone()));
        Some(sequence(list.into_iter().chain([choice]).collect(), place))
    }

    /// The array that is indexed; `None` inside if there is none.
    pub(super) fn array(&mut self, expr: &ast::Expr) -> Option<Option<Array>> {
        let name = expr.token()?;
        let array = self.declared.arrays.get(name.text()).copied();
        if array.is_none() && !self.declared.incomplete {
            let (text, place) = (name.text(), span(name.text_range()));
            let declared = self.declared;
            let known = similar(text, declared.arrays.keys().map(String::as_str));
            self.error(|| {
                Diagnostic::error(codes::BAD_INDEX, place, format!("`{text}` is not an array")).expected("an array").help(match known {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => format!("declare it before the first request: `var {text}[0..3]`"),
                })
            });
        }
        Some(array)
    }

    pub(super) fn index(&mut self, expr: &ast::Expr, array: Array) -> Option<Index> {
        let index = self.expr(&expr.operands().next()?)?;
        match fold(&index) {
            Ok(value) if (array.low..=array.high).contains(&value) => Some(Index::Constant(value)),
            // With a parameter or the variable of a loop in it, it may stand where
            // it never runs for this value.
            Ok(value) if !has_constant(&index) => {
                let place = index.span;
                self.error(|| {
                    Diagnostic::error(codes::BAD_INDEX, place, format!("the index {value} lies outside of {}..{}", array.low, array.high))
                        .expected(format!("an index from {} to {}", array.low, array.high))
                        .help("change the index, or the array's declaration")
                });
                Some(Index::Constant(array.low))
            }
            _ => {
                let place = index.span;
                let limit = Limit::Index(GlobalVar(array.first));
                let checked = ExprKind::Within { value: Box::new(index), low: array.low, high: array.high, limit };
                Some(Index::Computed(Box::new(made(checked, place))))
            }
        }
    }

    /// Does `what` with the element that the index says.
    pub(super) fn dispatch(&mut self, index: Index, array: Array, place: Span, what: &mut dyn FnMut(&mut Self, Variable) -> Expr) -> Expr {
        let element = |value: i64| {
            let offset = u32::try_from(value.saturating_sub(array.low)).unwrap_or(0);
            Variable::Global(GlobalVar(array.first + offset))
        };
        let (at, before) = match index {
            Index::Constant(value) => return what(self, element(value)),
            Index::Known(at) => (at, Vec::new()),
            Index::Computed(index) => {
                let at = self.hidden(index.span);
                (at, vec![assign(at, index.span, *index)])
            }
        };
        let mut arms = Vec::new();
        for value in array.low..array.high {
            self.count(3);
            arms.push(Arm { condition: compare(CompareOp::Equal, read(at, place), value), body: what(self, element(value)) });
        }
        let last = what(self, element(array.high));
        let choice = if arms.is_empty() { last } else { made(ExprKind::If { arms, otherwise: Some(Box::new(last)) }, place) };
        let mut list = before;
        list.push(choice);
        sequence(list, place)
    }

    /// Counts all elements of an array as read or written.
    pub(super) fn touch(&mut self, array: Array, place: Span, written: bool) {
        let size = u32::try_from(array.high.saturating_sub(array.low)).unwrap_or(0) + 1;
        for number in array.first..array.first + size {
            let usage = self.globals.usage_mut(number);
            if written {
                usage.written = true;
            } else {
                usage.read.get_or_insert(place);
            }
        }
    }
}

/// Where an element is.
pub(super) enum Index {
    Constant(i64),
    /// The value of this expression, which is sure to be an index.
    Computed(Box<Expr>),
    /// The value of this variable.
    Known(Variable),
}

/// Whether a name that is constant here is part of an expression.
fn has_constant(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |part| found |= matches!(part.kind, ExprKind::Constant(_)));
    found
}
