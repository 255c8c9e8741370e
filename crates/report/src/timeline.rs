//! A counterexample as a table: a column for each request, a row for each step.
//!
//! `➜` is a read, `=` a write, `*` a global that changed. Only what changed is
//! shown, but no read or write of a global is left out. Where the columns do
//! not fit, the same is told line by line.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::counterexample::{Counterexample, StateValues};
use crate::escape::line;
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

/// More requests than these share columns, one for each kind.
const MOST_COLUMNS: usize = 6;

/// The table; `None` where it does not fit. A column for each request, or for
/// each kind of request where there are many or the columns do not fit.
pub(crate) fn table(run: &Counterexample, look: Look) -> Option<String> {
    let single = (run.requests.len() <= MOST_COLUMNS).then(|| draw(&columns_of_requests(run), run, look)).flatten();
    single.or_else(|| draw(&columns_of_kinds(run), run, look))
}

/// Which column a request has, and what stands above it.
struct Columns {
    heads: Vec<String>,
    column: BTreeMap<u32, usize>,
    /// Whether a cell has to say whose it is.
    shared: bool,
}

fn columns_of_requests(run: &Counterexample) -> Columns {
    Columns {
        heads: run.requests.iter().map(|request| format!("{} #{}", request.request, request.id)).collect(),
        column: run.requests.iter().enumerate().map(|(index, request)| (request.id, index)).collect(),
        shared: false,
    }
}

fn columns_of_kinds(run: &Counterexample) -> Columns {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    let mut column = BTreeMap::new();
    for answered in &run.requests {
        let index = kinds.iter().position(|(kind, _)| *kind == answered.request).unwrap_or_else(|| {
            kinds.push((&answered.request, 0));
            kinds.len() - 1
        });
        kinds[index].1 += 1;
        column.insert(answered.id, index);
    }
    let head = |(kind, count): (&str, usize)| if count == 1 { kind.to_owned() } else { format!("{kind} × {count}") };
    Columns { heads: kinds.into_iter().map(head).collect(), column, shared: true }
}

fn rows(columns: &Columns, run: &Counterexample, look: Look) -> Option<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut number = 0;
    for event in &run.steps {
        let (id, cell, globals) = match event {
            TraceEvent::Spawn { .. } => continue,
            TraceEvent::Respond { id, response, .. } => (*id, vec![format!("returns {response}")], Vec::new()),
            TraceEvent::Step { id, from, to, accesses, .. } => {
                number += 1;
                let cell = match accesses {
                    Some(_) => accesses_of(event, look),
                    None => vec![format!("{} {} {}", from.local, arrow(look), to.local)],
                };
                (*id, cell, changes(run, &from.global, &to.global, number == 1, look))
            }
        };
        let step = matches!(event, TraceEvent::Step { .. }).then_some(number);
        let column = *columns.column.get(&id)?;
        // Where many do the same one after the other, one row tells it.
        match rows.last_mut().filter(|last| columns.shared && last.takes(column, step, &cell, &globals)) {
            Some(last) => {
                last.ids.push(id);
                last.steps = last.steps.zip(step).map(|((first, _), now)| (first, now));
            }
            None => rows.push(Row { steps: step.map(|step| (step, step)), ids: vec![id], column, cell, globals }),
        }
    }
    if columns.shared {
        for row in &mut rows {
            let who = numbers(&row.ids);
            match row.cell.first_mut() {
                Some(first) => *first = format!("{who} {first}"),
                None => row.cell.push(who),
            }
        }
    }
    Some(rows)
}

/// `#3`, `#1 #2 #5`, `#1 to #9`
fn numbers(ids: &[u32]) -> String {
    let in_a_row = ids.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    match ids {
        [first, .., last] if in_a_row && ids.len() > 2 => format!("#{first} to #{last}"),
        _ => ids.iter().map(|id| format!("#{id}")).collect::<Vec<_>>().join(" "),
    }
}

