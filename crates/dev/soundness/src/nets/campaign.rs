//! All attacks on answers about nets, one after the other, and what the answers cost.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use serval_budget::Cancel;
use serval_model::SplitMix64;
use serval_net_proof::Claim;
use serval_random::reach::reaches;
use serval_testkit::peak_memory_mib;
use serval_testkit::solvers::Outside;

use crate::nets::asked::{Outcome, ask};
use crate::nets::cases::{Kind, case};
use crate::nets::page::{Measured, Summary};
use crate::nets::{alone, covered, families, mutants, obligations};
use crate::threads::in_order;
use crate::{Limit, Merge, Tally, within};

const LIMIT: Duration = Duration::from_secs(5);
/// Rounds that no question of these needs.
const ROUNDS: u32 = 40;
/// Rounds where time must not matter.
const FEW_ROUNDS: u32 = 3;
const ALONE_TICKS: u64 = 100_000;
/// Certificates whose obligations are put to other solvers.
const CERTIFICATES: u64 = 200;
/// Obligations of one certificate that are.
const OBLIGATIONS: usize = 40;

fn said(what: &str) {
    let _ = writeln!(io::stderr(), "{what}");
}

/// Asks all methods about `count` nets and as many counter systems, and the decomposition alone about a tenth as many
/// of each kind; decides coverability of a quarter as many, and changes half as many pieces of evidence, in threads of
/// their own.
pub fn measured(count: u64, seed: u64, family_limit: Duration) -> Measured {
    let mut measured = Measured { seed, ..Measured::default() };
    for kind in [Kind::Net, Kind::Counters] {
        said(&format!("all methods on {count} {}", kind.name()));
        let mut summary = Summary { kind: kind.name(), ..Summary::default() };
        for number in 0..count {
            let case = case(kind, seed, number);
            let outcome = within(Limit::Time(LIMIT), |cancel| ask(&case, ROUNDS, cancel));
            summary.count(&outcome);
            measured.wrong.extend(outcome.wrong);
        }
        measured.summaries.push(summary);
    }
    measured.peak = peak_memory_mib();
    // What is not timed goes side by side.
    let few = count / 10;
    let parts: Vec<Measured> = std::thread::scope(|scope| {
        let alone = Kind::ALL.map(|kind| scope.spawn(move || compare_alone(kind, few, seed)));
        let others = [
            scope.spawn(move || cover(count / 4, seed)),
            scope.spawn(move || {
                let mut part = Measured::default();
                let scripts = change(&mut part, count / 2, seed);
                export(&mut part, CERTIFICATES.min(count), seed, scripts);
                part
            }),
            scope.spawn(move || compare_threads(few, seed)),
        ];
        alone.into_iter().chain(others).map(|part| part.join().unwrap_or_else(|_| failed())).collect()
    });
    parts.into_iter().for_each(|part| measured.add(part));
    said("families");
    match families::rows(family_limit) {
        Ok(rows) => measured.rows = rows,
        Err(wrong) => measured.wrong.push(wrong),
    }
    let rows = measured.rows.iter().filter(|row| row.answer.as_ref().is_some_and(|answer| answer.0 != row.reachable));
    let wrong: Vec<String> = rows.map(|row| format!("{}: {:?}", row.name, row.answer)).collect();
    measured.wrong.extend(wrong);
    measured
}

fn failed() -> Measured {
    Measured { wrong: vec!["a part of the measurement ended early".to_owned()], ..Measured::default() }
}

/// Coverability, three ways.
fn cover(count: u64, seed: u64) -> Measured {
    let mut measured = Measured::default();
    for number in 0..count {
        let told = covered::ask(&case(Kind::Net, seed ^ 0xC0, number), FEW_ROUNDS, &mut measured.covered.1);
        measured.covered.0 += 1;
        measured.wrong.extend(told.err());
    }
    said("coverability is done");
    measured
}

/// Whether answers depend on the number of threads.
fn compare_threads(count: u64, seed: u64) -> Measured {
    let mut measured = Measured::default();
    let bytes = |jobs| in_order(jobs, count, |number| written(&ask(&case(Kind::of(number), seed, number), FEW_ROUNDS, &Cancel::new())));
    let one = bytes(1);
    measured.same = Some((count, one == bytes(2) && one == bytes(8)));
    if measured.same == Some((count, false)) {
        measured.wrong.push("answers depend on the number of threads".to_owned());
    }
    said("threads are done");
    measured
}

