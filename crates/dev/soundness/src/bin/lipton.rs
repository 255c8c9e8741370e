//! Proofs on the program text, on random programs: a JSON summary on standard
//! output.
//!
//! `lipton [PROGRAMS] [SEED]`. Ends with 1 if there is a proof of a program that
//! is not serializable or has an error, a proof that the checker refuses, or a
//! certificate that lies and is accepted; the first of them are shown.

use std::convert::Infallible;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serval_soundness::lipton::{Tally, programs, try_all, try_program};
use serval_soundness::{count_and_seed, in_threads};

const THREADS: u64 = 2;
/// Of this number of programs in a row of each origin one has certificates forged from its own, which takes as long as all else.
const FORGED: u64 = 4;
/// Failures that are shown.
const TOLD: usize = 10;

/// What one thread found.
#[derive(Default)]
struct Part {
    tally: Tally,
    failures: Vec<String>,
    /// The longest time for one program, and its number.
    slowest: (Duration, u64),
}

fn main() -> ExitCode {
    let Some((count, seed)) = count_and_seed() else {
        let _ = writeln!(io::stderr(), "error: usage: lipton [PROGRAMS] [SEED]");
        return ExitCode::from(2);
    };
    let parts = in_threads(THREADS, |thread| Ok::<Part, Infallible>(part(count, seed, thread))).unwrap_or_else(|never| match never {});
    let mut tally = Tally::default();
    parts.iter().for_each(|part| tally.add(&part.tally));
    let failures: Vec<&String> = parts.iter().flat_map(|part| &part.failures).collect();
    let (time, number) = parts.iter().map(|part| part.slowest).max().unwrap_or_default();
    let slowest = serde_json::json!({"ms": u64::try_from(time.as_millis()).unwrap_or(u64::MAX), "program": number});
    let summary = serde_json::json!({
        "programs": count, "seed": seed, "wrong": failures.len(), "slowest": slowest, "outcomes": tally.to_json(),
    });
    for failure in failures.iter().take(TOLD) {
        let _ = writeln!(io::stderr(), "error: {failure}");
    }
    let _ = writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&summary).unwrap_or_default());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn part(count: u64, seed: u64, thread: u64) -> Part {
    let mut part = Part::default();
    for number in (0..count).filter(|number| number % THREADS == thread) {
        let start = Instant::now();
        let (origin, text) = programs::program(seed, number);
        // The origin goes by the rest by 20.
        let outcome = match number / 20 % FORGED {
            0 => try_all(origin, &text, &mut part.tally),
            _ => try_program(origin, &text, &mut part.tally).map(|_| ()),
        };
        if let Err(why) = outcome {
            part.failures.push(format!("program {number} of seed {seed}: {why}"));
        }
        part.slowest = part.slowest.max((start.elapsed(), number));
    }
    part
}
