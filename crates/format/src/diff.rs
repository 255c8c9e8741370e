//! What formatting changes, as a unified difference.
//!
//! Formatting moves blanks and nothing else, so the place of a line is the
//! number of other characters before it, in both texts (a comment may change
//! places with a `;`, which is the same within a line or two). Only lines with
//! the same place are compared: a blank line or a `}` is never taken for one
//! elsewhere, and there is nothing to search, however much has changed.

use std::fmt::Write;

use similar::udiff::UnifiedHunkHeader;
use similar::{Algorithm, capture_diff_slices, group_diff_ops};

/// How many lines that are equal are shown around those that differ.
const CONTEXT: usize = 3;

/// The difference between a text and the same text formatted, in the unified
/// format; empty where there is none.
///
/// ```
/// let difference = serval_format::diff("X:=1;\nX\n", "X := 1;\nX\n", "x.ser");
/// assert_eq!(difference, "--- x.ser\n+++ x.ser\n@@ -1,2 +1,2 @@\n-X:=1;\n+X := 1;\n X\n");
/// ```
pub fn diff(before: &str, after: &str, name: &str) -> String {
    let (old, new) = (placed(before), placed(after));
    let operations = capture_diff_slices(Algorithm::Myers, &old, &new);
    let mut out = String::new();
    for hunk in group_diff_ops(operations, CONTEXT) {
        if out.is_empty() {
            let _ = write!(out, "--- {name}\n+++ {name}\n");
        }
        let _ = writeln!(out, "{}", UnifiedHunkHeader::new(&hunk));
        for change in hunk.iter().flat_map(|operation| operation.iter_changes(&old, &new)) {
            let (_, _, line) = change.value();
            let _ = write!(out, "{}{line}", change.tag());
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The lines with their line ends, each behind its place. Blank lines, which
/// share one, are counted.
fn placed(text: &str) -> Vec<(usize, usize, &str)> {
    let (mut start, mut blank) = (0, 0);
    let lines = text.split_inclusive('\n').map(|line| {
        let characters = line.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').count();
        blank = if characters == 0 { blank + 1 } else { 0 };
        start += characters;
        (start - characters, blank, line)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that a difference leads to.
    fn patched(before: &str, difference: &str) -> String {
        let mut old = before.split_inclusive('\n');
        let mut number = 0;
        let mut out = String::new();
        let mut lines = difference.split_inclusive('\n').skip(2).peekable();
        while let Some(line) = lines.next() {
            if let Some(rest) = line.strip_prefix("@@ -") {
                let (start, count) = rest.split_once(' ').unwrap().0.split_once(',').unwrap_or((rest.split(' ').next().unwrap(), "1"));
                let first = start.parse::<usize>().unwrap() + usize::from(count == "0");
                while number + 1 < first {
                    out.push_str(old.next().unwrap());
                    number += 1;
                }
                continue;
            }
            let cut = lines.peek().is_some_and(|next| next.starts_with('\\'));
            let text = if cut { line[1..].strip_suffix('\n').unwrap() } else { &line[1..] };
            if line.starts_with([' ', '-']) {
                assert_eq!(old.next().unwrap(), text);
                number += 1;
            }
            if line.starts_with([' ', '+']) {
                out.push_str(text);
            }
        }
        out.extend(old);
        out
    }

    #[test]
    fn applying_a_difference_gives_the_other_text() {
        let texts = [
            "X:=1; yield; X",
            "// head\n\n\nrequest a{X}\nrequest b {\n  X\n}\n",
            "request b {\n  X := 1;\n  X\n}\n\nrequest c {\n  X\n}\n\nrequest d {\n\n  X\n}\n",
            "X // c\n;\r\nyield ;\n\n\n\nX",
            "\u{feff}X := 1;\nX\n",
        ];
        for before in texts {
            let after = crate::format(before, &crate::Style::default()).unwrap();
            let difference = diff(before, &after, "x");
            assert_eq!(patched(before, &difference), after, "{difference}");
            assert_eq!(diff(&after, &after, "x"), "");
        }
    }

    #[test]
    fn lines_with_the_same_place_belong_together() {
        assert_eq!(
            diff("a;b\n\nc ;\n\n\nd\n", "a;\nb\n\nc;\n\nd\n", "x").lines().skip(3).collect::<Vec<_>>(),
            ["-a;b", "+a;", "+b", " ", "-c ;", "+c;", " ", "-", " d"]
        );
    }

    #[test]
    fn far_changes_are_apart_and_near_ones_together() {
        let before: String = (0..40).map(|n| if [3, 12, 30].contains(&n) { format!(" x{n};\n") } else { format!("x{n};\n") }).collect();
        let after: String = (0..40).map(|n| format!("x{n};\n")).collect();
        let difference = diff(&before, &after, "x");
        let heads: Vec<&str> = difference.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(heads, ["@@ -1,7 +1,7 @@", "@@ -10,7 +10,7 @@", "@@ -28,7 +28,7 @@"]);
        assert_eq!(patched(&before, &difference), after);
        let before = before.replacen("x9;", " x9;", 1);
        let difference = diff(&before, &after, "x");
        assert_eq!(difference.matches("@@ -").count(), 2);
        assert_eq!(patched(&before, &difference), after);
    }
}
