//! Texts that are open, and places both ways.

use std::cell::OnceCell;

use serde_json::{Value, json};
use serval_ide::{Diagnostic, Document, Edit, Encoding, LineColumn, LineIndex, Severity, Span, Told};
use serval_report::FileReport;

use crate::kinds::Kind;
use crate::reading::{self, ReadingThread};
use crate::state::State;
use crate::worker::ProvedFix;

/// A text that is open.
pub(crate) struct Open {
    pub(crate) uri: String,
    pub(crate) version: i64,
    pub(crate) kind: &'static Kind,
    text: String,
    lines: LineIndex,
    /// Made when it is asked about.
    document: OnceCell<Document>,
    /// A large text is read on a thread of its own.
    pub(crate) reading: Option<ReadingThread>,
    pub(crate) state: State,
    /// What the last verdict said, be it about this version or one before.
    pub(crate) told: Option<Told>,
    /// The report of this version.
    pub(crate) report: Option<FileReport>,
    /// Proved fixes of this version.
    pub(crate) fixes: Vec<ProvedFix>,
    /// Whether it was changed since its diagnostics were told.
    pub(crate) changed: bool,
}

impl Open {
    pub(crate) fn new(uri: String, version: i64, kind: &'static Kind, text: String) -> Self {
        Self {
            lines: LineIndex::new(&text),
            uri,
            version,
            kind,
            text,
            document: OnceCell::new(),
            reading: None,
            state: State::Stale,
            told: None,
            report: None,
            fixes: Vec::new(),
            changed: true,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is to be read on a thread of its own, and has not been.
    pub(crate) fn is_to_be_read(&self) -> bool {
        self.kind.is_program && reading::is_large(&self.text) && self.document.get().is_none()
    }

    /// The text has been read.
    pub(crate) fn was_read(&mut self, document: Document) {
        self.reading = None;
        if let Err(again) = self.document.set(document) {
            reading::give_back(again);
        }
    }

    /// The text as a program, whatever it is.
    pub(crate) fn document(&self) -> &Document {
        self.document.get_or_init(|| Document::new(&*self.text))
    }

    /// What is wrong with the text, and what else there is to say about it.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        if self.kind.is_program { self.document().diagnostics().to_vec() } else { (self.kind.diagnostics)(&self.text) }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics().iter().any(|one| one.severity == Severity::Error)
    }

    /// Changes the text, a part of it or all of it. What was known about it is about a version before.
    pub(crate) fn change(&mut self, place: Option<Span>, new: &str) {
        match place {
            Some(place) => self.text.replace_range(place.range(), new),
            None => new.clone_into(&mut self.text),
        }
        self.lines = LineIndex::new(&self.text);
        self.reading = None;
        if let Some(before) = self.document.take() {
            reading::give_back(before);
        }
        self.outdated();
    }

    /// What is known is about another version, or under other settings.
    pub(crate) fn outdated(&mut self) {
        self.state = State::Stale;
        self.report = None;
        self.fixes.clear();
        self.changed = true;
    }
}

/// Places of a text in the units of the client.
#[derive(Clone, Copy)]
pub(crate) struct EditorPlaces<'a> {
    text: &'a str,
    lines: &'a LineIndex,
    encoding: Encoding,
}

impl<'a> EditorPlaces<'a> {
    pub(crate) fn of(open: &'a Open, encoding: Encoding) -> Self {
        Self { text: &open.text, lines: &open.lines, encoding }
    }

    /// The units in which the client counts.
    pub(crate) fn encoding(self) -> Encoding {
        self.encoding
    }

    /// The byte at a position; nothing where that is none.
    pub(crate) fn offset(self, position: &Value) -> Option<u32> {
        let number = |name: &str| position[name].as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let place = LineColumn { line: number("line")?, column: number("character")? };
        Some(self.lines.offset(self.text, place, self.encoding))
    }

    /// The bytes of a range; one that ends before it begins is empty.
    pub(crate) fn span(self, range: &Value) -> Option<Span> {
        let (start, end) = (self.offset(&range["start"])?, self.offset(&range["end"])?);
        Some(Span::new(start.min(end), end.max(start)))
    }

    pub(crate) fn position(self, offset: u32) -> Value {
        let place = self.lines.line_column(self.text, offset, self.encoding);
        json!({"line": place.line, "character": place.column})
    }

    pub(crate) fn line_column(self, offset: u32) -> LineColumn {
        self.lines.line_column(self.text, offset, self.encoding)
    }

    pub(crate) fn range(self, span: Span) -> Value {
        json!({"start": self.position(span.start), "end": self.position(span.end)})
    }

    pub(crate) fn edits(self, edits: &[Edit]) -> Value {
        edits.iter().map(|edit| json!({"range": self.range(edit.span), "newText": edit.text})).collect()
    }

    /// The lines of a span, each on its own.
    pub(crate) fn split(self, span: Span) -> impl Iterator<Item = Span> {
        let (first, last) = (self.line_column(span.start).line, self.line_column(span.end).line);
        let part = move |line| {
            let range = self.lines.line_range(self.text, line);
            (range.start.max(span.start), range.end.min(span.end))
        };
        (first..=last).map(part).filter(|(start, end)| start < end).map(|(start, end)| Span::new(start, end))
    }
}
