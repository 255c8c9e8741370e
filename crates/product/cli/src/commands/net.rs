//! `serval net …`: questions about Petri nets.

mod assumed;
pub(super) mod check;
mod cover;
mod decompose;
mod ended;
mod export;
mod info;
mod invariant;
pub(super) mod read;
mod reduce;
mod run;
mod saving;
mod states;

use std::process::ExitCode;

use crate::args::{Net, NetCommand};
use crate::failure::Failure;
use crate::input::Messages;

pub(crate) fn run(args: &Net, messages: Messages) -> Result<ExitCode, Failure> {
    match &args.command {
        NetCommand::Check(check) => return check::run(check, messages),
        NetCommand::Info(info) => info::run(info)?,
        NetCommand::Cover(cover) => return cover::run(cover),
        NetCommand::States(states) => return states::run(states),
        NetCommand::Reduce(reduce) => return reduce::run(reduce),
        NetCommand::Decompose(decompose) => return decompose::run(decompose),
        NetCommand::Invariant(invariant) => return invariant::run(invariant),
        NetCommand::Run(run) => run::run(run)?,
        NetCommand::Export(export) => export::run(export)?,
    }
    Ok(ExitCode::SUCCESS)
}