fn draw(columns: &Columns, run: &Counterexample, look: Look) -> Option<String> {
    let rows = rows(columns, run, look)?;
    let mut widths: Vec<usize> = columns.heads.iter().map(|head| head.chars().count()).collect();
    for row in &rows {
        let widest = row.cell.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        widths[row.column] = widths[row.column].max(widest);
    }
    let last = rows.iter().flat_map(|row| &row.globals).map(|line| line.chars().count()).chain(["globals".len()]).max().unwrap_or(0);
    let steps: Vec<String> = rows.iter().map(Row::number).collect();
    let first = steps.iter().map(|number| number.chars().count()).chain([4]).max().unwrap_or(4);
    let total = 3 + first + widths.iter().map(|width| width + 3).sum::<usize>() + last + 2;
    if total > look.width {
        return None;
    }
    let mut out = String::new();
    let line = |out: &mut String, step: &str, cells: &[&str], globals: &str| {
        let _ = write!(out, "  {step:>first$} |");
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(out, " {cell}{} |", " ".repeat(width - cell.chars().count()));
        }
        let _ = write!(out, " {globals}");
        out.truncate(out.trim_end().len());
        out.push('\n');
    };
    let names: Vec<&str> = columns.heads.iter().map(String::as_str).collect();
    line(&mut out, "step", &names, "globals");
    let rule: String = widths.iter().map(|width| format!("{}+", "-".repeat(width + 2))).collect();
    let _ = writeln!(out, "  {}+{rule}{}", "-".repeat(first + 1), "-".repeat(last + 1));
    for (row, number) in rows.iter().zip(&steps) {
        for index in 0..row.cell.len().max(row.globals.len()).max(1) {
            let mut cells = vec![""; widths.len()];
            cells[row.column] = row.cell.get(index).map_or("", String::as_str);
            let number = if index == 0 { number.as_str() } else { "" };
            line(&mut out, number, &cells, row.globals.get(index).map_or("", String::as_str));
        }
    }
    Some(out)
}

struct Row {
    /// The first and the last step that it tells of; none for an answer.
    steps: Option<(usize, usize)>,
    /// Whose steps.
    ids: Vec<u32>,
    column: usize,
    cell: Vec<String>,
    globals: Vec<String>,
}

impl Row {
    /// Whether one more step of the same kind can be told in this row.
    fn takes(&self, column: usize, step: Option<usize>, cell: &[String], globals: &[String]) -> bool {
        self.column == column && self.steps.is_some() == step.is_some() && self.cell == cell && globals.is_empty()
    }

    fn number(&self) -> String {
        match self.steps {
            Some((first, last)) if first < last => format!("{first}–{last}"),
            Some((first, _)) => first.to_string(),
            None => String::new(),
        }
    }
}

fn arrow(look: Look) -> &'static str {
    if look.ascii { "->" } else { "→" }
}

/// What a step reads and writes, a line each.
pub(crate) fn accesses_of(event: &TraceEvent, look: Look) -> Vec<String> {
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
pub(crate) fn changes(run: &Counterexample, before: &str, after: &str, all: bool, look: Look) -> Vec<String> {
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
pub(crate) fn excerpt(text: &str, notes: &BTreeMap<u32, &'static str>) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    // Comments make way for what is said here.
    let code = |text: &str| line(&text.split("//").next().unwrap_or_default().trim_end().replace('\t', "    ")).into_owned();
    let shown: Vec<(u32, String, &str)> =
        notes.iter().filter_map(|(&line, &note)| Some((line, code(lines.get((line as usize).checked_sub(1)?)?), note))).collect();
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

/// What there is to say about the lines that matter.
pub(crate) fn line_notes(run: &Counterexample, why: &Why) -> BTreeMap<u32, &'static str> {
    let in_cycle = |id: u32| why.edges.iter().any(|edge| edge.from == id);
    let mut notes: BTreeMap<u32, &'static str> = BTreeMap::new();
    for edge in &why.edges {
        let note = match (edge.first.writes, edge.second.writes) {
            (true, true) => "<- overwrites what another request wrote",
            (true, false) => "<- reads what another request wrote",
            (false, _) => "<- changes what another request has read",
        };
        let said = notes.entry(edge.second.span[0]).or_insert(note);
        if said.is_empty() {
            *said = note;
        }
        notes.entry(edge.first.span[0]).or_insert("");
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
    notes
}
