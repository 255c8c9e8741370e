//! The certificate in the manual is a certificate.

use serval_verify::{InputKind, Outcome};

use crate::support::{counterexample, read, verified};

#[test]
fn the_certificate_in_the_manual_is_valid() {
    let manual = read("docs/src/certificates.md");
    let start = manual.find("{\"format\"").expect("the manual shows a certificate");
    let block = manual[start..].split("```").next().unwrap();
    let text = read("examples/lost-update.ser");
    let outcome = verified(&text, InputKind::Program, block);
    assert!(matches!(outcome, Outcome::Valid(_)), "{outcome:?}; it could be\n{}", counterexample(&text, 2, 10_000).unwrap().to_json());
    let line = outcome.line("examples/lost-update.ser", "certificate.json", &text);
    assert!(manual.contains(&line), "{line}");
}
