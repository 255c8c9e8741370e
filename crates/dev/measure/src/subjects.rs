//! The subjects, a module each: what is measured, and the page of it.

pub mod alone;
pub mod attack;
pub mod classic;
pub mod cliffs;
pub mod compiling;
pub mod core_answers;
pub mod corpus;
pub mod coverability;
pub mod editor;
pub mod growth;
pub mod hostile;
pub mod inductive;
pub mod lipton;
pub mod lipton_random;
pub mod nets;
pub mod obligations;
pub mod older;
pub mod polls;
pub mod published;
pub mod reachability;
pub mod reductions;
pub mod refutations;
pub mod sampled;
pub mod search;
pub mod size;
pub mod slowdown;
pub mod startup;
pub mod suite;
pub mod undecided;
pub mod verdicts;
pub mod weak_memory;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Threads of an attack; the figures are the same for any number of them.
const THREADS: usize = 2;

/// A line about how far it is.
fn progress(line: &str) {
    // A closed standard error is no reason to stop.
    let _ = writeln!(io::stderr(), "{line}");
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The program `serval`, which stands beside this one.
fn serval() -> Result<PathBuf, String> {
    let beside = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("serval");
    if beside.is_file() { Ok(beside) } else { Err(format!("{} is not there; build it, as scripts/measure does", beside.display())) }
}

/// What a command prints; the error says why it could not run.
fn output(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| format!("cannot run {}: {error}", command.get_program().to_string_lossy()))
}

/// What a command prints as JSON.
fn json(command: &mut Command) -> Result<Value, String> {
    let output = output(command)?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Runs tests for release with so many cases; gives the lines that they say which begin with one of these. An error is
/// what failed.
fn tests(package: &str, program: &str, filter: &[&str], count: u64, beginnings: &[&str]) -> Result<Vec<String>, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["test", "--release", "--quiet", "-p", package, "--test", program, "--", "--nocapture"]).args(filter);
    command.env("SERVAL_COUNT", count.to_string());
    let output = output(&mut command)?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(text);
    }
    let is_said = |line: &&str| beginnings.iter().any(|beginning| line.starts_with(beginning));
    Ok(text.lines().filter(is_said).map(str::to_owned).collect())
}
