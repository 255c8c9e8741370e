//! Whether work grows evenly with the size of a program.
//!
//! From size to size the work may become three times as much, or one and a half times as much as the steps that can
//! occur become more; more than that is a cliff. Sizes are next to each other while they are small and then in pairs
//! further and further apart, so that the page ends in time, up to ten seconds, or to where these would be exceeded if
//! the work grew on as it did. Work is instructions, by Valgrind, as long as a program takes little time, and then
//! processor time, the least of three tries where they are short: other work on the machine changes neither much, nor
//! do families that are measured at the same time. Limits are on the time of the processor as well. Steps that can
//! occur are those that are left when each pair of requests has been looked at: what is compiled has others, at one
//! size more of them than at the next.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use serde_json::Value;
use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_families::{FAMILIES, Family, FamilyVerdict};
use serval_model::NormalForm;
use serval_proof::script::{Entry, Reduced};
use serval_soundness::threads::in_order;

use super::{read, serval};
use crate::page::Page;

/// Microseconds of the processor for one program: what takes longer is the last of its family.
const LIMIT: u64 = 10_000_000;
/// A program that takes longer is measured once: what else the machine does is little beside it.
const REPEATED: u64 = 1_000_000;
/// A program that takes longer is not given to Valgrind, which takes fifty times as long.
const COUNTED: u64 = 60_000;
/// A program that takes no longer is given to it nevertheless where the work seems to have become more than three times
/// as much.
const COUNTED_AGAIN: u64 = 6_000_000;
/// Less work than this is noise of starting up, in instructions and microseconds.
const LEAST: (u64, u64) = (20_000_000, 60_000);
/// Seconds of the processor for one run of a program, and for one under Valgrind.
const SECONDS: (u32, u32) = (12, 600);
/// Seconds by the clock, which other work on the machine must not use up.
const TIMEOUT: &str = "3000";
/// Pairs of states, and ticks, for making the steps of a program.
const STEPS_EFFORT: (u64, u64) = (1_000_000, 100_000_000);
/// The largest size.
const LARGEST: usize = 20_000;

const ABOUT: &str = "\
Whether work grows evenly with the size of a program. Work is everything from reading the program to the check of the
certificate, on one thread: instructions, by Valgrind, and for programs of more than 60 ms milliseconds of the processor,
but for such of up to six seconds whose milliseconds seem to have become more than three times as many. From size to size
it may become three times as much, or one and a half times as much as the steps do; where these are too many to be
counted, as much as they do between the largest sizes at which they are not. The last row of a family is the first beyond
ten seconds, or the last before it. Where the work becomes more than three times as much, steps are those that pairs of
requests leave, at both sizes; elsewhere all that are compiled.";

/// Measures some families, or all, several at a time.
pub fn page(names: &[String], jobs: usize) -> Result<Page, String> {
    Ok(page_of(&measured(names, jobs)?))
}

/// One page of several, each with some of the families.
pub fn merged_page(pages: &[PathBuf]) -> Result<Page, String> {
    Ok(page_of(&merged(pages)?))
}

fn page_of(rows: &[String]) -> Page {
    let mut page = Page::new("Cliffs", ABOUT);
    page.table(&["family", ">n", "verdict", ">steps", ">ms", ">instructions", ">times", ">steps, times", ""]);
    let (mut cliffs, mut wrong) = (0, 0);
    for row in rows {
        page.line(row);
        if row.ends_with("| cliff |") {
            cliffs += 1;
            page.fail(format!("a cliff: {row}"));
        }
        if is_wrong(row) {
            wrong += 1;
            page.fail(format!("a wrong verdict: {row}"));
        }
    }
    page.line(format!("\n{cliffs} cliffs, {wrong} verdicts wrong."));
    page
}

/// The family and the verdict of a row.
fn of_row(row: &str) -> Option<(&'static Family, &str)> {
    let mut cells = row.strip_prefix("| ")?.split(" | ");
    Some((Family::named(cells.next()?)?, cells.nth(1)?))
}

fn is_wrong(row: &str) -> bool {
    match of_row(row) {
        Some((family, "serializable")) => family.verdict != FamilyVerdict::Serializable,
        Some((family, "not-serializable")) => family.verdict != FamilyVerdict::NotSerializable,
        _ => false,
    }
}

/// The rows of several pages, family by family in the order of all families. A family must not be on two pages.
fn merged(pages: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut rows: Vec<Vec<String>> = vec![Vec::new(); FAMILIES.len()];
    for page in pages {
        let text = read(page)?;
        let mut here: Vec<Vec<String>> = vec![Vec::new(); FAMILIES.len()];
        for line in text.lines() {
            let Some((family, _)) = of_row(line) else { continue };
            let place = FAMILIES.iter().position(|other| other.name == family.name).unwrap_or(0);
            here[place].push(line.to_owned());
        }
        for (family, (all, here)) in FAMILIES.iter().zip(rows.iter_mut().zip(here)) {
            if !all.is_empty() && !here.is_empty() {
                return Err(format!("{} is on two pages", family.name));
            }
            all.extend(here);
        }
    }
    Ok(rows.into_iter().flatten().collect())
}

