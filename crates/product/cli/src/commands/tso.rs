//! `serval tso …`: programs on weak memory.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serval::tso::{Syntax, TsoError, TsoEvidence, TsoGoal, TsoInput, TsoMeans, TsoOptions, TsoRepair, TsoWanted, decide_tso, fix_tso};
use serval_report::render_diagnostics;
use serval_report::tso::{TsoAnswer, TsoFix as FixReport, TsoReport, TsoRobust};

use crate::args::{Tso, TsoAim, TsoCheck, TsoCheckFormat, TsoCommand, TsoFix, TsoFormat, TsoInputKind, TsoOnly, TsoWith};
use crate::commands::check::{Status, millis, name_in_directory, save};
use crate::doors::Door;
use crate::failure::Failure;
use crate::input::{Messages, name_of, program_text, shown};
use crate::limits::{self, Lost, Watch, watched};
use crate::output::{rewrite_file, say, write_file, write_to};

pub(crate) fn run(args: &Tso, messages: Messages) -> Result<ExitCode, Failure> {
    match &args.command {
        TsoCommand::Check(check) => checked(check, messages),
        TsoCommand::Fix(fix) => fixed(fix, messages),
    }
}

/// How a file is written: as the command line says, or its name, or its text. What is for another command is sent
/// there; what says nothing is a program, so that its mistakes are shown.
fn syntax_of(asked: &str, path: &Path, text: &str, given: Option<TsoInputKind>) -> Result<Syntax, Failure> {
    match given {
        Some(TsoInputKind::Litmus) => return Ok(Syntax::Litmus),
        Some(TsoInputKind::Tso) => return Ok(Syntax::Tso),
        None => {}
    }
    match Door::of_name(path).or_else(|| Door::of_text(text)) {
        Some(Door::WeakMemory(syntax)) => Ok(syntax),
        Some(other) => Err(other.elsewhere(asked, path)),
        None => Ok(Syntax::Tso),
    }
}

/// Reads a program for a command; what is wrong with it is drawn.
pub(super) fn read(asked: &str, path: &Path, given: Option<TsoInputKind>, messages: Messages) -> Result<TsoInput, Failure> {
    let name = name_of(path);
    let drawn =
        |diagnostics: &[serval::Diagnostic], text: &str| Failure::Input(render_diagnostics(diagnostics, &name, text, messages.style));
    let (text, mistake) = program_text(path)?;
    if let Some(mistake) = mistake {
        return Err(drawn(&[mistake], &text));
    }
    let syntax = syntax_of(asked, path, &text, given)?;
    TsoInput::read_as(text, syntax).map_err(|(text, diagnostics)| drawn(&diagnostics, &text))
}

/// Reads a program, and asks what the command line asks.
fn read_asked(args: &TsoCheck, path: &Path, messages: Messages) -> Result<TsoInput, Failure> {
    let mut input = read("check", path, args.input, messages)?;
    for question in &args.question {
        input.ask(question).map_err(|mistakes| Failure::Input(render_diagnostics(&mistakes, "--question", question, messages.style)))?;
    }
    Ok(input)
}

/// Says why a file cannot be used, and goes on.
fn unusable(file: &str, format: TsoCheckFormat, failure: Failure) -> Result<Status, Failure> {
    let (text, reason) = match failure {
        Failure::Input(text) => (text.clone(), text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()),
        Failure::Message(text) => (format!("error: {text}\n"), text),
        other => return Err(other),
    };
    say(&text);
    if format != TsoCheckFormat::Text {
        write_to(None, &written(&TsoReport::error(file, reason), format, false))?;
    }
    Ok(Status::Input)
}

/// A report in a format.
fn written(report: &TsoReport, format: TsoCheckFormat, quiet: bool) -> String {
    match format {
        TsoCheckFormat::Text if quiet => report.to_line(),
        TsoCheckFormat::Text => report.to_text(),
        TsoCheckFormat::Json => report.to_json(),
        TsoCheckFormat::Github => report.to_github(),
        TsoCheckFormat::Markdown => report.to_markdown(),
    }
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
        let status = match read_asked(args, file, messages) {
            Err(failure) => unusable(&name, args.format, failure)?,
            Ok(input) => checked_one(args, messages, &name, Arc::new(input))?,
        };
        worst = worst.max(status);
        if limits::is_interrupted() {
            return Ok(ExitCode::from(130));
        }
    }
    Ok(worst.exit_code(args.exit_zero))
}

/// Where the evidence about a file is saved.
fn saved_in(args: &TsoCheck, name: &str) -> Option<PathBuf> {
    let path = args.certificate.as_ref()?;
    // Files of one name in two directories have evidence of their own.
    Some(if args.files.len() == 1 { path.clone() } else { path.join(name_in_directory(name, "certificate.json")) })
}

/// A report and the evidence for it, where there is some.
type Reported = (TsoReport, Option<TsoEvidence>);

