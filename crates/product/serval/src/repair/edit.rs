//! A text in which some lines are changed, and how it differs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use serval_format::{Style as FormatStyle, format_with_line_ends, line_diff};
use serval_syntax::{SyntaxKind, SyntaxNode, parse};

use super::effects::extent;

/// Lines around a change that are shown.
const CONTEXT: usize = 3;

/// A text in which some lines are changed or gone.
#[derive(Clone, Debug)]
pub(crate) struct Edited<'a> {
    pub(crate) lines: Vec<&'a str>,
    /// By number of the line, from 0; `None` where it is gone.
    pub(crate) changes: BTreeMap<usize, Option<String>>,
}

/// The changed text as it is offered, and how it differs.
///
/// Where the text was formatted, what is offered is. Where it was not, the requests with changes are formatted if they
/// were, and otherwise only the lines with changes are others.
pub(crate) fn finished(before: &str, edited: &Edited<'_>, style: &FormatStyle) -> (String, String) {
    let text = edited.text();
    match formatted_as(before, &text, style) {
        Some(formatted) => {
            let diff = line_diff(before, &formatted);
            (formatted, diff)
        }
        None => (text, edited.diff()),
    }
}

/// A changed text in the style of the text before, if that was formatted; else with those requests and functions
/// formatted that are others now and were formatted before. `None` where there are none.
pub(crate) fn formatted_as(before: &str, changed: &str, style: &FormatStyle) -> Option<String> {
    let was_formatted = |text: &str| format_with_line_ends(text, style).is_ok_and(|formatted| formatted == text);
    if was_formatted(before) {
        return format_with_line_ends(changed, style).ok();
    }
    let (old, new) = (items(before), items(changed));
    if old.len() != new.len() {
        return None;
    }
    let mut text = changed.to_owned();
    // The last first, so that what is still to be changed stays at its place.
    for (old, new) in old.into_iter().zip(new).rev() {
        let [old, item] = [before.get(old)?, changed.get(new.clone())?];
        if old != item && was_formatted(&format!("{old}\n")) {
            text.replace_range(new, format_with_line_ends(item, style).ok()?.trim_end());
        }
    }
    (text != changed).then_some(text)
}

/// Where the requests and functions of a text are.
fn items(text: &str) -> Vec<Range<usize>> {
    let of_kind = |node: &SyntaxNode| matches!(node.kind(), SyntaxKind::Request | SyntaxKind::Function);
    let found = parse(text).syntax().children().filter(of_kind).map(|node| extent(&node));
    found.map(|(from, to)| from..to).collect()
}

/// Where each line begins.
pub(crate) fn line_starts(lines: &[&str]) -> Vec<usize> {
    let ends = lines.iter().scan(0, |offset, line| {
        *offset += line.len();
        Some(*offset)
    });
    std::iter::once(0).chain(ends).take(lines.len()).collect()
}

/// Puts a text in the place of some bytes, none of which ends a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Replacement {
    /// Where they begin.
    pub(crate) at: usize,
    /// How many they are.
    pub(crate) length: usize,
    /// What stands there instead; it may have several lines.
    pub(crate) text: String,
}

/// The text with these replacements, which do not overlap; of several at one
/// place the first comes first.
pub(crate) fn replaced(text: &str, mut replacements: Vec<Replacement>) -> Edited<'_> {
    // The last first, so that what is still to be changed stays at its place.
    replacements.reverse();
    replacements.sort_by_key(|replacement| std::cmp::Reverse(replacement.at));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let starts = line_starts(&lines);
    let mut changes: BTreeMap<usize, Option<String>> = BTreeMap::new();
    for Replacement { at, length, text } in replacements {
        let number = starts.partition_point(|&start| start <= at).saturating_sub(1);
        let (Some(&start), Some(line)) = (starts.get(number), lines.get(number)) else { continue };
        let current = changes.entry(number).or_insert_with(|| Some((*line).to_owned()));
        if let Some(current) = current {
            current.replace_range(at - start..at - start + length, &text);
        }
    }
    Edited { lines, changes }
}

impl Edited<'_> {
    /// The text as it is now.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (number, line) in self.lines.iter().enumerate() {
            match self.changes.get(&number) {
                None => text.push_str(line),
                Some(Some(changed)) => text.push_str(changed),
                Some(None) => {}
            }
        }
        text
    }

    /// The changes in the form of `diff -u`, without its two lines of names.
    pub(crate) fn diff(&self) -> String {
        let mut diff = String::new();
        // Lines of the new text before the part at hand, and of the old one.
        let (mut before, mut told) = (0, 0);
        for (first, last) in self.hunks() {
            let new: usize = (first..=last).map(|number| self.lines_of(number)).sum();
            let old = last - first + 1;
            before += first - told;
            // Where nothing is left, the line before it is named.
            let (old_at, new_at) = (first + 1, before + usize::from(new > 0));
            (before, told) = (before + new, last + 1);
            let _ = writeln!(diff, "@@ -{old_at},{old} +{new_at},{new} @@");
            for number in first..=last {
                match self.changes.get(&number) {
                    None => put(&mut diff, ' ', self.lines[number]),
                    Some(changed) => {
                        let old = self.lines[number];
                        let new: Vec<&str> = changed.iter().flat_map(|changed| changed.split_inclusive('\n')).collect();
                        // Lines that come before a line or behind it leave it alone.
                        let kept = new.iter().position(|line| *line == old);
                        if kept.is_none() {
                            put(&mut diff, '-', old);
                        }
                        for (position, line) in new.into_iter().enumerate() {
                            put(&mut diff, if kept == Some(position) { ' ' } else { '+' }, line);
                        }
                    }
                }
            }
        }
        diff
    }

    /// How many lines a line has become.
    fn lines_of(&self, number: usize) -> usize {
        self.changes.get(&number).map_or(1, |changed| changed.as_ref().map_or(0, |text| text.split_inclusive('\n').count()))
    }

    /// The first and last lines of stretches with changes, context included.
    fn hunks(&self) -> Vec<(usize, usize)> {
        let mut hunks: Vec<(usize, usize)> = Vec::new();
        for &number in self.changes.keys() {
            let (first, last) = (number.saturating_sub(CONTEXT), (number + CONTEXT).min(self.lines.len() - 1));
            match hunks.last_mut() {
                Some(hunk) if first <= hunk.1 + 1 => hunk.1 = last,
                _ => hunks.push((first, last)),
            }
        }
        hunks
    }
}

fn put(diff: &mut String, sign: char, line: &str) {
    diff.push(sign);
    diff.push_str(line);
    if !line.ends_with('\n') {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}
