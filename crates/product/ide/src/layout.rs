//! Formatting as edits.
//!
//! Formatting keeps the tokens, so the two texts are cut at the same places: behind the line of a token, wherever both
//! have a line end before the next one. What lies between two cuts is one edit, if it differs, and does not depend on
//! the others.

use serval_format::{FormatRefusal, Style, format, line_edits, with_line_ends_of};
use serval_syntax::{Edit, Span, SyntaxKind, SyntaxNode, parse};

use crate::document::{Document, is_item, span};

/// The edits that lay a document out.
pub fn formatted(document: &Document, style: &Style) -> Result<Vec<Edit>, FormatRefusal> {
    let formatted = with_line_ends_of(document.text(), format(document.text(), style)?);
    Ok(pieces(document, &formatted).unwrap_or_else(|| line_edits(document.text(), &formatted)))
}

/// Where the tokens of a tree stand.
fn tokens(root: &SyntaxNode) -> Vec<Span> {
    let tokens = root.descendants_with_tokens().filter_map(|element| element.into_token());
    tokens.filter(|token| !token.kind().is_trivia()).map(|token| span(token.text_range())).collect()
}

/// The parts between cuts that differ; nothing where the tokens are others.
fn pieces(document: &Document, formatted: &str) -> Option<Vec<Edit>> {
    let (old, new) = (tokens(&document.tree()), tokens(&parse(formatted).syntax()));
    if old.len() != new.len() {
        return None;
    }
    let line_end = |text: &str, pair: &[Span]| {
        let between = text.get(pair[0].end as usize..pair[1].start as usize)?;
        Some(pair[0].end + u32::try_from(between.find('\n')?).ok()? + 1)
    };
    let cuts = old.windows(2).zip(new.windows(2));
    let cuts = cuts.filter_map(|(one, other)| line_end(document.text(), one).zip(line_end(formatted, other)));
    let ends = (u32::try_from(document.text().len()).ok()?, u32::try_from(formatted.len()).ok()?);
    let mut edits = Vec::new();
    let mut last = (0, 0);
    for cut in cuts.chain([ends]) {
        let (part, text) = (Span::new(last.0, cut.0), formatted.get(last.1 as usize..cut.1 as usize)?);
        if document.slice(part) != text {
            edits.push(Edit { span: part, text: text.to_owned() });
        }
        last = cut;
    }
    Some(edits)
}

/// Those of them that change a line of this part.
pub fn formatted_range(document: &Document, part: Span, style: &Style) -> Result<Vec<Edit>, FormatRefusal> {
    let start = document.lines().line_start(part.start);
    let touches = |edit: &Edit| edit.span.start < part.end.max(start + 1) && start < edit.span.end.max(edit.span.start + 1);
    Ok(formatted(document, style)?.into_iter().filter(touches).collect())
}

/// The edits that lay out what ends with the `}` before a place: a block with its head, or a whole request.
pub fn formatted_block(document: &Document, offset: u32, style: &Style) -> Result<Vec<Edit>, FormatRefusal> {
    let before = document.tree().token_at_offset(document.place(offset).into()).left_biased();
    let Some(block) = before.filter(|token| token.kind() == SyntaxKind::RightBrace).and_then(|token| token.parent()) else {
        return Ok(Vec::new());
    };
    let whole = block.parent().filter(|up| is_item(up.kind()) || block.kind() == SyntaxKind::Block).unwrap_or(block);
    formatted_range(document, span(whole.text_range()), style)
}

/// The edits, line by line, that make one text of another.
pub fn changes(document: &Document, changed: &str) -> Vec<Edit> {
    line_edits(document.text(), changed)
}
