//! Never a proof of a program that is not serializable or that can fail.
//!
//! Random programs (those of the testkit, and here such with locks, counters, retries, latches, early release and moved `yield`s) are
//! proved by reduction; every proof must be accepted by the checker, and the compiled program must have no run of three requests (two where
//! three are too many) with answers that no serial run has, and no error. `SERVAL_COUNT` programs of each kind, from `SERVAL_SEED` on.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod programs;

use std::sync::Arc;

use programs::synchronized;
use serval_budget::Budget;
use serval_compile::{CompileError, Limits, Options, Prepared};
use serval_lipton::{prove, prove_by, prove_of_all};
use serval_model::{completed_multisets, serial_multisets};
use serval_proof::{Reduction, Refusal};
use serval_testkit::naive::{Caps, Naive, Rejected, Source};
use serval_testkit::random::{Shape, SplitMix64, random_flags, random_looks, random_orders, random_program, random_rows, random_tickets};
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
    by_few_bodies: usize,
    with_late_looks: usize,
    with_counted_values: usize,
    proved_too_large: usize,
    open_serializable: usize,
    not_serializable: usize,
    errors: usize,
}

fn judge(text: &str, requests: usize, tally: &mut Tally, label: &str) {
    let Some(prepared) = prepared(text) else { return };
    tally.programs += 1;
    let start = std::time::Instant::now();
    let found = prove(&prepared, &mut Budget::ticks(20_000_000));
    let proving = start.elapsed();
    let truth = truth(&prepared, requests);
    if start.elapsed().as_secs() >= 4 {
        say(&format!("{label}: slow, {proving:?} of {:?}", start.elapsed()));
    }
    if let Ok(found) = &found {
        assert_eq!(accepted(&prepared, &found.reduction), Ok(()), "{label}: refused\n{text}");
    }
    match (&found, &truth) {
        (Ok(found), Truth::Serializable | Truth::TooLarge) => {
            tally.proved += 1;
            tally.by_few_bodies += usize::from(found.reduction.stands_for_others());
            tally.with_late_looks += usize::from(!found.reduction.late.is_empty());
            tally.with_counted_values += usize::from(found.reduction.sums.iter().any(|sum| !sum.values.is_empty()));
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
        judge(&synchronized(seed), 3, &mut tally, &format!("synchronized {seed}"));
    }
    say(&format!("synchronized: {tally:?}"));
    assert!(tally.proved * 10 > tally.programs, "{tally:?}");
}

#[test]
fn programs_with_rows() {
    let (count, seed) = (number("SERVAL_COUNT", 400) / 4, number("SERVAL_SEED", 0));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        judge(&random_rows(seed), 3, &mut tally, &format!("rows {seed}"));
    }
    say(&format!("rows: {tally:?}"));
    assert!(tally.by_few_bodies * 25 > tally.programs, "{tally:?}");
}

#[test]
fn programs_with_flags() {
    let (count, seed) = (number("SERVAL_COUNT", 400), number("SERVAL_SEED", 0));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        judge(&random_flags(seed), 3, &mut tally, &format!("flags {seed}"));
    }
    say(&format!("flags: {tally:?}"));
    assert!(tally.proved * 10 > tally.programs, "{tally:?}");
}

#[test]
fn programs_with_numbers_that_count_rows() {
    let (count, seed) = (number("SERVAL_COUNT", 400), number("SERVAL_SEED", 0));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        judge(&random_orders(seed), 3, &mut tally, &format!("orders {seed}"));
    }
    say(&format!("orders: {tally:?}"));
    assert!(tally.with_counted_values * 25 > tally.programs && tally.errors * 25 > tally.programs, "{tally:?}");
}

#[test]
fn programs_that_look_twice() {
    let (count, seed) = (number("SERVAL_COUNT", 400), number("SERVAL_SEED", 0));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        judge(&random_looks(seed), 3, &mut tally, &format!("looks {seed}"));
    }
    say(&format!("looks: {tally:?}"));
    assert!(tally.with_late_looks * 10 > tally.programs && tally.not_serializable * 4 > tally.programs, "{tally:?}");
}

/// Tickets grow without end, so that runs of two and three requests are tried one step after the other.
#[test]
fn programs_with_tickets() {
    let (count, seed) = (number("SERVAL_COUNT", 400), number("SERVAL_SEED", 0));
    let caps = Caps { configurations: 20_000, small_steps: 3_000 };
    let (mut proved, mut tried, mut wrong) = (0, 0, 0);
    for seed in seed..seed + count {
        let text = random_tickets(seed);
        let Some(prepared) = prepared(&text) else { continue };
        let found = prove(&prepared, &mut Budget::ticks(20_000_000));
        let mut naive = Naive::new(&Source::from(prepared.program()));
        let known: Vec<_> = (2..=3).map(|requests| naive.is_serializable(requests, caps)).collect();
        let is_wrong = known.iter().any(|known| matches!(known, Ok(false) | Err(Rejected::Fault(_))));
        tried += usize::from(known.iter().all(Result::is_ok));
        wrong += usize::from(is_wrong);
        let Ok(found) = found else { continue };
        assert_eq!(accepted(&prepared, &found.reduction), Ok(()), "{seed}\n{text}");
        assert!(!is_wrong, "{seed}: {known:?}\n{text}\n{:?}", found.reduction);
        proved += usize::from(!found.reduction.tickets.is_empty());
    }
    say(&format!("tickets: {tried} tried, {wrong} wrong, {proved} proved with tickets"));
    assert!(proved * 20 > tried && wrong * 4 > tried);
}

