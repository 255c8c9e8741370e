//! Never a proof of a program that is not serializable or that can fail.
//!
//! Random programs (those of the testkit, and here such with locks, counters, retries, latches, early release and moved
//! `yield`s) are proved by reduction; every proof must be accepted by the checker, and the compiled program must have
//! no run of three requests (two where three are too many) with answers that no serial run has, and no error.

use std::sync::Arc;

use serval_budget::Budget;
use serval_compile::{CompileError, Limits, Options, Prepared};
use serval_effort::{Sweep, sweep};
use serval_lipton_engine::{prove, prove_by, prove_of_all};
use serval_model::{completed_multisets, serial_multisets};
use serval_proof::{Reduction, Refusal};
use serval_testkit::naive::{Caps, Naive, Rejected, Source};
use serval_testkit::random::{Shape, SplitMix64, random_flags, random_looks, random_orders, random_program, random_rows, random_tickets};
use serval_testkit::say;

use crate::programs::synchronized;

/// What trying everything says of a program.
#[derive(Debug, PartialEq)]
pub(crate) enum Truth {
    Serializable,
    NotSerializable,
    Error(String),
    TooLarge,
}

pub(crate) fn truth(prepared: &Arc<Prepared>, requests: usize) -> Truth {
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
    serval_lipton_proof::check(prepared, reduction, &mut Budget::ticks(50_000_000))
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

impl Tally {
    fn add(&mut self, other: &Self) {
        self.programs += other.programs;
        self.proved += other.proved;
        self.by_few_bodies += other.by_few_bodies;
        self.with_late_looks += other.with_late_looks;
        self.with_counted_values += other.with_counted_values;
        self.proved_too_large += other.proved_too_large;
        self.open_serializable += other.open_serializable;
        self.not_serializable += other.not_serializable;
        self.errors += other.errors;
    }

    /// Of all programs together.
    fn sum(each: &[Self]) -> Self {
        let mut sum = Self::default();
        each.iter().for_each(|one| sum.add(one));
        sum
    }
}

fn judge(text: &str, requests: usize, label: &str) -> Tally {
    let mut tally = Tally::default();
    let Some(prepared) = prepared(text) else { return tally };
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
    tally
}

/// Judges the program of each seed with up to three requests.
fn judge_all(sweep: Sweep, what: &str, program: fn(u64) -> String) -> Tally {
    let tally = Tally::sum(&sweep.map(0, |seed| judge(&program(seed), 3, &format!("{what} {seed}"))));
    say(&format!("{what}: {tally:?}"));
    tally
}

#[test]
fn synchronized_programs() {
    let sweep = sweep("lipton.synchronized", 100, 400);
    let tally = judge_all(sweep, "synchronized", synchronized);
    assert!(!sweep.is_representative() || tally.proved * 12 > tally.programs, "{tally:?}");
}

#[test]
fn programs_with_rows() {
    let sweep = sweep("lipton.rows", 40, 100);
    let tally = judge_all(sweep, "rows", random_rows);
    assert!(!sweep.is_representative() || tally.by_few_bodies * 50 > tally.programs, "{tally:?}");
}

#[test]
fn programs_with_flags() {
    let sweep = sweep("lipton.flags", 100, 400);
    let tally = judge_all(sweep, "flags", random_flags);
    assert!(!sweep.is_representative() || tally.proved * 12 > tally.programs, "{tally:?}");
}

#[test]
fn programs_with_numbers_that_count_rows() {
    let sweep = sweep("lipton.orders", 100, 400);
    let tally = judge_all(sweep, "orders", random_orders);
    let many = tally.with_counted_values * 35 > tally.programs && tally.errors * 35 > tally.programs;
    assert!(!sweep.is_representative() || many, "{tally:?}");
}

#[test]
fn programs_that_look_twice() {
    let sweep = sweep("lipton.looks", 100, 400);
    let tally = judge_all(sweep, "looks", random_looks);
    let many = tally.with_late_looks * 12 > tally.programs && tally.not_serializable * 5 > tally.programs;
    assert!(!sweep.is_representative() || many, "{tally:?}");
}

/// Tickets grow without end, so that runs of two and three requests are tried one step after the other.
#[test]
fn programs_with_tickets() {
    let sweep = sweep("lipton.tickets", 100, 400);
    let caps = Caps { configurations: 20_000, small_steps: 3_000 };
    let each = sweep.map(0, |seed| {
        let text = random_tickets(seed);
        let Some(prepared) = prepared(&text) else { return [false; 3] };
        let found = prove(&prepared, &mut Budget::ticks(20_000_000));
        let mut naive = Naive::new(&Source::from(prepared.program()));
        let known: Vec<_> = (2..=3).map(|requests| naive.is_serializable(requests, caps)).collect();
        let is_wrong = known.iter().any(|known| matches!(known, Ok(false) | Err(Rejected::Fault(_))));
        let is_tried = known.iter().all(Result::is_ok);
        let Ok(found) = found else { return [is_tried, is_wrong, false] };
        assert_eq!(accepted(&prepared, &found.reduction), Ok(()), "{seed}\n{text}");
        assert!(!is_wrong, "{seed}: {known:?}\n{text}\n{:?}", found.reduction);
        [is_tried, is_wrong, !found.reduction.tickets.is_empty()]
    });
    let [tried, wrong, proved] = [0, 1, 2].map(|which| each.iter().filter(|one| one[which]).count());
    say(&format!("tickets: {tried} tried, {wrong} wrong, {proved} proved with tickets"));
    assert!(!sweep.is_representative() || (proved * 25 > tried && wrong * 5 > tried));
}

/// Whichever bodies stand for all: what the checker accepts is serializable.
#[test]
fn any_bodies() {
    let sweep = sweep("lipton.bodies", 40, 100);
    let each = sweep.map(0, |seed| {
        let (mut tried, mut proved, mut valid) = (0, 0, 0);
        let text = random_rows(seed);
        let Some(prepared) = prepared(&text) else { return [0; 3] };
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
        [tried, proved, valid]
    });
    let [tried, proved, valid] = [0, 1, 2].map(|which| each.iter().map(|one| one[which]).sum::<u64>());
    say(&format!("bodies: {tried} tried, {proved} proofs of theirs, {valid} of them valid for all"));
    assert!(!sweep.is_representative() || valid > 0);
}

/// What few bodies prove of all is proved of all bodies one by one, too.
#[test]
fn few_bodies_prove_no_more_than_all() {
    let sweep = sweep("lipton.few_bodies", 40, 100);
    let each = sweep.map(0, |seed| {
        let Some(prepared) = prepared(&random_rows(seed)) else { return (false, false) };
        let few = prove(&prepared, &mut Budget::ticks(20_000_000)).is_ok_and(|found| found.reduction.stands_for_others());
        let all = prove_of_all(&prepared, &mut Budget::ticks(20_000_000));
        match (few, all) {
            (true, Ok(found)) => assert_eq!(accepted(&prepared, &found.reduction), Ok(()), "{seed}"),
            (true, Err(why)) => panic!("{seed}: only few bodies prove it: {why:?}"),
            (false, Ok(_)) => return (false, true),
            (false, Err(_)) => return (false, false),
        }
        (true, false)
    });
    let (both, all_alone) = (each.iter().filter(|one| one.0).count(), each.iter().filter(|one| one.1).count());
    say(&format!("few bodies and all: {both} proved by both, {all_alone} by all alone"));
    assert!(!sweep.is_representative() || both > 0);
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
    let sweep = sweep("lipton.testkit", 25, 100);
    let each = sweep.map(0, |seed| {
        let judge = |shape| judge(&random_program(seed, shape), 3, &format!("{shape:?} {seed}"));
        Tally::sum(&Shape::WITH_EDGES.map(judge))
    });
    let tally = Tally::sum(&each);
    say(&format!("testkit: {tally:?}"));
    assert!(!sweep.is_representative() || tally.proved > 0);
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
    let sweep = sweep("lipton.forged", 100, 400);
    let each = sweep.map(0, |seed| {
        let (mut tried, mut valid) = (0_u64, 0_u64);
        let text = synchronized(seed);
        let Some(prepared) = prepared(&text) else { return (0, 0) };
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
        (tried, valid)
    });
    let (tried, valid) = each.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    say(&format!("forged: {tried} tried, {valid} of them valid"));
}
