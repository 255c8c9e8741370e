//! `serval export DIR --to spec` and `--to psql`: the counterexample for other programs.

use std::time::Duration;

use serval::Options;
use serval_replay::{RunToFollow, planned};

use crate::args::{Export, Format};
use crate::failure::Failure;
use crate::input::{Messages, name_of};
use crate::limits::{self, Lost, watched};
use crate::output::{write_file, write_to};

pub(crate) fn run(args: &Export, messages: Messages) -> Result<(), Failure> {
    let name = name_of(&args.input.file);
    let out = match (&args.out, args.to.format) {
        (None, Format::Psql) => return Err(Failure::message("--to psql writes several files: give a directory with --out")),
        (out, _) => out.as_deref(),
    };
    let workload = crate::workload::read(std::slice::from_ref(&args.input.file), &args.sql, messages)?;
    limits::watch_interrupts();
    let time = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
    let own = name.clone();
    let done = watched(time, move |watch| {
        let mut options = Options::default();
        options.cancel = watch.cancel();
        let decided = workload.decide(&options);
        let run = decided.run();
        let report = decided.report(&own, false);
        let Some(run) = run else {
            let reason = watch.ended().map(|_| watch.reason()).or(report.reason).unwrap_or_else(|| "it has no counterexample".to_owned());
            return Err(reason);
        };
        let (data, translation) = workload.parts();
        let title = run.requests.iter().map(|one| format!("{} gets {}", one.request, one.gets)).collect::<Vec<_>>().join("; ");
        Ok((title, planned(RunToFollow { workload: data, translation, run: &run })?))
    });
    let (title, run) = match done {
        _ if limits::is_interrupted() => return Err(Failure::Interrupted),
        Ok(Ok(planned)) => planned,
        Ok(Err(why)) => return Err(Failure::message(format!("{name}: there is no run to write: {why}"))),
        Err(Lost::Panicked) => return Err(Failure::Internal),
        Err(lost) => return Err(Failure::message(lost.reason())),
    };
    let title = format!("{name}: {title}");
    if args.to.format == Format::Spec {
        let text = run.to_spec(&title).map_err(|why| Failure::message(format!("{name}: {why}")))?;
        return write_to(out, &text);
    }
    let Some(out) = out else { return Ok(()) };
    std::fs::create_dir_all(out)
        .map_err(|error| Failure::message(format!("cannot make the directory {}: {error}", crate::input::shown(out))))?;
    run.to_psql(&title).iter().try_for_each(|(file, text)| write_file(&out.join(file), text))
}
