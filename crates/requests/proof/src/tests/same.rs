//! Components that are said to be the same as others.

use serval_model::{NetworkSystem, systems_to_json};

use super::scripts::{looks_serializable, system};
use super::support::{Case, condition, misread};
use crate::same::Same;
use crate::script::Entry;
use crate::{Body, Certificate, Claim, Condition, Part, fingerprint};

/// `a` raises a flag and lowers it again; `b` answers only while it is up, which
/// serially it never is.
const FLAG: [[u32; 4]; 3] = [[0, 0, 1, 1], [1, 1, 3, 0], [2, 1, 4, 1]];
const FIRST: [&str; 5] = ["a!", "a", "b!", "a/x", "b/z"];
const SECOND: [&str; 5] = ["c!", "c", "d!", "c/x", "d/z"];

fn case(systems: Vec<NetworkSystem>, parts: Vec<Part>) -> Case {
    let text = systems_to_json(&systems);
    let input = fingerprint(&text);
    let certificate = Certificate { input, component: 0, claim: Claim::Serializable, body: Body::Components(parts) };
    let mut systems = systems.into_iter();
    Case { text, system: systems.next().unwrap(), beside: systems.collect(), certificate }
}

fn same(part: usize, globals: &[u32], nodes: &[u32]) -> Part {
    Part::Same(Same { part, globals: globals.to_vec(), nodes: nodes.to_vec() })
}

/// A system in which nothing ever happens, and another that is said to be the same.
fn dead_and(dead: NetworkSystem, other: NetworkSystem, same: Part) -> Case {
    case(vec![dead, other], vec![Part::Atomic(vec![Entry::Pairs]), same])
}

/// Certificates that are refused for `condition` and for nothing else.
pub(super) fn violate(condition: Condition) -> Vec<Case> {
    let all = [0, 1, 2, 3, 4];
    match condition {
        // Proofs that stand on themselves, or on each other.
        Condition::SamePart => vec![
            case(vec![system(2, &FIRST, &FLAG)], vec![same(0, &[0, 1], &all)]),
            case(vec![system(2, &FIRST, &FLAG), system(2, &SECOND, &FLAG)], vec![same(1, &[0, 1], &all), same(0, &[0, 1], &all)]),
        ],
        // With one global state for two, and one answer for two, `b` need not wait.
        Condition::SameMaps => {
            let short = system(1, &["a!", "a", "a/x"], &[[0, 0, 1, 0], [0, 0, 2, 0], [1, 0, 2, 0]]);
            let proof = Part::Atomic(vec![Entry::IdentityElimination(vec![(1, 2)]), Entry::Pairs]);
            vec![case(vec![short, system(2, &SECOND, &FLAG)], vec![proof, same(0, &[0, 0], &[0, 1, 0, 2, 2])])]
        }
        // The first begins where no request can make a step.
        Condition::SameInitial => {
            let dead = system(3, &FIRST, &[[0, 1, 1, 2], [1, 2, 3, 1], [2, 2, 4, 2]]);
            vec![dead_and(dead, system(3, &SECOND, &FLAG), same(0, &[1, 2, 0], &all))]
        }
        // In the first a request would have to be where none begins.
        Condition::SameNodes => {
            let steps = [[0, 2, 1, 2], [1, 0, 2, 1], [2, 1, 4, 0], [3, 1, 5, 1]];
            let dead = system(3, &["a!", "a", "a", "b!", "a/x", "b/z"], &steps);
            let alive = system(3, &["c!", "c!", "c", "d!", "c/x", "d/z"], &steps);
            vec![dead_and(dead, alive, same(0, &[0, 1, 2], &[0, 1, 2, 3, 4, 5]))]
        }
        // In the first no request can begin.
        Condition::SameSteps => {
            let dead = system(2, &FIRST, &[[0, 1, 1, 1], [1, 1, 3, 0], [2, 1, 4, 1]]);
            vec![dead_and(dead, system(2, &SECOND, &FLAG), same(0, &[0, 1], &all))]
        }
        _ => panic!("no case for {condition}"),
    }
}

/// A counter modulo 2 that is increased and looked at atomically, with its
/// parts numbered in two ways.
fn counters() -> Case {
    let one = system(2, &["a!", "b!", "a/x", "b/0", "b/1"], &[[0, 0, 2, 1], [0, 1, 2, 0], [1, 0, 3, 0], [1, 1, 4, 1]]);
    let other = system(2, &["c!", "d!", "c/0", "c/1", "d/x"], &[[0, 0, 2, 0], [0, 1, 3, 1], [1, 0, 4, 1], [1, 1, 4, 0]]);
    case(vec![one, other], vec![Part::Atomic(Vec::new()), same(0, &[0, 1], &[1, 0, 3, 4, 2])])
}

#[test]
fn a_map_between_components_is_accepted() {
    let case = counters();
    assert_eq!(case.check(), Ok(()));
    let text = case.certificate.to_json();
    assert!(text.contains(r#"{"kind":"same","part":0,"globals":[0,1],"nodes":[1,0,3,4,2]}"#), "{text}");
    assert_eq!(Certificate::from_json(&text).unwrap(), case.certificate);
}

#[test]
fn every_condition_keeps_a_false_claim_out() {
    for wanted in [Condition::SamePart, Condition::SameMaps, Condition::SameInitial, Condition::SameNodes, Condition::SameSteps] {
        for case in violate(wanted) {
            assert!(std::iter::once(&case.system).chain(&case.beside).any(|system| !looks_serializable(system)), "{wanted}");
        }
    }
}

#[test]
fn maps_that_are_none_are_refused() {
    let wrong: [(&[u32], &[u32]); 7] = [
        (&[0, 1], &[1, 0, 3, 4]),
        (&[0, 1], &[1, 0, 3, 4, 2, 5]),
        (&[0, 1], &[1, 0, 3, 4, 4]),
        (&[0, 1], &[1, 0, 3, 4, u32::MAX]),
        (&[0], &[1, 0, 3, 4, 2]),
        (&[0, 0], &[1, 0, 3, 4, 2]),
        (&[], &[]),
    ];
    for (globals, nodes) in wrong {
        let mut case = counters();
        case.certificate.body = Body::Components(vec![Part::Atomic(Vec::new()), same(0, globals, nodes)]);
        assert_eq!(condition(&case.check()), Condition::SameMaps, "{globals:?} {nodes:?}");
    }
    // The answers of the look are exchanged, and so not those of the states.
    let mut case = counters();
    case.certificate.body = Body::Components(vec![Part::Atomic(Vec::new()), same(0, &[0, 1], &[1, 0, 4, 3, 2])]);
    assert_eq!(condition(&case.check()), Condition::SameSteps);
    for part in [1, 2, usize::MAX] {
        case.certificate.body = Body::Components(vec![Part::Atomic(Vec::new()), same(part, &[0, 1], &[1, 0, 3, 4, 2])]);
        assert_eq!(condition(&case.check()), Condition::SamePart);
    }
    case.certificate.body = Body::Part(same(0, &[0, 1], &[0, 1, 2, 3, 4]));
    assert_eq!(condition(&case.check()), Condition::PartsCover);
}

#[test]
fn a_part_has_exactly_its_fields() {
    let certificate = counters().certificate;
    for (from, to) in [(r#""part":0,"#, ""), (r#""part":0"#, r#""part":0,"script":[]"#), (r#""part":0"#, r#""part":-1"#)] {
        misread(&certificate, from, to);
    }
    assert!(misread(&certificate, r#""globals":[0,1],"#, "").message.contains("`part`, `globals` and `nodes`"));
}
