//! One module per command.

mod explain;
mod export;
mod run;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::input::Manner;
use crate::output::error_style;

/// Does what the arguments say.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let manner = Manner { style: error_style(args.color), quiet: args.quiet };
    match &args.command {
        Command::Export(export) => export::run(export, manner),
        Command::Run(run) => run::run(run, manner),
        Command::Explain(explain) => explain::run(explain),
    }
}
