//! `serval sql replay`: performs a saved run on a server.

use std::process::ExitCode;

use serval_replay::{MOST_TRACE_BYTES, ServerAddress, ServerFailure, perform, read_trace, replay_json, replay_text};

use crate::args::{SqlReplay, SqlReplayFormat};
use crate::failure::Failure;
use crate::input::{Messages, bytes_within, name_of, shown};
use crate::limits::{self, Lost, watched};
use crate::output::write_to;

pub(super) fn run(args: &SqlReplay, messages: Messages) -> Result<ExitCode, Failure> {
    limits::watch_interrupts();
    let name = shown(&args.trace);
    let bytes = bytes_within(&args.trace, MOST_TRACE_BYTES)?;
    if bytes.len() > MOST_TRACE_BYTES {
        return Err(Failure::message(format!("{name} is longer than {} MiB", MOST_TRACE_BYTES >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::message(format!("{name} is not UTF-8 [E0501]")))?;
    let trace = read_trace(&text).map_err(|why| Failure::message(format!("{name}: {why}")))?;
    let address = ServerAddress::new(args.dsn.clone());
    let outcome = watched(args.time(), move |watch| {
        perform(&trace.schedule, &address, &watch.cancel()).map_err(|failure| match failure {
            ServerFailure::Interrupted if !limits::is_interrupted() => watch.reason(),
            other => other.to_string(),
        })
    });
    let report = match outcome {
        _ if limits::is_interrupted() => return Err(Failure::Interrupted),
        Ok(Ok(report)) => report,
        Ok(Err(why)) => return Err(Failure::message(why)),
        Err(Lost::Panicked) => return Err(Failure::Internal),
        Err(lost) => return Err(Failure::message(lost.reason())),
    };
    let name = name_of(&args.trace);
    let text = match args.format {
        SqlReplayFormat::Text if messages.quiet => String::new(),
        SqlReplayFormat::Text => replay_text(&name, &report, messages.look.width),
        SqlReplayFormat::Json => replay_json(&name, &report),
    };
    write_to(None, &text)?;
    Ok(ExitCode::from(u8::from(!report.is_same())))
}
