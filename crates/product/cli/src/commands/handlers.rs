//! Files of handlers in JavaScript and TypeScript: `check` and `export --to ser`, in builds with the feature `handlers`.
//!
//! **Architecture Invariant:** no verdict on such a file, and no certificate about one, until the translation has been
//! compared with Node: `check` says what the program of steps gives, as the reason why the file is undecided.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serval::Options;
use serval::handlers::{Bounds, Handlers};
use serval_report::{FileReport, Times, Verdict, escape, render_diagnostics};

use crate::args::{Check, Export, Format, OutputFormat};
use crate::commands::check::{Status, methods, millis, now};
use crate::failure::Failure;
use crate::input::{self, Messages};
use crate::limits::{self, watched};
use crate::output::{say, write_to};

/// Whether a file is named as one of handlers.
pub(super) fn is_handlers(path: &Path) -> bool {
    path.to_str().is_some_and(serval::handlers::is_handlers)
}

fn read(path: &Path, messages: Messages) -> Result<Handlers, Failure> {
    let name = input::name_of(path);
    let text = input::plain_text(path)?;
    Handlers::read(&name, &text, &Bounds::default())
        .map_err(|mistakes| Failure::Input(render_diagnostics(&mistakes, &name, &text, messages.style)))
}

/// Checks files of handlers one after the other; the status is that of the worst. `None` where there is none.
pub(super) fn check(args: &Check, messages: Messages) -> Result<Option<ExitCode>, Failure> {
    let ours = args.files.iter().filter(|path| is_handlers(path)).count();
    if ours == 0 {
        return Ok(None);
    }
    if ours < args.files.len() || args.watch {
        return Err(Failure::message("files of handlers are checked apart from programs, and not with --watch"));
    }
    if args.strict {
        return Err(Failure::message("--strict is about programs: what handlers become says nothing about the order in time"));
    }
    if args.html.is_some() || args.svg.is_some() || matches!(args.format, OutputFormat::Sarif | OutputFormat::Github) {
        return Err(Failure::message("reports on handlers have the formats text, json and markdown"));
    }
    if args.certificate.is_some() {
        let message = "there is no certificate about a file of handlers yet: `serval export FILE --to ser` gives the program of its steps";
        return Err(Failure::message(message));
    }
    if args.scale.is_some() || args.expected || !args.keep.is_empty() || args.sql.is_said() || args.require_certificate {
        return Err(Failure::message("--scale, --expected, --keep and what is about SQL do not go with handlers"));
    }
    limits::limit_memory(args.limits.memory);
    let mut worst = Status::Fine;
    for (position, path) in args.files.iter().enumerate() {
        let status = match one(args, messages, path) {
            Ok((text, status)) => {
                let gap = if position > 0 && args.format == OutputFormat::Text && !messages.quiet { "\n" } else { "" };
                write_to(None, &format!("{gap}{text}"))?;
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
            return Ok(Some(ExitCode::from(130)));
        }
    }
    Ok(Some(worst.exit_code(args.exit_zero)))
}

fn one(args: &Check, messages: Messages, path: &Path) -> Result<(String, Status), Failure> {
    let name = input::name_of(path);
    let methods = methods(&args.method, &args.classic)?;
    let handlers = Arc::new(read(path, messages)?);
    let (times, jobs, seed) = (!args.no_times, args.limits.jobs.unwrap_or(0), args.seed);
    let (own, own_name) = (Arc::clone(&handlers), name.clone());
    let done = watched(args.limits.time(), move |watch| {
        let mut options = Options::default();
        (options.methods, options.jobs, options.seed) = (methods, jobs, seed);
        options.cancel = watch.cancel();
        options.clock = now;
        decided(&own, &own_name, &options, times)
    });
    let report = done.unwrap_or_else(|lost| {
        let mut report = FileReport::new(&name, Verdict::Unknown);
        report.reason = Some(lost.reason());
        report
    });
    let status = if report.verdict == Verdict::Error { Status::Internal } else { Status::Undecided };
    let text = match args.format {
        OutputFormat::Json => report.to_json(),
        OutputFormat::Markdown => report.to_markdown(),
        _ if messages.quiet => report.to_line(messages.look),
        _ => report.to_text(args.verbose, messages.look),
    };
    Ok((text, status))
}

fn decided(handlers: &Handlers, name: &str, options: &Options, times: bool) -> FileReport {
    let start = (options.clock)();
    let decision = handlers.decide(options);
    let taken = decision.times;
    let mut report = handlers.report(decision, name, times);
    report.time_ms = times.then(|| Times {
        total: millis((options.clock)().saturating_sub(start)),
        parse: millis(std::time::Duration::ZERO),
        compile: millis(taken.compile),
        decide: millis(taken.decide),
        certify: millis(taken.certify),
        verify: millis(taken.verify),
        fix: None,
    });
    report
}

/// `serval export FILE --to ser`
pub(super) fn export(args: &Export, messages: Messages) -> Result<(), Failure> {
    if args.to.format != Format::Ser {
        return Err(Failure::message("handlers have the form ser; export that, and then the program in the form that is wanted"));
    }
    let handlers = read(&args.input.file, messages)?;
    write_to(args.out.as_deref(), handlers.program_text())
}
