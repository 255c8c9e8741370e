//! `serval net states NET`.

use std::process::ExitCode;
use std::sync::Arc;

use serval::nets::{NoSpace, state_space};
use serval_report::counted;

use super::read;
use crate::args::{NetStates, SpaceFormat};
use crate::commands::check::Status;
use crate::failure::Failure;
use crate::limits::{self, watched};
use crate::output::{say, write_to};

pub(super) fn run(args: &NetStates) -> Result<ExitCode, Failure> {
    limits::limit_memory(args.limits.memory);
    let input = Arc::new(read::net(&args.net)?);
    let worker = Arc::clone(&input);
    let found = watched(args.limits.time(), move |watch| {
        watch.glance();
        state_space(worker.net(), &watch.cancel()).map_err(|error| (error, watch.reason()))
    });
    let reason = match found {
        Ok(Ok(space)) => {
            let text = match args.format {
                SpaceFormat::Text => space.to_text(),
                SpaceFormat::Mcc => space.to_mcc(),
            };
            write_to(None, &text)?;
            return Ok(ExitCode::SUCCESS);
        }
        Ok(Err((NoSpace::Stopped(markings), reason))) => format!("{reason}, with {}", counted(markings, "marking")),
        Ok(Err((NoSpace::TooLarge, _))) => {
            "a place has more tokens than 64 bits hold, or there are more than 4294967295 markings".to_owned()
        }
        Err(lost) => lost.reason(),
    };
    match args.format {
        SpaceFormat::Text => say(&format!("not all markings were counted: {reason}\n")),
        SpaceFormat::Mcc => write_to(None, "CANNOT_COMPUTE\n")?,
    }
    Ok(Status::Undecided.exit_code(false))
}
