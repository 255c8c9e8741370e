//! The lossless tree: [`rowan`] with our kinds.

use crate::{Span, SyntaxKind};

/// Ties the tree of [`rowan`] to [`SyntaxKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ser {}

impl rowan::Language for Ser {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::from_number(raw.0)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        raw(kind)
    }
}

/// A node of the tree.
pub type SyntaxNode = rowan::SyntaxNode<Ser>;
/// A token of the tree.
pub type SyntaxToken = rowan::SyntaxToken<Ser>;
/// A node or a token.
pub type SyntaxElement = rowan::SyntaxElement<Ser>;

pub(crate) fn raw(kind: SyntaxKind) -> rowan::SyntaxKind {
    rowan::SyntaxKind(kind as u16)
}

/// The same place as a [`Span`].
pub(crate) fn span(range: rowan::TextRange) -> Span {
    Span::new(range.start().into(), range.end().into())
}
