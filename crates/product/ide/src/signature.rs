//! The parameters of a call.

use serval_syntax::{Span, SymbolKind, SyntaxKind, SyntaxNode};

use crate::document::{Document, span};

/// A function whose call is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// How it is declared: `fn name(x, y)`.
    pub label: String,
    /// Where its parameters stand in the label.
    pub params: Vec<Span>,
    /// Which of them is being given; there may be none left.
    pub active: usize,
}

/// The declaration of a function up to its body.
pub(crate) fn head(document: &Document, function: usize) -> String {
    let declaration = document.nth(function).declaration.unwrap_or_default();
    document.slice(declaration).split('{').next().unwrap_or_default().trim().to_owned()
}

/// The names of the parameters of a function.
pub(crate) fn params(document: &Document, function: usize) -> Vec<&str> {
    let of = |symbol: &&serval_syntax::Symbol| symbol.kind == SymbolKind::Param && symbol.owner == Some(function);
    document.bindings().symbols().iter().filter(of).map(|symbol| symbol.name.as_str()).collect()
}

/// The function whose arguments stand around a place.
pub fn signature(document: &Document, offset: u32) -> Option<Signature> {
    let offset = document.place(offset);
    let token = document.tree().token_at_offset(offset.into()).left_biased()?;
    let within = |node: &SyntaxNode| {
        let place = span(node.text_range());
        let closed = node.last_token().is_some_and(|last| last.kind() == SyntaxKind::RightParen);
        node.kind() == SyntaxKind::ArgList && place.start < offset && (offset < place.end || !closed)
    };
    let list = token.parent_ancestors().find(within)?;
    let call = list.parent()?;
    let name = call.first_token()?;
    let found = document.bindings().at(name.text_range().start().into())?;
    document.nth(found.symbol).declaration?;
    let label = head(document, found.symbol);
    let mut spans = Vec::new();
    let mut at = label.find('(')?;
    for param in params(document, found.symbol) {
        let start = at + label[at..].find(param)?;
        at = start + param.len();
        spans.push(Span::new(u32::try_from(start).ok()?, u32::try_from(at).ok()?));
    }
    let commas = list.children_with_tokens().filter(|part| part.kind() == SyntaxKind::Comma);
    let active = commas.filter(|comma| u32::from(comma.text_range().end()) <= offset).count();
    Some(Signature { label, params: spans, active })
}
