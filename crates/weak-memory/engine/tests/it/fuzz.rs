//! Engine and checker against trying everything, on some random programs of each kind.
//!
//! `cargo bench --bench weak_memory` tries many thousands.

use serval_effort::{Sweep, sweep};

use crate::weak::{Counts, KINDS};

fn compared(name: &str, sweep: &Sweep) -> Counts {
    let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
    let mut counts = Counts::new();
    for (what, count) in sweep.map(0, |seed| (kind.compare)(seed..seed + 1)).into_iter().flatten() {
        *counts.entry(what).or_default() += count;
    }
    serval_testkit::say(&format!("{name}: {counts:?}"));
    assert_eq!(counts["programs"], sweep.count());
    counts
}

/// Each of these is seen in at least one of so many programs.
fn seen(counts: &Counts, of: u64, what: &[&str], sweep: &Sweep) {
    for &what in what.iter().filter(|_| sweep.is_representative()) {
        assert!(counts.get(what).is_some_and(|count| count * of >= sweep.count()), "{what}: {counts:?}");
    }
}

#[test]
fn final_states_and_robustness() {
    let sweep = sweep("tsoengine.straight", 80, 300);
    let counts = compared("straight", &sweep);
    // The programs are of all kinds, and robustness is more than the same final states.
    let kinds = ["robust", "not robust, same final states", "not robust, more final states", "bases accepted"];
    seen(&counts, 60, &kinds, &sweep);
}

#[test]
fn no_smaller_set_of_fences() {
    let sweep = sweep("tsoengine.fences", 80, 300);
    let counts = compared("fences", &sweep);
    seen(&counts, 60, &["one fence"], &sweep);
}

#[test]
fn loops_and_bounded_traces() {
    let sweep = sweep("tsoengine.loops", 80, 300);
    let counts = compared("loops", &sweep);
    let cycle = "not robust, and a trace with a cycle was found by trying";
    seen(&counts, 60, &["robust, traces tried up to a length", "robust, all traces tried", cycle], &sweep);
}

#[test]
fn any_number_of_copies() {
    let sweep = sweep("tsoengine.copies", 50, 300);
    let counts = compared("copies", &sweep);
    seen(&counts, 60, &["robust, all places together", "robust", "not robust"], &sweep);
    let often = |what: &str| counts.get(what).copied().unwrap_or(0);
    assert!(!sweep.is_representative() || often("undecided") * 5 < often("robust"), "{counts:?}");
}

#[test]
fn bounded_rounds() {
    let sweep = sweep("tsoengine.rounds", 40, 300);
    let counts = compared("rounds", &sweep);
    seen(&counts, 60, &["with fences or locked steps", "one round is not enough"], &sweep);
}

#[test]
fn equal_threads() {
    let sweep = sweep("tsoengine.alike", 50, 300);
    let counts = compared("alike", &sweep);
    let kinds = ["robust", "not robust", "reached under SC", "reached under TSO alone", "not reached", "in one order", "loops"];
    seen(&counts, 60, &kinds, &sweep);
    let fewer = counts["states in one order"] * 3 < counts["states in all orders"] * 2;
    assert!(!sweep.is_representative() || fewer, "{counts:?}");
}

#[test]
fn changed_certificates() {
    let sweep = sweep("tsoengine.mutants", 80, 300);
    let counts = compared("mutants", &sweep);
    // Few random programs are not robust, so that lists with buffers and violations are changed only where there are
    // thousands of programs.
    let parts = ["answers", "sc", "finals", "merged", "basis", "robust", "any", "any_sc", "fences"];
    let refused = parts.map(|part| format!("{part}, refused"));
    seen(&counts, 60, &refused.each_ref().map(String::as_str), &sweep);
}
