//! `serval check FILE…`.

mod bug;
mod cache;
mod checking;
pub(crate) mod files;
mod handlers;
mod many;
pub(super) mod progress;
mod save;
mod status;
pub(super) mod watch;
mod workloads;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serval::{ClassicOptions, Method, Methods};
use serval_report::html::{self, IndexEntry};
use serval_report::{Verdict, sarif};

use crate::args::{Check, Classic, OutputFormat};
use crate::config::{Config, Configs};
use crate::failure::Failure;
use crate::input::{self, Messages};
use crate::limits;
use crate::output::{error_style, keep_input, look, say, write_file, write_to};
use cache::Cache;
pub(super) use checking::{CheckedFile, Checking, millis};
use many::Many;
pub(super) use save::{name_in_directory, save};
pub(super) use status::Status;

/// Checks all files; the status is that of the worst.
pub(crate) fn run(args: &Check, messages: Messages) -> Result<ExitCode, Failure> {
    if let Some(status) = handlers::check(args, messages)? {
        return Ok(status);
    }
    if args.handlers.is_said() {
        return Err(Failure::message(
            "--emit, --try, --requests, --turns, --values, --keys and --refusals are about handlers in JavaScript and TypeScript",
        ));
    }
    let (workloads, rest) = crate::workload::separate(&args.files)?;
    if !workloads.is_empty() {
        if !rest.is_empty() || args.watch {
            return Err(Failure::message("workloads of SQL are checked apart from programs, and not with --watch"));
        }
        return workloads::run(args, messages, &workloads);
    }
    if args.sql.is_said() || args.require_certificate || args.grow {
        let what = "--isolation, --observe, --default-range, --grow and --require-certificate";
        return Err(Failure::message(format!("{what} are about workloads of SQL: directories with schema.sql or migrations/")));
    }
    if args.watch {
        return watch::run(&args.files, messages, |due, several| round(args, messages, due, several));
    }
    let files::GivenFiles { files, skipped } = files::all(&args.files)?;
    let several = files.len() > 1 || args.files.iter().any(|path| path.is_dir());
    if skipped > 0 && !messages.quiet {
        say(&format!("note: {}\n", files::skipped_words(skipped)));
    }
    round(args, messages, &files, several)
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
struct FileTask<'a> {
    file: &'a Path,
    config: Arc<Config>,
    checking: Arc<Checking>,
}

/// Checks these files and prints what comes of it; what is saved goes to
/// directories if there are `several`.
fn round(args: &Check, messages: Messages, files: &[PathBuf], several: bool) -> Result<ExitCode, Failure> {
    keep_apart(args, files, several)?;
    // Mistakes in settings are reported once, before anything is done.
    let mut configs = Configs::default();
    let common = configs.common(&args.files, messages.style)?;
    let mut args = common.check.for_call(args);
    // There may be many, and a copy of the options for each directory.
    args.files = Vec::new();
    let args = &args;
    let messages = match common.check.color {
        Some(colour) if !args.explicit.contains("color") => Messages { style: error_style(colour), look: look(colour), ..messages },
        _ => messages,
    };
    let cache = Cache::of_user(messages.quiet).map(Arc::new);
    let brief = several && files.len() > 1 && !messages.quiet && args.format == OutputFormat::Text && !args.full && !args.verbose;
    let found = Arc::new(AtomicBool::new(false));
    let mut tasks: Vec<FileTask<'_>> = Vec::new();
    for file in files {
        let config = configs.of(file, messages.style)?;
        let checking = match tasks.last() {
            Some(last) if Arc::ptr_eq(&last.config, &config) => Arc::clone(&last.checking),
            _ => {
                let args = config.check.for_program(args);
                let (methods, allow) = (methods(&args.method, &args.classic)?, config.allow.clone());
                let cache = cache.clone().filter(|_| !args.no_cache);
                let style = config.format;
                let found = brief.then(|| Arc::clone(&found));
                Arc::new(Checking { args, messages, several, methods, allow, style, cache, found })
            }
        };
        tasks.push(FileTask { file, config, checking });
    }
    limits::limit_memory(args.limits.memory);
    let mut worst = Status::Fine;
    let mut reports = Vec::new();
    let (mut index, mut pages) = (Vec::new(), None);
    let mut many = Many::new(several && !messages.quiet && args.format == OutputFormat::Text, brief);
    for FileTask { file, checking, .. } in &tasks {
        let (args, path) = (&checking.args, file.to_path_buf());
        let kind = args.input;
        let CheckedFile { report, status, told, .. } =
            checking.checked(&input::name_of(file), move || input::load("check", &path, kind))?;
        let text = match args.format {
            OutputFormat::Json => report.to_json(),
            OutputFormat::Text if messages.quiet && report.verdict == Verdict::Error => String::new(),
            OutputFormat::Text if messages.quiet && report.expected.is_none() => report.to_line(messages.look),
            OutputFormat::Text if messages.quiet => report.to_line_of_many(messages.look),
            OutputFormat::Text => many.text(&report, status, args.verbose, messages.look),
            OutputFormat::Github => report.to_github(),
            OutputFormat::Markdown => report.to_markdown(),
            OutputFormat::Sarif => String::new(),
        };
        write_to(None, text.get(told..).unwrap_or_default())?;
        worst = worst.max(status);
        many.count(&report);
        if let Some(page) = args.html.as_deref().filter(|_| several) {
            index.push(IndexEntry::new(&report, &name_in_directory(&report.file, "html")));
            pages = Some(page);
        }
        if args.format == OutputFormat::Sarif {
            reports.push(report);
        }
        if limits::is_interrupted() {
            return Ok(ExitCode::from(130));
        }
    }
    if let Some(directory) = pages {
        write_file(&directory.join("index.html"), &html::index(&index, env!("CARGO_PKG_VERSION")))?;
    }
    write_to(None, &many.tally())?;
    if args.format == OutputFormat::Sarif {
        write_to(None, &sarif(&reports, env!("CARGO_PKG_VERSION")))?;
    }
    Ok(worst.exit_code(args.exit_zero))
}

/// The methods that the options name.
pub(super) fn methods(names: &[String], switches: &Classic) -> Result<Methods, Failure> {
    let &Classic { no_elimination_order, no_prune, no_factor, no_slice } = switches;
    if names.iter().any(|name| name == "classic") {
        if names.len() > 1 {
            return Err(Failure::message("classic stands alone: it is a second opinion"));
        }
        let (order, prune, factor, slice) = (!no_elimination_order, !no_prune, !no_factor, !no_slice);
        return Ok(Methods::Classic(ClassicOptions { order, prune, factor, slice, ..ClassicOptions::default() }));
    }
    if no_elimination_order || no_prune || no_factor || no_slice {
        return Err(Failure::message("--no-elimination-order, --no-prune, --no-factor and --no-slice belong to --method classic"));
    }
    Ok(Methods::Portfolio(own_methods(names)?))
}

/// Names of our own methods.
fn own_methods(names: &[String]) -> Result<Vec<Method>, Failure> {
    let mut methods = Vec::new();
    for name in names {
        match Method::named(name) {
            Some(method) => methods.push(method),
            None if name == "auto" => methods.extend(Method::ALL),
            None => {
                let known: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
                return Err(Failure::message(format!("{name} is not a method; there are auto, {}", known.join(", "))));
            }
        }
    }
    methods.sort_unstable();
    methods.dedup();
    Ok(methods)
}
