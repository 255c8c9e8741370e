//! One module per command.

mod bench;
pub(crate) mod check;
mod completions;
mod explain;
mod export;
mod fix;
mod fmt;
mod man;
mod run;
mod verify;

use std::process::ExitCode;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::input::Manner;
use crate::output::error_style;

/// Does what the arguments say; the exit status.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let manner = Manner { style: error_style(args.color), quiet: args.quiet };
    match &args.command {
        Command::Check(check) => return check::run(check, manner),
        Command::Bench(bench) => return bench::run(bench, manner),
        Command::Fmt(fmt) => return fmt::run(fmt, manner),
        Command::Fix(fix) => return fix::run(fix, manner),
        Command::Verify(verify) => return verify::run(verify),
        Command::Export(export) => export::run(export, manner)?,
        Command::Run(run) => run::run(run, manner)?,
        Command::Explain(explain) => explain::run(explain)?,
        Command::Completions(completions) => completions::run(completions)?,
        Command::Man(man) => man::run(man)?,
    }
    Ok(ExitCode::SUCCESS)
}
