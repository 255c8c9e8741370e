//! One file, from its bytes to its report.

use std::cell::Cell;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serval::{
    Advice, Decision, Diagnostic, Input, Methods, Options, Severity, StopReason, Undecided, advice, decide, faults, fix_hint, page, recall,
    scaled,
};
use serval_report::{FileReport, HOLLOW, HeaderPromise, RuledOut, Times, Trace, Verdict, escape, html, render_diagnostics};

use super::cache::Cache;
use super::many::is_counterexample;
use super::progress::ProgressLine;
use super::save::save;
use super::{Status, bug};
use crate::args::{Check, OnlyAsked, OutputFormat};
use crate::failure::Failure;
use crate::input::{File, Loaded, Messages, say_findings};
use crate::limits::{Lost, Watch, watched};
use crate::output::{say, write_to};

/// What is the same for all files of a directory.
pub(in crate::commands) struct Checking {
    pub(in crate::commands) args: Check,
    pub(in crate::commands) messages: Messages,
    pub(in crate::commands) several: bool,
    pub(in crate::commands) methods: Methods,
    /// What the configuration silences.
    pub(in crate::commands) allow: Vec<&'static str>,
    /// How changed texts are formatted.
    pub(in crate::commands) style: serval::FormatStyle,
    /// Where verdicts are remembered.
    pub(in crate::commands) cache: Option<Arc<Cache>>,
    /// Where each file has a line: whether a counterexample was found already, which is shown in full.
    pub(in crate::commands) found: Option<Arc<AtomicBool>>,
}

/// The report on one file, and what it means.
pub(in crate::commands) struct CheckedFile {
    pub(in crate::commands) report: FileReport,
    pub(in crate::commands) status: Status,
    /// The verdict that the header of the file promises.
    pub(in crate::commands) promise: Option<Verdict>,
    /// How much of the report as text has been printed already, in bytes.
    pub(in crate::commands) told: usize,
}

impl Checking {
    /// Checks what `load` reads, within the limits. Its report is not printed;
    /// what is wrong with the file is. Whatever happens to this file, the
    /// caller can go on with the next.
    pub(in crate::commands) fn checked(
        self: &Arc<Self>,
        name: &str,
        load: impl FnOnce() -> Result<Loaded, Failure> + Send + 'static,
    ) -> Result<CheckedFile, Failure> {
        let (checking, file) = (Arc::clone(self), name.to_owned());
        // What is known before fixes are looked for stays known, whatever becomes of that.
        let (known, know) = mpsc::channel();
        match watched(self.args.limits.time(), move |watch| checking.worked(&file, load, watch, &known)) {
            Ok(checked) => checked,
            Err(Lost::Panicked) => Ok(without_result(name, Lost::Panicked)),
            Err(lost) => Ok(know.try_recv().unwrap_or_else(|_| without_result(name, lost))),
        }
    }

