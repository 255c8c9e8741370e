//! The rule of traces with a cycle.

use serval_budget::Budget;

use super::cases::{CYCLE, Case, FENCED, LONGER, ONE, RUN, Refused, SB, balanced, checked, longer, violated};
use super::lists::begun;
use crate::{Condition, HappensBefore, Violation, trace};

/// A cycle through what is written to one cell, and one through what is read from another thread.
const WRITTEN: &str = "memory x, y; thread P { x := 1; y := 1; } thread Q { y := 2; r := x; }";
const READ: &str = "memory x, y; thread P { x := 1; } thread Q { r := x; s := y; } thread R { y := 1; t := x; }";

fn accepted() -> Vec<Case> {
    let later = &longer()[0];
    vec![
        violated(SB, &RUN, &CYCLE),
        violated(SB, &[1, 1, 0, -1, 0, -2], &[0, 1, 2, 4]),
        violated(LONGER, &later.run, &later.cycle),
        violated(WRITTEN, &[1, 1, 0, 0, -1, -1, -2], &[0, 1, 2, 3]),
        violated(READ, &[2, 2, 0, -1, 1, 1, -3], &[0, 1, 2, 4, 5]),
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    let waiting = SB.replace("r := y;", "r := y; x := 2;");
    vec![
        (Condition::TraceLanded, violated(&waiting, &[0, 0, 0, 1, -2, 1, -1], &[0, 1, 3, 5])),
        (Condition::TraceCycle, violated(FENCED, &[], &[])),
        (Condition::TraceEdge, violated(ONE, &[0, -1, 1], &[0, 2])),
        // The other way round, and where all stores land at once.
        (Condition::TraceEdge, violated(SB, &RUN, &[4, 2, 1, 0])),
        (Condition::TraceEdge, violated(SB, &[0, -1, 0, 1, -2, 1], &[0, 2, 3, 5])),
        (Condition::RunStep, violated(SB, &[0, 0, 1, -2, 1, -1, 9], &CYCLE)),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn every_kind_of_edge_is_told() {
    let told = |(program, certificate): Case| {
        trace::explained(&program, certificate.violation.as_ref().unwrap(), &mut Budget::unlimited()).unwrap()
    };
    let all: Vec<Vec<HappensBefore>> = accepted().into_iter().map(told).collect();
    assert!(
        matches!(all[0][..], [HappensBefore::Program, HappensBefore::Conflict(_), HappensBefore::Program, HappensBefore::Conflict(_)]),
        "{all:?}"
    );
    assert!(
        matches!(all[3][..], [HappensBefore::Program, HappensBefore::Conflict(_), HappensBefore::Program, HappensBefore::Coherence(_)]),
        "{all:?}"
    );
    assert!(
        matches!(
            all[4][..],
            [
                HappensBefore::Program,
                HappensBefore::Conflict(_),
                HappensBefore::ReadsFrom(_),
                HappensBefore::Program,
                HappensBefore::Conflict(_)
            ]
        ),
        "{all:?}"
    );
}

#[test]
fn no_two_other_events_are_a_cycle() {
    for (first, second) in [(0, 1), (0, 2), (1, 2), (4, 4), (0, 3), (5, 9)] {
        let (program, mut certificate) = begun(SB);
        certificate.violation = Some(Violation { run: RUN.to_vec(), cycle: vec![first, second] });
        assert!(!checked(&program, &certificate), "{first} {second}");
    }
}
