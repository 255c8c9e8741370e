//! Whether `serval bench --baseline` marks what became slower.
//!
//! For each file in turn everything is measured twice, and between the two the earlier time of this one file is halved,
//! as if it took twice as long now. All the others took what they take, so that none of them may be marked.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{json, serval};
use crate::page::Page;

/// As many runs of each file as `--runs` says.
const RUNS: &str = "10";

/// A file, its time at first, what was said of it the second time, and which others were marked.
struct Trial {
    file: String,
    before: f64,
    ratio: f64,
    marked: bool,
    others: Vec<String>,
}

/// Measures the programs of a suite again and again.
pub fn page(suite: &Path) -> Result<Page, String> {
    let baseline = std::env::temp_dir().join(format!("serval-slowdown-{}.json", std::process::id()));
    let trials = trials(&suite.to_string_lossy(), &baseline);
    let _ = std::fs::remove_file(&baseline);
    trials.map(|trials| page_of(&trials))
}

fn trials(directory: &str, baseline: &Path) -> Result<Vec<Trial>, String> {
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
    json(Command::new(serval()?).args(["bench", directory, "--runs", RUNS, "--jobs", "1", "--format", "json"]).args(more))
}

fn page_of(trials: &[Trial]) -> Page {
    let mut page = Page::new(
        "What became slower",
        format!(
            "For each program all of them are measured twice, each time with `serval bench SUITE --runs {RUNS} --jobs 1 --format json`,\n\
             the second time with the first as `--baseline`, in which the time of this one program is halved, as if it took twice as\n\
             long now. It should be marked, and no other."
        ),
    );
    page.table(&["program", ">ms before", ">ratio, should be 2", "marked", "others marked"]);
    for Trial { file, before, ratio, marked, others } in trials {
        let marked = if *marked { "yes" } else { "**no**" };
        page.line(format!("| {file} | {before:.3} | {ratio:.2} | {marked} | {} |", others.join(", ")));
    }
    let marked = trials.iter().filter(|trial| trial.marked).count();
    let others: usize = trials.iter().map(|trial| trial.others.len()).sum();
    let chances = trials.len() * trials.len().saturating_sub(1);
    page.line(format!("\n{marked} of {} slowed programs are marked; of {chances} others {others} are.", trials.len()));
    page
}
