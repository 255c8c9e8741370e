//! Whether two trees hold the same program: the same tokens, and the same
//! comments in the same order.
//!
//! Comments may differ in blanks at the ends of their lines, which formatting
//! moves or drops.

use serval_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

/// Says what differs, if anything does.
pub(crate) fn compare(before: &SyntaxNode, after: &SyntaxNode) -> Result<(), String> {
    let same_token = |a: &SyntaxToken, b: &SyntaxToken| a.kind() == b.kind() && a.text() == b.text();
    alike(tokens(before, |kind| !kind.is_trivia()), tokens(after, |kind| !kind.is_trivia()), same_token)?;
    alike(tokens(before, is_comment), tokens(after, is_comment), |a, b| a.kind() == b.kind() && same_comment(a.text(), b.text()))
}

fn is_comment(kind: SyntaxKind) -> bool {
    matches!(kind, SyntaxKind::LineComment | SyntaxKind::BlockComment)
}

/// Tokens of a tree, in order.
fn tokens(root: &SyntaxNode, wanted: fn(SyntaxKind) -> bool) -> impl Iterator<Item = SyntaxToken> {
    root.descendants_with_tokens().filter_map(|element| element.into_token()).filter(move |token| wanted(token.kind()))
}

/// Compares two lists one by one.
fn alike(
    mut before: impl Iterator<Item = SyntaxToken>,
    mut after: impl Iterator<Item = SyntaxToken>,
    same: impl Fn(&SyntaxToken, &SyntaxToken) -> bool,
) -> Result<(), String> {
    loop {
        match (before.next(), after.next()) {
            (None, None) => return Ok(()),
            (Some(a), Some(b)) if same(&a, &b) => {}
            (Some(a), Some(b)) => return Err(format!("`{}` would become `{}`", shown(a.text()), shown(b.text()))),
            (Some(a), None) => return Err(format!("`{}` would be lost", shown(a.text()))),
            (None, Some(b)) => return Err(format!("`{}` would be added", shown(b.text()))),
        }
    }
}

fn same_comment(before: &str, after: &str) -> bool {
    before.lines().map(str::trim).eq(after.lines().map(str::trim))
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
        compare(&parse(before).syntax(), &parse(after).syntax())
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
