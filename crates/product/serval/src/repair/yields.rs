//! The `yield`s that can be removed, and the text without some of them.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;

use serval_syntax::{ExprKind, LineIndex, Position, Program, Span, SyntaxKind, parse};

/// The word.
const WORD: &str = "yield";
/// What stands for it where it is gone: its value, as long as the word, so
/// that everything else stays at its place.
const GONE: &str = "0    ";

/// A `yield` of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yield {
    /// Where it stands.
    pub span: Span,
    /// The same in lines and columns.
    pub place: Position,
    /// The requests that can come to it, without their parameters, in the
    /// order of the text.
    pub requests: Vec<String>,
    /// Whether a comment on its line says that it has to stay.
    pub keep: bool,
    /// The lines that would be one step without it, the first and the last, where it is a statement.
    pub step: Option<[u32; 2]>,
}

/// The words `yield` of a text, in its order.
///
/// The waits inside `lock` and `await` have the whole form as their place, so
/// they are not among them. A word in a function, in a request with parameters
/// or in a `for` stands for several places of the program and counts once: who
/// removes the word removes them all.
pub(crate) fn yields(program: &Program, text: &str) -> Vec<Yield> {
    let mut found: BTreeMap<Span, Vec<String>> = BTreeMap::new();
    for request in &program.requests {
        let name = request.name.split('(').next().unwrap_or_default();
        request.body.visit(&mut |part| {
            if part.kind == ExprKind::Yield && text.get(part.span.range()) == Some(WORD) {
                let names = found.entry(part.span).or_default();
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        });
    }
    let lines = LineIndex::new(text);
    let kept = kept_lines(text, &lines);
    let one = |(span, requests): (Span, Vec<String>)| {
        let place = lines.position(text, span.start);
        Yield { span, place, requests, keep: kept.contains(&place.line), step: None }
    };
    found.into_iter().map(one).collect()
}

/// The lines with a comment that begins with the word `keep`.
fn kept_lines(text: &str, lines: &LineIndex) -> BTreeSet<u32> {
    let root = parse(text).syntax();
    let comments = successors(root.first_token(), |token| token.next_token())
        .filter(|token| matches!(token.kind(), SyntaxKind::LineComment | SyntaxKind::BlockComment));
    let keeps = comments.filter(|comment| says_keep(comment.text()));
    keeps.map(|comment| lines.position(text, comment.text_range().start().into()).line).collect()
}

/// Whether the first word of a comment is `keep`.
fn says_keep(comment: &str) -> bool {
    let words = comment.trim_start_matches(['/', '*']).trim_start();
    words.strip_prefix("keep").is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

/// The text with `0` for each of these words, and all else at its place.
pub(crate) fn without(text: &str, yields: &[Yield], set: &BTreeSet<usize>) -> String {
    let mut changed = text.to_owned();
    for one in set.iter().filter_map(|&index| yields.get(index)) {
        changed.replace_range(one.span.range(), GONE);
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Yield> {
        yields(&serval_syntax::analyze(text).program.unwrap(), text)
    }

    #[test]
    fn only_words_count_and_each_once() {
        let text =
            "fn pause() { yield }\nrequest a(k: 0..1) { lock(L); pause(); X := k; yield; unlock(L) }\nrequest b { await(X == 1); pause() }";
        let found = of(text);
        let places: Vec<(u32, u32)> = found.iter().map(|one| (one.place.line, one.place.column)).collect();
        assert_eq!(places, [(1, 14), (2, 48)]);
        assert_eq!(found[0].requests, ["a", "b"]);
        assert_eq!(found[1].requests, ["a"]);
    }

    #[test]
    fn a_comment_on_the_line_keeps_a_pause() {
        let text = "request a {\n  yield; // keep: card payment\n  yield; /* keep */\n  yield; // keeper\n  yield; // we keep it\n  // keep\n  yield;\n  X\n}";
        let kept: Vec<bool> = of(text).iter().map(|one| one.keep).collect();
        assert_eq!(kept, [true, true, false, false, false]);
    }

    #[test]
    fn what_is_left_stays_at_its_place() {
        let text = "request a { x := X; yield; X := x + yield; 1 }";
        let found = of(text);
        assert_eq!(without(text, &found, &BTreeSet::from([0])), "request a { x := X; 0    ; X := x + yield; 1 }");
        let changed = without(text, &found, &BTreeSet::from([0, 1]));
        assert_eq!(changed.len(), text.len());
        assert!(of(&changed).is_empty());
    }
}
