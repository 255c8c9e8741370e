//! Which requests and functions call which functions.

use serval_syntax::{Span, SymbolKind};

use crate::document::Document;

/// A request or function at one end of calls, and where these stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Where it is declared: its name.
    pub definition: Span,
    /// All of its declaration.
    pub declaration: Span,
    /// Where the names of what is called stand.
    pub places: Vec<Span>,
}

/// Who calls the function whose name stands at a place.
pub fn callers(document: &Document, offset: u32) -> Vec<Call> {
    let Some((index, _)) = document.symbol(offset).filter(|(_, symbol)| symbol.kind == SymbolKind::Function) else { return Vec::new() };
    let calls = document.bindings().of_symbol(index).filter(|one| one.item != Some(index));
    gathered(document, calls.filter_map(|one| Some((one.item?, one.span))))
}

/// What the request or function whose name stands at a place calls.
pub fn callees(document: &Document, offset: u32) -> Vec<Call> {
    let Some((index, _)) = document.symbol(offset) else { return Vec::new() };
    let within = document.bindings().occurrences().iter().filter(|one| one.item == Some(index) && one.symbol != index);
    let calls = within.filter(|one| document.nth(one.symbol).kind == SymbolKind::Function);
    gathered(document, calls.map(|one| (one.symbol, one.span)))
}

fn gathered(document: &Document, calls: impl Iterator<Item = (usize, Span)>) -> Vec<Call> {
    let mut found: Vec<Call> = Vec::new();
    for (item, place) in calls {
        let symbol = document.nth(item);
        let Some(declaration) = symbol.declaration else { continue };
        match found.iter_mut().find(|call| call.definition == symbol.definition) {
            Some(call) => call.places.push(place),
            None => {
                let (name, kind, definition) = (symbol.name.clone(), symbol.kind, symbol.definition);
                found.push(Call { name, kind, definition, declaration, places: vec![place] });
            }
        }
    }
    found
}
