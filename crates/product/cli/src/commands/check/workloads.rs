//! `serval check DIR` of workloads of SQL.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serval::Options;
use serval::sql::Workload;
use serval_replay::{ServerAddress, followed_text};
use serval_report::html::{self, IndexEntry};
use serval_report::{FileReport, GrownNote, SqlRun, Times, Verdict, escape, sarif};

use super::{Status, millis, name_in_directory, save};
use crate::args::{Check, OutputFormat};
use crate::commands::sql::replay::followed;
use crate::failure::Failure;
use crate::input::Messages;
use crate::limits::{self, watched};
use crate::output::{say, write_file, write_to};
use crate::workload::{drawn, files_of, name_of};

/// What came of one workload.
struct CheckedWorkload {
    report: FileReport,
    statements: Vec<String>,
    certificate: Option<String>,
    run: Option<SqlRun>,
    /// Whether the checker did not take the evidence.
    refused: bool,
}

/// Checks workloads one after the other; the status is that of the worst.
pub(super) fn run(args: &Check, messages: Messages, workloads: &[Vec<PathBuf>]) -> Result<ExitCode, Failure> {
    if args.scale.is_some() || args.expected || !args.keep.is_empty() {
        return Err(Failure::message("--scale, --expected and --keep are about programs"));
    }
    if args.strict {
        return Err(Failure::message("--strict is about programs: what a workload of SQL becomes says nothing about the order in time"));
    }
    if args.only.is_some() {
        return Err(Failure::message("--only is about programs"));
    }
    limits::limit_memory(args.limits.memory);
    let several = workloads.len() > 1;
    let mut worst = Status::Fine;
    let mut reports = Vec::new();
    for (position, paths) in workloads.iter().enumerate() {
        let status = match one(args, messages, paths, several) {
            Ok((text, report, status)) => {
                let gap = if position > 0 && args.format == OutputFormat::Text && !messages.quiet { "\n" } else { "" };
                write_to(None, &format!("{gap}{text}"))?;
                reports.push(report);
                status
            }
            Err(Failure::Input(text)) => {
                say(&text);
                Status::Input
            }
            Err(Failure::Message(text)) => {
                say(&format!("error: {}\n", escape::line(&text)));
                Status::Input
            }
            Err(other) => return Err(other),
        };
        worst = worst.max(status);
        if limits::is_interrupted() {
            return Ok(ExitCode::from(130));
        }
    }
    if let Some(directory) = args.html.as_deref().filter(|_| several) {
        let entries: Vec<IndexEntry> =
            reports.iter().map(|report| IndexEntry::new(report, &name_in_directory(&report.file, "html"))).collect();
        write_file(&directory.join("index.html"), &html::index(&entries, env!("CARGO_PKG_VERSION")))?;
    }
    if args.format == OutputFormat::Sarif {
        write_to(None, &sarif(&reports, env!("CARGO_PKG_VERSION")))?;
    }
    Ok(worst.exit_code(args.exit_zero))
}

fn one(args: &Check, messages: Messages, paths: &[PathBuf], several: bool) -> Result<(String, FileReport, Status), Failure> {
    let name = name_of(paths);
    let methods = super::methods(&args.method, &args.classic)?;
    let workload = match Workload::read(&files_of(paths, &args.sql, messages)?) {
        Ok(workload) => Arc::new(workload),
        Err(mistakes) => {
            say(&drawn(&mistakes, &name, messages));
            let mut report = mistakes.report(&name);
            report.workload = directory_of(paths);
            let text = if args.format == OutputFormat::Text { String::new() } else { printed(&report, &[], args, messages) };
            return Ok((text, report, Status::Input));
        }
    };
    let (times, jobs, seed) = (!args.no_times, args.limits.jobs.unwrap_or(0), args.seed);
    let (own, own_name) = (Arc::clone(&workload), name.clone());
    let done = watched(args.limits.time(), move |watch| {
        let mut options = Options::default();
        (options.methods, options.jobs, options.seed) = (methods, jobs, seed);
        options.cancel = watch.cancel();
        options.clock = super::checking::now;
        decided(&own, &own_name, &options, times)
    });
    let CheckedWorkload { mut report, statements, certificate, run, refused } = match done {
        Ok(done) => done,
        Err(lost) => {
            let mut report = FileReport::new(&name, Verdict::Unknown);
            report.reason = Some(lost.reason());
            CheckedWorkload { report, statements: Vec::new(), certificate: None, run: None, refused: false }
        }
    };
    report.workload = directory_of(paths);
    if args.grow {
        report.grown = Some(grown(&workload, args));
    }
    if let (Some(text), Some(note)) = (&certificate, &mut report.certificate) {
        note.path = save(args.certificate.as_deref(), several, &name, "certificate.json", text)?;
    }
    if let (Some(path), Some(run)) = (&args.trace, &run) {
        report.trace = save(Some(path), several, &name, "trace.json", &run.to_json())?;
    }
    if let Some(path) = &args.html {
        save(Some(path), several, &name, "html", &workload.page(&report, env!("CARGO_PKG_VERSION")))?;
    }
    let shown = report.counterexample.as_ref().or(report.fault.as_ref().map(|fault| &fault.run));
    if let (Some(path), Some(run)) = (&args.svg, shown) {
        save(Some(path), several, &name, "svg", &html::lanes(run).file())?;
    }
    let status = match report.verdict {
        Verdict::Serializable | Verdict::Strict | Verdict::Safe => Status::Fine,
        Verdict::Assumed if args.require_certificate => Status::Undecided,
        Verdict::Assumed => Status::Fine,
        Verdict::NotSerializable | Verdict::NotStrict | Verdict::Fault => Status::NotSerializable,
        Verdict::Unknown => Status::Undecided,
        Verdict::Error if refused => Status::Internal,
        Verdict::Error => Status::Input,
    };
    let mut text = printed(&report, &statements, args, messages);
    if let (Some(dsn), Some(run)) = (&args.replay, &run) {
        let address = ServerAddress::new((!dsn.is_empty()).then(|| dsn.clone()));
        let followed = followed(&workload, run, &address, args.limits.time())?;
        if args.format == OutputFormat::Text {
            text.push('\n');
            text.push_str(&followed_text(&name, &followed, messages.look.width));
        }
    }
    Ok((text, report, status))
}

