//! Files of handlers are decided, and tried, with the Node that is installed.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serval::handlers::{Checked, HandlerFile, Handlers, KeptRun, Outcome, Run, Tried, Turns};
use serval::{Diagnostic, Options};
use serval_replay::{EmittedTest, emitted_test};
use serval_report::{escape, render_diagnostics};

use super::super::{Status, checking::now, methods, save};
use crate::args::{Check, HandlerTurns, OutputFormat};
use crate::commands::handlers::node::{LazyNode, REPLAYED, bounds, performed, read_file};
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
    let mut worst = Status::Fine;
    for (position, path) in args.files.iter().enumerate() {
        let status = match one(args, messages, path) {
            Ok((text, status, mistakes)) => {
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
    Ok(worst.exit_code(args.exit_zero))
}

/// What was found out about a file.
struct FoundOut {
    text: String,
    status: Status,
    run: Option<Run>,
    certificate: Option<String>,
}

/// What is said about a file, its status, and what could not be done with its run.
fn one(args: &Check, messages: Messages, path: &Path) -> Result<(String, Status, Vec<String>), Failure> {
    let name = input::name_of(path);
    match Handlers::of(read_file(path, messages)?, &bounds(&args.handlers.bounds)) {
        Ok(handlers) => {
            let handlers = Arc::new(handlers);
            done(args, messages, path, decided(args, messages, &name, &handlers)?, handlers.file())
        }
        Err(undecided) => {
            let (file, mistakes) = *undecided;
            let Some(calls) = args.handlers.tried else {
                return Err(Failure::Input(render_diagnostics(&mistakes, &name, file.text(), messages.style)));
            };
            let file = Arc::new(file);
            done(args, messages, path, outside_of_the_subset(args, messages, &name, &file, &mistakes, calls), &file)
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
    let Checked { outcome, certificate, .. } = checked;
    let run = match outcome {
        Outcome::NotSerializable(run) => Some(*run),
        _ => None,
    };
    Ok(FoundOut { text: escape::lines(&text).into_owned(), status, run, certificate })
}

/// A file that has no program is tried alone.
fn outside_of_the_subset(
    args: &Check,
    messages: Messages,
    name: &str,
    file: &Arc<HandlerFile>,
    mistakes: &[Diagnostic],
    calls: u32,
) -> FoundOut {
    let why = mistakes.first().map_or_else(String::new, |first| {
        let before = file.text().get(..first.primary.span.start as usize).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        if first.primary.span.end == 0 { first.message.to_string() } else { format!("line {line}: {}", first.message) }
    });
    let (own, refusals) = (Arc::clone(file), bounds(&args.handlers.bounds).refusals);
    let done = watched(args.limits.time(), move |_| {
        let mut node = LazyNode::default();
        own.try_orders(calls, &refusals, &mut |job| node.ask(job))
    });
    told(args, messages, name, &why, &done.unwrap_or_else(|lost| Err(lost.reason())))
}

/// What was tried about a file that is not decided.
fn told(args: &Check, messages: Messages, name: &str, why: &str, tried: &Result<Tried, String>) -> FoundOut {
    let shown = escape::name(name);
    let (text, finding) = match tried {
        Ok(tried) => {
            let text = if args.format == OutputFormat::Json { tried.json(name, why) } else { tried.text(&shown, why) };
            (text, tried.finding.as_ref())
        }
        Err(lost) if args.format == OutputFormat::Json => (Tried::nothing_json(name, why, lost), None),
        Err(lost) => (format!("{shown}: undecided: {why}; nothing was tried: {lost}\n"), None),
    };
    let is_brief = messages.quiet && args.format != OutputFormat::Json;
    let text = if is_brief { format!("{}\n", text.lines().next().unwrap_or_default()) } else { text };
    let status = if finding.is_some() { Status::NotSerializable } else { Status::Undecided };
    FoundOut { text: escape::lines(&text).into_owned(), status, run: finding.map(|run| (**run).clone()), certificate: None }
}

/// Does with the run what the options ask for.
fn done(
    args: &Check,
    messages: Messages,
    path: &Path,
    found: FoundOut,
    file: &HandlerFile,
) -> Result<(String, Status, Vec<String>), Failure> {
    let FoundOut { mut text, status, run, certificate } = found;
    if let (Some(place), Some(certificate)) = (&args.certificate, &certificate) {
        save(Some(place), args.files.len() > 1, &input::name_of(path), "certificate.json", certificate)?;
    }
    let (mut mistakes, mut said) = (Vec::new(), String::new());
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
    if args.format == OutputFormat::Text && !messages.quiet && !said.is_empty() {
        text.push_str(&format!("\n{said}"));
    }
    Ok((text, status, mistakes))
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
