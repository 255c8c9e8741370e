//! How deciding grows with the size of a program.
//!
//! Each program is decided in a process of its own, so that its peak of memory is its own, on one thread, with a limit
//! of ten seconds.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use serval_report::bench::growth::{GrowthPoint, Panel, svg};

use super::{json, progress, serval};
use crate::page::Page;

const OPTIONS: [&str; 8] = ["--jobs", "1", "--timeout", "10", "--runs", "3", "--format", "json"];

/// What is measured: a family and its sizes.
const ROWS: &[(&str, &[u32])] = &[
    ("counter", &[10, 30, 100, 300, 1_000]),
    ("counter_racy", &[10, 25, 50, 100, 200]),
    ("lock", &[10, 25, 50, 100, 200]),
    ("flips", &[5, 10, 20, 40]),
    ("ring", &[5, 11, 21, 41]),
    ("watch", &[2, 4, 6, 8, 10, 12]),
    ("monitors", &[2, 4, 6, 8]),
    ("monitors_atomic", &[2, 4, 8, 12]),
    ("bank", &[2, 4, 6, 8]),
    ("bank_split", &[2, 3, 4]),
    ("route", &[5, 10, 20, 40]),
    ("two_locks", &[2, 3, 4, 5]),
];

/// Decides each family at its sizes.
pub fn page() -> Result<Page, String> {
    let serval = serval()?;
    let mut page = Page::new(
        "Families that grow",
        "Each row is a process of its own, `serval bench --family … --n … --jobs 1 --timeout 10`: one thread, ten seconds,\n\
         everything from parsing to the check of the certificate included, the middle of three runs; memory is the peak of\n\
         the process.",
    );
    page.table(&["family", ">n", "verdict", "method", ">ms", ">peak MiB"]);
    let (mut panels, mut right, mut undecided, mut wrong) = (Vec::new(), 0, 0, 0);
    for (family, sizes) in ROWS {
        let mut points = Vec::new();
        for &n in *sizes {
            let report = decide(&serval, family, n)?;
            let row = &report["rows"][0];
            let (verdict, outcome) = (word(&row["verdict"]), word(&row["outcome"]));
            match outcome.as_str() {
                "right" => right += 1,
                "undecided" => undecided += 1,
                _ => wrong += 1,
            }
            let peak = &report["summary"]["peak_mib"];
            // What had to be ended with its process has no time of its own.
            let ms = row["time_ms"]["total"].as_f64();
            let shown = ms.map_or("> 10000".to_owned(), |ms| format!("{ms:.1}"));
            let line = format!("| {family} | {n} | {verdict} | {} | {shown} | {peak} |", word(&row["method"]));
            progress(&line);
            page.line(line);
            points.push(GrowthPoint { n, ms: ms.unwrap_or(10_000.0), mib: peak.as_f64(), decided: outcome == "right" });
        }
        panels.push(Panel { title: (*family).to_owned(), points });
    }
    page.line(format!("\n{right} right, {wrong} wrong, {undecided} undecided."));
    if wrong > 0 {
        page.fail(format!("{wrong} verdicts are wrong"));
    }
    page.file("growth.svg", svg(&panels));
    Ok(page)
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or("–").to_owned()
}

/// What `serval bench` says about one program, in a process of its own.
fn decide(serval: &Path, family: &str, n: u32) -> Result<Value, String> {
    let size = n.to_string();
    json(Command::new(serval).args(["bench", "-q", "--family", family, "--n", &size]).args(OPTIONS))
        .map_err(|error| format!("{family} {n}: {error}"))
}