/// The rows of some families, in the order in which they are named, several measured at a time.
fn measured(names: &[String], jobs: usize) -> Result<Vec<String>, String> {
    let families: Vec<&Family> = match names {
        [] => FAMILIES.iter().collect(),
        _ => names.iter().map(|name| Family::named(name).ok_or_else(|| format!("there is no family {name}"))).collect::<Result<_, _>>()?,
    };
    let serval = serval()?;
    let directory = std::env::temp_dir().join(format!("serval-cliffs-{}", std::process::id()));
    let rows = in_order(jobs.min(families.len()), families.len() as u64, |number| {
        let family = families.get(usize::try_from(number).unwrap_or(usize::MAX)).ok_or("no such family")?;
        rows_of(family, &serval, &directory.join(number.to_string()))
    });
    std::fs::remove_dir_all(&directory).map_err(|error| error.to_string())?;
    Ok(rows.into_iter().collect::<Result<Vec<_>, String>>()?.concat())
}

/// The rows of a family, which has a directory of its own.
fn rows_of(family: &Family, serval: &Path, directory: &Path) -> Result<Vec<String>, String> {
    std::fs::create_dir_all(directory).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    let mut before: Option<(usize, CliffPoint)> = None;
    let mut estimated = None;
    // The time of the last size that was no neighbour of one before.
    let mut apart = 0;
    for n in sizes() {
        let mut point = measure(serval, directory, family, n)?;
        // Between pairs the size doubles, so a neighbour is what a row is compared with.
        let mut neighbour = before.take().filter(|(m, _)| n - m == 1);
        let mut growth = neighbour.as_ref().and_then(|(_, less)| point.growth(less));
        // Time is given in hundredths of a second, of which a short one has few.
        if let Some((m, less)) = &mut neighbour
            && growth.is_some_and(|(work, _)| work > 300)
            && point.microseconds <= COUNTED_AGAIN
        {
            count(&mut point, serval, directory, family, n)?;
            count(less, serval, directory, family, *m)?;
            growth = point.growth(less);
        }
        if let Some((m, less)) = &mut neighbour
            && growth.is_some_and(|(work, _)| work > 300)
        {
            (less.steps, point.steps) = (steps(family, *m), steps(family, n));
            growth = point.growth(less);
            if point.steps.is_none() || less.steps.is_none() {
                estimated = estimated.or_else(|| growth_of_steps(family, *m));
                growth = growth.map(|(work, counted)| (work, estimated.unwrap_or(counted)));
            }
        }
        let cliff = growth.is_some_and(|(work, steps)| work > (steps + steps / 2).max(300));
        rows.push(point.row(family, n, growth, cliff));
        if point.ended() {
            break;
        }
        if neighbour.is_none() {
            // It grows on as it did, and beyond ten seconds nothing is asked for.
            let next = point.microseconds.saturating_mul(hundredths(point.microseconds, apart).clamp(100, 100_000)) / 100;
            if n > 8 && apart > 0 && next > 2 * LIMIT {
                let neighbour = measure(serval, directory, family, n + 1)?;
                let growth = neighbour.growth(&point);
                let cliff = growth.is_some_and(|(work, steps)| work > (steps + steps / 2).max(300));
                rows.push(neighbour.row(family, n + 1, growth, cliff));
                break;
            }
            apart = point.microseconds;
        }
        before = Some((n, point));
    }
    Ok(rows)
}

/// 2, 3, … 8, and then pairs, each twice as far as the one before.
fn sizes() -> impl Iterator<Item = usize> {
    let pairs = std::iter::successors(Some(10_usize), |n| Some(2 * n)).take_while(|&n| n < LARGEST);
    (2..=8).chain(pairs.flat_map(|n| [n, n + 1]))
}

/// One program, measured.
struct CliffPoint {
    verdict: String,
    steps: Option<u64>,
    microseconds: u64,
    instructions: Option<u64>,
}

/// How many hundredths of a number another one is.
fn hundredths(number: u64, of: u64) -> u64 {
    number.saturating_mul(100) / of.max(1)
}

impl CliffPoint {
    /// How many hundredths of another one's the work and the steps are; `None`
    /// where the work is next to nothing.
    fn growth(&self, before: &Self) -> Option<(u64, u64)> {
        let steps = self.steps.zip(before.steps).map_or(100, |(steps, less)| hundredths(steps, less));
        let work = match (self.instructions, before.instructions) {
            (Some(work), Some(less)) => (work > LEAST.0).then(|| hundredths(work, less)),
            _ => (self.microseconds > LEAST.1).then(|| hundredths(self.microseconds, before.microseconds)),
        };
        work.map(|work| (work, steps))
    }

