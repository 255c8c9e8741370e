//! `serval check FILE…`.

mod cache;
mod decide;
pub(super) mod files;
mod hint;
mod page;
mod present;
mod watch;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serval_budget::Cancel;
use serval_classic::Stages;
use serval_engine::portfolio::{METHODS, Method};
use serval_proof::{Body, Caps, Certificate, Claim, fingerprint};
use serval_report::escape;
use serval_report::{FileReport, Look, RuledOut, StageReport, StageTimes, Times, Verdict, notes, render_diagnostics, sarif};
use serval_syntax::{Diagnostic, Severity};
use serval_verify::Outcome;

use crate::args::{Check, Classic, OutputFormat};
use crate::config::{Config, Configs};
use crate::failure::Failure;
use crate::input::{self, Content, Input, Loaded, Manner};
use crate::limits::{self, Lost, Watch, watched};
use crate::output::{error_style, keep_input, say, write_file, write_to};
use cache::Cache;
use decide::{Decided, Decision, Progress, Wanted};

/// Checks all files; the status is that of the worst.
pub(crate) fn run(args: &Check, manner: Manner) -> Result<ExitCode, Failure> {
    limits::watch_interrupts();
    if args.watch {
        return watch::run(args, manner);
    }
    let files = files::all(&args.files)?;
    round(args, manner, &files, files.len() > 1)
}

/// Refuses to write one thing over another. With several files the options
/// name directories.
fn keep_apart(args: &Check, files: &[PathBuf], several: bool) -> Result<(), Failure> {
    if several {
        return Ok(());
    }
    let written = [("--certificate", &args.certificate), ("--trace", &args.trace), ("--html", &args.html), ("--svg", &args.svg)];
    for (position, (name, path)) in written.iter().enumerate() {
        if let Some((other, _)) = written[..position].iter().find(|(_, other)| path.is_some() && other == path) {
            return Err(Failure::message(format!("{other} and {name} name the same file")));
        }
        for file in files {
            keep_input(file, path.as_deref())?;
        }
    }
    Ok(())
}

/// A file, and what the command line and its configuration say about it.
struct Task<'a> {
    file: &'a Path,
    config: Arc<Config>,
    checking: Arc<Checking>,
}

/// Checks these files and prints what comes of it; what is saved goes to
/// directories if there are `several`.
fn round(args: &Check, manner: Manner, files: &[PathBuf], several: bool) -> Result<ExitCode, Failure> {
    keep_apart(args, files, several)?;
    // Mistakes in settings are told once, before anything is done.
    let mut configs = Configs::default();
    let common = configs.common(&args.files, manner.style)?;
    let mut args = common.check.for_call(args);
    // There may be many, and a copy of the options for each directory.
    args.files = Vec::new();
    let args = &args;
    let manner = match common.check.color {
        Some(colour) if !args.said.contains("color") => Manner { style: error_style(colour), ..manner },
        _ => manner,
    };
    let cache = Cache::of_user(manner.quiet).map(Arc::new);
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for file in files {
        let config = configs.of(file, manner.style)?;
        let checking = match tasks.last() {
            Some(last) if Arc::ptr_eq(&last.config, &config) => Arc::clone(&last.checking),
            _ => {
                let args = config.check.for_program(args);
                let (methods, allow) = (methods(&args.method, &args.classic)?, config.allow.clone());
                let cache = cache.clone().filter(|_| !args.no_cache);
                Arc::new(Checking { args, manner, several, methods, allow, cache })
            }
        };
        tasks.push(Task { file, config, checking });
    }
    limits::limit_memory(args.limits.memory);
    let mut worst = Status::Fine;
    let mut reports = Vec::new();
    for Task { file, checking, .. } in &tasks {
        let (args, path) = (&checking.args, file.to_path_buf());
        let kind = args.input;
        let Checked { report, status, .. } = checking.checked(&input::name_of(file), move || input::load(&path, kind))?;
        let text = match args.format {
            OutputFormat::Json => report.to_json(),
            OutputFormat::Text if report.verdict == Verdict::Error => String::new(),
            OutputFormat::Text => report.to_text(args.verbose, look()),
            OutputFormat::Github => report.to_github(),
            OutputFormat::Markdown => report.to_markdown(),
            OutputFormat::Sarif => String::new(),
        };
        write_to(None, &text)?;
        worst = worst.max(status);
        if args.format == OutputFormat::Sarif {
            reports.push(report);
        }
        if limits::is_interrupted() {
            return Ok(ExitCode::from(130));
        }
    }
    if args.format == OutputFormat::Sarif {
        write_to(None, &sarif(&reports, env!("CARGO_PKG_VERSION")))?;
    }
    Ok(worst.exit_code(args.exit_zero))
}

