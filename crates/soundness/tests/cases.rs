//! Proofs by cases on nets, on random systems: never one where brute force with up to four requests finds a violation.

use serval_engine::portfolio::Method;
use serval_soundness::alone::{Sole, Tally, try_alone};
use serval_soundness::{Kind, Limit};
use serval_testkit::say;

/// Systems, unless `SERVAL_CASES` says another number.
const SYSTEMS: u64 = 300;
/// For one system.
const LIMIT: Limit = Limit::Looks(400_000);

#[test]
fn proofs_by_cases_are_never_wrong() {
    let systems = std::env::var("SERVAL_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(SYSTEMS);
    let sole = Sole::Portfolio(Method::Decompose);
    let mut tally = Tally::default();
    for seed in 0..systems / 4 {
        for kind in Kind::ALL {
            let outcome = try_alone(&[sole], kind, seed.wrapping_add(1_000_000), LIMIT, &mut tally);
            assert!(outcome.is_ok(), "{outcome:?}");
        }
    }
    for ((_, kind), figures) in &tally.figures {
        say(&format!("cases: {}: {figures:?}", kind.name()));
    }
    let figures = tally.of(sole);
    assert!((figures.proved + figures.refuted) * 10 >= systems * 9, "it decides too little: {figures:?}");
}
