//! What names, constants and ranges mean at a place of a request.

use super::declared::{Interval, MAX_ELEMENTS, bad_range, no_value};
use super::names::Names;
use super::{Lowering, Resolved};
use crate::diagnostic::{Diagnostic, codes};
use crate::grammar::SyntaxKind;
use crate::program::{LocalVar, Variable, fold};
use crate::tree::{SyntaxToken, ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    /// What a name means here.
    pub(crate) fn resolve(&mut self, name: &SyntaxToken) -> Resolved {
        let (text, place) = (name.text(), span(name.text_range()));
        if let Some(value) = self.constant(text) {
            return Resolved::Constant(value);
        }
        if self.is_version(name) {
            return Resolved::Nothing;
        }
        if self.declared.arrays.contains_key(text) {
            self.error(|| {
                Diagnostic::error(codes::BAD_INDEX, place, format!("`{text}` is an array"))
                    .expected("`[` and an index")
                    .help(format!("write `{text}[…]` for one of its elements"))
            });
            return Resolved::Nothing;
        }
        if self.declared.is_enum(text) {
            self.error(|| {
                Diagnostic::error(codes::BAD_NAME, place, format!("`{text}` is an `enum` and has no value"))
                    .expected("one of its members")
                    .help("write the name of a member")
            });
            return Resolved::Nothing;
        }
        Resolved::Variable(self.variable(text, place))
    }

    /// The value of a constant, a parameter or the variable of a `for`.
    fn constant(&self, name: &str) -> Option<i64> {
        self.scope
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
            .or_else(|| self.declared.constants.get(name).copied())
    }

    /// The local variable of this name, in a function that of this call.
    pub(crate) fn local(&mut self, name: &str, place: Span) -> u32 {
        let Some(frame) = self.frames.last_mut() else { return self.locals.number(name, place) };
        let number = self.locals.number(&format!("{}.{name}", frame.prefix), place);
        if !frame.locals.contains(&number) && !frame.params.contains(&number) {
            frame.locals.push(number);
        }
        number
    }

    /// A new local variable that the text cannot name.
    pub(super) fn hidden(&mut self, place: Span) -> Variable {
        self.temporaries += 1;
        let number = self.locals.number(&format!("#{}", self.temporaries), place);
        let usage = self.locals.usage_mut(number);
        usage.written = true;
        usage.read = Some(place);
        Variable::Local(LocalVar(number))
    }

    /// What is assigned to, or `None` if that has been reported.
    pub(crate) fn target(&mut self, name: &SyntaxToken) -> Option<Variable> {
        match self.resolve(name) {
            Resolved::Variable(variable) => Some(variable),
            Resolved::Nothing => None,
            Resolved::Constant(_) => {
                let (text, place) = (name.text(), span(name.text_range()));
                let first = self.declared.place(text);
                self.error(|| {
                    let error = Diagnostic::error(codes::ASSIGN_CONSTANT, place, format!("`{text}` is constant here"))
                        .expected("a variable")
                        .help("assign to another variable, which may start as a copy of it");
                    if let Some(first) = first { error.also(first, "declared here") } else { error }
                });
                None
            }
        }
    }

    /// The value of an expression that must be constant; what is not is reported.
    pub(crate) fn constant_value(&mut self, value: &ast::Expr) -> Option<i64> {
        // Variables in the value are reported below and belong to no request.
        let (mut globals, mut locals) = (Names::default(), Names::default());
        let mut inner = Lowering::new(self.declared, &mut globals, &mut locals, self.errors);
        inner.scope.clone_from(&self.scope);
        let lowered = inner.expr(value)?;
        match fold(&lowered) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.error(|| no_value(reason));
                None
            }
        }
    }

    /// The interval that a range stands for, of a limited number of values.
    pub(crate) fn interval(&mut self, range: &ast::Range, limited: bool) -> Option<Interval> {
        let place = span(range.syntax().text_range());
        let mut ends = range.ends();
        let first = ends.next()?;
        let interval = if range.has_dots() {
            let (low, high) = (self.constant_value(&first), self.constant_value(&ends.next()?));
            Interval::new(low?, high?)
        } else {
            let name = first.token().filter(|_| first.kind() == SyntaxKind::NameExpr);
            match name.and_then(|name| self.declared.members(name.text())) {
                Some(members) => members,
                None => {
                    self.error(|| bad_range(place, "this is not a range".to_owned(), "`0..3`, or the name of an `enum`"));
                    return None;
                }
            }
        };
        if interval.low > interval.high {
            let (low, high) = (interval.low, interval.high);
            self.error(|| bad_range(place, format!("the range {low}..{high} is empty"), "a first end that is not greater than the second"));
            return None;
        }
        if limited && interval.high.checked_sub(interval.low).is_none_or(|size| size >= MAX_ELEMENTS) {
            self.error(|| bad_range(place, "this range is too large".to_owned(), &format!("at most {MAX_ELEMENTS} values")));
            return None;
        }
        Some(interval)
    }
}
