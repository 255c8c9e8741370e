//! `serval fix FILE`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serval::Content;
use serval::kept_pauses;
use serval::repair::{Options, Outcome, Repair, lock_name_problem, repair_by_lock, repair_in_all_ways, repair_in_time, yield_lines};
use serval_report::fix::{FixReport, Fixable, OfferedFix, RefusedFix, What};
use serval_report::{Verdict, render_diagnostics};

use crate::args::{Fix, FixFormat, InputKind};
use crate::config::Configs;
use crate::failure::Failure;
use crate::input::{self, File, Messages};
use crate::limits::{self, Lost, Watch, watched};
use crate::output::{rewrite_file, say, write_to};

/// Looks for fixes of one file, and perhaps writes one.
pub(crate) fn run(args: &Fix, messages: Messages) -> Result<ExitCode, Failure> {
    let name = input::name_of(&args.file);
    if args.apply.is_some() && args.file == Path::new("-") {
        return Err(Failure::message("--apply changes a file, and standard input is none"));
    }
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    let config = Configs::default().of(&args.file, messages.style)?;
    let (keep, style) = (args.keep.iter().copied().collect(), config.format);
    let options = Options { jobs: args.limits.jobs.unwrap_or(0), keep, style, ..Options::default() };
    let (file, kind, lock) = (args.file.clone(), args.input, args.lock.clone());
    let strict = args.strict;
    let waiting = Waiting::begin(!messages.quiet && std::io::stderr().is_terminal());
    let repaired = watched(args.limits.time(), move |watch| repaired(&file, kind, (lock.as_deref(), strict), options, messages, watch));
    waiting.end();
    let found = match repaired {
        Ok(found) => found?,
        Err(Lost::Panicked) => return Err(Failure::Internal),
        Err(lost) => FixOutcome::Stopped(lost.reason()),
    };
    let (file, repaired, stopped) = match found {
        FixOutcome::Repaired(found) => *found,
        FixOutcome::Stopped(reason) => {
            let mut report = FixReport::new(&name, Verdict::Unknown, Fixable::Unknown);
            report.reason = Some(reason);
            write_to(None, &written(&report, args, messages))?;
            return Ok(ExitCode::from(if limits::is_interrupted() { 130 } else { 3 }));
        }
    };
    if let Outcome::Unusable(diagnostic) = &repaired.outcome {
        let drawn = render_diagnostics(std::slice::from_ref(diagnostic), &file.name, file.input.text(), messages.style);
        return Err(Failure::Input(drawn));
    }
    if let Outcome::Refused(why) = &repaired.outcome {
        say(&format!("internal error: the checker refuses our evidence: {why}\nthis is a bug in serval\n"));
        return Ok(ExitCode::from(4));
    }
    let mut report = report(&file.name, &repaired, args.lock.as_deref(), stopped);
    if args.strict {
        report.verdict = match report.verdict {
            Verdict::Serializable => Verdict::Strict,
            Verdict::NotSerializable => Verdict::NotStrict,
            other => other,
        };
    }
    write_to(None, &written(&report, args, messages))?;
    if limits::is_interrupted() {
        return Ok(ExitCode::from(130));
    }
    if let Some(number) = args.apply {
        let promise = file.input.promise() == Some(Verdict::NotSerializable);
        apply(args, number, &repaired, promise, messages.quiet)?;
    }
    Ok(ExitCode::from(match report.fix {
        Fixable::NotNeeded | Fixable::Found => 0,
        Fixable::None => 1,
        Fixable::Unknown => 3,
    }))
}

/// How often is looked whether the work is done.
const LOOK: Duration = Duration::from_millis(100);
const LOOKS_PER_SECOND: u64 = 10;

/// Says each second how long it takes; `looks` are those after which the work goes on. What was said is wiped out in
/// the end.
fn tell_seconds(looks: impl Iterator<Item = ()>, say: &mut dyn FnMut(&str)) {
    let mut count = 0_u64;
    for () in looks {
        count += 1;
        if count.is_multiple_of(LOOKS_PER_SECOND) {
            say(&format!("\r\x1b[Klooking for fixes and proving them, {} s", count / LOOKS_PER_SECOND));
        }
    }
    if count >= LOOKS_PER_SECOND {
        say("\r\x1b[K");
    }
}

/// Says on a terminal that work is in progress, from the first second on.
struct Waiting {
    done: Arc<AtomicBool>,
    line: Option<JoinHandle<()>>,
}

