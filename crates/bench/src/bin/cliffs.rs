//! Whether work grows evenly with the size of a program: a Markdown page on
//! standard output.
//!
//! `cliffs [FAMILY…]`, by default all families. From size to size the work may
//! become three times as much, or one and a half times as much as the steps
//! that can occur become more; more than that is a cliff. Sizes are next to each
//! other while they are small and then in pairs further and further apart, so
//! that the page ends in time, up to ten seconds. Work is instructions, by Valgrind, as long as a program takes little
//! time, and then processor time, the least of three tries where they are short: other work on the
//! machine changes neither much. The program `serval` must stand
//! beside this one. Ends with 1 if there is a cliff or a verdict is wrong.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use serde_json::Value;
use serval_families::{FAMILIES, Family, Verdict};

/// Microseconds of the processor for one program: what takes longer is the last of its family.
const LIMIT: u64 = 10_000_000;
/// A program that takes longer is measured once: what else the machine does is little beside it.
const REPEATED: u64 = 1_000_000;
/// A program that takes longer is not given to Valgrind, which takes fifty times as long.
const COUNTED: u64 = 100_000;
/// Less work than this is noise of starting up, in instructions and microseconds.
const LEAST: (u64, u64) = (20_000_000, 100_000);
/// Seconds by the clock for one run of a program, and for one under Valgrind.
const TIMEOUT: (&str, &str) = ("20", "600");
/// Seconds by the clock for making the steps of a program that was decided without.
const STEPS_TIMEOUT: &str = "10";
/// The largest size.
const LARGEST: usize = 20_000;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    match page(&names) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

fn print(line: &str) -> Result<(), String> {
    writeln!(io::stdout(), "{line}").map_err(|error| error.to_string())
}

fn page(names: &[String]) -> Result<bool, String> {
    let families: Vec<&Family> = match names {
        [] => FAMILIES.iter().collect(),
        _ => names.iter().map(|name| Family::named(name).ok_or_else(|| format!("there is no family {name}"))).collect::<Result<_, _>>()?,
    };
    let serval = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("serval");
    let directory = std::env::temp_dir().join(format!("serval-cliffs-{}", std::process::id()));
    std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
    print("# Cliffs")?;
    print("")?;
    print(
        "Written by `scripts/measure cliffs`. Work is everything from reading the program to the check of the certificate, on one thread:",
    )?;
    print(
        "instructions, by Valgrind, and for programs of more than 100 ms milliseconds of the processor. From size to size it may become three",
    )?;
    print("times as much, or one and a half times as much as the steps do. The last row of a family is the first beyond ten seconds.")?;
    print("")?;
    print("| family | n | verdict | steps | ms | instructions | times | steps, times | |")?;
    print("|---|---:|---|---:|---:|---:|---:|---:|---|")?;
    let (mut cliffs, mut wrong) = (0, 0);
    for family in families {
        let mut before: Option<(usize, Point)> = None;
        for n in sizes() {
            let mut point = measure(&serval, &directory, family, n)?;
            wrong += usize::from(point.wrong(family));
            // Between pairs the size doubles, so a neighbour is what a row is compared with.
            let mut neighbour = before.take().filter(|(m, _)| n - m == 1);
            let mut growth = neighbour.as_ref().and_then(|(_, less)| point.growth(less));
            // What is decided without its steps has some all the same.
            if let Some((m, less)) = &mut neighbour
                && growth.is_some_and(|(work, _)| work > 300)
            {
                less.steps = less.steps.or_else(|| steps(&serval, &directory, family, *m));
                point.steps = point.steps.or_else(|| steps(&serval, &directory, family, n));
                growth = point.growth(less);
            }
            let cliff = growth.is_some_and(|(work, steps)| work > (steps + steps / 2).max(300));
            cliffs += usize::from(cliff);
            print(&point.row(family, n, growth, cliff))?;
            if point.ended() {
                break;
            }
            before = Some((n, point));
        }
    }
    std::fs::remove_dir_all(&directory).map_err(|error| error.to_string())?;
    print("")?;
    print(&format!("{cliffs} cliffs, {wrong} verdicts wrong."))?;
    Ok(cliffs == 0 && wrong == 0)
}

