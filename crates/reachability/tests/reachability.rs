//! What the program `reachability` does at length, on a few questions. `SERVAL_COUNT` says how many, and `SERVAL_SEED` which.

use std::time::Duration;

use serval_budget::Cancel;
use serval_model::SplitMix64;
use serval_netproof::Claim;
use serval_reachability::asked::ask;
use serval_reachability::cases::{Kind, case};
use serval_reachability::clock::in_order;
use serval_reachability::{Tally, alone, count, covered, families, mutants, obligations};
use serval_testkit::say;
use serval_testkit::solvers::Outside;

fn number(variable: &str, or: u64) -> u64 {
    std::env::var(variable).map_or(or, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

/// 400 questions, 100 of each kind: no answer is wrong, and each comes with evidence that is accepted.
#[test]
fn all_methods() {
    let (asked, seed) = (number("SERVAL_COUNT", 400), number("SERVAL_SEED", 0));
    let mut tally = Tally::new();
    for outcome in in_order(2, asked, |number| ask(&case(Kind::of(number), seed, number), 5, &Cancel::new())) {
        assert_eq!(outcome.wrong, None);
        let name = outcome.answer.map_or_else(|| "undecided".to_owned(), |answer| format!("{} {}", answer.method, answer.claim.word()));
        count(&mut tally, name);
    }
    say(&format!("all methods: {tally:?}"));
    assert!(tally.get("undecided").copied().unwrap_or(0) * 100 <= asked, "{tally:?}");
}

#[test]
fn the_decomposition_alone() {
    let (asked, seed) = (number("SERVAL_COUNT", 120), number("SERVAL_SEED", 0));
    let mut tally = Tally::new();
    for number in 0..asked {
        let case = case(Kind::of(number), seed ^ 1, number);
        let known = ask(&case, 4, &Cancel::new()).answer.map(|answer| answer.claim == Claim::Reachable);
        alone::ask(&case, known, alone::ORDERS.len(), 100_000, &mut tally).unwrap();
    }
    say(&format!("the decomposition alone: {tally:?}"));
    for used in ["with a value step", "with an arc step", "with a covering", "sliced, the same", "order 3, the same"] {
        assert!(tally.get(used).is_some_and(|&often| often > 0), "{used}: {tally:?}");
    }
}

#[test]
fn coverability_three_ways() {
    let mut tally = Tally::new();
    for number in 0..number("SERVAL_COUNT", 100) {
        covered::ask(&case(Kind::Net, 2, number), 3, &mut tally).unwrap();
    }
    say(&format!("coverability: {tally:?}"));
}

/// Changed evidence of all kinds, and the obligations of what was not changed, which other solvers confirm where there are any.
#[test]
fn changed_evidence_and_obligations() {
    let (mut tally, draw, mut scripts) = (Tally::new(), &mut SplitMix64::new(3), Vec::new());
    for number in 0..number("SERVAL_COUNT", 60) {
        let case = case(Kind::of(number), 3, number);
        for evidence in mutants::evidence(&case) {
            mutants::ask(&case, &evidence, 3, draw, &mut tally).unwrap();
            scripts.extend(obligations::scripts(&case.net, &case.goal, &evidence).unwrap().into_iter().take(3));
        }
    }
    say(&format!("changed evidence: {tally:?}; {} obligations", scripts.len()));
    assert!(tally.keys().any(|name| name.starts_with("separator")) && tally.keys().any(|name| name.starts_with("backward")), "{tally:?}");
    assert!(scripts.len() > 50, "{}", scripts.len());
    for outside in Outside::all(20_000) {
        let answers = outside.ask_all(scripts.iter().map(String::as_str), Duration::from_secs(300));
        assert!(answers.iter().all(|answer| answer == "unsat"), "{}: {answers:?}", outside.name);
    }
}

/// Nets that know their answers, the small ones.
#[test]
fn nets_that_know_their_answers() {
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
    let one = in_order(1, 80, written);
    assert!(one == in_order(2, 80, written) && one == in_order(8, 80, written));
}
