//! `serval check FILE` of handlers in JavaScript and TypeScript.

use std::process::ExitCode;

use crate::args::{Check, OutputFormat};
use crate::commands::handlers::is_handlers;
use crate::failure::Failure;
use crate::input::Messages;

/// Checks files of handlers one after the other; the status is that of the worst. `None` where there is none.
pub(super) fn check(args: &Check, messages: Messages) -> Result<Option<ExitCode>, Failure> {
    let ours = args.files.iter().filter(|path| is_handlers(path)).count();
    if ours == 0 {
        return Ok(None);
    }
    if ours < args.files.len() || args.watch {
        return Err(Failure::message("files of handlers are checked apart from programs, and not with --watch"));
    }
    refuse_others(args)?;
    #[cfg(feature = "handlers")]
    return with_node::check(args, messages).map(Some);
    #[cfg(not(feature = "handlers"))]
    {
        let _ = messages;
        Err(Failure::message(crate::commands::handlers::ABSENT))
    }
}

/// Options that do not go with handlers.
fn refuse_others(args: &Check) -> Result<(), Failure> {
    let why = if args.strict {
        "--strict is about programs: what handlers become says nothing about the order in time"
    } else if args.html.is_some() || args.svg.is_some() || !matches!(args.format, OutputFormat::Text | OutputFormat::Json) {
        "reports on handlers have the formats text and json"
    } else if args.certificate.is_some() {
        "there is no certificate about a file of handlers: `serval export FILE --to ser` gives the program that is proved"
    } else if args.scale.is_some() || args.expected || !args.keep.is_empty() || args.sql.is_said() || args.require_certificate || args.grow
    {
        "--scale, --expected, --keep and what is about SQL do not go with handlers"
    } else if args.replay.as_ref().is_some_and(|dsn| !dsn.is_empty()) {
        "--replay has Node perform handlers: it takes no connection"
    } else if args.only.is_some() {
        "--only is about programs"
    } else {
        return Ok(());
    };
    Err(Failure::message(why))
}

#[cfg(feature = "handlers")]
mod with_node {
    use std::fs;
    use std::io::{ErrorKind, Write as _};
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;
    use std::sync::Arc;

    use serval::Options;
    use serval::handlers::{Checked, HandlerFile, KeptRun, Outcome, REFUSALS, Run, Turns};
    use serval_replay::{EmittedTest, emitted_test};
    use serval_report::escape;

    use super::super::{Status, checking::now, methods, save};
    use crate::args::{Check, OutputFormat};
    use crate::commands::handlers::node::{PATIENCE, REPLAYED, node, performed, read};
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
                Ok(CheckedHandlers { text, status, mistakes }) => {
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

    /// What came of one file.
    struct CheckedHandlers {
        text: String,
        status: Status,
        /// What could not be done with its run.
        mistakes: Vec<String>,
    }

    fn one(args: &Check, messages: Messages, path: &Path) -> Result<CheckedHandlers, Failure> {
        let name = input::name_of(path);
        let methods = methods(&args.method, &args.classic)?;
        let handlers = Arc::new(read(path, messages)?);
        let (jobs, seed) = (args.limits.jobs.unwrap_or(0), args.seed);
        let own = Arc::clone(&handlers);
        let done = watched(args.limits.time(), move |watch| {
            let mut options = Options::default();
            (options.methods, options.jobs, options.seed) = (methods, jobs, seed);
            options.cancel = watch.cancel();
            options.clock = now;
            let mut there = None;
            own.check(&options, Turns::Any, &mut |job| {
                let there = match &mut there {
                    Some(there) => there,
                    None => there.insert(node()?),
                };
                there.ask(job, PATIENCE).map_err(|why| why.to_string())
            })
        });
        let checked = done.unwrap_or_else(|lost| Checked { outcome: Outcome::Undecided(lost.reason()), method: None, runs: 0 });
        let status = match &checked.outcome {
            Outcome::Serializable => Status::Fine,
            Outcome::NotSerializable(_) => Status::NotSerializable,
            Outcome::Undecided(_) => Status::Undecided,
            Outcome::Bug(_) => Status::Internal,
        };
        let shown = escape::name(&name);
        let mut text = match args.format {
            OutputFormat::Json => handlers.json(&name, &checked),
            _ if messages.quiet => handlers.line(&shown, &checked),
            _ => handlers.text(&shown, &checked),
        };
        let mut mistakes = Vec::new();
        if let Outcome::NotSerializable(run) = &checked.outcome {
            if let Some(trace) = &args.trace {
                save(Some(trace), args.files.len() > 1, &name, "trace.json", &run.trace_text())?;
            }
            let mut told = String::new();
            if args.replay.is_some() {
                match replayed(run, handlers.file()) {
                    Ok(line) => told.push_str(&line),
                    Err(why) => mistakes.push(why),
                }
            }
            if args.handlers.emit.is_some() {
                match emitted(run, path) {
                    Ok(line) => told.push_str(&line),
                    Err(why) => mistakes.push(why),
                }
            }
            if args.format == OutputFormat::Text && !messages.quiet && !told.is_empty() {
                text.push_str(&format!("\n{told}"));
            }
        }
        Ok(CheckedHandlers { text, status, mistakes })
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
    fn emitted(run: &Run, path: &Path) -> Result<String, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let place: PathBuf = path.with_file_name(format!("{stem}.test.mjs"));
        let shown = input::shown(&place);
        let text = emitted_test(&EmittedTest { file: &name, trace: &run.trace, refusals: &REFUSALS });
        // Not even where it appears in this moment.
        let made = fs::OpenOptions::new().write(true).create_new(true).open(&place);
        made.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|why| match why.kind() {
            ErrorKind::AlreadyExists => format!("{shown} is there already, and is not overwritten: move or delete it"),
            _ => format!("cannot write {shown}: {why}"),
        })?;
        Ok(format!("  test            {shown} fails until this is fixed: node --test {shown}\n"))
    }
}
