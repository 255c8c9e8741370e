//! What `serval check` says about a file: for machines as one line of JSON,
//! for people as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::advice::Advice;
use crate::counterexample::{Answered, Counterexample, Explanation, SerialOrder, StateValues, TimeOrders};
use crate::escape::{json, name, shell};
use crate::fault::FaultNote;
use crate::fix::{FixHint, Fixable};
use crate::in_time::StrictNote;
use crate::nearest::NearestOrder;
use crate::parts::{CertificateNote, GrownNote, HeaderPromise, Note, OpenAnswer, RuledOut, Sizes, StuckNote, Times, Verdict};
use crate::proof::{self, ProofNote, UNBOUNDED};
use crate::screen::{Look, time};
use crate::stages::StageReport;
use crate::timeline::{excerpt, excerpt_lines, line_notes, table};
use crate::why::{Causes, Known, why};
use serde::Serialize;
use serval_diagnostic::counted;
use serval_diagnostic::{Diagnostic, LineIndex, Severity};

/// Notes that stand beside a verdict on the screen: what was proved is less than it seems.
pub const HOLLOW: [&str; 2] = [ONE_STEP, "N0312"];
/// The one of them that is about the whole program.
const ONE_STEP: &str = "N0311";

/// How a run was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SampleNote {
    /// The schedule that ordered its steps.
    pub schedule: &'static str,
    /// How many runs were drawn until then.
    pub runs: u64,
    /// How many requests it had before those were left out that are not needed.
    pub requests: usize,
}

/// Everything about one file. Absent parts are left out.
#[derive(Clone, Debug, Serialize)]
pub struct FileReport {
    /// The version of this form.
    pub schema: u32,
    /// The file, as it was named.
    pub file: String,
    /// Of a workload of SQL: the directory in which its files are; empty where they were given one by one.
    #[serde(skip)]
    pub workload: Option<String>,
    /// Where the program was made smaller before (`--scale`): what it declares instead of what is written in the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scaled: Vec<String>,
    /// The answer.
    pub verdict: Verdict,
    /// The method that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<&'static str>,
    /// What is known about the order in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<StrictNote>,
    /// For unknown and error: what stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// For unknown: what may help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'static str>,
    /// What a verdict other than a run takes for granted, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumes: Vec<String>,
    /// What is certain all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruled_out: Option<RuledOut>,
    /// For unknown: answers that could neither be realised by a run nor excluded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenAnswer>,
    /// For unknown, and for too many states: what may help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// Errors, warnings and notes about the text.
    pub notes: Vec<Note>,
    /// Requests that can get stuck for ever.
    pub stuck: Vec<StuckNote>,
    /// What holds at every moment, for people.
    #[serde(skip)]
    pub words: Vec<String>,
    /// What the proof says, for each component whose proof is about answers, or
    /// for the program where it is one on the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<ProofNote>,
    /// Why there is no proof on the text, where one was looked for in vain: for people.
    #[serde(skip)]
    pub no_commit: Option<String>,
    /// For a counterexample among random runs: how it was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<SampleNote>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<Times>,
    /// How large the network system is, if it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// What the published method did, for each component that it looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageReport>,
    /// The evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateNote>,
    /// Of a workload of SQL: what is so with larger bounds, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grown: Option<GrownNote>,
    /// The run that no serial order explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
    /// The step that fails in some run, and the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultNote>,
    /// Whether removing `yield`s would help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<FixHint>,
    /// What the header promises, if that is to count and the file is decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<HeaderPromise>,
    /// Beside a counterexample: a run after which a step fails. Machines find it among the notes.
    #[serde(skip)]
    pub also_fails: Option<FaultNote>,
    /// Where the counterexample was saved.
    #[serde(skip)]
    pub trace: Option<String>,
}

impl Counterexample {
    /// Says why there is no serial order, as far as the run tells; `text` is
    /// that of the program, `locks` are the variables that it uses as locks, and the rest is what was found out by
    /// running requests again.
    pub fn explain(&mut self, text: &str, locks: &BTreeSet<String>, causes: Option<&dyn Causes>, nearest: Option<NearestOrder>) {
        let value = |global: &str, var: &str| match self.states.states.get(global) {
            Some(StateValues::Global(values)) => values.get(var).copied(),
            _ => None,
        };
        self.explanation.why = why(&self.steps, &Known { locks, value: &value, causes });
        self.explanation.nearest = nearest;
        if let Some(found) = &self.explanation.why {
            self.anomaly = found.anomaly;
            let notes = line_notes(self, found);
            self.explanation.excerpt = excerpt(text, &notes);
            self.explanation.notes = notes;
        }
    }
}

