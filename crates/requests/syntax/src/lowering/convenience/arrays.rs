//! Elements of arrays, read and assigned to.
//!
//! | form | becomes |
//! |---|---|
//! | `A[i]` | `(t := i; if (t == 0) { A[0] } else if (t == 1) { A[1] } else { A[2] })` |
//! | `S[i][j]` | `(t := i; u := j; if (t == 0) { if (u == 0) { S[0][0] } else { S[0][1] } } else { … })` |
//! | `S[i][j] := e` | `(t := i; u := j; v := e; if (t == 0) { if (u == 0) { S[0][0] := v } else … } else …)` |
//!
//! `t`, `u` and `v` are new, and `t := i` is in error where `i` lies outside of the range of its index. A constant
//! index needs no variable: the `if` that it would decide is left out.
//!
//! # Why an element is the one that the indices say
//! The indices are evaluated from left to right, each once, before the value, and each is compared with its own range
//! right after its evaluation: an index that is outside stops the step before anything else of the form is evaluated.
//! What comes after reads variables that nothing else assigns to. So where the `if`s are reached each index lies in its
//! range, and of the tests `t == low`, … without the last exactly the right branch is taken: where none before holds,
//! only the last value is left. No index takes the place of another: with indices `0..1` and `0..9`, `S[0][10]` is an
//! error and not `S[1][0]`.

use std::rc::Rc;

