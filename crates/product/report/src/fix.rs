//! What `serval fix` says about a file: for machines as one line of JSON, for
//! people as text.

use std::fmt::Write;

use serde::Serialize;

use serval_diagnostic::counted;

use crate::Verdict;
use crate::escape::{self, line, name};

/// Whether there is a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fixable {
    /// The file is serializable as it is.
    NotNeeded,
    /// There is at least one.
    Found,
    /// There is none.
    None,
    /// Undecided.
    Unknown,
}

/// What a report on a counterexample says about fixes.
#[derive(Clone, Debug, Serialize)]
pub struct FixHint {
    /// Whether there is a fix.
    pub outcome: Fixable,
    /// Sets of `yield`s, each by line and column, that can be removed.
    pub alternatives: Vec<Vec<[u32; 2]>>,
    /// The change of each, as by `diff -u`, without the names of files: for people.
    #[serde(skip)]
    pub diffs: Vec<String>,
    /// Whether no smaller set will do.
    pub smallest: bool,
    /// Why there is no fix, or why that is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl FixHint {
    /// One line for people.
    pub(crate) fn line(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or_default();
        match (self.outcome, self.alternatives.as_slice()) {
            (Fixable::Found, [first, rest @ ..]) => {
                let other = rest.iter().map(|set| format!(", or {}", lines(set))).collect::<String>();
                let fewer = if self.smallest { "" } else { "; may not be the smallest" };
                format!("remove {}{other}: then serializable (proved{fewer})", lines(first))
            }
            (Fixable::None, _) => format!("none by removing yields: {reason}"),
            _ => format!("undecided: {reason}"),
        }
    }
}

/// `the yield on line 4`, `the yields on lines 4, 9 and 12`
pub(crate) fn lines(yields: &[[u32; 2]]) -> String {
    match yields {
        [[line, _]] => format!("the yield on line {line}"),
        _ => {
            let places: Vec<String> = yields.iter().map(|one| place(one, yields)).collect();
            format!("the yields on lines {}", listed(&places))
        }
    }
}

/// The line; where two stand on it, with the column.
fn place([line, column]: &[u32; 2], among: &[[u32; 2]]) -> String {
    let alone = among.iter().filter(|other| other[0] == *line).count() <= 1;
    if alone { line.to_string() } else { format!("{line}, column {column}") }
}

/// `a, b and c`
fn listed(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}

/// Everything about one file.
#[derive(Clone, Debug, Serialize)]
pub struct FixReport {
    /// The version of this form.
    pub schema: u32,
    /// The file, as it was named.
    pub file: String,
    /// Whether it is serializable as it is.
    pub verdict: Verdict,
    /// Whether there is a fix.
    pub fix: Fixable,
    /// The fixes, in the order of their numbers.
    pub fixes: Vec<OfferedFix>,
    /// Whether no smaller fix exists.
    pub smallest: bool,
    /// Sets that would do but for the harm they do.
    pub refused: Vec<RefusedFix>,
    /// What fails in some run, where that is what is wrong with the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Why there is no fix, or what stopped the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A change.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum What {
    /// `yield`s are removed.
    Remove {
        /// Line and column of each.
        yields: Vec<[u32; 2]>,
        /// For each, the requests that come to it.
        #[serde(skip)]
        requests: Vec<Vec<String>>,
    },
    /// Requests run under a lock.
    Lock {
        /// Its name.
        lock: String,
        /// Their names.
        requests: Vec<String>,
    },
}

/// A change that is offered.
#[derive(Clone, Debug, Serialize)]
pub struct OfferedFix {
    /// What is changed.
    #[serde(flatten)]
    pub what: What,
    /// Whether the checker has accepted a proof for the changed text.
    pub verified: bool,
    /// The change, as by `diff -u`, without the names of files.
    pub diff: String,
}

/// A change that is not offered.
#[derive(Clone, Debug, Serialize)]
pub struct RefusedFix {
    /// What would be changed.
    #[serde(flatten)]
    pub what: What,
    /// What would happen then.
    pub why: String,
}

impl What {
    /// What to do.
    fn order(&self) -> String {
        match self {
            Self::Remove { yields, requests } => format!("remove {}", words(yields, requests)),
            Self::Lock { lock, requests } => format!("run {} under the lock {lock}", listed(requests)),
        }
    }

    /// What would be the case.
    fn condition(&self) -> String {
        match self {
            Self::Remove { yields, requests } => format!("without {}", words(yields, requests)),
            Self::Lock { lock, requests } => format!("with {} under the lock {lock}", listed(requests)),
        }
    }
}

