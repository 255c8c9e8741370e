//! Parts of a text that can be folded away.

use serval_syntax::{Span, SyntaxKind};

use crate::document::{Document, span};

/// A part that can be folded: more than one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// From where to where.
    pub span: Span,
    /// Whether it is a comment.
    pub comment: bool,
}

/// All such parts, sorted by place: what stands in braces, comments, and line comments that follow one another.
pub fn folds(document: &Document) -> Vec<Fold> {
    let line = |at: u32| document.lines().position(document.text(), at).line;
    let mut found: Vec<Fold> = Vec::new();
    let mut last_line: Option<u32> = None;
    for element in document.tree().descendants_with_tokens() {
        let place = span(element.text_range());
        match element.kind() {
            SyntaxKind::Block | SyntaxKind::Enum | SyntaxKind::ValueSet => found.push(Fold { span: place, comment: false }),
            SyntaxKind::BlockComment => found.push(Fold { span: place, comment: true }),
            SyntaxKind::LineComment => {
                let here = line(place.start);
                let alone = document.text()[document.lines().line_start(place.start) as usize..place.start as usize].trim().is_empty();
                match found.last_mut().filter(|fold| alone && fold.comment && last_line.is_some_and(|last| last + 1 == here)) {
                    Some(fold) => fold.span.end = place.end,
                    None if alone => found.push(Fold { span: place, comment: true }),
                    None => continue,
                }
                last_line = Some(here);
            }
            _ => {}
        }
    }
    found.retain(|fold| line(fold.span.start) < line(fold.span.end));
    found
}