    /// What the worker does.
    fn worked(
        &self,
        name: &str,
        load: impl FnOnce() -> Result<Loaded, Failure>,
        watch: &Watch,
        known: &Sender<CheckedFile>,
    ) -> Result<CheckedFile, Failure> {
        let start = now();
        let mut loaded = match watch.until(load) {
            None => return Ok(undecided(name, watch.reason())),
            Some(Ok(loaded)) => loaded,
            Some(Err(Failure::Message(text))) => {
                say(&format!("error: {}\n", escape::line(&text)));
                let mut report = FileReport::new(name, Verdict::Error);
                report.reason = Some(format!("error: {text}"));
                return Ok(CheckedFile { report, status: Status::Input, promise: None, told: 0 });
            }
            Some(Err(other)) => return Err(other),
        };
        match &mut loaded.input {
            Ok(input) => input.warnings.retain(|warning| !self.is_allowed(warning)),
            Err(mistakes) => {
                mistakes.diagnostics.retain(|diagnostic| !self.is_allowed(diagnostic));
                say(&render_diagnostics(&mistakes.diagnostics, name, &mistakes.text, self.messages.style));
                return Ok(CheckedFile { report: mistakes.report(name), status: Status::Input, promise: None, told: 0 });
            }
        }
        let (file, scaled) = self.scaled(loaded.usable(self.drawing())?)?;
        let parse = now().saturating_sub(start);
        let mut decision = self.decided(&file, watch);
        decision.findings.retain(|finding| !self.is_allowed(finding));
        self.say_what_was_found(&file, &decision.findings);
        let times = decision.times;
        let evidence = match &decision.verdict {
            serval::Verdict::NotSerializable(evidence, _) | serval::Verdict::NotStrict(evidence, _) => Some(evidence.certificate.clone()),
            _ => None,
        };
        let open = (self.looks_for_help() && self.found.is_none() && is_open(&decision)).then(|| decision.clone());
        // Whether all that the options ask for could be written.
        let is_written = Cell::new(true);
        let (mut report, status) = self.concluded(&file, decision, watch, &is_written)?;
        report.scaled = scaled;
        let promise = if self.args.scale.is_some() { None } else { file.input.promise() };
        let status = self.compared(&mut report, promise, status);
        let refuting = evidence.filter(|_| self.looks_for_fixes(&report, status));
        report.time_ms = (!self.args.no_times).then(|| Times {
            total: millis(now().saturating_sub(start)),
            parse: millis(parse),
            compile: millis(times.compile),
            decide: millis(times.decide),
            certify: millis(times.certify),
            verify: millis(times.verify),
            fix: None,
        });
        self.say_what_was_promised(&report, promise);
        let mut told = 0;
        if refuting.is_some() || open.is_some() {
            if self.args.format == OutputFormat::Text && self.found.is_none() && report.verdict != Verdict::Error {
                let text = report.to_text_before_help(self.messages.look);
                write_to(None, &text)?;
                told = text.len();
            }
            // The receiver may wait no more.
            let _ = known.send(CheckedFile { report: report.clone(), status: status.unless_written(is_written.get()), promise, told });
        }
        if let Some(decision) = open {
            report.advice = self.advised(&file, &decision, watch);
        }
        if let Some(certificate) = refuting {
            let before = now();
            let mut options = self.options(watch);
            options.cancel = watch.cancel();
            report.fix = fix_hint(&file.input, &certificate, &options);
            if let (Some(times), serval::Content::Program(_)) = (&mut report.time_ms, file.input.content()) {
                times.fix = Some(millis(now().saturating_sub(before)));
                times.total = millis(now().saturating_sub(start));
            }
        }
        if let Some(path) = &self.args.html {
            let page = page(&file.input, &report, env!("CARGO_PKG_VERSION"), &watch.cancel());
            self.save(Some(path), name, "html", &page, &is_written)?;
        }
        Ok(CheckedFile { report, status: status.unless_written(is_written.get()), promise, told })
    }

    /// The file, or with `--scale` the smaller program, with what that declares instead.
    fn scaled(&self, file: File) -> Result<(File, Vec<String>), Failure> {
        let Some(most) = self.args.scale else { return Ok((file, Vec::new())) };
        if !matches!(self.args.format, OutputFormat::Text | OutputFormat::Json) {
            return Err(Failure::message("--scale is about another program than the file: it has the formats text and json".to_owned()));
        }
        let smaller = matches!(file.input.content(), serval::Content::Program(_)).then(|| scaled(file.input.text(), most)).flatten();
        let Some(smaller) = smaller else { return Ok((file, Vec::new())) };
        match Input::program(smaller.text) {
            Ok(input) => Ok((File { input, ..file }, smaller.written)),
            Err(_) => Err(Failure::message(format!("{}: with numbers up to {most} it is no program", escape::name(&file.name)))),
        }
    }

    /// How what is wrong with a file is shown: where it has a line, warnings are only counted there.
    fn drawing(&self) -> Messages {
        Messages { quiet: self.messages.quiet || self.found.is_some(), ..self.messages }
    }

    /// Draws warnings. What the report has on the screen is not drawn beside it.
    fn say_what_was_found(&self, file: &File, findings: &[Diagnostic]) {
        let is_shown = |code: &str| self.args.format == OutputFormat::Text && HOLLOW.contains(&code);
        let drawn: Vec<Diagnostic> = findings.iter().filter(|finding| !is_shown(finding.code.0)).cloned().collect();
        say_findings(&drawn, &file.name, file.input.text(), self.drawing());
    }

    /// Whether fixes of what was refuted are looked for: where each file has a line, for the one that is shown in full.
    fn looks_for_fixes(&self, report: &FileReport, status: Status) -> bool {
        let is_shown = match &self.found {
            Some(found) => is_counterexample(report, status) && !found.swap(true, Ordering::Relaxed) || self.args.html.is_some(),
            None => true,
        };
        self.looks_for_help() && is_shown
    }

    /// The status of a file, with what its header promises if that is to count.
    fn compared(&self, report: &mut FileReport, promise: Option<Verdict>, status: Status) -> Status {
        let decided = matches!(status, Status::Fine | Status::NotSerializable);
        let Some(verdict) = promise.filter(|_| self.args.expected && decided) else { return status };
        let holds = report.verdict.keeps(verdict);
        report.expected = Some(HeaderPromise { verdict, holds });
        if holds { Status::Fine } else { Status::NotSerializable }
    }

