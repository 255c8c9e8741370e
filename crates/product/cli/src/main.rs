//! The binary `serval`: arguments, files, terminal, exit status. Everything
//! else is in the libraries.

mod args;
mod commands;
mod config;
mod doors;
mod failure;
mod input;
mod limits;
mod logger;
mod names;
mod output;
mod workload;

use std::process::ExitCode;

/// Counts memory, for `--memory`.
#[global_allocator]
static MEMORY: serval_memory::Counting = serval_memory::Counting;

fn main() -> ExitCode {
    if let Some(text) = commands::version::in_full(std::env::args_os().skip(1)) {
        return output::write_to(None, &text).map_or_else(failure::Failure::report, |()| ExitCode::SUCCESS);
    }
    let args = match args::Args::of_process() {
        Ok(args) => args,
        Err(status) => return status,
    };
    let outcome = std::panic::catch_unwind(|| logger::start().and_then(|()| commands::run(&args)));
    match outcome {
        Ok(Ok(status)) => status,
        Ok(Err(failure)) => failure.report(),
        // The panic message has been printed by then.
        Err(_) => failure::Failure::Internal.report(),
    }
}
