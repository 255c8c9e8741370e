//! What must hold of reading and checking certificates, whatever the text is.

use serval_budget::Cancel;
use serval_proof::{Certificate, Claim, FormatError, fingerprint};
use serval_verify::{Caps, InputError, InputKind, Outcome, verify};

/// Small inputs, and what is true of them. Certificates of every kind are
/// about one of them.
pub(crate) const INPUTS: [(&str, InputKind, Claim); 15] = [
    ("request save { seen := EDITS; yield; EDITS := (seen + 1) % 4 }", InputKind::Program, Claim::NotSerializable),
    (
        "request outgoing { OPEN := 1; yield; SENT := 1; 1 }
         request reply { if (SENT == 0) { return 0 }; if (OPEN == 1) { return 1 }; 2 }
         request probe { OPEN }",
        InputKind::Program,
        Claim::Serializable,
    ),
    (
        "request run_job { if (? or RUNNING == 1) { return 0 }; RUNNING := 1; yield; RUNNING := 0; 1 }
         request note { SEEN := 1 - SEEN }",
        InputKind::Program,
        Claim::Serializable,
    ),
    (
        r#"[{"initial_global": "I", "requests": [["flip", "a"], ["look", "c"]], "responses": [["b", "x"], ["d", "y"]],
             "transitions": [["a", "I", "a1", "I"], ["a", "J", "a1", "J"], ["a1", "I", "b", "J"], ["a1", "J", "b", "I"],
                 ["c", "I", "d", "I"], ["c", "J", "d", "J"]]},
            {"initial_global": "0", "requests": [["lock", "s"]], "responses": [["e", "ok"]],
             "transitions": [["s", "0", "t", "1"], ["t", "1", "t'", "1"], ["t'", "1", "e", "0"]]}]"#,
        InputKind::System,
        Claim::Serializable,
    ),
    (
        r#"{"initial_global": "0", "requests": [["inc", "start"]], "responses": [["done 0", "0"], ["done 1", "1"]],
            "transitions": [["start", "0", "read 0", "0"], ["start", "1", "read 1", "1"], ["read 0", "0", "done 0", "1"],
                ["read 0", "1", "done 0", "1"], ["read 1", "0", "done 1", "0"], ["read 1", "1", "done 1", "0"]]}"#,
        InputKind::System,
        Claim::NotSerializable,
    ),
    (
        r#"{"initial_global": "0", "requests": [["r", "s"]], "responses": [["e", "x"]],
            "transitions": [["s", "0", "m", "1"], ["m", "1", "m", "2"], ["m", "2", "e", "0"]]}"#,
        InputKind::System,
        Claim::Serializable,
    ),
    // Two requests that answer only together.
    (
        r#"{"initial_global": "0", "requests": [["r", "s"]], "responses": [["e", "x"]],
            "transitions": [["s", "0", "p", "1"], ["p", "1", "q", "2"], ["s", "1", "q", "3"], ["q", "3", "p", "4"], ["s", "2", "p", "5"],
                ["p", "5", "p", "3"], ["p", "4", "q", "5"], ["q", "5", "p", "4"], ["p", "4", "e", "6"], ["p", "6", "e", "7"],
                ["q", "3", "q", "8"], ["s", "2", "p", "3"]]}"#,
        InputKind::System,
        Claim::NotSerializable,
    ),
    (
        "request visit { yield; if (COUNT < 3) { COUNT := COUNT + 1 }; COUNT }
         request reset { COUNT := 0 }",
        InputKind::Program,
        Claim::Serializable,
    ),
    // Twice the same.
    (
        r#"[{"initial_global": "0", "requests": [["lock", "s"]], "responses": [["e", "ok"]],
             "transitions": [["s", "0", "t", "1"], ["t", "1", "t'", "1"], ["t'", "1", "e", "0"]]},
            {"initial_global": "0", "requests": [["hold", "s"]], "responses": [["e", "ok"]],
             "transitions": [["s", "0", "t", "1"], ["t", "1", "t'", "1"], ["t'", "1", "e", "0"]]}]"#,
        InputKind::System,
        Claim::Serializable,
    ),
    (
        r#"{"initial_global": "0", "requests": [["r", "s"], ["r", "t"]], "responses": [["e", "x"], ["f", "y"]],
            "transitions": [["s", "0", "t", "0"], ["s", "1", "e", "0"], ["t", "0", "f", "1"], ["t", "1", "f", "1"], ["t", "1", "s", "1"]]}"#,
        InputKind::System,
        Claim::Serializable,
    ),
    (
        r#"{"initial_global": "0", "requests": [["r", "s"], ["q", "t"]], "responses": [["e", "x"]],
            "transitions": [["s", "0", "e", "0"], ["s", "0", "s", "1"], ["s", "1", "e", "1"], ["t", "0", "e", "1"], ["t", "0", "t", "0"]]}"#,
        InputKind::System,
        Claim::Serializable,
    ),
    // Two request bodies that do the same with other rows, one of them common.
    (
        "var A[0..2]: 0..1 := 1 request shift(i: 0..1) { a := A[i]; A[i] := A[i + 1]; A[i + 1] := 0; a }",
        InputKind::Program,
        Claim::Serializable,
    ),
    // A lock with tickets, of which there are few.
    (
        "var X: 0..1 request swap { await (NEXT < 3); t := NEXT; NEXT := NEXT + 1; await (CALLED == t); x := X; yield; X := 1 - x; CALLED := CALLED + 1; x }",
        InputKind::Program,
        Claim::Serializable,
    ),
    // The second request fails, also if they come one at a time.
    ("var N: 0..1 request hit { N := N + 1; 0 }", InputKind::Program, Claim::Fault),
    // A request that leaves behind what it likes.
    (
        r#"{"initial_global": "0", "requests": [["a", "s"], ["b", "t"]], "responses": [["e", "x"], ["f", "z"]],
            "transitions": [["s", "0", "e", "0"], ["s", "0", "e", "1"], ["t", "1", "f", "1"]]}"#,
        InputKind::System,
        Claim::Serializable,
    ),
];

