//! Hostile certificates against the checker: Markdown tables on standard
//! output.
//!
//! `hostile SUITE EXAMPLES [CERTIFICATES] [SEED]`, with the published suite in
//! one directory and the project's examples in the other. Ends with status 1 at
//! the first certificate that is accepted and wrong, which is written to
//! standard error with its input, or where too little was tried.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serval_soundness::hostile::{Effort, Failure, Pool, Size, Tally, inputs_in, try_certificates};
use serval_soundness::in_threads;

/// The figures are the same for any number of threads.
const THREADS: u64 = 2;

const SIZE: Size = Size { systems: 360, programs: 80, joined: 60, edits: 3 };

const EFFORT: Effort = Effort { check: 2_000_000, brute: 100_000 };

/// What has to be tried, and how much of it has to get as far as a condition.
const TRIED: u64 = 50_000;
const REJECTED: u64 = 20_000;
/// How many each condition has to refuse.
const BY_EACH: u64 = 100;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().ok();
    let given = match words.as_slice() {
        [suite, examples] => Some((*suite, *examples, 90_000, 1)),
        [suite, examples, count] => number(count).map(|count| (*suite, *examples, count, 1)),
        [suite, examples, count, seed] => number(count).zip(number(seed)).map(|(count, seed)| (*suite, *examples, count, seed)),
        _ => None,
    };
    let Some((suite, examples, count, seed)) = given else {
        let _ = writeln!(io::stderr(), "error: usage: hostile SUITE EXAMPLES [CERTIFICATES] [SEED]");
        return ExitCode::from(2);
    };
    match campaign(suite, examples, count, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(1)
        }
    }
}

fn campaign(suite: &str, examples: &str, count: u64, seed: u64) -> Result<(), String> {
    let start = Instant::now();
    let inputs = [inputs_in(Path::new(suite))?, inputs_in(Path::new(examples))?].concat();
    let pool = Pool::new(&inputs, SIZE, seed)?;
    let tally = try_all(&pool, count, seed).map_err(|failure| {
        let Failure { number, why, input: (name, text), certificate } = *failure;
        format!("certificate {number} of seed {seed}: {why}\n\n{name}:\n{text}\n\n{certificate}")
    })?;
    let mut lines = vec![
        "# Hostile certificates".to_owned(),
        String::new(),
        format!(
            "Written by `cargo run --release -p serval-soundness --bin hostile SUITE examples {count} {seed}` in {} s, with the published",
            start.elapsed().as_secs()
        ),
        "suite in `SUITE`. Certificates that the engine found for those programs, for the examples and for random programs and".to_owned(),
        "systems are changed, given to other inputs, or made to miss one condition; the same certificate for the same input counts"
            .to_owned(),
        "once. What is accepted has to be true, by trying everything with up to four requests or by following the run.".to_owned(),
        String::new(),
    ];
    lines.extend(tally.tables(&pool));
    for line in &lines {
        let _ = writeln!(io::stdout(), "{line}");
    }
    let idle = tally.idle(BY_EACH);
    if tally.tried() < TRIED || tally.rejected() < REJECTED {
        return Err(format!("only {} tried, and {} refused by a condition", tally.tried(), tally.rejected()));
    }
    if !idle.is_empty() {
        return Err(format!("refused fewer than {BY_EACH}: {}", idle.join(", ")));
    }
    Ok(())
}

fn try_all(pool: &Pool, count: u64, seed: u64) -> Result<Tally, Box<Failure>> {
    let part = |thread| try_certificates(pool, (0..count).filter(move |number| number / 20 % THREADS == thread), seed, EFFORT);
    let mut tally = Tally::default();
    in_threads(THREADS, part)?.iter().for_each(|part| tally.add(part));
    Ok(tally)
}
