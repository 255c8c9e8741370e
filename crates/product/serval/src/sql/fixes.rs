//! The smallest changes of scripts after which a workload is serializable.
//!
//! A *change* is one of a few things that an engineer would try: another level for the transactions of a script, FOR
//! UPDATE on a SELECT, a read and a write as one UPDATE, ON CONFLICT instead of a look, locks that are taken first
//! (module `changes`). It is an edit of the files. A set of changes is decided by reading the edited files like any
//! others, so that what is proved is the very text that is written; nothing is concluded from what a change is called.
//! A lock that helps at one level and not at the other is refuted like any other text.
//!
//! **What a change keeps.** Alone, a script does and answers what it did: locks and levels change nothing for a script
//! that runs alone; one UPDATE that returns what was read stores and answers the same, and so does ON CONFLICT, which
//! answers the key where the look answered that there was no row (module `rewrites`). A lock that is taken first
//! answers the keys of the rows that it takes, which a caller may ignore.
//!
//! **The search** goes by the number of changes, and asks *questions* as the search for levels does. **Rule.** A set of
//! changes that is refuted by a run of scripts X is followed by the sets with one more change of a script of X. **No
//! smaller fix is passed over**, as long as no question stays open: let P be a fix from which no change can be taken
//! away, and S a refuted part of it. If P had no further change of a script of X, the run would be one of P, as the
//! other scripts need not come. So P has one, and a set that follows S is a part of P and one step nearer to it. Rows
//! and values are those of all scripts, which changes of other scripts leave as they are, but for columns that are
//! followed only after the change: then a fix may be passed over, and none that is false is ever proposed.
//!
//! **Parts first.** Scripts that have refuted a set before are asked about alone, with the changes that they have now,
//! before the whole is: a few scripts are decided much faster, and a run of them is one of the whole, as above. What is
//! proved of a part is used for nothing but not to ask it again.

mod changes;
mod rewrites;
mod spelled;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serval_report::fix::Fixable;
use serval_report::sql_fix::{SqlFileDiff, SqlFix, SqlFixReport};
use serval_report::{FileReport, Verdict};

use super::{Places, SETTINGS, Workload, WorkloadMistakes, bundle};
use changes::Change;
use text::edited;

/// How many changes are made together at most.
const MOST_CHANGES: usize = 6;
/// For how many texts a proof or a run is looked for at most.
const MOST_QUESTIONS: u64 = 400;
/// About how many parts of texts that is done.
const MOST_PARTS: u64 = 2000;
/// How many fixes are offered.
const MOST_OFFERED: usize = 8;

/// Changes that are made together, by their places in the list.
type ChangeSet = BTreeSet<usize>;

/// A search for fixes.
pub struct FixSearch {
    files: Vec<(String, String)>,
    names: Vec<String>,
    changes: Vec<Change>,
    /// Sets to ask about, by their sizes.
    waiting: BTreeSet<(usize, Vec<usize>)>,
    known: BTreeSet<Vec<usize>>,
    /// Runs: the scripts that take part, and the changes that these have.
    refuted: Vec<(BTreeSet<usize>, ChangeSet)>,
    /// Parts without a run that is known: scripts, and the changes that these have.
    in_vain: BTreeSet<(BTreeSet<usize>, ChangeSet)>,
    proved: Vec<ChangeSet>,
    /// Why sets stayed open, the first one.
    open: Option<String>,
    first: Option<FixAnswer>,
    asked: u64,
    parts_asked: u64,
    decided: u64,
    assumes: Vec<String>,
}