/// How wide the terminal is, and whether it shows more than ASCII.
fn look() -> Look {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let width = number("COLUMNS").filter(|&width| width >= 20).unwrap_or(Look::default().width);
    // As programs in C do: the first of these that is set decides.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty());
    let ascii = locale.is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        value == "c" || value == "posix" || value.contains('.') && !value.contains("utf")
    });
    Look { width, ascii }
}

/// How to decide.
#[derive(Clone, Debug)]
pub(super) enum Methods {
    /// By some of our own methods.
    Portfolio(Vec<Method>),
    /// As published.
    Classic(serval_classic::Options),
}

/// The methods that the options name.
pub(super) fn methods(names: &[String], switches: &Classic) -> Result<Methods, Failure> {
    let &Classic { no_elimination_order, no_prune, no_factor, no_slice } = switches;
    if names.iter().any(|name| name == "classic") {
        if names.len() > 1 {
            return Err(Failure::message("classic stands alone: it is a second opinion"));
        }
        let (order, prune, factor, slice) = (!no_elimination_order, !no_prune, !no_factor, !no_slice);
        return Ok(Methods::Classic(serval_classic::Options { order, prune, factor, slice, ..serval_classic::Options::default() }));
    }
    if no_elimination_order || no_prune || no_factor || no_slice {
        return Err(Failure::message("--no-elimination-order, --no-prune, --no-factor and --no-slice belong to --method classic"));
    }
    Ok(Methods::Portfolio(own_methods(names)?))
}

/// Names of our own methods.
pub(super) fn own_methods(names: &[String]) -> Result<Vec<Method>, Failure> {
    let mut methods = Vec::new();
    for name in names {
        match Method::named(name) {
            Some(method) => methods.push(method),
            None if name == "auto" => methods.extend(METHODS),
            None => {
                let known: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
                return Err(Failure::message(format!("{name} is not a method; there are auto, {}, classic", known.join(", "))));
            }
        }
    }
    methods.sort_unstable();
    methods.dedup();
    Ok(methods)
}

/// What a file means for the exit status, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    Fine,
    Undecided,
    NotSerializable,
    Input,
    Internal,
}

impl Status {
    fn exit_code(self, exit_zero: bool) -> ExitCode {
        ExitCode::from(match self {
            Self::Fine => 0,
            Self::Undecided | Self::NotSerializable if exit_zero => 0,
            Self::NotSerializable => 1,
            Self::Input => 2,
            Self::Undecided => 3,
            Self::Internal => 4,
        })
    }
}

pub(super) struct Checking {
    pub(super) args: Check,
    pub(super) manner: Manner,
    pub(super) several: bool,
    pub(super) methods: Methods,
    /// What the configuration silences.
    pub(super) allow: Vec<&'static str>,
    /// Where verdicts are remembered.
    pub(super) cache: Option<Arc<Cache>>,
}

/// A certificate, and what the checker says about it.
struct Evidence {
    written: String,
    kind: &'static str,
    outcome: Outcome,
}

/// What is remembered about a file under which name, and what came of it.
struct Memory<'a> {
    cache: &'a Cache,
    name: String,
    recalled: Option<(Decision, Evidence)>,
}

/// What came of one file.
pub(super) struct Checked {
    pub(super) report: FileReport,
    pub(super) status: Status,
    /// The verdict that the header of the file promises.
    pub(super) promise: Option<Verdict>,
}

impl Checking {
    /// Checks what `load` reads, within the limits. Its report is not printed;
    /// what is wrong with the file is. Whatever happens to this file, the
    /// caller can go on with the next.
    pub(super) fn checked(
        self: &Arc<Self>,
        name: &str,
        load: impl FnOnce() -> Result<Loaded, Failure> + Send + 'static,
    ) -> Result<Checked, Failure> {
        let (checking, file) = (Arc::clone(self), name.to_owned());
        match watched(self.args.limits.time(), move |watch| checking.decided(&file, load, watch)) {
            Ok(checked) => checked,
            Err(lost) => Ok(without_result(name, lost)),
        }
    }

