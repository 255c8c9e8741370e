//! Files of nets and of questions, and what is wrong with them.

use std::path::Path;

use serval::nets::{NetInput, NetQuestion, Property, Unknown};
use serval_petri::words::WordsError;
use serval_petri::{FormatError, Limits};
use serval_report::escape::{self, file_name};
use serval_syntax::similar;

use crate::args::{NetFile, NetKind};
use crate::failure::Failure;
use crate::input::{bytes_within, name_of};

/// Characters of a line that are shown on each side of a mistake.
const SIDE: usize = 60;

/// Reads a net.
pub(super) fn net(args: &NetFile) -> Result<NetInput, Failure> {
    let kind = match args.input {
        Some(NetKind::Pnml) => serval::nets::NetKind::Pnml,
        Some(NetKind::Net) => serval::nets::NetKind::Tina,
        None => {
            let extension = args.file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            serval::nets::NetKind::of_extension(extension).filter(|_| !args.file.is_dir()).map_or_else(|| unknown_kind(&args.file), Ok)?
        }
    };
    let text = text(&args.file)?;
    NetInput::read(&text, kind).map_err(|error| Failure::Input(in_file(&error, &name_of(&args.file), &text)))
}

fn unknown_kind(path: &Path) -> Result<serval::nets::NetKind, Failure> {
    let name = escape::name(&file_name(path)).into_owned();
    Err(Failure::message(if path.is_dir() {
        format!("{name} is a directory; give a file")
    } else {
        format!("cannot tell what {name} is; say --input pnml or --input net [E0503]")
    }))
}

/// The text of a file, within the limits of nets.
fn text(path: &Path) -> Result<String, Failure> {
    let bytes = bytes_within(path, Limits::default().bytes)?;
    let shown = escape::name(&name_of(path)).into_owned();
    String::from_utf8(bytes).map_err(|error| {
        Failure::message(format!("{shown} is not UTF-8: byte {} cannot be read [E0501]", error.utf8_error().valid_up_to()))
    })
}

/// The questions in a file.
pub(super) fn queries(path: &Path, input: &NetInput) -> Result<Vec<NetQuestion>, Failure> {
    let text = text(path)?;
    input.queries(&text).map_err(|error| Failure::Input(in_file(&error, &name_of(path), &text)))
}

/// The question that a property is.
pub(super) fn question(text: &str, input: &NetInput) -> Result<NetQuestion, Failure> {
    input.question(text).map_err(|error| Failure::Input(in_words(&error, text, input)))
}

/// A mistake in a file, with its line.
fn in_file(error: &FormatError, file: &str, text: &str) -> String {
    let head = format!("error: {}:{}:{}: {}\n", escape::name(file), error.line, error.column, escape::line(&error.message));
    let Some(line) = text.split('\n').nth(error.line.saturating_sub(1)) else { return head };
    let at = error.column.saturating_sub(1);
    let from = at.saturating_sub(SIDE);
    let part = |from: usize, to: usize| -> String { line.chars().skip(from).take(to.saturating_sub(from)).collect() };
    let (before, after) = (part(from, at), part(at, at + SIDE));
    let (before, after) = (seen(&before), seen(after.trim_end_matches('\r')));
    let number = error.line.to_string();
    let ellipsis = if from > 0 { "…" } else { "" };
    let blank = " ".repeat(before.chars().count() + ellipsis.chars().count());
    format!("{head} {number} | {ellipsis}{before}{after}\n {:width$} | {blank}^\n", "", width = number.len())
}

/// Text as one line in which everything can be seen, one column for each character.
fn seen(text: &str) -> String {
    escape::line(&text.replace('\t', " ")).into_owned()
}

/// A mistake in a property, with a caret below it.
fn in_words(error: &WordsError, text: &str, input: &NetInput) -> String {
    let net = input.net();
    let near = match &error.unknown {
        Some(Unknown::Place(name)) => similar(name, net.places().map(|place| net.place_name(place))),
        Some(Unknown::Transition(name)) => similar(name, net.transitions().map(|transition| net.transition_name(transition))),
        Some(Unknown::Property(name)) => similar(name, Property::NAMES.iter().map(|known| known.split(':').next().unwrap_or(known))),
        None => None,
    };
    let near = near.map_or_else(String::new, |near| format!("\nhelp: did you mean “{}”?", escape::name(near)));
    let part =
        |from: usize, to: usize| seen(text.get(from.min(text.len())..to.clamp(from.min(text.len()), text.len())).unwrap_or_default());
    let (before, wrong, after) = (part(0, error.start), part(error.start, error.end), part(error.end.max(error.start), text.len()));
    let carets = "^".repeat(wrong.chars().count().max(1));
    let blank = " ".repeat(before.chars().count());
    format!("error: {}\n  {before}{wrong}{after}\n  {blank}{carets}{near}\n", escape::line(&error.message))
}
