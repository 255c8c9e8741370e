//! Runs of workloads of SQL in a file: who takes part, and which statements come when.
//!
//! ```json
//! {"format": "serval-sql-run", "version": 1, "workload": "…", "settings": "force read committed",
//!  "requests": [{"request": "next", "answer": 1, "gets": "seen = 0"}],
//!  "moves": [{"session": 1, "at": "next.sql:2", "bytes": [120, 163]}]}
//! ```
//!
//! `serval sql replay DIR RUN` performs it on a server.

use serde::{Deserialize, Serialize};

/// A run in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlRun {
    /// The name of the format.
    pub format: String,
    /// Its version.
    pub version: u32,
    /// The fingerprint of the workload.
    pub workload: String,
    /// Bounds and levels that are not in its files, line by line.
    pub settings: String,
    /// Who takes part, a session each.
    pub requests: Vec<SqlRunRequest>,
    /// What they do, in order.
    pub moves: Vec<SqlRunMove>,
}

/// A request of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlRunRequest {
    /// Its name.
    pub request: String,
    /// Its answer, as the number that it is in the program.
    pub answer: i64,
    /// The same in words.
    pub gets: String,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlRunMove {
    /// Whose, from 1.
    pub session: usize,
    /// The statement: file and line.
    pub at: String,
    /// The text that is run, as bytes of the workload.
    pub bytes: [u32; 2],
}

const FORMAT: &str = "serval-sql-run";
const VERSION: u32 = 1;

impl SqlRun {
    /// A run of a workload.
    pub fn new(workload: String, settings: String, requests: Vec<SqlRunRequest>, moves: Vec<SqlRunMove>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, workload, settings, requests, moves }
    }

    /// Whether a text says that it is such a run.
    pub fn is_one(text: &str) -> bool {
        text.get(..text.len().min(200)).unwrap_or_default().contains(FORMAT)
    }

    /// Reads a run; else says what is wrong with it, in one line.
    ///
    /// # Errors
    ///
    /// What is wrong, with its place where it has one.
    pub fn read(text: &str) -> Result<Self, String> {
        let run: Self = serde_json::from_str(text).map_err(|error| format!("this is no run of a workload: {error}"))?;
        if run.format != FORMAT || run.version != VERSION {
            return Err(format!("this is {:?}, version {}, and not {FORMAT:?}, version {VERSION}", run.format, run.version));
        }
        if let Some(wrong) = run.moves.iter().find(|one| one.session == 0 || one.session > run.requests.len()) {
            return Err(format!("there is no session {}", wrong.session));
        }
        Ok(run)
    }

    /// As a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