    /// What the worker does.
    fn decided(&self, name: &str, load: impl FnOnce() -> Result<Loaded, Failure>, watch: &Watch) -> Result<Checked, Failure> {
        let start = Instant::now();
        let loaded = match watch.until(load) {
            None => return Ok(undecided(name, watch.reason())),
            Some(Ok(loaded)) => loaded,
            Some(Err(Failure::Message(text))) => {
                let drawn = format!("error: {}\n", escape::line(&text));
                return Ok(unusable(name, &drawn, Some(format!("error: {text}")), Vec::new()));
            }
            Some(Err(other)) => return Err(other),
        };
        let mut loaded = loaded;
        loaded.diagnostics.retain(|diagnostic| !self.is_allowed(diagnostic));
        let mut found = notes(&loaded.diagnostics, &loaded.text);
        let input = match loaded.usable(self.manner) {
            Ok(input) => input,
            Err(Failure::Input(drawn)) => {
                let first = found.first().map(|note| format!("{}[{}]: {}", note.severity, note.code, note.message));
                return Ok(unusable(name, &drawn, first, found));
            }
            Err(other) => return Err(other),
        };
        let mut times = Times { parse: millis(start.elapsed()), ..Times::default() };
        let mut memory = watch.until(|| self.memory(&input, watch, &mut times)).flatten();
        let (decision, evidence) = match memory.as_mut().and_then(|memory| memory.recalled.take()) {
            Some((decision, evidence)) => {
                // There is nothing to write down anew.
                memory = None;
                (decision, Some(evidence))
            }
            None => {
                let progress = self.progress(name);
                let (jobs, cancel) = (self.args.limits.jobs, watch.cancel());
                let wanted = Wanted { words: self.in_words(), lasting: memory.is_some() };
                let decision = watch.until(|| decide::decide(&input, &self.methods, jobs, &cancel, &progress, wanted));
                (decision.unwrap_or_else(|| Decision::new(Decided::Unknown { reason: None })), None)
            }
        };
        times.compile = millis(decision.compile_time);
        times.decide = millis(decision.decide_time);
        let mut decision = decision;
        decision.findings.retain(|finding| !self.is_allowed(finding));
        if !self.manner.quiet && decision.findings.iter().any(|finding| finding.severity <= Severity::Warning) {
            say(&render_diagnostics(&decision.findings, &input.name, &input.text, self.manner.style));
        }
        found.extend(notes(&decision.findings, &input.text));
        let lasting = decision.lasting;
        let (mut report, status, certificate) = self.conclude(&input, decision, evidence, watch, &mut times)?;
        // What a limit has cut short may not be all that there is to say.
        if let (Some(Memory { cache, name, .. }), true, Some(certificate), None) = (memory, lasting, certificate, watch.ended()) {
            cache.remember(&name, &certificate);
        }
        report.notes.splice(0..0, found);
        times.total = millis(start.elapsed());
        report.time_ms = (!self.args.no_times).then_some(times);
        self.compare_with_promise(&input, report.verdict);
        if self.args.html.is_some() {
            self.save(self.args.html.as_deref(), &input.name, "html", &page::page(&input, &report, &watch.cancel()))?;
        }
        Ok(Checked { report, status, promise: promise(&input) })
    }

    /// Whether what holds at every moment is to be told in words.
    fn in_words(&self) -> bool {
        self.args.verbose || self.args.html.is_some()
    }

    /// Whether the options silence this.
    fn is_allowed(&self, diagnostic: &Diagnostic) -> bool {
        let code = diagnostic.code.0;
        diagnostic.severity != Severity::Error && (self.allow.contains(&code) || self.args.allow.iter().any(|allowed| allowed == code))
    }

    fn progress(&self, name: &str) -> Progress {
        let events = self.args.progress && self.args.format == OutputFormat::Json;
        let line = !events && !self.manner.quiet && std::io::stderr().is_terminal();
        Progress { file: name.to_owned(), events, line }
    }

