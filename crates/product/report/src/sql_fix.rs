//! What `serval sql fix` says about a workload: changes of its files, each with a proof of the changed text.

use std::fmt::Write;

use serde::Serialize;

use serval_diagnostic::counted;

use crate::Verdict;
use crate::escape::{self, line, name};
use crate::fix::Fixable;
use crate::levels::listed;
use crate::screen::Look;

/// The version of the form.
const SQL_FIX_SCHEMA: u32 = 1;

/// Everything about one workload.
#[derive(Clone, Debug, Serialize)]
pub struct SqlFixReport {
    /// The version of this form.
    pub schema: u32,
    /// The workload, as it was named.
    pub workload: String,
    /// What is said about it as it is.
    pub verdict: Verdict,
    /// What is wrong with it, by the name of the anomaly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anomaly: Option<String>,
    /// Whether there is a fix.
    pub fix: Fixable,
    /// The fixes, in the order of their numbers.
    pub fixes: Vec<SqlFix>,
    /// Whether all sets of fewer changes of the kinds that are tried are refuted.
    pub smallest: bool,
    /// How many texts a proof or a run was looked for.
    pub decided: u64,
    /// What the proofs assume.
    pub assumes: Vec<String>,
    /// Why there is no fix, or what stopped the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Changes that are made together.
#[derive(Clone, Debug, Serialize)]
pub struct SqlFix {
    /// What is changed.
    pub changes: Vec<SqlChange>,
    /// Whether the checker has accepted a proof for the changed text.
    pub verified: bool,
    /// The files that change.
    pub files: Vec<SqlFileDiff>,
}

/// One change of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SqlChange {
    /// Its name for machines.
    pub kind: SqlChangeKind,
    /// The script.
    pub script: String,
    /// What is done, in words.
    pub what: String,
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SqlChangeKind {
    /// A SELECT gets FOR UPDATE.
    ForUpdate,
    /// A read and a write become one UPDATE.
    OneUpdate,
    /// A look and an INSERT, or a DELETE and an INSERT, become one INSERT with ON CONFLICT.
    OnConflict,
    /// The row to which others refer is locked first.
    ParentLock,
    /// The rows that are counted or summed up are locked first.
    RowLocks,
    /// The transactions run at another level.
    Level,
}

/// The change of a file.
#[derive(Clone, Debug, Serialize)]
pub struct SqlFileDiff {
    /// The file, by its name in the directory.
    pub file: String,
    /// As by `diff -u`, without the names of files.
    pub diff: String,
}

impl SqlFix {
    /// What to do, in words.
    fn order(&self) -> String {
        listed(&self.changes.iter().map(|change| change.what.as_str()).collect::<Vec<_>>())
    }
}

impl SqlFixReport {
    /// A report that says nothing more than this.
    pub fn new(workload: &str, verdict: Verdict, fix: Fixable) -> Self {
        Self {
            schema: SQL_FIX_SCHEMA,
            workload: workload.to_owned(),
            verdict,
            anomaly: None,
            fix,
            fixes: Vec::new(),
            smallest: false,
            decided: 0,
            assumes: Vec::new(),
            reason: None,
        }
    }

    /// One line of JSON.
    pub fn to_json(&self) -> String {
        // Strings and numbers always have a form in JSON.
        escape::json(serde_json::to_string(self).unwrap_or_default() + "\n")
    }

    /// The line for those who want no more.
    pub fn to_line(&self) -> String {
        let reason = line(self.reason.as_deref().unwrap_or_default()).into_owned();
        let anomaly = self.anomaly.as_ref().map_or_else(String::new, |anomaly| format!("{}   ", line(anomaly)));
        let said = match (self.fix, self.verdict) {
            (Fixable::NotNeeded, Verdict::Assumed) => "nothing to fix, assumed: all run at SERIALIZABLE".to_owned(),
            (Fixable::NotNeeded, _) => "nothing to fix, proved".to_owned(),
            (Fixable::Found, _) if self.smallest => format!("{anomaly}{} (smallest)", counted(self.fixes.len(), "fix")),
            (Fixable::Found, _) => format!("{anomaly}{}, which may not be the smallest", counted(self.fixes.len(), "fix")),
            (Fixable::None, _) => format!("{anomaly}no fix: {reason}"),
            (Fixable::Unknown, Verdict::NotSerializable | Verdict::Fault) => {
                format!("{anomaly}undecided whether there is a fix: {reason}")
            }
            (Fixable::Unknown, _) => reason,
        };
        let verdict = match self.verdict {
            Verdict::NotSerializable => "not serializable",
            Verdict::Fault => "can fail",
            Verdict::Serializable => "serializable",
            Verdict::Assumed => "assumed",
            _ => "undecided",
        };
        format!("{verdict}  {}   {said}\n", name(&self.workload))
    }

    /// The text for people; with the changes that are offered if `diffs` says so.
    pub fn to_text(&self, diffs: bool, look: Look) -> String {
        let mut text = self.to_line();
        for (number, fix) in (1..).zip(&self.fixes) {
            let _ = writeln!(text, "\n{number}  {}: then serializable, proved", line(&fix.order()));
            for SqlFileDiff { file, diff } in fix.files.iter().filter(|_| diffs) {
                let file = format!("{}/{file}", self.workload.trim_end_matches('/'));
                let _ = write!(text, "--- {0}\n+++ {0}\n{1}", name(&file), escape::lines(diff));
            }
        }
        for (position, bound) in self.assumes.iter().filter(|_| !self.fixes.is_empty()).enumerate() {
            let _ = writeln!(text, "{}  bounds          {}", if position == 0 { "\n" } else { "" }, line(bound));
        }
        look.finish(&text)
    }
}
