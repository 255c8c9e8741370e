//! `serval net run NET`: random runs, replays, and runs by hand.

mod interactive;

use std::path::{Path, PathBuf};

use serval::nets::export::{TraceMistake, read_trace};
use serval::nets::{replayed, walked};
use serval_report::nets::{MarkingShown, NetTrace, TextStyle};

use super::read;
use crate::args::NetRun;
use crate::failure::Failure;
use crate::input::{plain_text, shown};
use crate::output::{keep_input, say, write_file, write_to};

pub(super) fn run(args: &NetRun) -> Result<(), Failure> {
    if args.interactive && args.net.file == Path::new("-") {
        return Err(Failure::message("--interactive reads the choices from standard input; the net has to be a file"));
    }
    let input = read::net(&args.net)?;
    let (whole, saved): (Vec<&PathBuf>, Vec<&PathBuf>) = args.trace.iter().partition(|path| *path == Path::new("all"));
    let markings = if whole.is_empty() { MarkingShown::Changes } else { MarkingShown::Whole };
    if args.interactive {
        let fired = interactive::run(input.net(), markings)?;
        return save(args, &saved, &NetTrace::of_transitions(fired));
    }
    let run = match &args.replay {
        Some(path) => {
            let wrong = |code: &str, message: String| Failure::message(format!("{}: {message} [{code}]", shown(path)));
            let text = plain_text(path)?;
            let trace = read_trace(&text, input.net(), args.counterexample.as_deref()).map_err(|mistake| match mistake {
                TraceMistake::NoTrace(message) => wrong("E0510", message),
                TraceMistake::NoRun(message) => wrong("E0511", message),
            })?;
            replayed(input.net(), &trace).map_err(|message| wrong("E0511", message))?
        }
        None => walked(input.net(), args.steps, args.seed),
    };
    write_to(None, &run.to_text(TextStyle { verbose: args.verbose, markings, width: 0 }))?;
    save(args, &saved, &NetTrace::new(&run))
}

/// Keeps the run in these files.
fn save(args: &NetRun, paths: &[&PathBuf], trace: &NetTrace) -> Result<(), Failure> {
    for path in paths {
        keep_input(&args.net.file, Some(path))?;
        write_file(path, &trace.to_json())?;
        say(&format!("saved the run to {}\n", shown(path)));
    }
    Ok(())
}
