//! `serval fix FILE`.

use std::path::Path;
use std::process::ExitCode;

use serval_repair::{Options, Outcome, Repair, lock_name_problem, repair, repair_by_lock};
use serval_report::fix::{FixReport, Fixable, OfferedFix, RefusedFix, What};
use serval_report::{Verdict, render_diagnostics};

use super::check::stopped_by;
use crate::args::{Fix, FixFormat};
use crate::failure::Failure;
use crate::input::{self, Content, Input, Manner};
use crate::limits::{self, Ended, LastWords, Watch};
use crate::output::{rewrite_file, say, write_to};

/// Looks for fixes of one file, and perhaps writes one.
pub(crate) fn run(args: &Fix, manner: Manner) -> Result<ExitCode, Failure> {
    let name = input::name_of(&args.file);
    if args.apply.is_some() && args.file == Path::new("-") {
        return Err(Failure::message("--apply changes a file, and standard input is none"));
    }
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let watch = Watch::start(args.limits.time(), last_words(&name, args.format));
    let input = input::load(&args.file, args.input)?.usable(manner)?;
    let Content::Program(program) = &input.content else {
        return Err(Failure::message(format!(
            "{} is a network system: it has no text with `yield`s that could be removed; give a .ser program",
            input::shown(&args.file)
        )));
    };
    let jobs = limits::threads(args.limits.jobs);
    let options = Options { jobs, ..Options::default() };
    if let Some(problem) = args.lock.as_deref().and_then(|lock| lock_name_problem(&input.text, lock)) {
        return Err(Failure::message(problem));
    }
    let repaired = match &args.lock {
        Some(lock) => repair_by_lock(&input.text, lock, options, &watch.cancel()),
        None => repair(&input.text, options, &watch.cancel()),
    };
    let ended = watch.ended();
    drop(watch);
    if let Outcome::Unusable(diagnostic) = &repaired.outcome {
        let drawn = render_diagnostics(std::slice::from_ref(diagnostic), &input.name, &input.text, manner.style);
        return Err(Failure::Input(drawn));
    }
    if let Outcome::Refused(why) = &repaired.outcome {
        say(&format!("internal error: the checker refuses our evidence: {why}\nthis is a bug in serval\n"));
        return Ok(ExitCode::from(4));
    }
    let report = report(&input, &repaired, args.lock.as_deref(), ended);
    let text = match args.format {
        FixFormat::Json => report.to_json(),
        FixFormat::Text => report.to_text(args.apply.is_none()),
    };
    write_to(None, &text)?;
    if ended == Some(Ended::Interrupt) {
        return Ok(ExitCode::from(130));
    }
    if let Some(number) = args.apply {
        let promise = program.expectation.as_ref().is_some_and(|promise| promise.verdict == serval_syntax::Verdict::NotSerializable);
        apply(args, number, &repaired.outcome, promise, manner.quiet)?;
    }
    Ok(ExitCode::from(match report.fix {
        Fixable::NotNeeded | Fixable::Found => 0,
        Fixable::None => 1,
        Fixable::Unknown => 3,
    }))
}

/// Writes a fix into the file.
fn apply(args: &Fix, number: usize, outcome: &Outcome, promise: bool, quiet: bool) -> Result<(), Failure> {
    let Outcome::Fixed(fixes) = outcome else { return Ok(()) };
    let Some(fix) = number.checked_sub(1).and_then(|index| fixes.get(index)) else {
        let there = if fixes.len() == 1 { "there is 1".to_owned() } else { format!("there are {}", fixes.len()) };
        return Err(Failure::message(format!("there is no fix {number}; {there}")));
    };
    let written = rewrite_file(&args.file, &fix.text)?;
    if !quiet {
        say(&format!("fix {number} is written to {}{}\n", input::shown(&args.file), written.words()));
    }
    if promise && !quiet {
        say(&format!("note: the header of {} still expects another verdict\n", input::shown(&args.file)));
    }
    Ok(())
}

fn report(input: &Input, repaired: &Repair, lock: Option<&str>, ended: Option<Ended>) -> FixReport {
    let place = |&index: &usize| repaired.yields.get(index).map(|one| ([one.place.line, one.place.column], one.requests.clone()));
    let (verdict, fix, reason) = match &repaired.outcome {
        Outcome::Serializable => (Verdict::Serializable, Fixable::NotNeeded, None),
        Outcome::Fixed(_) => (Verdict::NotSerializable, Fixable::Found, None),
        Outcome::NoFix(why) => (Verdict::NotSerializable, Fixable::None, Some(why.clone())),
        Outcome::Undecided(why, refuted) => {
            let verdict = if *refuted { Verdict::NotSerializable } else { Verdict::Unknown };
            (verdict, Fixable::Unknown, Some(if ended.is_some() { stopped_by(ended) } else { why.clone() }))
        }
        Outcome::Unusable(_) | Outcome::Refused(_) => (Verdict::Error, Fixable::Unknown, None),
    };
    let fixes = match &repaired.outcome {
        Outcome::Fixed(fixes) => fixes.as_slice(),
        _ => &[],
    };
    let what = |set: &[usize]| match lock {
        Some(lock) => {
            let requests = set.iter().filter_map(|&index| repaired.requests.get(index)).cloned().collect();
            What::Lock { lock: lock.to_owned(), requests }
        }
        None => {
            let (yields, requests) = set.iter().filter_map(place).unzip();
            What::Remove { yields, requests }
        }
    };
    let offered = |fix: &serval_repair::Fix| OfferedFix { what: what(&fix.set), verified: true, diff: fix.diff.clone() };
    let refused = |set: &serval_repair::Harmful| RefusedFix { what: what(&set.set), why: set.why.clone() };
    FixReport {
        schema: 1,
        file: input.name.clone(),
        verdict,
        fix,
        fixes: fixes.iter().map(offered).collect(),
        smallest: repaired.smallest && repaired.candidates.is_empty(),
        candidates: repaired.candidates.iter().map(offered).collect(),
        refused: repaired.harmful.iter().map(refused).collect(),
        reason,
    }
}

/// What is written if the process has to end at once.
fn last_words(name: &str, format: FixFormat) -> LastWords {
    let mut report = FixReport::new(name, Verdict::Unknown, Fixable::Unknown);
    report.reason = Some("stopped at the time or memory limit".to_owned());
    let text = match format {
        FixFormat::Json => report.to_json(),
        FixFormat::Text => report.to_text(true),
    };
    LastWords { text: text.into_bytes(), status: 3 }
}
