//! `serval bench DIR…`: runs many files as `serval check` does, and compares
//! verdicts and times with what was expected.

mod ablation;
mod nets;
mod subjects;
mod yardstick;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serval_report::bench::{Baseline, BenchReport, BenchRow, ExpectedLine, NetBenchReport, merged, read_baseline, read_expected};
use serval_report::escape::{self, line};

use super::check::{self, CheckedFile, Checking, Status, millis};
use crate::args::{Bench, BenchCommand, BenchFormat, Check, Merge, OutputFormat};
use crate::failure::Failure;
use crate::input::{self, Messages};
use crate::limits;
use crate::output::{say, write_file, write_to};
use subjects::Subject;

/// Runs everything and prints the table.
pub(crate) fn run(args: &Bench, messages: Messages) -> Result<ExitCode, Failure> {
    if let Some(BenchCommand::Merge(args)) = &args.command {
        return merge(args);
    }
    if let Some(directory) = nets::directory(args) {
        return nets::run(args, directory, messages);
    }
    let subjects: Vec<Arc<Subject>> = subjects::all(args)?.into_iter().map(Arc::new).collect();
    if args.ablation {
        return ablation::run(args, &subjects, messages);
    }
    let methods = check::methods(&args.method, &args.classic)?;
    if args.emit {
        return emit(&subjects);
    }
    let measuring = Measuring {
        args,
        expected: args.expected.as_deref().map(expected).transpose()?,
        baseline: args.baseline.as_deref().map(baseline).transpose()?,
        loud: !messages.quiet,
    };
    measuring.say_which_are_missing(&subjects);
    limits::watch_interrupts();
    limits::limit_memory(args.limits.memory);
    // Warnings about programs are not what is asked for here, and what is
    // remembered would not be measured.
    let checking = Arc::new(Checking {
        args: check_args(args),
        messages: Messages { quiet: true, ..messages },
        several: true,
        methods,
        allow: Vec::new(),
        style: serval::FormatStyle::default(),
        cache: None,
        found: None,
    });
    let mut all: Vec<Subjected> = subjects.iter().map(|subject| Subjected { subject, runs: Vec::new() }).collect();
    measuring.measure(&checking, &mut all, |_| true)?;
    measuring.measure_again(&checking, &mut all)?;
    let rows = measuring.rows(&mut all);
    let worst = all.iter().filter_map(|one| one.runs.last()).map(|run| run.checked.status).max().unwrap_or(Status::Fine);
    measuring.no_progress();
    if measuring.loud {
        say_what_is_slower(&rows);
    }
    let differs = rows.iter().any(BenchRow::differs);
    if let Some(path) = &args.svg {
        write_file(path, &measuring.report(rows.clone()).to_svg())?;
    }
    write_to(None, &measuring.written(rows))?;
    Ok(ExitCode::from(match worst {
        _ if limits::is_interrupted() => 130,
        Status::Internal => 4,
        Status::Input => 2,
        Status::Fine | Status::Undecided | Status::NotSerializable => u8::from(differs),
    }))
}

/// Puts parts together and prints the table.
fn merge(args: &Merge) -> Result<ExitCode, Failure> {
    let read = |path: &PathBuf| Ok((input::shown(path), input::plain_text(path)?));
    let parts = args.files.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    if let Some(report) = NetBenchReport::merged(&parts) {
        let report = report.map_err(|error| Failure::message(error.to_string()))?;
        return nets::told(&report, args.format, args.svg.as_deref());
    }
    let report = merged(&parts).map_err(|error| Failure::message(error.to_string()))?;
    if let Some(path) = &args.svg {
        write_file(path, &report.to_svg())?;
    }
    write_to(None, &in_format(&report, args.format))?;
    let differs = report.rows.iter().any(BenchRow::differs);
    Ok(ExitCode::from(if report.summary.errors > 0 { 2 } else { u8::from(differs) }))
}

fn in_format(report: &BenchReport, format: BenchFormat) -> String {
    match format {
        BenchFormat::Text => report.to_text(),
        BenchFormat::Csv => report.to_csv(),
        BenchFormat::Json => report.to_json(),
        BenchFormat::Markdown => report.to_markdown(),
    }
}

