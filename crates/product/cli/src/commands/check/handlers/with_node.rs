//! Files of handlers are decided, and tried, with the Node that is installed.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serval::handlers::{Checked, HandlerFile, Handlers, KeptRun, NoHandlers, Outcome, Run, Tried, Turns, finding, mistakes};
use serval::{Diagnostic, Options};
use serval_replay::{EmittedTest, emitted_test};
use serval_report::{PlacedFinding, escape, placed_github, placed_sarif, render_diagnostics};

use super::super::{Status, checking::now, methods, save};
use crate::args::{Check, HandlerTurns, OutputFormat};
use crate::commands::handlers::node::{LazyNode, REPLAYED, bounds, performed};
use crate::failure::Failure;
use crate::input::{self, Messages};
use crate::limits::{self, watched};
use crate::output::{keep_input, say, write_to};

/// Checks files one after the other; the status is that of the worst.
pub(super) fn check(args: &Check, messages: Messages) -> Result<ExitCode, Failure> {
    let several = args.files.len() > 1;
    if let Some(trace) = args.trace.as_deref().filter(|_| !several) {
        keep_input(&args.files[0], Some(trace))?;
    }
    limits::limit_memory(args.limits.memory);
    let (mut worst, mut findings) = (Status::Fine, Vec::new());
    for (position, path) in args.files.iter().enumerate() {
        let status = match one(args, messages, path) {
            Ok(Said { text, status, mistakes, found }) => {
                findings.extend(found);
                let gap = if position > 0 && args.format == OutputFormat::Text && !messages.quiet { "\n" } else { "" };
                write_to(None, &format!("{gap}{text}"))?;
                mistakes.iter().for_each(|why| say(&format!("error: {}\n", escape::line(why))));
                if mistakes.is_empty() { status } else { Status::Input }
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
    if args.format == OutputFormat::Sarif {
        let files: Vec<String> = args.files.iter().map(|path| input::name_of(path)).collect();
        write_to(None, &placed_sarif(&files, &findings, env!("CARGO_PKG_VERSION")))?;
    }
    Ok(worst.exit_code(args.exit_zero))
}

/// What is said about a file, and what could not be done with its run.
struct Said {
    text: String,
    status: Status,
    mistakes: Vec<String>,
    found: Vec<PlacedFinding>,
}

/// What was found out about a file.
struct FoundOut {
    /// For people, or as JSON.
    text: String,
    /// For formats that show places.
    found: Vec<PlacedFinding>,
    status: Status,
    run: Option<Run>,
    certificate: Option<String>,
}

/// What is said about a text with mistakes.
fn mistaken(args: &Check, messages: Messages, (name, text): (&str, &str), list: &[Diagnostic]) -> Result<Said, Failure> {
    let found = mistakes(name, text, list);
    let text = match args.format {
        OutputFormat::Sarif => String::new(),
        OutputFormat::Github => placed_github(&found),
        _ => return Err(Failure::Input(render_diagnostics(list, name, text, messages.style))),
    };
    Ok(Said { text, status: Status::Input, mistakes: Vec::new(), found })
}

/// What is said about a file, its status, and what could not be done with its run.
fn one(args: &Check, messages: Messages, path: &Path) -> Result<Said, Failure> {
    let name = input::name_of(path);
    let content = input::plain_text(path)?;
    let file = match HandlerFile::read(&name, &content) {
        Ok(file) => file,
        Err(list) => return mistaken(args, messages, (&name, &content), &list),
    };
    match Handlers::of(file, &bounds(&args.handlers.bounds)) {
        Ok(handlers) => {
            let handlers = Arc::new(handlers);
            done(args, messages, path, decided(args, messages, &name, &handlers)?, handlers.file())
        }
        Err(undecided) => {
            let (file, why) = *undecided;
            let file = Arc::new(file);
            let found = match (why, args.handlers.tried) {
                (NoHandlers::Mistakes(list), None) => return mistaken(args, messages, (&name, file.text()), &list),
                (NoHandlers::Mistakes(list), Some(calls)) => {
                    let why = list.first().map_or_else(String::new, |first| first.message.to_string());
                    tried_alone(args, messages, &name, &file, &why, calls)
                }
                (NoHandlers::Outside(outside), Some(calls)) => tried_alone(args, messages, &name, &file, &outside.why(), calls),
                (NoHandlers::Outside(outside), None) => {
                    let text = match args.format {
                        OutputFormat::Json => outside.json(&name),
                        _ => outside.text(&escape::name(&name)),
                    };
                    let text = if messages.quiet && args.format != OutputFormat::Json { first_line(&text) } else { text };
                    let (text, found) = (escape::lines(&text).into_owned(), outside.findings(&name));
                    FoundOut { text, found, status: Status::Undecided, run: None, certificate: None }
                }
            };
            done(args, messages, path, found, &file)
        }
    }
}

fn decided(args: &Check, messages: Messages, name: &str, handlers: &Arc<Handlers>) -> Result<FoundOut, Failure> {
    let methods = methods(&args.method, &args.classic)?;
    let (jobs, seed, calls) = (args.limits.jobs.unwrap_or(0), args.seed, args.handlers.tried);
    let turns = if args.handlers.turns == Some(HandlerTurns::One) { Turns::One } else { Turns::Any };
    let own = Arc::clone(handlers);
    let done = watched(args.limits.time(), move |watch| {
        let mut options = Options::default();
        (options.methods, options.jobs, options.seed) = (methods, jobs, seed);
        options.cancel = watch.cancel();
        options.clock = now;
        let mut node = LazyNode::default();
        let checked = own.check(&options, turns, &mut |job| node.ask(job));
        let is_open = matches!(checked.outcome, Outcome::Serializable | Outcome::Undecided(_));
        let tried = calls.filter(|_| is_open).map(|calls| own.try_orders(calls, &mut |job| node.ask(job)));
        (checked, tried)
    });
    let lost = |why| (Checked { outcome: Outcome::Undecided(why), method: None, runs: 0, certificate: None }, None);
    let (checked, tried) = done.unwrap_or_else(|why| lost(why.reason()));
    let shown = escape::name(name);
    let why = match &checked.outcome {
        Outcome::Undecided(why) => Some(why.clone()),
        // What was tried agrees with the proof, or one of both is wrong.
        Outcome::Serializable if matches!(&tried, Some(Ok(tried)) if tried.finding.is_some()) => {
            Some("every `await` as a pause it is serializable: one of both is wrong, which is a bug in serval".to_owned())
        }
        _ => None,
    };
    if let (Some(why), Some(tried)) = (why, tried.as_ref()) {
        return Ok(told(args, messages, name, &why, tried));
    }
    let status = match &checked.outcome {
        Outcome::Serializable => Status::Fine,
        Outcome::NotSerializable(_) => Status::NotSerializable,
        Outcome::Undecided(_) => Status::Undecided,
        Outcome::Bug(_) => Status::Internal,
    };
    let mut text = match args.format {
        OutputFormat::Json => handlers.json(name, &checked),
        _ if messages.quiet => handlers.line(&shown, &checked),
        _ => handlers.text(&shown, &checked),
    };
    if let (Some(tried), OutputFormat::Text, false) = (&tried, args.format, messages.quiet) {
        let words = tried.as_ref().map_or_else(|why| format!("nothing: {why}"), Tried::words);
        text.push_str(&format!("  tried           {words}\n"));
    }
    let found = handlers.findings(name, &checked);
    let Checked { outcome, certificate, .. } = checked;
    let run = match outcome {
        Outcome::NotSerializable(run) => Some(*run),
        _ => None,
    };
    Ok(FoundOut { text: escape::lines(&text).into_owned(), found, status, run, certificate })
}

/// A file that has no program is tried alone.
fn tried_alone(args: &Check, messages: Messages, name: &str, file: &Arc<HandlerFile>, why: &str, calls: u32) -> FoundOut {
    let (own, refusals) = (Arc::clone(file), bounds(&args.handlers.bounds).refusals);
    let done = watched(args.limits.time(), move |_| {
        let mut node = LazyNode::default();
        own.try_orders(calls, &refusals, &mut |job| node.ask(job))
    });
    told(args, messages, name, why, &done.unwrap_or_else(|lost| Err(lost.reason())))
}

fn first_line(text: &str) -> String {
    format!("{}\n", text.lines().next().unwrap_or_default())
}

/// What was tried about a file that is not decided.
fn told(args: &Check, messages: Messages, name: &str, why: &str, tried: &Result<Tried, String>) -> FoundOut {
    let shown = escape::name(name);
    let found = match tried {
        Ok(tried) => tried.findings(name, why),
        Err(lost) => vec![finding(name, "undecided", "warning", format!("{why}; nothing was tried: {lost}"))],
    };
    let (text, shown_run) = match tried {
        Ok(tried) => {
            let text = if args.format == OutputFormat::Json { tried.json(name, why) } else { tried.text(&shown, why) };
            (text, tried.finding.as_ref())
        }
        Err(lost) if args.format == OutputFormat::Json => (Tried::nothing_json(name, why, lost), None),
        Err(lost) => (format!("{shown}: undecided: {why}; nothing was tried: {lost}\n"), None),
    };
    let is_brief = messages.quiet && args.format != OutputFormat::Json;
    let text = if is_brief { first_line(&text) } else { text };
    let status = if shown_run.is_some() { Status::NotSerializable } else { Status::Undecided };
    let (text, run) = (escape::lines(&text).into_owned(), shown_run.map(|run| (**run).clone()));
    FoundOut { text, found, status, run, certificate: None }
}

/// Does with the run what the options ask for.
fn done(args: &Check, messages: Messages, path: &Path, found: FoundOut, file: &HandlerFile) -> Result<Said, Failure> {
    let FoundOut { mut text, found, status, run, certificate } = found;
    if let (Some(place), Some(certificate)) = (&args.certificate, &certificate) {
        save(Some(place), args.files.len() > 1, &input::name_of(path), "certificate.json", certificate)?;
    }
    let (mut mistakes, mut said) = (Vec::<String>::new(), String::new());
    if let Some(run) = &run {
        if let Some(trace) = &args.trace {
            save(Some(trace), args.files.len() > 1, &input::name_of(path), "trace.json", &run.trace_text())?;
        }
        let replay = args.replay.is_some().then(|| replayed(run, file));
        let emit = args.handlers.emit.map(|_| emitted(run, path, &bounds(&args.handlers.bounds).refusals));
        for one in [replay, emit].into_iter().flatten() {
            match one {
                Ok(line) => said.push_str(&line),
                Err(why) => mistakes.push(why),
            }
        }
    }
    let is_shown = matches!(args.format, OutputFormat::Text | OutputFormat::Markdown);
    if is_shown && !messages.quiet && !said.is_empty() {
        text.push_str(&format!("\n{said}"));
    }
    let name = input::name_of(path);
    let text = match args.format {
        OutputFormat::Text | OutputFormat::Json => text,
        OutputFormat::Markdown => format!("## {}\n\n{}\n", escape::code_span(&name), escape::fenced("text", &text)),
        OutputFormat::Github if found.is_empty() => format!("serializable  {}\n", escape::command_log(&escape::name(&name))),
        OutputFormat::Github => placed_github(&found),
        OutputFormat::Sarif => String::new(),
    };
    Ok(Said { text, status, mistakes, found })
}

/// Has another Node perform the run, and says what came of it.
fn replayed(run: &Run, file: &HandlerFile) -> Result<String, String> {
    let repeated = performed(&KeptRun::read(&run.trace_text())?, file, REPLAYED)?;
    match repeated.differs {
        None => Ok("  replay          Node gives the same answers again\n".to_owned()),
        Some(why) => Err(format!("performed again the run is another: {why}")),
    }
}

/// Writes the run as a test beside the file, and says so.
fn emitted(run: &Run, path: &Path, refusals: &[i64]) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let place = path.with_file_name(format!("{stem}.test.mjs"));
    let shown = input::shown(&place);
    let text = emitted_test(&EmittedTest { file: &name, trace: &run.trace, refusals });
    // Not even where it appears in this moment.
    let made = fs::OpenOptions::new().write(true).create_new(true).open(&place);
    made.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|why| match why.kind() {
        ErrorKind::AlreadyExists => format!("{shown} is there already, and is not overwritten: move or delete it"),
        _ => format!("cannot write {shown}: {why}"),
    })?;
    Ok(format!("  test            {shown} fails until this is fixed: node --test {shown}\n"))
}
