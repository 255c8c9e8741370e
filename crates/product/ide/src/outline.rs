//! The declarations of a file.

use serval_syntax::{Span, SymbolKind, SyntaxNode};

use crate::document::{Document, is_item, trimmed};

/// A declaration, and what is declared within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// All of it.
    pub span: Span,
    /// Its name.
    pub name_span: Span,
    /// What belongs to it: parameters, members.
    pub children: Vec<Outline>,
}

/// All declarations, in order.
pub fn outline(document: &Document) -> Vec<Outline> {
    let items = document.tree().children().filter(|node| is_item(node.kind()));
    items.filter_map(|node| one(document, &node)).collect()
}

fn one(document: &Document, node: &SyntaxNode) -> Option<Outline> {
    let place = trimmed(node);
    let table = document.bindings();
    let first = table.occurrences().partition_point(|one| one.span.start < place.start);
    let within = || table.occurrences()[first..].iter().take_while(|one| one.span.end <= place.end);
    // An initial value declares what it is given to.
    let own = within().next().filter(|one| one.access.writes())?;
    let symbol = &table.symbols()[own.symbol];
    let mut children = Vec::new();
    for inner in within().filter(|inner| table.symbols()[inner.symbol].definition == inner.span) {
        let part = &table.symbols()[inner.symbol];
        if part.owner == Some(own.symbol) && matches!(part.kind, SymbolKind::Param | SymbolKind::Member) {
            let (name, kind) = (part.name.clone(), part.kind);
            let span = part.declaration.unwrap_or(part.definition);
            children.push(Outline { name, kind, span, name_span: part.definition, children: Vec::new() });
        }
    }
    Some(Outline { name: symbol.name.clone(), kind: symbol.kind, span: place, name_span: own.span, children })
}
