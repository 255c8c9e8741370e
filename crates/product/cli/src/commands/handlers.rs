//! Files of handlers in JavaScript and TypeScript: `check`, `export --to ser` and `verify`.

use std::path::Path;

#[cfg(feature = "handlers")]
pub(super) use with::{check, export, verify};
#[cfg(not(feature = "handlers"))]
pub(super) use without::{check, export, verify};

/// Whether a file is named as one of handlers.
pub(in crate::commands) fn is_handlers(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["js", "mjs", "ts", "mts"].iter().any(|known| ending == *known))
}

#[cfg(not(feature = "handlers"))]
mod without {
    use std::process::ExitCode;

    use crate::args::{Check, Export, Verify};
    use crate::failure::Failure;
    use crate::input::Messages;

    fn missing<T>() -> Result<T, Failure> {
        Err(Failure::message("this build reads no JavaScript or TypeScript; build serval with `--features handlers`"))
    }

    pub(in crate::commands) fn check(args: &Check, _: Messages) -> Result<Option<ExitCode>, Failure> {
        if args.files.iter().any(|path| super::is_handlers(path)) { missing() } else { Ok(None) }
    }

    pub(in crate::commands) fn export(_: &Export, _: Messages) -> Result<(), Failure> {
        missing()
    }

    pub(in crate::commands) fn verify(_: &Verify) -> Result<ExitCode, Failure> {
        missing()
    }
}

#[cfg(feature = "handlers")]
mod with {
    use std::path::Path;
    use std::process::ExitCode;
    use std::sync::Arc;

    use serval::handlers::{Bounds, Handlers};
    use serval::verify::{Checked, Subject};
    use serval::{Cancel, InputKind, Options};
    use serval_report::{FileReport, Times, Verdict, escape, render_diagnostics};

    use crate::args::{Check, Export, Format, OutputFormat, Verify};
    use crate::commands::check::{Status, methods, millis, now, save};
    use crate::failure::Failure;
    use crate::input::{self, Messages};
    use crate::limits::{self, watched};
    use crate::output::{say, write_to};

    fn read(path: &Path, messages: Messages) -> Result<Handlers, Failure> {
        let name = input::name_of(path);
        let text = input::plain_text(path)?;
        Handlers::read(&name, &text, &Bounds::default())
            .map_err(|mistakes| Failure::Input(render_diagnostics(&mistakes, &name, &text, messages.style)))
    }

    /// Checks files of handlers one after the other; the status is that of the worst. `None` where there is none.
    pub(in crate::commands) fn check(args: &Check, messages: Messages) -> Result<Option<ExitCode>, Failure> {
        let ours = args.files.iter().filter(|path| super::is_handlers(path)).count();
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
        if args.scale.is_some() || args.expected || !args.keep.is_empty() || args.sql.is_said() || args.require_certificate {
            return Err(Failure::message("--scale, --expected, --keep and what is about SQL do not go with handlers"));
        }
        limits::limit_memory(args.limits.memory);
        let several = args.files.len() > 1;
        let mut worst = Status::Fine;
        for (position, path) in args.files.iter().enumerate() {
            let status = match one(args, messages, path, several) {
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

    fn one(args: &Check, messages: Messages, path: &Path, several: bool) -> Result<(String, Status), Failure> {
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
        let (mut report, certificate) = match done {
            Ok(done) => done,
            Err(lost) => {
                let mut report = FileReport::new(&name, Verdict::Unknown);
                report.reason = Some(lost.reason());
                (report, None)
            }
        };
        if let (Some(text), Some(note)) = (&certificate, &mut report.certificate) {
            note.path = save(args.certificate.as_deref(), several, &name, "certificate.json", text)?;
        }
        let status = match report.verdict {
            Verdict::Serializable => Status::Fine,
            Verdict::Error => Status::Internal,
            _ => Status::Undecided,
        };
        let text = match args.format {
            OutputFormat::Json => report.to_json(),
            OutputFormat::Markdown => report.to_markdown(),
            _ if messages.quiet => report.to_line(messages.look),
            _ => report.to_text(args.verbose, messages.look),
        };
        Ok((text, status))
    }

    fn decided(handlers: &Handlers, name: &str, options: &Options, times: bool) -> (FileReport, Option<String>) {
        let start = (options.clock)();
        let decision = handlers.decide(options);
        let proved = matches!(decision.verdict, serval::Verdict::Serializable(_));
        let certificate = decision.evidence().filter(|_| proved).map(|evidence| evidence.certificate.clone());
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
        (report, certificate)
    }

    /// `serval export FILE --to ser`
    pub(in crate::commands) fn export(args: &Export, messages: Messages) -> Result<(), Failure> {
        if args.to.format != Format::Ser {
            return Err(Failure::message("handlers have the form ser; export that, and then the program in the form that is wanted"));
        }
        let handlers = read(&args.input.file, messages)?;
        write_to(args.out.as_deref(), handlers.program_text())
    }

    /// `serval verify FILE CERTIFICATE`: the file is translated again.
    pub(in crate::commands) fn verify(args: &Verify) -> Result<ExitCode, Failure> {
        let messages = Messages { style: Default::default(), look: crate::output::look(crate::output::Colour::Never), quiet: true };
        let handlers = read(&args.file, messages)?;
        let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
        let certificate = input::plain_text(&args.certificate)?;
        let subject = Subject::Requests { text: handlers.program_text(), kind: InputKind::Program };
        let Checked { status, line, .. } = serval::verify::verify(&subject, &name, &certificate, &certificate_name, &Cancel::new());
        if status == 2 {
            return Err(Failure::Input(format!("{}\n", escape::line(&line))));
        }
        write_to(None, &format!("{line}\n"))?;
        Ok(ExitCode::from(status))
    }
}
