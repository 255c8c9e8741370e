//! Hostile certificates against the checker.

use std::path::PathBuf;

use serval_soundness::Merge;
use serval_soundness::requests::hostile::{Effort, HostileFailure, Pool, Size, Tally, inputs_in, try_certificates};
use serval_soundness::threads::tallied;

use super::THREADS;
use crate::page::Page;

const SIZE: Size = Size { systems: 360, programs: 80, joined: 60, edits: 3 };

const EFFORT: Effort = Effort { check: 2_000_000, brute: 100_000 };

/// Of so many certificates these have to be tried, and so many of them have to get as far as a condition.
const OF: u64 = 90_000;
const TRIED: u64 = 50_000;
const REJECTED: u64 = 20_000;
/// How many of them each condition has to refuse.
const BY_EACH: u64 = 100;

const ABOUT: &str = "\
Certificates that the engine found for programs, examples and random systems are changed, given to other inputs, or made
to miss one condition; the same certificate for the same input counts once. What the checker accepts has to be true, by
trying everything with up to four requests or by following the run.";

/// Tries so many certificates, made from those for the inputs in these directories and for random ones.
pub fn page(directories: &[PathBuf], count: u64, seed: u64) -> Result<Page, String> {
    let mut page = Page::new("Hostile certificates", ABOUT);
    let inputs: Vec<_> = directories.iter().map(|directory| inputs_in(directory)).collect::<Result<Vec<_>, _>>()?.concat();
    let pool = Pool::new(&inputs, SIZE, seed)?;
    let tried = tallied(THREADS, count, |number, tally: &mut Tally| -> Result<(), Box<HostileFailure>> {
        tally.absorb(try_certificates(&pool, [number], seed, EFFORT)?);
        Ok(())
    });
    let tally = match tried {
        Ok(tally) => tally,
        Err(failure) => {
            let HostileFailure { number, why, input: (name, text), certificate } = *failure;
            page.fail(format!("certificate {number} of seed {seed}: {why}\n\n{name}:\n{text}\n\n{certificate}"));
            return Ok(page);
        }
    };
    tally.tables(&pool).iter().for_each(|line| page.line(line));
    if tally.tried() * OF < TRIED * count || tally.rejected() * OF < REJECTED * count {
        page.fail(format!("only {} tried, and {} refused by a condition", tally.tried(), tally.rejected()));
    }
    let least = BY_EACH * count / OF;
    tally.idle(least).into_iter().for_each(|condition| page.fail(format!("{condition} refused fewer than {least}")));
    Ok(page)
}
