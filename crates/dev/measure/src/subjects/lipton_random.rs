//! Proofs on the text of random programs: none is of a program that is not serializable, and no forged certificate is
//! accepted.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use serval_soundness::Merge;
use serval_soundness::requests::lipton::{Tally, programs, try_all, try_program};
use serval_soundness::threads::tallied;

use super::THREADS;
use crate::page::Page;

/// Of so many programs in a row of each origin one has certificates forged from its own, which takes as long as all
/// else.
const FORGED: u64 = 4;

/// What one thread found.
#[derive(Default)]
struct RandomPart {
    tally: Tally,
    failures: Vec<String>,
    /// The longest time for one program, and its number.
    slowest: (Duration, u64),
}

impl Merge for RandomPart {
    fn absorb(&mut self, other: Self) {
        self.tally.absorb(other.tally);
        self.failures.extend(other.failures);
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// Tries so many programs.
pub fn page(count: u64, seed: u64) -> Result<Page, String> {
    let mut page = Page::new(
        "Proofs on the text of random programs",
        "The checker accepts every proof, and refuses every forged certificate; neither the methods that work on states nor\n\
         the naive interpreter find an answer that is not serial, or an error, in a program that is proved.",
    );
    let Ok(RandomPart { tally, mut failures, slowest }) =
        tallied(THREADS, count, |number, part: &mut RandomPart| -> Result<(), Infallible> {
            let start = Instant::now();
            let (origin, text) = programs::program(seed, number);
            // The origin goes by the rest by 20.
            let outcome = match number / 20 % FORGED {
                0 => try_all(origin, &text, &mut part.tally),
                _ => try_program(origin, &text, &mut part.tally).map(|_| ()),
            };
            part.failures.extend(outcome.err().map(|why| format!("program {number} of seed {seed}: {why}")));
            part.slowest = part.slowest.max((start.elapsed(), number));
            Ok(())
        });
    page.table(&["outcome", ">programs"]);
    let mut outcomes: Vec<&str> = tally.counts.keys().map(|(_, what)| *what).collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    outcomes.iter().for_each(|what| page.line(format!("| {what} | {} |", tally.of(what))));
    let (time, number) = slowest;
    page.line(format!("\n{count} programs, {} wrong; the slowest, number {number}, took {} ms.", failures.len(), time.as_millis()));
    let summary = serde_json::json!({
        "programs": count, "seed": seed, "wrong": failures.len(), "outcomes": tally.to_json(),
        "slowest": {"ms": u64::try_from(time.as_millis()).unwrap_or(u64::MAX), "program": number},
    });
    page.file("lipton-random.json", format!("{summary:#}\n"));
    failures.sort_unstable();
    failures.into_iter().for_each(|failure| page.fail(failure));
    Ok(page)
}