    /// Whether fixes and advice are wanted.
    fn looks_for_help(&self) -> bool {
        !self.args.no_fix && self.args.only.is_none() && (!self.messages.quiet || self.args.html.is_some()) && self.args.scale.is_none()
    }

    /// What may help with a file that stays undecided or has too many states.
    fn advised(&self, file: &File, decision: &Decision, watch: &Watch) -> Option<Advice> {
        let mut options = self.options(watch);
        options.cancel = watch.cancel();
        if self.args.no_times {
            options.clock = || Duration::ZERO;
        }
        let found = watch.until(|| advice(&file.input, decision, &options)).flatten();
        // There is no report on what cannot be used, only what is said about it.
        if let (Some(found), serval::Verdict::Unusable(_), false) = (&found, &decision.verdict, self.messages.quiet) {
            say(&found.to_text(self.messages.look));
        }
        found
    }

    /// How a file is decided about. Fixes are looked for when its verdict has been told.
    fn options(&self, watch: &Watch) -> Options {
        let mut options = Options::default();
        options.methods = self.methods.clone();
        options.jobs = self.args.limits.jobs.unwrap_or(0);
        options.cancel = if self.looks_for_help() { watch.early() } else { watch.cancel() };
        options.clock = now;
        options.seed = self.args.seed;
        options.strict = self.args.strict;
        options.invariants = self.args.verbose || self.args.html.is_some();
        options.proof = options.invariants || self.args.format != OutputFormat::Text;
        options.fixes = false;
        options.style = self.style;
        options.keep = self.args.keep.iter().copied().collect();
        options
    }

    /// What is known: remembered and accepted by the checker again, or found out.
    fn decided(&self, file: &File, watch: &Watch) -> Decision {
        let progress = self.progress(&file.name);
        let mut options = self.options(watch);
        // A header that promises something about the order in time asks for it.
        options.strict |= matches!(file.input.promise(), Some(Verdict::Strict | Verdict::NotStrict));
        if self.args.only == Some(OnlyAsked::Faults) {
            progress.done();
            return faults(&file.input, &options);
        }
        let memory = match &self.methods {
            // What is remembered says nothing about the order in time.
            _ if options.strict => None,
            Methods::Portfolio(methods) => self.cache.as_deref().map(|cache| (cache, cache.name(&file.input, methods))),
            Methods::Classic(_) => None,
        };
        if let Some((cache, name)) = &memory {
            let recalled = watch.until(|| cache.recall(name).and_then(|certificate| recall(&file.input, &certificate, &options)));
            if let Some(decision) = recalled.flatten() {
                return decision;
            }
        }
        options.reusable = memory.is_some();
        let told = progress.clone();
        options.progress = Some(Arc::new(move |progress| told.tell(progress)));
        let decision = decide(&file.input, &options);
        progress.done();
        // What a limit has cut short may not be all that there is to say.
        if let (Some((cache, name)), true, Some(evidence), None) = (memory, decision.reusable, decision.evidence(), watch.ended()) {
            cache.remember(&name, &evidence.certificate);
        }
        decision
    }

