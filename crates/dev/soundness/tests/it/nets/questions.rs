//! Answers against all that else knows, changed evidence, and nets that know their answers.

use std::time::Duration;

use serval_budget::Cancel;
use serval_effort::{Sweep, side_by_side, skips, sweep};
use serval_model::SplitMix64;
use serval_net_proof::Claim;
use serval_soundness::nets::asked::ask;
use serval_soundness::nets::cases::{Kind, case};
use serval_soundness::nets::{alone, covered, families, mutants, obligations};
use serval_soundness::threads::in_order;
use serval_soundness::{Merge, Tally, merged};
use serval_testkit::say;
use serval_testkit::solvers::Outside;

/// What all questions of a sweep add to the tally.
fn tallied(sweep: &Sweep, one: impl Fn(u64, &mut Tally) + Sync) -> Tally {
    merged(sweep.map(0, |number| {
        let mut tally = Tally::default();
        one(number, &mut tally);
        tally
    }))
}

/// Questions of four kinds in turn: no answer is wrong, and each comes with evidence that is accepted.
#[test]
fn all_methods() {
    let sweep = sweep("reachability.all_methods", 100, 400);
    let tally = tallied(&sweep, |number, tally| {
        let outcome = ask(&case(Kind::of(number), 0, number), 5, &Cancel::new());
        assert_eq!(outcome.wrong, None);
        let name = outcome.answer.map_or_else(|| "undecided".to_owned(), |answer| format!("{} {}", answer.method, answer.claim.word()));
        tally.count(name);
    });
    say(&format!("all methods: {tally:?}"));
    assert!(tally.of("undecided") <= 2 + sweep.count() / 100, "{tally:?}");
}

#[test]
fn the_decomposition_alone() {
    let sweep = sweep("reachability.alone", 120, 120);
    let tally = tallied(&sweep, |number, tally| {
        let case = case(Kind::of(number), 1, number);
        let known = ask(&case, 4, &Cancel::new()).answer.map(|answer| answer.claim == Claim::Reachable);
        alone::ask(&case, known, alone::ORDERS.len(), 100_000, tally).unwrap();
    });
    say(&format!("the decomposition alone: {tally:?}"));
    for used in ["with a value step", "with an arc step", "with a covering", "sliced, the same", "order 3, the same"] {
        assert!(!sweep.is_representative() || tally.of(used) > 0, "{used}: {tally:?}");
    }
}

#[test]
fn coverability_three_ways() {
    let sweep = sweep("reachability.coverability", 25, 100);
    let tally = tallied(&sweep, |number, tally| covered::ask(&case(Kind::Net, 2, number), 3, tally).unwrap());
    say(&format!("coverability: {tally:?}"));
}

/// Changed evidence of all kinds, and the obligations of what was not changed, which other solvers confirm where there
/// are any.
#[test]
fn changed_evidence_and_obligations() {
    let sweep = sweep("reachability.changed_evidence", 20, 60);
    let parts = sweep.map(0, |number| {
        let (mut tally, draw, mut scripts) = (Tally::default(), &mut SplitMix64::new(number ^ 3), Vec::new());
        let case = case(Kind::of(number), 3, number);
        for evidence in mutants::evidence(&case) {
            mutants::ask(&case, &evidence, 3, draw, &mut tally).unwrap();
            scripts.extend(obligations::scripts(&case.net, &case.goal, &evidence).unwrap().into_iter().take(3));
        }
        (tally, scripts)
    });
    let (mut tally, mut scripts) = (Tally::default(), Vec::new());
    for (part, more) in parts {
        tally.absorb(part);
        scripts.extend(more);
    }
    say(&format!("changed evidence: {tally:?}; {} obligations", scripts.len()));
    let there = |kind: &str| tally.iter().any(|(name, _)| name.starts_with(kind));
    assert!(!sweep.is_representative() || there("separator") && there("backward"), "{tally:?}");
    assert!(!sweep.is_representative() || scripts.len() as u64 * 2 > sweep.count(), "{}", scripts.len());
    side_by_side(&Outside::all(20_000), |outside| {
        let answers = outside.ask_all(scripts.iter().map(String::as_str), Duration::from_secs(300));
        assert!(answers.iter().all(|answer| answer == "unsat"), "{}: {answers:?}", outside.name);
    });
}

/// Nets that know their answers, the small ones.
#[test]
fn nets_that_know_their_answers() {
    if skips("reachability.families") {
        return;
    }
    let limit = Duration::from_secs(60);
    let questions = [families::doubling(1, false), families::doubling(2, false), families::multiplied(2), families::tested(0)];
    for known in questions.into_iter().flat_map(Result::unwrap) {
        let row = families::together(&known, limit);
        assert_eq!(row.answer.map(|answer| answer.0), Some(row.reachable), "{}", row.name);
    }
    for known in families::doubling(1, true).unwrap() {
        let row = families::alone(&known, limit);
        assert_eq!(row.answer.map(|answer| answer.0), Some(row.reachable), "{}", row.name);
    }
}

/// How many threads there are makes no difference.
#[test]
fn threads_make_no_difference() {
    let written = |number| {
        let outcome = ask(&case(Kind::of(number), 4, number), 3, &Cancel::new());
        outcome.answer.map(|answer| (answer.method, serde_json::to_string(&answer.evidence).unwrap()))
    };
    let count = sweep("reachability.threads", 20, 80).count();
    let one = in_order(1, count, written);
    assert!(one == in_order(2, count, written) && one == in_order(8, count, written));
}
