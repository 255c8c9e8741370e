//! Never a proof of a program that is not serializable or that can fail.
//!
//! Random programs (those of the testkit, and here such with locks, counters, retries, latches, early release and moved `yield`s) are
//! proved by reduction; every proof must be accepted by the checker, and the compiled program must have no run of three requests with
//! answers that no serial run has, and no error. `SERVAL_COUNT` programs of each kind, from `SERVAL_SEED` on.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod programs;

use std::sync::Arc;

use programs::synchronized;
use serval_budget::Budget;
use serval_compile::{CompileError, Limits, Options, Prepared};
use serval_lipton::prove;
use serval_model::{completed_multisets, serial_multisets};
use serval_proof::{Reduction, Refusal};
use serval_testkit::random::{Shape, SplitMix64, random_program};
use serval_testkit::say;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// What trying everything says of a program.
#[derive(Debug, PartialEq)]
enum Truth {
    Serializable,
    NotSerializable,
    Error(String),
    TooLarge,
}

fn truth(prepared: &Arc<Prepared>, requests: usize) -> Truth {
    let compiled = match prepared.compile_within(20_000, &Budget::ticks(20_000_000)) {
        Ok(compiled) => compiled,
        Err(CompileError::Fault(report)) if report.certain => return Truth::Error(format!("{:?}", report.fault)),
        Err(_) => return Truth::TooLarge,
    };
    for component in compiled.components() {
        let budget = &mut Budget::ticks(3_000_000);
        let (Ok(interleaved), Ok(serial)) =
            (completed_multisets(component.system(), requests, budget), serial_multisets(component.system(), requests, budget))
        else {
            return if requests > 2 { truth(prepared, requests - 1) } else { Truth::TooLarge };
        };
        if !interleaved.is_subset(&serial) {
            return Truth::NotSerializable;
        }
    }
    Truth::Serializable
}

fn prepared(text: &str) -> Option<Arc<Prepared>> {
    let program = serval_syntax::analyze(text).program?;
    Some(Arc::new(Prepared::new(&program, Options { limits: Limits::default(), ..Options::default() })))
}

fn accepted(prepared: &Prepared, reduction: &Reduction) -> Result<(), Refusal<()>> {
    serval_symbolic::check(prepared, reduction, &mut Budget::ticks(50_000_000))
}

#[derive(Default, Debug)]
struct Tally {
    programs: usize,
    proved: usize,
    proved_too_large: usize,
    open_serializable: usize,
    not_serializable: usize,
    errors: usize,
}

fn judge(text: &str, tally: &mut Tally, label: &str) {
    let Some(prepared) = prepared(text) else { return };
    tally.programs += 1;
    let start = std::time::Instant::now();
    let found = prove(&prepared, &mut Budget::ticks(20_000_000));
    let proving = start.elapsed();
    let truth = truth(&prepared, 3);
    if start.elapsed().as_secs() >= 4 {
        say(&format!("{label}: slow, {proving:?} of {:?}", start.elapsed()));
    }
    if let Ok(found) = &found {
        assert_eq!(accepted(&prepared, &found.reduction), Ok(()), "{label}: refused\n{text}");
    }
    match (&found, &truth) {
        (Ok(_), Truth::Serializable | Truth::TooLarge) => {
            tally.proved += 1;
            tally.proved_too_large += usize::from(truth == Truth::TooLarge);
        }
        (Ok(found), wrong) => panic!("{label}: proved, but {wrong:?}\n{text}\n{:?}", found.reduction),
        (Err(_), Truth::Serializable) => tally.open_serializable += 1,
        (Err(_), Truth::NotSerializable) => tally.not_serializable += 1,
        (Err(_), Truth::Error(_)) => tally.errors += 1,
        (Err(_), Truth::TooLarge) => {}
    }
}

#[test]
fn synchronized_programs() {
    let (count, seed) = (number("SERVAL_COUNT", 400), number("SERVAL_SEED", 0));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        judge(&synchronized(seed), &mut tally, &format!("synchronized {seed}"));
    }
    say(&format!("synchronized: {tally:?}"));
    assert!(tally.proved * 10 > tally.programs, "{tally:?}");
}

#[test]
fn programs_of_the_testkit() {
    let (count, seed) = (number("SERVAL_COUNT", 400) / 4, number("SERVAL_SEED", 0));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        for shape in Shape::WITH_EDGES {
            judge(&random_program(seed, shape), &mut tally, &format!("{shape:?} {seed}"));
        }
    }
    say(&format!("testkit: {tally:?}"));
    assert!(tally.proved > 0);
}

/// A certificate with something else in it.
fn forged(reduction: &Reduction, rng: &mut SplitMix64) -> Reduction {
    let mut forged = reduction.clone();
    let point = |rng: &mut SplitMix64| u32::try_from(rng.below(9)).unwrap();
    for _ in 0..1 + rng.below(2) {
        match rng.below(10) {
            0 => forged.post = vec![(point(rng) + 1, point(rng) + 3)],
            1 => forged.post.clear(),
            2 => {
                if let Some(owner) = forged.owners.first_mut() {
                    owner.points = vec![(1 + point(rng), 9)];
                }
            }
            3 => forged.owners.push(serval_proof::Owner { global: point(rng) % 3, value: 1, points: vec![(2, 2 + point(rng))] }),
            4 => forged.counts.push(serval_proof::Count { global: point(rng) % 3, weights: vec![(2, 2 + point(rng), 1)] }),
            5 => forged.dooms.push(serval_proof::Doom {
                global: point(rng) % 3,
                value: rng.between(0, 2),
                points: vec![(1, 1 + point(rng))],
            }),
            6 => {
                if let Some(range) = forged.ranges.first_mut() {
                    range.2 = rng.between(0, 2);
                }
            }
            7 => forged.yields.push(point(rng)),
            8 => forged.known.push(serval_proof::Bounds {
                variable: point(rng) % 3,
                low: 0,
                high: rng.between(0, 1),
                points: vec![(1, 1 + point(rng))],
            }),
            _ => forged.locals.push(serval_proof::Bounds {
                variable: point(rng) % 3,
                low: 0,
                high: rng.between(0, 1),
                points: vec![(1, 1 + point(rng))],
            }),
        }
    }
    forged
}

#[test]
fn forged_certificates() {
    let (count, seed) = (number("SERVAL_COUNT", 400), number("SERVAL_SEED", 0));
    let (mut tried, mut valid) = (0, 0);
    for seed in seed..seed + count {
        let text = synchronized(seed);
        let Some(prepared) = prepared(&text) else { continue };
        let rng = &mut SplitMix64::new(seed);
        let base = match prove(&prepared, &mut Budget::ticks(20_000_000)) {
            Ok(found) => found.reduction,
            Err(_) => Reduction { ranges: vec![(0, 0, 3), (1, 0, 3)], ..Reduction::default() },
        };
        let mut known = None;
        for _ in 0..8 {
            let forged = forged(&base, rng);
            tried += 1;
            if accepted(&prepared, &forged).is_ok() {
                valid += 1;
                let truth = known.get_or_insert_with(|| truth(&prepared, 3));
                assert!(matches!(truth, Truth::Serializable | Truth::TooLarge), "{truth:?} {seed}\n{text}\n{forged:?}");
            }
        }
    }
    say(&format!("forged: {tried} tried, {valid} of them valid"));
}