impl FileReport {
    /// A report that says nothing yet.
    pub fn new(file: impl Into<String>, verdict: Verdict) -> Self {
        Self {
            schema: 1,
            file: file.into(),
            workload: None,
            scaled: Vec::new(),
            verdict,
            method: None,
            strict: None,
            reason: None,
            help: None,
            assumes: Vec::new(),
            ruled_out: None,
            open: Vec::new(),
            advice: None,
            notes: Vec::new(),
            stuck: Vec::new(),
            words: Vec::new(),
            proof: Vec::new(),
            no_commit: None,
            sampled: None,
            stages: Vec::new(),
            time_ms: None,
            sizes: None,
            certificate: None,
            grown: None,
            counterexample: None,
            fault: None,
            fix: None,
            expected: None,
            also_fails: None,
            trace: None,
        }
    }

    /// One line of JSON, with its newline.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are not strings could fail.
        let mut line = json(serde_json::to_string(self).unwrap_or_default());
        line.push('\n');
        line
    }

    /// The report for people; with how it was decided and what holds, if it is
    /// to be `verbose`.
    pub fn to_text(&self, verbose: bool, look: Look) -> String {
        look.finish(&self.shown().in_text(verbose, look))
    }

    /// The line with the verdict alone. Where there is more to say about what is
    /// serializable, it says how much.
    pub fn to_line(&self, look: Look) -> String {
        let text = self.shown().in_text(false, look);
        let notes = match self.stuck_once().len()
            + usize::from(self.proof.iter().any(|note| note.unbounded))
            + self.hollow().count()
            + usize::from(self.stale().is_some())
        {
            count if count == 0 || !self.verdict.is_proved() => String::new(),
            1 => "   1 note".to_owned(),
            count => format!("   {}", counted(count, "note")),
        };
        look.finish(&format!("{}{notes}\n", text.lines().next().unwrap_or_default()))
    }

    /// The line about a file among many: the verdict, how many warnings there are, and how it compares with what the
    /// header promises.
    pub fn to_line_of_many(&self, look: Look) -> String {
        if self.verdict == Verdict::Error {
            // What is wrong has been drawn.
            return look.finish(&format!("error  {}\n", name(&self.file)));
        }
        let mut line = self.to_line(look).trim_end_matches('\n').to_owned();
        match self.notes.iter().filter(|note| note.severity == "warning").count() {
            0 => {}
            count => line += &format!("   {}", counted(count, "warning")),
        }
        if let Some(promise) = self.expected {
            line += &format!("   {}", promise.words());
        }
        line + "\n"
    }

    /// That an answer can be stale, where that is known and was not asked for.
    pub(crate) fn stale(&self) -> Option<String> {
        self.strict.filter(|_| self.verdict == Verdict::Serializable)?.note()
    }

    /// What is said behind the verdict: whether it also holds in the order in time, where the proof says so.
    pub(crate) fn also(&self) -> &'static str {
        let holds = self.verdict == Verdict::Serializable && self.strict.is_some_and(|strict| strict.holds == Some(true));
        if holds { ", also in real time" } else { "" }
    }

    /// What a proof does not say: notes on what it is about nothing.
    fn hollow(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| self.verdict.is_proved() && HOLLOW.contains(&note.code.as_str()))
    }

    /// What [`FileReport::to_text`] says before it comes to what is looked for when the verdict is known: the fix of a
    /// counterexample, advice where nothing is decided; whatever that will be.
    pub fn to_text_before_help(&self, look: Look) -> String {
        look.finish(&self.shown().before_help(look))
    }

    fn before_help(&self, look: Look) -> String {
        let mut out = String::new();
        self.opening(&mut out);
        match &self.counterexample {
            Some(run) => self.story(&mut out, run, look),
            None => self.without_run(&mut out),
        }
        out
    }

    /// What is said of a file about which there is no run, behind its name.
    fn without_run(&self, out: &mut String) {
        if let Some(reason) = &self.reason {
            let _ = write!(out, "   {reason}");
        }
        if let Some(ruled_out) = self.ruled_out.filter(|_| self.verdict == Verdict::Unknown) {
            let words = ruled_out.words();
            out.push_str(&words);
            if !words.is_empty() {
                out.push_str(&self.provided());
            }
        }
        if self.verdict.is_proved() {
            out.push_str("   for any number of concurrent requests");
            out.push_str(&self.provided());
            if let Some(times) = self.time_ms {
                let _ = write!(out, "   {}", time(times.total));
            }
            out.push_str("   certificate checked");
            if self.shares_nothing() {
                out.push_str("   but nothing is shared: there is no global variable");
            }
        }
        if self.verdict == Verdict::Safe {
            out.push_str("   no step fails, for any number of concurrent requests");
            if let Some(times) = self.time_ms {
                let _ = write!(out, "   {}", time(times.total));
            }
            out.push_str("   certificate checked");
        }
        out.push('\n');
        if !self.open.is_empty() {
            let answers: Vec<String> = self.open.iter().map(OpenAnswer::words).collect();
            let _ = writeln!(out, "  open            whether a run can have {}, which no serial run has", answers.join(", "));
        }
    }

    /// What is taken for granted, behind a sentence.
    pub(crate) fn provided(&self) -> String {
        self.assumes.iter().enumerate().map(|(index, assumed)| format!("{} {assumed}", if index == 0 { ", if" } else { " and" })).collect()
    }

    /// The verdict and the file, and of a counterexample its name and size.
    fn opening(&self, out: &mut String) {
        let (verdict, file) = (self.verdict.on_screen(), name(&self.file));
        let _ = write!(out, "{verdict}{}  {file}", self.also());
        for (index, written) in self.scaled.iter().enumerate() {
            let _ = write!(out, "{}`{written}`", if index == 0 { "   another program, with " } else { ", " });
        }
        if let Some(run) = &self.counterexample {
            let count = run.requests.len();
            let least = if run.minimal { " (minimal)" } else { "" };
            let name = run.anomaly.map_or_else(String::new, |name| format!("   {}", name.replace('-', " ")));
            let _ = writeln!(out, "{name}   {}{least}", counted(count, "request"));
        }
        if let Some(fault) = &self.fault {
            let count = fault.run.requests.len();
            let _ = writeln!(out, "   {}   {}", fault.message, counted(count, "request"));
        }
    }

    fn in_text(&self, verbose: bool, look: Look) -> String {
        let mut out = String::new();
        self.opening(&mut out);
        match &self.counterexample {
            Some(run) => {
                self.story(&mut out, run, look);
                self.after_story(&mut out, run);
                if let Some(fault) = &self.also_fails {
                    let _ = writeln!(out, "\n  can fail, too   {}", fault.message);
                    fault.in_text(&mut out, look);
                }
            }
            None if let Some(fault) = &self.fault => fault.in_text(&mut out, look),
            None => self.without_run(&mut out),
        }
        if let Some(advice) = &self.advice {
            out.push_str(&advice.in_text());
        }
        if let Some(help) = self.help {
            let _ = writeln!(out, "  help            {help}");
        }
        if self.verdict == Verdict::Unknown {
            let _ = writeln!(out, "  more            serval explain undecided");
        }
        if let Some(certificate) = self.certificate.as_ref().filter(|note| self.has_run() || note.path.is_some()) {
            let saved = certificate.path.as_ref().map_or(String::new(), |path| format!(", saved to {path}"));
            let checked = if certificate.verified { "checked" } else { "not checked" };
            let _ = writeln!(out, "\n  certificate     {} {checked}{saved}", certificate.kind);
        }
        if let Some(promise) = self.expected {
            let _ = writeln!(out, "  expected        {}", promise.words());
        }
        if let Some(grown) = &self.grown {
            let _ = writeln!(out, "  grown           {}", grown.line(self.verdict));
        }
        if self.proof.iter().any(|note| note.unbounded) {
            let _ = writeln!(out, "  note            {UNBOUNDED}");
        }
        if let Some(stale) = self.stale() {
            let _ = writeln!(out, "  note            {stale}");
        }
        for note in self.hollow() {
            let place = if note.code == ONE_STEP { String::new() } else { format!("line {}: ", note.span[0]) };
            let _ = writeln!(out, "  note            {place}{}   serval explain {}", note.message, note.code);
        }
        for stuck in self.stuck_once() {
            let place = stuck.place();
            let here = if stuck.run.is_empty() { "" } else { ", as here:" };
            let _ = writeln!(out, "  note            {} can get stuck for ever {place}{here}", stuck.request);
            for line in &stuck.run {
                let _ = writeln!(out, "                    {line}");
            }
        }
        if verbose {
            self.details(&mut out);
        }
        out
    }

    /// Requests that can get stuck, each place once: a request can wait in several states on one line.
    pub(crate) fn stuck_once(&self) -> Vec<&StuckNote> {
        let mut told: Vec<&StuckNote> = Vec::new();
        for stuck in &self.stuck {
            match told.iter_mut().find(|known| known.request == stuck.request && known.place() == stuck.place()) {
                // The one that shows how it comes to it is reported.
                Some(known) if known.run.is_empty() => *known = stuck,
                Some(_) => {}
                None => told.push(stuck),
            }
        }
        told
    }

    /// Whether it is about a run that is shown.
    fn has_run(&self) -> bool {
        self.counterexample.is_some() || self.fault.is_some()
    }

    /// Whether the program has no variable that requests share.
    pub(crate) fn shares_nothing(&self) -> bool {
        self.notes.iter().any(|note| note.code == "N0310")
    }

    fn details(&self, out: &mut String) {
        if let Some(method) = self.method {
            let kind = self.certificate.as_ref().map_or(String::new(), |certificate| format!(", certificate of kind {}", certificate.kind));
            let _ = writeln!(out, "  decided by      {method}{kind}");
        }
        if let Some(SampleNote { schedule, runs, requests }) = self.sampled {
            let runs = if runs == 1 { "the first run".to_owned() } else { format!("run {runs}") };
            let _ = writeln!(out, "  drawn           {runs}, by the schedule {schedule}, with {} at first", counted(requests, "request"));
        }
        if let Some(sizes) = self.sizes {
            let parts = if sizes.components == 1 { String::new() } else { format!("{} components, ", sizes.components) };
            let _ = writeln!(
                out,
                "  size            {parts}{}, {}, {}",
                counted(sizes.globals, "global state"),
                counted(sizes.locals, "local state"),
                counted(sizes.steps, "step")
            );
            if let Some(reduced) = sizes.reduced {
                let (globals, locals, steps) = (reduced.globals, reduced.locals, reduced.steps);
                let _ = writeln!(
                    out,
                    "  reduced to      {}, {}, {}",
                    counted(globals, "global state"),
                    counted(locals, "local state"),
                    counted(steps, "step")
                );
            }
        }
        for stages in &self.stages {
            stages.lines(out);
        }
        proof::in_text(&self.proof, out);
        if let Some(why) = &self.no_commit {
            let _ = writeln!(out, "  on the text     {why}");
        }
        if !self.words.is_empty() {
            let _ = writeln!(out, "  at every moment of a run in which everybody answers");
            for line in &self.words {
                let _ = writeln!(out, "    {line}");
            }
        }
    }

    /// What a counterexample shows, for people.
    pub(crate) fn story(&self, out: &mut String, run: &Counterexample, look: Look) {
        let Explanation { why, excerpt, serial, serial_states, closest, nearest, .. } = &run.explanation;
        out.push('\n');
        for line in run.never_lines() {
            let _ = writeln!(out, "  {line}");
        }
        if !run.never.is_empty() {
            out.push('\n');
        }
        for line in excerpt_lines(excerpt, look) {
            let _ = writeln!(out, "  {line}");
        }
        if !excerpt.is_empty() {
            out.push('\n');
        }
        match table(run, look) {
            Some(table) => out.push_str(&table),
            None => {
                for (position, line) in run.story.iter().enumerate() {
                    let _ = writeln!(out, "{:4}  {line}", position + 1);
                }
            }
        }
        if let Some(orders) = &run.in_time {
            return in_time(out, run, orders);
        }
        let _ = writeln!(out, "\n  seen together   {}", together(&run.requests));
        if serial.is_empty() {
            let states = serial_states
                .map_or_else(String::new, |count| format!(": serial runs have {}, and all were tried", counted(count, "state")));
            let _ = writeln!(out, "                  no serial order gives these{states}");
        }
        if let Some(closest) = closest.as_ref().filter(|_| nearest.as_ref().is_none_or(|nearest| nearest.answers.is_empty())) {
            let order = if closest.order.is_empty() { String::new() } else { format!("{}, then ", closest.order_words()) };
            let _ = writeln!(out, "  closest order   {order}{}", closest.departure());
        }
        for (position, line) in run.serial_lines().iter().enumerate() {
            let _ = writeln!(out, "  {:<14}  {line}", if position == 0 { "in any order " } else { "" });
        }
        if !serial.is_empty() {
            let seen: Vec<&str> = run.requests.iter().map(|answered| answered.response.as_str()).collect();
            let _ = writeln!(out, "                  never {}", seen.join(", "));
        }
        for (position, line) in nearest.iter().flat_map(NearestOrder::lines).enumerate() {
            let _ = writeln!(out, "  {:<14}  {line}", if position == 0 { "nearest order" } else { "" });
        }
        if let Some(why) = why {
            for (position, line) in why.lines().iter().enumerate() {
                let _ = writeln!(out, "  {:<14}  {line}", if position == 0 { "why" } else { "" });
            }
        }
    }

    /// What helps: a fix, and where to read and see more.
    pub(crate) fn after_story(&self, out: &mut String, run: &Counterexample) {
        if let Some(fix) = &self.fix {
            for (number, line) in fix.lines().iter().enumerate() {
                let _ = writeln!(out, "  {:<16}{line}", if number == 0 { "fix" } else { "" });
            }
            if let Some(file) = self.file_in_commands().filter(|_| fix.outcome != Fixable::None) {
                let strict = if self.verdict == Verdict::NotStrict { " --strict" } else { "" };
                let _ = writeln!(out, "                  serval fix {file}{strict}");
            }
        }
        let _ = match run.anomaly {
            Some(name) => writeln!(out, "  more            serval explain {name}"),
            None if run.is_about_others() => writeln!(out, "  more            serval explain answers-about-others"),
            None if run.explanation.why.is_some() => writeln!(out, "  name            this cycle has no standard name"),
            None => Ok(()),
        };
        if let (Some(file), Some(trace)) = (self.file_in_commands(), &self.trace) {
            let _ = match run.statements.as_slice() {
                [] => writeln!(out, "  replay          serval run {file} --replay {}", shell(trace)),
                _ => writeln!(out, "  replay          serval sql replay {file} {}", shell(trace)),
            };
        }
    }

    /// How one of the files of a workload is called by those who stand beside its directory.
    pub(crate) fn path_of(&self, file: Option<&str>) -> String {
        match (file, self.workload.as_deref()) {
            (Some(file), None | Some("")) => file.to_owned(),
            (Some(file), Some(directory)) => format!("{}/{file}", directory.trim_end_matches('/')),
            (None, _) => self.file.clone(),
        }
    }

    /// Levels and bounds of a workload, where the verdict does not name them.
    pub(crate) fn bounds(&self) -> &[String] {
        if self.workload.is_some() && !self.verdict.is_proved() { &self.assumes } else { &[] }
    }

    /// The name of the file as a shell takes it; none for standard input.
    pub(crate) fn file_in_commands(&self) -> Option<String> {
        (self.file != "-").then(|| shell(&self.file))
    }
}

