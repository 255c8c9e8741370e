//! Proofs on the program text, on random programs: a JSON summary on standard
//! output.
//!
//! `lipton [PROGRAMS] [SEED]`. Ends with 1 at the first proof of a program that
//! is not serializable or has an error, at the first proof that the checker
//! refuses, and at the first certificate that lies and is accepted.

use std::io::{self, Write};
use std::process::ExitCode;

use serval_soundness::lipton::{Tally, programs, try_all};
use serval_soundness::{count_and_seed, in_threads};

const THREADS: u64 = 2;

fn main() -> ExitCode {
    let Some((count, seed)) = count_and_seed() else {
        let _ = writeln!(io::stderr(), "error: usage: lipton [PROGRAMS] [SEED]");
        return ExitCode::from(2);
    };
    let part = |thread: u64| {
        let mut tally = Tally::default();
        let numbers = (0..count).filter(|number| number % THREADS == thread);
        numbers.map(|number| programs::program(seed, number)).try_for_each(|(origin, text)| try_all(origin, &text, &mut tally))?;
        Ok::<Tally, String>(tally)
    };
    match in_threads(THREADS, part) {
        Ok(parts) => {
            let mut tally = Tally::default();
            parts.iter().for_each(|part| tally.add(part));
            let summary = serde_json::json!({"programs": count, "seed": seed, "outcomes": tally.to_json()});
            let _ = writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&summary).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(1)
        }
    }
}
