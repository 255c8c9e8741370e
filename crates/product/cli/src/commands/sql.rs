//! `serval sql …`: what a server does with transactions.

pub(crate) mod replay;

use std::process::ExitCode;

use crate::args::{Sql, SqlCommand};
use crate::failure::Failure;
use crate::input::Messages;

pub(crate) fn run(args: &Sql, messages: Messages) -> Result<ExitCode, Failure> {
    match &args.command {
        SqlCommand::Replay(replay) => replay::run(replay, messages),
    }
}
