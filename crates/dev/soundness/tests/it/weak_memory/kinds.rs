//! Engine and checker against trying everything, on some random programs of each kind.
//!
//! `measure weak-memory` tries many thousands.

use serval_effort::{Sweep, sweep};

use serval_soundness::weak_memory::KINDS;
use serval_soundness::{Tally, merged};

fn compared(name: &str, sweep: &Sweep) -> Tally {
    let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
    let counts: Tally = merged(sweep.map(0, |seed| (kind.compare)(seed..seed + 1)));
    serval_testkit::say(&format!("{name}: {counts:?}"));
    assert_eq!(counts.of("programs"), sweep.count());
    counts
}

/// Each of these is seen in at least one of so many programs.
fn seen(counts: &Tally, of: u64, what: &[&str], sweep: &Sweep) {
    for &what in what.iter().filter(|_| sweep.is_representative()) {
        assert!(counts.of(what) * of >= sweep.count().max(1), "{what}: {counts:?}");
    }
}

#[test]
fn final_states_and_robustness() {
    let sweep = sweep("weak_memory.straight", 80, 300);
    let counts = compared("straight", &sweep);
    // The programs are of all kinds, and robustness is more than the same final states.
    let kinds = ["robust", "not robust, same final states", "not robust, more final states", "bases accepted"];
    seen(&counts, 60, &kinds, &sweep);
}

#[test]
fn no_smaller_set_of_fences() {
    let sweep = sweep("weak_memory.fences", 80, 300);
    let counts = compared("fences", &sweep);
    seen(&counts, 60, &["one fence"], &sweep);
}

#[test]
fn loops_and_bounded_traces() {
    let sweep = sweep("weak_memory.loops", 80, 300);
    let counts = compared("loops", &sweep);
    let cycle = "not robust, and a trace with a cycle was found by trying";
    seen(&counts, 60, &["robust, traces tried up to a length", "robust, all traces tried", cycle], &sweep);
}

#[test]
fn any_number_of_copies() {
    let sweep = sweep("weak_memory.copies", 50, 300);
    let counts = compared("copies", &sweep);
    seen(&counts, 60, &["robust, all places together", "robust", "not robust"], &sweep);
    assert!(!sweep.is_representative() || counts.of("undecided") * 5 < counts.of("robust"), "{counts:?}");
}

#[test]
fn bounded_rounds() {
    let sweep = sweep("weak_memory.rounds", 40, 300);
    let counts = compared("rounds", &sweep);
    seen(&counts, 60, &["with fences or locked steps", "one round is not enough"], &sweep);
}

#[test]
fn equal_threads() {
    let sweep = sweep("weak_memory.alike", 50, 300);
    let counts = compared("alike", &sweep);
    let kinds = ["robust", "not robust", "reached under SC", "reached under TSO alone", "not reached", "in one order", "loops"];
    seen(&counts, 60, &kinds, &sweep);
    let fewer = counts.of("states in one order") * 3 < counts.of("states in all orders") * 2;
    assert!(!sweep.is_representative() || fewer, "{counts:?}");
}

#[test]
fn changed_certificates() {
    let sweep = sweep("weak_memory.mutants", 80, 300);
    let counts = compared("mutants", &sweep);
    // Few random programs are not robust, so that lists with buffers and violations are changed only where there are
    // thousands of programs.
    let parts = ["answers", "sc", "finals", "merged", "basis", "robust", "any", "any_sc", "fences"];
    let refused = parts.map(|part| format!("{part}, refused"));
    seen(&counts, 60, &refused.each_ref().map(String::as_str), &sweep);
}