    /// What is remembered about an input, if anything can be. The certificate
    /// of an entry has been accepted by the checker when this returns it.
    fn memory(&self, input: &Input, watch: &Watch, times: &mut Times) -> Option<Memory<'_>> {
        let Methods::Portfolio(methods) = &self.methods else { return None };
        let cache = self.cache.as_deref()?;
        let name = cache.name(input, methods);
        let recalled = cache.recall(&name).and_then(|written| self.recalled(input, written, methods, watch, times));
        Some(Memory { cache, name, recalled })
    }

    /// A proof that is remembered, if the checker accepts it for this very input.
    fn recalled(
        &self,
        input: &Input,
        written: String,
        methods: &[Method],
        watch: &Watch,
        times: &mut Times,
    ) -> Option<(Decision, Evidence)> {
        let start = Instant::now();
        let outcome = verified(input, &written, &watch.cancel());
        times.verify = millis(start.elapsed());
        let Outcome::Valid(_) = outcome else { return None };
        let certificate = Certificate::from_json(&written).ok().filter(|certificate| certificate.to_json() == written)?;
        let kind = certificate.body.kind().name();
        if certificate.claim != Claim::Serializable {
            return None;
        }
        let decision = decide::recalled(input, certificate.body, methods, &watch.cancel(), self.in_words())?;
        Some((decision, Evidence { written, kind, outcome }))
    }

    /// The report, and the certificate if there is a verdict. Without
    /// `evidence` it is made, and checked.
    fn conclude(
        &self,
        input: &Input,
        decision: Decision,
        evidence: Option<Evidence>,
        watch: &Watch,
        times: &mut Times,
    ) -> Result<(FileReport, Status, Option<String>), Failure> {
        let mut report = FileReport::new(&input.name, Verdict::Unknown);
        report.sizes = decision.sizes;
        report.stuck = decision.stuck;
        report.words = decision.words;
        report.stages = decision.stages.into_iter().map(|stages| stage_report(&stages, !self.args.no_times)).collect();
        report.ruled_out = Some(decision.ruled_out);
        let mut certified = None;
        let status = match decision.decided {
            Decided::Refuted { run, component, minimal, method } => {
                let body = Body::Run(run.clone());
                let evidence = evidence.unwrap_or_else(|| evidence_of(input, body, component, Claim::NotSerializable, watch, times));
                let (status, certificate) = self.certify(input, evidence, (Verdict::NotSerializable, method), &mut report, watch)?;
                certified = certificate;
                if status == Status::NotSerializable {
                    let shown = present::counterexample(input, &run, component, minimal);
                    let trace = serval_report::Trace::new(shown.steps.clone()).to_json();
                    report.trace = self.save(self.args.trace.as_deref(), &input.name, "trace.json", &trace)?;
                    if self.args.svg.is_some() {
                        let drawing = serval_report::html::lanes(&shown).file();
                        self.save(self.args.svg.as_deref(), &input.name, "svg", &drawing)?;
                    }
                    report.counterexample = Some(shown);
                    if let (Content::Program(_), false) = (&input.content, self.args.no_fix || self.manner.quiet) {
                        let start = Instant::now();
                        report.fix = hint::hint(&input.text, &run, component, limits::threads(self.args.limits.jobs), &watch.cancel());
                        times.fix = Some(millis(start.elapsed()));
                    }
                }
                status
            }
            Decided::Proved { body, method } => {
                let evidence = evidence.unwrap_or_else(|| evidence_of(input, body, 0, Claim::Serializable, watch, times));
                let (status, certificate) = self.certify(input, evidence, (Verdict::Serializable, method), &mut report, watch)?;
                certified = certificate;
                status
            }
            Decided::Unknown { reason } => {
                report.reason = Some(reason.unwrap_or_else(|| watch.reason()));
                Status::Undecided
            }
            Decided::Unusable { diagnostic } => {
                say(&render_diagnostics(std::slice::from_ref(&diagnostic), &input.name, &input.text, self.manner.style));
                report.verdict = Verdict::Error;
                report.reason = Some(diagnostic.message.clone());
                report.notes = notes(std::slice::from_ref(&diagnostic), &input.text);
                Status::Input
            }
        };
        Ok((report, status, certified))
    }

    /// The verdict becomes the report's if the checker has accepted its
    /// evidence; then the certificate is returned, too.
    fn certify(
        &self,
        input: &Input,
        Evidence { written, kind, outcome }: Evidence,
        (verdict, method): (Verdict, &'static str),
        report: &mut FileReport,
        watch: &Watch,
    ) -> Result<(Status, Option<String>), Failure> {
        let (claim, words, status) = match verdict {
            Verdict::Serializable => (Claim::Serializable, "serializable", Status::Fine),
            _ => (Claim::NotSerializable, "not serializable", Status::NotSerializable),
        };
        let undecided = match outcome {
            Outcome::Valid(valid) if valid.claim == claim => {
                report.verdict = verdict;
                if verdict == Verdict::Serializable {
                    report.ruled_out = None;
                }
                report.method = Some(method);
                let path = self.save(self.args.certificate.as_deref(), &input.name, "certificate.json", &written)?;
                report.certificate = Some(serval_report::CertificateNote { kind, path, verified: true });
                return Ok((status, Some(written)));
            }
            Outcome::TooLarge(what) => format!("uncertified: {} says {words}, but checking it is too large: {what}", method),
            Outcome::Cancelled => watch.reason(),
            refused => {
                report.verdict = Verdict::Error;
                report.reason = Some(internal(input, &written, &refused, Path::new(".")));
                return Ok((Status::Internal, None));
            }
        };
        report.reason = Some(undecided);
        Ok((Status::Undecided, None))
    }

    /// Saves a file where the option asks for it: the path itself for one
    /// input, a file in that directory for several.
    fn save(&self, path: Option<&Path>, input: &str, ending: &str, text: &str) -> Result<Option<String>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let target: PathBuf = if self.several {
            std::fs::create_dir_all(path).map_err(|error| Failure::message(format!("cannot make {}: {error}", input::shown(path))))?;
            // A name that begins with a dot would be hidden.
            path.join(format!("{}.{ending}", input.replace(['/', '\\'], "_").trim_start_matches(['.', '_'])))
        } else {
            path.to_owned()
        };
        write_file(&target, text)?;
        Ok(Some(input::name_of(&target)))
    }

    /// Says where the header of a file promises another verdict.
    fn compare_with_promise(&self, input: &Input, verdict: Verdict) {
        let decided = matches!(verdict, Verdict::Serializable | Verdict::NotSerializable);
        if decided && promise(input).is_some_and(|promise| promise != verdict) && !self.manner.quiet {
            say(&format!("warning: the header of {} expects another verdict\n", escape::name(&input.name)));
        }
    }
}

