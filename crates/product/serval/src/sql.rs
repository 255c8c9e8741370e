//! Workloads of SQL: a schema and the scripts of an application, decided at their levels of isolation.
//!
//! ```
//! use serval::sql::Workload;
//! use serval::{Options, Verdict};
//! let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
//! let schema = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL); INSERT INTO t VALUES (1, 0);
//! -- serval: range t.n 0..2 wrap";
//! let next = "BEGIN; SELECT n AS seen FROM t WHERE id = 1 \\gset\nUPDATE t SET n = :seen + 1 WHERE id = 1; COMMIT;";
//! let workload = Workload::read(&[file("schema.sql", schema), file("next.sql", next)]).unwrap();
//! let decided = workload.decide(&Options::default());
//! assert!(matches!(decided.decision.verdict, Verdict::NotSerializable(..)));
//! assert_eq!(decided.report("dir", false).counterexample.unwrap().anomaly, Some("lost-update"));
//! ```

pub mod fixes;
pub mod levels;
mod overtaken;
pub(crate) mod program;
mod run;
mod shown;

use std::collections::BTreeMap;

use serval_budget::StopReason;
use serval_diagnostic::LineIndex;
use serval_report::{FileReport, GrownNote, Note};
use serval_sql::{BundleFile, Form, Isolation, Reading, Role, Translation};
use serval_syntax::{Diagnostic, Severity, Span};

use crate::decide::{Decision, Verdict, decide};
use crate::evidence::Undecided;
use crate::input::{Input, Mistakes};
use crate::page::page_of_files;
use crate::{Options, export};

/// Scripts from the log of a server.
pub mod mine {
    pub use serval_mine::{LeftOut, LogFormat, MinedScript, MinedWorkload, Miner, NothingMined};
}

pub use serval_sql::{SETTINGS, bundle, is_schema};

/// The code of a request that never answers.
const SILENT: &str = "W0309";

/// A workload that can be decided about.
pub struct Workload {
    exact: Input,
    /// Without counts of guards, where these matter.
    unguarded: Option<Input>,
    /// Without rows that a first statement holds from the snapshot on, where there are some.
    counted: Option<Input>,
    data: serval_sql::Workload,
    translation: Translation,
    places: Places,
    /// The levels that its transactions name.
    levels: Vec<Isolation>,
    /// An INSERT that can end in 23505 at SERIALIZABLE although no serial order gives it.
    blind_insert: Option<Span>,
    /// How many holders are followed, and whether rows are deleted and inserted again at READ COMMITTED.
    shared: u32,
    replaces: bool,
    /// How rows and values are bounded, a few words each.
    bounds: Vec<String>,
}

/// Files of a bundle, and where in them its bytes stand.
#[derive(Clone, Debug)]
pub struct Places {
    bundle: String,
    files: Vec<BundleFile>,
}

/// A decision about a workload.
pub struct Decided<'w> {
    /// What was decided about the program to which the workload is translated; nothing where the server is taken at its
    /// word.
    pub decision: Decision,
    /// Whether the guarantee of the server is used: all transactions run at SERIALIZABLE.
    pub assumed: bool,
    /// Whether the proof counts guards, and so holds for these at once.
    guarded: bool,
    workload: &'w Workload,
}

impl Places {
    /// The file in which a place stands, its text, and the place in it.
    pub fn locate(&self, span: Span) -> Option<(&str, &str, Span)> {
        let file = self.files.iter().find(|file| file.start <= span.start && span.start <= file.end)?;
        let text = &self.bundle[file.start as usize..file.end as usize];
        let length = file.end - file.start;
        let at = |offset: u32| offset.saturating_sub(file.start).min(length);
        Some((&file.name, text, Span::new(at(span.start), at(span.end).max(at(span.start)))))
    }

