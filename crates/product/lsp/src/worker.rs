//! The thread that decides about a text.

mod others;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serval::{Cancel, FormatStyle, Input, InputKind, Options, Verdict, decide, fix_hint};
use serval_budget::checkpoint;
use serval_ide::Told;
use serval_report::FileReport;
use serval_report::fix::FixHint;

use crate::kinds::Decider;

/// A text to decide about.
pub(crate) struct Job {
    /// Which job it is.
    pub(crate) number: u64,
    pub(crate) uri: String,
    pub(crate) version: i64,
    pub(crate) text: String,
    pub(crate) kind: Decider,
    pub(crate) style: FormatStyle,
    pub(crate) strict: bool,
    /// Codes that are not wanted.
    pub(crate) allow: Vec<String>,
    /// Ends the decision.
    pub(crate) deciding: Cancel,
    /// Ends the search for fixes.
    pub(crate) fixing: Cancel,
}

impl Job {
    /// The name of the file, without its folder.
    fn name(&self) -> &str {
        self.uri.rsplit('/').next().unwrap_or_default()
    }
}

/// A changed text that is proved to be what was wanted.
pub(crate) struct ProvedFix {
    /// What is done, in words.
    pub(crate) words: String,
    /// The changed text, which is what the proof is about, byte by byte.
    pub(crate) text: String,
}

/// The changed texts of a hint, each with what is done.
fn proved(hint: FixHint) -> Vec<ProvedFix> {
    hint.orders().into_iter().zip(hint.texts).map(|(words, text)| ProvedFix { words, text }).collect()
}

/// What became of a job.
pub(crate) struct Outcome {
    /// Of which job.
    pub(crate) number: u64,
    pub(crate) uri: String,
    pub(crate) version: i64,
    pub(crate) found: WorkDone,
}

pub(crate) enum WorkDone {
    /// The verdict; whether fixes are looked for next.
    Report(Box<FileReport>, bool),
    /// The verdict about a text that is no program of requests; whether fixes are looked for next.
    Told(Box<Told>, bool),
    /// Changed texts that are proved.
    Fixes(Vec<ProvedFix>),
    /// It was stopped before there was a verdict.
    Stopped,
    /// The text is no input.
    Mistakes,
    /// A mistake in serval.
    Panicked,
}

/// Does the job; hands over what it finds until that is not wanted any more.
fn work(job: &Job, found: &dyn Fn(Outcome) -> bool) {
    let tell = |what| found(Outcome { number: job.number, uri: job.uri.clone(), version: job.version, found: what });
    if catch_unwind(AssertUnwindSafe(|| one(job, &tell))).is_err() {
        tell(WorkDone::Panicked);
    }
}

/// Tells what comes out; whether that is still wanted.
fn one(job: &Job, tell: &dyn Fn(WorkDone) -> bool) -> bool {
    match job.kind {
        Decider::Requests(kind) => requests(job, kind, tell),
        Decider::WeakMemory(syntax) => others::weak_memory(job, syntax, tell),
        Decider::Net(kind) => others::net(job, kind, tell),
    }
}

fn requests(job: &Job, kind: InputKind, tell: &dyn Fn(WorkDone) -> bool) -> bool {
    let stop = job.deciding.clone();
    let read = checkpoint::until(move || stop.is_cancelled(), || Input::read(job.text.clone(), kind));
    let mut input = match read {
        None => return tell(WorkDone::Stopped),
        Some(Err(_)) => return tell(WorkDone::Mistakes),
        Some(Ok(input)) => input,
    };
    let is_wanted = |code: &str| !job.allow.iter().any(|allowed| allowed == code);
    input.warnings.retain(|warning| is_wanted(warning.code.0));
    let mut options = Options::default();
    options.cancel = job.deciding.clone();
    options.fixes = false;
    options.style = job.style;
    options.strict = job.strict || matches!(input.promise(), Some(serval_report::Verdict::Strict | serval_report::Verdict::NotStrict));
    let mut decision = decide(&input, &options);
    decision.findings.retain(|finding| is_wanted(finding.code.0));
    let refuted = match &decision.verdict {
        Verdict::NotSerializable(evidence, _) | Verdict::NotStrict(evidence, _) => Some(evidence.certificate.clone()),
        Verdict::Undecided(serval::Undecided::Stopped(_)) if job.fixing.is_cancelled() => return tell(WorkDone::Stopped),
        _ => None,
    };
    let report = decision.into_report(job.name(), &input, false);
    if !tell(WorkDone::Report(Box::new(report), refuted.is_some())) {
        return false;
    }
    let Some(certificate) = refuted else { return true };
    options.cancel = job.fixing.clone();
    let fixes = fix_hint(&input, &certificate, &options).map_or_else(Vec::new, proved);
    tell(WorkDone::Fixes(fixes))
}

/// Begins with a job on a thread of its own.
pub(crate) fn start(job: Job, found: impl Fn(Outcome) -> bool + Send + 'static) -> std::io::Result<()> {
    // As much stack as the main thread usually has.
    let builder = std::thread::Builder::new().name("verdict".to_owned()).stack_size(8 << 20);
    builder.spawn(move || work(&job, &found)).map(|_| ())
}