/// Writes the evidence for a claim down and has it checked.
fn evidence_of(input: &Input, body: Body, component: usize, claim: Claim, watch: &Watch, times: &mut Times) -> Evidence {
    let start = Instant::now();
    let certificate = Certificate { input: fingerprint(&input.text), component, claim, body };
    let written = certificate.to_json();
    times.certify = millis(start.elapsed());
    let start = Instant::now();
    let outcome = verified(input, &written, &watch.cancel());
    times.verify = millis(start.elapsed());
    Evidence { written, kind: certificate.body.kind().name(), outcome }
}

/// What the published method did with one component.
#[expect(clippy::float_arithmetic, reason = "times for people; no verdict depends on them")]
fn stage_report(stages: &Stages, times: bool) -> StageReport {
    let seconds = stages.serial_time + stages.slice_time + stages.reach_time + stages.certify_time;
    let parts = [stages.serial_time, stages.slice_time, stages.reach_time, stages.certify_time, seconds];
    let [semilinear, slicing, reachability, certificate, total] = parts.map(|time| (time.as_secs_f64() * 10_000.0).round() / 10.0);
    StageReport {
        automaton_states: stages.automaton.0,
        automaton_edges: stages.automaton.1,
        regex_size: stages.regex.0,
        star_height: stages.regex.1,
        components: stages.components,
        most_components: stages.most_components,
        periods: stages.periods,
        most_periods: stages.most_periods,
        disjuncts: stages.disjuncts,
        sliced_away: stages.sliced_away,
        places: stages.net.0,
        transitions: stages.net.1,
        places_left: stages.left.0,
        transitions_left: stages.left.1,
        refinements: stages.refinements,
        clauses: stages.invariant.0,
        trees: stages.invariant.1,
        time_ms: times.then_some(StageTimes { semilinear, slicing, reachability, certificate, total }),
    }
}

fn unusable(name: &str, drawn: &str, reason: Option<String>, notes: Vec<serval_report::Note>) -> Checked {
    say(drawn);
    let mut report = FileReport::new(name, Verdict::Error);
    report.reason = reason;
    report.notes = notes;
    Checked { report, status: Status::Input, promise: None }
}