/// The options of `check` that mean the same.
fn check_args(args: &Bench) -> Check {
    Check {
        replay: None,
        handlers: Default::default(),
        files: Vec::new(),
        input: None,
        limits: args.limits,
        method: args.method.clone(),
        seed: None,
        classic: args.classic.clone(),
        format: OutputFormat::Json,
        sql: Default::default(),
        require_certificate: false,
        grow: false,
        allow: Vec::new(),
        certificate: None,
        trace: None,
        html: None,
        svg: None,
        keep: Vec::new(),
        no_fix: true,
        scale: None,
        only: None,
        expected: false,
        help_all: None,
        strict: false,
        exit_zero: false,
        no_times: false,
        verbose: false,
        full: false,
        progress: false,
        no_cache: true,
        watch: false,
        explicit: BTreeSet::new(),
    }
}

/// How often what seems slower is measured again, and the pauses before.
const AGAIN: usize = 4;
const PAUSE: Duration = Duration::from_millis(100);

/// Runs that take less are repeated until it is so much.
const LITTLE: Duration = Duration::from_millis(1);

/// How long the bar on a terminal is.
const BAR: usize = 24;

/// Prints the one program that is asked for.
fn emit(subjects: &[Arc<Subject>]) -> Result<ExitCode, Failure> {
    let only = match subjects {
        [one] => one.program.as_deref(),
        _ => None,
    };
    match only {
        Some(text) => write_to(None, text).map(|()| ExitCode::SUCCESS),
        None => Err(Failure::message("--emit prints one program; name one family and one size")),
    }
}

fn expected(path: &Path) -> Result<Vec<ExpectedLine>, Failure> {
    read_expected(&input::plain_text(path)?).map_err(|error| Failure::message(format!("{}: {error}", input::shown(path))))
}

fn baseline(path: &Path) -> Result<Baseline, Failure> {
    read_baseline(&input::plain_text(path)?).map_err(|error| Failure::message(format!("{}: {error}", input::shown(path))))
}

struct Measuring<'a> {
    args: &'a Bench,
    expected: Option<Vec<ExpectedLine>>,
    baseline: Option<Baseline>,
    loud: bool,
}

