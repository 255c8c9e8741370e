//! Decides random systems and compares with brute force: a JSON summary on
//! standard output. Ends with status 1 at the first verdict that is wrong, at
//! evidence that is refused, or where a planted counterexample is not found.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use serval_soundness::Limit;
use serval_soundness::systems::systems_of;
use serval_soundness::verdicts::{Summary, try_planted, try_system};
use serval_soundness::{count_and_seed, in_threads};

/// For one system.
const LIMIT: Limit = Limit::Time(Duration::from_secs(5));
const THREADS: u64 = 2;
/// Programs with a planted counterexample, for each number of requests.
const PLANTED: u64 = 50;

fn main() -> ExitCode {
    let Some((systems, seed)) = count_and_seed() else {
        let _ = writeln!(io::stderr(), "error: usage: verdicts [SYSTEMS] [SEED]");
        return ExitCode::from(2);
    };
    match try_all(systems, seed) {
        Ok(summary) => {
            let text = serde_json::to_string_pretty(&summary).unwrap_or_default();
            let _ = writeln!(io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(1)
        }
    }
}

fn try_all(systems: u64, seed: u64) -> Result<serde_json::Value, String> {
    let mut summary = Summary::default();
    in_threads(THREADS, |thread| try_part(systems, seed, thread))?.iter().for_each(|part| summary.add(part));
    let mut json = summary.to_json();
    let planted = try_all_planted(seed)?;
    json["seed"] = seed.into();
    json["planted"] = planted.to_json();
    Ok(json)
}

fn try_part(systems: u64, seed: u64, thread: u64) -> Result<Summary, String> {
    let mut summary = Summary::default();
    for number in (0..systems).filter(|number| number / 8 % THREADS == thread) {
        for system in systems_of(seed, number) {
            let outcome = try_system(&system, LIMIT, &mut summary)
                .map_err(|why| format!("system {number} of seed {seed}: {why}\n{}", system.to_json()))?;
            if outcome.verdict == "unknown" && std::env::var_os("SHOW_UNKNOWN").is_some() {
                let _ = writeln!(io::stderr(), "unknown: system {number}\n{}", system.to_json());
            }
        }
    }
    Ok(summary)
}

fn try_all_planted(seed: u64) -> Result<Summary, String> {
    let mut summary = Summary::default();
    for requests in 5..=8 {
        for number in 0..PLANTED {
            try_planted(requests, seed.wrapping_mul(1_000).wrapping_add(number), LIMIT, &mut summary)?;
        }
    }
    Ok(summary)
}
