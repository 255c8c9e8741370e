//! The changed text as a person would write it, and how it differs.
//!
//! A `yield` that is a statement of its own goes with its `;`, and with its
//! line if nothing else stands there; a comment beside it stays. Elsewhere its
//! value, `0`, takes its place. Whether the text still means what it should is
//! not decided here.

use std::collections::{BTreeMap, BTreeSet};

use serval_syntax::{SyntaxKind, parse};

use super::edit::{Edited, line_starts};
use super::yields::Yield;

/// Removes some `yield`s; whole statements only if `statements` says so.
pub(crate) fn remove<'a>(text: &'a str, yields: &[Yield], set: &BTreeSet<usize>, statements: bool) -> Edited<'a> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let alone = if statements { own_statements(text) } else { BTreeSet::new() };
    let starts = line_starts(&lines);
    let mut changes: BTreeMap<usize, Option<String>> = BTreeMap::new();
    // From the right, so that what is still to be changed stays at its place.
    for one in set.iter().rev().filter_map(|&index| yields.get(index)) {
        let range = one.span.range();
        let number = starts.partition_point(|&start| start <= range.start).saturating_sub(1);
        let (Some(&start), Some(line)) = (starts.get(number), lines.get(number)) else { continue };
        let current = changes.get(&number).cloned().flatten().unwrap_or_else(|| (*line).to_owned());
        let (before, word) = current.split_at(range.start - start);
        let after = word.strip_prefix("yield").unwrap_or(word);
        let statement = after.trim_start_matches([' ', '\t']).strip_prefix(';').filter(|_| alone.contains(&range.start));
        let changed = match statement {
            Some(rest) if before.trim().is_empty() && rest.trim().is_empty() => None,
            Some(rest) if rest.trim().is_empty() => Some(format!("{}{}", before.trim_end(), rest.trim_start_matches([' ', '\t']))),
            Some(rest) => Some(format!("{before}{}", rest.trim_start_matches([' ', '\t']))),
            None => Some(format!("{before}0{after}")),
        };
        changes.insert(number, changed);
    }
    Edited { lines, changes }
}

/// Where the `yield`s stand that are statements of their own, followed by a `;`.
fn own_statements(text: &str) -> BTreeSet<usize> {
    let tree = parse(text).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(|element| element.into_token()).filter(|token| !token.kind().is_trivia());
    let tokens: Vec<(SyntaxKind, usize)> = tokens.map(|token| (token.kind(), usize::from(token.text_range().start()))).collect();
    let kind = |position: Option<usize>| position.and_then(|position| tokens.get(position)).map(|token| token.0);
    let alone = |&position: &usize| {
        kind(Some(position)) == Some(SyntaxKind::YieldKw)
            && matches!(kind(position.checked_sub(1)), None | Some(SyntaxKind::LeftBrace | SyntaxKind::Semicolon))
            && kind(position.checked_add(1)) == Some(SyntaxKind::Semicolon)
    };
    (0..tokens.len()).filter(alone).map(|position| tokens[position].1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::yields::yields;

    fn removed(text: &str, set: &[usize]) -> (String, String) {
        let all = yields(&serval_syntax::analyze(text).program.unwrap(), text);
        let edited = remove(text, &all, &set.iter().copied().collect(), true);
        (edited.text(), edited.diff())
    }

    #[test]
    fn statements_go_with_their_lines() {
        let text = "request a {\n  x := X;\n  yield;\n  X := x + 1 - 1;\n  yield;   // a pause\n  x\n}\n";
        let (first, diff) = removed(text, &[0]);
        assert_eq!(first, "request a {\n  x := X;\n  X := x + 1 - 1;\n  yield;   // a pause\n  x\n}\n");
        assert_eq!(diff, "@@ -1,6 +1,5 @@\n request a {\n   x := X;\n-  yield;\n   X := x + 1 - 1;\n   yield;   // a pause\n   x\n");
        assert_eq!(removed(text, &[1]).0, "request a {\n  x := X;\n  yield;\n  X := x + 1 - 1;\n  // a pause\n  x\n}\n");
    }

    #[test]
    fn values_stay() {
        assert_eq!(removed("request a { x := X + yield; yield; yield }", &[0, 1, 2]).0, "request a { x := X + 0; 0 }");
        assert_eq!(removed("request a { x := X;   yield ; x }", &[0]).0, "request a { x := X;   x }");
        assert_eq!(removed("request a { x := X; yield\n; x }", &[0]).0, "request a { x := X; 0\n; x }");
        assert_eq!(removed("yield; X := 1 - X", &[0]).0, "X := 1 - X");
    }

    #[test]
    fn far_changes_have_parts_of_their_own() {
        let text = format!("request a {{\nyield;\n{}yield;\nX\n}}", "X := 1;\n".repeat(9));
        let (_, diff) = removed(&text, &[0, 1]);
        let heads: Vec<&str> = diff.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(heads, ["@@ -1,5 +1,4 @@", "@@ -9,6 +8,5 @@"]);
        assert!(diff.ends_with(" }\n\\ No newline at end of file\n"), "{diff}");
    }
}