fn checked_one(args: &TsoCheck, messages: Messages, name: &str, input: Arc<TsoInput>) -> Result<Status, Failure> {
    let start = Instant::now();
    if let (Some(copies), Some(most)) = (args.copies, input.most_copies())
        && copies > most
    {
        let message = format!("{copies} copies of each `thread*` of {name} are too many threads; at most {most} are possible");
        return unusable(name, args.format, Failure::message(message));
    }
    let (shared, called, asked) = (Arc::clone(&input), name.to_owned(), args.clone());
    let outcome = watched(args.limits.time(), move |watch| -> Result<Reported, TsoError> {
        let mut options = options(watch, asked.max_states, usize::from(asked.buffer));
        options.method = asked.by();
        (options.copies, options.final_states) = (asked.copies, asked.final_states);
        let decision = decide_tso(&shared, &options)?;
        let mut report = decision.report(&called, &shared);
        // It may be long, and is not copied.
        let evidence = (!decision.is_empty()).then_some(decision.certificate);
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
            if args.format != TsoCheckFormat::Text {
                write_to(None, &written(&TsoReport::error(name, reason.clone()), args.format, false))?;
            }
            return Ok(reproduce(name, &input, &reason, &evidence));
        }
        Ok(Err(TsoError::Stopped)) => return undecided(args, name, "stopped before the evidence was checked".to_owned()),
        Err(Lost::Panicked) => return Err(Failure::Internal),
        Err(lost) => return undecided(args, name, lost.reason()),
    };
    if let (Some(path), Some(evidence)) = (saved_in(args, name), &evidence) {
        write_file(&path, &evidence.to_json())?;
        if let Some(certificate) = &mut report.certificate {
            certificate.path = Some(name_of(&path));
        }
    }
    report.time_ms = (!args.no_times).then(|| millis(start.elapsed()));
    if let Some(path) = &args.html {
        save(Some(path), args.files.len() > 1, name, "html", &report.to_html(input.text(), env!("CARGO_PKG_VERSION")))?;
    }
    let mut text = written(&report, args.format, messages.quiet);
    if args.verbose && args.format == TsoCheckFormat::Text && !messages.quiet {
        text += &report.rests_on();
    }
    write_to(None, &text)?;
    Ok(status(&report, args.only))
}

/// That nothing is known about a file.
fn undecided(args: &TsoCheck, name: &str, reason: String) -> Result<Status, Failure> {
    let mut report = TsoReport::error(name, reason.clone());
    (report.verdict, report.reason, report.robust) = ("undecided", None, Some(TsoRobust::Undecided));
    report.robust_reason = Some(reason);
    write_to(None, &written(&report, args.format, false))?;
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
        // Without --only, it is store buffers that count: what can be reached under sequential consistency can be
        // reached with them.
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
    if args.apply.is_some() && args.file == Path::new("-") {
        return Err(Failure::message("--apply changes a file, and standard input is none"));
    }
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let name = name_of(&args.file);
    let input = Arc::new(read("fix", &args.file, None, messages)?);
    let (shared, called, asked) = (Arc::clone(&input), name.clone(), args.clone());
    let outcome = watched(args.limits.time(), move |watch| {
        let mut options = options(watch, asked.max_states, TsoOptions::default().limits.buffer);
        options.fix = wanted(&asked);
        let fixed = fix_tso(&called, &shared, &options);
        // What is to be written is proved under the same limits.
        let written = match (&fixed, asked.apply) {
            (Ok(repair), Some(number)) if repair.report.verdict == "fixed" => Some(repair.written(number, &shared, &options)),
            _ => None,
        };
        let stopped = watch.early().is_cancelled().then(|| watch.reason());
        (fixed, written, stopped)
    });
    let (mut report, evidence, written) = match outcome {
        Ok((Ok(TsoRepair { mut report, certificate, .. }), written, stopped)) => {
            if report.verdict == "undecided" {
                report.reason = stopped.or(report.reason);
            }
            (report, certificate, written)
        }
        Ok((Err(TsoError::Program(diagnostic)), ..)) => {
            return Err(Failure::Input(render_diagnostics(&[*diagnostic], &name, input.text(), messages.style)));
        }
        Ok((Err(TsoError::Refused(reason, evidence)), ..)) => return Ok(reproduce(&name, &input, &reason, &evidence).exit_code(false)),
        Ok((Err(TsoError::Stopped), ..)) => (without(args, &name, "stopped before the evidence was checked".to_owned()), None, None),
        Err(Lost::Panicked) => return Err(Failure::Internal),
        Err(lost) => (without(args, &name, lost.reason()), None, None),
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
    if let Some(written) = written {
        let text = written.map_err(|why| Failure::message(format!("nothing is written to {name}: {why}")))?;
        let written = rewrite_file(&args.file, &text)?;
        if !messages.quiet {
            say(&format!("set {} is written to {}{}\n", args.apply.unwrap_or(1), shown(&args.file), written.words()));
        }
    }
    // A program that is robust and violates what is demanded of it is not well.
    Ok(ExitCode::from(match (report.verdict, report.unhelped()) {
        ("impossible", _) | (_, Some(TsoAnswer::Reachable)) => 1,
        ("undecided", _) | (_, Some(_)) => 3,
        _ => 0,
    }))
}

fn wanted(args: &TsoFix) -> TsoWanted {
    TsoWanted {
        means: if args.with == TsoWith::Xchg { TsoMeans::Locked } else { TsoMeans::Fence },
        goal: if args.goal == TsoAim::Reach { TsoGoal::Reach } else { TsoGoal::Robust },
        loop_cost: args.cost.unwrap_or(1),
        sets: usize::from(args.all),
    }
}

fn without(args: &TsoFix, name: &str, reason: String) -> FixReport {
    let goal = if args.goal == TsoAim::Reach { "reach" } else { "robust" };
    FixReport { reason: Some(reason), ..FixReport::undecided(name, goal) }
}
