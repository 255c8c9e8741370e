//! Larger and larger parts of a text around a place.

use serval_syntax::Span;

use crate::document::{Document, span, trimmed};

/// The token at a place, and all parts of the tree around it, the innermost first and each larger than the one before.
pub fn selections(document: &Document, offset: u32) -> Vec<Span> {
    let Some(token) = document.token(offset) else { return vec![Span::new(0, 0)] };
    let mut found = vec![span(token.text_range())];
    for node in token.parent_ancestors() {
        for place in [trimmed(&node), span(node.text_range())] {
            let last = found.last().copied().unwrap_or_default();
            if place != last && place.start <= last.start && last.end <= place.end {
                found.push(place);
            }
        }
    }
    found
}
