//! Handlers, with the Node that is installed.

use std::path::Path;
use std::time::Duration;

use serval::handlers::{HandlerBounds, Handlers};
use serval_replay::NodeProcess;
use serval_report::render_diagnostics;

use crate::args::Export;
use crate::failure::Failure;
use crate::input::{self, Messages};
use crate::output::write_to;

/// How long Node may take for one answer; what has not come by then is ended. An answer takes tenths of a second of the
/// processor, but others may have it.
pub(in crate::commands) const PATIENCE: Duration = Duration::from_secs(60);

/// A file that is read and translated.
pub(in crate::commands) fn read(path: &Path, messages: Messages) -> Result<Handlers, Failure> {
    let name = input::name_of(path);
    let text = input::plain_text(path)?;
    Handlers::read(&name, &text, &HandlerBounds::default())
        .map_err(|mistakes| Failure::Input(render_diagnostics(&mistakes, &name, &text, messages.style)))
}

/// The Node of `SERVAL_NODE`, or the one that is found.
pub(in crate::commands) fn node() -> Result<NodeProcess, String> {
    NodeProcess::start(std::env::var("SERVAL_NODE").ok().as_deref()).map_err(|why| why.to_string())
}

/// `serval export FILE --to ser`
pub(super) fn export(args: &Export, messages: Messages) -> Result<(), Failure> {
    let handlers = read(&args.input.file, messages)?;
    write_to(args.out.as_deref(), handlers.program_text())
}