    /// A diagnostic with its places in its file; other files are left out.
    pub fn moved(&self, diagnostic: &Diagnostic) -> (String, String, Diagnostic) {
        let mut moved = diagnostic.clone();
        let Some((name, text, span)) = self.locate(diagnostic.primary.span) else {
            return (self.files.first().map_or_else(String::new, |file| file.name.clone()), String::new(), moved);
        };
        moved.primary.span = span;
        moved.secondary.clear();
        (name.to_owned(), text.to_owned(), moved)
    }

    /// A note with its place.
    fn note(&self, diagnostic: &Diagnostic) -> Note {
        let place = diagnostic.primary.span;
        let start = self.position(place);
        let end =
            self.position(Span::new(place.end, place.end)).filter(|(file, ..)| start.as_ref().is_some_and(|(first, ..)| first == file));
        let (line, column) = start.as_ref().map_or((0, 0), |(_, line, column)| (*line, *column));
        let (end_line, end_column) = end.map_or((line, column), |(_, line, column)| (line, column));
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let (code, message) = (diagnostic.code.to_string(), diagnostic.message.clone());
        Note { code, severity, message, file: start.map(|(file, ..)| file), span: [line, column, end_line, end_column] }
    }

    /// File, line and column.
    pub fn position(&self, span: Span) -> Option<(String, u32, u32)> {
        let (name, text, span) = self.locate(span)?;
        let position = LineIndex::new(text).position(text, span.start);
        Some((name.to_owned(), position.line, position.column))
    }
}

/// What is wrong with the files of a workload.
#[derive(Clone, Debug)]
pub struct WorkloadMistakes {
    /// The diagnostics; their places are bytes of the bundle.
    pub diagnostics: Vec<Diagnostic>,
    /// Where these stand.
    pub places: Places,
}

impl WorkloadMistakes {
    /// The first of them, in a line.
    pub fn first(&self) -> &str {
        let wrong = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        self.diagnostics.iter().find(wrong).map_or("it cannot be read", |diagnostic| &diagnostic.message)
    }

    /// The report on files that cannot be used.
    pub fn report(&self, name: &str) -> FileReport {
        let mut report = FileReport::new(name, serval_report::Verdict::Error);
        report.workload = Some(String::new());
        report.notes = self.diagnostics.iter().map(|diagnostic| self.places.note(diagnostic)).collect();
        report.reason = Some(format!("error: {}", self.first()));
        report
    }
}

impl Workload {
    /// Reads files where all transactions are at READ COMMITTED, or, where that is not possible, at REPEATABLE READ:
    /// what is wrong at both levels is returned.
    pub fn at_some_level(files: &[(String, String)]) -> Result<Self, Box<WorkloadMistakes>> {
        let at = |level: &str| {
            let mut files = files.to_vec();
            with_settings(&mut files, &format!("force {level}"));
            Self::read(&files)
        };
        at("read committed").or_else(|mistakes| at("repeatable read").map_err(|_| mistakes))
    }

    /// Reads files, which are names and texts. What the command line and `serval.toml` say is a file [`SETTINGS`].
    pub fn read(files: &[(String, String)]) -> Result<Self, Box<WorkloadMistakes>> {
        Self::of_bundle(bundle(files))
    }

    /// Reads a bundle.
    pub fn of_bundle(bundle: String) -> Result<Self, Box<WorkloadMistakes>> {
        let Reading { workload, files, mut diagnostics } = serval_sql::read(&bundle);
        let places = Places { bundle, files };
        let Some(workload) = workload else { return Err(Box::new(WorkloadMistakes { diagnostics, places })) };
        let (mut translation, unguarded, counted) = match translations(&workload) {
            Ok(translations) => translations,
            Err(wrong) => {
                diagnostics.extend(wrong);
                diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
                return Err(Box::new(WorkloadMistakes { diagnostics, places }));
            }
        };
        let input = |translation: Translation| Input::translated(places.bundle.clone(), translation.program);
        let (unguarded, counted) = (unguarded.map(input), counted.map(input));
        let mut exact = Input::translated(places.bundle.clone(), std::mem::replace(&mut translation.program, empty()));
        exact.warnings = diagnostics;
        exact.warnings.append(&mut translation.notes);
        exact.warnings.sort_by_key(|diagnostic| diagnostic.primary.span);
        exact.warnings.dedup();
        let (levels, bounds) = (serval_sql::levels(&workload), shown::bounds(&workload, &translation));
        let blind_insert = serval_sql::blind_insert(&workload);
        let (shared, replaces) = (workload.settings.shared, translation.replaces);
        let data = serval_sql::observed(&workload).into_owned();
        Ok(Self { data, exact, unguarded, counted, translation, places, levels, blind_insert, shared, replaces, bounds })
    }

