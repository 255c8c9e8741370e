//! Looks that do not matter: programs in which they do, and proofs that leave them out.

use serval_proof::{Bounds, Condition, Owner, Reduction, Refusal};

use super::conditions::{checked, global, is_wrong, needs};

/// Builds an object that is not there. Who waits for the lock looks again.
fn build(first: &str, again: &str) -> String {
    let build = "yield; OBJECT := 1; yield; READY := 1; LOCK := 0; 5";
    format!(
        "var READY: 0..1\nvar OBJECT: 0..1\nvar LOCK: 0..1\nvar SEEN: 0..1\nrequest get {{ {first}; yield; if (LOCK == 1) {{ while (1) {{ 1 }} }}; LOCK := 1; yield; \
         if (READY == 0) {{ {build} }} else {{ {again} }} }}\nrequest seen {{ if (OBJECT == 0) {{ SEEN }} else {{ SEEN }} }}\nrequest mark {{ if (SEEN == 1) {{ SEEN := 1 }}; 0 }}\n"
    )
}

const FIRST: &str = "if (READY == 1) { return OBJECT }";
const AGAIN: &str = "LOCK := 0; OBJECT";

/// The points of the only request that waits are found one after the other: where it begins, without the lock, and with
/// it.
fn proof(text: &str, late: bool) -> Reduction {
    let ranges = ["READY", "OBJECT", "LOCK", "SEEN"].map(|name| (global(text, name), 0, 1));
    let owners = vec![Owner { global: global(text, "LOCK"), value: 1, points: vec![(3, 5)] }];
    let late = if late { vec![(1, 2, global(text, "READY"))] } else { Vec::new() };
    let known = vec![Bounds { variable: global(text, "READY"), low: 0, high: 0, points: vec![(4, 5)] }];
    Reduction { ranges: ranges.to_vec(), owners, late, known, ..Reduction::default() }
}

#[test]
fn one_looks_again() {
    let text = build(FIRST, AGAIN);
    assert!(!is_wrong(&text));
    assert_eq!(checked(&text, &proof(&text, true)), Ok(()));
    match checked(&text, &proof(&text, false)) {
        Err(Refusal::Invalid(why)) => assert_eq!(why.condition, Condition::ReductionExchange),
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_goes_on_answers_the_same() {
    let text = build(FIRST, "LOCK := 0; 7");
    needs(Condition::ReductionLate, &text, &proof(&text, true));
}

#[test]
fn who_goes_on_changes_the_same() {
    let text = build(FIRST, "LOCK := 0; SEEN := 1; OBJECT");
    needs(Condition::ReductionLate, &text, &proof(&text, true));
}

/// Who goes on could not have come back at once.
#[test]
fn who_goes_on_has_tested_the_same() {
    let text = build("if (READY == 1) { if (SEEN == 1) { return OBJECT }; while (1) { 1 } }", AGAIN);
    needs(Condition::ReductionLate, &text, &proof(&text, true));
}

/// What is divided by is tested; without the test it may be anything.
#[test]
fn nothing_fails_on_the_way() {
    let text = "var READY: 0..1 := 1\nvar X: 0..9\nrequest r { if (READY == 0) { return 0 }; x := 6 / READY; yield; if (READY == 0) { 0 } else { X := x; 0 } }\nrequest s { READY := 0; X }\n";
    let reduction = Reduction {
        ranges: vec![(global(text, "READY"), 0, 1), (global(text, "X"), 0, 6)],
        locals: vec![Bounds { variable: 0, low: 6, high: 6, points: vec![(2, 2)] }],
        late: vec![(1, 2, global(text, "READY"))],
        ..Reduction::default()
    };
    match checked(text, &reduction) {
        Err(Refusal::Invalid(why)) => assert_eq!(why.condition, Condition::ReductionLate),
        other => panic!("{other:?}"),
    }
}
