//! What is wrong with a file or with a property, shown where it is.

use serval_diagnostic::similar;
use serval_petri::words::{Unknown, WordsError};
use serval_petri::{FormatError, Net, Property};

use crate::escape;

/// Characters of a line that are shown on each side of a mistake.
const SIDE: usize = 60;

/// A mistake in a file, with its line.
pub fn net_file_mistake(error: &FormatError, file: &str, text: &str) -> String {
    let head = format!("error: {}:{}:{}: {}\n", escape::name(file), error.line, error.column, escape::line(&error.message));
    let near = error.unknown.as_ref().and_then(|unknown| similar(&unknown.word, unknown.known.iter().map(String::as_str)));
    let help = help(near);
    let Some(line) = text.split('\n').nth(error.line.saturating_sub(1)) else { return head + &help };
    let at = error.column.saturating_sub(1);
    let from = at.saturating_sub(SIDE);
    let part = |from: usize, to: usize| -> String { line.chars().skip(from).take(to.saturating_sub(from)).collect() };
    let (before, after) = (part(from, at), part(at, at + SIDE));
    let (before, after) = (seen(&before), seen(after.trim_end_matches('\r')));
    let number = error.line.to_string();
    let ellipsis = if from > 0 { "…" } else { "" };
    let blank = " ".repeat(before.chars().count() + ellipsis.chars().count());
    format!("{head} {number} | {ellipsis}{before}{after}\n {:width$} | {blank}^\n{help}", "", width = number.len())
}

/// A mistake in a property, with its line and column, and a caret below it.
pub fn net_words_mistake(error: &WordsError, text: &str, net: &Net) -> String {
    let near = match &error.unknown {
        Some(Unknown::Place(name)) => similar(name, net.places().map(|place| net.place_name(place))),
        Some(Unknown::Transition(name)) => similar(name, net.transitions().map(|transition| net.transition_name(transition))),
        Some(Unknown::Property(name)) => similar(name, Property::NAMES.iter().map(|known| known.split(':').next().unwrap_or(known))),
        None => None,
    };
    let part =
        |from: usize, to: usize| seen(text.get(from.min(text.len())..to.clamp(from.min(text.len()), text.len())).unwrap_or_default());
    let (before, wrong, after) = (part(0, error.start), part(error.start, error.end), part(error.end.max(error.start), text.len()));
    let carets = "^".repeat(wrong.chars().count().max(1));
    let blank = " ".repeat(before.chars().count());
    let start = text.get(..error.start).unwrap_or(text);
    let (line, column) = (start.matches('\n').count() + 1, start.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1);
    let message = escape::line(&error.message);
    format!("error: line {line}, column {column}: {message}\n  {before}{wrong}{after}\n  {blank}{carets}\n{}", help(near))
}

fn help(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("help: did you mean “{}”?\n", escape::name(near)))
}

/// Text as one line in which everything can be seen, one column for each character.
fn seen(text: &str) -> String {
    escape::line(&text.replace('\t', " ")).into_owned()
}
