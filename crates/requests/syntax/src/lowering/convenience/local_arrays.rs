//! `var seen[0..2]` in a request or a function: an array that is not shared.
//!
//! | form | becomes |
//! |---|---|
//! | `var seen[0..2] := 1` | `(seen[0] := 1; seen[1] := 1; seen[2] := 1; 0)` |
//! | `seen[i]`, `seen[i] := e` | as of a global array, with the local variables `seen[0]`, … for its elements |
//!
//! # Why the elements are new in every call
//! An element is a local variable, so requests do not share it. A declaration is a statement of a sequence, and its
//! name is known from there to the end of that sequence: wherever an element is named, the declaration has been
//! evaluated before, in the same evaluation of the sequence, and has set all elements. So what another call of a
//! function has left in them, another round of a loop, or another sequence that has an array of the same name, is never
//! seen. The variables of a call have its prefix, so that a function never changes an array of its caller.

use std::rc::Rc;

use super::{assign, number, sequence};
use crate::diagnostic::{Diagnostic, codes};
use crate::lowering::Lowering;
use crate::lowering::declare::declared_twice;
use crate::lowering::declared::{Array, VarShape};
use crate::program::{Expr, LocalVar, Variable, is_global};
use crate::tree::{SyntaxNode, SyntaxToken, ast, span};
use serval_diagnostic::Span;

/// The arrays that a body declares.
#[derive(Debug, Default)]
pub(crate) struct LocalArrays {
    /// Those that are known at this place.
    known: Vec<(String, Rc<Array>, Span)>,
    /// Where the body declares each, known here or not.
    places: Vec<(String, Span)>,
    /// Those whose declaration makes no sense, so that nothing is said about their use.
    broken: Vec<String>,
}

impl LocalArrays {
    /// Those of a body, none of which is known at its beginning.
    pub(crate) fn of(body: impl Iterator<Item = SyntaxNode>) -> Self {
        let nodes = body.flat_map(|node| node.descendants()).filter_map(ast::Expr::cast);
        let names = nodes.filter_map(|expr| expr.local_array()?.name());
        let places = names.map(|name| (name.text().to_owned(), span(name.text_range()))).collect();
        Self { places, ..Self::default() }
    }

    fn get(&self, name: &str) -> Option<&(String, Rc<Array>, Span)> {
        self.known.iter().find(|(known, ..)| known == name)
    }

    /// The names of those that are known.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|(name, ..)| name.as_str())
    }

    /// Whether nothing is to be said about this name.
    pub(crate) fn is_broken(&self, name: &str) -> bool {
        self.broken.iter().any(|broken| broken == name)
    }

    /// Where an array of this name is known from.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        self.get(name).map(|&(_, _, place)| place)
    }

    /// Where the body declares an array of this name.
    fn elsewhere(&self, name: &str) -> Option<Span> {
        self.places.iter().find(|(declared, _)| declared == name).map(|&(_, place)| place)
    }
}

