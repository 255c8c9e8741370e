//! Counterexamples of the examples are accepted; of the others there are none.

use serval_effort::{side_by_side, skips};
use serval_proof::{Action, Body, Certificate};
use serval_syntax::ExpectedVerdict;
use serval_verify::{InputKind, Outcome};

use crate::support::{condition, counterexample, read, root, verified};

fn examples() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| name.ends_with(".ser")).collect();
    names.sort();
    names
}

#[test]
fn examples_have_certificates_exactly_if_they_are_not_serializable() {
    if skips("verify.examples") {
        return;
    }
    let found = side_by_side(&examples(), |name| {
        let text = read(&format!("examples/{name}"));
        let expected = serval_syntax::analyze(&text).program.unwrap().expectation.map(|expectation| expectation.verdict);
        let Some(certificate) = counterexample(&text, 3, 20_000) else { return false };
        assert_ne!(expected, Some(ExpectedVerdict::Serializable), "{name}");
        let json = certificate.to_json();
        let outcome = verified(&text, InputKind::Program, &json);
        assert!(matches!(outcome, Outcome::Valid(_)), "{name}: {outcome:?}\n{json}");
        refused_when_changed(&text, &certificate, name);
        true
    });
    let valid = found.iter().filter(|found| **found).count();
    let none = found.len() - valid;
    assert!(valid >= 15 && none >= 10, "{valid} {none}");
}

/// Each event left out, and the text changed.
fn refused_when_changed(text: &str, certificate: &Certificate, name: &str) {
    let Body::Run(run) = &certificate.body else { panic!("not a run") };
    for event in 0..run.steps.len() {
        // A step that changes nothing may be left out.
        if matches!(&run.steps[event].action, Action::Step { from, to } if from == to) {
            continue;
        }
        let mut shorter = run.clone();
        shorter.steps.remove(event);
        let changed = Certificate { body: Body::Run(shorter), ..certificate.clone() };
        condition(&verified(text, InputKind::Program, &changed.to_json()));
    }
    let outcome = verified(&format!("{text}\n"), InputKind::Program, &certificate.to_json());
    assert_eq!(condition(&outcome), "input", "{name}");
}

#[test]
fn a_program_and_its_export_have_the_same_certificates() {
    let text = read("examples/lost-update.ser");
    let program = serval_syntax::analyze(&text).program.unwrap();
    let compiled = serval_compile::compile(&program, serval_compile::Options::default(), &serval_budget::Budget::unlimited()).unwrap();
    let system = serval_model::systems_to_json(&[compiled.components()[0].system().clone()]);
    let mut certificate = counterexample(&text, 2, 10_000).unwrap();
    assert_eq!(condition(&verified(&system, InputKind::System, &certificate.to_json())), "input");
    certificate.input = serval_proof::fingerprint(&system);
    assert!(matches!(verified(&system, InputKind::System, &certificate.to_json()), Outcome::Valid(_)));
}
