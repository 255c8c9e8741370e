//! `serval bench DIR…`: runs many files as `serval check` does, and compares
//! verdicts and times with what was expected.

mod ablation;
mod subjects;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serval_report::bench::{Baseline, BenchReport, BenchRow, ExpectedLine, read_baseline, read_expected};
use serval_report::{FileReport, Verdict};

use super::check::{self, Checked, Checking, Status, files};
use crate::args::{Bench, BenchFormat, Check, OutputFormat};
use crate::failure::Failure;
use crate::input::{self, Manner};
use crate::limits::{self, LastWords};
use crate::output::{say, write_file, write_to};
use subjects::Subject;

/// Runs everything and prints the table.
pub(crate) fn run(args: &Bench, manner: Manner) -> Result<ExitCode, Failure> {
    let subjects = subjects::all(args)?;
    if args.ablation {
        return ablation::run(args, &subjects, manner);
    }
    let methods = check::methods(&args.method, &args.classic)?;
    if args.emit {
        return emit(&subjects);
    }
    let measuring = Measuring {
        args,
        expected: args.expected.as_deref().map(expected).transpose()?,
        baseline: args.baseline.as_deref().map(baseline).transpose()?,
        loud: !manner.quiet,
    };
    measuring.say_which_are_missing(&subjects);
    limits::watch_interrupts();
    limits::limit_memory(args.memory.unwrap_or_else(|| files::machine_memory_mib() / 10 * 8));
    let check = check_args(args);
    // Warnings about programs are not what is asked for here, and what is
    // remembered would not be measured.
    let checking =
        Checking { args: &check, manner: Manner { quiet: true, ..manner }, several: true, methods: &methods, allow: &[], cache: None };
    let (mut rows, mut measurements) = (Vec::new(), Vec::new());
    let mut worst = Status::Fine;
    for (position, subject) in subjects.iter().enumerate() {
        measuring.progress(position, subjects.len(), &subject.name);
        let Some(measured) = measuring.middle(&checking, subject, &rows)? else { break };
        worst = worst.max(measured.0.status);
        rows.push(measuring.row(subject, &measured.0, Some(measured.1)));
        measurements.push((measured.0, vec![measured.1]));
    }
    measuring.confirm(&checking, &subjects, &mut measurements, &mut rows)?;
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

/// The options of `check` that mean the same.
fn check_args(args: &Bench) -> Check {
    Check {
        files: Vec::new(),
        input: None,
        timeout: args.timeout,
        memory: args.memory,
        jobs: args.jobs,
        method: args.method.clone(),
        classic: args.classic.clone(),
        format: OutputFormat::Json,
        allow: Vec::new(),
        certificate: None,
        trace: None,
        html: None,
        svg: None,
        no_fix: true,
        exit_zero: false,
        no_times: false,
        verbose: false,
        progress: false,
        no_cache: true,
        watch: false,
        said: BTreeSet::new(),
    }
}

/// How often what seems slower is measured again, and the pauses before.
const AGAIN: usize = 6;
const PAUSE: Duration = Duration::from_millis(100);

/// How long the bar on a terminal is.
const BAR: usize = 24;

/// Prints the one program that is asked for.
fn emit(subjects: &[Subject]) -> Result<ExitCode, Failure> {
    match subjects {
        [Subject { program: Some(text), .. }] => write_to(None, text).map(|()| ExitCode::SUCCESS),
        _ => Err(Failure::message("--emit prints one program; name one family and one size")),
    }
}

fn expected(path: &Path) -> Result<Vec<ExpectedLine>, Failure> {
    read_expected(&input::plain_text(path)?).map_err(|error| Failure::message(format!("{}: {error}", path.display())))
}

fn baseline(path: &Path) -> Result<Baseline, Failure> {
    read_baseline(&input::plain_text(path)?).map_err(|error| Failure::message(format!("{}: {error}", path.display())))
}

struct Measuring<'a> {
    args: &'a Bench,
    expected: Option<Vec<ExpectedLine>>,
    baseline: Option<Baseline>,
    loud: bool,
}

