//! Files with parts that are not modelled: nothing is decided about them, and each part is named.
//!
//! A request, a timer or a listener that is left out could change what the others find, so that a file with one that is
//! not modelled is undecided as a whole. Only where the caller names the requests that there are is the rest decided,
//! and then the verdict says what was left out.

use serde_json::{Value, json};
use serval_diagnostic::{LineIndex, Span, counted};
use serval_handlers::{NoProgram, NotModelled};
use serval_syntax::{Code, Diagnostic};

/// The code of what is not modelled.
const OUTSIDE: Code = Code("E0803");

/// Why a file that can be read is not one that can be decided about.
#[derive(Clone, Debug)]
pub enum NoHandlers {
    /// There is nothing to decide, or what is asked for is not there.
    Mistakes(Vec<Diagnostic>),
    /// Parts of it are not modelled.
    Outside(Outside),
}

/// What is not modelled in a file.
#[derive(Clone, Debug)]
pub struct Outside {
    parts: Vec<OutsidePart>,
    /// The requests that have no such part.
    others: Vec<String>,
    diagnostics: Vec<Diagnostic>,
}

/// A part of a file that is not modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsidePart {
    /// The request that comes to it; nothing where the module does.
    pub request: Option<String>,
    /// Its line and column and those behind it, from 1, if it has a place.
    pub place: Option<[u32; 4]>,
    /// What it is.
    pub what: String,
    /// What would do instead.
    pub help: String,
}

impl NoHandlers {
    pub(super) fn new(why: NoProgram, text: &str) -> Self {
        let mistakes: Vec<Diagnostic> = why.parts.iter().filter(|part| part.is_mistake).map(diagnostic).collect();
        if !mistakes.is_empty() {
            return Self::Mistakes(mistakes);
        }
        let lines = LineIndex::new(text);
        let diagnostics = why.parts.iter().map(diagnostic).collect();
        let parts = why.parts.into_iter().map(|NotModelled { what, help, span, request, .. }| {
            let place = (span != Span::default()).then(|| place(&lines, text, span));
            OutsidePart { request, place, what, help }
        });
        Self::Outside(Outside { parts: parts.collect(), others: why.others, diagnostics })
    }

    /// The same as messages about the text.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::Mistakes(list) => list,
            Self::Outside(outside) => outside.diagnostics,
        }
    }
}

fn place(lines: &LineIndex, text: &str, span: Span) -> [u32; 4] {
    let (start, end) = (lines.position(text, span.start), lines.position(text, span.end));
    [start.line, start.column, end.line, end.column]
}

fn diagnostic(why: &NotModelled) -> Diagnostic {
    let of = why.request.as_ref().map_or_else(String::new, |request| format!(", which {request} comes to"));
    let kind = if why.is_mistake { "" } else { "not modelled: " };
    Diagnostic::error(OUTSIDE, why.span, format!("{kind}{}{of}", why.what)).expected("handlers of the subset").help(why.help.clone())
}

impl OutsidePart {
    /// The place, what is not modelled, and which request comes to it.
    pub fn words(&self) -> String {
        let of = self.request.as_ref().map_or_else(String::new, |request| format!(", which {request} comes to"));
        let line = self.place.map_or_else(String::new, |[line, ..]| format!("line {line}: "));
        format!("{line}not modelled: {}{of}", self.what)
    }
}

impl Outside {
    /// All parts, in the order in which they were found.
    pub fn parts(&self) -> &[OutsidePart] {
        &self.parts
    }

    /// The requests of the file that have no such part.
    pub fn others(&self) -> &[String] {
        &self.others
    }

    /// The first part, and how many there are beside it, on one line.
    pub fn why(&self) -> String {
        let first = self.parts.first().map_or_else(|| "no program can be made of it".to_owned(), OutsidePart::words);
        match self.parts.len() {
            0 | 1 => first,
            many => format!("{first}, and {} more", counted(many - 1, "part")),
        }
    }

    /// What decides about the rest, where leaving out is possible at all: requests can be left out, and not the module.
    fn rest(&self) -> Option<String> {
        let is_possible = !self.others.is_empty() && self.parts.iter().all(|part| part.request.is_some());
        is_possible.then(|| format!("`--requests {}` decides about the others alone, and says so", self.others.join(",")))
    }

    /// The verdict and what belongs to it, for people.
    pub fn text(&self, name: &str) -> String {
        let mut out = format!("{name}: undecided: {}\n", self.why());
        for (position, part) in self.parts.iter().enumerate() {
            if position > 0 {
                out.push_str(&format!("  {}\n", part.words()));
            }
            out.push_str(&format!("  instead         {}\n", part.help));
        }
        if let Some(rest) = self.rest() {
            out.push_str(&format!("  the rest        {rest}\n"));
        }
        out
    }

    /// The same for machines.
    pub fn json(&self, name: &str) -> String {
        let mut out = json!({ "schema": 1, "file": name, "verdict": "unknown", "reason": self.why(), "requests": self.others });
        out["not_modelled"] = self.parts_json();
        format!("{out}\n")
    }

    fn parts_json(&self) -> Value {
        let one = |part: &OutsidePart| {
            let mut one = json!({ "what": part.what, "help": part.help });
            if let Some([line, column, end_line, end_column]) = part.place {
                one["place"] = json!({ "line": line, "column": column, "end_line": end_line, "end_column": end_column });
            }
            if let Some(request) = &part.request {
                one["request"] = json!(request);
            }
            one
        };
        Value::Array(self.parts.iter().map(one).collect())
    }
}
