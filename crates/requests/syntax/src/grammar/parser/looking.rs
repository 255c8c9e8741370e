//! What the parser asks about the tokens around the place where it is.

use super::{Parser, is_joining};
use crate::grammar::kind::SyntaxKind;
use serval_diagnostic::{LineIndex, Span};

impl<'t> Parser<'t> {
    /// The kind of the token looked at.
    pub(crate) fn current(&self) -> SyntaxKind {
        self.tokens[self.position].kind
    }

    pub(crate) fn at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }

    /// The kind of the token `ahead` places on, trivia not counted.
    pub(crate) fn ahead(&self, ahead: usize) -> SyntaxKind {
        self.index_ahead(ahead).map_or(SyntaxKind::End, |index| self.tokens[index].kind)
    }

    /// The text of the token `ahead` places on.
    pub(crate) fn text_ahead(&self, ahead: usize) -> &'t str {
        self.index_ahead(ahead).map_or("", |index| self.text_of(index))
    }

    pub(super) fn index_ahead(&self, ahead: usize) -> Option<usize> {
        self.index_after(self.position, ahead)
    }

    fn index_after(&self, start: usize, ahead: usize) -> Option<usize> {
        (start..self.tokens.len()).filter(|&index| !self.tokens[index].kind.is_trivia()).nth(ahead)
    }

    /// Whether a request begins here. A `request` with neither a name nor a
    /// block behind it is one that the author takes for a variable.
    pub(crate) fn at_request(&self) -> bool {
        self.request_begins(self.position)
    }

    pub(super) fn request_begins(&self, index: usize) -> bool {
        let kind = |ahead| self.index_after(index, ahead).map_or(SyntaxKind::End, |index| self.tokens[index].kind);
        self.tokens[index].kind == SyntaxKind::RequestKw
            && match kind(1) {
                SyntaxKind::Name | SyntaxKind::LeftBrace => true,
                SyntaxKind::Number => kind(2) == SyntaxKind::LeftBrace,
                word => word.is_keyword() && kind(2) == SyntaxKind::LeftBrace,
            }
    }

    /// At a name: whether another name stands beside it, as never happens in
    /// a program unless one of the two is a word of the language.
    pub(crate) fn name_follows(&self) -> bool {
        self.ahead(1) == SyntaxKind::Name && !is_joining(self.text_ahead(1))
    }

    /// The tokens of the whole text, without trivia.
    pub(crate) fn plain_tokens(&self) -> impl Iterator<Item = (SyntaxKind, &'t str)> {
        let plain = (0..self.tokens.len()).filter(|&index| !self.tokens[index].kind.is_trivia());
        plain.map(|index| (self.tokens[index].kind, self.text_of(index)))
    }

    /// The text of a place, without blanks around it.
    pub(crate) fn text_between(&self, start: u32, end: u32) -> &'t str {
        self.text[start as usize..end as usize].trim()
    }

    /// Whether the text up to the next request has a `*/` that closes nothing.
    pub(crate) fn skips_comment_end(&self) -> bool {
        (self.position..self.tokens.len())
            .take_while(|&index| !self.request_begins(index))
            .any(|index| self.tokens[index].kind == SyntaxKind::Star && self.tokens[index + 1].kind == SyntaxKind::Slash)
    }

    pub(super) fn text_of(&self, index: usize) -> &'t str {
        &self.text[self.span_of(index).range()]
    }

    fn span_of(&self, index: usize) -> Span {
        let start = self.tokens[index].start;
        Span::new(start, self.tokens.get(index + 1).map_or(start, |next| next.start))
    }

    /// The text of the token looked at.
    pub(crate) fn text(&self) -> &'t str {
        self.text_of(self.position)
    }

    /// Where the token looked at stands; at the end of the file, the end of
    /// the last token, because readers do not look below the last line.
    pub(crate) fn span(&self) -> Span {
        if self.at(SyntaxKind::End) { self.after_previous() } else { self.span_of(self.position) }
    }

    pub(crate) fn previous_kind(&self) -> Option<SyntaxKind> {
        self.previous.map(|index| self.tokens[index].kind)
    }

    pub(crate) fn previous_text(&self) -> &'t str {
        self.previous.map_or("", |index| self.text_of(index))
    }

    pub(crate) fn previous_span(&self) -> Span {
        self.previous.map_or_else(Span::default, |index| self.span_of(index))
    }

    /// The place right after the token before this one, where something is
    /// missing.
    pub(crate) fn after_previous(&self) -> Span {
        let end = self.previous_span().end;
        Span::new(end, end)
    }

    /// Whether nothing stands between the token before this one and this one.
    pub(crate) fn joined_to_previous(&self) -> bool {
        self.previous.is_some_and(|index| index + 1 == self.position)
    }

    /// Whether this is the first of two `-` without a blank between them.
    pub(crate) fn at_double_minus(&self) -> bool {
        self.at(SyntaxKind::Minus) && self.text[self.tokens[self.position].start as usize..].starts_with("--")
    }

    /// Whether the token before this one stands on a line before.
    pub(crate) fn on_new_line(&self) -> bool {
        let start = self.tokens[self.position].start;
        self.text[Span::new(self.previous_span().end, start).range()].contains('\n')
    }

    /// The text from `start` to the token looked at, without the blanks
    /// before that.
    pub(crate) fn text_since(&self, start: u32) -> &'t str {
        self.text[start as usize..self.tokens[self.position].start as usize].trim_end()
    }

    /// Where the token is, as a mark for "has anything been consumed since".
    pub(crate) fn mark(&self) -> usize {
        self.position
    }

    /// The line, counted from 1, of `offset`.
    pub(crate) fn line(&mut self, offset: u32) -> u32 {
        let text = self.text;
        let lines = self.lines.get_or_insert_with(|| LineIndex::new(text));
        lines.position(text, offset).line
    }

    /// How many blanks the line of `offset` begins with, and whether anything
    /// else stands before `offset`. Only a limited number is counted, lest a strange
    /// text take long.
    fn indentation(&mut self, offset: u32) -> (usize, bool) {
        const MOST: usize = 400;
        let text = self.text;
        let lines = self.lines.get_or_insert_with(|| LineIndex::new(text));
        let start = lines.line_start(offset) as usize;
        let blanks = text.as_bytes()[start..].iter().take(MOST).take_while(|byte| byte.is_ascii_whitespace()).count();
        (blanks, start + blanks < offset as usize)
    }

    /// The first block of this request whose `}` begins a line but stands
    /// further left than the line that opened it: that `}` was probably meant
    /// for another block, and this one's is missing.
    pub(crate) fn badly_closed(&mut self) -> Option<(Span, Span)> {
        let pairs = std::mem::take(&mut self.closed_braces);
        let found = pairs.iter().copied().find(|&(open, close)| {
            let (closing, anything_before) = self.indentation(close.start);
            !anything_before && closing < self.indentation(open.start).0
        });
        self.closed_braces = pairs;
        found
    }
}
