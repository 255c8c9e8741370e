//! Each method alone on random systems, against brute force: a Markdown page on
//! standard output.
//!
//! `alone [SYSTEMS] [SEED] [METHOD…]`, with SYSTEMS systems for each method, a
//! quarter of them of each kind. Ends with 1 at the first verdict that is wrong
//! and at the first evidence that is refused.

use std::io::{self, Write};
use std::process::ExitCode;

use serval_soundness::alone::{Sole, Tally, try_alone};
use serval_soundness::{Kind, Limit, in_threads};

/// For one system and method: what a method decides at all, it decides early, and a verdict that is wrong is no better for coming soon.
const LIMIT: Limit = Limit::Looks(5_000);
/// Systems, unless another number is asked for.
const SYSTEMS: u64 = 100_000;
const THREADS: u64 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((systems, seed, methods)) = read(&arguments) else {
        let known: Vec<&str> = Sole::all().into_iter().map(Sole::name).collect();
        let _ = writeln!(io::stderr(), "error: usage: alone [SYSTEMS] [SEED] [METHOD…], with methods {}", known.join(", "));
        return ExitCode::from(2);
    };
    let parts = in_threads(THREADS, |thread| part(systems, seed, &methods, thread));
    let (text, code) = match parts {
        Ok(parts) => {
            let mut tally = Tally::default();
            parts.iter().for_each(|part| tally.add(part));
            (page(systems, seed, &methods, &tally), ExitCode::SUCCESS)
        }
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            return ExitCode::from(1);
        }
    };
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => code,
        Err(_) => ExitCode::from(2),
    }
}

fn read(arguments: &[String]) -> Option<(u64, u64, Vec<Sole>)> {
    let systems = arguments.first().map_or(Some(SYSTEMS), |text| text.parse().ok())?;
    let seed = arguments.get(1).map_or(Some(1), |text| text.parse().ok())?;
    let named: Option<Vec<Sole>> = arguments.iter().skip(2).map(|name| Sole::named(name)).collect();
    Some((systems, seed, Some(named?).filter(|named| !named.is_empty()).unwrap_or_else(Sole::all)))
}

/// The systems of one thread.
fn part(systems: u64, seed: u64, methods: &[Sole], thread: u64) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for number in (0..systems.div_ceil(4)).filter(|number| number % THREADS == thread) {
        for kind in Kind::ALL {
            try_alone(methods, kind, seed.wrapping_mul(0x1_0000_0000).wrapping_add(number), LIMIT, &mut tally)?;
        }
    }
    Ok(tally)
}

fn page(systems: u64, seed: u64, methods: &[Sole], tally: &Tally) -> String {
    // A page about some methods only says so.
    let named: String =
        if methods == Sole::all() { String::new() } else { methods.iter().map(|method| format!(" {}", method.name())).collect() };
    let mut lines = vec![
        "# Each method alone".to_owned(),
        String::new(),
        format!("Written by `cargo run --release -p serval-soundness --bin alone {systems} {seed}{named}`."),
        "Every proof was accepted by the checker, and brute force with up to four requests found nothing against it; every run".to_owned(),
        "was followed by the checker.".to_owned(),
        String::new(),
        "| method | kind | proved | refuted | unknown |".to_owned(),
        "|---|---|---:|---:|---:|".to_owned(),
    ];
    for &sole in methods {
        for kind in Kind::ALL {
            let figures = tally.figures.get(&(sole, kind)).copied().unwrap_or_default();
            let (proved, refuted, unknown) = (figures.proved, figures.refuted, figures.unknown);
            lines.push(format!("| {} | {} | {proved} | {refuted} | {unknown} |", sole.name(), kind.name()));
        }
    }
    let (compared, not) = (tally.compared, tally.not_compared);
    lines.push(String::new());
    lines.push(format!("Brute force knew about {compared} systems; {not} were too much for it. No verdict was wrong."));
    lines.push(String::new());
    lines.join("\n")
}