    /// Whether larger ones take too long, or too much.
    fn ended(&self) -> bool {
        self.microseconds >= LIMIT || !matches!(self.verdict.as_str(), "serializable" | "not-serializable")
    }

    fn row(&self, family: &Family, n: usize, growth: Option<(u64, u64)>, cliff: bool) -> String {
        let shown = |value: Option<u64>| value.map_or("–".to_owned(), |value| value.to_string());
        let times = |value: Option<u64>| value.map_or("–".to_owned(), |value| format!("{}.{:02}", value / 100, value % 100));
        format!(
            "| {} | {n} | {} | {} | {} | {} | {} | {} | {} |",
            family.name,
            self.verdict,
            shown(self.steps),
            self.microseconds / 1_000,
            shown(self.instructions),
            times(growth.map(|(work, _)| work)),
            times(growth.map(|(_, steps)| steps)),
            if cliff { "cliff" } else { "" }
        )
    }
}

fn measure(serval: &Path, directory: &Path, family: &Family, n: usize) -> Result<CliffPoint, String> {
    let log = directory.join("log");
    let timed = || -> Result<(Value, u64), String> {
        let before = ["time", "--quiet", "--format=%U %S", &format!("--output={}", log.display())];
        let output = check(&before, SECONDS.0, serval, directory, family, n)?;
        // Where the limit is reached nothing is said.
        let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
        let spent = text.lines().last().unwrap_or_default().split_whitespace().map(thousandths).sum::<Option<u64>>();
        Ok((report, 1_000 * spent.ok_or_else(|| format!("time says {text:?}"))?))
    };
    let (report, mut microseconds) = timed()?;
    if (COUNTED..REPEATED).contains(&microseconds) {
        microseconds = microseconds.min(timed()?.1).min(timed()?.1);
    }
    let mut point = CliffPoint {
        verdict: report["verdict"].as_str().unwrap_or("–").to_owned(),
        steps: report["sizes"]["steps"].as_u64(),
        microseconds,
        instructions: None,
    };
    if microseconds <= COUNTED {
        count(&mut point, serval, directory, family, n)?;
    }
    Ok(point)
}

/// Checks a program of a family by the words before, within some seconds of the processor.
fn check(before: &[&str], seconds: u32, serval: &Path, directory: &Path, family: &Family, n: usize) -> Result<Output, String> {
    let path: PathBuf = directory.join(format!("{}-{n}.ser", family.name));
    std::fs::write(&path, family.program(n)).map_err(|error| error.to_string())?;
    let limited = format!("ulimit -t {seconds}; exec \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limited, "sh"])
        .args(before)
        .arg(serval)
        .args(["check", "-q", "--no-cache", "--jobs", "1", "--timeout", TIMEOUT, "--format", "json"])
        .arg(&path)
        .output();
    let _ = std::fs::remove_file(&path);
    output.map_err(|error| error.to_string())
}

/// Counts the instructions of a program, if that has not been done.
fn count(point: &mut CliffPoint, serval: &Path, directory: &Path, family: &Family, n: usize) -> Result<(), String> {
    if point.instructions.is_some() {
        return Ok(());
    }
    let log = directory.join("log");
    let before = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", &format!("--log-file={}", log.display())];
    // Without Valgrind there is the time alone.
    if check(&before, SECONDS.1, serval, directory, family, n).is_ok() {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let counted = text.lines().find_map(|line| line.split_once("Collected : "));
        point.instructions = counted.and_then(|(_, count)| count.trim().parse().ok());
    }
    Ok(())
}

/// The steps that pairs of requests leave; `None` where making them takes too long.
fn steps(family: &Family, n: usize) -> Option<u64> {
    let program = serval_syntax::analyze(&family.program(n)).program?;
    let prepared = Arc::new(Prepared::new(&program, Options::default()));
    let mut budget = Budget::ticks(STEPS_EFFORT.1);
    let compiled = prepared.compile_within(STEPS_EFFORT.0, &budget).ok()?;
    let mut steps = 0;
    for component in compiled.components() {
        let mut reduced = Reduced::new(NormalForm::new(component.system())?.0);
        reduced.apply(&Entry::Pairs, &mut budget).ok()?;
        steps += reduced.form().steps().len() as u64;
    }
    Some(steps)
}

/// How many hundredths the steps become from one size to the next, by the largest sizes below one
/// whose steps can be made: where they are too many to be counted, they have grown by about as much.
fn growth_of_steps(family: &Family, below: usize) -> Option<u64> {
    let counted = (2..below.min(9)).map_while(|n| steps(family, n));
    let counts: Vec<u64> = counted.collect();
    counts.windows(2).last().map(|two| hundredths(two[1], two[0]))
}

/// Thousandths of a number with a point.
fn thousandths(text: &str) -> Option<u64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    let parts: String = rest.chars().chain("000".chars()).take(3).collect();
    Some(whole.parse::<u64>().ok()? * 1_000 + parts.parse::<u64>().ok()?)
}
