//! `analyze`: what an editor shows of a text, by places that JavaScript counts: units of UTF-16.

use serde::Serialize;
use serval::{Diagnostic, Severity, Span, TextKind};
use serval_ide::{Completion, Document, Edit, SymbolKind, TokenClass, classified, completions, hover};

use crate::answer::{Unanswered, json};
use crate::asked::{ModuleRequest, read};
use crate::limits;

/// Offsets of bytes as offsets in UTF-16.
struct UnitPlaces {
    /// Behind each letter that is not ASCII: its end in bytes, and how many units fewer there are up to there.
    wide: Vec<(usize, usize)>,
    length: usize,
}

impl UnitPlaces {
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

    /// The byte at which a unit begins, or the letter that it belongs to.
    fn byte(&self, unit: usize) -> u32 {
        let before = self.wide.partition_point(|&(end, fewer)| end - fewer <= unit);
        let fewer = before.checked_sub(1).and_then(|last| self.wide.get(last)).map_or(0, |row| row.1);
        u32::try_from(unit.saturating_add(fewer).min(self.length)).unwrap_or(u32::MAX)
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

/// A part of the text and what is to stand there.
#[derive(Serialize)]
struct TextChange {
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
    /// What does as the help says.
    edits: Vec<TextChange>,
}

/// What is shown about a place, in Markdown.
#[derive(Serialize)]
struct HoverShown {
    place: [usize; 2],
    markdown: String,
}

/// What can be written at a place.
#[derive(Serialize)]
struct Proposal {
    label: String,
    detail: String,
    place: [usize; 2],
    snippet: String,
}

#[derive(Serialize)]
struct Analyzed {
    kind: &'static str,
    diagnostics: Vec<Found>,
    /// Where each token that has a class begins and ends, and the class.
    tokens: Vec<(usize, usize, &'static str)>,
    hover: Option<HoverShown>,
    proposals: Vec<Proposal>,
}

/// The class of a token, for colours.
fn class(class: TokenClass, word: &str) -> &'static str {
    match class {
        TokenClass::Keyword if word == "yield" => "yield",
        TokenClass::Keyword => "keyword",
        TokenClass::Number => "number",
        TokenClass::Operator => "operator",
        TokenClass::Comment => "comment",
        TokenClass::Name(SymbolKind::Global | SymbolKind::Array | SymbolKind::Version) => "global",
        TokenClass::Name(SymbolKind::Request | SymbolKind::Function) => "function",
        TokenClass::Name(_) => "name",
    }
}

impl Analyzed {
    /// A program, and what there is to say about the place that is asked for.
    fn program(&mut self, asked: &ModuleRequest, places: &UnitPlaces) {
        let text = asked.text.clone();
        let Some(document) = limits::reading(move || Document::new(text)) else { return };
        let all = Span::new(0, u32::try_from(asked.text.len()).unwrap_or(u32::MAX));
        let tokens = classified(&document, all).into_iter();
        self.tokens = tokens
            .map(|one| (places.of(one.span.start as usize), places.of(one.span.end as usize), class(one.class, document.slice(one.span))))
            .collect();
        self.diagnostics = document.diagnostics().iter().map(|one| found(one, places)).collect();
        let Some(at) = asked.offset.map(|unit| places.byte(unit)) else { return };
        self.hover = hover(&document, at).map(|one| HoverShown { place: places.span(one.span), markdown: one.markdown });
        let proposal = |Completion { label, detail, replaced, snippet, .. }: Completion| Proposal {
            label,
            detail,
            place: places.span(replaced),
            snippet,
        };
        self.proposals = completions(&document, at).into_iter().map(proposal).collect();
    }
}

fn found(diagnostic: &Diagnostic, places: &UnitPlaces) -> Found {
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
        edits: diagnostic.edits.iter().map(|Edit { span, text }| TextChange { place: places.span(*span), text: text.clone() }).collect(),
    }
}

/// A mistake that has been drawn, `error: NAME:LINE:COLUMN: message`, at its line.
#[cfg(feature = "nets")]
fn drawn(mistake: &str, name: &str, text: &str) -> Found {
    let first = mistake.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let placed = first.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')).and_then(|rest| {
        let mut parts = rest.splitn(3, ':');
        let (line, _, message) = (parts.next()?.parse::<usize>().ok()?, parts.next()?, parts.next()?);
        Some((line, message.trim_start()))
    });
    let (line, message) = placed.unwrap_or((1, first));
    let units = |line: &str| line.encode_utf16().count();
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(units).sum();
    let length = text.split_inclusive('\n').nth(line.saturating_sub(1)).map_or(0, |line| units(line.trim_end()));
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
        edits: Vec::new(),
    }
}

pub(crate) fn analyze(asked: &ModuleRequest) -> Result<String, Unanswered> {
    let kind = asked.text_kind()?;
    let places = UnitPlaces::new(&asked.text);
    let all = |diagnostics: &[Diagnostic]| diagnostics.iter().map(|one| found(one, &places)).collect::<Vec<_>>();
    let mut analyzed = Analyzed { kind: kind.ending(), diagnostics: Vec::new(), tokens: Vec::new(), hover: None, proposals: Vec::new() };
    match kind {
        TextKind::Program => analyzed.program(asked, &places),
        TextKind::System => match read(&asked.text, kind) {
            Some(Ok(input)) => analyzed.diagnostics = all(&input.warnings),
            Some(Err(mistakes)) => analyzed.diagnostics = all(&mistakes.diagnostics),
            None => {}
        },
        #[cfg(feature = "weak-memory")]
        TextKind::WeakMemory(syntax) => {
            if let Err((_, diagnostics)) = serval::tso::TsoInput::read_as(asked.text.clone(), syntax) {
                analyzed.diagnostics = all(&diagnostics);
            }
        }
        #[cfg(feature = "nets")]
        TextKind::Net(notation) => {
            if let Some(Err(mistake)) = crate::nets::read(asked, notation) {
                analyzed.diagnostics = vec![drawn(&mistake, &asked.file(kind), &asked.text)];
            }
        }
    }
    json(&analyzed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_utf_16() {
        let text = "aé𝄞z";
        let places = UnitPlaces::new(text);
        let expected: Vec<usize> = text.char_indices().map(|(at, _)| text[..at].encode_utf16().count()).collect();
        let found: Vec<usize> = text.char_indices().map(|(at, _)| places.of(at)).collect();
        assert_eq!(found, expected);
        assert_eq!(places.of(usize::MAX), text.encode_utf16().count());
        let back: Vec<usize> = expected.iter().map(|&unit| usize::try_from(places.byte(unit)).unwrap_or(usize::MAX)).collect();
        assert_eq!(back, text.char_indices().map(|(at, _)| at).collect::<Vec<_>>());
    }
}
