//! Statements of a run of a workload of SQL, which stand in several files.

use serde::Serialize;

use crate::escape::{line, name};

/// Letters of a statement that stand on one line of a drawing.
const WIDEST: usize = 56;

/// A statement that a session issues in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunStatement {
    /// Whose: the number of the request.
    pub id: u32,
    /// The step of the run that it belongs to, from 0.
    pub step: usize,
    /// The file in which it stands.
    pub file: String,
    /// First line and column, last line and column.
    pub span: [u32; 4],
    /// Its first line where all files stand one below the other.
    #[serde(skip)]
    pub row: u32,
    /// Its text.
    pub statement: String,
    /// What it reads and sets, and what it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
}

impl RunStatement {
    /// Where it stands.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", name(&self.file), self.span[0])
    }

    /// The statement, and behind it what it shows.
    pub(crate) fn line(&self) -> String {
        let shows = if self.shows.is_empty() { String::new() } else { format!("   {}", self.shows.join(", ")) };
        format!("{}{shows}", self.statement)
    }

    /// As it is shown.
    pub(crate) fn shown(&self) -> Self {
        let told = |text: &String| line(text).into_owned();
        Self { statement: told(&self.statement), shows: self.shows.iter().map(told).collect(), ..self.clone() }
    }

    /// Lines for a box: the place, the statement, what it shows.
    pub(crate) fn boxed(&self) -> Vec<String> {
        let mut lines = vec![self.place()];
        let mut open = String::new();
        for word in self.statement.split(' ') {
            if !open.is_empty() && open.chars().count() + 1 + word.chars().count() > WIDEST {
                lines.push(std::mem::take(&mut open));
            }
            if !open.is_empty() {
                open.push(' ');
            }
            open.push_str(word);
        }
        lines.push(open);
        lines.extend(self.shows.iter().cloned());
        lines
    }
}
