//! Another name for a symbol.
//!
//! What is changed is every occurrence of the symbol. The changed text is then read again, and every name in it must
//! mean what it meant before: the two tables of bindings are equal but for the name and for the places that move. So a
//! new name that is taken, that hides another or is hidden by one, or that the language reads as a word is refused,
//! whatever the reason is.

use std::fmt;

use serval_syntax::{Bindings, Edit, Span, SymbolKind, is_global, parse};

use crate::document::Document;
use crate::forms::is_word;

/// Why a name was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// The name at a place that can be changed.
pub fn renamed_at(document: &Document, offset: u32) -> Option<Span> {
    document.bindings().at(offset).map(|one| one.span)
}

/// The edits after which the symbol at a place has this name, and all else means what it meant before.
pub fn rename(document: &Document, offset: u32, name: &str) -> Result<Vec<Edit>, Refused> {
    let refused = |why: String| Err(Refused(why));
    let Some((index, symbol)) = document.symbol(offset) else { return refused("there is no name here".to_owned()) };
    let letters = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !name.chars().all(letters) {
        return refused(format!("`{name}` is no name: a name is made of letters, digits and `_` and begins with no digit"));
    }
    if is_word(name) {
        return refused(format!("`{name}` is a word of the language"));
    }
    if symbol.kind.is_global() && !is_global(name) {
        return refused(format!("`{}` is shared by all requests, so its first letter stays upper-case", symbol.name));
    }
    let is_local = matches!(symbol.kind, SymbolKind::Local | SymbolKind::LocalArray | SymbolKind::Param | SymbolKind::LoopVariable);
    if is_local && is_global(name) {
        return refused(format!("`{}` is no shared variable, so its first letter stays lower-case", symbol.name));
    }
    let edits: Vec<Edit> = document.bindings().of_symbol(index).map(|one| Edit { span: one.span, text: name.to_owned() }).collect();
    let Some(changed) = document.edited(&edits) else { return refused("its places overlap".to_owned()) };
    let after = Bindings::of(&parse(&changed));
    match differs(document.bindings(), &after, index, name) {
        Some(place) => {
            let line = document.lines().position(document.text(), place.start).line;
            refused(format!("`{name}` would mean something else: `{}` on line {line}", document.slice(place)))
        }
        None => Ok(edits),
    }
}

/// Where in the old text a name would mean something else.
fn differs(before: &Bindings, after: &Bindings, renamed: usize, name: &str) -> Option<Span> {
    let mut moved: i64 = 0;
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut others = after.occurrences().iter();
    for one in before.occurrences() {
        let Some(other) = others.next() else { return Some(one.span) };
        let same_place = i64::from(other.span.start) == i64::from(one.span.start) + moved;
        if !same_place || other.access != one.access {
            return Some(one.span);
        }
        moved += i64::from(other.span.end - other.span.start) - i64::from(one.span.end - one.span.start);
        let (old, new) = (&before.symbols()[one.symbol], &after.symbols()[other.symbol]);
        let wanted = if one.symbol == renamed { name } else { &old.name };
        if new.name != wanted || new.kind != old.kind {
            return Some(one.span);
        }
        pairs.push((one.symbol, other.symbol));
    }
    if let Some(more) = others.next() {
        return Some(Span::new(more.span.start, more.span.start));
    }
    // Two symbols are one afterwards, or one is two.
    let mut known = vec![None; before.symbols().len()];
    let mut back = vec![None; after.symbols().len()];
    for (&(old, new), one) in pairs.iter().zip(before.occurrences()) {
        if *known[old].get_or_insert(new) != new || *back[new].get_or_insert(old) != old {
            return Some(one.span);
        }
    }
    None
}
