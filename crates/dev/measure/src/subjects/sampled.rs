//! Random runs alone: which of the programs that are not serializable they refute, how soon, and with how many
//! requests.

use std::fs::read_dir;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{json, serval};
use crate::page::Page;

/// Seeds of the random runs, of which all but one must find a run.
const SEEDS: u64 = 5;

const ABOUT: &str = "\
Programs and systems that `check` refutes, each by random runs alone (`--method sample`) with the seeds 1 to 5. *Fewest* is
how many requests are needed at least, where that is proved. A seed counts as missed where no run is found within the limit.";

/// What one seed has come to.
struct Drawn {
    /// None where no run was found.
    requests: Option<usize>,
    ms: f64,
}

/// Asks about the programs of some directories, with so many seconds for each seed.
pub fn page(directories: &[PathBuf], seconds: u64) -> Result<Page, String> {
    let serval = serval()?;
    let mut page = Page::new("Random runs alone", ABOUT);
    page.table(&["program", ">fewest", ">requests", ">seeds", ">slowest, ms"]);
    let (mut refuted, mut reliable, mut known, mut fewest) = (0_usize, 0_usize, 0_usize, 0_usize);
    for file in files(directories)? {
        let report = check(&serval, &file, &[])?;
        if report["verdict"] != "not-serializable" {
            continue;
        }
        let least = (report["counterexample"]["minimal"] == true).then(|| size(&report)).flatten();
        let mut all = Vec::new();
        for seed in 1..=SEEDS {
            all.push(drawn(&serval, &file, seed, seconds)?);
        }
        let found: Vec<usize> = all.iter().filter_map(|one| one.requests).collect();
        let typical = middle(&found);
        refuted += 1;
        reliable += usize::from(found.len() as u64 + 1 >= SEEDS);
        known += usize::from(least.is_some());
        fewest += usize::from(least.is_some() && typical == least);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let shown = |number: Option<usize>| number.map_or_else(|| "–".to_owned(), |number| number.to_string());
        let slowest = all.iter().map(|one| one.ms).fold(0.0, f64::max);
        page.line(format!("| {name} | {} | {} | {} of {SEEDS} | {slowest:.0} |", shown(least), shown(typical), found.len()));
        if least.zip(found.iter().min()).is_some_and(|(least, &found)| found < least) {
            page.fail(format!("{name}: a run has fewer requests than are said to be needed"));
        }
    }
    page.line(format!(
        "\nOf {refuted} programs {reliable} are refuted with at least four seeds of five. Of {known} whose fewest requests are known \
         {fewest} have them in the middle run."
    ));
    if reliable < refuted {
        page.fail(format!("{} programs are refuted with fewer than four seeds of five", refuted - reliable));
    }
    if fewest * 100 < known * 95 {
        page.fail("fewer than 95 % have the fewest requests");
    }
    Ok(page)
}

/// The programs and systems of some directories, by name.
fn files(directories: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for directory in directories {
        let entries = read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        let mut here: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        here.retain(|path| path.extension().is_some_and(|extension| extension == "ser" || extension == "json"));
        here.sort();
        files.extend(here);
    }
    Ok(files)
}

fn drawn(serval: &Path, file: &Path, seed: u64, seconds: u64) -> Result<Drawn, String> {
    let (seed, timeout) = (seed.to_string(), seconds.to_string());
    let report = check(serval, file, &["--method", "sample", "--seed", &seed, "--timeout", &timeout, "--jobs", "1"])?;
    let requests = (report["verdict"] == "not-serializable").then(|| size(&report)).flatten();
    Ok(Drawn { requests, ms: report["time_ms"]["total"].as_f64().unwrap_or_default() })
}

fn check(serval: &Path, file: &Path, options: &[&str]) -> Result<Value, String> {
    json(Command::new(serval).args(["check", "-q", "--no-cache", "--format", "json"]).args(options).arg(file))
}

/// How many requests the counterexample of a report has.
fn size(report: &Value) -> Option<usize> {
    Some(report["counterexample"]["requests"].as_array()?.len())
}

/// The middle one of some numbers.
fn middle(numbers: &[usize]) -> Option<usize> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}
