//! Answers about how a text is built, and what can be written in it.

use serde_json::{Value, json};
use serval_ide::{
    Access, Completion, CompletionKind, Outline, Span, SymbolKind, TokenClass, classified, completions, folds, outline, selections,
};

use super::names::{flat, symbol_kind};
use super::{Answer, OpenSubject};

/// The classes of tokens, in the order of their numbers.
pub(super) const TOKEN_TYPES: [&str; 9] =
    ["keyword", "number", "operator", "comment", "function", "variable", "parameter", "enum", "enumMember"];
/// What is said about a name, in the order of its bits.
pub(super) const TOKEN_MODIFIERS: [&str; 4] = ["declaration", "readonly", "static", "modification"];

/// The number of a class, and the bits of its modifiers.
fn token_number(class: TokenClass, access: Option<Access>) -> (u32, u32) {
    let (number, readonly, shared) = match class {
        TokenClass::Keyword => (0, 0, 0),
        TokenClass::Number => (1, 0, 0),
        TokenClass::Operator => (2, 0, 0),
        TokenClass::Comment => (3, 0, 0),
        TokenClass::Name(kind) => match kind {
            SymbolKind::Request | SymbolKind::Function => (4, 0, 0),
            SymbolKind::Global | SymbolKind::Array | SymbolKind::Version => (5, 0, 4),
            SymbolKind::Constant | SymbolKind::LoopVariable => (5, 2, 0),
            SymbolKind::Local | SymbolKind::LocalArray => (5, 0, 0),
            SymbolKind::Param => (6, 0, 0),
            SymbolKind::Enum => (7, 0, 0),
            SymbolKind::Member => (8, 2, 0),
        },
    };
    let done = match access {
        Some(Access::Declare) => 1,
        Some(Access::Write | Access::Both) => 8,
        Some(Access::Read) | None => 0,
    };
    (number, readonly | shared | done)
}

/// Five numbers for each token: lines and columns since the one before, length, class, modifiers.
pub(super) fn tokens(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let whole = Span::new(0, u32::try_from(subject.open.text().len()).unwrap_or(u32::MAX));
    let part = if params["range"].is_null() { whole } else { subject.span(params)? };
    let mut data: Vec<u32> = Vec::new();
    let mut last = (0, 0);
    for token in classified(subject.open.document(), part) {
        let (number, bits) = token_number(token.class, token.access);
        for line in subject.places.split(token.span) {
            let (start, end) = (subject.places.line_column(line.start), subject.places.line_column(line.end));
            let column = if start.line == last.0 { start.column - last.1 } else { start.column };
            data.extend([start.line - last.0, column, end.column - start.column, number, bits]);
            last = (start.line, start.column);
        }
    }
    Ok(json!({"data": data}))
}

pub(super) fn completion(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let found = completions(subject.open.document(), subject.offset(params)?);
    let one = |(position, proposal): (usize, Completion)| {
        let kind = match proposal.kind {
            CompletionKind::Form => 14,
            CompletionKind::Comment => 15,
            CompletionKind::Symbol(SymbolKind::Function | SymbolKind::Request) => 3,
            CompletionKind::Symbol(SymbolKind::Enum) => 13,
            CompletionKind::Symbol(SymbolKind::Member) => 20,
            CompletionKind::Symbol(SymbolKind::Constant) => 21,
            CompletionKind::Symbol(_) => 6,
        };
        let is_snippet = subject.client.snippets && proposal.snippet.contains('$');
        let text = if is_snippet { proposal.snippet } else { plain(&proposal.snippet) };
        json!({
            "label": proposal.label,
            "kind": kind,
            "detail": proposal.detail,
            "sortText": format!("{position:04}"),
            "insertTextFormat": if is_snippet { 2 } else { 1 },
            "textEdit": {"range": subject.places.range(proposal.replaced), "newText": text},
        })
    };
    Ok(found.into_iter().enumerate().map(one).collect())
}

/// A snippet with its placeholders as text.
fn plain(snippet: &str) -> String {
    let mut out = String::new();
    let mut rest = snippet;
    while let Some((before, behind)) = rest.split_once('$') {
        out += before;
        rest = match behind.strip_prefix('{') {
            Some(inner) => {
                let (number, behind) = inner.split_once('}').unwrap_or((inner, ""));
                out += number.split_once(':').map_or("", |(_, text)| text);
                behind
            }
            None => behind.trim_start_matches(|letter: char| letter.is_ascii_digit()),
        };
    }
    out + rest
}

pub(super) fn symbols(subject: &OpenSubject<'_>, _: &Value) -> Answer {
    let found = outline(subject.open.document());
    if subject.client.hierarchy {
        return Ok(found.iter().map(|one| nested(subject, one)).collect());
    }
    let mut all = Vec::new();
    for one in &found {
        all.push(flat(&subject.open.uri, subject.places, one, None));
        all.extend(one.children.iter().map(|child| flat(&subject.open.uri, subject.places, child, Some(&one.name))));
    }
    Ok(Value::Array(all))
}

fn nested(subject: &OpenSubject<'_>, one: &Outline) -> Value {
    let (range, selection) = (subject.places.range(one.span), subject.places.range(one.name_span));
    let children: Vec<Value> = one.children.iter().map(|child| nested(subject, child)).collect();
    json!({"name": one.name, "kind": symbol_kind(one.kind), "range": range, "selectionRange": selection, "children": children})
}

pub(super) fn folding(subject: &OpenSubject<'_>, _: &Value) -> Answer {
    let one = |fold: serval_ide::Fold| {
        let (start, end) = (subject.places.line_column(fold.span.start), subject.places.line_column(fold.span.end));
        let kind = if fold.comment { "comment" } else { "region" };
        // The last line stays where it holds what closes the block.
        let last = if fold.comment { end.line } else { end.line - 1 };
        json!({"startLine": start.line, "endLine": last, "kind": kind})
    };
    Ok(folds(subject.open.document()).into_iter().map(one).collect())
}

pub(super) fn selecting(subject: &OpenSubject<'_>, params: &Value) -> Answer {
    let mut all = Vec::new();
    for position in params["positions"].as_array().into_iter().flatten() {
        let at = subject.offset(&json!({"position": position}))?;
        let outward = selections(subject.open.document(), at).into_iter().rev();
        let chain = outward.fold(Value::Null, |parent, place| match parent {
            Value::Null => json!({"range": subject.places.range(place)}),
            parent => json!({"range": subject.places.range(place), "parent": parent}),
        });
        all.push(chain);
    }
    Ok(Value::Array(all))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn placeholders_are_text() {
        assert_eq!(plain("for ${1:i} in ${2:0..2} {\n  $0\n}"), "for i in 0..2 {\n  \n}");
        assert_eq!(plain("yield"), "yield");
        assert_eq!(plain("f($0)"), "f()");
    }
}
