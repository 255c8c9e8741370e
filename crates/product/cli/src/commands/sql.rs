//! `serval sql …`: what a server does with transactions.

pub(crate) mod export;
pub(crate) mod fix;
mod levels;
mod mine;
pub(crate) mod replay;

use std::process::ExitCode;

use serval::Options;
use serval::sql::Workload;
use serval_report::{FileReport, Verdict};

use crate::args::{Sql, SqlCommand};
use crate::failure::Failure;
use crate::input::Messages;
use crate::limits::{Lost, Times, watched};

pub(crate) fn run(args: &Sql, messages: Messages) -> Result<ExitCode, Failure> {
    match &args.command {
        SqlCommand::Fix(fix) => fix::run(fix, messages),
        SqlCommand::Levels(levels) => levels::run(levels, messages),
        SqlCommand::Mine(mine) => mine::run(mine, messages),
        SqlCommand::Replay(replay) => replay::run(replay, messages),
    }
}

/// Decides one of many workloads, within the time that there is for it.
fn decided(workload: Workload, jobs: usize, times: &Times) -> Result<FileReport, Failure> {
    let done = watched(times.next(), move |watch| {
        let mut options = Options::default();
        (options.jobs, options.cancel) = (jobs, watch.cancel());
        let mut report = workload.decide(&options).report("", false);
        if report.verdict == Verdict::Unknown && watch.ended().is_some() {
            report.reason = Some(watch.reason());
        }
        report
    });
    match done {
        Ok(report) => Ok(report),
        Err(Lost::Panicked) => Err(Failure::Internal),
        Err(lost) => {
            let mut report = FileReport::new("", Verdict::Unknown);
            report.reason = Some(lost.reason());
            Ok(report)
        }
    }
}
