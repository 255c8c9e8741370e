//! Changes written into the text of a program.
//!
//! Where a label stands before a statement, the fence comes behind it if some `goto` goes there, so that every way
//! there passes the fence; else before it. A fence before the test of a `while` stands before the loop and at the end
//! of its body. What is written is a text like any other: a caller that relies on it reads it and decides about it.

use crate::changes::Change;
use crate::fences::FencePlace;
use crate::program::Program;
use crate::tokens::{Kind, Token, tokens};

/// The text with these places of its program changed; nothing where a place has no statement of its own.
pub fn with_changes_written(text: &str, program: &Program, change: Change, places: &[FencePlace]) -> Option<String> {
    let tokens = tokens(text, &mut Vec::new());
    let writer = Writer { text, tokens: &tokens };
    // From and to which byte, and what stands there instead.
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for place in places {
        let span = *program.threads.get(place.thread.index())?.spans.get(place.point.index())?;
        let first = tokens.iter().position(|token| token.span.start == span.start && span.end > span.start)?;
        match change {
            Change::Fence => writer.fence(first, &mut edits)?,
            Change::Locked => {
                let (cell, value) = text.get(span.range())?.split_once(":=")?;
                edits.push((span.range().start, span.range().end, format!("xchg({}, {})", cell.trim(), value.trim())));
            }
        }
    }
    edits.sort();
    edits.dedup();
    let mut written = text.to_owned();
    for (start, end, new) in edits.iter().rev() {
        written.replace_range(*start..*end, new);
    }
    Some(written)
}

struct Writer<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

impl Writer<'_> {
    fn is(&self, at: usize, sign: &str) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: Kind::Sign(found), .. }) if *found == sign)
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).and_then(|token| self.text.get(token.span.range())).unwrap_or_default()
    }

    fn start(&self, at: usize) -> Option<usize> {
        Some(self.tokens.get(at)?.span.range().start)
    }

    /// The blanks before a token, if nothing else stands before it on its line.
    fn indent(&self, at: usize) -> Option<&str> {
        let start = self.start(at)?;
        let line = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
        self.text.get(line..start).filter(|before| before.chars().all(char::is_whitespace))
    }

    /// The token of the `}` that closes the first `{` from here on.
    fn closing(&self, from: usize) -> Option<usize> {
        let mut open = 0_usize;
        for at in from..self.tokens.len() {
            if self.is(at, "{") {
                open += 1;
            } else if self.is(at, "}") {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(at);
                }
            }
        }
        None
    }

    /// The last token of an `if` with all that is behind its `else`s.
    fn end_of_if(&self, from: usize) -> Option<usize> {
        let mut end = self.closing(from)?;
        while self.word(end + 1) == "else" {
            end = self.closing(end + 1)?;
        }
        Some(end)
    }

    /// Puts a fence before the statement that begins with a token.
    fn fence(&self, statement: usize, edits: &mut Vec<(usize, usize, String)>) -> Option<()> {
        let start = self.start(statement)?;
        if statement > 0 && self.word(statement - 1) == "else" {
            let end = self.tokens.get(self.end_of_if(statement)?)?.span.range().end;
            edits.push((start, start, "{ fence; ".to_owned()));
            edits.push((end, end, " }".to_owned()));
            return Some(());
        }
        if self.word(statement) == "while" {
            let closing = self.closing(statement)?;
            let before = if [";", "{", "}"].iter().any(|sign| self.is(closing - 1, sign)) { "" } else { "; " };
            let text = match self.indent(closing) {
                Some(indent) if before.is_empty() => format!("  fence;\n{indent}"),
                _ => format!("{before}fence; "),
            };
            let at = self.start(closing)?;
            edits.push((at, at, text));
        }
        let mut first = statement;
        while first >= 2 && self.is(first - 1, ":") && self.tokens[first - 2].kind == Kind::Name {
            first -= 2;
        }
        let labels: Vec<&str> = (first..statement).step_by(2).map(|at| self.word(at)).collect();
        let is_target = (1..self.tokens.len()).any(|at| self.word(at - 1) == "goto" && labels.contains(&self.word(at)));
        let at = if is_target { statement } else { first };
        let text = match self.indent(at) {
            Some(indent) => format!("fence;\n{indent}"),
            None => "fence; ".to_owned(),
        };
        edits.push((self.start(at)?, self.start(at)?, text));
        Some(())
    }
}
