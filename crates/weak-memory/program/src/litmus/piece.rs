//! Pieces of the text of a litmus test, which know where they stand.

use serval_diagnostic::{Diagnostic, Span};

use crate::codes;

/// A part of the text, and the byte at which it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextPiece<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
}

impl<'t> TextPiece<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, start: 0 }
    }

    /// The piece before a byte of it, and the one from there on.
    pub(super) fn cut(self, at: usize) -> (Self, Self) {
        let (before, after) = self.text.split_at(at);
        (Self { text: before, ..self }, Self { text: after, start: self.start + at })
    }

    pub(super) fn trimmed(self) -> Self {
        let (_, rest) = self.cut(self.text.len() - self.text.trim_start().len());
        Self { text: rest.text.trim_end(), ..rest }
    }

    pub(super) fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn span(self) -> Span {
        let place = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span::new(place(self.start), place(self.start + self.text.len()))
    }

    /// The trimmed pieces between the separators that stand in no parentheses.
    pub(super) fn split(self, separator: char) -> Vec<Self> {
        let mut pieces = Vec::new();
        let (mut rest, mut open) = (self, 0_usize);
        let mut at = 0;
        while let Some(letter) = rest.text[at..].chars().next() {
            match letter {
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open = open.saturating_sub(1),
                _ => {}
            }
            if letter == separator && open == 0 {
                let (before, after) = rest.cut(at);
                pieces.push(before.trimmed());
                (rest, at) = (after.cut(letter.len_utf8()).1, 0);
            } else {
                at += letter.len_utf8();
            }
        }
        pieces.push(rest.trimmed());
        pieces
    }

    /// The first blank-free word, and what follows it.
    pub(super) fn word(self) -> (Self, Self) {
        let piece = self.trimmed();
        let (word, rest) = piece.cut(piece.text.find(char::is_whitespace).unwrap_or(piece.text.len()));
        (word, rest.trimmed())
    }

    /// What is between these two signs, where the piece begins and ends with them.
    pub(super) fn between(self, open: char, close: char) -> Option<Self> {
        let inner = self.text.strip_prefix(open)?.strip_suffix(close)?;
        Some(Self { text: inner, start: self.start + open.len_utf8() }.trimmed())
    }

    /// What follows this beginning, where the piece has it.
    pub(super) fn after(self, beginning: &str) -> Option<Self> {
        self.text.starts_with(beginning).then(|| self.cut(beginning.len()).1)
    }
}

/// The text with blanks in the place of comments, `(* … *)` within each other and `// …`, so that places stay what they
/// are. In a quoted name nothing is a comment.
pub(super) fn without_comments(text: &str, diagnostics: &mut Vec<Diagnostic>) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.strip_prefix('\u{feff}').map_or(text, |rest| {
        clean.push_str("   ");
        rest
    });
    while let Some(letter) = rest.chars().next() {
        let length = if rest.starts_with("(*") {
            comment_end(rest).unwrap_or_else(|| {
                let at = TextPiece { text: &rest[..2], start: text.len() - rest.len() };
                let open = Diagnostic::error(codes::BAD_LITMUS, at.span(), "this comment is never closed");
                diagnostics.push(open.expected("`*)`").help("add `*)` where the comment ends"));
                rest.len()
            })
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            // A quotation that is not closed on its line is none.
            let close = (letter == '"').then(|| rest[1..].find(['"', '\n'])).flatten();
            let quoted = close.map(|end| end + 2).filter(|end| rest[..*end].ends_with('"'));
            let length = quoted.unwrap_or(letter.len_utf8());
            clean.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        };
        clean.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[length..];
    }
    clean
}

fn comment_end(text: &str) -> Option<usize> {
    let (mut open, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"(*") {
            (open, at) = (open + 1, at + 2);
        } else if rest.starts_with(b"*)") {
            (open, at) = (open - 1, at + 2);
            if open == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    None
}
