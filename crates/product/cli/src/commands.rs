//! One module per command.

mod bench;
pub(crate) mod check;
mod completions;
mod explain;
mod export;
mod fix;
mod fmt;
mod handlers;
mod lsp;
mod man;
mod net;
mod new;
mod playground;
mod replay;
mod run;
mod sql;
mod tso;
mod verify;
pub(crate) mod version;

use std::process::ExitCode;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::input::Messages;
use crate::output::{error_style, look};

/// Does what the arguments say; the exit status.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let messages = Messages { style: error_style(args.manners.color), look: look(args.manners.color), quiet: args.manners.quiet };
    match &args.command {
        Command::Check(check) => return check::run(check, messages),
        Command::Bench(bench) => return bench::run(bench, messages),
        Command::Fmt(fmt) => return fmt::run(fmt, messages),
        Command::Fix(fix) => return fix::run(fix, messages),
        Command::Net(net) => return net::run(net, messages),
        Command::Tso(tso) => return tso::run(tso, messages),
        Command::Sql(sql) => return sql::run(sql, messages),
        Command::Replay(replay) => return replay::run(replay, messages),
        Command::Verify(verify) => return verify::run(verify),
        Command::Lsp(lsp) => return lsp::run(lsp),
        Command::Playground(playground) => return playground::run(playground),
        Command::Export(export) => export::run(export, messages)?,
        Command::Run(run) => run::run(run, messages)?,
        Command::Explain(explain) => explain::run(explain)?,
        Command::New(new) => new::run(new, messages)?,
        Command::Completions(completions) => completions::run(completions)?,
        Command::Man(man) => man::run(man)?,
    }
    Ok(ExitCode::SUCCESS)
}
