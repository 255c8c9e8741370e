//! `serval net cover NET`.

use std::process::ExitCode;
use std::sync::Arc;

use serval::nets::{NoCoverage, coverage};
use serval_report::counted;

use super::read;
use crate::args::{CoverFormat, NetCover};
use crate::commands::check::Status;
use crate::failure::Failure;
use crate::input::name_of;
use crate::limits::{self, watched};
use crate::output::{say, write_to};

pub(super) fn run(args: &NetCover) -> Result<ExitCode, Failure> {
    limits::limit_memory(args.limits.memory);
    let input = Arc::new(read::net(&args.net)?);
    let worker = Arc::clone(&input);
    let found = watched(args.limits.time(), move |watch| {
        watch.glance();
        coverage(worker.net(), &watch.cancel()).map_err(|error| (error, watch.reason()))
    });
    let (status, reason) = match found {
        Ok(Ok(coverage)) => {
            let report = coverage.report(input.net(), &name_of(&args.net.file));
            let text = match args.format {
                CoverFormat::Text => report.to_text(args.verbose),
                CoverFormat::Json => report.to_json(),
                CoverFormat::Dot => report.to_dot(),
            };
            write_to(None, &text)?;
            return Ok(ExitCode::SUCCESS);
        }
        Ok(Err((NoCoverage::Stopped(markings), reason))) => (Status::Undecided, format!("{reason}, with {}", counted(markings, "marking"))),
        Ok(Err((NoCoverage::TooLarge(reason), _))) => (Status::Undecided, reason),
        Ok(Err((NoCoverage::Refused(reason), _))) => {
            (Status::Internal, format!("internal error: the checker refuses our evidence: {reason}"))
        }
        Err(lost) => (Status::Undecided, lost.reason()),
    };
    say(&format!("no coverability set: {reason}\n"));
    Ok(status.exit_code(false))
}
