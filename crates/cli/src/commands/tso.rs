//! `serval tso …`: programs on weak memory.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serval::tso::{TsoError, TsoEvidence, TsoInput, TsoOptions, decide_tso, fix_tso};
use serval_report::render_diagnostics;
use serval_report::tso::{TsoAnswer, TsoFix as FixReport, TsoReport, TsoRobust};

use crate::args::{Tso, TsoCheck, TsoCommand, TsoFix, TsoFormat, TsoOnly};
use crate::commands::check::{Status, millis};
use crate::failure::Failure;
use crate::input::{Messages, name_of, program_text, shown};
use crate::limits::{self, Lost, Watch, watched};
use crate::output::{say, write_file, write_to};

pub(crate) fn run(args: &Tso, messages: Messages) -> Result<ExitCode, Failure> {
    match &args.command {
        TsoCommand::Check(check) => checked(check, messages),
        TsoCommand::Fix(fix) => fixed(fix, messages),
    }
}

/// Reads a program; what is wrong with it is drawn.
fn read(path: &Path, messages: Messages) -> Result<TsoInput, Failure> {
    let name = name_of(path);
    let drawn = |diagnostics: &[serval_syntax::Diagnostic], text: &str| {
        Failure::Input(render_diagnostics(diagnostics, &name, text, messages.style))
    };
    let (text, mistake) = program_text(path)?;
    if let Some(mistake) = mistake {
        return Err(drawn(&[mistake], &text));
    }
    TsoInput::read(text).map_err(|(text, diagnostics)| drawn(&diagnostics, &text))
}

/// Says why a file cannot be used, and goes on.
fn unusable(file: &str, format: TsoFormat, failure: Failure) -> Result<Status, Failure> {
    let (text, reason) = match failure {
        Failure::Input(text) => (text.clone(), text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()),
        Failure::Message(text) => (format!("error: {text}\n"), text),
        other => return Err(other),
    };
    say(&text);
    if format == TsoFormat::Json {
        write_to(None, &TsoReport::error(file, reason).to_json())?;
    }
    Ok(Status::Input)
}

fn options(watch: &Watch, max_states: usize, buffer: usize) -> TsoOptions {
    watch.glance();
    let mut options = TsoOptions::default();
    (options.limits.states, options.limits.buffer) = (max_states, buffer);
    (options.cancel, options.check) = (watch.early(), watch.cancel());
    options
}

/// Saves what is needed to find a bug, and says so.
fn reproduce(file: &str, input: &TsoInput, reason: &str, evidence: &TsoEvidence) -> Status {
    let path = PathBuf::from(format!("serval-bug-{}.txt", evidence.program));
    let version = env!("CARGO_PKG_VERSION");
    let name = serval_report::escape::name(file);
    let text = format!("serval {version}\n{reason}\n\n--- program {name}\n{}\n--- certificate\n{}", input.text(), evidence.to_json());
    let saved = match write_file(&path, &text) {
        Ok(()) => format!("a reproduction is saved in {}", shown(&path)),
        Err(_) => "a reproduction could not be saved".to_owned(),
    };
    say(&format!("{}\nthis is a bug in serval; {saved}\n", serval_report::escape::line(reason)));
    Status::Internal
}

fn checked(args: &TsoCheck, messages: Messages) -> Result<ExitCode, Failure> {
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let directory = args.certificate.as_ref().filter(|_| args.files.len() > 1);
    if let Some(directory) = directory {
        std::fs::create_dir_all(directory).map_err(|error| Failure::message(format!("cannot make {}: {error}", shown(directory))))?;
    }
    let mut worst = Status::Fine;
    for file in &args.files {
        let name = name_of(file);
        let status = match read(file, messages) {
            Err(failure) => unusable(&name, args.format, failure)?,
            Ok(input) => checked_one(args, messages, file, &name, Arc::new(input))?,
        };
        worst = worst.max(status);
        if limits::is_interrupted() {
            return Ok(ExitCode::from(130));
        }
    }
    Ok(worst.exit_code(args.exit_zero))
}

/// Where the evidence about a file is saved.
fn saved_in(args: &TsoCheck, file: &Path) -> Option<PathBuf> {
    let path = args.certificate.as_ref()?;
    if args.files.len() == 1 {
        return Some(path.clone());
    }
    let stem = file.file_stem().map_or_else(|| "stdin".to_owned(), |stem| stem.to_string_lossy().into_owned());
    Some(path.join(format!("{stem}.certificate.json")))
}

/// A report and the evidence for it, where there is some.
type Reported = (TsoReport, Option<TsoEvidence>);

