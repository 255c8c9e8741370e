//! Proofs by cases on nets, on random systems: never one where brute force with up to four requests finds a violation.

use serval_engine::portfolio::Method;
use serval_soundness::requests::alone::{Sole, Tally, try_alone};
use serval_soundness::{Kind, Limit, merged};
use serval_testkit::say;

/// For one system.
const LIMIT: Limit = Limit::Looks(400_000);

#[test]
fn proofs_by_cases_are_never_wrong() {
    let sweep = serval_effort::sweep("soundness.cases", 76, 300);
    let sole = Sole::Portfolio(Method::Decompose);
    let parts = sweep.map(0, |number| {
        let (kind, mut tally) = (Kind::ALL[usize::try_from(number % 4).unwrap()], Tally::default());
        let outcome = try_alone(&[sole], kind, number / 4 + 1_000_000, LIMIT, &mut tally);
        assert!(outcome.is_ok(), "{outcome:?}");
        tally
    });
    let tally: Tally = merged(parts);
    for ((_, kind), figures) in &tally.figures {
        say(&format!("cases: {}: {figures:?}", kind.name()));
    }
    let figures = tally.of(sole);
    let enough = (figures.proved + figures.refuted) * 20 >= sweep.count() * 17;
    assert!(!sweep.is_representative() || enough, "it decides too little: {figures:?}");
}