    /// The bundle, which certificates are about.
    pub fn bundle(&self) -> &str {
        &self.places.bundle
    }

    /// The workload as data, and what it is translated to, whose program is [`Self::input`].
    pub fn parts(&self) -> (&serval_sql::Workload, &Translation) {
        (&self.data, &self.translation)
    }

    /// The input that the engines see.
    pub fn input(&self) -> &Input {
        &self.exact
    }

    /// Where places of the bundle stand.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Its files without settings, names and texts.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.places.files.iter().filter(|file| file.name != SETTINGS);
        files.map(|file| (file.name.as_str(), &self.places.bundle[file.start as usize..file.end as usize]))
    }

    /// A report on it as a page. The version is that of the program that writes the page.
    pub fn page(&self, report: &FileReport, version: &str) -> String {
        page_of_files(self.files(), report, version)
    }

    /// The same with one more row for each table and twice the range of each column that has one for the model alone.
    ///
    /// # Errors
    ///
    /// Where that is too large for a model.
    pub fn grown(&self) -> Result<Self, Box<WorkloadMistakes>> {
        let mut files: Vec<(String, String)> = self.files().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        let settings = run::settings(self);
        files.push((SETTINGS.to_owned(), format!("{settings}\ngrow").trim().to_owned()));
        Self::read(&files)
    }

    /// What is said of it with such bounds.
    pub fn grown_note(&self, options: &Options) -> GrownNote {
        match self.grown() {
            Ok(grown) => {
                let report = grown.decide(options).report("", false);
                let bounds = grown.bounds.clone();
                GrownNote { verdict: report.verdict, bounds, reason: report.reason }
            }
            Err(mistakes) => {
                let reason = Some(mistakes.first().to_owned());
                GrownNote { verdict: serval_report::Verdict::Error, bounds: Vec::new(), reason }
            }
        }
    }

    /// Notes: what is not followed, what is bounded.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.exact.warnings
    }

    /// The program as text in the core language, with the statements that each request comes from as comments.
    pub fn program_text(&self) -> String {
        let mut out = format!("// {} at {}\n", self.bounds.join(", "), self.level_words());
        for (name, text) in self.files() {
            out.push_str(&format!("//\n// {name}\n"));
            for line in text.lines() {
                out.push_str(&format!("//   {line}\n"));
            }
        }
        out.push_str(&export::core(&self.exact).unwrap_or_default());
        out
    }

    fn level_words(&self) -> String {
        self.levels.iter().map(|level| level.name()).collect::<Vec<_>>().join(" and ")
    }

    /// Why a verdict about the program is none about the server.
    fn not_certain(&self, verdict: &Verdict) -> Option<&'static str> {
        // The checker takes no run as evidence about transactions at SERIALIZABLE, and no proof of some runs.
        let is_run = match verdict {
            Verdict::NotSerializable(..) | Verdict::Fault(..) => true,
            Verdict::Refused(refused) => matches!(refused.outcome, serval_verify::Outcome::InputError(_)),
            _ => false,
        };
        if is_run && self.levels.contains(&Isolation::Serializable) {
            return Some(
                "at REPEATABLE READ in place of SERIALIZABLE there is a run that is not serializable, which the server may refuse",
            );
        }
        if let Verdict::NotSerializable(_, run) = verdict
            && self.is_overtaken(run)
        {
            return Some(overtaken::WHY);
        }
        let why = "the program that has all runs of a server and more is not proved, and the one that has some of them is serializable";
        (is_proof(verdict) && self.translation.mixed).then_some(why)
    }

    /// Decides. Proofs without counts of guards are tried first: they hold for any number of them. Where a first
    /// statement holds rows from the snapshot on, runs have it so and proofs do not: a server can stand still between a
    /// snapshot and the lock, and then others are faster.
    pub fn decide(&self, options: &Options) -> Decided<'_> {
        let options = Options { fixes: false, invariants: false, proof: false, reusable: false, ..options.clone() };
        let assumed = self.levels == [Isolation::Serializable];
        if assumed {
            return Decided { decision: Decision::none(), assumed, guarded: false, workload: self };
        }
        let proved = self.unguarded.as_ref().map(|input| decide(input, &options));
        let (mut decision, guarded) = match proved {
            Some(decision) if matches!(decision.verdict, Verdict::Serializable(_)) => {
                return Decided { decision, assumed, guarded: false, workload: self };
            }
            _ => (decide(&self.exact, &options), self.unguarded.is_some()),
        };
        if let Some(counted) = &self.counted
            && is_proof(&decision.verdict)
        {
            let proved = decide(counted, &options);
            // The checker takes no run of that program.
            if matches!(proved.verdict, Verdict::Serializable(_) | Verdict::Undecided(_)) {
                decision = proved;
            } else {
                let what = STANDS_STILL.to_owned();
                decision.verdict = Verdict::Undecided(Undecided::Stopped(StopReason::Inconclusive { stage: "first statements", what }));
            }
        }
        if let Some(why) = self.not_certain(&decision.verdict) {
            decision.verdict =
                Verdict::Undecided(Undecided::Stopped(StopReason::Inconclusive { stage: "levels of isolation", what: why.to_owned() }));
        }
        Decided { decision, assumed, guarded, workload: self }
    }
}

