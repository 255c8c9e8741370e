//! What is shown about a place.

use std::collections::BTreeSet;

use serval_report::explain;
use serval_syntax::{Span, Symbol, SymbolKind, SyntaxKind, SyntaxToken};

use crate::document::{Document, span, trimmed};
use crate::forms::form_of;
use crate::usage::{Usage, listed, requests};

/// What is shown about a part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The part.
    pub span: Span,
    /// What is said, in Markdown.
    pub markdown: String,
}

/// What there is to say about the place: about the name or the form there, and about what is wrong there.
pub fn hover(document: &Document, offset: u32) -> Option<Hover> {
    let mut parts: Vec<String> = Vec::new();
    let mut place: Option<Span> = None;
    if let Some(found) = document.bindings().at(offset) {
        place = Some(found.span);
        parts.push(about_symbol(document, found.symbol));
    } else if let Some(token) = document.token(offset).filter(|token| !token.kind().is_trivia()) {
        let text = if token.kind() == SyntaxKind::YieldKw { about_yield(document, offset) } else { about_form(document, &token) };
        if let Some(text) = text {
            place = Some(span(token.text_range()));
            parts.push(text);
        }
    }
    for found in document.diagnostics().iter().filter(|found| found.primary.span.start <= offset && offset <= found.primary.span.end) {
        place = place.or(Some(found.primary.span));
        parts.extend(explain::page(found.code.0).map(about_code));
    }
    Some(Hover { span: place?, markdown: (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"))? })
}

/// The title of a page of `explain` and its first paragraph.
fn about_code(page: &str) -> String {
    let mut parts = page.split("\n\n");
    let title = parts.next().unwrap_or_default().trim_start_matches('#').trim();
    let first = parts.next().unwrap_or_default();
    let code = title.split(':').next().unwrap_or_default();
    format!("**{title}**\n\n{first}\n\n`serval explain {code}`")
}

fn about_symbol(document: &Document, index: usize) -> String {
    let symbol = document.nth(index);
    let mut out = String::new();
    if let Some(declaration) = symbol.declaration {
        let whole = document.slice(declaration);
        let head = match symbol.kind {
            SymbolKind::Request | SymbolKind::Function => whole.split('{').next().unwrap_or_default().trim_end(),
            SymbolKind::LoopVariable => whole.split('{').next().unwrap_or_default().trim_end(),
            _ => whole.trim(),
        };
        out += &format!("```ser\n{}\n```\n", head.lines().next().unwrap_or_default());
    } else {
        out += &format!("```ser\n{}\n```\n", symbol.name);
    }
    out += symbol.kind.words();
    match symbol.kind {
        SymbolKind::Global | SymbolKind::Array | SymbolKind::Version => out += &about_shared(document, index),
        SymbolKind::Request => out += &about_request(document, index),
        SymbolKind::Member => {
            if let Some(owner) = symbol.owner {
                let among = |other: &Symbol| other.kind == SymbolKind::Member && other.owner == Some(owner);
                let before = document.bindings().symbols()[..index].iter().filter(|other| among(other)).count();
                out += &format!(" of `{}`: {before}", document.nth(owner).name);
            }
        }
        SymbolKind::Local | SymbolKind::Param | SymbolKind::LocalArray => {
            if let Some(owner) = symbol.owner {
                out += &format!(" of `{}`", document.nth(owner).name);
            }
        }
        SymbolKind::Function | SymbolKind::Constant | SymbolKind::Enum | SymbolKind::LoopVariable => {}
    }
    out
}

/// Range, initial value, and who does what with it.
fn about_shared(document: &Document, index: usize) -> String {
    let name = &document.nth(index).name;
    let mut out = String::new();
    let base = |global: &str| global.split('[').next().unwrap_or_default().to_owned();
    let known = document.program().and_then(|program| program.globals.iter().find(|global| base(&global.name) == *name));
    if let Some(global) = known.filter(|_| document.nth(index).kind != SymbolKind::Version) {
        if let Some((low, high)) = global.range {
            out += &format!(" from {low} to {high}");
        }
        out += &format!(", at first {}", global.initial);
    }
    let usage = Usage::of(document);
    for (words, list) in [
        ("read by", requests(document, |item| usage.read_by(item).contains(&index))),
        ("written by", requests(document, |item| usage.written_by(item).contains(&index))),
    ] {
        let list = if list.is_empty() { "no request".to_owned() } else { listed(&list) };
        out += &format!("\n\n{words} {list}");
    }
    out
}

/// What a request does with what is shared.
fn about_request(document: &Document, index: usize) -> String {
    let usage = Usage::of(document);
    let names = |set: BTreeSet<usize>| set.into_iter().map(|symbol| document.nth(symbol).name.clone()).collect::<Vec<_>>();
    let mut out = String::new();
    for (words, list) in [("reads", names(usage.read_by(index))), ("writes", names(usage.written_by(index)))] {
        let list = if list.is_empty() { "nothing that is shared".to_owned() } else { listed(&list) };
        out += &format!("\n\n{words} {list}");
    }
    out
}

/// What others may change while a request waits here.
fn about_yield(document: &Document, offset: u32) -> Option<String> {
    let mut out = format!("```ser\nyield\n```\n{}", form_of("yield")?.meaning);
    let usage = Usage::of(document);
    let item = item_at(document, offset);
    let mut touched = item.map(|item| usage.read_by(item)).unwrap_or_default();
    touched.extend(item.map(|item| usage.written_by(item)).unwrap_or_default());
    let mut lines = Vec::new();
    for &symbol in &touched {
        let writers = requests(document, |other| usage.written_by(other).contains(&symbol));
        if !writers.is_empty() {
            lines.push(format!("- `{}`, by {}", document.nth(symbol).name, listed(&writers)));
        }
    }
    if let Some(item) = item {
        let name = &document.nth(item).name;
        out += &match lines.is_empty() {
            true => format!("\n\nNothing that `{name}` reads or writes is changed by a request meanwhile."),
            false => format!("\n\nOf what `{name}` reads or writes, others may change meanwhile:\n\n{}", lines.join("\n")),
        };
    }
    Some(out)
}

/// The request or function around a place.
pub(crate) fn item_at(document: &Document, offset: u32) -> Option<usize> {
    let token = document.token(offset)?;
    let node = token.parent_ancestors().find(|node| matches!(node.kind(), SyntaxKind::Request | SyntaxKind::Function))?;
    let place = trimmed(&node);
    document.bindings().symbols().iter().position(|symbol| {
        matches!(symbol.kind, SymbolKind::Request | SymbolKind::Function)
            && place.start <= symbol.definition.start
            && symbol.definition.end <= place.end
    })
}

/// What the form stands for that begins with this token.
fn about_form(document: &Document, token: &SyntaxToken) -> Option<String> {
    let form = form_of(token.text())?;
    let node = token.parent()?;
    let shown = document.slice(trimmed(&node)).lines().next().unwrap_or_default();
    let shown = if token.kind() == SyntaxKind::Name { token.text() } else { shown };
    Some(format!("```ser\n{shown}\n```\n{}", form.meaning))
}
