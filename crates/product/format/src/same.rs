//! Whether two trees hold the same program: the same tokens, and the same
//! comments in the same order.
//!
//! Comments may differ in blanks at the ends of their lines, which formatting
//! moves or drops.

use serval_syntax::{SyntaxKind, SyntaxNode};

/// Says what differs between two texts, of which these are the trees, if
/// anything does.
pub(crate) fn compare(before: (&str, &SyntaxNode), after: (&str, &SyntaxNode)) -> Result<(), String> {
    let (before, after) = (Parts::of(before), Parts::of(after));
    alike(&before.tokens, &after.tokens, |a, b| a == b)?;
    alike(&before.comments, &after.comments, same_comment)
}

/// The tokens and the comments of a text, in order.
#[derive(Default)]
struct Parts<'t> {
    tokens: Vec<(SyntaxKind, &'t str)>,
    comments: Vec<(SyntaxKind, &'t str)>,
}

impl<'t> Parts<'t> {
    fn of((text, root): (&'t str, &SyntaxNode)) -> Self {
        let mut parts = Self::default();
        for token in root.descendants_with_tokens().filter_map(|element| element.into_token()) {
            let range = token.text_range();
            let part = (token.kind(), &text[range.start().into()..range.end().into()]);
            match part.0 {
                SyntaxKind::LineComment | SyntaxKind::BlockComment => parts.comments.push(part),
                kind if kind.is_trivia() => {}
                _ => parts.tokens.push(part),
            }
        }
        parts
    }
}

/// Compares two lists one by one.
fn alike<T>(before: &[(T, &str)], after: &[(T, &str)], same: impl Fn(&(T, &str), &(T, &str)) -> bool) -> Result<(), String> {
    if let Some((a, b)) = before.iter().zip(after).find(|(a, b)| !same(a, b)) {
        return Err(format!("`{}` would become `{}`", shown(a.1), shown(b.1)));
    }
    match (before.get(after.len()), after.get(before.len())) {
        (Some(lost), _) => Err(format!("`{}` would be lost", shown(lost.1))),
        (_, Some(added)) => Err(format!("`{}` would be added", shown(added.1))),
        (None, None) => Ok(()),
    }
}

fn same_comment(before: &(SyntaxKind, &str), after: &(SyntaxKind, &str)) -> bool {
    before.0 == after.0 && before.1.lines().map(str::trim).eq(after.1.lines().map(str::trim))
}

/// The beginning of a token that may be long.
fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use serval_syntax::parse;

    use super::*;

    fn compared(before: &str, after: &str) -> Result<(), String> {
        compare((before, &parse(before).syntax()), (after, &parse(after).syntax()))
    }

    #[test]
    fn blanks_do_not_matter() {
        assert_eq!(compared("X:=1; // one  \r\n/* a\n  b */ X", "X := 1;\n// one\n/* a\nb */\nX\n"), Ok(()));
    }

    #[test]
    fn tokens_and_comments_do() {
        assert!(compared("X := 1", "X := 2").is_err());
        assert!(compared("X := 1", "X := (1)").is_err());
        assert!(compared("X := 1;", "X := 1").is_err());
        assert!(compared("a && b", "a and b").is_err());
        assert!(compared("X // one", "X").is_err());
        assert!(compared("X // one\n// two", "X // two\n// one").is_err());
        assert!(compared("X // one", "X /* one */").is_err());
        assert!(compared("X", "X // one").is_err());
    }
}
