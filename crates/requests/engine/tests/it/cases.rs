//! Systems that are proved by cases, refuted by them, or left open with a reason.

use serval_budget::{Cancel, StopReason};
use serval_case_proof::{Entry, check, entries};
use serval_engine::cases::{CaseOutcome, prove};
use serval_model::{NetworkSystem, NormalForm};
use serval_net_proof::{Equation, Evidence};
use serval_proof::{Caps, Work};

fn form(initial: &str, requests: &str, responses: &str, transitions: &str) -> NormalForm {
    let text = format!(
        r#"{{"initial_global": "{initial}", "requests": [{requests}], "responses": [{responses}], "transitions": [{transitions}]}}"#
    );
    NormalForm::new(&NetworkSystem::from_json(&text).expect("a system")).expect("few steps").0
}

/// By which evidence the cases of an accepted proof are excluded.
fn proved(form: &NormalForm, ticks: u64) -> Vec<Evidence> {
    let proof = match prove(form, ticks, &Cancel::new()) {
        CaseOutcome::Proof(proof) => proof,
        other => panic!("{other:?}"),
    };
    assert_eq!(check(form.clone(), &proof, &mut Work::new(&Caps::default(), &Cancel::new())), Ok(()));
    let evidence = entries(&proof.cases).expect("entries").into_iter().filter_map(|entry| match entry {
        Entry::Excluded(evidence) => Some(evidence),
        Entry::Split(_) => None,
    });
    evidence.collect()
}

/// Whether the marking equation alone is the evidence.
fn is_plain(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::Equation(Equation { traps, weights, unfed, .. }) if traps.is_empty() && unfed.is_empty() && weights.sums.is_empty())
}

/// `put` sets a variable and pauses, `get` reads it and pauses.
#[test]
fn the_marking_equation_excludes_most_cases() {
    let form = form(
        "0",
        r#"["put", "p"], ["get", "g"]"#,
        r#"["p done", "0"], ["g 0", "0"], ["g 1", "1"]"#,
        r#"["p", "0", "p mid", "1"], ["p", "1", "p mid", "1"], ["p mid", "1", "p done", "1"],
           ["g", "0", "g mid 0", "0"], ["g", "1", "g mid 1", "1"], ["g mid 0", "0", "g 0", "0"], ["g mid 0", "1", "g 0", "1"],
           ["g mid 1", "1", "g 1", "1"]"#,
    );
    let evidence = proved(&form, 2_000_000);
    assert!(evidence.iter().filter(|evidence| is_plain(evidence)).count() * 2 > evidence.len(), "{evidence:?}");
}

/// A step that needs what only it makes: the marking equation believes that it can be made.
#[test]
fn what_the_equation_does_not_see_other_evidence_excludes() {
    let form = form(
        "0",
        r#"["a", "a"]"#,
        r#"["a 0", "0"], ["a 1", "1"]"#,
        // Under 1 a request may go to `mid` and back to 0; but no request makes it 1 that was not at `mid` before.
        r#"["a", "0", "a 0", "0"], ["a", "1", "mid", "0"], ["mid", "0", "mid 2", "1"], ["mid 2", "1", "a 1", "0"], ["mid 2", "0", "a 1", "1"]"#,
    );
    let evidence = proved(&form, 2_000_000);
    assert!(evidence.iter().any(|evidence| !is_plain(evidence)), "{evidence:?}");
}

/// A lost update, and its run.
#[test]
fn a_run_that_is_not_serial_is_found() {
    let form = form(
        "0",
        r#"["inc", "start"]"#,
        r#"["done 0", "0"], ["done 1", "1"]"#,
        r#"["start", "0", "read 0", "0"], ["start", "1", "read 1", "1"], ["read 0", "0", "done 0", "1"], ["read 0", "1", "done 0", "1"],
           ["read 1", "0", "done 1", "0"], ["read 1", "1", "done 1", "0"]"#,
    );
    let CaseOutcome::Run(run) = prove(&form, 2_000_000, &Cancel::new()) else { panic!() };
    assert!(run.is_complete());
}

/// With hardly any ticks nothing is said, and why.
#[test]
fn few_ticks_are_a_reason() {
    let form = form("0", r#"["a", "a"]"#, r#"["a 0", "0"]"#, r#"["a", "0", "a 0", "0"]"#);
    for ticks in [0, 1, 3] {
        match prove(&form, ticks, &Cancel::new()) {
            CaseOutcome::Short(StopReason::Cancelled) | CaseOutcome::Ended(_) => panic!("{ticks}"),
            CaseOutcome::Short(_) | CaseOutcome::Proof(_) => {}
            CaseOutcome::Run(_) => panic!("a run"),
        }
    }
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(matches!(prove(&form, 2_000_000, &cancel), CaseOutcome::Short(_)));
}