/// A text about which something is to be found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixQuestion {
    changes: ChangeSet,
    /// Only these scripts come; all where none are named.
    scripts: Option<BTreeSet<usize>>,
}

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixAnswer {
    /// It is serializable, with a proof that was checked, if this holds.
    Proved(Vec<String>),
    /// The server guarantees it.
    Assumed,
    /// It is not serializable, or fails; with the name of the anomaly, and the scripts that take part.
    Refuted {
        /// Whether a step fails.
        fault: bool,
        /// The name of the anomaly.
        anomaly: Option<String>,
        /// The places of the scripts of the run.
        scripts: BTreeSet<usize>,
    },
    /// What the changed text says is not modelled, or it cannot be read.
    Unusable,
    /// Undecided, and why.
    Open(String),
}

impl FixSearch {
    /// Begins with the files of a workload.
    pub fn new(files: &[(String, String)]) -> Result<Self, Box<WorkloadMistakes>> {
        let text = bundle(files);
        let read = serval_sql::read(&text);
        let places = Places { bundle: text, files: read.files };
        let Some(workload) = read.workload else {
            return Err(Box::new(WorkloadMistakes { diagnostics: read.diagnostics, places }));
        };
        let names = workload.scripts.iter().map(|script| script.name.clone()).collect();
        let changes = changes::changes(&workload, &places);
        let waiting = BTreeSet::from([(0, Vec::new())]);
        let (known, refuted, in_vain, proved, open, first, assumes) = Default::default();
        let (asked, parts_asked, decided, files) = (0, 0, 0, files.to_vec());
        Ok(Self { files, names, changes, waiting, known, refuted, in_vain, proved, open, first, asked, parts_asked, decided, assumes })
    }

    /// The next question; nothing where all is known.
    pub fn next_question(&mut self) -> Option<FixQuestion> {
        loop {
            if self.asked >= MOST_QUESTIONS {
                return None;
            }
            let (size, changes) = self.waiting.first().cloned()?;
            // A larger set than one that is proved is not smallest.
            if self.proved.len() >= MOST_OFFERED || self.proved.first().is_some_and(|proved| proved.len() < size) {
                return None;
            }
            let set: ChangeSet = changes.iter().copied().collect();
            if let Some(scripts) = self.refuting(&set) {
                self.waiting.remove(&(size, changes));
                self.follow(&set, Some(&scripts));
                continue;
            }
            // The set waits until all its parts are known.
            let scripts = self.untried_part(&set);
            if scripts.is_none() {
                self.waiting.remove(&(size, changes));
            }
            return Some(FixQuestion { changes: set, scripts });
        }
    }

    /// The changes of a set that these scripts have.
    fn of(&self, set: &ChangeSet, scripts: &BTreeSet<usize>) -> ChangeSet {
        set.iter().copied().filter(|change| scripts.contains(&self.changes[*change].script)).collect()
    }

    /// Scripts that refuted other sets, and were not yet asked about with these changes: few of them first.
    fn untried_part(&self, set: &ChangeSet) -> Option<BTreeSet<usize>> {
        if self.parts_asked >= MOST_PARTS {
            return None;
        }
        let is_untried = |scripts: &&BTreeSet<usize>| {
            scripts.len() < self.names.len() && !self.in_vain.contains(&((*scripts).clone(), self.of(set, scripts)))
        };
        self.refuted.iter().map(|(scripts, _)| scripts).filter(is_untried).min_by_key(|scripts| (scripts.len(), *scripts)).cloned()
    }

    /// The scripts of a run that refutes this set.
    fn refuting(&self, set: &ChangeSet) -> Option<BTreeSet<usize>> {
        self.refuted.iter().find(|(scripts, changes)| self.of(set, scripts) == *changes).map(|(scripts, _)| scripts.clone())
    }

    /// Sets with one more change, of these scripts.
    fn follow(&mut self, set: &ChangeSet, scripts: Option<&BTreeSet<usize>>) {
        if set.len() >= MOST_CHANGES {
            return;
        }
        for (index, change) in self.changes.iter().enumerate() {
            let wanted = scripts.is_none_or(|scripts| scripts.contains(&change.script));
            if !wanted || set.iter().any(|other| *other == index || !self.changes[*other].goes_with(change)) {
                continue;
            }
            let mut larger: Vec<usize> = set.iter().copied().chain([index]).collect();
            larger.sort_unstable();
            if self.known.insert(larger.clone()) {
                self.waiting.insert((larger.len(), larger));
            }
        }
    }

