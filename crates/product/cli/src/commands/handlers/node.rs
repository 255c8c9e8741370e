//! Handlers, with the Node that is installed.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serval::handlers::{HandlerBounds, HandlerFile, Handlers, KeptRun, RepeatedRun};
use serval_replay::{MOST_TRACE_BYTES, NodeProcess};
use serval_report::{escape, render_diagnostics};

use crate::args::{Export, Format, Replay, ReplayFormat};
use crate::failure::Failure;
use crate::input::{self, Messages, bytes_within};
use crate::output::write_to;

/// How long Node may take for one answer; what has not come by then is ended. An answer takes tenths of a second of the
/// processor, but others may have it.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one run may take that is performed again.
pub(in crate::commands) const REPLAYED: Duration = Duration::from_secs(10);

/// A file that is read and translated.
fn read(path: &Path, messages: Messages) -> Result<Handlers, Failure> {
    let name = input::name_of(path);
    let text = input::plain_text(path)?;
    Handlers::read(&name, &text, &HandlerBounds::default())
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
    let handlers = read(&args.input.file, messages)?;
    write_to(args.out.as_deref(), handlers.program_text())
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
