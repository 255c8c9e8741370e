//! A text, with what is known about it.

use rowan::TokenAtOffset;
use serval_syntax::{
    Analysis, Bindings, Diagnostic, Edit, LineIndex, Parsed, Program, Span, Symbol, SyntaxKind, SyntaxNode, SyntaxToken, analyze_parsed,
    edited, parse,
};

/// A program in an editor: its text, and what is known about it.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    lines: LineIndex,
    parsed: Parsed,
    analysis: Analysis,
    bindings: Bindings,
}

impl Document {
    /// Reads a text. Every text can be read; what is wrong with it is among its [diagnostics](Self::diagnostics).
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let parsed = parse(&text);
        let analysis = analyze_parsed(&text, &parsed);
        Self { lines: LineIndex::new(&text), bindings: Bindings::of(&parsed), text, parsed, analysis }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its lines.
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// What there is to say about it, sorted by place.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.analysis.diagnostics
    }

    /// The program, if the text has no errors.
    pub fn program(&self) -> Option<&Program> {
        self.analysis.program.as_ref()
    }

    /// What its names mean.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// The root of its tree.
    pub fn tree(&self) -> SyntaxNode {
        self.parsed.syntax()
    }

    /// Whether its letters and its grammar are without mistakes, so that it can be formatted.
    pub fn is_well_formed(&self) -> bool {
        self.parsed.diagnostics().is_empty()
    }

    /// The text with these edits; `None` where they overlap.
    pub fn edited(&self, edits: &[Edit]) -> Option<String> {
        edited(&self.text, edits)
    }

    /// The text of a part.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The place itself, or the nearest one before it that lies between two characters.
    pub(crate) fn place(&self, offset: u32) -> u32 {
        let mut at = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// The token at a place; between two tokens the one that is a word, and else the one behind it.
    pub(crate) fn token(&self, offset: u32) -> Option<SyntaxToken> {
        let is_word = |token: &SyntaxToken| token.text().starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        match self.tree().token_at_offset(self.place(offset).into()) {
            TokenAtOffset::None => None,
            TokenAtOffset::Single(token) => Some(token),
            TokenAtOffset::Between(left, right) => Some(if is_word(&left) && !is_word(&right) { left } else { right }),
        }
    }

    /// The symbol that is named at a place.
    pub(crate) fn symbol(&self, offset: u32) -> Option<(usize, &Symbol)> {
        let found = self.bindings.at(offset)?;
        Some((found.symbol, &self.bindings.symbols()[found.symbol]))
    }

    /// A symbol of the table.
    pub(crate) fn nth(&self, symbol: usize) -> &Symbol {
        &self.bindings.symbols()[symbol]
    }
}

/// Where a node or token stands.
pub(crate) fn span(range: rowan::TextRange) -> Span {
    Span::new(range.start().into(), range.end().into())
}

/// Where a node stands without the blanks and comments at its ends.
pub(crate) fn trimmed(node: &SyntaxNode) -> Span {
    let kept = |token: &SyntaxToken| !token.kind().is_trivia();
    let tokens = || node.descendants_with_tokens().filter_map(|element| element.into_token());
    let first = tokens().find(kept);
    let mut last = node.last_token();
    while let Some(token) = last.take_if(|token| token.kind().is_trivia()) {
        last = token.prev_token().filter(|before| before.text_range().start() >= node.text_range().start());
    }
    match (first, last) {
        (Some(first), Some(last)) => span(first.text_range().cover(last.text_range())),
        _ => span(node.text_range()),
    }
}

/// Whether a kind of node is a whole declaration.
pub(crate) fn is_item(kind: SyntaxKind) -> bool {
    use SyntaxKind::{Const, Enum, Function, Initial, Invariant, Request, Var, Version};
    matches!(kind, Request | Function | Const | Enum | Var | Version | Invariant | Initial)
}
