//! A run as a table: a column for each thread, memory and the stores that wait.

use serde::Serialize;

use crate::escape;

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoEvent {
    /// Whose it is.
    pub thread: usize,
    /// The statement, or that a store reaches memory.
    pub text: String,
    /// The line of the statement, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What it read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    /// Memory afterwards.
    pub memory: Vec<i64>,
    /// For each thread the cells and values of its stores that wait, the oldest first.
    pub buffers: Vec<Vec<(String, i64)>>,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoRun {
    /// The names of the threads.
    pub threads: Vec<String>,
    /// The names of the cells.
    pub cells: Vec<String>,
    /// What happens; steps that access nothing are left out.
    pub events: Vec<TsoEvent>,
}

/// Why one access happens before another; both by their numbers in the table, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TsoEdge {
    /// The first.
    pub from: usize,
    /// The second.
    pub to: usize,
    /// In words.
    pub why: String,
}

/// How long the text of a cell is at most.
const WIDEST: usize = 40;
/// Threads beyond these have no column for their buffer.
const COLUMNS: usize = 6;

pub(super) fn short(text: &str) -> String {
    let text = escape::line(text).into_owned();
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl TsoRun {
    /// The table, a line for each event.
    pub(super) fn lines(&self) -> Vec<String> {
        if self.events.is_empty() {
            return vec!["at the beginning, before anything is read or written".to_owned()];
        }
        let buffers =
            self.threads.len() <= COLUMNS && self.events.iter().any(|event| event.buffers.iter().any(|buffer| !buffer.is_empty()));
        let mut header = vec![String::new()];
        header.extend(self.threads.iter().map(|name| short(name)));
        header.push("memory".to_owned());
        if buffers {
            header.extend(self.threads.iter().map(|name| format!("buffer {}", short(name))));
        }
        let mut rows = vec![header];
        for (number, event) in (1..).zip(&self.events) {
            rows.push(self.row(number, event, buffers));
        }
        let columns = rows[0].len();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())));
            cells.collect::<Vec<_>>().join("   ").trim_end().to_owned()
        };
        rows.iter().map(line).collect()
    }

    fn row(&self, number: usize, event: &TsoEvent, buffers: bool) -> Vec<String> {
        let mut row = vec![format!("{number:>3}")];
        for thread in 0..self.threads.len() {
            row.push(match (thread == event.thread, event.value) {
                (false, _) => "|".to_owned(),
                (true, None) => short(&event.text),
                (true, Some(value)) => format!("{}  → {value}", short(&event.text)),
            });
        }
        let pair = |name: &str, value: i64| format!("{}={value}", short(name));
        row.push(self.cells.iter().zip(&event.memory).map(|(cell, value)| pair(cell, *value)).collect::<Vec<_>>().join(" "));
        if buffers {
            let shown = |buffer: &Vec<(String, i64)>| buffer.iter().map(|(cell, value)| pair(cell, *value)).collect::<Vec<_>>().join(" ");
            row.extend(event.buffers.iter().map(shown));
        }
        row
    }
}
