//! Systems whose parts are proved by themselves.

use serval_budget::Cancel;
use serval_engine::portfolio::{Found, Method, Plan, decide};
use serval_model::{NetworkSystem, systems_to_json};
use serval_proof::{Body, Caps, Certificate, Claim, Part, Systems, check, fingerprint};
use serval_random::{Behaviours, parted};

/// The proof of a system, which the checker accepts; none where there is none.
fn proof(system: &NetworkSystem, methods: &[Method], percent: u64) -> Option<Part> {
    let cancel = Cancel::new();
    let plan = Plan { rounds: 1, percent, ..Plan::new(methods, &cancel) };
    let Found::Serializable(parts, _) = decide(&[system], 0, &plan).found else { return None };
    let [part] = <[Part; 1]>::try_from(parts).unwrap();
    let text = systems_to_json(std::slice::from_ref(system));
    let body = Body::Part(part.clone());
    let certificate = Certificate { input: fingerprint(&text), component: 0, claim: Claim::Serializable, body };
    assert_eq!(Certificate::from_json(&certificate.to_json()).unwrap(), certificate);
    check(&Systems { text: &text, systems: vec![system] }, &certificate, &Caps::default(), &cancel).unwrap();
    Some(part)
}

/// With reductions alone most systems come to the place where parts are looked for.
#[test]
fn parts_of_random_systems_are_found_and_proved() {
    let sweep = serval_effort::sweep("engine.parts", 150, 20_000);
    let mut in_parts = 0_u64;
    for seed in sweep.seeds(0) {
        let (system, _) = parted(seed);
        let Some(part) = proof(&system, &[Method::Reduce, Method::Flow], 25) else { continue };
        in_parts += u64::from(matches!(part, Part::Shared(_)));
        if let Some(few) = Behaviours::of(&system, 300_000) {
            assert!(few.is_serializable(), "seed {seed}\n{}", system.to_json());
        }
    }
    assert!(!sweep.is_representative() || in_parts * 200 > sweep.count(), "{in_parts} of {}", sweep.count());
}