    /// Takes an answer.
    pub fn answer(&mut self, question: &FixQuestion, answer: FixAnswer) {
        let set = question.changes.clone();
        if let Some(part) = &question.scripts {
            self.parts_asked += 1;
            // The set comes again, and is followed then.
            match answer {
                FixAnswer::Refuted { scripts, .. } if scripts.is_subset(part) => {
                    let changes = self.of(&set, &scripts);
                    self.refuted.push((scripts, changes));
                }
                _ => drop(self.in_vain.insert((part.clone(), self.of(&set, part)))),
            }
            return;
        }
        if set.is_empty() {
            self.first = Some(answer.clone());
        }
        self.asked += 1;
        self.decided += 1;
        match answer {
            FixAnswer::Proved(assumes) => {
                if self.proved.is_empty() {
                    self.assumes = assumes;
                }
                self.proved.push(set);
            }
            // No change makes less than SERIALIZABLE of it.
            FixAnswer::Assumed => {}
            FixAnswer::Refuted { scripts, .. } => {
                let changes = self.of(&set, &scripts);
                self.refuted.push((scripts.clone(), changes));
                self.follow(&set, Some(&scripts));
            }
            FixAnswer::Unusable => {
                self.decided -= 1;
                self.follow(&set, None);
            }
            // What cannot be decided as it is has no fix that is smallest.
            FixAnswer::Open(_) if set.is_empty() => {}
            FixAnswer::Open(reason) => {
                self.open.get_or_insert(reason);
                self.follow(&set, None);
            }
        }
    }

    /// What the question is about: the workload with these changes.
    pub fn workload(&self, question: &FixQuestion) -> Result<Workload, Box<WorkloadMistakes>> {
        let mut files = self.files_with(&question.changes);
        if let Some(scripts) = &question.scripts {
            let others = self.names.iter().enumerate().filter(|(script, _)| !scripts.contains(script));
            let lines: Vec<String> = others.map(|(_, name)| format!("without {name}")).collect();
            super::with_settings(&mut files, &lines.join("\n"));
        }
        Workload::read(&files)
    }

    /// What a report says to a question.
    pub fn answer_of(&self, report: &FileReport) -> FixAnswer {
        fix_answer(&self.names, report)
    }

    /// The names of the scripts.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How far the search is.
    pub fn progress(&self) -> String {
        format!("{} of at most {MOST_QUESTIONS} texts looked at", self.asked)
    }

    fn files_with(&self, set: &ChangeSet) -> Vec<(String, String)> {
        let mut files = self.files.clone();
        for (name, text) in files.iter_mut().filter(|(name, _)| name != SETTINGS) {
            let edits: Vec<_> = set.iter().flat_map(|change| &self.changes[*change].edits).filter(|edit| edit.file == *name).collect();
            if !edits.is_empty() {
                *text = edited(text, &edits);
            }
        }
        files
    }

    /// The fixes in the order in which they are offered.
    fn offered(&self) -> Vec<&ChangeSet> {
        let rank = |set: &&ChangeSet| -> (usize, Vec<_>) {
            let mut kinds: Vec<_> = set.iter().map(|change| self.changes[*change].kind).collect();
            kinds.sort_unstable();
            (set.len(), kinds)
        };
        let mut offered: Vec<&ChangeSet> = self.proved.iter().filter(|set| !set.is_empty()).collect();
        offered.sort_by_key(rank);
        offered.truncate(MOST_OFFERED);
        offered
    }

    /// For each fix in their order the files that change, with the whole new text.
    pub fn texts(&self) -> Vec<Vec<(String, String)>> {
        let changed = |set: &&ChangeSet| {
            let files = self.files_with(set).into_iter().zip(&self.files);
            files.filter(|(new, old)| new != *old).map(|(new, _)| new).collect()
        };
        self.offered().iter().map(changed).collect()
    }

