//! Changes of a text, and where in it statements can be put.

use std::iter::successors;

use serval_syntax::ast::Expr;
use serval_syntax::{SyntaxKind, SyntaxNode};

use super::effects::extent;

/// Puts a text in the place of some bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rewriting {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Of changes at one place those with smaller numbers come first; those with 0 are shared, and made once however
    /// many ask for them.
    pub(crate) rank: u8,
    pub(crate) text: String,
}

/// A changed text, and where its pauses have come from.
pub(crate) struct Rewritten {
    pub(crate) text: String,
    /// Lengths and places of the changes, in order.
    shifts: Vec<(usize, usize, usize)>,
}

impl Rewritten {
    /// Where what began at a place of the text before begins now; `None` where it is gone.
    pub(crate) fn place(&self, old: usize) -> Option<usize> {
        let mut place = old;
        for &(from, to, length) in &self.shifts {
            if to <= old {
                place = place + length - (to - from);
            } else if from <= old {
                return None;
            }
        }
        Some(place)
    }
}

/// The text with these changes; `None` where two of them overlap.
pub(crate) fn rewritten(text: &str, mut changes: Vec<Rewriting>) -> Option<Rewritten> {
    changes.sort();
    changes.dedup_by(|next, one| one.rank == 0 && next == one);
    let (mut out, mut at, mut shifts) = (String::new(), 0, Vec::new());
    for change in changes {
        out.push_str(text.get(at..change.from)?);
        out.push_str(&change.text);
        shifts.push((change.from, change.to, change.text.len()));
        at = change.to;
    }
    out.push_str(text.get(at..)?);
    Some(Rewritten { text: out, shifts })
}

/// A text in which statements are put.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) text: &'a str,
}

impl<'a> Places<'a> {
    /// The words of a node.
    pub(crate) fn words(&self, node: &SyntaxNode) -> &'a str {
        let (from, to) = extent(node);
        self.text.get(from..to).unwrap_or_default()
    }

    /// What stands between two statements here: the end of the line and the indentation where a statement begins its
    /// line, else a blank.
    fn between(&self, at: usize) -> String {
        let line = self.text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        if line.trim().is_empty() { format!("\n{line}") } else { " ".to_owned() }
    }

    /// Puts words before a statement.
    pub(crate) fn before(&self, statement: &Expr, words: &[String]) -> Rewriting {
        let from = extent(statement.syntax()).0;
        let between = self.between(from);
        Rewriting { from, to: from, rank: 1, text: words.iter().map(|word| format!("{word}{between}")).collect() }
    }

    /// Puts words behind a statement, its `;` and a comment beside it.
    pub(crate) fn behind(&self, statement: &Expr, words: &[String], rank: u8) -> Rewriting {
        let (start, from) = self.end(statement);
        let between = self.between(start);
        let text = words.iter().map(|word| format!("{between}{word}")).collect();
        Rewriting { from, to: from, rank, text }
    }

    /// Where a statement begins and where it ends, with its `;` and a comment that ends its line.
    fn end(&self, statement: &Expr) -> (usize, usize) {
        let (start, mut end) = extent(statement.syntax());
        let mut behind = successors(statement.syntax().next_sibling_or_token(), |part| part.next_sibling_or_token());
        let next = behind.find(|part| !part.kind().is_trivia());
        if let Some(semicolon) = next.filter(|part| part.kind() == SyntaxKind::Semicolon) {
            end = semicolon.text_range().end().into();
        }
        let rest = self.text.get(end..).unwrap_or_default().split('\n').next().unwrap_or_default();
        let comment = rest.trim();
        let ends_line =
            comment.starts_with("//") || comment.starts_with("/*") && comment.find("*/") == Some(comment.len().saturating_sub(2));
        if ends_line {
            end += rest.trim_end().len();
        }
        (start, end)
    }

    /// Takes a statement and its `;` away, with its line if nothing else stands there.
    pub(crate) fn without(&self, statement: &Expr) -> Rewriting {
        let (mut from, mut to) = (extent(statement.syntax()).0, self.end(statement).1);
        let before = self.text.get(..from).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let rest = self.text.get(to..).unwrap_or_default();
        if line.trim().is_empty() && rest.starts_with(['\n', '\r']) {
            from -= line.len();
            to += rest.find('\n').map_or(0, |end| end + 1);
        } else {
            to += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
        Rewriting { from, to, rank: 3, text: String::new() }
    }

    /// A statement with its `;` and the comment beside it.
    pub(crate) fn with_comment(&self, statement: &Expr) -> String {
        let (from, to) = self.end(statement);
        let words = self.text.get(from..to).unwrap_or_default();
        let own = self.words(statement.syntax());
        if words.len() == own.len() { format!("{own};") } else { words.to_owned() }
    }
}