/// An answer with its evidence, byte by byte.
fn written(outcome: &Outcome) -> String {
    let told = outcome.answer.as_ref().map(|answer| (answer.method, answer.claim.word(), serde_json::to_string(&answer.evidence).ok()));
    format!("{told:?}")
}

/// The decomposition alone, beside all methods.
fn compare_alone(kind: Kind, count: u64, seed: u64) -> Measured {
    let (mut measured, mut tally, mut asked) = (Measured::default(), Tally::default(), 0);
    let is_rare = |tally: &Tally| ["with a value step", "with an arc step"].iter().any(|name| tally.of(name) < count / 2);
    // Pairs of loops go on until both of the rare steps were taken often enough, in the usual order, against trying
    // everything.
    while asked < count || kind == Kind::Pairs && asked < count * 30 && is_rare(&tally) {
        let case = case(kind, seed ^ 0xA1, asked);
        let (known, orders) = if asked < count {
            let together = within(Limit::Time(LIMIT), |cancel| ask(&case, ROUNDS, cancel));
            measured.wrong.extend(together.wrong);
            (together.answer.map(|answer| answer.claim == Claim::Reachable), alone::ORDERS.len())
        } else {
            (reaches(&case.net, &case.target, 1_000), 1)
        };
        measured.wrong.extend(alone::ask(&case, known, orders, ALONE_TICKS, &mut tally).err());
        asked += 1;
    }
    measured.alone.push((kind.name(), asked, tally));
    said(&format!("the decomposition alone on {} is done", kind.name()));
    measured
}

/// Changed evidence of all kinds, about as much of each. Gives the obligations of what was accepted.
fn change(measured: &mut Measured, wanted: u64, seed: u64) -> Vec<String> {
    let mut scripts = Vec::new();
    said(&format!("{wanted} changed pieces of evidence"));
    let draw = &mut SplitMix64::new(seed ^ 0x3D);
    let mut by_kind: BTreeMap<String, u64> = BTreeMap::new();
    for number in 0..wanted.saturating_mul(8) {
        if measured.mutants.total() >= wanted {
            break;
        }
        let case = case(Kind::of(number), seed ^ 0x3D, number);
        for evidence in mutants::evidence(&case) {
            let often = by_kind.entry(mutants::kind(&evidence)).or_default();
            if *often * 8 > wanted {
                continue;
            }
            let mut tally = Tally::default();
            match mutants::ask(&case, &evidence, 6, draw, &mut tally) {
                Ok(accepted) => {
                    for mutant in accepted {
                        let more = obligations::scripts(&case.net, &case.goal, &mutant).unwrap_or_default();
                        scripts.extend(more.into_iter().take(OBLIGATIONS));
                    }
                }
                Err(wrong) => measured.wrong.push(wrong),
            }
            *often += tally.total();
            measured.mutants.absorb(tally);
        }
    }
    scripts
}

/// Obligations of certificates of all kinds that have some, with others, put to other solvers.
fn export(measured: &mut Measured, wanted: u64, seed: u64, mut scripts: Vec<String>) {
    said(&format!("obligations of {wanted} certificates"));
    let mut by_kind: BTreeMap<String, u64> = BTreeMap::new();
    measured.obligations.3 = u64::try_from(scripts.len()).unwrap_or(u64::MAX);
    for number in 0..wanted.saturating_mul(20) {
        if measured.obligations.0 >= wanted {
            break;
        }
        let case = case(Kind::of(number), seed ^ 0x0B, number);
        for evidence in mutants::evidence(&case) {
            let often = by_kind.entry(mutants::kind(&evidence)).or_default();
            if *often * 4 >= wanted || measured.obligations.0 >= wanted {
                continue;
            }
            match obligations::scripts(&case.net, &case.goal, &evidence) {
                Ok(more) if more.is_empty() || more.len() > OBLIGATIONS => {}
                Ok(more) => {
                    *often += 1;
                    measured.obligations.0 += 1;
                    scripts.extend(more);
                }
                Err(wrong) => measured.wrong.push(format!("{}: {wrong}", case.told)),
            }
        }
    }
    measured.obligations.1 = u64::try_from(scripts.len()).unwrap_or(u64::MAX);
    for outside in Outside::all(20_000) {
        let answers = outside.ask_all(scripts.iter().map(String::as_str), Duration::from_secs(600));
        measured
            .wrong
            .extend(answers.iter().filter(|answer| *answer == "sat").map(|_| format!("{} calls an obligation satisfiable", outside.name)));
        let others = answers.iter().filter(|answer| *answer != "unsat").count();
        measured.obligations.2.push((outside.name.to_owned(), u64::try_from(others).unwrap_or(u64::MAX)));
    }
}
