//! The lossless tree: [`rowan`] with our kinds.

pub mod ast;

use crate::diagnostic::{Diagnostic, finish};
use crate::grammar::{SyntaxKind, parse_text, raw};
use serval_diagnostic::Span;

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

/// The same place as a [`Span`].
pub(crate) fn span(range: rowan::TextRange) -> Span {
    Span::new(range.start().into(), range.end().into())
}

/// A text as a tree, and what is wrong with its letters and its grammar.
#[derive(Clone, Debug)]
pub struct Parsed {
    green: rowan::GreenNode,
    /// All that is wrong, in no particular order.
    found: Vec<Diagnostic>,
    diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The root of the tree, of kind [`SyntaxKind::SourceFile`]. Its text is
    /// the text that was parsed.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The same as a typed view.
    pub fn source_file(&self) -> Option<ast::SourceFile> {
        ast::SourceFile::cast(self.syntax())
    }

    /// The tree in the form that can be shared between threads.
    pub fn green(&self) -> &rowan::GreenNode {
        &self.green
    }

    /// What is wrong, sorted by place. All are errors.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// All that is wrong, however much it is.
    pub(crate) fn found(&self) -> &[Diagnostic] {
        &self.found
    }
}

/// Parses a text. The tree is lossless, also for texts that are no programs.
///
/// ```
/// let text = "request main { x := (1 + }  // what?";
/// let parsed = serval_syntax::parse(text);
/// assert_eq!(parsed.syntax().text().to_string(), text);
/// assert_eq!(parsed.diagnostics().len(), 1);
/// ```
pub fn parse(text: &str) -> Parsed {
    let (green, found) = parse_text(text);
    Parsed { green, diagnostics: finish(found.clone()), found }
}
