//! How many random systems stay undecided: a Markdown page on standard output.
//!
//! `undecided [SYSTEMS] [SEED] [SECONDS] [DIRECTORY]` decides SYSTEMS systems,
//! a quarter of each kind, with SECONDS seconds of one core each, and writes
//! those that stay undecided into the directory, a file each.
//! `undecided known [SECONDS]` decides all that were ever undecided, and
//! `undecided alone METHOD [SECONDS]` says what one method says of each. Ends with 1
//! if a verdict is wrong or the checker refuses evidence.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serval::Method;
use serval_measure::undecided::{Settled, entries, line, settle, settle_alone, settle_system};
use serval_soundness::{Kind, Limit};

/// How long a person waits without noticing.
const SHORT: Duration = Duration::from_millis(500);
/// Seconds for one system, unless something else is asked for.
const LONG: u64 = 5;
const SYSTEMS: u64 = 20_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let out = &mut io::stdout().lock();
    let result = match arguments.as_slice() {
        ["known"] => known(LONG, out),
        ["alone", method] => alone(method, LONG, out),
        ["alone", method, seconds] => number(seconds).and_then(|seconds| alone(method, seconds, out)),
        ["known", seconds] => number(seconds).and_then(|seconds| known(seconds, out)),
        _ if arguments.len() <= 4 => (|| {
            let given = |position: usize, usual: u64| arguments.get(position).map_or(Ok(usual), |text| number(text));
            let directory = arguments.get(3).map(PathBuf::from);
            random(given(0, SYSTEMS)?, given(1, 1)?, given(2, LONG)?, directory.as_deref(), out)
        })(),
        _ => Err("usage: undecided [SYSTEMS] [SEED] [SECONDS] [DIRECTORY] | undecided known [SECONDS] | undecided alone METHOD [SECONDS]"
            .to_owned()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is no number"))
}

fn print(out: &mut impl Write, line: &str) -> Result<(), String> {
    writeln!(out, "{line}").map_err(|error| error.to_string())
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

fn head(what: &str, seconds: u64, out: &mut impl Write) -> Result<(), String> {
    print(out, &format!("| {what} | decided | serializable | not | undecided at 0.5 s | undecided at {seconds} s | slowest, ms |"))?;
    print(out, "|---|---:|---:|---:|---:|---:|---:|")
}

fn random(systems: u64, seed: u64, seconds: u64, directory: Option<&Path>, out: &mut impl Write) -> Result<bool, String> {
    if let Some(directory) = directory {
        std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    print(out, "# What stays undecided")?;
    print(out, "")?;
    print(
        out,
        &format!(
            "Written by `undecided {systems} {seed} {seconds}`, a program of `crates/dev/measure`. Systems are random, a quarter of each kind; each is"
        ),
    )?;
    print(
        out,
        &format!(
            "decided as `serval check` does it, on one core, whose work is measured, within {seconds} s. Evidence is checked, and verdicts are"
        ),
    )?;
    print(out, "compared with brute force for up to four requests.")?;
    print(out, "")?;
    head("kind", seconds, out)?;
    let (mut open, mut wrong) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let mut row = Row::default();
        for number in 0..systems.div_ceil(4) {
            let own = seed.wrapping_mul(0x1_0000_0000).wrapping_add(number);
            let system = kind.system(own);
            match settle_system(&system, Limit::Core(Duration::from_secs(seconds))) {
                Ok(settled) => row.add(settled, || line(kind, own, &system)),
                Err(why) => {
                    wrong.push(format!("{} {own}: {why}", kind.name()));
                    continue;
                }
            }
            if let (Some(directory), Some(last)) = (directory, row.undecided.last().filter(|last| **last == line(kind, own, &system))) {
                let path = directory.join(format!("{}-{own}.json", kind.name()));
                std::fs::write(&path, system.to_json()).map_err(|error| format!("{}: {error}", path.display()))?;
                let _ = writeln!(io::stderr(), "{last}");
            }
        }
        print(out, &format!("| {} | {} |", kind.name(), row.cells(seconds)))?;
        open.append(&mut row.undecided);
    }
    if !open.is_empty() {
        print(out, "")?;
        print(out, "Undecided:")?;
        print(out, "")?;
        print(out, "```json")?;
        open.iter().try_for_each(|line| print(out, line))?;
        print(out, "```")?;
    }
    ended(&wrong, out)
}

fn known(seconds: u64, out: &mut impl Write) -> Result<bool, String> {
    print(out, "# What was undecided at some time")?;
    print(out, "")?;
    print(
        out,
        &format!(
            "Written by `undecided known {seconds}`, a program of `crates/dev/measure`: the inputs of `crates/dev/measure/data/undecided.jsonl`."
        ),
    )?;
    print(out, "")?;
    head("inputs", seconds, out)?;
    let (mut row, mut wrong) = (Row::default(), Vec::new());
    for entry in entries()? {
        match settle(&entry.input, Limit::Core(Duration::from_secs(seconds))) {
            Ok(settled) => {
                if matches!((settled.serializable, entry.serializable), (Some(ours), Some(known)) if ours != known) {
                    wrong.push(format!("{}: the verdict is not the one that is known", entry.name));
                }
                row.add(settled, || entry.name);
            }
            Err(why) => wrong.push(format!("{}: {why}", entry.name)),
        }
    }
    print(out, &format!("| all | {} |", row.cells(seconds)))?;
    print(out, "")?;
    print(out, &format!("Undecided: {}.", if row.undecided.is_empty() { "none".to_owned() } else { row.undecided.join(", ") }))?;
    ended(&wrong, out)
}

/// What one method alone says of each.
fn alone(name: &str, seconds: u64, out: &mut impl Write) -> Result<bool, String> {
    let method = Method::named(name).ok_or_else(|| format!("there is no method {name}"))?;
    print(out, &format!("# What was undecided at some time, by `--method {name}` alone"))?;
    print(out, "")?;
    let made = format!(
        "Written by `undecided alone {name} {seconds}`, a program of `crates/dev/measure`: the inputs of `crates/dev/measure/data/undecided.jsonl`,"
    );
    print(out, &made)?;
    print(out, &format!("each with {seconds} s of one core. Evidence is checked, and verdicts that are known are compared."))?;
    print(out, "")?;
    print(out, "| input | verdict | time, ms | evidence, or why there is none |")?;
    print(out, "|---|---|---:|---|")?;
    let (mut wrong, mut counts) = (Vec::new(), [0_u64; 3]);
    for entry in entries()? {
        let said = match settle_alone(&entry.input, method, Limit::Core(Duration::from_secs(seconds))) {
            Ok(said) => said,
            Err(why) => {
                wrong.push(format!("{}: {why}", entry.name));
                continue;
            }
        };
        if matches!((said.serializable, entry.serializable), (Some(ours), Some(known)) if ours != known) {
            wrong.push(format!("{}: the verdict is not the one that is known", entry.name));
        }
        let (verdict, count) = match said.serializable {
            Some(true) => ("serializable", 0),
            Some(false) => ("not serializable", 1),
            None => ("undecided", 2),
        };
        counts[count] += 1;
        print(out, &format!("| {} | {verdict} | {} | {} |", entry.name, said.time.as_millis(), said.said.replace('|', "\\|")))?;
    }
    print(out, "")?;
    let [serializable, not, undecided] = counts;
    print(out, &format!("{serializable} serializable, {not} not serializable, {undecided} undecided."))?;
    ended(&wrong, out)
}

fn ended(wrong: &[String], out: &mut impl Write) -> Result<bool, String> {
    print(out, "")?;
    if wrong.is_empty() {
        print(out, "No verdict was wrong.")?;
    }
    wrong.iter().try_for_each(|why| print(out, &format!("- wrong: {why}")))?;
    Ok(wrong.is_empty())
}