/// Why no order agrees with the one in time.
fn in_time(out: &mut String, run: &Counterexample, orders: &TimeOrders) {
    let answers: Vec<String> = run.requests.iter().map(|answered| answered.response.clone()).collect();
    out.push('\n');
    let mut titled = |title: &str, lines: Vec<String>| {
        for (position, line) in lines.into_iter().enumerate() {
            let _ = writeln!(out, "  {:<14}  {line}", if position == 0 { title } else { "" });
        }
    };
    titled("in time", orders.lines());
    let mut left: Vec<String> = orders.left.iter().map(SerialOrder::line).collect();
    left.push(format!("{}never {}", if left.is_empty() { "the others " } else { "" }, answers.join(", ")));
    titled("orders left", left);
    titled("without clock", orders.without_words(&answers).into_iter().collect());
    titled("why", orders.why());
}

/// Who was told what; the same answers to the same request are counted.
fn together(requests: &[Answered]) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for answered in requests {
        let told = format!("{} → {}", answered.request, answered.response);
        match counts.iter_mut().find(|(known, _)| *known == told) {
            // Two or three are easier to read one by one.
            Some((_, count)) if requests.len() > 3 => *count += 1,
            _ => counts.push((told, 1)),
        }
    }
    let told = counts.into_iter().map(|(told, count)| if count > 1 { format!("{told} (× {count})") } else { told });
    told.collect::<Vec<_>>().join(", ")
}

/// Diagnostics as the notes of a report.
pub fn notes(diagnostics: &[Diagnostic], text: &str) -> Vec<Note> {
    let lines = LineIndex::new(text);
    let note = |diagnostic: &Diagnostic| {
        let (start, end) = (lines.position(text, diagnostic.primary.span.start), lines.position(text, diagnostic.primary.span.end));
        Note {
            code: diagnostic.code.to_string(),
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            message: diagnostic.message.clone(),
            file: None,
            span: [start.line, start.column, end.line, end.column],
        }
    };
    diagnostics.iter().map(note).collect()
}
