//! `analyze`: what is wrong with a text, and its tokens, by places that JavaScript counts: units of UTF-16.

use serde::Serialize;
use serval::{Diagnostic, Severity, Span, TextKind};
use serval_report::html::tokens;

use crate::answer::{Failure, json};
use crate::asked::{Asked, read};

/// Offsets of bytes as offsets in UTF-16.
struct Places {
    /// Behind each letter that is not ASCII: its end in bytes, and how many units fewer there are up to there.
    wide: Vec<(usize, usize)>,
    length: usize,
}

impl Places {
    fn new(text: &str) -> Self {
        let mut fewer = 0;
        let mut wide = Vec::new();
        for (at, letter) in text.char_indices().filter(|(_, letter)| !letter.is_ascii()) {
            fewer += letter.len_utf8() - letter.len_utf16();
            wide.push((at + letter.len_utf8(), fewer));
        }
        Self { wide, length: text.len() }
    }

    fn of(&self, byte: usize) -> usize {
        let byte = byte.min(self.length);
        let before = self.wide.partition_point(|&(end, _)| end <= byte);
        let fewer = before.checked_sub(1).and_then(|last| self.wide.get(last)).map_or(0, |row| row.1);
        byte - fewer
    }

    fn span(&self, span: Span) -> [usize; 2] {
        [self.of(span.start as usize), self.of(span.end as usize)]
    }
}

/// A place beside the one that is meant.
#[derive(Serialize)]
struct Related {
    place: [usize; 2],
    text: String,
}

#[derive(Serialize)]
struct Found {
    place: [usize; 2],
    code: &'static str,
    severity: &'static str,
    message: String,
    label: String,
    related: Vec<Related>,
    expected: Option<String>,
    notes: Vec<String>,
    help: Option<String>,
}

#[derive(Serialize)]
struct Analyzed {
    kind: &'static str,
    diagnostics: Vec<Found>,
    /// Where each token that has a class begins and ends, and the class.
    tokens: Vec<(usize, usize, &'static str)>,
}

fn found(diagnostic: &Diagnostic, places: &Places) -> Found {
    let related = diagnostic.secondary.iter().map(|label| Related { place: places.span(label.span), text: label.text.clone() });
    Found {
        place: places.span(diagnostic.primary.span),
        code: diagnostic.code.0,
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: diagnostic.message.clone(),
        label: diagnostic.primary.text.clone(),
        related: related.collect(),
        expected: diagnostic.expected.clone(),
        notes: diagnostic.notes.clone(),
        help: diagnostic.help.clone(),
    }
}

/// A mistake that has been drawn, at the line that the drawing names.
#[cfg(feature = "nets")]
fn drawn(mistake: &str, text: &str) -> Found {
    let line = mistake.lines().find_map(|line| line.trim_start().strip_prefix("--> ")).and_then(|place| {
        let mut parts = place.rsplit(':');
        parts.next()?;
        parts.next()?.parse::<usize>().ok()
    });
    let start: usize = text.split_inclusive('\n').take(line.unwrap_or(1).saturating_sub(1)).map(|line| line.encode_utf16().count()).sum();
    let length =
        text.split_inclusive('\n').nth(line.unwrap_or(1).saturating_sub(1)).map_or(0, |line| line.trim_end().encode_utf16().count());
    let message = mistake.lines().next().unwrap_or_default();
    Found {
        place: [start, start + length],
        code: "",
        severity: "error",
        message: message.trim_start_matches("error: ").to_owned(),
        label: String::new(),
        related: Vec::new(),
        expected: None,
        notes: Vec::new(),
        help: None,
    }
}

pub(crate) fn analyze(asked: &Asked) -> Result<String, Failure> {
    let kind = asked.text_kind()?;
    let places = Places::new(&asked.text);
    let all = |diagnostics: &[Diagnostic]| diagnostics.iter().map(|one| found(one, &places)).collect::<Vec<_>>();
    let mut classes = Vec::new();
    let diagnostics = match kind {
        TextKind::Program | TextKind::System => {
            if kind == TextKind::Program {
                let mut at = 0;
                for (token, class) in tokens(&asked.text) {
                    if !class.is_empty() {
                        classes.push((places.of(at), places.of(at + token.len()), class));
                    }
                    at += token.len();
                }
            }
            match read(&asked.text, kind) {
                Some(Ok(input)) => all(&input.warnings),
                Some(Err(mistakes)) => all(&mistakes.diagnostics),
                None => Vec::new(),
            }
        }
        #[cfg(feature = "weak-memory")]
        TextKind::WeakMemory(syntax) => match serval::tso::TsoInput::read_as(asked.text.clone(), syntax) {
            Ok(_) => Vec::new(),
            Err((_, diagnostics)) => all(&diagnostics),
        },
        #[cfg(feature = "nets")]
        TextKind::Net(notation) => match crate::nets::read(asked, notation) {
            Some(Err(mistake)) => vec![drawn(&mistake, &asked.text)],
            _ => Vec::new(),
        },
    };
    json(&Analyzed { kind: kind.ending(), diagnostics, tokens: classes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_utf_16() {
        let text = "aé𝄞z";
        let places = Places::new(text);
        let expected: Vec<usize> = text.char_indices().map(|(at, _)| text[..at].encode_utf16().count()).collect();
        let found: Vec<usize> = text.char_indices().map(|(at, _)| places.of(at)).collect();
        assert_eq!(found, expected);
        assert_eq!(places.of(usize::MAX), text.encode_utf16().count());
    }
}