impl Waiting {
    fn begin(wanted: bool) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&done);
        let line = wanted.then(|| {
            std::thread::spawn(move || {
                let looks = std::iter::repeat_with(|| std::thread::sleep(LOOK)).take_while(|()| !ended.load(Ordering::Relaxed));
                tell_seconds(looks, &mut say);
            })
        });
        Self { done, line }
    }

    fn end(self) {
        self.done.store(true, Ordering::Relaxed);
        // A line that could not be drawn is no reason to stop.
        let _ = self.line.map(JoinHandle::join);
    }
}

/// What came of the work.
enum FixOutcome {
    /// The input, what was found, and which limit ended the search, if one did.
    Repaired(Box<(File, Repair, Option<String>)>),
    /// It was not even read.
    Stopped(String),
}

/// What the worker does.
fn repaired(
    file: &Path,
    kind: Option<InputKind>,
    (lock, strict): (Option<&str>, bool),
    options: Options,
    messages: Messages,
    watch: &Watch,
) -> Result<FixOutcome, Failure> {
    let Some(loaded) = watch.until(|| input::load("fix", file, kind)) else { return Ok(FixOutcome::Stopped(watch.reason())) };
    let file = loaded?.usable(messages)?;
    let input = &file.input;
    let Content::Program(_) = input.content() else {
        return Err(Failure::message(format!(
            "{} is a network system: it has no text with `yield`s that could be removed; give a .ser program",
            file.name
        )));
    };
    if let Some(problem) = lock.and_then(|lock| lock_name_problem(input.text(), lock)) {
        return Err(Failure::message(problem));
    }
    if let Some(line) = options.keep.difference(&yield_lines(input)).next() {
        return Err(Failure::message(format!("--keep {line}: there is no `yield` on line {line} of {}", file.name)));
    }
    let repaired = match lock {
        Some(lock) => repair_by_lock(input, lock, options, &watch.cancel()),
        None if strict => repair_in_time(input, options, &watch.cancel()),
        None => repair_in_all_ways(input, options, &watch.cancel()),
    };
    let stopped = watch.ended().map(|_| watch.reason());
    Ok(FixOutcome::Repaired(Box::new((file, repaired, stopped))))
}

fn written(report: &FixReport, args: &Fix, messages: Messages) -> String {
    match args.format {
        FixFormat::Json => report.to_json(),
        FixFormat::Text => messages.look.finish(&report.to_text(args.apply.is_none())),
    }
}

/// Writes a fix into the file.
fn apply(args: &Fix, number: usize, repaired: &Repair, promise: bool, quiet: bool) -> Result<(), Failure> {
    let texts: Vec<&str> = repaired.kept.iter().map(|kept| kept.text.as_str()).collect();
    let texts: Vec<&str> = texts.into_iter().chain(offered_fixes(repaired).iter().map(|fix| fix.text.as_str())).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let Some(text) = number.checked_sub(1).and_then(|index| texts.get(index)) else {
        let there = if texts.len() == 1 { "there is 1".to_owned() } else { format!("there are {}", texts.len()) };
        return Err(Failure::message(format!("there is no fix {number}; {there}")));
    };
    let written = rewrite_file(&args.file, text)?;
    if !quiet {
        say(&format!("fix {number} is written to {}{}\n", input::shown(&args.file), written.words()));
    }
    if promise && !quiet {
        say(&format!("note: the header of {} still expects another verdict\n", input::shown(&args.file)));
    }
    Ok(())
}

/// What is listed at most where something keeps every pause.
const PROPOSED: usize = 3;

/// All removals, and requests under a lock, that are proved to do: fixes, or sets of which a part may be enough.
fn offered_fixes(repaired: &Repair) -> &[serval::repair::Fix] {
    let fixes = match &repaired.outcome {
        Outcome::Fixed(fixes) => fixes,
        _ => &repaired.candidates,
    };
    let room = if repaired.kept.is_empty() { fixes.len() } else { PROPOSED.saturating_sub(repaired.kept.len()) };
    &fixes[..room.min(fixes.len())]
}