impl Lowering<'_> {
    /// Does `part`, after which the arrays that it declares are no longer known.
    pub(crate) fn in_sequence<T>(&mut self, part: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let outer = self.arrays.known.len();
        let result = part(self);
        self.arrays.known.truncate(outer);
        result
    }

    /// The array of this name, of the request or shared.
    pub(crate) fn known_array(&self, name: &str) -> Option<Rc<Array>> {
        self.arrays.get(name).map(|(_, array, _)| array).or_else(|| self.declared.arrays.get(name)).cloned()
    }

    /// `var seen[0..3]`
    pub(crate) fn local_array(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let item = expr.local_array()?;
        let name = item.name()?;
        let (place, at) = (span(expr.syntax().text_range()), span(name.text_range()));
        let zero = number(0, Span::new(place.end, place.end));
        if is_global(name.text()) {
            self.error(|| global_name(name.text(), at));
        } else if self.is_taken(&name) {
            self.arrays.broken.push(name.text().to_owned());
            return Some(zero);
        }
        let Some(VarShape { elements, indices, values, initial }) = self.shape(&item) else {
            self.arrays.broken.push(name.text().to_owned());
            return Some(zero);
        };
        let mut list = Vec::new();
        let mut variables = Vec::new();
        self.count(2 * elements.len() as u64);
        for element in elements {
            let local = self.element_of(&name, &element);
            self.locals.usage_mut(local).written = true;
            match values {
                Some(values) => self.element_values.insert(local, values),
                None => self.element_values.remove(&local),
            };
            variables.push(Variable::Local(LocalVar(local)));
        }
        for &variable in &variables {
            list.push(assign(variable, at, number(initial, at)));
        }
        list.push(zero);
        self.arrays.known.push((name.text().to_owned(), Rc::new(Array { elements: variables, indices }), at));
        Some(sequence(list, place))
    }

    /// The local variable of an element, in a function that of this call.
    fn element_of(&mut self, name: &SyntaxToken, element: &str) -> u32 {
        let name = (name.text(), span(name.text_range()));
        match self.frames.last() {
            Some(frame) => self.locals.number(&format!("{}.{}{element}", frame.prefix, name.0), name.1),
            None => self.locals.number(&format!("{}{element}", name.0), name.1),
        }
    }

    /// Whether something else has this name that can be named here; says so.
    fn is_taken(&mut self, name: &SyntaxToken) -> bool {
        let (text, at) = (name.text(), span(name.text_range()));
        let function = self.frames.last().and_then(|frame| self.declared.functions.get(&frame.function));
        let param = function.and_then(|function| function.params.iter().find(|(known, _)| known == text)).map(|&(_, place)| place);
        // What is called is never confused with what has an index.
        let declared = self.declared.place(text).filter(|_| !self.declared.functions.contains_key(text));
        let constant = self.constant(text).is_some() || self.is_param(text);
        match self.arrays.place(text).or(param).or_else(|| self.token_place(text)).or(declared) {
            Some(first) => self.error(|| declared_twice(text, at, first)),
            None if constant => self.error(|| {
                Diagnostic::error(codes::DECLARED_TWICE, at, format!("`{text}` is constant here"))
                    .expected("a name that is not taken")
                    .help("choose another name for the array; this one is that of a parameter or of the variable of a loop")
            }),
            None => return false,
        }
        true
    }

    /// Whether the target of an assignment is an array; says what to do instead.
    pub(crate) fn is_whole_array(&mut self, name: &SyntaxToken) -> bool {
        let (text, place) = (name.text(), span(name.text_range()));
        let Some(array) = self.known_array(text) else { return false };
        let brackets = array.brackets();
        let first = self.arrays.place(text).or_else(|| self.declared.place(text));
        self.error(|| {
            let error = Diagnostic::error(codes::BAD_INDEX, place, format!("the array `{text}` cannot be assigned as a whole"))
                .expected("`[` and an index")
                .help(format!("write `{text}{brackets} := …` for one of its elements, in a `for` loop for all of them"));
            if let Some(first) = first { error.also(first, "declared here") } else { error }
        });
        true
    }

    /// Whether the body declares an array of this name, which is not known at this place; says so.
    pub(crate) fn is_array_elsewhere(&mut self, name: &SyntaxToken) -> bool {
        let (text, place) = (name.text(), span(name.text_range()));
        if self.arrays.is_broken(text) {
            return true;
        }
        let Some(first) = self.arrays.elsewhere(text) else { return false };
        self.error(|| {
            let message = if place.start < first.start {
                format!("`{text}` is used before it is declared")
            } else {
                format!("the array `{text}` is not known here")
            };
            Diagnostic::error(codes::BAD_INDEX, place, message)
                .also(first, "declared here")
                .expected("an array that is declared before, in the same block or in one around it")
                .help("move the declaration further up, out of the block that it stands in")
        });
        true
    }
}

/// An array of a request with the name of a global.
fn global_name(name: &str, place: Span) -> Diagnostic {
    let mut small = name.to_owned();
    if let Some(at) = name.find(|c: char| c.is_ascii_alphabetic()) {
        small[at..=at].make_ascii_lowercase();
    }
    Diagnostic::error(codes::BAD_LOCAL_ARRAY, place, format!("`{name}` would be shared, and is declared inside of a request"))
        .expected("a name whose first letter is lower-case")
        .help(format!("write `{small}` for an array that each request has of its own, or move the declaration to the top of the file"))
}
