//! Tests of the checker.

mod conditions;
mod nets;

/// Switches one condition off.
pub(crate) mod switch {
    serval_evidence::switch!(crate::Condition);
}

use std::collections::BTreeMap;

use serval_budget::Cancel;
use serval_model::{NetworkSystem, NormalForm};
use serval_proof::{Body, Caps, CasesProof, Certificate, Checked, Part, Work};

/// A request that reads a counter and one that writes it back increased, modulo 2: with a pause between, or in one
/// step.
fn counter(pauses: bool) -> NetworkSystem {
    let steps = if pauses {
        r#"["start", "0", "read 0", "0"], ["start", "1", "read 1", "1"], ["read 0", "0", "done 0", "1"], ["read 0", "1", "done 0", "1"],
           ["read 1", "0", "done 1", "0"], ["read 1", "1", "done 1", "0"]"#
    } else {
        r#"["start", "0", "done 0", "1"], ["start", "1", "done 1", "0"]"#
    };
    let text = format!(
        r#"{{"initial_global": "0", "requests": [["inc", "start"]], "responses": [["done 0", "0"], ["done 1", "1"]], "transitions": [{steps}]}}"#
    );
    NetworkSystem::from_json(&text).unwrap()
}

fn form(system: &NetworkSystem) -> NormalForm {
    NormalForm::new(system).unwrap().0
}

/// The proof for the counter without pauses, as `serval check --method decompose` wrote it.
fn proof() -> CasesProof {
    match Certificate::from_json(include_str!("tests/counter.certificate.json")).unwrap().body {
        Body::Part(Part::Cases(proof)) => *proof,
        other => panic!("{other:?}"),
    }
}

fn check(form: &NormalForm, proof: &CasesProof) -> Checked {
    crate::check(form.clone(), proof, &mut Work::new(&Caps::default(), &Cancel::new()))
}

/// How often something occurs in a list.
fn tally<'a>(words: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut tally = BTreeMap::new();
    words.for_each(|word| *tally.entry(word).or_default() += 1);
    tally
}
