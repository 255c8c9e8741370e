//! The reduction rules on random systems, against brute force: Markdown tables
//! on standard output. Ends with status 1 at the first difference, and writes
//! the system that shows it.

use std::io::{self, Write};
use std::process::ExitCode;

use serval_bench::reductions::{Effort, Failure, Row, Tally, try_systems};
use serval_engine::reduce::RULES;

/// As many threads as there are parts of the numbers; the figures are the same
/// for any number of threads.
const THREADS: u64 = 2;

const EFFORT: Effort = Effort { ticks: 20_000, steps: 100, drawn: 1 };

/// How often each rule has to change something, for each 20,000 systems.
const FIRED: u64 = 500;

fn main() -> ExitCode {
    let arguments: Result<Vec<u64>, _> = std::env::args().skip(1).map(|argument| argument.parse()).collect();
    let (systems, seed) = match arguments.as_deref() {
        Ok([]) => (20_000, 1),
        Ok([systems]) => (*systems, 1),
        Ok([systems, seed]) => (*systems, *seed),
        _ => {
            let _ = writeln!(io::stderr(), "error: usage: reductions [SYSTEMS] [SEED]");
            return ExitCode::from(2);
        }
    };
    match try_all(systems, seed) {
        Ok(tally) => report(systems, seed, &tally),
        Err(failure) => {
            let Failure { generator, number, system, difference } = *failure;
            let json = system.to_json();
            let _ = writeln!(io::stderr(), "error: {} system {number} of seed {seed}: {difference}\n{json}", generator.name());
            ExitCode::from(1)
        }
    }
}

fn try_all(systems: u64, seed: u64) -> Result<Tally, Box<Failure>> {
    let parts = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || try_systems((0..systems).filter(|number| number / 8 % THREADS == thread), seed, EFFORT)))
            .collect();
        workers.into_iter().map(|worker| worker.join()).collect::<Vec<_>>()
    });
    let mut tally = Tally::default();
    for part in parts {
        match part {
            Ok(part) => tally.add(&part?),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    Ok(tally)
}

fn report(systems: u64, seed: u64, tally: &Tally) -> ExitCode {
    let mut lines = vec![
        "# Reductions against brute force".to_owned(),
        String::new(),
        format!(
            "Written by `cargo run --release -p serval-bench --bin reductions {systems} {seed}`. Each rule is applied alone to the normal form"
        ),
        "of random systems and to what a few other rules in any order leave of it. *Fired*: it changed something. *Compared*: the"
            .to_owned(),
        "completed multisets of what it left are those of the system, interleaved and serial, with up to four requests, or".to_owned(),
        "three where four take too long; and, unless global states were merged, the global states at the ends of runs, with".to_owned(),
        "up to three requests. *Skipped*: trying everything takes too long. *Drawn*: entries of scripts that no finder".to_owned(),
        "proposed, drawn at random, and that the checker accepts. Every script was accepted by the checker, and found twice.".to_owned(),
        String::new(),
    ];
    lines.extend(tally.tables());
    for line in &lines {
        let _ = writeln!(io::stdout(), "{line}");
    }
    let needed = FIRED * systems / 20_000;
    let idle: Vec<String> = RULES.iter().map(|&rule| Row::Found(rule)).filter(|&row| tally.fired(row) < needed).map(Row::name).collect();
    if idle.is_empty() {
        return ExitCode::SUCCESS;
    }
    let _ = writeln!(io::stderr(), "error: fired fewer than {needed} times: {}", idle.join(", "));
    ExitCode::from(1)
}
