//! What formatting changes, as a unified difference.
//!
//! Formatting moves blanks and nothing else, so the two texts are the same
//! once their blanks are taken out (a comment may change places with a `;`,
//! which is the same within a line or two). The place of a line is thus the
//! number of other characters before it, and lines belong together where their
//! places are equal. This takes one pass, where the usual search for a longest
//! common subsequence takes quadratic time just when every line has changed.

use std::fmt::Write;

/// How many lines that are equal are shown around those that differ.
const CONTEXT: usize = 3;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Kept,
    Removed,
    Added,
}

/// The difference between a text and the same text formatted, in the unified
/// format; empty where there is none.
///
/// ```
/// let difference = serval_format::diff("X:=1;\nX\n", "X := 1;\nX\n", "x.ser");
/// assert_eq!(difference, "--- x.ser\n+++ x.ser\n@@ -1,2 +1,2 @@\n-X:=1;\n+X := 1;\n X\n");
/// ```
pub fn diff(before: &str, after: &str, name: &str) -> String {
    let changes = changes(before, after);
    let mut out = String::new();
    // The lines of both texts up to the change looked at.
    let (mut old, mut new) = (0, 0);
    let mut at = 0;
    while let Some(next) = changes[at..].iter().position(|(change, _)| *change != Change::Kept) {
        let start = at + next.saturating_sub(CONTEXT);
        (old, new) = (old + start - at, new + start - at);
        let end = hunk_end(&changes, at + next);
        let hunk = &changes[start..end];
        let count = |not: Change| hunk.iter().filter(|(change, _)| *change != not).count();
        let (removed, added) = (count(Change::Added), count(Change::Removed));
        if out.is_empty() {
            let _ = write!(out, "--- {name}\n+++ {name}\n");
        }
        let _ = writeln!(out, "@@ -{} +{} @@", range(old, removed), range(new, added));
        for (change, line) in hunk {
            out.push(match change {
                Change::Kept => ' ',
                Change::Removed => '-',
                Change::Added => '+',
            });
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
        (old, new, at) = (old + removed, new + added, end);
    }
    out
}

/// The end of the hunk with a change at `at`: as far as changes are near.
fn hunk_end(changes: &[(Change, &str)], at: usize) -> usize {
    let (mut last, mut index) = (at, at);
    while index < changes.len() && index - last <= 2 * CONTEXT {
        if changes[index].0 != Change::Kept {
            last = index;
        }
        index += 1;
    }
    (last + 1 + CONTEXT).min(changes.len())
}

/// Lines as the format counts them: from 1, and the line before where there
/// are none.
fn range(before: usize, count: usize) -> String {
    match count {
        0 => format!("{before},0"),
        1 => format!("{}", before + 1),
        _ => format!("{},{count}", before + 1),
    }
}

/// All lines, those of `before` and of `after` each in order.
fn changes<'t>(before: &'t str, after: &'t str) -> Vec<(Change, &'t str)> {
    let (old, new) = (placed(before), placed(after));
    let mut changes = Vec::with_capacity(old.len() + new.len());
    let (mut i, mut j) = (0, 0);
    // Within a run of changes, what is removed comes first.
    let mut added: Vec<(Change, &str)> = Vec::new();
    while i < old.len() || j < new.len() {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a.start == b.start && a.text == b.text => {
                changes.append(&mut added);
                changes.push((Change::Kept, a.text));
                i += 1;
                j += 1;
            }
            (a, b) => {
                // What begins first, or ends first, is not in the other text.
                // Two lines with the same place and other blanks are both.
                let place = |line: Option<&Line<'_>>| line.map_or((usize::MAX, usize::MAX), |line| (line.start, line.end));
                let order = place(a).cmp(&place(b));
                if let Some(a) = a.filter(|_| order.is_le()) {
                    changes.push((Change::Removed, a.text));
                    i += 1;
                }
                if let Some(b) = b.filter(|_| order.is_ge()) {
                    added.push((Change::Added, b.text));
                    j += 1;
                }
            }
        }
    }
    changes.append(&mut added);
    changes
}

/// A line with its line end, and its place.
struct Line<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

fn placed(text: &str) -> Vec<Line<'_>> {
    let mut end = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let start = end;
        end += line.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').count();
        Line { text: line, start, end }
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
