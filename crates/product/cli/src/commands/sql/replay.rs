//! `serval sql replay`: performs a saved run on a server.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use serval::sql::{SETTINGS, Workload};
use serval_replay::{
    FollowedRun, MOST_TRACE_BYTES, RunToFollow, ServerAddress, ServerFailure, follow, followed_text, perform, read_trace, replay_json,
    replay_text,
};
use serval_report::SqlRun;

use crate::args::{SqlArgs, SqlReplay, SqlReplayFormat};
use crate::failure::Failure;
use crate::input::{Messages, bytes_within, name_of, shown};
use crate::limits::{self, Lost, watched};
use crate::output::write_to;
use crate::workload::{files_of, read_files};

pub(in crate::commands) fn run(args: &SqlReplay, messages: Messages) -> Result<ExitCode, Failure> {
    limits::watch_interrupts();
    let (directory, run) = args.places();
    let name = shown(run);
    let bytes = bytes_within(run, MOST_TRACE_BYTES)?;
    if bytes.len() > MOST_TRACE_BYTES {
        return Err(Failure::message(format!("{name} is longer than {} MiB", MOST_TRACE_BYTES >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::message(format!("{name} is not UTF-8 [E0501]")))?;
    if let Some(directory) = directory {
        return of_workload(args, messages, directory, &name, &text);
    }
    if SqlRun::is_one(&text) {
        let why = "is the run of a workload: give its directory, too";
        return Err(Failure::message(format!("{name} {why}: serval sql replay DIR {name}")));
    }
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
    let name = name_of(run);
    let text = match args.format {
        SqlReplayFormat::Text if messages.quiet => String::new(),
        SqlReplayFormat::Text => replay_text(&name, &report, messages.look.width),
        SqlReplayFormat::Json => replay_json(&name, &report),
    };
    write_to(None, &text)?;
    Ok(ExitCode::from(u8::from(!report.is_same())))
}

/// Performs a counterexample of a workload.
fn of_workload(args: &SqlReplay, messages: Messages, directory: &PathBuf, name: &str, text: &str) -> Result<ExitCode, Failure> {
    let run = SqlRun::read(text).map_err(|why| Failure::message(format!("{name}: {why}")))?;
    let mut files = files_of(std::slice::from_ref(directory), &SqlArgs::default(), messages)?;
    files.retain(|(file, _)| file != SETTINGS);
    if !run.settings.is_empty() {
        files.push((SETTINGS.to_owned(), run.settings.clone()));
    }
    let of = name_of(directory);
    let workload = read_files(&files, &of, messages)?;
    if serval::fingerprint(workload.bundle()) != run.workload {
        return Err(Failure::message(format!("{name} is the run of another workload than {of}, or that was changed since")));
    }
    let workload = Arc::new(workload);
    let followed = followed(&workload, &run, &ServerAddress::new(args.dsn.clone()), args.time())?;
    let text = match args.format {
        SqlReplayFormat::Text if messages.quiet => String::new(),
        SqlReplayFormat::Text => followed_text(&of, &followed, messages.look.width),
        SqlReplayFormat::Json => replay_json(&of, &followed.report),
    };
    write_to(None, &text)?;
    Ok(ExitCode::from(u8::from(!followed.is_same())))
}

/// Has a server perform the run of a workload.
pub(crate) fn followed(
    workload: &Arc<Workload>,
    run: &SqlRun,
    address: &ServerAddress,
    time: std::time::Duration,
) -> Result<FollowedRun, Failure> {
    let (workload, run, address) = (Arc::clone(workload), run.clone(), address.clone());
    let outcome = watched(time, move |watch| {
        let (data, translation) = workload.parts();
        let wanted = RunToFollow { workload: data, translation, run: &run };
        follow(wanted, &address, &watch.cancel()).map_err(|failure| match failure {
            ServerFailure::Interrupted if !limits::is_interrupted() => watch.reason(),
            other => other.to_string(),
        })
    });
    match outcome {
        _ if limits::is_interrupted() => Err(Failure::Interrupted),
        Ok(Ok(followed)) => Ok(followed),
        Ok(Err(why)) => Err(Failure::message(why)),
        Err(Lost::Panicked) => Err(Failure::Internal),
        Err(lost) => Err(Failure::message(lost.reason())),
    }
}