/// Sets that are not offered and told to people.
const TOLD: usize = 5;

impl FixReport {
    /// A report that says nothing more than this.
    pub fn new(file: &str, verdict: Verdict, fix: Fixable) -> Self {
        Self {
            schema: 1,
            file: file.to_owned(),
            verdict,
            fix,
            fixes: Vec::new(),
            smallest: false,
            refused: Vec::new(),
            fault: None,
            reason: None,
        }
    }

    /// One line of JSON.
    pub fn to_json(&self) -> String {
        // Strings and numbers always have a form in JSON.
        let mut line = escape::json(serde_json::to_string(self).unwrap_or_default());
        line.push('\n');
        line
    }

    /// The text for people; with the changes that are offered if `diffs` says so.
    pub fn to_text(&self, diffs: bool) -> String {
        let mut text = String::new();
        let file = name(&self.file);
        let reason = line(self.reason.as_deref().unwrap_or_default());
        let wrong = match &self.fault {
            Some(message) => format!("can fail  {file}   {}", line(message)),
            None => format!("not serializable  {file}"),
        };
        let _ = match self.fix {
            Fixable::NotNeeded => writeln!(text, "serializable  {file}   nothing to fix, proved"),
            Fixable::Found => writeln!(text, "{wrong}   {}", found(self.fixes.len(), self.smallest)),
            Fixable::None => writeln!(text, "{wrong}   no fix: {reason}"),
            Fixable::Unknown if matches!(self.verdict, Verdict::NotSerializable | Verdict::Fault) => {
                writeln!(text, "{wrong}   undecided whether there is a fix: {reason}")
            }
            Fixable::Unknown => writeln!(text, "undecided  {file}   {reason}"),
        };
        for (index, fix) in self.fixes.iter().enumerate() {
            let _ = writeln!(text, "\n{}  {}: then serializable, proved", index + 1, fix.what.order());
            if diffs {
                let _ = write!(text, "--- {file}\n+++ {file}\n{}", escape::lines(&fix.diff));
            }
        }
        if !self.refused.is_empty() {
            text.push('\n');
        }
        for refused in self.refused.iter().take(TOLD) {
            let _ = writeln!(text, "not offered: {} {}", refused.what.condition(), line(&refused.why));
        }
        if self.refused.len() > TOLD {
            let _ = writeln!(text, "not offered: {} more", self.refused.len() - TOLD);
        }
        text
    }
}

fn found(count: usize, smallest: bool) -> String {
    match (count, smallest) {
        (1, true) => "1 fix (smallest)".to_owned(),
        (_, true) => format!("{} (smallest)", counted(count, "fix")),
        (1, false) => "1 fix, which may not be the smallest".to_owned(),
        (_, false) => format!("{}, which may not be the smallest", counted(count, "fix")),
    }
}

/// `the yield on line 4 (withdraw) and the yield on line 9 (deposit)`
fn words(yields: &[[u32; 2]], requests: &[Vec<String>]) -> String {
    let one = |(index, at): (usize, &[u32; 2])| {
        let names = requests.get(index).map(|names| names.join(", ")).unwrap_or_default();
        format!("the yield on line {} ({names})", place(at, yields))
    };
    listed(&yields.iter().enumerate().map(one).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_too_much_is_offered_with_a_label() {
        let what = What::Remove { yields: vec![[4, 3], [10, 3]], requests: vec![vec!["flip".to_owned()], vec!["turn".to_owned()]] };
        let fix = OfferedFix { what, verified: true, diff: "@@ -4 +4 @@\n-  yield;\n".to_owned() };
        let found = FixReport::new("a.ser", Verdict::NotSerializable, Fixable::Found);
        let report = FixReport { fixes: vec![fix], ..found };
        assert_eq!(
            report.to_text(true),
            "not serializable  a.ser   1 fix, which may not be the smallest\n\n\
             1  remove the yield on line 4 (flip) and the yield on line 10 (turn): then serializable, proved\n\
             --- a.ser\n+++ a.ser\n@@ -4 +4 @@\n-  yield;\n"
        );
        let hint = FixHint {
            outcome: Fixable::Found,
            alternatives: vec![vec![[4, 3], [10, 3]]],
            diffs: Vec::new(),
            smallest: false,
            reason: None,
        };
        assert_eq!(hint.line(), "remove the yields on lines 4 and 10: then serializable (proved; may not be the smallest)");
    }
}
