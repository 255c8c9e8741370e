//! `serval fix FILE`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serval::Content;
use serval::repair::{
    Options, Outcome, Repair, lock_name_problem, offered_texts, repair_by_lock, repair_in_all_ways, repair_in_time, report, yield_lines,
};
use serval_report::fix::{FixReport, Fixable};
use serval_report::{Verdict, render_diagnostics};

use crate::args::{Fix, FixFormat, InputKind};
use crate::config::Configs;
use crate::failure::Failure;
use crate::input::{self, File, Messages};
use crate::limits::{self, Lost, Watch, watched};
use crate::output::{rewrite_file, say, write_to};

/// Looks for fixes of one file, and perhaps writes one.
pub(crate) fn run(args: &Fix, messages: Messages) -> Result<ExitCode, Failure> {
    if crate::workload::is_workload(&args.file) {
        return super::sql::fix::of_directory(args, messages);
    }
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
    let texts = offered_texts(repaired);
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
}
