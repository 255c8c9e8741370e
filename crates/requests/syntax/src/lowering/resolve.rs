//! What names, constants and ranges mean at a place of a request.

use super::declared::{Declared, Interval, bad_range, no_value};
use super::names::Names;
use super::rows::ParamId;
use super::{Lowering, Resolved};
use crate::diagnostic::{Diagnostic, codes, similar};
use crate::grammar::SyntaxKind;
use crate::program::{ExprKind, LocalVar, Variable, fold};
use crate::tree::{SyntaxToken, ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    /// What a name means here.
    pub(crate) fn resolve(&mut self, name: &SyntaxToken) -> Resolved {
        let (text, place) = (name.text(), span(name.text_range()));
        if let Some((value, param)) = self.constant(text) {
            self.note_data(param);
            return Resolved::Constant(value);
        }
        if self.is_version(name) {
            return Resolved::Nothing;
        }
        if let Some(array) = self.known_array(text) {
            self.error(|| {
                Diagnostic::error(codes::BAD_INDEX, place, format!("`{text}` is an array"))
                    .expected("`[` and an index")
                    .help(format!("write `{text}{}` for one of its elements", array.brackets()))
            });
            return Resolved::Nothing;
        }
        if self.is_array_elsewhere(name) {
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
    pub(super) fn constant(&self, name: &str) -> Option<(i64, Option<ParamId>)> {
        let known = self.scope.iter().rev().find(|known| known.0 == name).map(|&(_, value, param)| (value, param));
        known.or_else(|| self.declared.constants.get(name).map(|&value| (value, None)))
    }

    /// `State.Idle`
    pub(crate) fn member(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        let (name, member) = (expr.token()?, expr.member()?);
        let declared = self.declared;
        let members = declared.enums.get(name.text());
        let position = members.and_then(|members| members.iter().position(|known| known == member.text()));
        if let Some(value) = position.and_then(|position| i64::try_from(position).ok()) {
            return Some(ExprKind::Constant(value));
        }
        if !declared.incomplete {
            self.error(|| match members {
                Some(members) => unknown_member(declared, &name, &member, members),
                None => unknown_enum(declared, &name),
            });
        }
        Some(ExprKind::Number(0))
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
        if self.is_whole_array(name) {
            return None;
        }
        match self.resolve(name) {
            Resolved::Variable(variable) if !self.is_param(name.text()) => Some(variable),
            Resolved::Nothing => None,
            Resolved::Constant(_) | Resolved::Variable(_) => {
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
        let uses = inner.only_constants(self.uses.as_ref());
        let lowered = inner.expr(value)?;
        self.note_fixed(uses);
        match fold(&lowered) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.error(|| no_value(reason));
                None
            }
        }
    }

    /// The interval that a range stands for, of a limited number of values.
    pub(crate) fn interval(&mut self, range: &ast::Range, most: Option<i64>) -> Option<Interval> {
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
                    let last = first.token().filter(|_| first.kind() == SyntaxKind::NumberExpr);
                    let last = last.and_then(|number| number.text().parse::<i64>().ok()?.checked_sub(1)).filter(|&last| last >= 0);
                    self.error(|| {
                        let error = bad_range(place, "this is not a range".to_owned(), "`0..3`, or the name of an `enum`");
                        match last {
                            Some(last) => {
                                error.help(format!("write `0..{last}`, which includes both ends")).edit(place, format!("0..{last}"))
                            }
                            None => error,
                        }
                    });
                    return None;
                }
            }
        };
        if interval.low > interval.high {
            let (low, high) = (interval.low, interval.high);
            self.error(|| bad_range(place, format!("the range {low}..{high} is empty"), "a first end that is not greater than the second"));
            return None;
        }
        if let Some(most) = most
            && interval.high.checked_sub(interval.low).is_none_or(|size| size >= most)
        {
            self.error(|| bad_range(place, "this range is too large".to_owned(), &format!("at most {most} values")));
            return None;
        }
        Some(interval)
    }
}

/// How many members of an `enum` a message lists.
const MOST_MEMBERS: usize = 8;

fn unknown_enum(declared: &Declared, name: &SyntaxToken) -> Diagnostic {
    let place = span(name.text_range());
    let error = Diagnostic::error(codes::BAD_MEMBER, place, format!("there is no `enum` `{}`", name.text()));
    let error = error.expected("the name of an `enum`");
    match similar(name.text(), declared.enums.keys().map(String::as_str)) {
        Some(known) => error.help(format!("did you mean `{known}`?")).edit(place, known),
        None => error.help(format!("declare it further up: `enum {} {{ … }}`", name.text())),
    }
}

fn unknown_member(declared: &Declared, name: &SyntaxToken, member: &SyntaxToken, members: &[String]) -> Diagnostic {
    let (place, name, member) = (span(member.text_range()), name.text(), member.text());
    let list: Vec<String> = members.iter().take(MOST_MEMBERS).map(|known| format!("`{name}.{known}`")).collect();
    let more = if members.len() > MOST_MEMBERS { ", …" } else { "" };
    let owner = declared.enums.iter().find(|(_, others)| others.iter().any(|known| known == member)).map(|(owner, _)| owner);
    let near = similar(member, members.iter().map(String::as_str)).filter(|_| owner.is_none());
    let help = match (owner, near) {
        (Some(owner), _) => format!("write `{owner}.{member}`, or a member of `{name}`: {}{more}", list.join(", ")),
        (None, Some(known)) => format!("did you mean `{name}.{known}`?"),
        (None, None) => format!("write one of {}{more}", list.join(", ")),
    };
    let message = match owner {
        Some(owner) => format!("`{member}` is a member of `{owner}`, not of `{name}`"),
        None => format!("`{name}` has no member `{member}`"),
    };
    let error = Diagnostic::error(codes::BAD_MEMBER, place, message).expected(format!("a member of `{name}`")).help(help);
    let error = if let Some(near) = near { error.edit(place, near) } else { error };
    match declared.place(name) {
        Some(first) => error.also(first, "declared here"),
        None => error,
    }
}
