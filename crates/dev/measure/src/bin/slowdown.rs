//! Whether `serval bench --baseline` tells what became slower: `slowdown
//! DIRECTORY` writes a page. The program `serval` must stand beside this one.
//!
//! For each file in turn everything is measured twice, and between the two the
//! earlier time of this one file is halved, as if it took twice as long now.
//! All the others took what they take, so that none of them may be marked.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::{Command, ExitCode};

use serde_json::Value;

/// As many runs of each file as `--runs` says.
const RUNS: &str = "10";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [directory] => measure(directory),
        _ => Err("usage: slowdown DIRECTORY".to_owned()),
    };
    match result {
        Ok(page) => {
            let _ = io::stdout().write_all(page.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

/// A file, its time at first, what was said of it the second time, and which others were marked.
struct Trial {
    file: String,
    before: f64,
    ratio: f64,
    marked: bool,
    others: Vec<String>,
}

fn measure(directory: &str) -> Result<String, String> {
    let baseline = std::env::temp_dir().join(format!("serval-slowdown-{}.json", std::process::id()));
    let trials = trials(directory, &baseline);
    let _ = std::fs::remove_file(&baseline);
    trials.map(|trials| page(&trials))
}

fn trials(directory: &str, baseline: &std::path::Path) -> Result<Vec<Trial>, String> {
    let files = rows(&bench(directory, &[])?)?.len();
    let mut trials = Vec::new();
    for index in 0..files {
        let mut before = bench(directory, &[])?;
        let row = before.pointer_mut(&format!("/rows/{index}")).ok_or("fewer rows than before")?;
        let file = row["file"].as_str().ok_or("a row without a file")?.to_owned();
        let time = row["time_ms"]["total"].as_f64().ok_or_else(|| format!("{file} has no time"))?;
        row["time_ms"]["total"] = half(time).into();
        std::fs::write(baseline, before.to_string()).map_err(|error| error.to_string())?;
        let after = bench(directory, &["--baseline", &baseline.to_string_lossy()])?;
        let (mut marked, mut others, mut ratio) = (false, Vec::new(), 0.0);
        for row in rows(&after)? {
            let name = row["file"].as_str().unwrap_or_default();
            let slower = row["baseline"]["regression"] == true;
            if name == file {
                (marked, ratio) = (slower, row["baseline"]["ratio"].as_f64().unwrap_or(0.0));
            } else if slower {
                others.push(name.to_owned());
            }
        }
        trials.push(Trial { file, before: time, ratio, marked, others });
    }
    Ok(trials)
}

#[expect(clippy::float_arithmetic, reason = "a time; no verdict depends on it")]
fn half(time: f64) -> f64 {
    time / 2.0
}

fn rows(report: &Value) -> Result<&Vec<Value>, String> {
    report["rows"].as_array().ok_or_else(|| "no rows".to_owned())
}

fn bench(directory: &str, more: &[&str]) -> Result<Value, String> {
    let serval = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("serval");
    let mut command = Command::new(&serval);
    command.args(["bench", directory, "--runs", RUNS, "--jobs", "1", "--format", "json"]).args(more);
    let output = command.output().map_err(|error| format!("{}: {error}", serval.display()))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn page(trials: &[Trial]) -> String {
    let mut page = String::from(
        "# What became slower\n\n\
         Written by `scripts/measure slowdown SUITE`. For each program all of them are measured twice, each time with\n",
    );
    let _ = writeln!(
        page,
        "`serval bench SUITE --runs {RUNS} --jobs 1 --format json`, the second time with the first as `--baseline`, in which the time of this\n\
         one program is halved, as if it took twice as long now. It should be marked, and no other.\n\n\
         | program | ms before | ratio, should be 2 | marked | others marked |\n|---|---:|---:|---|---|"
    );
    for Trial { file, before, ratio, marked, others } in trials {
        let marked = if *marked { "yes" } else { "**no**" };
        let _ = writeln!(page, "| {file} | {before:.3} | {ratio:.2} | {marked} | {} |", others.join(", "));
    }
    let marked = trials.iter().filter(|trial| trial.marked).count();
    let others: usize = trials.iter().map(|trial| trial.others.len()).sum();
    let chances = trials.len() * trials.len().saturating_sub(1);
    let _ = writeln!(page, "\n{marked} of {} slowed programs are marked; of {chances} others {others} are.", trials.len());
    page
}
