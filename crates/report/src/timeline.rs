//! A counterexample as a table: a column for each request, a row for each step.
//!
//! `➜` is a read, `=` a write, `*` a global that changed. Only what changed is
//! shown, but no read or write of a global is left out. Where the columns do
//! not fit, the same is told line by line.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::counterexample::{Counterexample, StateValues};
use crate::trace::TraceEvent;
use crate::why::Why;

/// How a text may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// How many characters fit on a line.
    pub width: usize,
    /// Whether only ASCII may be used.
    pub ascii: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { width: 100, ascii: false }
    }
}

impl Look {
    fn reads(self) -> &'static str {
        if self.ascii { "->" } else { "➜" }
    }
}

/// Accesses of one step that are shown at most: a loop can have thousands.
const MOST_ACCESSES: usize = 12;

/// The table; `None` where it does not fit.
pub(crate) fn table(run: &Counterexample, look: Look) -> Option<String> {
    let heads: Vec<String> = run.requests.iter().map(|request| format!("{} #{}", request.request, request.id)).collect();
    let column: BTreeMap<u32, usize> = run.requests.iter().enumerate().map(|(index, request)| (request.id, index)).collect();
    let mut rows: Vec<Row> = Vec::new();
    let mut number = 0;
    for event in &run.steps {
        let row = match event {
            TraceEvent::Spawn { .. } => continue,
            TraceEvent::Respond { id, response, .. } => {
                Row { number: None, column: *column.get(id)?, cell: vec![format!("returns {response}")], globals: Vec::new() }
            }
            TraceEvent::Step { id, from, to, accesses, .. } => {
                number += 1;
                let cell = match accesses {
                    Some(_) => accesses_of(event, look),
                    None => vec![format!("{} {} {}", from.local, arrow(look), to.local)],
                };
                let globals = changes(run, &from.global, &to.global, number == 1, look);
                Row { number: Some(number), column: *column.get(id)?, cell, globals }
            }
        };
        rows.push(row);
    }
    let mut widths: Vec<usize> = heads.iter().map(|head| head.chars().count()).collect();
    for row in &rows {
        let widest = row.cell.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        widths[row.column] = widths[row.column].max(widest);
    }
    let last = rows.iter().flat_map(|row| &row.globals).map(|line| line.chars().count()).chain(["globals".len()]).max().unwrap_or(0);
    let total = 7 + widths.iter().map(|width| width + 3).sum::<usize>() + last + 2;
    if total > look.width {
        return None;
    }
    let mut out = String::new();
    let line = |out: &mut String, first: &str, cells: &[&str], globals: &str| {
        let _ = write!(out, "  {first:>4} |");
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(out, " {cell}{} |", " ".repeat(width - cell.chars().count()));
        }
        let _ = write!(out, " {globals}");
        out.truncate(out.trim_end().len());
        out.push('\n');
    };
    let names: Vec<&str> = heads.iter().map(String::as_str).collect();
    line(&mut out, "step", &names, "globals");
    let rule: String = widths.iter().map(|width| format!("{}+", "-".repeat(width + 2))).collect();
    let _ = writeln!(out, "  -----+{rule}{}", "-".repeat(last + 1));
    for row in &rows {
        for index in 0..row.cell.len().max(row.globals.len()).max(1) {
            let mut cells = vec![""; widths.len()];
            cells[row.column] = row.cell.get(index).map_or("", String::as_str);
            let first = row.number.filter(|_| index == 0).map_or(String::new(), |number| number.to_string());
            line(&mut out, &first, &cells, row.globals.get(index).map_or("", String::as_str));
        }
    }
    Some(out)
}

struct Row {
    number: Option<usize>,
    column: usize,
    cell: Vec<String>,
    globals: Vec<String>,
}

fn arrow(look: Look) -> &'static str {
    if look.ascii { "->" } else { "→" }
}

/// What a step reads and writes, a line each.
fn accesses_of(event: &TraceEvent, look: Look) -> Vec<String> {
    let TraceEvent::Step { accesses: Some(accesses), .. } = event else { return Vec::new() };
    let mut lines: Vec<String> = Vec::new();
    for access in accesses {
        let sign = if access.op == "write" { "=" } else { look.reads() };
        let line = format!("{} {sign} {}", access.var, access.value);
        // A loop can read the same value a thousand times.
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    if lines.len() > MOST_ACCESSES {
        let more = lines.len() - MOST_ACCESSES;
        lines.truncate(MOST_ACCESSES);
        lines.push(format!("{more} more"));
    }
    lines
}

/// The globals that a step changes; in the beginning, all.
fn changes(run: &Counterexample, before: &str, after: &str, all: bool, look: Look) -> Vec<String> {
    let values = |name: &str| match run.states.states.get(name) {
        Some(StateValues::Global(values)) => Some(values),
        _ => None,
    };
    let (Some(old), Some(new)) = (values(before), values(after)) else {
        return if before == after && !all { Vec::new() } else { vec![format!("{before} {} {after}", arrow(look))] };
    };
    let mut lines = Vec::new();
    for (name, value) in new {
        let changed = old.get(name) != Some(value);
        if changed || all {
            lines.push(format!("{name} = {value}{}", if changed { " *" } else { "" }));
        }
    }
    lines
}

/// The lines of the text that matter: those of the conflicts, and the `yield`s
/// at which a request waited while another one of the cycle moved.
pub(crate) fn excerpt(text: &str, run: &Counterexample, why: &Why) -> Vec<String> {
    let in_cycle = |id: u32| why.edges.iter().any(|edge| edge.from == id);
    let mut notes: BTreeMap<u32, &'static str> = BTreeMap::new();
    for edge in &why.edges {
        for side in [&edge.first, &edge.second] {
            notes.entry(side.span[0]).or_insert("");
        }
    }
    for (position, event) in run.steps.iter().enumerate() {
        let TraceEvent::Step { id, to, .. } = event else { continue };
        let moved = |later: &TraceEvent| matches!(later, TraceEvent::Step { id: other, .. } if other == id);
        let rest = &run.steps[position + 1..];
        let Some(next) = rest.iter().position(moved) else { continue };
        let interrupted = rest[..next].iter().any(|later| matches!(later, TraceEvent::Step { id: other, .. } if in_cycle(*other)));
        if let Some(StateValues::Local(waits)) = run.states.states.get(&to.local).filter(|_| in_cycle(*id) && interrupted) {
            notes.insert(waits.at[0], "<- another request can run here");
        }
    }
    let lines: Vec<&str> = text.lines().collect();
    let shown: Vec<(u32, &str, &str)> = notes
        .into_iter()
        .filter_map(|(line, note)| Some((line, *lines.get((line as usize).checked_sub(1)?)?, note)))
        .map(|(line, text, note)| (line, text.trim_end(), note))
        .collect();
    let width = shown.iter().filter(|(_, _, note)| !note.is_empty()).map(|(_, text, _)| text.chars().count()).max().unwrap_or(0);
    let digits = shown.last().map_or(1, |(line, _, _)| line.to_string().len());
    shown
        .into_iter()
        .map(|(line, text, note)| {
            let gap = if note.is_empty() { String::new() } else { " ".repeat(width.saturating_sub(text.chars().count()) + 3) };
            format!("{line:digits$} | {text}{gap}{note}")
        })
        .collect()
}