impl Measuring<'_> {
    /// Runs a subject as often as is asked for; the run whose time is in the
    /// middle. The first run without a verdict is the last, for the others
    /// would say the same. With the least time of all. `None` when the user interrupts.
    fn middle(&self, checking: &Checking<'_>, subject: &Subject, before: &[BenchRow]) -> Result<Option<(Checked, f64)>, Failure> {
        let last_words = self.last_words(subject, before);
        let mut runs = Vec::new();
        let mut least = f64::INFINITY;
        for _ in 0..self.args.runs {
            let start = Instant::now();
            let checked = checking.checked(&subject.path.display().to_string(), || subject.load(), last_words.clone())?;
            if limits::is_interrupted() {
                return Ok(None);
            }
            if !matches!(checked.status, Status::Fine | Status::NotSerializable) {
                return Ok(Some((checked, micros(start))));
            }
            least = least.min(micros(start));
            runs.push(checked);
        }
        let total = |checked: &Checked| checked.report.time_ms.map_or(0.0, |times| times.total);
        runs.sort_by(|one, other| total(one).total_cmp(&total(other)));
        let middle = runs.len() / 2;
        Ok((middle < runs.len()).then(|| (runs.swap_remove(middle), least)))
    }

    /// Measures again, a few times and with pauses, what seems to have become
    /// slower, and takes the one in the middle: a machine may be busy for a while.
    fn confirm(
        &self,
        checking: &Checking<'_>,
        subjects: &[Subject],
        measurements: &mut [(Checked, Vec<f64>)],
        rows: &mut [BenchRow],
    ) -> Result<(), Failure> {
        let suspects: Vec<bool> = rows.iter().map(|row| row.baseline.is_some_and(|compared| compared.regression)).collect();
        for _ in 0..AGAIN {
            if limits::is_interrupted() || !suspects.contains(&true) {
                break;
            }
            std::thread::sleep(PAUSE);
            let all = subjects.iter().zip(measurements.iter_mut()).zip(rows.iter_mut()).zip(&suspects);
            for (((subject, (checked, leasts)), row), _) in all.filter(|(_, suspect)| **suspect) {
                if let Some((_, again)) = self.middle(checking, subject, &[])? {
                    leasts.push(again);
                    leasts.sort_by(f64::total_cmp);
                    *row = self.row(subject, checked, leasts.get(leasts.len() / 2).copied());
                }
            }
        }
        Ok(())
    }

    fn row(&self, subject: &Subject, checked: &Checked, least: Option<f64>) -> BenchRow {
        let line = self.expected_line(&subject.path);
        // A table, if there is one, is all that counts for files.
        let expected = match (&self.expected, subject.verdict) {
            (_, Some(verdict)) => Some(verdict),
            (Some(_), None) => line.map(|line| line.verdict),
            (None, None) => checked.promise,
        };
        let mut row = BenchRow::new(&subject.name, &checked.report, expected);
        row.least_ms = least.filter(|_| row.time_ms.is_some());
        if self.args.no_times {
            (row.time_ms, row.least_ms) = (None, None);
        }
        row.with_published(line.and_then(|line| line.published.as_deref()))
            .with_baseline(self.baseline.as_ref().and_then(|baseline| baseline.find(&subject.name)))
    }

    /// The line whose path is the end of this one; the longest, if several are.
    fn expected_line(&self, path: &Path) -> Option<&ExpectedLine> {
        let lines = self.expected.iter().flatten();
        lines.filter(|line| path.ends_with(&line.file)).max_by_key(|line| line.file.len())
    }

    fn say_which_are_missing(&self, subjects: &[Subject]) {
        let run = |line: &&ExpectedLine| subjects.iter().any(|subject| subject.path.ends_with(&line.file));
        let missing: Vec<&str> = self.expected.iter().flatten().filter(|line| !run(line)).map(|line| line.file.as_str()).collect();
        if self.loud && !missing.is_empty() {
            say(&format!("warning: expected, but not among the files: {}\n", missing.join(", ")));
        }
    }

    /// What is written if a file can only be ended with the process.
    fn last_words(&self, subject: &Subject, before: &[BenchRow]) -> LastWords {
        let mut report = FileReport::new(&subject.name, Verdict::Unknown);
        report.reason = Some("stopped at the time or memory limit; files after it were not run".to_owned());
        let checked = Checked { report, status: Status::Undecided, promise: None };
        let rows = before.iter().cloned().chain([self.row(subject, &checked, None)]).collect();
        LastWords { text: self.written(rows).into_bytes(), status: 1 }
    }

    fn report(&self, rows: Vec<BenchRow>) -> BenchReport {
        let peak = if self.args.no_times { None } else { peak_memory_mib() };
        BenchReport::new(env!("CARGO_PKG_VERSION"), rows, peak)
    }

    fn written(&self, rows: Vec<BenchRow>) -> String {
        let report = self.report(rows);
        match self.args.format {
            BenchFormat::Text => report.to_text(),
            BenchFormat::Csv => report.to_csv(),
            BenchFormat::Json => report.to_json(),
            BenchFormat::Markdown => report.to_markdown(),
        }
    }

    fn progress(&self, position: usize, of: usize, name: &str) {
        if self.loud && std::io::stderr().is_terminal() {
            let done = BAR * position / of.max(1);
            let bar: String = (0..BAR).map(|place| if place < done { '█' } else { '░' }).collect();
            say(&format!("\r\x1b[K{bar} {} of {of}: {name}", position + 1));
        }
    }

    fn no_progress(&self) {
        if self.loud && std::io::stderr().is_terminal() {
            say("\r\x1b[K");
        }
    }
}

/// Milliseconds since then, to the microsecond.
#[expect(clippy::float_arithmetic, reason = "a time for people; no verdict depends on it")]
fn micros(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 1_000_000.0).round() / 1000.0
}

fn say_what_is_slower(rows: &[BenchRow]) {
    for row in rows {
        let Some(compared) = row.baseline.filter(|compared| compared.regression) else { continue };
        let ratio = compared.ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} times as long"));
        let now = row.time_ms.map_or(0.0, |times| times.total);
        say(&format!("warning: {} takes {now:.1} ms and took {:.1} ms before{ratio}\n", row.file, compared.total_ms.unwrap_or(0.0)));
    }
}

/// The peak of resident memory, where the system tells.
fn peak_memory_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib.div_ceil(1024))
}
