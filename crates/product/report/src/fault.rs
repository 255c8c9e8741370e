//! A program that can fail: the run after which a step has no result.

use std::fmt::Write;

use serde::Serialize;

use serval_diagnostic::counted;

use crate::counterexample::{Counterexample, StatesField};
use crate::escape::name;
use crate::parts::Note;
use crate::screen::Look;
use crate::statements::RunStatement;
use crate::timeline::table;
use crate::trace::TraceEvent;

/// A step that fails in some run of the program.
#[derive(Clone, Debug)]
pub struct FaultNote {
    /// The code of the failure, which `serval explain` expands.
    pub code: String,
    /// What fails, in one line.
    pub message: String,
    /// Of a workload of SQL: the file in which the place is.
    pub file: Option<String>,
    /// Where: first line and column, last line and column.
    pub span: [u32; 4],
    /// The number of the request that fails.
    pub id: u32,
    /// Its name.
    pub request: String,
    /// What it takes: `one-request`, `one-at-a-time`, `overlap` or `unknown`.
    pub needs: &'static str,
    /// The same as a sentence.
    pub needs_words: &'static str,
    /// How many of its requests have come and not answered, at most.
    pub at_once: usize,
    /// What to do about it.
    pub help: Option<String>,
    /// The run before the failing step. Its requests are all that came; those that have not
    /// answered have an empty response.
    pub run: Counterexample,
}

#[derive(Serialize)]
struct Fields<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    span: [u32; 4],
    id: u32,
    request: &'a str,
    needs: &'a str,
    at_once: usize,
    requests: Vec<Came<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    component: usize,
    steps: &'a [TraceEvent],
    #[serde(skip_serializing_if = "<[RunStatement]>::is_empty")]
    statements: &'a [RunStatement],
    #[serde(flatten)]
    states: &'a StatesField,
}

/// A request that came, and what it was told if it was.
#[derive(Serialize)]
struct Came<'a> {
    id: u32,
    request: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    response: &'a str,
}

fn is_zero(component: &usize) -> bool {
    *component == 0
}

impl Serialize for FaultNote {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { code, message, file, span, id, request, needs, at_once, run, .. } = self;
        let came = run.requests.iter().map(|one| Came { id: one.id, request: &one.request, response: &one.response });
        let fields = Fields {
            code,
            message,
            file: file.as_deref(),
            span: *span,
            id: *id,
            request,
            needs,
            at_once: *at_once,
            requests: came.collect(),
            component: run.component,
            steps: &run.steps,
            statements: &run.statements,
            states: &run.states,
        };
        fields.serialize(serializer)
    }
}

/// Rows of a table that are shown of its beginning, and of its end, where there are many more.
const SHOWN_ROWS: usize = 12;

/// The table of a long run without most of its rows: a thousand requests that do the same are read by no one.
fn without_middle(table: &str) -> String {
    let lines: Vec<&str> = table.lines().collect();
    let begins = |line: &str| line.split('|').next().is_some_and(|cell| cell.trim().parse::<usize>().is_ok());
    let rows: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| begins(line)).map(|(at, _)| at).collect();
    let Some(left) = rows.len().checked_sub(2 * SHOWN_ROWS).filter(|&left| left > SHOWN_ROWS) else { return table.to_owned() };
    let (first, last) = (rows[SHOWN_ROWS], rows[rows.len() - SHOWN_ROWS]);
    let shown: Vec<&str> = lines[..first].iter().chain(&lines[last..]).copied().collect();
    let before = shown[..first].join("\n");
    format!("{before}\n     … | {} like these; --trace saves them all\n{}\n", counted(left, "more step"), shown[first..].join("\n"))
}

impl FaultNote {
    /// The same among the notes of a report.
    pub fn note(&self) -> Note {
        Note { code: self.code.clone(), severity: "error", message: self.message.clone(), file: self.file.clone(), span: self.span }
    }

    /// Who fails where, and by what.
    pub(crate) fn failing(&self) -> String {
        let line = self.span[0];
        let place = self.file.as_ref().map_or_else(|| format!("on line {line}"), |file| format!("at {}:{line}", name(file)));
        format!("#{} {} {place}: {}", self.id, self.request, self.message)
    }

    /// In one line, what fails and what it takes.
    pub(crate) fn summary(&self) -> String {
        format!("{} fails: {}; {}", self.request, self.message, self.needs_words)
    }

    /// How many requests the run has, where there are several.
    pub(crate) fn size(&self) -> Option<String> {
        let requests = self.run.requests.len();
        (requests > 1).then(|| format!("{} in all, at most {} at a time", counted(requests, "request"), self.at_once))
    }

    /// For people: the run, what fails then, and what it takes.
    pub(crate) fn in_text(&self, out: &mut String, look: Look) {
        out.push('\n');
        if !self.run.steps.iter().all(|event| matches!(event, TraceEvent::Spawn { .. })) {
            match table(&self.run, look) {
                Some(table) => out.push_str(&without_middle(&table)),
                None => {
                    for (position, line) in self.run.story.iter().enumerate() {
                        let _ = writeln!(out, "{:4}  {line}", position + 1);
                    }
                }
            }
            out.push('\n');
        }
        let _ = writeln!(out, "  then fails      {}", self.failing());
        if let Some(size) = self.size() {
            let _ = writeln!(out, "  takes           {size}");
        }
        let _ = writeln!(out, "  needs           {}", self.needs_words);
        if let Some(help) = &self.help {
            let _ = writeln!(out, "  help            {help}");
        }
        let _ = writeln!(out, "  more            serval explain {}", self.code);
    }
}
