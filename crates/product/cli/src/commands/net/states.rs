//! `serval net states NET`.

use std::process::ExitCode;
use std::sync::Arc;

use serval::nets::{NetInput, NoSpace, space_graph, state_space};
use serval_report::counted;

use super::read;
use crate::args::{NetStates, SpaceForm, SpaceFormat};
use crate::commands::check::Status;
use crate::failure::Failure;
use crate::limits::{self, watched};
use crate::output::{say, write_to};

pub(super) fn run(args: &NetStates) -> Result<ExitCode, Failure> {
    limits::limit_memory(args.limits.memory);
    let input = Arc::new(read::net(&args.net)?);
    if let Some(form) = args.to {
        return write(args, form, input);
    }
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

/// Writes all markings down.
fn write(args: &NetStates, form: SpaceForm, input: Arc<NetInput>) -> Result<ExitCode, Failure> {
    let most = args.most;
    let found = watched(args.limits.time(), move |watch| {
        watch.glance();
        space_graph(input.net(), most, &watch.cancel()).map_err(|error| (error, watch.reason()))
    });
    let reason = match found {
        Ok(Ok(graph)) => {
            let text = match form {
                SpaceForm::Dot => graph.to_dot(),
                SpaceForm::Json => graph.to_json(),
                SpaceForm::Aut => graph.to_aut(),
            };
            write_to(args.out.as_deref(), &text)?;
            return Ok(ExitCode::SUCCESS);
        }
        Ok(Err((NoSpace::Stopped(_), reason))) => reason,
        Ok(Err((NoSpace::TooLarge, _))) => {
            format!("there are more than {}, or a place has more tokens than 64 bits hold; --most allows more", counted(most, "marking"))
        }
        Err(lost) => lost.reason(),
    };
    say(&format!("no markings are written: {reason}\n"));
    Ok(Status::Undecided.exit_code(false))
}
