//! Where a name is declared, and where else it stands.

use serval_syntax::{Access, Span};

use crate::document::Document;

/// Where the name at a place is declared; for what nothing declares, where it is written first.
pub fn definition(document: &Document, offset: u32) -> Option<Span> {
    document.symbol(offset).map(|(_, symbol)| symbol.definition)
}

/// Where else the name at a place stands, sorted by place; with its declaration, if that is wanted.
pub fn references(document: &Document, offset: u32, declaration: bool) -> Vec<Span> {
    let Some((index, symbol)) = document.symbol(offset) else { return Vec::new() };
    let places = document.bindings().of_symbol(index).map(|one| one.span);
    places.filter(|place| declaration || *place != symbol.definition).collect()
}

/// The same with what is done at each place.
pub fn highlights(document: &Document, offset: u32) -> Vec<(Span, Access)> {
    let Some((index, _)) = document.symbol(offset) else { return Vec::new() };
    document.bindings().of_symbol(index).map(|one| (one.span, one.access)).collect()
}
