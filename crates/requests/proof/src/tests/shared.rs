//! Parts that few letters join.

use serval_model::NetworkSystem;

use super::scripts::{looks_serializable, system};
use super::support::{Case, condition, misread};
use crate::script::Entry;
use crate::shared::SharedProof;
use crate::{Certificate, Condition, Part};

fn script(text: &str) -> Part {
    Part::Atomic(serde_json::from_str::<Vec<Entry>>(text).unwrap())
}

fn case(system: NetworkSystem, touches: &[&[u32]], parts: Vec<Part>) -> Case {
    let touches = touches.iter().map(|parts| parts.to_vec()).collect();
    Case::proved(system, Part::Shared(Box::new(SharedProof { touches, parts })))
}

/// Bits `X` and `Y`: `a` turns one over and `b` the other, and `c` sets both to 0; all at once. Global states are `2X +
/// Y`.
fn bits() -> NetworkSystem {
    let mut steps = Vec::new();
    for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        steps.extend([[0, 2 * x + y, 3 + x, 2 * (1 - x) + y], [1, 2 * x + y, 5 + y, 2 * x + 1 - y]]);
        if (x, y) == (0, 0) {
            // Every request has a step, for the nodes to be where they are written.
            steps.push([2, 0, 7, 0]);
        } else {
            steps.push([2, 2 * x + y, 7, 0]);
        }
    }
    system(4, &["a!", "b!", "c!", "a/0", "a/1", "b/0", "b/1", "c/x"], &steps)
}

fn by_bits(touches: &[&[u32]]) -> Case {
    case(bits(), touches, vec![script("[]"), script("[]")])
}

/// Two parts that one letter joins.
pub(super) fn accepted() -> Case {
    by_bits(&[&[0], &[1], &[0, 1]])
}

/// `s` and `t` first move `X`, where `s` must come before `t`, and then `Y`, where `t` must come before `s`. What `a`
/// and `b` do never happens; it makes all values of the other variable alike. Global states are `4X + Y`.
fn crossed() -> NetworkSystem {
    let mut steps = Vec::new();
    for other in 0..4 {
        steps.extend([[0, other, 1, 4 + other], [2, 4 + other, 3, 8 + other]]);
        steps.extend([[1, 4 * other + 1, 6, 4 * other + 2], [3, 4 * other, 7, 4 * other + 1]]);
        steps.extend((0..3).flat_map(|to| [[4, 12 + other, 8, 4 * to + other], [5, 4 * other + 3, 9, 4 * other + to]]));
    }
    system(16, &["s!", "s", "t!", "t", "a!", "b!", "s/x", "t/x", "a/x", "b/x"], &steps)
}

/// `a` raises `X` and lowers it again; `c` answers only where `X` or `Y` is up, and only the first ever is. Global
/// states are `2X + Y`.
fn either() -> NetworkSystem {
    let steps =
        [[0, 0, 1, 2], [0, 1, 1, 3], [1, 2, 4, 0], [1, 3, 4, 1], [2, 1, 5, 0], [2, 3, 5, 2], [3, 1, 6, 1], [3, 2, 6, 2], [3, 3, 6, 3]];
    system(4, &["a!", "a", "b!", "c!", "a/x", "b/x", "c/x"], &steps)
}

