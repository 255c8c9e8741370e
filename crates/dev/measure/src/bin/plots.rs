//! How deciding grows with the size of a program: `plots DIRECTORY` writes the
//! table `growth-decide.md` and the picture `growth.svg` there.
//!
//! Each program is decided in a process of its own, so that its peak of memory
//! is its own, on one thread, with a limit of ten seconds. The program
//! `serval` must stand beside this one.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::Value;
use serval_report::bench::growth::{Panel, Point, svg};

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

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [directory] => measure(Path::new(directory)),
        _ => Err("usage: plots DIRECTORY".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

fn measure(directory: &Path) -> Result<(), String> {
    let serval = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("serval");
    let mut table = String::from(
        "# Deciding: growth\n\n\
         Written by `scripts/measure growth`. Each row is a process of its own, `serval bench --family … --n … --jobs 1 --timeout 10`:\n\
         one thread, ten seconds, everything from parsing to the check of the certificate included, the middle of three runs; memory\n\
         is the peak of the process.\n\n\
         ![Time and memory over size, for each family](growth.svg)\n\n\
         | family | n | verdict | method | ms | peak MiB |\n|---|---:|---|---|---:|---:|\n",
    );
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
            let _ = writeln!(io::stderr(), "{line}");
            let _ = writeln!(table, "{line}");
            points.push(Point { n, ms: ms.unwrap_or(10_000.0), mib: peak.as_f64(), decided: outcome == "right" });
        }
        panels.push(Panel { title: (*family).to_owned(), points });
    }
    let _ = writeln!(table, "\n{right} right, {wrong} wrong, {undecided} undecided.");
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    write("growth.svg", &svg(&panels))?;
    write("growth-decide.md", &table)
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or("–").to_owned()
}

/// What `serval bench` says about one program, in a process of its own.
fn decide(serval: &Path, family: &str, n: u32) -> Result<Value, String> {
    let size = n.to_string();
    let output = Command::new(serval)
        .args(["bench", "-q", "--family", family, "--n", &size, "--jobs", "1", "--timeout", "10", "--runs", "3", "--format", "json"])
        .output()
        .map_err(|error| format!("cannot run {}: {error}", serval.display()))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{family} {n}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}
