//! Verdicts on random systems: a fixed budget of what `measure verdicts`
//! does at length.

use serval_model::NetworkSystem;
use serval_soundness::requests::systems::systems_of;
use serval_soundness::requests::verdicts::{Summary, try_planted, try_system};
use serval_soundness::{Limit, merged};
use serval_testkit::say;

/// For one system.
const LIMIT: Limit = Limit::Looks(20_000_000);

#[test]
fn random_systems_are_decided_rightly() {
    let sweep = serval_effort::sweep("soundness.verdicts", 300, 1_200);
    let parts = sweep.map(0, |number| {
        let mut summary = Summary::default();
        for system in systems_of(77, number) {
            let outcome = try_system(&system, LIMIT, &mut summary);
            assert!(outcome.is_ok(), "system {number}: {outcome:?}\n{}", system.to_json());
        }
        summary
    });
    let summary: Summary = merged(parts);
    let total = summary.total();
    let unknown = summary.count(|outcome| outcome.verdict == "unknown");
    let by_flow = summary.count(|outcome| outcome.verdict == "serializable" && ["flow", "letters"].contains(&outcome.method));
    let large = summary.count(|outcome| outcome.requests >= 4);
    say(&format!(
        "verdicts: {total} random systems, {unknown} unknown, {by_flow} proved by counting, {large} refuted with 4 or more requests"
    ));
    if !sweep.is_representative() {
        return;
    }
    assert!(unknown <= 2 + total / 200, "{unknown} of {total}");
    assert!(by_flow * 10 >= total, "{by_flow} of {total}");
    assert!(large * 20 >= total, "{large} of {total}");
}

#[test]
fn planted_counterexamples_are_found() {
    serval_effort::sweep("soundness.planted", 8, 24).each(0, |number| {
        let requests = 5 + u32::try_from(number % 4).unwrap();
        let outcome = try_planted(requests, number / 4, LIMIT, &mut Summary::default());
        assert!(outcome.is_ok(), "{outcome:?}");
    });
}

/// Systems that were once decided wrongly.
#[test]
fn what_went_wrong_before() {
    // Called serializable: going back from the end, a request at an initial
    // node that steps land on was taken for one that had not begun.
    let text = r#"{"initial_global": "g0", "requests": [["r0", "a"], ["r1", "b"]], "responses": [["a2", "x"], ["b3", "x"]],
        "transitions": [["a", "g0", "a", "g1"], ["a", "g0", "a1", "g0"], ["a", "g1", "a", "g2"], ["a", "g1", "a1", "g1"],
            ["a", "g2", "a", "g0"], ["a", "g2", "a1", "g2"], ["a1", "g0", "a2", "g0"], ["a1", "g1", "a2", "g0"], ["a1", "g2", "a2", "g0"],
            ["b", "g0", "b'", "g0"], ["b", "g0", "b1", "g0"], ["b", "g1", "b'", "g1"], ["b", "g2", "b'", "g2"],
            ["b'", "g0", "b", "g0"], ["b'", "g0", "b1", "g0"], ["b'", "g1", "b", "g1"], ["b'", "g2", "b", "g2"],
            ["b1", "g0", "b2", "g0"], ["b1", "g1", "b2", "g1"], ["b1", "g2", "b2", "g2"], ["b2", "g0", "b3", "g1"]]}"#;
    let system = NetworkSystem::from_json(text).unwrap();
    let outcome = try_system(&system, LIMIT, &mut Summary::default()).unwrap();
    assert_eq!((outcome.verdict, outcome.requests), ("not-serializable", 4));
}
