//! Formatting as edits.

use serval_format::{FormatRefusal, Style, format, line_edits, with_line_ends_of};
use serval_syntax::{Edit, Span, SyntaxKind};

use crate::document::{Document, is_item, span};

/// The edits that lay a document out.
pub fn formatted(document: &Document, style: &Style) -> Result<Vec<Edit>, FormatRefusal> {
    let formatted = with_line_ends_of(document.text(), format(document.text(), style)?);
    Ok(line_edits(document.text(), &formatted))
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