/// Whichever bodies stand for all: what the checker accepts is serializable.
#[test]
fn any_bodies() {
    let (count, seed) = (number("SERVAL_COUNT", 400) / 4, number("SERVAL_SEED", 0));
    let (mut tried, mut proved, mut valid) = (0, 0, 0);
    for seed in seed..seed + count {
        let text = random_rows(seed);
        let Some(prepared) = prepared(&text) else { continue };
        let rng = &mut SplitMix64::new(seed);
        let bodies = u32::try_from(prepared.control().entries().len()).unwrap();
        let mut known = None;
        for _ in 0..4 {
            let share = 20 + 20 * rng.below(4);
            let chosen: Vec<u32> = (0..bodies).filter(|_| rng.chance(share)).collect();
            tried += 1;
            let Ok(found) = prove_by(&prepared, &chosen, &mut Budget::ticks(20_000_000)) else { continue };
            proved += 1;
            if found.reduction.stands_for_others() && accepted(&prepared, &found.reduction).is_ok() {
                valid += 1;
                let truth = known.get_or_insert_with(|| truth(&prepared, 3));
                assert!(matches!(truth, Truth::Serializable | Truth::TooLarge), "{truth:?} {seed}\n{text}\n{:?}", found.reduction);
            }
        }
    }
    say(&format!("bodies: {tried} tried, {proved} proofs of theirs, {valid} of them valid for all"));
    assert!(valid > 0);
}

/// What few bodies prove of all is proved of all bodies one by one, too.
#[test]
fn few_bodies_prove_no_more_than_all() {
    let (count, seed) = (number("SERVAL_COUNT", 400) / 4, number("SERVAL_SEED", 0));
    let (mut both, mut few_alone, mut all_alone) = (0, Vec::new(), 0);
    for seed in seed..seed + count {
        let Some(prepared) = prepared(&random_rows(seed)) else { continue };
        let few = prove(&prepared, &mut Budget::ticks(20_000_000)).is_ok_and(|found| found.reduction.stands_for_others());
        let all = prove_of_all(&prepared, &mut Budget::ticks(20_000_000));
        match (few, all) {
            (true, Ok(found)) => {
                both += 1;
                assert_eq!(accepted(&prepared, &found.reduction), Ok(()), "{seed}");
            }
            (true, Err(why)) => few_alone.push((seed, why)),
            (false, Ok(_)) => all_alone += 1,
            (false, Err(_)) => {}
        }
    }
    say(&format!("few bodies and all: {both} proved by both, {all_alone} by all alone"));
    assert!(few_alone.is_empty(), "{few_alone:?}");
    assert!(both > 0);
}

/// With more rows there is no more to prove.
#[test]
fn proofs_do_not_grow() {
    let size = |rows: usize| {
        let last = rows - 1;
        let text = format!(
            "var L[0..{last}]: 0..1\nvar X[0..{last}]: 0..2 := 1\nrequest move(i: 0..{}) {{ lock(L[i]); a := X[i]; yield; lock(L[i + 1]); b := X[i + 1]; \
             if (a > 0 and b < 2) {{ X[i] := a - 1; X[i + 1] := b + 1 }}; unlock(L[i]); yield; unlock(L[i + 1]); a }}\n\
             request look(i: 0..{last}) {{ lock(L[i]); yield; a := X[i]; unlock(L[i]); a }}",
            last - 1
        );
        let prepared = prepared(&text).unwrap();
        let mut budget = Budget::ticks(50_000_000);
        let Reduction { bodies, ranges, owners, counts, locals, post, .. } = prove(&prepared, &mut budget).unwrap().reduction;
        assert!(!bodies.is_empty());
        (bodies.len(), ranges.len(), owners.len(), counts.len(), locals.len(), post)
    };
    assert_eq!(size(10), size(80));
}

#[test]
fn programs_of_the_testkit() {
    let (count, seed) = (number("SERVAL_COUNT", 400) / 4, number("SERVAL_SEED", 0));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        for shape in Shape::WITH_EDGES {
            judge(&random_program(seed, shape), 3, &mut tally, &format!("{shape:?} {seed}"));
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