/// 2, 3, … 8, and then pairs, each twice as far as the one before.
fn sizes() -> impl Iterator<Item = usize> {
    let pairs = std::iter::successors(Some(10_usize), |n| Some(2 * n)).take_while(|&n| n < LARGEST);
    (2..=8).chain(pairs.flat_map(|n| [n, n + 1]))
}

/// One program, measured.
struct Point {
    verdict: String,
    steps: Option<u64>,
    microseconds: u64,
    instructions: Option<u64>,
}

/// How many hundredths of a number another one is.
fn hundredths(number: u64, of: u64) -> u64 {
    number.saturating_mul(100) / of.max(1)
}

impl Point {
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

    fn wrong(&self, family: &Family) -> bool {
        match self.verdict.as_str() {
            "serializable" => family.verdict != Verdict::Serializable,
            "not-serializable" => family.verdict != Verdict::NotSerializable,
            _ => false,
        }
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

fn measure(serval: &Path, directory: &Path, family: &Family, n: usize) -> Result<Point, String> {
    let path: PathBuf = directory.join(format!("{}-{n}.ser", family.name));
    std::fs::write(&path, family.program(n)).map_err(|error| error.to_string())?;
    let check = |before: &[&str], seconds: &str| -> Result<Output, String> {
        let mut words = before.iter().map(|word| (*word).to_owned()).chain([serval.display().to_string()]);
        let program = words.next().ok_or("no program")?;
        Command::new(program)
            .args(words)
            .args(["check", "-q", "--no-cache", "--jobs", "1", "--timeout", seconds, "--format", "json"])
            .arg(&path)
            .output()
            .map_err(|error| error.to_string())
    };
    let log = directory.join("log");
    let timed = || -> Result<(Value, u64), String> {
        let output = check(&["time", "--quiet", "--format=%U %S", &format!("--output={}", log.display())], TIMEOUT.0)?;
        let report = serde_json::from_slice(&output.stdout).map_err(|error| format!("{} {n}: {error}", family.name))?;
        let text = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
        let spent = text.split_whitespace().map(thousandths).sum::<Option<u64>>();
        Ok((report, 1_000 * spent.ok_or_else(|| format!("time says {text:?}"))?))
    };
    let (report, mut microseconds) = timed()?;
    if (COUNTED..REPEATED).contains(&microseconds) {
        microseconds = microseconds.min(timed()?.1).min(timed()?.1);
    }
    let mut point = Point {
        verdict: report["verdict"].as_str().unwrap_or("–").to_owned(),
        steps: report["sizes"]["steps"].as_u64(),
        microseconds,
        instructions: None,
    };
    if microseconds <= COUNTED {
        let file = format!("--log-file={}", log.display());
        // Without Valgrind there is the time alone.
        if check(&["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", &file], TIMEOUT.1).is_ok() {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let counted = text.lines().find_map(|line| line.split_once("Collected : "));
            point.instructions = counted.and_then(|(_, count)| count.trim().parse().ok());
        }
    }
    let _ = std::fs::remove_file(&path);
    Ok(point)
}

/// The steps that can occur; `None` where making them takes too long.
fn steps(serval: &Path, directory: &Path, family: &Family, n: usize) -> Option<u64> {
    let path = directory.join(format!("{}-{n}-steps.ser", family.name));
    std::fs::write(&path, family.program(n)).ok()?;
    let mut export = Command::new("timeout");
    let output = export.args(["--signal=KILL", STEPS_TIMEOUT]).arg(serval).args(["export", "--to", "ns"]).arg(&path).output().ok()?;
    let system: Value = serde_json::from_slice(&output.stdout).ok()?;
    u64::try_from(system["transitions"].as_array()?.len()).ok()
}

/// Thousandths of a number with a point.
fn thousandths(text: &str) -> Option<u64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    let parts: String = rest.chars().chain("000".chars()).take(3).collect();
    Some(whole.parse::<u64>().ok()? * 1_000 + parts.parse::<u64>().ok()?)
}
