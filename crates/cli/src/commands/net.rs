//! `serval net …`: questions about Petri nets.

mod check;
mod export;
mod info;
mod read;
mod run;

use std::process::ExitCode;

use crate::args::{Net, NetCommand};
use crate::failure::Failure;

pub(crate) fn run(args: &Net) -> Result<ExitCode, Failure> {
    match &args.command {
        NetCommand::Check(check) => return check::run(check),
        NetCommand::Info(info) => info::run(info)?,
        NetCommand::Run(run) => run::run(run)?,
        NetCommand::Export(export) => export::run(export)?,
    }
    Ok(ExitCode::SUCCESS)
}