/// So little that a check takes no time worth mentioning.
const CAPS: Caps = Caps { bytes: 1 << 20, events: 1_000, requests: 20, submultisets: 1_000, ticks: 200_000 };

/// Whether a claim can be true where this is. What is strict is serializable, what is not serializable is not
/// strict, and only one of them fails.
fn agrees(claim: Claim, truth: Claim) -> bool {
    match claim {
        Claim::Strict => truth == Claim::Serializable,
        Claim::NotStrict | Claim::Safe => truth != Claim::Fault,
        claim => claim == truth,
    }
}

/// Checks one text against all inputs; says what came out for each.
pub(crate) fn check(text: &str) -> Result<Vec<Outcome>, FormatError> {
    let mut certificate = match Certificate::from_json(text) {
        Ok(certificate) => certificate,
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1, "{error:?}");
            assert!(error.line <= text.matches('\n').count() + 1, "{error:?} is no place in the text");
            assert!(!error.message.trim().is_empty() && !error.message.contains('\n'), "{error:?}");
            return Err(error);
        }
    };
    let written = certificate.to_json();
    assert_eq!(Certificate::from_json(&written).as_ref(), Ok(&certificate), "what was written is read as something else");
    let outcomes = INPUTS.map(|(input, kind, truth)| {
        // Whatever it was about: the rest is to be looked at, too.
        certificate.input = fingerprint(input);
        let outcome = verify(input, kind, &certificate.to_json(), &CAPS, &Cancel::new());
        let line = outcome.line("input", "certificate", input);
        assert!(!line.contains('\n') && line.len() < 10_000, "{line:?}");
        match &outcome {
            Outcome::Valid(valid) => assert!(agrees(valid.claim, truth), "{:?} proved of {input}", valid.claim),
            Outcome::Invalid(_) | Outcome::TooLarge(_) => {}
            Outcome::InputError(InputError::Certificate(error)) => panic!("what was written is not read: {error:?}"),
            // Without its states there is nothing that other certificates could be about.
            Outcome::InputError(_) if truth == Claim::Fault => {}
            Outcome::InputError(_) | Outcome::Unclosed(_) | Outcome::Cancelled => panic!("{line}"),
        }
        outcome
    });
    Ok(outcomes.into())
}