impl Measuring<'_> {
    /// Runs the chosen ones as often as is asked for, in rounds: a machine that
    /// is busy for a while is busy for all. The first run without a verdict is
    /// the last, for the others would say the same. Ends when the user interrupts.
    fn measure(&self, checking: &Arc<Checking>, all: &mut [Subjected<'_>], chosen: impl Fn(usize) -> bool) -> Result<(), Failure> {
        for _ in 0..self.args.runs {
            for index in (0..all.len()).filter(|&index| chosen(index)) {
                let subject = all[index].subject;
                if all[index].runs.last().is_some_and(|run| !has_verdict(&run.checked)) {
                    continue;
                }
                self.progress(index, all.len(), &subject.name);
                let then = yardstick::measured();
                let Some(checked) = self.once(checking, subject)? else { return Ok(()) };
                let yardstick = millis((then + yardstick::measured()) / 2);
                all[index].runs.push(Measured { checked, yardstick });
            }
        }
        Ok(())
    }

    /// Measures again, a few times and with pauses, what seems to have become slower.
    fn measure_again(&self, checking: &Arc<Checking>, all: &mut [Subjected<'_>]) -> Result<(), Failure> {
        let suspects: Vec<bool> = self.rows(all).iter().map(|row| row.baseline.is_some_and(|compared| compared.is_suspicious())).collect();
        for _ in 0..AGAIN {
            if limits::is_interrupted() || !suspects.contains(&true) {
                break;
            }
            std::thread::sleep(PAUSE);
            self.measure(checking, all, |index| suspects.get(index) == Some(&true))?;
        }
        Ok(())
    }

    /// A row for each that was run.
    fn rows(&self, all: &mut [Subjected<'_>]) -> Vec<BenchRow> {
        all.iter_mut().filter_map(|one| Some(self.row(one.subject, one.middle()?))).collect()
    }

    /// One run. What takes very little time is repeated, for that is mostly the
    /// time of what the processor has to fetch first; the middle counts.
    fn once(&self, checking: &Arc<Checking>, subject: &Arc<Subject>) -> Result<Option<CheckedFile>, Failure> {
        let (mut repeated, start) = (Vec::new(), Instant::now());
        loop {
            let loaded = Arc::clone(subject);
            let checked = checking.checked(&input::name_of(&subject.path), move || loaded.load())?;
            if limits::is_interrupted() {
                return Ok(None);
            }
            let verdict = has_verdict(&checked);
            repeated.push(checked);
            if !verdict {
                return Ok(repeated.pop());
            }
            if start.elapsed() >= LITTLE {
                repeated.sort_by(|one, other| total(one).total_cmp(&total(other)));
                let middle = repeated.len() / 2;
                return Ok(Some(repeated.swap_remove(middle)));
            }
        }
    }

    fn row(&self, subject: &Subject, Measured { checked, yardstick }: &Measured) -> BenchRow {
        let line = self.expected_line(&subject.path);
        // A table, if there is one, is all that counts for files.
        let expected = match (&self.expected, subject.verdict) {
            (_, Some(verdict)) => Some(verdict),
            (Some(_), None) => line.map(|line| line.verdict),
            (None, None) => checked.promise,
        };
        let mut row = BenchRow::new(&subject.name, &checked.report, expected);
        row.yardstick_ms = row.time_ms.map(|_| *yardstick);
        if self.args.no_times {
            (row.time_ms, row.yardstick_ms) = (None, None);
        }
        row.with_published(line.and_then(|line| line.published.as_deref()))
            .with_baseline(self.baseline.as_ref().and_then(|baseline| baseline.find(&subject.name)))
    }

    /// The line whose path is the end of this one; the longest, if several are.
    fn expected_line(&self, path: &Path) -> Option<&ExpectedLine> {
        let lines = self.expected.iter().flatten();
        lines.filter(|line| path.ends_with(&line.file)).max_by_key(|line| line.file.len())
    }

    fn say_which_are_missing(&self, subjects: &[Arc<Subject>]) {
        let run = |line: &&ExpectedLine| subjects.iter().any(|subject| subject.path.ends_with(&line.file));
        let missing: Vec<&str> = self.expected.iter().flatten().filter(|line| !run(line)).map(|line| line.file.as_str()).collect();
        // Of a part of the files others are elsewhere.
        if self.loud && !missing.is_empty() && self.args.shard.is_none() {
            say(&format!("warning: expected, but not among the files: {}\n", line(&missing.join(", "))));
        }
    }

    fn report(&self, rows: Vec<BenchRow>) -> BenchReport {
        let peak = if self.args.no_times { None } else { peak_memory_mib() };
        let mut report = BenchReport::new(env!("CARGO_PKG_VERSION"), rows, peak);
        report.shard = self.args.shard.map(|shard| [shard.number, shard.of]);
        report
    }

    fn written(&self, rows: Vec<BenchRow>) -> String {
        in_format(&self.report(rows), self.args.format)
    }

    fn progress(&self, position: usize, of: usize, name: &str) {
        if self.loud && std::io::stderr().is_terminal() {
            let done = BAR * position / of.max(1);
            let bar: String = (0..BAR).map(|place| if place < done { '█' } else { '░' }).collect();
            say(&format!("\r\x1b[K{bar} {} of {of}: {}", position + 1, escape::name(name)));
        }
    }

    fn no_progress(&self) {
        if self.loud && std::io::stderr().is_terminal() {
            say("\r\x1b[K");
        }
    }
}

/// A run, and what the yardstick took beside it.
struct Measured {
    checked: CheckedFile,
    yardstick: f64,
}

impl Measured {
    /// The time as the yardstick has it.
    #[expect(clippy::float_arithmetic, reason = "a time for people; no verdict depends on it")]
    fn relative(&self) -> f64 {
        total(&self.checked) / self.yardstick
    }
}

fn total(checked: &CheckedFile) -> f64 {
    checked.report.time_ms.map_or(0.0, |times| times.total)
}

fn has_verdict(checked: &CheckedFile) -> bool {
    matches!(checked.status, Status::Fine | Status::NotSerializable)
}

/// A subject, and its runs so far.
struct Subjected<'a> {
    subject: &'a Arc<Subject>,
    runs: Vec<Measured>,
}

impl Subjected<'_> {
    /// The one in the middle, by time as the yardstick has it; the last one if
    /// it has no verdict.
    fn middle(&mut self) -> Option<&Measured> {
        let last = self.runs.last()?;
        if !has_verdict(&last.checked) {
            return self.runs.last();
        }
        self.runs.sort_by(|one, other| one.relative().total_cmp(&other.relative()));
        self.runs.get(self.runs.len() / 2)
    }
}

fn say_what_is_slower(rows: &[BenchRow]) {
    for row in rows {
        let Some(compared) = row.baseline.filter(|compared| compared.regression) else { continue };
        let ratio = compared.ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} times as long"));
        let now = row.time_ms.map_or(0.0, |times| times.total);
        say(&format!(
            "warning: {} takes {} and took {} before{ratio}\n",
            escape::name(&row.file),
            serval_report::time(now),
            serval_report::time(compared.total_ms.unwrap_or(0.0))
        ));
    }
}

/// The peak of resident memory, where the system tells.
fn peak_memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib.div_ceil(1024))
}
