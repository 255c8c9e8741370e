//! Reads what is declared outside of requests.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Lowering;
use super::declared::{Array, Declared, Function, Interval, MAX_ELEMENTS, Slots, VarShape, bad_parameter, bad_range};
use super::names::Names;
use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::grammar::SyntaxKind;
use crate::program::{GlobalVar, Variable, is_global};
use crate::tree::{SyntaxToken, ast, span};
use serval_diagnostic::Span;

/// The words that look like calls and are not: nothing can have these names
/// and be called.
const FORMS: &[&str] = &["lock", "unlock", "await", "choose", "for"];

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
            let is_array = item.indices().next().is_some();
            return errors.push(|| if is_array { shared_local(name.text(), place) } else { initial_local(name.text(), place) });
        }
        if !self.take(&name, errors) {
            return;
        }
        let Some(VarShape { elements, indices, values, initial }) = self.shape(item, errors) else { return self.incomplete = true };
        let numbers: Vec<u32> = elements.iter().map(|element| globals.number(&format!("{}{element}", name.text()), place)).collect();
        if !indices.is_empty() {
            let elements = numbers.iter().map(|&number| Variable::Global(GlobalVar(number))).collect();
            self.arrays.insert(name.text().to_owned(), Rc::new(Array { elements, indices }));
        }
        for number in numbers {
            globals.usage_mut(number).written = true;
            self.initial.insert(number, initial);
            if let Some(values) = values {
                self.values.insert(number, values);
            }
        }
    }

    /// What a `var` outside of requests declares.
    fn shape(&self, item: &ast::Var, errors: &mut Sink) -> Option<VarShape> {
        let (mut globals, mut locals) = (Names::default(), Names::default());
        Lowering::new(self, &mut globals, &mut locals, errors).shape(item)
    }

    /// `version V: 2`
    pub(crate) fn version(&mut self, item: &ast::Version, globals: &mut Names, errors: &mut Sink) {
        let (Some(name), Some(slots)) = (item.name(), item.slots()) else { return self.incomplete = true };
        let place = span(name.text_range());
        if !is_global(name.text()) {
            self.incomplete = true;
            return errors.push(|| {
                let name = name.text();
                Diagnostic::error(codes::BAD_VERSION, place, format!("`{name}` is local to a request and cannot be a version"))
                    .expected("a name whose first letter is upper-case")
                    .help("choose a name with a capital first letter: requests share a version")
            });
        }
        if !self.take(&name, errors) {
            return;
        }
        let Some(count) = self.value(&slots, errors) else { return self.incomplete = true };
        let Some(count) = u32::try_from(count).ok().filter(|&count| count > 0 && i64::from(count) <= MAX_ELEMENTS) else {
            self.incomplete = true;
            let place = span(slots.syntax().text_range());
            return errors.push(|| {
                Diagnostic::error(codes::BAD_RANGE, place, format!("{count} requests cannot remember a version"))
                    .expected(format!("a number from 1 to {MAX_ELEMENTS}"))
                    .help("write how many requests may remember a version at once; 2 or 3 show most mistakes")
            });
        };
        let names = (1..=count).map(|index| format!("{}[{index}]", name.text()));
        let names: Vec<String> = if self.reading.integers { vec![name.text().to_owned()] } else { names.collect() };
        let numbers: Vec<u32> = names.iter().map(|name| globals.number(name, place)).collect();
        for &number in &numbers {
            let usage = globals.usage_mut(number);
            usage.written = true;
            usage.read.get_or_insert(place);
        }
        let first = numbers.first().copied().unwrap_or(0);
        if self.reading.integers {
            self.initial.insert(first, 1);
        }
        self.versions.insert(name.text().to_owned(), Slots { first, count, place });
    }

    /// The constant value of an expression, which may have constants in it.
    pub(crate) fn value(&self, value: &ast::Expr, errors: &mut Sink) -> Option<i64> {
        let (mut globals, mut locals) = (Names::default(), Names::default());
        Lowering::new(self, &mut globals, &mut locals, errors).constant_value(value)
    }

    /// The values of `{100, 250}` in order, with what they are called: by their name where that is written.
    pub(crate) fn listed(&self, set: &ast::ValueSet, errors: &mut Sink) -> Option<Vec<(i64, String)>> {
        let place = span(set.syntax().text_range());
        let mut found: Vec<(i64, String)> = Vec::new();
        let mut places: FxHashMap<i64, Span> = FxHashMap::default();
        let mut fine = true;
        for written in set.values() {
            let Some(value) = self.value(&written, errors) else {
                fine = false;
                continue;
            };
            let place = span(written.syntax().text_range());
            if let Some(first) = places.insert(value, place) {
                fine = false;
                errors.push(|| {
                    Diagnostic::error(codes::BAD_VALUE_SET, place, format!("the value {value} is in this set already"))
                        .also(first, "here")
                        .expected("values that are all different")
                        .help("remove one of the two; each value makes a request of its own")
                });
            }
            let name = match written.kind() {
                SyntaxKind::NameExpr => written.token(),
                SyntaxKind::MemberExpr => written.member(),
                _ => None,
            };
            found.push((value, name.map_or_else(|| value.to_string(), |name| name.text().to_owned())));
        }
        if fine && found.is_empty() {
            errors.push(|| {
                Diagnostic::error(codes::BAD_VALUE_SET, place, "this set of values is empty")
                    .expected("at least one value")
                    .help("write the values that the parameter can have, such as `{100, 250}`")
            });
            return None;
        }
        fine.then_some(found)
    }

    /// The interval that a range stands for.
    pub(crate) fn interval(&self, range: &ast::Range, most: i64, errors: &mut Sink) -> Option<Interval> {
        let (mut globals, mut locals) = (Names::default(), Names::default());
        Lowering::new(self, &mut globals, &mut locals, errors).interval(range, Some(most))
    }
}

pub(crate) fn declared_twice(name: &str, place: Span, first: Span) -> Diagnostic {
    Diagnostic::error(codes::DECLARED_TWICE, place, format!("`{name}` is declared already"))
        .also(first, "declared here")
        .expected("a name that is not taken")
        .help("choose another name for one of the two")
}

fn capital(name: &str) -> String {
    let mut capital = name.to_owned();
    if let Some(at) = name.find(|c: char| c.is_ascii_alphabetic()) {
        capital[at..=at].make_ascii_uppercase();
    }
    capital
}

/// An array outside of requests with the name of a local.
fn shared_local(name: &str, place: Span) -> Diagnostic {
    let capital = capital(name);
    let share = if capital == name { "choose a name with a capital first letter".to_owned() } else { format!("write `{capital}`") };
    Diagnostic::error(codes::INITIAL_LOCAL, place, format!("`{name}` is local to a request and cannot be declared outside of it"))
        .expected("a global variable, whose first letter is upper-case")
        .help(format!("{share} if requests share the array, or move the declaration into the request that uses it"))
}

pub(crate) fn initial_local(name: &str, place: Span) -> Diagnostic {
    let capital = capital(name);
    let help = if capital == name {
        "choose a name with a capital first letter, or assign it inside the request".to_owned()
    } else {
        format!("write `{capital}` if requests share it, or assign it inside the request")
    };
    Diagnostic::error(codes::INITIAL_LOCAL, place, format!("`{name}` is local to a request and cannot have an initial value"))
        .expected("a global variable, whose first letter is upper-case")
        .help(help)
}
