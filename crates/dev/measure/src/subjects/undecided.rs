//! How many random systems stay undecided, and what becomes of those that were undecided at some time.

use std::path::Path;
use std::time::Duration;

use serval::Method;
use serval_soundness::{Kind, Limit};

use super::progress;
use crate::page::Page;
use crate::undecided::{Settled, entries, line, settle, settle_alone, settle_system};

/// Less than a person notices.
const SHORT: Duration = Duration::from_millis(500);

/// Decides so many random systems within some seconds, and then, if `with_known`, what was undecided at some time.
pub fn page(count: u64, seed: u64, seconds: u64, save: Option<&Path>, with_known: bool) -> Result<Page, String> {
    let mut page = Page::new(
        "What stays undecided",
        format!(
            "Systems are random, a quarter of each kind; each is decided as `serval check` does it, on one core, whose work is\n\
             measured, within {seconds} s. Evidence is checked, and verdicts are compared with brute force for up to four requests."
        ),
    );
    random(count, seed, seconds, save, &mut page)?;
    if with_known {
        known(seconds, &mut page)?;
    }
    Ok(page)
}

/// What one method alone decides of what was undecided at some time, with some seconds each.
pub fn alone_page(method: Method, seconds: &[u64]) -> Result<Page, String> {
    let mut page = Page::new(
        format!("What was undecided at some time, by `--method {}` alone", method.name()),
        "The inputs of `crates/dev/measure/data/undecided.jsonl`, each with some seconds of one core. Evidence is checked, and\n\
         verdicts that are known are compared.",
    );
    seconds.iter().try_for_each(|&seconds| alone(method, seconds, &mut page))?;
    Ok(page)
}

/// What came of systems of one kind.
#[derive(Default)]
struct Row {
    serializable: u64,
    not: u64,
    late: u64,
    slowest: Duration,
    undecided: Vec<String>,
}

impl Row {
    fn add(&mut self, settled: Settled, name: impl FnOnce() -> String) {
        match settled.serializable {
            Some(true) => self.serializable += 1,
            Some(false) => self.not += 1,
            None => self.undecided.push(name()),
        }
        self.late += u64::from(settled.serializable.is_none() || settled.time > SHORT);
        self.slowest = self.slowest.max(settled.time);
    }

    fn cells(&self, seconds: u64) -> String {
        let decided = self.serializable + self.not;
        let slowest = if self.undecided.is_empty() { self.slowest.as_millis().to_string() } else { format!("> {}", 1_000 * seconds) };
        format!("{decided} | {} | {} | {} | {} | {slowest}", self.serializable, self.not, self.late, self.undecided.len())
    }
}

fn head(what: &str, seconds: u64, page: &mut Page) {
    let late = format!(">undecided at {seconds} s");
    page.table(&[what, ">decided", ">serializable", ">not", ">undecided at 0.5 s", &late, ">slowest, ms"]);
}

fn random(count: u64, seed: u64, seconds: u64, directory: Option<&Path>, page: &mut Page) -> Result<(), String> {
    if let Some(directory) = directory {
        std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    head("kind", seconds, page);
    let mut open = Vec::new();
    for kind in Kind::ALL {
        let mut row = Row::default();
        for number in 0..count.div_ceil(4) {
            let own = seed.wrapping_mul(0x1_0000_0000).wrapping_add(number);
            let system = kind.system(own);
            match settle_system(&system, Limit::Core(Duration::from_secs(seconds))) {
                Ok(settled) => row.add(settled, || line(kind, own, &system)),
                Err(why) => {
                    page.fail(format!("{} {own}: {why}", kind.name()));
                    continue;
                }
            }
            if let (Some(directory), Some(last)) = (directory, row.undecided.last().filter(|last| **last == line(kind, own, &system))) {
                let path = directory.join(format!("{}-{own}.json", kind.name()));
                std::fs::write(&path, system.to_json()).map_err(|error| format!("{}: {error}", path.display()))?;
                progress(last);
            }
        }
        page.line(format!("| {} | {} |", kind.name(), row.cells(seconds)));
        open.append(&mut row.undecided);
    }
    if !open.is_empty() {
        page.line(format!("\nUndecided:\n\n```json\n{}\n```", open.join("\n")));
    }
    Ok(())
}

fn known(seconds: u64, page: &mut Page) -> Result<(), String> {
    page.section("What was undecided at some time");
    page.line("The inputs of `crates/dev/measure/data/undecided.jsonl`.\n");
    head("inputs", seconds, page);
    let mut row = Row::default();
    for entry in entries()? {
        match settle(&entry.input, Limit::Core(Duration::from_secs(seconds))) {
            Ok(settled) => {
                if matches!((settled.serializable, entry.serializable), (Some(ours), Some(known)) if ours != known) {
                    page.fail(format!("{}: the verdict is not the one that is known", entry.name));
                }
                row.add(settled, || entry.name);
            }
            Err(why) => page.fail(format!("{}: {why}", entry.name)),
        }
    }
    page.line(format!("| all | {} |", row.cells(seconds)));
    page.line(format!("\nUndecided: {}.", if row.undecided.is_empty() { "none".to_owned() } else { row.undecided.join(", ") }));
    Ok(())
}

/// What one method alone says of each.
fn alone(method: Method, seconds: u64, page: &mut Page) -> Result<(), String> {
    page.section(format!("With {seconds} s"));
    page.table(&["input", "verdict", ">time, ms", "evidence, or why there is none"]);
    let mut counts = [0_u64; 3];
    for entry in entries()? {
        let said = match settle_alone(&entry.input, method, Limit::Core(Duration::from_secs(seconds))) {
            Ok(said) => said,
            Err(why) => {
                page.fail(format!("{}: {why}", entry.name));
                continue;
            }
        };
        if matches!((said.serializable, entry.serializable), (Some(ours), Some(known)) if ours != known) {
            page.fail(format!("{}: the verdict is not the one that is known", entry.name));
        }
        let (verdict, count) = match said.serializable {
            Some(true) => ("serializable", 0),
            Some(false) => ("not serializable", 1),
            None => ("undecided", 2),
        };
        counts[count] += 1;
        page.line(format!("| {} | {verdict} | {} | {} |", entry.name, said.time.as_millis(), said.said.replace('|', "\\|")));
    }
    let [serializable, not, undecided] = counts;
    page.line(format!("\n{serializable} serializable, {not} not serializable, {undecided} undecided."));
    Ok(())
}
