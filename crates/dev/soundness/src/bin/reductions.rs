//! The reduction rules on random systems, against brute force: Markdown tables
//! on standard output. Ends with status 1 at the first difference, and writes
//! the system that shows it.

use std::io::{self, Write};
use std::process::ExitCode;

use serval_engine::reduce::RULES;
use serval_proof::script::Side;
use serval_soundness::reductions::movers::Part;
use serval_soundness::reductions::{Effort, Failure, Row, Tally, try_chases, try_systems};
use serval_soundness::{count_and_seed, in_threads};

/// As many threads as there are parts of the numbers; the figures are the same
/// for any number of threads.
const THREADS: u64 = 2;

const EFFORT: Effort = Effort { ticks: 20_000, steps: 100, drawn: 1 };

/// How often each rule has to change something, for each 20,000 systems.
const FIRED: u64 = 500;

/// How many searches find something wrong without each part of the weaker last
/// condition.
const CHASES: u64 = 2_000;

fn main() -> ExitCode {
    let Some((systems, seed)) = count_and_seed() else {
        let _ = writeln!(io::stderr(), "error: usage: reductions [SYSTEMS] [SEED]");
        return ExitCode::from(2);
    };
    match try_all(systems, seed) {
        Ok(tally) => report(systems, seed, tally),
        Err(failure) => {
            let name = failure.source();
            let Failure { number, system, difference, .. } = *failure;
            let _ = writeln!(io::stderr(), "error: {name} system {number} of seed {seed}: {difference}\n{}", system.to_json());
            ExitCode::from(1)
        }
    }
}

fn try_all(systems: u64, seed: u64) -> Result<Tally, Box<Failure>> {
    let part = |thread| -> Result<Tally, Box<Failure>> {
        let numbers = || (0..systems).filter(move |number| number / 8 % THREADS == thread);
        let mut tally = try_systems(numbers(), seed, EFFORT)?;
        tally.add(&try_chases(numbers(), seed, EFFORT.ticks)?);
        Ok(tally)
    };
    let mut tally = Tally::default();
    in_threads(THREADS, part)?.iter().for_each(|part| tally.add(part));
    Ok(tally)
}

fn report(systems: u64, seed: u64, mut tally: Tally) -> ExitCode {
    let mut lines = vec![
        "# Reductions against brute force".to_owned(),
        String::new(),
        format!(
            "Written by `cargo run --release -p serval-soundness --bin reductions {systems} {seed}`. Each rule is applied alone to the normal form"
        ),
        "of random systems and to what a few other rules in any order leave of it. *Fired*: it changed something. *Compared*: the"
            .to_owned(),
        "completed multisets of what it left are those of the system, interleaved and serial, with up to four requests, or".to_owned(),
        "three where four take too long; and, unless global states were merged, the global states at the ends of runs, with".to_owned(),
        "up to three requests. *Skipped*: trying everything takes too long. *Drawn*: entries of scripts that no finder".to_owned(),
        "proposed, drawn at random, and that the checker accepts. Every script was accepted by the checker, and found twice.".to_owned(),
        "*Movers made to lose answers*: as many times as there are systems a search looks, on each side, for a system with a set"
            .to_owned(),
        "whose mover loses the answers of a run, by completing a system until all steps can be exchanged: with all conditions,".to_owned(),
        "and without each part of the weaker last condition.".to_owned(),
        String::new(),
    ];
    lines.extend(tally.tables());
    for line in &lines {
        let _ = writeln!(io::stdout(), "{line}");
    }
    // Each part of the weaker last condition must be seen to be needed.
    let unseen: Vec<&str> = [Side::Right, Side::Left]
        .into_iter()
        .flat_map(|side| Part::ALL.into_iter().zip(tally.hunts(side).refused))
        .filter(|&(_, refused)| systems >= CHASES && refused == 0)
        .map(|(part, _)| part.condition())
        .collect();
    if !unseen.is_empty() {
        let _ = writeln!(io::stderr(), "error: nothing was lost without {}", unseen.join(", "));
        return ExitCode::from(1);
    }
    let needed = FIRED * systems / 20_000;
    let idle: Vec<String> = RULES.iter().map(|&rule| Row::Found(rule)).filter(|&row| tally.fired(row) < needed).map(Row::name).collect();
    if idle.is_empty() {
        return ExitCode::SUCCESS;
    }
    let _ = writeln!(io::stderr(), "error: fired fewer than {needed} times: {}", idle.join(", "));
    ExitCode::from(1)
}
