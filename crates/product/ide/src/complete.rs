//! What can be written at a place.

use serval_syntax::{Span, SymbolKind, SyntaxKind};

use crate::document::{Document, span};
use crate::forms::FORMS;
use crate::hover::item_at;
use crate::signature::head;

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A word of the language, with what belongs to it.
    Form,
    /// A name.
    Symbol(SymbolKind),
    /// A comment that serval reads.
    Comment,
}

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown and compared with what has been typed.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What is said beside it.
    pub detail: String,
    /// The part of the text that it replaces.
    pub replaced: Span,
    /// What is put in, with places to fill: `$1`, `${2:name}`, and `$0` for where writing goes on.
    pub snippet: String,
}

/// The proposals for a place, names before words.
pub fn completions(document: &Document, offset: u32) -> Vec<Completion> {
    let offset = document.place(offset);
    let start = word_start(document.text(), offset);
    let replaced = Span::new(start, offset);
    let before = &document.text()[..start as usize];
    if let Some(comment) = comment_before(document, offset) {
        return in_comment(&comment, offset);
    }
    let trimmed = before.trim_end_matches([' ', '\t']);
    if trimmed.ends_with('.') && !trimmed.ends_with("..") {
        return members(document, &trimmed[..trimmed.len() - 1], replaced);
    }
    let is_bare = !document.bindings().symbols().iter().any(|symbol| symbol.kind == SymbolKind::Request);
    let inside = item_at(document, offset).is_some() && !is_behind_item(document, offset) || is_bare;
    let mut found = names(document, offset, replaced, inside);
    for form in FORMS.iter().filter(|form| if inside { form.inside } else { form.outside } || is_bare) {
        found.push(Completion {
            label: form.word.to_owned(),
            kind: CompletionKind::Form,
            detail: form.meaning.to_owned(),
            replaced,
            snippet: form.snippet.to_owned(),
        });
    }
    found
}

/// Whether everything before this place is closed, so that a new declaration begins here.
fn is_behind_item(document: &Document, offset: u32) -> bool {
    let before = document.text()[..offset as usize].trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_').trim_end();
    let Ok(end) = u32::try_from(before.len()) else { return false };
    let Some(token) = document.tree().token_at_offset(end.into()).left_biased() else { return true };
    let is_body = |node: &serval_syntax::SyntaxNode| {
        node.kind() == SyntaxKind::Block && node.parent().is_some_and(|up| matches!(up.kind(), SyntaxKind::Request | SyntaxKind::Function))
    };
    token.kind() == SyntaxKind::RightBrace && token.parent().is_some_and(|node| is_body(&node))
}

fn word_start(text: &str, offset: u32) -> u32 {
    let word = text[..offset as usize].bytes().rev().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    offset - u32::try_from(word).unwrap_or(0)
}

/// The text of a line comment up to the place, if it is in one.
fn comment_before(document: &Document, offset: u32) -> Option<String> {
    let token = document.tree().token_at_offset(offset.into()).left_biased()?;
    let place = span(token.text_range());
    match token.kind() {
        SyntaxKind::LineComment => Some(document.slice(Span::new(place.start, offset)).to_owned()),
        SyntaxKind::BlockComment if offset < place.end || !token.text().ends_with("*/") => Some("/*".to_owned()),
        _ => None,
    }
}

/// What serval reads in comments.
const COMMENTS: &[(&str, &str)] = &[
    ("expect: serializable", "the verdict that this file promises"),
    ("expect: not serializable", "the verdict that this file promises"),
    ("expect: strict", "the verdict that this file promises"),
    ("expect: not strict", "the verdict that this file promises"),
    ("expect: can fail", "the verdict that this file promises"),
    ("allow: ", "silences a warning or a note by its code"),
    ("keep", "no fix removes the `yield` on this line"),
];

fn in_comment(comment: &str, offset: u32) -> Vec<Completion> {
    let Some(typed) = comment.strip_prefix("//") else { return Vec::new() };
    let typed = typed.trim_start();
    let replaced = Span::new(offset - u32::try_from(typed.len()).unwrap_or(0), offset);
    let fitting = COMMENTS.iter().filter(|(label, _)| label.starts_with(typed));
    let proposal = |&(label, detail): &(&str, &str)| Completion {
        label: label.trim_end().to_owned(),
        kind: CompletionKind::Comment,
        detail: detail.to_owned(),
        replaced,
        snippet: label.to_owned(),
    };
    fitting.map(proposal).collect()
}

/// The members of the `enum` whose name stands last in `before`.
fn members(document: &Document, before: &str, replaced: Span) -> Vec<Completion> {
    let name = &before[word_start(before, u32::try_from(before.len()).unwrap_or(0)) as usize..];
    let symbols = document.bindings().symbols();
    let owner = symbols.iter().position(|symbol| symbol.kind == SymbolKind::Enum && symbol.name == name);
    let owned = symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Member && owner.is_some() && symbol.owner == owner);
    let proposal = |symbol: &serval_syntax::Symbol| Completion {
        label: symbol.name.clone(),
        kind: CompletionKind::Symbol(SymbolKind::Member),
        detail: format!("member of {name}"),
        replaced,
        snippet: symbol.name.clone(),
    };
    owned.map(proposal).collect()
}

fn names(document: &Document, offset: u32, replaced: Span, inside: bool) -> Vec<Completion> {
    let mut found: Vec<Completion> = Vec::new();
    let mut known: Vec<(usize, &serval_syntax::Symbol)> = document.bindings().known_at(offset).collect();
    // The innermost first.
    known.sort_by_key(|(index, symbol)| (symbol.scope.end - symbol.scope.start, *index));
    for (index, symbol) in known {
        let is_usable = inside || matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Enum | SymbolKind::Member);
        // What stands only here is what is being typed.
        let is_typed = symbol.declaration.is_none()
            && document.bindings().of_symbol(index).all(|one| one.span.start <= offset && offset <= one.span.end);
        if !is_usable || is_typed || found.iter().any(|other| other.label == symbol.name) {
            continue;
        }
        let snippet = match symbol.kind {
            SymbolKind::Function => format!("{}($0)", symbol.name),
            SymbolKind::Array | SymbolKind::LocalArray => format!("{}[$0]", symbol.name),
            _ => symbol.name.clone(),
        };
        let detail = match (symbol.kind, symbol.declaration) {
            (SymbolKind::Function, Some(_)) => head(document, index),
            _ => symbol.kind.words().to_owned(),
        };
        found.push(Completion { label: symbol.name.clone(), kind: CompletionKind::Symbol(symbol.kind), detail, replaced, snippet });
    }
    found
}