/// The exact program, the one without counts of guards where these matter, and the one without rows that a first
/// statement holds where there are some. A proof is about the last that is there, so each of them has to be: what
/// cannot be translated in one of these forms is a mistake of the input, as it is for the checker.
fn translations(workload: &serval_sql::Workload) -> Result<(Translation, Option<Translation>, Option<Translation>), Vec<Diagnostic>> {
    let translate = |form| serval_sql::translate(workload, form);
    let exact = translate(Form::Exact)?;
    let unguarded = exact.exact.then(|| translate(Form::Unguarded)).transpose()?;
    let counted = exact.holds.then(|| translate(Form::Counted)).transpose()?;
    Ok((exact, unguarded, counted))
}

/// What is said where only such a run is found.
const STANDS_STILL: &str = "only a run was found in which a statement stands still between its snapshot and the rows that it locks, while \
    another transaction that came later ends before: a busy server can do so, and a replay cannot show it";

fn is_proof(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Serializable(_) | Verdict::Strict(_) | Verdict::Safe(_) | Verdict::Refused(_))
}

/// The script of which a request is an instance, by its name: `transfer` for `transfer(amount=1)`.
pub(crate) fn script_of<'n>(request: &str, names: &'n [String]) -> Option<&'n String> {
    let is = |name: &&String| request.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('('));
    names.iter().filter(is).max_by_key(|name| name.len())
}

fn empty() -> serval_syntax::Program {
    let (globals, requests, versions, allowances) = Default::default();
    serval_syntax::Program { globals, requests, versions, expectation: None, allowances, many: None }
}