fn report(name: &str, repaired: &Repair, lock: Option<&str>, stopped: Option<String>) -> FixReport {
    let place = |&index: &usize| repaired.yields.get(index).map(|one| ([one.place.line, one.place.column], one.requests.clone()));
    let (verdict, fix, reason) = match &repaired.outcome {
        Outcome::Serializable => (Verdict::Serializable, Fixable::NotNeeded, None),
        Outcome::Fixed(_) => (Verdict::NotSerializable, Fixable::Found, None),
        _ if !repaired.kept.is_empty() => (Verdict::NotSerializable, Fixable::Found, None),
        Outcome::NoFix(why) => (Verdict::NotSerializable, Fixable::None, Some(why.clone())),
        // What is proved is offered, even if a part of it may be enough.
        Outcome::Undecided(..) if !repaired.candidates.is_empty() => (Verdict::NotSerializable, Fixable::Found, None),
        Outcome::Undecided(why, refuted) => {
            let verdict = if *refuted { Verdict::NotSerializable } else { Verdict::Unknown };
            (verdict, Fixable::Unknown, Some(stopped.unwrap_or_else(|| why.clone())))
        }
        Outcome::Unusable(_) | Outcome::Refused(_) => (Verdict::Error, Fixable::Unknown, None),
    };
    let verdict = if repaired.fault.is_some() { Verdict::Fault } else { verdict };
    let fixes = offered_fixes(repaired);
    let what = |set: &[usize]| match lock {
        Some(lock) => {
            let requests = set.iter().filter_map(|&index| repaired.requests.get(index)).cloned().collect();
            What::Lock { lock: lock.to_owned(), requests }
        }
        None => {
            let (yields, requests) = set.iter().filter_map(place).unzip();
            let step = |&index: &usize| repaired.yields.get(index).and_then(|one| one.step);
            let steps = set.iter().map(step).collect::<Option<Vec<_>>>().unwrap_or_default();
            What::Remove { yields, requests, steps }
        }
    };
    let offered = |fix: &serval::repair::Fix| OfferedFix { what: what(&fix.set), verified: true, diff: fix.diff.clone() };
    let kept = repaired.kept.iter().map(|kept| OfferedFix { what: What::Keep(kept_pauses(kept)), verified: true, diff: kept.diff.clone() });
    let refused = |set: &serval::repair::Harmful| RefusedFix { what: what(&set.set), why: set.why.clone() };
    FixReport {
        schema: 1,
        file: name.to_owned(),
        verdict,
        fix,
        fixes: kept.chain(fixes.iter().map(offered)).collect(),
        smallest: repaired.smallest && repaired.candidates.is_empty(),
        refused: repaired.harmful.iter().map(refused).collect(),
        fault: repaired.fault.clone(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is on the screen while the work is looked at so often.
    fn said(looks: usize) -> Vec<String> {
        let mut said = Vec::new();
        tell_seconds(std::iter::repeat_n((), looks), &mut |line: &str| said.push(line.to_owned()));
        said
    }

    #[test]
    fn progress_is_told_from_the_first_second_on_and_wiped_out() {
        let looks = |seconds: u64| usize::try_from(seconds * LOOKS_PER_SECOND).unwrap_or(usize::MAX);
        assert_eq!(u128::from(LOOKS_PER_SECOND) * LOOK.as_millis(), 1000);
        assert_eq!(said(looks(1) - 1), Vec::<String>::new());
        let wiped = "\r\x1b[K".to_owned();
        assert_eq!(said(looks(1)), ["\r\x1b[Klooking for fixes and proving them, 1 s".to_owned(), wiped.clone()]);
        let three = said(looks(3) + 5);
        assert_eq!(three.len(), 4);
        assert!(three[2].ends_with(", 3 s") && three[3] == wiped, "{three:?}");
    }

    #[test]
    fn what_is_proved_is_offered_even_if_a_part_of_it_may_be_enough() {
        let fix = serval::repair::Fix { set: Vec::new(), text: String::new(), diff: String::new(), certificate: String::new() };
        let undecided = Outcome::Undecided("more than 10 sets".to_owned(), true);
        let open = Repair { outcome: undecided.clone(), candidates: vec![fix], ..Repair::default() };
        let told = report("a.ser", &open, None, Some("stopped".to_owned()));
        assert_eq!((told.verdict, told.fix, told.fixes.len(), told.smallest), (Verdict::NotSerializable, Fixable::Found, 1, false));
        assert!(told.to_text(true).starts_with("not serializable  a.ser   1 fix, which may not be the smallest\n"));
        // Where nothing is proved nothing is offered.
        let told = report("a.ser", &Repair { outcome: undecided, ..Repair::default() }, None, None);
        assert_eq!((told.fix, told.fixes.len(), told.reason.as_deref()), (Fixable::Unknown, 0, Some("more than 10 sets")));
    }
}
