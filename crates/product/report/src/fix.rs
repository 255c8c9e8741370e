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
    /// Repairs that keep every pause, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptPauses>,
    /// Sets of `yield`s, each by line and column, that can be removed.
    pub alternatives: Vec<Vec<[u32; 2]>>,
    /// For each, the lines that are one step then, the first and the last of each stretch: for people.
    #[serde(skip)]
    pub steps: Vec<Vec<[u32; 2]>>,
    /// The change of each, as by `diff -u`, without the names of files: for people.
    #[serde(skip)]
    pub diffs: Vec<String>,
    /// The changed text of each: for who offers to write it.
    #[serde(skip)]
    pub texts: Vec<String>,
    /// Whether no smaller set will do.
    pub smallest: bool,
    /// Whether it is about the order in time: what is fixed is strict.
    #[serde(skip)]
    pub strict: bool,
    /// Why there is no fix, or why that is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl FixHint {
    /// What to do, in the order of the changed texts: repairs that keep every pause, then sets of `yield`s.
    pub fn orders(&self) -> Vec<String> {
        let removal = |set: &Vec<[u32; 2]>| format!("remove {}", lines(set));
        self.kept.iter().map(KeptPauses::order).chain(self.alternatives.iter().map(removal)).collect()
    }

    /// Lines for people, one for each proposal.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut found: Vec<String> = self.kept.iter().map(KeptPauses::order).collect();
        if !found.is_empty() {
            found.extend(self.removals());
        }
        match found.as_slice() {
            [] => return vec![self.line()],
            [only] => return vec![format!("{only}: then {} (proved)", self.then())],
            _ => {}
        }
        let or = |(number, line): (usize, String)| if number == 0 { line } else { format!("or {line}") };
        let last = format!("each of the {} makes it {} (proved)", found.len(), self.then());
        found.into_iter().enumerate().map(or).chain([last]).collect()
    }

    /// What it is then.
    fn then(&self) -> &'static str {
        if self.strict { "strict" } else { "serializable" }
    }

    /// What is removed, in words.
    fn removals(&self) -> Option<String> {
        let (first, rest) = self.alternatives.split_first()?;
        let other = rest.iter().map(|set| format!(", or {}", lines(set))).collect::<String>();
        let order = match self.steps.first().and_then(|steps| stretches(steps)) {
            Some(step) => format!("make one step of {step}, without"),
            None => "remove".to_owned(),
        };
        Some(format!("{order} {}{other}", lines(first)))
    }

    /// What is said about removing.
    fn line(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or_default();
        match (self.outcome, self.removals()) {
            (Fixable::Found, Some(removals)) => {
                let fewer = if self.smallest { "" } else { "; may not be the smallest" };
                format!("{removals}: then {} (proved{fewer})", self.then())
            }
            (Fixable::None, _) => format!("none by removing yields: {reason}"),
            _ => format!("undecided: {reason}"),
        }
    }
}

/// `lines 4 to 7`, `lines 4 to 7 and lines 11 to 12`; nothing for none.
fn stretches(steps: &[[u32; 2]]) -> Option<String> {
    let mut sorted = steps.to_vec();
    sorted.sort_unstable();
    let mut merged: Vec<[u32; 2]> = Vec::new();
    for [from, to] in sorted {
        match merged.last_mut() {
            Some(last) if from <= last[1] => last[1] = last[1].max(to),
            _ => merged.push([from, to]),
        }
    }
    let one = |[from, to]: &[u32; 2]| if from == to { format!("line {from}") } else { format!("lines {from} to {to}") };
    (!merged.is_empty()).then(|| listed(&merged.iter().map(one).collect::<Vec<_>>()))
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
        /// The lines that are one step then, the first and the last of each stretch; nothing where that is not known.
        #[serde(skip)]
        steps: Vec<[u32; 2]>,
    },
    /// Requests run under a lock.
    Lock {
        /// Its name.
        lock: String,
        /// Their names.
        requests: Vec<String>,
    },
    /// Every pause stays.
    Keep(KeptPauses),
}

/// A repair that keeps every pause.
#[derive(Clone, Debug, Serialize)]
pub struct KeptPauses {
    /// Its name for machines.
    pub kind: &'static str,
    /// What is done, one for each place.
    pub changes: Vec<String>,
    /// Answers that are given at any time then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<OfferedRefusal>,
    /// The lock, if that is what is done, and the requests that take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// The requests that take the lock.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
}

