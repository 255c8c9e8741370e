//! `serval sql …`: what a server does with transactions.

mod levels;
mod mine;
pub(crate) mod replay;

use std::process::ExitCode;

use crate::args::{Sql, SqlCommand};
use crate::failure::Failure;
use crate::input::Messages;

pub(crate) fn run(args: &Sql, messages: Messages) -> Result<ExitCode, Failure> {
    match &args.command {
        SqlCommand::Levels(levels) => levels::run(levels, messages),
        SqlCommand::Mine(mine) => mine::run(mine, messages),
        SqlCommand::Replay(replay) => replay::run(replay, messages),
    }
}