    /// The report, after what is to be kept has been saved.
    fn concluded(&self, file: &File, decision: Decision, watch: &Watch, is_written: &Cell<bool>) -> Result<(FileReport, Status), Failure> {
        let certificate = match decision.evidence() {
            Some(evidence) => {
                self.save(self.args.certificate.as_deref(), &file.name, "certificate.json", &evidence.certificate, is_written)?
            }
            None => None,
        };
        let (mut status, mut reason, mut trace) = (Status::Undecided, None, None);
        match &decision.verdict {
            serval::Verdict::Serializable(_) | serval::Verdict::Strict(_) | serval::Verdict::Safe(_) => status = Status::Fine,
            serval::Verdict::NotSerializable(_, counterexample) | serval::Verdict::NotStrict(_, counterexample) => {
                status = Status::NotSerializable;
                if let Some(path) = &self.args.trace {
                    let steps = Trace::new(counterexample.steps.clone()).to_json();
                    trace = self.save(Some(path), &file.name, "trace.json", &steps, is_written)?;
                }
                if let Some(path) = &self.args.svg {
                    self.save(Some(path), &file.name, "svg", &html::lanes(counterexample).file(), is_written)?;
                }
            }
            serval::Verdict::Fault(_, note) => {
                status = Status::NotSerializable;
                if let Some(path) = &self.args.trace {
                    let steps = Trace::new(note.run.steps.clone()).to_json();
                    trace = self.save(Some(path), &file.name, "trace.json", &steps, is_written)?;
                }
                if let Some(path) = &self.args.svg {
                    self.save(Some(path), &file.name, "svg", &html::lanes(&note.run).file(), is_written)?;
                }
            }
            serval::Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled)) => reason = Some(watch.reason()),
            serval::Verdict::Undecided(why @ Undecided::InTime { .. }) if watch.ended().is_some() => {
                reason = Some(format!("{why}: {}", watch.reason()));
            }
            serval::Verdict::Unusable(diagnostic) => {
                status = Status::Input;
                say(&render_diagnostics(std::slice::from_ref(&**diagnostic), &file.name, file.input.text(), self.messages.style));
            }
            serval::Verdict::Refused(refused) => {
                status = Status::Internal;
                reason = Some(bug::report(file, refused, Path::new(".")));
            }
            _ => {}
        }
        let mut report = decision.into_report(&file.name, &file.input, !self.args.no_times);
        report.reason = reason.or(report.reason);
        report.trace = trace;
        if let Some(note) = &mut report.certificate {
            note.path = certificate;
        }
        Ok((report, status))
    }

    /// Saves something about a file. What cannot be written gets a message, and the file its verdict all the same.
    /// A directory that cannot be made ends the call, since it concerns all files.
    fn save(&self, path: Option<&Path>, file: &str, ending: &str, text: &str, is_written: &Cell<bool>) -> Result<Option<String>, Failure> {
        match save(path, self.several, file, ending, text) {
            Err(Failure::Message(text)) if !self.several || path.is_some_and(Path::is_dir) => {
                say(&format!("error: {}\n", escape::line(&text)));
                is_written.set(false);
                Ok(None)
            }
            other => other,
        }
    }

    /// Whether the options silence this.
    fn is_allowed(&self, diagnostic: &Diagnostic) -> bool {
        let code = diagnostic.code.0;
        diagnostic.severity != Severity::Error && (self.allow.contains(&code) || self.args.allow.iter().any(|allowed| allowed == code))
    }

    fn progress(&self, name: &str) -> ProgressLine {
        let events = self.args.progress && self.args.format == OutputFormat::Json;
        let line = !events && !self.messages.quiet && std::io::stderr().is_terminal();
        ProgressLine { file: name.to_owned(), events, line }
    }

    /// Says where the header of a file promises another verdict, unless the report does.
    fn say_what_was_promised(&self, report: &FileReport, promise: Option<Verdict>) {
        let verdict = report.verdict;
        let decided = verdict.is_proved() || verdict.is_refuted() || verdict == Verdict::Fault;
        if decided && promise.is_some_and(|promise| !verdict.keeps(promise)) && !self.messages.quiet && report.expected.is_none() {
            let words = |verdict| match verdict {
                Verdict::Serializable => "serializable",
                Verdict::Fault | Verdict::Strict | Verdict::NotStrict => verdict.on_screen(),
                _ => "not serializable",
            };
            let (name, expected) = (escape::name(&report.file), promise.map_or("", words));
            say(&format!("warning: the header of {name} expects {expected}, but it is {}\n", words(verdict)));
        }
    }
}

/// What is said about a file whose work gave no result.
fn without_result(name: &str, lost: Lost) -> CheckedFile {
    if lost != Lost::Panicked {
        return undecided(name, lost.reason());
    }
    say(&format!("internal error: {name}: this is a bug in serval; please report the message above with the input\n"));
    let mut report = FileReport::new(name, Verdict::Error);
    report.reason = Some(lost.reason());
    CheckedFile { report, status: Status::Internal, promise: None, told: 0 }
}

/// Whether there may be advice.
fn is_open(decision: &Decision) -> bool {
    match &decision.verdict {
        // Nothing helps there but patience.
        serval::Verdict::Undecided(Undecided::InTime { .. }) => false,
        serval::Verdict::Undecided(_) | serval::Verdict::Unusable(_) => true,
        _ => false,
    }
}

/// A file about which nothing is known.
fn undecided(name: &str, reason: String) -> CheckedFile {
    let mut report = FileReport::new(name, Verdict::Unknown);
    report.reason = Some(reason);
    report.ruled_out = Some(RuledOut { requests_up_to: 0, concurrent_up_to: None });
    CheckedFile { report, status: Status::Undecided, promise: None, told: 0 }
}

/// The time since the first call.
pub(in crate::commands) fn now() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Milliseconds, to the microsecond.
#[expect(clippy::float_arithmetic, reason = "a time for people; no verdict depends on it")]
pub(in crate::commands) fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
