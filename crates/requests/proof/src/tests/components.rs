//! What a list of components must be for the theorems about it.

use serval_budget::{Budget, Cancel};
use serval_model::{NetworkSystem, completed_multisets, product, serial_multisets, systems_to_json};

use super::support::{Case, counter, lost_update};
use super::switch::without;
use crate::{Body, Caps, Certificate, Claim, Condition, Part, Refusal, Systems, check, fingerprint};

/// A request of this name that answers 0 or 1 as it likes.
fn free(request: &str) -> NetworkSystem {
    let text = r#"{"initial_global": "g", "requests": [["REQUEST", "free"]], "responses": [["0", "0"], ["1", "1"]],
        "transitions": [["free", "g", "0", "g"], ["free", "g", "1", "g"]]}"#;
    NetworkSystem::from_json(&text.replace("REQUEST", request)).unwrap()
}

/// The certificate of a case about several components.
fn beside(mut case: Case, beside: Vec<NetworkSystem>) -> Case {
    case.text = systems_to_json(&[vec![case.system.clone()], beside.clone()].concat());
    case.certificate.input = fingerprint(&case.text);
    case.beside = beside;
    case
}

/// Each component is one step for each request.
fn whole(requests: [&str; 2]) -> Case {
    let [one, other] = requests.map(free);
    let parts = vec![Part::Atomic(Vec::new()), Part::Atomic(Vec::new())];
    let certificate = Certificate { input: String::new(), component: 0, claim: Claim::Serializable, body: Body::Components(parts) };
    beside(Case { text: String::new(), system: one, beside: Vec::new(), certificate }, vec![other])
}

/// Certificates about components that share a request name.
pub(super) fn violate() -> Vec<Case> {
    vec![beside(lost_update(), vec![free("inc")]), beside(lost_update(), vec![free("other"), free("inc")]), whole(["q", "q"])]
}

#[test]
fn other_names_are_accepted() {
    for case in [beside(lost_update(), vec![free("other")]), beside(lost_update(), vec![free("other"), free("Inc")]), whole(["q", "r"])] {
        assert_eq!(case.check(), Ok(()));
        // The systems are given as they are, not read.
        let systems = std::iter::once(&case.system).chain(&case.beside).collect();
        assert_eq!(check(&Systems { text: &case.text, systems }, &case.certificate, &Caps::default(), &Cancel::new()), Ok(()));
    }
}

/// Two requests of a component both see 0, which one after the other they
/// cannot; but if the second is one of the other component, they can.
#[test]
fn a_shared_name_makes_a_refutation_false() {
    let case = &violate()[0];
    let whole = product(&[&case.system, &case.beside[0]], 1_000).unwrap();
    let budget = &mut Budget::unlimited();
    assert!(completed_multisets(&whole, 4, budget).unwrap().is_subset(&serial_multisets(&whole, 4, budget).unwrap()));
    assert!(!completed_multisets(&counter(), 2, budget).unwrap().is_subset(&serial_multisets(&counter(), 2, budget).unwrap()));
    assert_eq!(without(Condition::ComponentsRequests, || case.check()), Ok(()));
    let Err(Refusal::Invalid(rejection)) = case.check() else { panic!("accepted") };
    assert_eq!((rejection.condition, rejection.object.as_str()), (Condition::ComponentsRequests.into(), "component 1"));
    assert!(rejection.message.contains("inc"), "{rejection}");
}

/// A component that no part is for, or a part for none.
#[test]
fn every_component_has_its_part() {
    for parts in [0, 1, 3] {
        let mut case = whole(["q", "r"]);
        case.certificate.body = Body::Components(vec![Part::Atomic(Vec::new()); parts]);
        assert!(matches!(case.check(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::PartsCover));
    }
    let mut case = whole(["q", "r"]);
    case.certificate.body = Body::Part(Part::Atomic(Vec::new()));
    assert!(matches!(case.check(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::PartsCover));
}
