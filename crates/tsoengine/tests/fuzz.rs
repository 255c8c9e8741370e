//! Engine and checker against trying everything, on a few hundred random programs of each kind; the whole run is `cargo bench --bench weak_memory`.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod weak;

use weak::{Counts, KINDS};

/// How many programs of each kind.
const PROGRAMS: u64 = 300;

fn compared(name: &str) -> Counts {
    let programs = std::env::var("SERVAL_TSO_PROGRAMS").ok().and_then(|given| given.parse().ok()).unwrap_or(PROGRAMS);
    let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
    let counts = (kind.compare)(0..programs.min(kind.whole));
    serval_testkit::say(&format!("{name}: {counts:?}"));
    assert_eq!(counts["programs"], programs.min(kind.whole));
    counts
}

#[test]
fn final_states_and_robustness() {
    let counts = compared("straight");
    // The programs are of all kinds, and robustness is more than the same final states.
    for what in ["robust", "not robust, same final states", "not robust, more final states", "bases accepted"] {
        assert!(counts[what] > 5, "{counts:?}");
    }
}

#[test]
fn no_smaller_set_of_fences() {
    let counts = compared("fences");
    assert!(counts["one fence"] > 5 && counts["two fences"] > 2, "{counts:?}");
}

#[test]
fn loops_and_bounded_traces() {
    let counts = compared("loops");
    assert!(counts["robust, traces tried up to a length"] > 5 && counts["robust, all traces tried"] > 5, "{counts:?}");
    assert!(counts["not robust, and a trace with a cycle was found by trying"] > 5, "{counts:?}");
}

#[test]
fn any_number_of_copies() {
    let counts = compared("copies");
    assert!(counts["robust, all places together"] > 5, "{counts:?}");
    assert!(
        counts["robust"] > 5 && counts["not robust"] > 5 && counts.get("undecided").copied().unwrap_or(0) * 5 < counts["robust"],
        "{counts:?}"
    );
}

#[test]
fn bounded_rounds() {
    let counts = compared("rounds");
    assert!(counts["with fences or locked steps"] > 5 && counts["one round is not enough"] > 5, "{counts:?}");
}

#[test]
fn equal_threads() {
    let counts = compared("alike");
    for what in ["robust", "not robust", "reached under SC", "reached under TSO alone", "not reached", "in one order", "loops"] {
        assert!(counts[what] > 5, "{what}: {counts:?}");
    }
    assert!(counts["states in one order"] * 3 < counts["states in all orders"] * 2, "{counts:?}");
}

#[test]
fn changed_certificates() {
    let counts = compared("mutants");
    // Few random programs are not robust, so that violations are changed in the whole run only.
    for part in ["answers", "sc", "tso", "finals", "merged", "basis", "robust", "any", "any_sc", "fences"] {
        let refused = format!("{part}, refused");
        assert!(counts.get(refused.as_str()).copied().unwrap_or(0) > 5, "{refused}: {counts:?}");
    }
}
