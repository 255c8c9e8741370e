//! `serval net run NET`: random runs and replays.

use std::path::{Path, PathBuf};

use serval::nets::{replayed, walked};
use serval_report::nets::{MarkingShown, NetTrace, TextStyle};

use super::read;
use crate::args::NetRun;
use crate::failure::Failure;
use crate::input::{plain_text, shown};
use crate::output::{keep_input, say, write_file, write_to};

pub(super) fn run(args: &NetRun) -> Result<(), Failure> {
    let input = read::net(&args.net)?;
    let run = match &args.replay {
        Some(path) => {
            let wrong = |code: &str, message: String| Failure::message(format!("{}: {message} [{code}]", shown(path)));
            let trace = NetTrace::from_json(&plain_text(path)?).map_err(|message| wrong("E0510", message))?;
            replayed(input.net(), &trace).map_err(|message| wrong("E0511", message))?
        }
        None => walked(input.net(), args.steps, args.seed),
    };
    let (whole, saved): (Vec<&PathBuf>, Vec<&PathBuf>) = args.trace.iter().partition(|path| *path == Path::new("all"));
    let markings = if whole.is_empty() { MarkingShown::Changes } else { MarkingShown::Whole };
    write_to(None, &run.to_text(TextStyle { verbose: args.verbose, markings, width: 0 }))?;
    for path in saved {
        keep_input(&args.net.file, Some(path))?;
        write_file(path, &NetTrace::new(&run).to_json())?;
        say(&format!("saved the run to {}\n", shown(path)));
    }
    Ok(())
}
