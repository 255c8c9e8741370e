//! Any number of copies against some numbers of copies: no violation is missed, and “robust” is never contradicted.

use std::ops::Range;

use serval_budget::Budget;
use serval_tso_engine::{AnyOutcome, EngineLimits, decide_any};
use serval_tso_proof::Certificate;

use super::naive::{Act, Code, Stmt, bounded, random};
use crate::Tally;

/// Copies that are tried, and states with traces for each number.
const COPIES: usize = 4;
const MOST: usize = 6_000;
/// Configurations that are too few for most programs.
const FEW: usize = 150;

pub(super) fn compare(seeds: Range<u64>) -> Tally {
    let mut counts = Tally::default();
    for seed in seeds {
        one(seed, &mut counts);
    }
    counts
}

/// Whether all configurations of an attacker have the same copies, as where all places are taken together.
fn together(certificate: &Certificate) -> bool {
    let any = certificate.any.as_ref();
    any.is_some_and(|any| any.attackers.iter().all(|list| list.len() > 1 && list.iter().all(|one| one.copies == list[0].copies)))
}

fn one(seed: u64, counts: &mut Tally) {
    let mut code = random(seed, seed.is_multiple_of(2));
    code.threads.truncate(2);
    code.threads.iter_mut().for_each(|thread| thread.truncate(3));
    // A third begins with a store and ends with a load, as what is not robust does.
    for (number, thread) in code.threads.iter_mut().enumerate().filter(|_| seed % 3 == 1) {
        *thread.first_mut().unwrap() = Stmt { guard: None, act: Act::Store(number, 1) };
        *thread.last_mut().unwrap() = Stmt { guard: None, act: Act::Load(0, 1 - number) };
    }
    // The first thread is any number of copies, and the second one stays or goes.
    if seed.is_multiple_of(3) {
        code.threads.truncate(1);
    }
    let text = code.text("").replacen("thread P0", "thread* P0", 1);
    let program = serval_tso_program::read(&text).unwrap();
    let mut certificate = Certificate::new(&program);
    // With few configurations all places are taken together.
    let few = seed % 4 == 3;
    let limits = EngineLimits { states: if few { FEW } else { 20_000 }, buffer: 8, ..EngineLimits::default() };
    let said = match decide_any(&program, &limits, &mut Budget::unlimited()) {
        AnyOutcome::Robust(any) => {
            certificate.any = Some(any);
            Some(true)
        }
        AnyOutcome::Violated(copies, violation) => {
            (certificate.copies, certificate.violation) = (Some(copies), Some(violation));
            Some(false)
        }
        AnyOutcome::Unknown(_) => None,
        AnyOutcome::Fault(..) => panic!("{text}"),
    };
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    assert_eq!(shown.robust, said, "{text}");
    // With more copies there are sooner or later too many orders to try them all; what was found by then counts.
    let (mut first, mut tried) = (None, 0);
    for copies in 1..=COPIES {
        let mut threads = vec![code.threads[0].clone(); copies];
        threads.extend(code.threads.get(1).cloned());
        let all = bounded(&Code { cells: code.cells, threads }, true, usize::MAX, MOST);
        if all.cyclic {
            first = Some(copies);
            break;
        }
        if all.too_much {
            break;
        }
        tried = copies;
    }
    match said {
        Some(false) => {
            let copies = certificate.copies.unwrap() as usize;
            // Not with fewer; and where it was tried, not with more.
            assert!(tried < copies && first.is_none_or(|first| first >= copies), "seed {seed}\n{text}");
        }
        // With few configurations a violation may not be found, which is said.
        None if few => {}
        Some(true) | None => assert_eq!(first, None, "seed {seed}: {said:?}\n{text}"),
    }
    counts.count("programs");
    counts.count(match said {
        Some(true) if few && together(&certificate) => "robust, all places together",
        Some(true) => "robust",
        Some(false) => "not robust",
        None if few => "undecided, with few configurations",
        None => "undecided",
    });
    counts.count(["no number tried", "one copy tried", "two copies tried", "three copies tried", "four copies tried"][tried]);
}
