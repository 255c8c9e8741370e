//! What formatting changes, as a unified difference.
//!
//! Formatting moves blanks and nothing else, so the place of a line is the
//! number of other characters before it, in both texts (a comment may change
//! places with a `;`, which is the same within a line or two). Only lines with
//! the same place are compared: a blank line or a `}` is never taken for one
//! elsewhere, and there is nothing to search, however much has changed.

use std::fmt::Write;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use serval_syntax::{Edit, Span};

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
    let mut lines = InternedInput::default();
    lines.update_before(placed(before));
    lines.update_after(placed(after));
    let changes: Vec<LineChange> =
        Diff::compute(Algorithm::MyersMinimal, &lines).hunks().map(|hunk| [wide(hunk.before), wide(hunk.after)]).collect();
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut out = String::new();
    for hunk in changes.chunk_by(|one, next| next[0].start - one[0].end <= 2 * CONTEXT) {
        if out.is_empty() {
            let _ = write!(out, "--- {name}\n+++ {name}\n");
        }
        show(hunk, &old, &new, &mut out);
    }
    out
}

/// The difference between two texts in the form of `diff -u`, without its two lines of names; empty where there is
/// none.
///
/// ```
/// assert_eq!(serval_format::line_diff("a\nb\n", "a\nc\n"), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
pub fn line_diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut lines = InternedInput::default();
    lines.update_before(old.iter().copied());
    lines.update_after(new.iter().copied());
    let mut computed = Diff::compute(Algorithm::Histogram, &lines);
    computed.postprocess_lines(&lines);
    let changes: Vec<LineChange> = computed.hunks().map(|hunk| [wide(hunk.before), wide(hunk.after)]).collect();
    let mut out = String::new();
    for hunk in changes.chunk_by(|one, next| next[0].start - one[0].end <= 2 * CONTEXT) {
        show(hunk, &old, &new, &mut out);
    }
    out
}

/// The edits, of whole lines, that make `after` of `before`, sorted by place.
///
/// ```
/// let edits = serval_format::line_edits("a\nb\nc", "a\nx\nc");
/// assert_eq!(serval_syntax::edited("a\nb\nc", &edits).as_deref(), Some("a\nx\nc"));
/// assert_eq!((edits.len(), edits[0].span, edits[0].text.as_str()), (1, serval_syntax::Span::new(2, 4), "x\n"));
/// ```
pub fn line_edits(before: &str, after: &str) -> Vec<Edit> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut lines = InternedInput::default();
    lines.update_before(old.iter().copied());
    lines.update_after(new.iter().copied());
    let computed = Diff::compute(Algorithm::Histogram, &lines);
    let mut starts = vec![0_u32];
    for line in &old {
        let last = starts.last().copied().unwrap_or(0);
        starts.push(last.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX)));
    }
    let edit = |hunk: imara_diff::Hunk| {
        let (gone, come) = (wide(hunk.before), wide(hunk.after));
        Edit { span: Span::new(starts[gone.start], starts[gone.end]), text: new[come].concat() }
    };
    computed.hunks().map(edit).collect()
}

/// The lines that go, and those that come in their place.
type LineChange = [Range<usize>; 2];

fn wide(range: Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Changes near each other, with what is equal around and between them.
fn show(hunk: &[LineChange], old: &[&str], new: &[&str], out: &mut String) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let above = first[0].start.min(CONTEXT);
    let below = (old.len() - last[0].end).min(CONTEXT);
    let [removed, added] = [0, 1].map(|side| HunkRange(first[side].start - above..last[side].end + below));
    let _ = writeln!(out, "@@ -{removed} +{added} @@");
    let mut equal = removed.0.start;
    for [gone, come] in hunk {
        lines(' ', &old[equal..gone.start], out);
        lines('-', &old[gone.clone()], out);
        lines('+', &new[come.clone()], out);
        equal = gone.end;
    }
    lines(' ', &old[equal..removed.0.end], out);
}

fn lines(tag: char, lines: &[&str], out: &mut String) {
    for line in lines {
        let _ = write!(out, "{tag}{line}");
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// Where a part of a text is, as the unified format counts: from one, and an empty part behind the line before it.
struct HunkRange(Range<usize>);

impl std::fmt::Display for HunkRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.len() {
            0 => write!(f, "{},0", self.0.start),
            1 => write!(f, "{}", self.0.start + 1),
            length => write!(f, "{},{length}", self.0.start + 1),
        }
    }
}

/// The lines with their line ends, each behind its place. Blank lines, which
/// share one, are counted.
fn placed(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let (mut start, mut blank) = (0, 0);
    text.split_inclusive('\n').map(move |line| {
        let characters = line.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').count();
        blank = if characters == 0 { blank + 1 } else { 0 };
        start += characters;
        (start - characters, blank, line)
    })
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