use super::{assign, compare, made, number, read, sequence};
use crate::diagnostic::{Diagnostic, codes, similar};
use crate::lowering::Lowering;
use crate::lowering::declared::Array;
use crate::lowering::rows::constant_of;
use crate::program::{ArithmeticOp, Arm, CompareOp, Expr, ExprKind, Limit, Variable, fold, is_global};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    /// `A[i]`, read.
    pub(crate) fn element(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let Some(array) = self.array(expr)? else { return Some(number(0, place)) };
        self.touch(&array, place, false);
        let indices = self.indices(expr, &array)?;
        Some(self.dispatch(indices, &array, place, &mut |_, element| read(element, place)))
    }

    /// `A[i] := e`
    pub(crate) fn assign_element(&mut self, target: &ast::Expr, value: &ast::Expr) -> Option<Expr> {
        let target_span = span(target.syntax().text_range());
        let place = target_span.to(span(value.syntax().text_range()));
        let Some(array) = self.array(target)? else { return self.expr(value) };
        self.touch(&array, target_span, true);
        let indices = self.indices(target, &array)?;
        let value = self.expr(value)?;
        if is_constant(&indices) || fold(&value).is_ok() {
            return Some(self.dispatch(indices, &array, place, &mut |this, element| this.store(element, target_span, value.clone())));
        }
        // The indices are evaluated before the value, and the value once.
        let (known, mut list) = self.evaluated(indices, |_| target_span);
        let new = self.hidden(value.span);
        let seen = read(new, value.span);
        list.push(assign(new, value.span, value));
        let choice = self.dispatch(known, &array, place, &mut |this, element| this.store(element, target_span, seen.clone()));
        list.push(choice);
        Some(sequence(list, place))
    }

    /// `A[i] += e`: the index is evaluated once, then the element is read, then `e`.
    pub(crate) fn add_to_element(&mut self, target: &ast::Expr, op: ArithmeticOp, value: &ast::Expr) -> Option<Expr> {
        let target_span = span(target.syntax().text_range());
        let place = target_span.to(span(value.syntax().text_range()));
        let Some(array) = self.array(target)? else { return self.expr(value) };
        self.touch(&array, target_span, true);
        self.touch(&array, target_span, false);
        let indices = self.indices(target, &array)?;
        let value = self.expr(value)?;
        let sum = |old: Expr, value: Expr| made(ExprKind::Arithmetic { first: Box::new(old), rest: vec![(op, value)] }, place);
        if is_constant(&indices) {
            return Some(self.dispatch(indices, &array, place, &mut |this, element| {
                this.store(element, target_span, sum(read(element, target_span), value.clone()))
            }));
        }
        let (known, mut list) = self.evaluated(indices, |_| target_span);
        let new = self.hidden(place);
        let old = self.dispatch(known.clone(), &array, target_span, &mut |_, element| read(element, target_span));
        list.push(assign(new, place, sum(old, value)));
        let seen = read(new, place);
        let choice = self.dispatch(known, &array, place, &mut |this, element| this.store(element, target_span, seen.clone()));
        list.push(choice);
        Some(sequence(list, place))
    }

    /// The array that is indexed; `None` inside if there is none.
    pub(super) fn array(&mut self, expr: &ast::Expr) -> Option<Option<Rc<Array>>> {
        let name = expr.token()?;
        let array = self.known_array(name.text());
        if array.is_none() && !self.is_array_elsewhere(&name) && !self.declared.incomplete {
            let (text, place) = (name.text(), span(name.text_range()));
            let declared = self.declared;
            let mut known: Vec<&str> = declared.arrays.keys().map(String::as_str).chain(self.arrays.names()).collect();
            known.sort_unstable();
            let known = similar(text, known).map(str::to_owned);
            let local = !is_global(text);
            self.error(|| {
                let error = Diagnostic::error(codes::BAD_INDEX, place, format!("`{text}` is not an array")).expected("an array");
                match known {
                    Some(known) => error.help(format!("did you mean `{known}`?")).edit(place, known),
                    None if local => error.help(format!("declare it in the request, before it is used: `var {text}[0..3]`")),
                    None => error.help(format!("declare it before the first request: `var {text}[0..3]`")),
                }
            });
        }
        Some(array)
    }

    /// The indices of an element, each of which lies in its range or is an error.
    pub(super) fn indices(&mut self, expr: &ast::Expr, array: &Array) -> Option<Vec<Index>> {
        let operands: Vec<ast::Expr> = expr.operands().collect();
        if operands.len() != array.indices.len() {
            let (name, place) = (expr.token()?, span(expr.syntax().text_range()));
            let (wanted, found) = (array.indices.len(), operands.len());
            let first = self.arrays.place(name.text()).or_else(|| self.declared.place(name.text()));
            self.error(|| {
                let indices = if wanted == 1 { "1 index".to_owned() } else { format!("{wanted} indices") };
                let error = Diagnostic::error(codes::BAD_INDEX, place, format!("`{}` has {indices}, not {found}", name.text()))
                    .expected(indices)
                    .help(format!("write `{}{}` for one of its elements", name.text(), array.brackets()));
                if let Some(first) = first { error.also(first, "declared here") } else { error }
            });
            return Some(array.indices.iter().map(|&(low, _)| Index::Constant(low)).collect());
        }
        let mut indices = Vec::new();
        for (position, operand) in operands.iter().enumerate() {
            indices.push(self.index(operand, array, position)?);
        }
        Some(indices)
    }

    fn index(&mut self, operand: &ast::Expr, array: &Array, position: usize) -> Option<Index> {
        let param = self.as_param(operand);
        let index = self.quietly(param.is_some(), |this| this.expr(operand))?;
        let (low, high) = array.indices[position];
        self.note_index(array, position, param, constant_of(&index).filter(|value| (low..=high).contains(value)));
        let which = array.index_place(position);
        match fold(&index) {
            Ok(value) if (low..=high).contains(&value) => Some(Index::Constant(value)),
            // With a parameter or the variable of a loop in it, it may stand where
            // it never runs for this value.
            Ok(value) if !has_constant(&index) => {
                let place = index.span;
                self.error(|| {
                    let words = which.words();
                    Diagnostic::error(codes::BAD_INDEX, place, format!("the {words} {value} lies outside of {low}..{high}"))
                        .expected(format!("{} {words} from {low} to {high}", if words == "index" { "an" } else { "a" }))
                        .help("change the index, or the array's declaration")
                });
                Some(Index::Constant(low))
            }
            _ => {
                let place = index.span;
                let limit = Limit::Index(*array.elements.first()?, which);
                let checked = ExprKind::Within { value: Box::new(index), low, high, limit };
                Some(Index::Computed(Box::new(made(checked, place))))
            }
        }
    }

    /// The indices with new variables for those that are computed, and what assigns to these.
    fn evaluated(&mut self, indices: Vec<Index>, place: impl Fn(&Expr) -> Span) -> (Vec<Index>, Vec<Expr>) {
        let mut list = Vec::new();
        let mut known = Vec::new();
        for index in indices {
            known.push(match index {
                Index::Computed(index) => {
                    let place = place(&index);
                    let at = self.hidden(place);
                    list.push(assign(at, place, *index));
                    Index::Known(at)
                }
                index => index,
            });
        }
        (known, list)
    }

    /// Does `what` with the element that the indices say.
    pub(super) fn dispatch(
        &mut self,
        indices: Vec<Index>,
        array: &Array,
        place: Span,
        what: &mut dyn FnMut(&mut Self, Variable) -> Expr,
    ) -> Expr {
        let (known, mut list) = self.evaluated(indices, |index| index.span);
        let choice = self.chosen(&known, &array.indices, &array.elements, place, what);
        list.push(choice);
        sequence(list, place)
    }

    /// The same where no index is to be evaluated any more; `elements` are those that the indices before leave.
    fn chosen(
        &mut self,
        indices: &[Index],
        ranges: &[(i64, i64)],
        elements: &[Variable],
        place: Span,
        what: &mut dyn FnMut(&mut Self, Variable) -> Expr,
    ) -> Expr {
        let ([index, indices @ ..], [(low, high), ranges @ ..]) = (indices, ranges) else { return what(self, elements[0]) };
        let width = elements.len() / usize::try_from(high - low + 1).unwrap_or(1);
        let part = |value: i64| {
            let offset = usize::try_from(value.saturating_sub(*low)).unwrap_or(0) * width;
            &elements[offset..offset + width]
        };
        let at = match index {
            Index::Constant(value) => return self.chosen(indices, ranges, part(*value), place, what),
            Index::Known(at) => *at,
            // All such have been evaluated.
            Index::Computed(index) => return (**index).clone(),
        };
        let mut arms = Vec::new();
        for value in *low..*high {
            self.count(3);
            let body = self.chosen(indices, ranges, part(value), place, what);
            arms.push(Arm { condition: compare(CompareOp::Equal, read(at, place), value), body });
        }
        let last = self.chosen(indices, ranges, part(*high), place, what);
        if arms.is_empty() { last } else { made(ExprKind::If { arms, otherwise: Some(Box::new(last)) }, place) }
    }

    /// Counts all elements of an array as read or written.
    pub(super) fn touch(&mut self, array: &Array, place: Span, written: bool) {
        // All or none of them are.
        let first = array.elements.first().map(|&first| self.usage(first).clone());
        if first.is_some_and(|first| if written { first.written } else { first.read.is_some() }) {
            return;
        }
        for &element in &array.elements {
            let usage = self.usage(element);
            if written {
                usage.written = true;
            } else {
                usage.read.get_or_insert(place);
            }
        }
    }
}

/// Where an element is, in one of its indices.
#[derive(Clone)]
pub(super) enum Index {
    Constant(i64),
    /// The value of this expression, which is sure to be an index.
    Computed(Box<Expr>),
    /// The value of this variable.
    Known(Variable),
}

fn is_constant(indices: &[Index]) -> bool {
    indices.iter().all(|index| matches!(index, Index::Constant(_)))
}

/// Whether a name that is constant here is part of an expression.
fn has_constant(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |part| found |= matches!(part.kind, ExprKind::Constant(_)));
    found
}
