//! What is declared outside of requests: constants, variables with ranges,
//! arrays, functions.

use rustc_hash::FxHashMap;

use crate::ast;
use crate::fold::fold;
use crate::lower::{Lowering, Names, is_global};
use crate::sink::Sink;
use crate::tree::span;
use crate::{Diagnostic, Span, SyntaxKind, SyntaxToken, codes};

/// How many elements an array, and how many values a parameter may have.
pub(crate) const MAX_ELEMENTS: i64 = 1024;

/// The words that look like calls and are not: nothing can have these names
/// and be called.
const FORMS: &[&str] = &["lock", "unlock", "await", "choose", "for"];

/// What happens to a value that leaves a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It is an error.
    Error,
    /// It comes in again at the other end.
    Wrap,
    /// It stays at the end.
    Saturate,
}

/// The values of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) fit: Fit,
}

/// An array: globals with numbers that follow one another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    /// The number of the first element.
    pub(crate) first: u32,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<(String, Span)>,
    pub(crate) body: ast::Block,
}

/// A range of constants; with the names of the values where an `enum` gives
/// them.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) low: i64,
    pub(crate) high: i64,
    members: Vec<String>,
}

impl Interval {
    /// The values, the least first.
    pub(crate) fn values(&self) -> impl Iterator<Item = i64> + use<> {
        self.low..=self.high
    }

    /// How a value is called.
    pub(crate) fn name(&self, value: i64) -> String {
        usize::try_from(value).ok().and_then(|index| self.members.get(index)).cloned().unwrap_or_else(|| value.to_string())
    }
}

/// Everything that is declared in a file.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) constants: FxHashMap<String, i64>,
    enums: FxHashMap<String, Vec<String>>,
    pub(crate) arrays: FxHashMap<String, Array>,
    pub(crate) functions: FxHashMap<String, Function>,
    /// By the number of the global.
    pub(crate) values: FxHashMap<u32, Values>,
    /// By the number of the global.
    pub(crate) initial: FxHashMap<u32, i64>,
    /// Where every name is declared.
    places: FxHashMap<String, Span>,
    /// Whether something declared could not be read, so that nobody knows
    /// what its name means.
    pub(crate) incomplete: bool,
}

impl Declared {
    /// Takes a name; says so where it is taken already.
    fn take(&mut self, name: &SyntaxToken, errors: &mut Sink) -> bool {
        let place = span(name.text_range());
        if let Some(&first) = self.places.get(name.text()) {
            errors.push(|| declared_twice(name.text(), place, first));
            return false;
        }
        self.places.insert(name.text().to_owned(), place);
        true
    }