    /// What is known, as a report; `stopped` says why the search ended before its end.
    pub fn report(&self, workload: &str, stopped: Option<String>) -> SqlFixReport {
        let exhausted = self.asked >= MOST_QUESTIONS;
        let (verdict, anomaly) = match &self.first {
            Some(FixAnswer::Proved(_)) => (Verdict::Serializable, None),
            Some(FixAnswer::Assumed) => (Verdict::Assumed, None),
            Some(FixAnswer::Refuted { fault: true, .. }) => (Verdict::Fault, None),
            Some(FixAnswer::Refuted { anomaly, .. }) => (Verdict::NotSerializable, anomaly.clone()),
            Some(FixAnswer::Open(_) | FixAnswer::Unusable) | None => (Verdict::Unknown, None),
        };
        let mut report = SqlFixReport::new(workload, verdict, Fixable::Unknown);
        (report.anomaly, report.decided) = (anomaly, self.decided);
        let offered = self.offered();
        report.fix = match verdict {
            Verdict::Serializable | Verdict::Assumed => Fixable::NotNeeded,
            Verdict::Unknown => Fixable::Unknown,
            _ if !offered.is_empty() => Fixable::Found,
            _ if stopped.is_some() || exhausted || self.open.is_some() => Fixable::Unknown,
            _ => Fixable::None,
        };
        report.smallest = stopped.is_none() && !exhausted && self.open.is_none();
        report.reason = match (&self.first, report.fix) {
            (_, Fixable::Found | Fixable::NotNeeded) => None,
            (Some(FixAnswer::Open(why)), _) => Some(why.clone()),
            (_, Fixable::None) => Some("no set of the changes that are tried is proved".to_owned()),
            _ if exhausted => Some(format!("{MOST_QUESTIONS} texts were tried")),
            _ => stopped.or_else(|| self.open.clone()),
        };
        report.assumes.clone_from(&self.assumes);
        report.fixes = offered.into_iter().map(|set| self.fix(set)).collect();
        report
    }

    fn fix(&self, set: &ChangeSet) -> SqlFix {
        let old: BTreeMap<&str, &str> = self.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let new = self.files_with(set);
        let diff = |(name, text): &(String, String)| {
            let diff = serval_format::line_diff(old.get(name.as_str())?, text);
            (!diff.is_empty()).then(|| SqlFileDiff { file: name.clone(), diff })
        };
        let changes = set.iter().map(|change| self.changes[*change].said(&self.names)).collect();
        SqlFix { changes, verified: true, files: new.iter().filter_map(diff).collect() }
    }
}

/// What a report says to a question.
pub fn fix_answer(names: &[String], report: &FileReport) -> FixAnswer {
    let run = report.counterexample.as_ref().or(report.fault.as_ref().map(|fault| &fault.run));
    match (report.verdict, run) {
        (Verdict::Serializable, _) => {
            // Levels are in the texts.
            let bounds = report.assumes.iter().filter(|words| !words.starts_with("all transactions run at"));
            FixAnswer::Proved(bounds.cloned().collect())
        }
        (Verdict::Assumed, _) => FixAnswer::Assumed,
        (Verdict::NotSerializable | Verdict::Fault, Some(run)) => {
            let place = |request: &str| super::script_of(request, names).and_then(|name| names.iter().position(|known| known == name));
            let scripts: BTreeSet<usize> = run.requests.iter().filter_map(|one| place(&one.request)).collect();
            let anomaly = run.anomaly.map(|anomaly| anomaly.replace('-', " "));
            FixAnswer::Refuted { fault: report.verdict == Verdict::Fault, anomaly, scripts }
        }
        _ => FixAnswer::Open(report.reason.clone().unwrap_or_else(|| "undecided".to_owned())),
    }
}
