//! Handlers, with the Node that is installed.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serval::Cancel;
use serval::handlers::{HandlerBounds, HandlerFile, HandlerOptions, Handlers, KeptRun, RepeatedRun};
use serval::verify::{Checked, Subject};
use serval_replay::{MOST_TRACE_BYTES, NodeProcess};
use serval_report::{escape, render_diagnostics};

use crate::args::{Export, Format, Replay, ReplayFormat, TranslationArgs, Verify};
use crate::failure::Failure;
use crate::input::{self, Messages, bytes_within};
use crate::output::write_to;

/// How long Node may take for one answer; what has not come by then is ended. An answer takes tenths of a second of the
/// processor, but others may have it.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one run may take that is performed again.
pub(in crate::commands) const REPLAYED: Duration = Duration::from_secs(10);

/// The bounds within which a file is decided.
pub(in crate::commands) fn bounds(said: &TranslationArgs) -> HandlerBounds {
    let usual = HandlerBounds::default();
    let refusals = match &said.refusals {
        // `none` is the one word that is no number.
        Some(codes) => codes.iter().filter_map(|code| code.parse().ok()).collect(),
        None => usual.refusals,
    };
    let (values, keys) = (said.values.unwrap_or(usual.values), said.keys.or(usual.keys));
    let requests = (!said.requests.is_empty()).then(|| said.requests.clone());
    HandlerBounds { values, keys, refusals, requests, ..usual }
}

/// A file that is read and translated.
fn read(path: &Path, said: &TranslationArgs, messages: Messages) -> Result<Handlers, Failure> {
    let name = input::name_of(path);
    let text = input::plain_text(path)?;
    Handlers::read(&name, &text, &bounds(said))
        .map_err(|mistakes| Failure::Input(render_diagnostics(&mistakes, &name, &text, messages.style)))
}

/// The Node of `SERVAL_NODE`, or the one that is found.
fn node() -> Result<NodeProcess, String> {
    NodeProcess::start(std::env::var("SERVAL_NODE").ok().as_deref()).map_err(|why| why.to_string())
}

/// A Node that is started when there is something to ask.
#[derive(Default)]
pub(in crate::commands) struct LazyNode {
    there: Option<NodeProcess>,
}

impl LazyNode {
    /// Has a job performed.
    pub(in crate::commands) fn ask(&mut self, job: &str) -> Result<String, String> {
        let there = match &mut self.there {
            Some(there) => there,
            None => self.there.insert(node()?),
        };
        there.ask(job, PATIENCE).map_err(|why| why.to_string())
    }
}

/// A file that is read, whether it can be decided about or not.
pub(in crate::commands) fn read_file(path: &Path, messages: Messages) -> Result<HandlerFile, Failure> {
    let name = input::name_of(path);
    let text = input::plain_text(path)?;
    HandlerFile::read(&name, &text).map_err(|mistakes| Failure::Input(render_diagnostics(&mistakes, &name, &text, messages.style)))
}

/// `serval export FILE --to ser` and `--to js`
pub(super) fn export(args: &Export, messages: Messages) -> Result<(), Failure> {
    if args.to.format == Format::Js {
        let file = read_file(&args.input.file, messages)?;
        let plain = file.plain_text().map_err(|what| Failure::message(format!("types cannot be left out of {what}")))?;
        return write_to(args.out.as_deref(), plain);
    }
    let handlers = read(&args.input.file, &args.bounds, messages)?;
    write_to(args.out.as_deref(), handlers.program_text())
}

/// `serval verify FILE CERTIFICATE`
pub(super) fn verify(args: &Verify) -> Result<ExitCode, Failure> {
    let (name, certificate_name) = (input::name_of(&args.file), input::name_of(&args.certificate));
    let (text, certificate) = (input::plain_text(&args.file)?, input::plain_text(&args.certificate)?);
    if let Some(options) = HandlerOptions::of(&certificate).filter(|_| args.bounds.is_said()) {
        let said = bounds(&args.bounds);
        let differs = [
            (args.bounds.values.is_some() && said.values != options.values, "--values"),
            (args.bounds.keys.is_some() && said.keys != options.keys, "--keys"),
            (args.bounds.refusals.is_some() && said.refusals != options.refusals, "--refusals"),
            (!args.bounds.requests.is_empty() && said.requests != options.requests, "--requests"),
        ];
        if let Some((_, option)) = differs.iter().find(|(differs, _)| *differs) {
            let shown = escape::name(&certificate_name);
            write_to(None, &format!("{shown}: invalid: it was made with another {option}\n"))?;
            return Ok(ExitCode::from(1));
        }
    }
    let subject = Subject::Handlers { text: &text };
    let Checked { status, line, .. } = serval::verify::verify(&subject, &name, &certificate, &certificate_name, &Cancel::new());
    if status == 2 {
        return Err(Failure::Input(format!("{}\n", escape::line(&line))));
    }
    write_to(None, &format!("{line}\n"))?;
    Ok(ExitCode::from(status))
}

/// `serval replay FILE TRACE`
pub(super) fn replay(args: &Replay, messages: Messages) -> Result<ExitCode, Failure> {
    let name = input::shown(&args.trace);
    let bytes = bytes_within(&args.trace, MOST_TRACE_BYTES)?;
    if bytes.len() > MOST_TRACE_BYTES {
        return Err(Failure::message(format!("{name} is longer than {} MiB", MOST_TRACE_BYTES >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::message(format!("{name} is not UTF-8 [E0501]")))?;
    let run = KeptRun::read(&text).map_err(|why| Failure::message(format!("{name}: {why}")))?;
    let file = read_file(&args.file, messages)?;
    let repeated = performed(&run, &file, args.time()).map_err(Failure::message)?;
    let of = input::name_of(&args.file);
    let text = match args.format {
        ReplayFormat::Json => repeated.json(&of),
        ReplayFormat::Text if messages.quiet => String::new(),
        ReplayFormat::Text => escape::lines(&repeated.text(&of)).into_owned(),
    };
    write_to(None, &text)?;
    Ok(ExitCode::from(u8::from(repeated.differs.is_some())))
}

/// Has a Node of its own perform a run, and ends it where it does not come to an end.
pub(in crate::commands) fn performed(run: &KeptRun, file: &HandlerFile, limit: Duration) -> Result<RepeatedRun, String> {
    let job = run.job(file)?;
    let said = node()?.ask(&job, limit).map_err(|why| why.to_string())?;
    run.repeated(file, &said)
}
