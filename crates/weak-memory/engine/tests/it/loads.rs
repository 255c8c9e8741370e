//! Programs whose store buffers have no bound.

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, Method, decide, decide_by};
use serval_tso_proof::{By, Certificate, Claim, Model, Shown};

fn shown(text: &str, method: Method) -> (Certificate, Shown) {
    let program = serval_tso_program::read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    let limits = EngineLimits::default();
    let outcome = decide_by(method, &program, &limits, &mut Budget::unlimited()).unwrap_or_else(|fault| panic!("{text}\n{fault:?}"));
    let shown = outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    (outcome.certificate, shown)
}

/// Programs with a loop whose stores differ, so that no bound suffices and equal stores are not all; none of them is
/// robust, and none reaches what it asks for.
const UNBOUNDED: &[&str] = &[
    "memory x = 0, y = 0; thread L { loop { x := 1; x := 2; r := y; } } thread R { y := 1; s := x; } never L.r == 2;",
    "memory x = 0, y = 0, d = 0, f = 0;
        thread L { loop { x := 1; x := 2; r := y; if (r == 1) { break; } } d := 1; f := 1; }
        thread R { y := 1; s := x; a := f; assume a == 1; b := d; }
        exists R.b == 0;",
    // The loop may read its own stores, and the last of them is the newest.
    "memory x = 0, y = 0;
        thread L { loop { x := 1; x := 2; r := x; s := y; if (s == 1) { break; } } t := x; e: skip; }
        thread R { y := 1; a := x; x := 3; }
        never L@e && L.t == 1; never L@e && L.t == 2 && R.a == 0;",
];

#[test]
fn buffers_without_a_bound_are_decided() {
    for text in UNBOUNDED {
        for method in [Method::All, Method::LoadBuffers] {
            let (certificate, shown) = shown(text, method);
            assert_eq!((shown.robust, shown.tso[0]), (Some(false), Some(false)), "{text}");
            assert!(certificate.answers.iter().any(|answer| answer.model == Model::Tso && answer.claim == Claim::Unreachable(By::Basis)));
        }
        let (_, shown) = shown(text, Method::StoreBuffers);
        assert_eq!(shown.tso[0], None, "{text}");
    }
}

/// Fewer and fewer of the stores of the loop above are of use, and the first of them is seen.
#[test]
fn what_can_be_reached_in_such_a_program_is_found() {
    let text = "memory x = 0, y = 0; thread L { loop { x := 1; x := 2; r := y; } } thread R { y := 1; s := x; e: skip; } never L.r == 0 && R@e && R.s == 0 && L.r == 0; never R.s == 1;";
    let program = serval_tso_program::read(text).unwrap();
    let outcome = decide(&program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
    let shown = outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!(shown.tso, [Some(true), Some(true)]);
}
