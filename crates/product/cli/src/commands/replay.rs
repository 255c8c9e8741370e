//! `serval replay FILE TRACE`: one command for all inputs whose runs can be performed.

use std::process::ExitCode;

use super::{handlers, sql};
use crate::args::{InputArgs, Replay, ReplayFormat, RunArgs, SqlReplay, SqlReplayFormat};
use crate::failure::Failure;
use crate::input::Messages;
use crate::workload::is_workload;

pub(super) fn run(args: &Replay, messages: Messages) -> Result<ExitCode, Failure> {
    if handlers::is_handlers(&args.file) {
        if args.dsn.is_some() {
            return Err(Failure::message("--dsn is about workloads of SQL: Node performs handlers"));
        }
        return handlers::replay(args, messages);
    }
    if is_workload(&args.file) {
        let format = match args.format {
            ReplayFormat::Text => SqlReplayFormat::Text,
            ReplayFormat::Json => SqlReplayFormat::Json,
        };
        let (files, dsn) = (vec![args.file.clone(), args.trace.clone()], args.dsn.clone());
        return sql::replay::run(&SqlReplay { files, dsn, format, timeout: args.timeout.unwrap_or(60.0) }, messages);
    }
    if args.dsn.is_some() || args.format == ReplayFormat::Json {
        return Err(Failure::message("--dsn and --format json are about workloads of SQL and handlers: a program has no server"));
    }
    let input = InputArgs { file: args.file.clone(), input: None, plain: false, max_states: 4_000_000 };
    let replay = Some(args.trace.clone());
    let (requests, seed, runs, max_steps) = (3, 0, 1, 1_000);
    super::run::run(&RunArgs { input, requests, seed, runs, max_steps, replay, interactive: false, trace: None }, messages)?;
    Ok(ExitCode::SUCCESS)
}