/// Certificates that are refused for `condition` and for nothing else.
pub(super) fn violate(condition: Condition) -> Vec<Case> {
    match condition {
        Condition::SharedNumbers => vec![by_bits(&[&[0], &[1], &[1, 0]])],
        // The first part has `s` before `t`, and the second `t` before `s`.
        Condition::SharedForest => {
            let first = script(r#"[{"fold":[[1,5],[3,6]]},"pairs"]"#);
            let second = script(r#"["pairs",{"closure":{"relation":[[0,1],[2,3]],"points":[[0,0],[0,1],[2,0]]}},"pairs"]"#);
            vec![case(crossed(), &[&[0, 1], &[0, 1], &[0], &[1]], vec![first, second])]
        }
        // In each part `c` answers for some value of the other variable.
        Condition::SharedSerial => {
            let first = script(r#"["pairs",{"right":{"points":[[1,[1]]],"witnesses":[]}},"pairs"]"#);
            vec![case(either(), &[&[0], &[1], &[0, 1]], vec![first, script("[]")])]
        }
        _ => panic!("no case for {condition}"),
    }
}

#[test]
fn parts_that_one_letter_joins_are_accepted() {
    let case = accepted();
    assert_eq!(case.check(), Ok(()));
    assert!(looks_serializable(&case.system));
    let text = case.certificate.to_json();
    assert!(text.contains(r#""kind":"components","claim":"serializable","touches":["#), "{text}");
    assert_eq!(Certificate::from_json(&text).unwrap(), case.certificate);
}

#[test]
fn every_condition_keeps_a_false_claim_out() {
    for wanted in [Condition::SharedForest, Condition::SharedSerial] {
        assert!(violate(wanted).iter().all(|case| !looks_serializable(&case.system)), "{wanted}");
    }
}

#[test]
fn lists_that_are_none_are_refused() {
    let wrong: [&[&[u32]]; 6] =
        [&[], &[&[0], &[1]], &[&[0], &[1], &[0, 1], &[0]], &[&[0], &[1], &[0, 2]], &[&[0], &[1], &[0, 0]], &[&[0], &[u32::MAX], &[0, 1]]];
    for touches in wrong {
        assert_eq!(condition(&by_bits(touches).check()), Condition::SharedNumbers, "{touches:?}");
    }
    // One that touches nothing joins what it sets.
    assert_eq!(condition(&by_bits(&[&[0], &[1], &[]]).check()), Condition::SharedSerial);
    assert_eq!(condition(&by_bits(&[&[], &[1], &[0, 1]]).check()), Condition::SharedSerial);
    // Two answers are two letters.
    assert_eq!(condition(&by_bits(&[&[0, 1], &[1], &[0, 1]]).check()), Condition::SharedForest);
    assert_eq!(condition(&by_bits(&[&[0, 1], &[1], &[0]]).check()), Condition::SharedForest);
}

/// A request of which no part has a proof is no way round one.
#[test]
fn each_part_is_proved() {
    let mut case = accepted();
    for parts in [vec![], vec![script("[]")], vec![script("[]"), Part::Same(crate::same::Same { part: 1, ..Default::default() })]] {
        let touches = [vec![0], vec![1], vec![0, 1]].to_vec();
        case.certificate.body = crate::Body::Part(Part::Shared(Box::new(SharedProof { touches, parts })));
        let refused = condition(&case.check());
        assert!([Condition::SharedNumbers, Condition::SamePart].contains(&refused), "{refused}");
    }
}

#[test]
fn parts_of_parts_have_the_same_conditions() {
    let mut case = accepted();
    let inner = |touches: &[&[u32]]| {
        let touches = touches.iter().map(|parts| parts.to_vec()).collect();
        Part::Shared(Box::new(SharedProof { touches, parts: vec![script("[]")] }))
    };
    for (touches, answer) in [(&[&[0][..], &[0], &[0]], Ok(())), (&[&[0][..], &[0], &[1]], Err(Condition::SharedNumbers))] {
        let parts = vec![script("[]"), inner(touches)];
        let outer = SharedProof { touches: vec![vec![0], vec![1], vec![0, 1]], parts };
        case.certificate.body = crate::Body::Part(Part::Shared(Box::new(outer)));
        let text = case.certificate.to_json();
        assert_eq!(Certificate::from_json(&text).unwrap(), case.certificate);
        let checked = case.check();
        assert_eq!(if checked.is_ok() { Ok(()) } else { Err(condition(&checked)) }, answer);
    }
}

#[test]
fn a_split_has_exactly_its_fields() {
    let certificate = accepted().certificate;
    for (from, to) in [(r#""touches":"#, r#""script":[],"touches":"#), (r#""touches":["#, r#""touches":null,"x":["#), ("[0],", "[-1],")] {
        misread(&certificate, from, to);
    }
}