impl Decided<'_> {
    /// The report: rows, statements and answers instead of variables and numbers.
    pub fn report(self, name: &str, times: bool) -> FileReport {
        let Decided { mut decision, workload, assumed, guarded } = self;
        // What others say is about the text of a program.
        let silent = decision.findings.iter().filter(|finding| finding.code.0 == SILENT);
        let silent: Vec<Note> = silent.filter_map(|finding| workload.silent(&finding.message)).collect();
        decision.findings.clear();
        decision.stuck.clear();
        decision.no_commit = None;
        // Translations claim which answers there are together, and nothing about time.
        decision.strict = None;
        decision.stages.clear();
        for open in &mut decision.open {
            if let Some(words) = open.response.parse().ok().and_then(|answer| workload.translation.answers.words(&open.request, answer)) {
                open.response = words;
            }
        }
        if let Verdict::NotSerializable(_, run) = &mut decision.verdict {
            shown::counterexample(run, workload);
        }
        if let Verdict::Fault(_, note) = &mut decision.verdict {
            shown::fault(note, workload);
        }
        if let Verdict::Unusable(diagnostic) = &mut decision.verdict {
            // The first one says which request fails there.
            let who = std::mem::take(&mut diagnostic.notes).into_iter().next().map_or_else(String::new, |note| format!(": {note}"));
            if diagnostic.message.contains("by zero")
                && let Some((file, line, _)) = workload.places.position(diagnostic.primary.span)
            {
                let why = shown::failure(workload, diagnostic.primary.span);
                diagnostic.message = format!("{file}:{line}: {why}{who}");
            }
        }
        let is_answered = !matches!(decision.verdict, Verdict::Unusable(_) | Verdict::Refused(_));
        let mut report = decision.into_report(name, &workload.exact, times);
        if assumed && is_answered {
            report = workload.assumed(name);
        }
        report.workload = Some(String::new());
        report.proof.clear();
        report.words.clear();
        report.notes = workload.notes().iter().map(|note| workload.places.note(note)).collect();
        report.notes.extend(silent);
        report.assumes = vec![format!("all transactions run at {}", workload.level_words())];
        if (guarded || workload.replaces) && report.verdict == serval_report::Verdict::Serializable {
            report.assumes.push(format!("at most {} at once hold the same row without changing it", workload.shared));
        }
        report.assumes.extend(workload.bounds.iter().cloned());
        report
    }
}

impl Workload {
    /// What the server promises where all transactions run at SERIALIZABLE; its guarantee does not cover 23505 of
    /// scripts that insert a key without having looked for it.
    fn assumed(&self, name: &str) -> FileReport {
        let Some(place) = self.blind_insert else { return FileReport::new(name, serval_report::Verdict::Assumed) };
        let mut report = FileReport::new(name, serval_report::Verdict::Unknown);
        let (file, line, _) = self.places.position(place).unwrap_or_default();
        report.reason = Some(format!(
            "the INSERT of {file}:{line} does not look for its key first, and can end in 23505 where no serial order would, also at SERIALIZABLE"
        ));
        report
    }

    /// A script that can never end, in words of SQL; the finding is about one of its requests.
    fn silent(&self, finding: &str) -> Option<Note> {
        let request = finding.split('`').nth(1)?;
        let origin = self.translation.origins.iter().find(|origin| origin.request == request)?;
        let script = self.data.scripts.get(origin.script)?;
        let message = format!(
            "`{request}` can never end: in every run it fails and is repeated, or waits; it takes part in no answer, and the verdict says \
             nothing about it"
        );
        let diagnostic = Diagnostic::warning(serval_diagnostic::Code(SILENT), script.span, message);
        Some(self.places.note(&diagnostic))
    }

    fn role(&self, variable: &str) -> &Role {
        self.translation.roles.get(variable).unwrap_or(&Role::Inner)
    }
}

/// What the command line says comes behind what is said already.
fn with_settings(files: &mut Vec<(String, String)>, lines: &str) {
    match files.iter_mut().find(|(name, _)| name == SETTINGS) {
        Some((_, text)) => *text = format!("{text}\n{lines}"),
        None => files.push((SETTINGS.to_owned(), lines.to_owned())),
    }
}

/// The bundle of a directory for a program that reads it again, by the names of files.
pub fn sorted(files: BTreeMap<String, String>) -> Vec<(String, String)> {
    files.into_iter().collect()
}

/// What is wrong with a text that was given as a bundle, for those who read inputs.
impl From<WorkloadMistakes> for Mistakes {
    fn from(mistakes: WorkloadMistakes) -> Self {
        Self { text: mistakes.places.bundle, diagnostics: mistakes.diagnostics }
    }
}
