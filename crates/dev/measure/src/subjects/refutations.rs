//! How long `serval check` takes to refute the published programs and families.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use serval_families::Family;

use super::{json, read, serval};
use crate::page::Page;

/// Runs of each file; the middle one counts.
const RUNS: usize = 5;

const FAMILIES: &[(&str, usize)] =
    &[("counter_racy", 200), ("watch", 6), ("monitors", 8), ("monitors", 14), ("route", 40), ("bank_split", 4)];

/// Refutes the programs of a suite, and families.
pub fn page(suite: &Path) -> Result<Page, String> {
    let serval = serval()?;
    let expected = read(&suite.join("expected.csv"))?;
    let mut page = Page::new(
        "Counterexamples",
        "Each time is the middle of five runs of `serval check`, as it reports it: parsing, search, certificate and its\n\
         independent check included.",
    );
    page.table(&["program", ">requests", "fewest", ">events", ">ms", ">published ms"]);
    let (mut refuted, mut proved, mut undecided, mut wrong) = (0, 0, 0, 0);
    for line in expected.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [file, verdict, published] = fields.as_slice() else { return Err(format!("cannot read {line}")) };
        let report = check(&serval, &suite.join(file))?;
        match report["verdict"].as_str() {
            Some("not-serializable") if *verdict == "not-serializable" => {
                refuted += 1;
                page.line(row(file, &report, published));
            }
            Some("serializable") if *verdict == "serializable" => proved += 1,
            Some("unknown") => undecided += 1,
            _ => wrong += 1,
        }
    }
    let directory = std::env::temp_dir().join(format!("serval-refutations-{}", std::process::id()));
    std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
    for (name, n) in FAMILIES {
        let family = Family::named(name).ok_or_else(|| format!("there is no family {name}"))?;
        let path: PathBuf = directory.join(format!("{name}-{n}.ser"));
        std::fs::write(&path, family.program(*n)).map_err(|error| error.to_string())?;
        page.line(row(&format!("{name} {n}"), &check(&serval, &path)?, "–"));
    }
    std::fs::remove_dir_all(&directory).map_err(|error| error.to_string())?;
    page.line(format!(
        "\nOf the published programs {refuted} are refuted, {proved} proved serializable, {undecided} undecided, {wrong} answered wrongly."
    ));
    if wrong > 0 {
        page.fail(format!("{wrong} verdicts are wrong"));
    }
    Ok(page)
}

/// The report with the middle time of several runs.
fn check(serval: &Path, file: &Path) -> Result<Value, String> {
    let mut reports = Vec::new();
    for _ in 0..RUNS {
        reports.push(json(Command::new(serval).args(["check", "-q", "--format", "json"]).arg(file))?);
        if reports[0]["verdict"] == "unknown" {
            break;
        }
    }
    reports.sort_by_key(tenths);
    Ok(reports.swap_remove(reports.len() / 2))
}

/// The time of a report in tenths of a millisecond, for sorting.
fn tenths(report: &Value) -> u64 {
    let written = report["time_ms"]["total"].to_string();
    let (whole, rest) = written.split_once('.').unwrap_or((&written, "0"));
    whole.parse::<u64>().unwrap_or(0) * 10 + rest[..1].parse::<u64>().unwrap_or(0)
}

fn row(name: &str, report: &Value, published: &str) -> String {
    let run = &report["counterexample"];
    let requests = run["requests"].as_array().map_or(0, Vec::len);
    let events = run["steps"].as_array().map_or(0, Vec::len);
    let fewest = if run["minimal"] == true { "proved" } else { "" };
    format!("| {name} | {requests} | {fewest} | {events} | {} | {published} |", report["time_ms"]["total"])
}