/// An answer that a request may give at any time.
#[derive(Clone, Debug, Serialize)]
pub struct OfferedRefusal {
    /// Its name, without parameters.
    pub request: String,
    /// The answer.
    pub answer: String,
}

impl KeptPauses {
    /// What to do.
    fn order(&self) -> String {
        listed(&self.changes)
    }

    /// The same as it is shown to people.
    pub(crate) fn shown(&self) -> Self {
        let lines = |texts: &[String]| texts.iter().map(|text| line(text).into_owned()).collect();
        Self { changes: lines(&self.changes), ..self.clone() }
    }
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
            Self::Remove { yields, requests, steps } => match stretches(steps) {
                Some(lines) => format!("make one step of {lines}, without {}", words(yields, requests)),
                None => format!("remove {}", words(yields, requests)),
            },
            Self::Lock { lock, requests } => format!("run {} under the lock {lock}", listed(requests)),
            Self::Keep(kept) => kept.order(),
        }
    }

    /// What would be the case.
    fn condition(&self) -> String {
        match self {
            Self::Remove { yields, requests, .. } => format!("without {}", words(yields, requests)),
            Self::Lock { lock, requests } => format!("with {} under the lock {lock}", listed(requests)),
            Self::Keep(kept) => format!("after this change: {}:", kept.order()),
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
            None if self.verdict == Verdict::NotStrict => format!("not strict  {file}"),
            None => format!("not serializable  {file}"),
        };
        let then = if matches!(self.verdict, Verdict::Strict | Verdict::NotStrict) { "strict" } else { "serializable" };
        let _ = match self.fix {
            Fixable::NotNeeded => writeln!(text, "{then}  {file}   nothing to fix, proved"),
            Fixable::Found => writeln!(text, "{wrong}   {}", self.found()),
            Fixable::None => writeln!(text, "{wrong}   no fix: {reason}"),
            Fixable::Unknown if matches!(self.verdict, Verdict::NotSerializable | Verdict::NotStrict | Verdict::Fault) => {
                writeln!(text, "{wrong}   undecided whether there is a fix: {reason}")
            }
            Fixable::Unknown => writeln!(text, "undecided  {file}   {reason}"),
        };
        for (index, fix) in self.fixes.iter().enumerate() {
            let order = fix.what.order();
            let order = line(&order);
            let _ = writeln!(text, "\n{}  {order}: then {then}, proved", index + 1);
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

impl FixReport {
    /// How many fixes there are, and of which kind.
    fn found(&self) -> String {
        let count = self.fixes.len();
        let kept = self.fixes.iter().filter(|fix| matches!(fix.what, What::Keep(_))).count();
        let fixes = counted(count, "fix");
        match (kept, self.smallest) {
            (0, true) => format!("{fixes} (smallest)"),
            (0, false) => format!("{fixes}, which may not be the smallest"),
            _ if kept == 1 && count == 1 => format!("{fixes}, which keeps every pause"),
            _ if kept == count => format!("{fixes}, which keep every pause"),
            (1, _) => format!("{fixes}, the first of which keeps every pause"),
            _ => format!("{fixes}, the first {kept} of which keep every pause"),
        }
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
        let what = What::Remove {
            yields: vec![[4, 3], [10, 3]],
            requests: vec![vec!["flip".to_owned()], vec!["turn".to_owned()]],
            steps: vec![[3, 5], [9, 11]],
        };
        let fix = OfferedFix { what, verified: true, diff: "@@ -4 +4 @@\n-  yield;\n".to_owned() };
        let found = FixReport::new("a.ser", Verdict::NotSerializable, Fixable::Found);
        let report = FixReport { fixes: vec![fix], ..found };
        assert_eq!(
            report.to_text(true),
            "not serializable  a.ser   1 fix, which may not be the smallest\n\n\
             1  make one step of lines 3 to 5 and lines 9 to 11, without the yield on line 4 (flip) and the yield on line 10 \
             (turn): then serializable, proved\n\
             --- a.ser\n+++ a.ser\n@@ -4 +4 @@\n-  yield;\n"
        );
        let hint = FixHint {
            outcome: Fixable::Found,
            kept: Vec::new(),
            alternatives: vec![vec![[4, 3], [10, 3]]],
            steps: vec![vec![[3, 5]]],
            diffs: Vec::new(),
            texts: Vec::new(),
            strict: false,
            smallest: false,
            reason: None,
        };
        assert_eq!(
            hint.line(),
            "make one step of lines 3 to 5, without the yields on lines 4 and 10: then serializable (proved; may not be the smallest)"
        );
    }
}