/// What is said about a file whose work gave no result.
fn without_result(name: &str, lost: Lost) -> Checked {
    if lost != Lost::Panicked {
        return undecided(name, lost.reason());
    }
    say(&format!("internal error: {name}: this is a bug in serval; please report the message above with the input\n"));
    let mut report = FileReport::new(name, Verdict::Error);
    report.reason = Some(lost.reason());
    Checked { report, status: Status::Internal, promise: None }
}

/// A file about which nothing is known.
fn undecided(name: &str, reason: String) -> Checked {
    let mut report = FileReport::new(name, Verdict::Unknown);
    report.reason = Some(reason);
    report.ruled_out = Some(RuledOut { requests_up_to: 0, concurrent_up_to: None });
    Checked { report, status: Status::Undecided, promise: None }
}

/// The verdict that the header of a program promises.
fn promise(input: &Input) -> Option<Verdict> {
    let Content::Program(program) = &input.content else { return None };
    program.expectation.as_ref().map(|promise| match promise.verdict {
        serval_syntax::Verdict::Serializable => Verdict::Serializable,
        serval_syntax::Verdict::NotSerializable => Verdict::NotSerializable,
    })
}

/// What the independent checker says.
fn verified(input: &Input, certificate: &str, cancel: &Cancel) -> Outcome {
    let kind = match input.content {
        Content::Program(_) => serval_verify::InputKind::Program,
        Content::Systems(_) => serval_verify::InputKind::System,
    };
    let raised = cancel.clone();
    let checked = || serval_verify::verify(&input.text, kind, certificate, &Caps::default(), cancel);
    serval_budget::checkpoint::until(move || raised.is_cancelled(), checked).unwrap_or(Outcome::Cancelled)
}

/// A certificate that the checker refuses is a bug; saves what is needed to
/// find it in `directory`.
fn internal(input: &Input, certificate: &str, refused: &Outcome, directory: &Path) -> String {
    let why = refused.line(&input.name, "certificate", &input.text);
    let path = directory.join(format!("serval-bug-{}.txt", fingerprint(&input.text)));
    let version = env!("CARGO_PKG_VERSION");
    let text =
        format!("serval {version}\n{why}\n\n--- input {}\n{}\n--- certificate\n{certificate}\n", escape::name(&input.name), input.text);
    let saved = match write_file(&path, &text) {
        Ok(()) => format!("a reproduction is saved in {}", input::shown(&path)),
        Err(_) => "a reproduction could not be saved".to_owned(),
    };
    say(&format!("internal error: the checker refuses our evidence: {why}\nthis is a bug in serval; {saved}\n"));
    format!("internal error: {why}; {saved}")
}

/// Milliseconds, to the microsecond.
#[expect(clippy::float_arithmetic, reason = "a time for people; no verdict depends on it")]
pub(super) fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_evidence_is_an_internal_error_with_a_reproduction() {
        let text = "request a { X := 1 - X }".to_owned();
        let program = serval_syntax::analyze(&text).program.unwrap();
        let input = Input { name: "a.ser".to_owned(), text, content: Content::Program(program) };
        // The empty run has serial answers: none.
        let certificate = Certificate {
            input: fingerprint(&input.text),
            component: 0,
            claim: Claim::NotSerializable,
            body: Body::Run(serval_proof::RunCertificate::default()),
        };
        let written = certificate.to_json();
        let refused = verified(&input, &written, &Cancel::new());
        assert!(matches!(&refused, Outcome::Invalid(rejection) if rejection.condition.name() == "run.serial"), "{refused:?}");
        let directory = std::env::temp_dir().join(format!("serval-internal-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let reason = internal(&input, &written, &refused, &directory);
        let saved: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(saved.len(), 1);
        assert!(reason.contains(&saved[0].display().to_string()) && reason.contains("run.serial"), "{reason}");
        let kept = std::fs::read_to_string(&saved[0]).unwrap();
        assert!(kept.contains(&input.text) && kept.contains("serval-certificate"));
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn the_gravest_status_wins() {
        let order = [Status::Fine, Status::Undecided, Status::NotSerializable, Status::Input, Status::Internal];
        assert!(order.is_sorted());
        let codes = order.map(|status| status.exit_code(false));
        assert_eq!(codes, [0, 3, 1, 2, 4].map(ExitCode::from));
        assert_eq!(order.map(|status| status.exit_code(true)), [0, 0, 0, 2, 4].map(ExitCode::from));
    }
}
