//! Separators that are accepted, and those that one condition alone refuses.

use super::cases::{Case, MOVE, SOURCE};
use crate::Condition;
use crate::separator::Atom;

/// Two modes: pairs in the first, single ones in the second.
const MODES: &str = "pl p (1)\npl q (0)\npl x (0)\ntr make p -> p x*2\ntr go p -> q\ntr odd q -> q x\n";
/// What is made needs the mode that was gone to.
const LATE: &str = "pl p (1)\npl q (0)\npl x (0)\ntr go p -> q\ntr make q -> q x\n";

const fn case(net: &'static str, property: &'static str, evidence: &'static str) -> Case {
    Case { net, property, holds: false, evidence }
}

pub(super) const REFUSED: &[(Condition, bool, Case)] = &[
    // A residue changes.
    (Condition::InductiveStep, false, case(SOURCE, "reachable:a = 1", r#"{"separator":{"clauses":[[[2,1,0,1]]],"steps":[],"tree":TREE}}"#)),
    // A bound does not make up for it.
    (
        Condition::InductiveStep,
        false,
        case(SOURCE, "reachable:a = 1", r#"{"separator":{"clauses":[[[2,1,0,1],[0,-1,1,1]],[[0,0,1,-1]]],"steps":[],"tree":TREE}}"#),
    ),
    // What is counted grows.
    (
        Condition::InductiveStep,
        false,
        case(MOVE, "reachable:b = 1", r#"{"separator":{"clauses":[[[0,0,2,-1]],[[0,0,1,-1,2,1]]],"steps":[],"tree":TREE}}"#),
    ),
    // Nothing changes the residue, but it was never so.
    (
        Condition::InductiveInitial,
        false,
        case("pl a (1)\npl b (0)\ntr t b -> b\n", "reachable:a = 1", r#"{"separator":{"clauses":[[[2,1,0,1]]],"steps":[],"tree":TREE}}"#),
    ),
    // Counts begin with 0.
    (
        Condition::InductiveInitial,
        false,
        case(MOVE, "reachable:b = 0", r#"{"separator":{"clauses":[[[0,-1,2,1]],[[0,0,1,1,2,-1]]],"steps":[],"tree":TREE}}"#),
    ),
    // There are no more places than those of the net and one for each transition.
    (
        Condition::InductivePlaces,
        true,
        case(MOVE, "reachable:a = 2", r#"{"separator":{"clauses":[[[0,0,3,1]],[[0,1,0,-1,1,-1]]],"steps":[],"tree":TREE}}"#),
    ),
    (
        Condition::InductiveNumber,
        true,
        case(MOVE, "reachable:a = 2", r#"{"separator":{"clauses":[[[0,1,0,-1,1,-1]]],"steps":[[0,1,[]]],"tree":TREE}}"#),
    ),
];

pub(super) const ACCEPTED: &[Case] = &[
    case(
        "pl a (1)\npl b (0)\ntr t a -> a b*2\n",
        "reaches:a = 1, b = 1",
        r#"{"separator":{"clauses":[[[2,1,1,1]]],"steps":[],"tree":TREE}}"#,
    ),
    // In the first mode there are pairs.
    case(
        MODES,
        "reachable:p = 1 and x = 1",
        r#"{"separator":{"clauses":[[[0,0,0,-1],[2,1,2,1]],[[0,1,0,-1,1,-1]]],"steps":[[0,2,[]]],"tree":TREE}}"#,
    ),
    // Negative factors, and three.
    case(
        "pl x (0)\npl y (0)\ntr t -> x*2 y*2\ntr u -> x*3\ntr v y*3 -> \n",
        "reaches:x = 1, y = 0",
        r#"{"separator":{"clauses":[[[3,-1,0,1,1,-1]],[[3,1,0,1,1,-1]]],"steps":[],"tree":TREE}}"#,
    ),
    // Nothing was made before it was gone.
    case(
        LATE,
        "reachable:p = 1 and x = 1",
        r#"{"separator":{"clauses":[[[0,0,4,-1],[0,-1,3,1]],[[0,1,0,-1,3,-1]],[[0,0,1,-1,3,1]],[[0,0,2,-1,4,1]]],"steps":[[0,1,[]]],"tree":TREE}}"#,
    ),
];

#[test]
fn atoms_are_lists() {
    for numbers in [vec![0, 5], vec![2, -1, 0, 1, 3, -2], vec![i64::MAX, i64::MIN]] {
        assert_eq!(Vec::<i64>::from(Atom::try_from(numbers.clone()).unwrap()), numbers);
    }
    for numbers in [vec![], vec![2], vec![-1, 0], vec![2, 0, 1], vec![0, 0, 1, 0], vec![0, 0, 1, 1, 1, 1], vec![0, 0, -1, 1]] {
        assert!(Atom::try_from(numbers.clone()).is_err(), "{numbers:?}");
    }
}