fn checked_one(args: &TsoCheck, messages: Messages, file: &Path, name: &str, input: Arc<TsoInput>) -> Result<Status, Failure> {
    let start = Instant::now();
    let (shared, called, max_states, buffer) = (Arc::clone(&input), name.to_owned(), args.max_states, usize::from(args.buffer));
    let outcome = watched(args.limits.time(), move |watch| -> Result<Reported, TsoError> {
        let decision = decide_tso(&shared, &options(watch, max_states, buffer))?;
        let evidence = (!decision.is_empty()).then(|| decision.certificate.clone());
        let mut report = decision.into_report(&called, &shared);
        if watch.ended().is_some() || watch.early().is_cancelled() {
            let reason = watch.reason();
            let reasons = report.questions.iter_mut().map(|question| &mut question.reason).chain([&mut report.robust_reason]);
            reasons.flatten().filter(|known| *known == "cancelled").for_each(|known| known.clone_from(&reason));
        }
        Ok((report, evidence))
    });
    let (mut report, evidence) = match outcome {
        Ok(Ok(reported)) => reported,
        Ok(Err(TsoError::Program(diagnostic))) => {
            let drawn = render_diagnostics(&[*diagnostic], name, input.text(), messages.style);
            return unusable(name, args.format, Failure::Input(drawn));
        }
        Ok(Err(TsoError::Refused(reason, evidence))) => {
            if args.format == TsoFormat::Json {
                write_to(None, &TsoReport::error(name, reason.clone()).to_json())?;
            }
            return Ok(reproduce(name, &input, &reason, &evidence));
        }
        Ok(Err(TsoError::Stopped)) => return undecided(args, name, "stopped before the evidence was checked".to_owned()),
        Err(Lost::Panicked) => return Err(Failure::Internal),
        Err(lost) => return undecided(args, name, lost.reason()),
    };
    if let (Some(path), Some(evidence)) = (saved_in(args, file), &evidence) {
        write_file(&path, &evidence.to_json())?;
        if let Some(certificate) = &mut report.certificate {
            certificate.path = Some(name_of(&path));
        }
    }
    report.time_ms = (!args.no_times).then(|| millis(start.elapsed()));
    let text = match args.format {
        TsoFormat::Text if messages.quiet => report.to_line(),
        TsoFormat::Text => report.to_text(),
        TsoFormat::Json => report.to_json(),
    };
    write_to(None, &text)?;
    Ok(status(&report, args.only))
}

/// That nothing is known about a file.
fn undecided(args: &TsoCheck, name: &str, reason: String) -> Result<Status, Failure> {
    let mut report = TsoReport::error(name, reason.clone());
    (report.verdict, report.reason, report.robust) = ("undecided", None, Some(TsoRobust::Undecided));
    report.robust_reason = Some(reason);
    write_to(None, &if args.format == TsoFormat::Json { report.to_json() } else { report.to_text() })?;
    Ok(Status::Undecided)
}

/// What a report means for the exit status, or the part of it that counts.
fn status(report: &TsoReport, only: Option<TsoOnly>) -> Status {
    let counts = |what: TsoOnly| only.is_none_or(|only| only == what);
    let mut worst = Status::Fine;
    if counts(TsoOnly::Robust) {
        worst = worst.max(match report.robust {
            Some(TsoRobust::Robust) | None => Status::Fine,
            Some(TsoRobust::NotRobust) => Status::NotSerializable,
            Some(TsoRobust::Undecided) => Status::Undecided,
        });
    }
    for question in &report.questions {
        let answers = [(TsoOnly::Tso, question.tso), (TsoOnly::Sc, question.sc)];
        // Without --only, it is store buffers that count: what can be reached under sequential consistency can be reached with them.
        let counted = answers.into_iter().filter(|(what, _)| only == Some(*what) || only.is_none() && *what == TsoOnly::Tso);
        for (_, answer) in counted {
            let is_demand = question.kind != serval_report::tso::TsoKind::Exists;
            worst = worst.max(match answer {
                TsoAnswer::Reachable if is_demand => Status::NotSerializable,
                TsoAnswer::Undecided => Status::Undecided,
                _ => Status::Fine,
            });
        }
    }
    worst
}

fn fixed(args: &TsoFix, messages: Messages) -> Result<ExitCode, Failure> {
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let name = name_of(&args.file);
    let input = Arc::new(read(&args.file, messages)?);
    let (shared, called, max_states) = (Arc::clone(&input), name.clone(), args.max_states);
    let outcome = watched(args.limits.time(), move |watch| {
        let fixed = fix_tso(&called, &shared, &options(watch, max_states, 1));
        let stopped = watch.early().is_cancelled().then(|| watch.reason());
        (fixed, stopped)
    });
    let (mut report, evidence) = match outcome {
        Ok((Ok((mut report, evidence)), stopped)) => {
            if report.verdict == "undecided" {
                report.reason = stopped.or(report.reason);
            }
            (report, evidence)
        }
        Ok((Err(TsoError::Program(diagnostic)), _)) => {
            return Err(Failure::Input(render_diagnostics(&[*diagnostic], &name, input.text(), messages.style)));
        }
        Ok((Err(TsoError::Refused(reason, evidence)), _)) => return Ok(reproduce(&name, &input, &reason, &evidence).exit_code(false)),
        Ok((Err(TsoError::Stopped), _)) => (without(&name, "stopped before the evidence was checked".to_owned()), None),
        Err(Lost::Panicked) => return Err(Failure::Internal),
        Err(lost) => (without(&name, lost.reason()), None),
    };
    if let (Some(path), Some(evidence)) = (&args.certificate, &evidence) {
        write_file(path, &evidence.to_json())?;
        if let Some(certificate) = &mut report.certificate {
            certificate.path = Some(name_of(path));
        }
    }
    write_to(None, &if args.format == TsoFormat::Json { report.to_json() } else { report.to_text() })?;
    if limits::is_interrupted() {
        return Ok(ExitCode::from(130));
    }
    Ok(ExitCode::from(if report.verdict == "undecided" { 3 } else { 0 }))
}

fn without(name: &str, reason: String) -> FixReport {
    FixReport { schema: 1, file: name.to_owned(), verdict: "undecided", reason: Some(reason), fences: Vec::new(), certificate: None }
}