/// What is said with larger bounds, within as much time again.
fn grown(workload: &Arc<Workload>, args: &Check) -> GrownNote {
    let (own, jobs, seed) = (Arc::clone(workload), args.limits.jobs.unwrap_or(0), args.seed);
    let done = watched(args.limits.time(), move |watch| {
        let mut options = Options::default();
        (options.jobs, options.seed, options.cancel) = (jobs, seed, watch.cancel());
        let mut note = own.grown_note(&options);
        if note.verdict == Verdict::Unknown && watch.ended().is_some() {
            note.reason = Some(watch.reason());
        }
        note
    });
    done.unwrap_or_else(|lost| GrownNote { verdict: Verdict::Unknown, bounds: Vec::new(), reason: Some(lost.reason()) })
}

/// The directory in which the files are; nothing is before their names where they were given one by one.
fn directory_of(paths: &[PathBuf]) -> Option<String> {
    let directory = paths.first().filter(|path| path.is_dir());
    Some(directory.map_or_else(String::new, |_| name_of(paths)))
}

fn decided(workload: &Workload, name: &str, options: &Options, times: bool) -> CheckedWorkload {
    let start = (options.clock)();
    let decided = workload.decide(options);
    let run = decided.run();
    let certificate = decided.decision.evidence().map(|evidence| evidence.certificate.clone());
    let refused = matches!(decided.decision.verdict, serval::Verdict::Refused(_));
    let taken = decided.decision.times;
    let mut report = decided.report(name, times);
    report.time_ms = times.then(|| Times {
        total: millis((options.clock)().saturating_sub(start)),
        parse: millis(std::time::Duration::ZERO),
        compile: millis(taken.compile),
        decide: millis(taken.decide),
        certify: millis(taken.certify),
        verify: millis(taken.verify),
        fix: None,
    });
    let runs = report.counterexample.as_ref().or(report.fault.as_ref().map(|fault| &fault.run));
    let statements = runs.map(|run| run.story.clone()).unwrap_or_default();
    CheckedWorkload { report, statements, certificate, run, refused }
}

fn printed(report: &FileReport, statements: &[String], args: &Check, messages: Messages) -> String {
    match args.format {
        OutputFormat::Json => report.to_json(),
        OutputFormat::Markdown => report.to_markdown(),
        OutputFormat::Github => report.to_github(),
        OutputFormat::Sarif => String::new(),
        _ if messages.quiet => report.to_line(messages.look),
        _ => {
            let mut text = report.to_text(args.verbose, messages.look);
            for (number, line) in statements.iter().enumerate() {
                let title = if number == 0 { "  statements    " } else { "                " };
                text.push_str(&format!("{title}  {}\n", escape::line(line)));
            }
            if !report.assumes.is_empty() && report.verdict != Verdict::Serializable {
                text.push_str(&format!("  bounds          {}\n", report.assumes.join("\n                  ")));
            }
            for note in &report.notes {
                text.push_str(&format!("  note            {}: {}\n", escape::line(&note.place()), escape::line(&note.message)));
            }
            text
        }
    }
}