    /// Where a name is declared, other than by use.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        self.places.get(name).copied()
    }

    /// The names that can be called.
    pub(crate) fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    pub(crate) fn constant(&mut self, item: &ast::Const, errors: &mut Sink) {
        let (Some(name), Some(value)) = (item.name(), item.value()) else { return self.incomplete = true };
        if self.take(&name, errors) {
            match self.value(&value, errors) {
                Some(value) => {
                    self.constants.insert(name.text().to_owned(), value);
                }
                None => self.incomplete = true,
            }
        }
    }

    pub(crate) fn enumeration(&mut self, item: &ast::Enum, errors: &mut Sink) {
        let Some(name) = item.name() else { return self.incomplete = true };
        self.take(&name, errors);
        let mut members = Vec::new();
        for member in item.members() {
            let Some(member) = member.name() else { return self.incomplete = true };
            let number = i64::try_from(members.len()).unwrap_or(i64::MAX);
            if self.take(&member, errors) {
                self.constants.insert(member.text().to_owned(), number);
            }
            members.push(member.text().to_owned());
        }
        if members.is_empty() {
            let place = span(name.text_range());
            errors.push(|| bad_range(place, "an `enum` without members has no values".to_owned(), "at least one name"));
        }
        self.enums.insert(name.text().to_owned(), members);
    }

    pub(crate) fn function(&mut self, item: &ast::Function, errors: &mut Sink) {
        let (Some(name), Some(body)) = (item.name(), item.body()) else { return self.incomplete = true };
        let place = span(name.text_range());
        if FORMS.contains(&name.text()) {
            errors.push(|| {
                Diagnostic::error(codes::DECLARED_TWICE, place, format!("`{}` is a word of the language", name.text()))
                    .expected("another name")
                    .help("choose another name for the function")
            });
        }
        let mut params: Vec<(String, Span)> = Vec::new();
        for param in item.params().filter_map(|param| param.name()) {
            let place = span(param.text_range());
            if let Some((_, first)) = params.iter().find(|(known, _)| known == param.text()) {
                let first = *first;
                errors.push(|| declared_twice(param.text(), place, first));
            }
            if is_global(param.text()) || self.constants.contains_key(param.text()) {
                errors.push(|| bad_parameter(param.text(), place));
            }
            params.push((param.text().to_owned(), place));
        }
        if self.take(&name, errors) {
            self.functions.insert(name.text().to_owned(), Function { name: name.text().to_owned(), params, body });
        }
    }

    /// `var A[0..3]: 0..9 wrap := 1`
    pub(crate) fn var(&mut self, item: &ast::Var, globals: &mut Names, errors: &mut Sink) {
        let Some(name) = item.name() else { return self.incomplete = true };
        let place = span(name.text_range());
        if !is_global(name.text()) {
            self.incomplete = true;
            return errors.push(|| crate::analysis::initial_local(name.text(), place));
        }
        if !self.take(&name, errors) {
            return;
        }
        let fit = match item.fit().map(|token| token.kind()) {
            Some(SyntaxKind::WrapKw) => Fit::Wrap,
            Some(_) => Fit::Saturate,
            None => Fit::Error,
        };
        let mut values = None;
        if let Some(range) = item.values() {
            match self.interval(&range, None, &[], errors) {
                Some(interval) => values = Some(Values { low: interval.low, high: interval.high, fit }),
                None => self.incomplete = true,
            }
        } else if let Some(word) = item.fit() {
            let place = span(word.text_range());
            errors.push(|| bad_range(place, format!("`{}` needs a range", word.text()), "`: 0..3` before it"));
        }
        let mut initial = values.map_or(0, |values| 0.clamp(values.low, values.high));
        if let Some(value) = item.value() {
            if let Some(number) = self.value(&value, errors) {
                initial = number;
            }
            if let Some(values) = values
                && !(values.low..=values.high).contains(&initial)
            {
                let place = span(value.syntax().text_range());
                errors.push(|| {
                    let message = format!("the initial value {initial} lies outside of the range {}..{}", values.low, values.high);
                    bad_range(place, message, "a value in the range")
                });
            }
        }
        let numbers: Vec<u32> = if let Some(range) = item.indices() {
            let Some(indices) = self.interval(&range, Some(MAX_ELEMENTS), &[], errors) else { return self.incomplete = true };
            let numbers: Vec<u32> = indices.values().map(|index| globals.number(&format!("{}[{index}]", name.text()), place)).collect();
            let first = numbers.first().copied().unwrap_or(0);
            self.arrays.insert(name.text().to_owned(), Array { first, low: indices.low, high: indices.high });
            numbers
        } else {
            vec![globals.number(name.text(), place)]
        };
        for number in numbers {
            globals.usage_mut(number).written = true;
            self.initial.insert(number, initial);
            if let Some(values) = values {
                self.values.insert(number, values);
            }
        }
    }

    /// The constant value of an expression, which may have constants in it.
    pub(crate) fn value(&self, value: &ast::Expr, errors: &mut Sink) -> Option<i64> {
        self.value_in(value, &[], errors)
    }

    /// The same where these names are constants, too.
    fn value_in(&self, value: &ast::Expr, scope: &[(String, i64)], errors: &mut Sink) -> Option<i64> {
        // Variables in the value are reported below and are nobody's.
        let (mut globals, mut locals) = (Names::default(), Names::default());
        let mut lowering = Lowering::new(self, &mut globals, &mut locals, errors);
        lowering.scope = scope.to_vec();
        let lowered = lowering.expr(value)?;
        match fold(&lowered) {
            Ok(value) => Some(value),
            Err(reason) => {
                errors.push(|| crate::analysis::no_value(reason));
                None
            }
        }
    }

    /// The interval that a range stands for, of at most so many values, where
    /// the names of `scope` are constants, too.
    pub(crate) fn interval(&self, range: &ast::Range, most: Option<i64>, scope: &[(String, i64)], errors: &mut Sink) -> Option<Interval> {
        let place = span(range.syntax().text_range());
        let mut ends = range.ends();
        let first = ends.next()?;
        let interval = if range.has_dots() {
            let (low, high) = (self.value_in(&first, scope, errors), self.value_in(&ends.next()?, scope, errors));
            Interval { low: low?, high: high?, members: Vec::new() }
        } else {
            let name = first.token().filter(|_| first.kind() == SyntaxKind::NameExpr);
            let Some(members) = name.and_then(|name| self.enums.get(name.text())) else {
                errors.push(|| bad_range(place, "this is not a range".to_owned(), "`0..3`, or the name of an `enum`"));
                return None;
            };
            Interval { low: 0, high: i64::try_from(members.len()).unwrap_or(0) - 1, members: members.clone() }
        };
        if interval.low > interval.high {
            let (low, high) = (interval.low, interval.high);
            errors
                .push(|| bad_range(place, format!("the range {low}..{high} is empty"), "a first end that is not greater than the second"));
            return None;
        }
        if most.is_some_and(|most| interval.high.checked_sub(interval.low).is_none_or(|size| size >= most)) {
            errors.push(|| bad_range(place, "this range is too large".to_owned(), &format!("at most {MAX_ELEMENTS} values")));
            return None;
        }
        Some(interval)
    }

    /// How many members an `enum` has.
    pub(crate) fn enum_size(&self, name: &str) -> i64 {
        self.enums.get(name).map_or(0, |members| i64::try_from(members.len()).unwrap_or(i64::MAX))
    }

    /// Whether the name is that of an `enum`.
    pub(crate) fn is_enum(&self, name: &str) -> bool {
        self.enums.contains_key(name)
    }
}

fn declared_twice(name: &str, place: Span, first: Span) -> Diagnostic {
    Diagnostic::error(codes::DECLARED_TWICE, place, format!("`{name}` is declared already"))
        .also(first, "declared here")
        .expected("a name that is not taken")
        .help("choose another name for one of the two")
}

fn bad_range(place: Span, message: String, expected: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_RANGE, place, message).expected(expected).help("write a range such as `0..3`, which includes both ends")
}

pub(crate) fn bad_parameter(name: &str, place: Span) -> Diagnostic {
    Diagnostic::error(codes::DECLARED_TWICE, place, format!("`{name}` cannot be a parameter"))
        .expected("a name with a small first letter that is no constant")
        .help("choose another name; a capital first letter stands for a global variable")
}
