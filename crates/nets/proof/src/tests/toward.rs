//! Stubborn sets for formulas: certificates that only one condition refuses, and ones that are accepted. By each part
//! of a set that is left out a marking is missed.

use serval_budget::Budget;
use serval_petri::{Constraint, Formula, Linear, PlaceId};

use super::cases::{Case, MOVE, net_of};
use super::switch::without;
use crate::{Claim, Condition, Evidence, Refusal, Rows, Toward, check};

/// Two lamps that go on, each by itself.
const LAMPS: &str = "pl a (1)\npl b (0)\npl c (1)\npl d (0)\ntr t a -> b\ntr u c -> d\n";
/// What makes `b` needs `a`, which is made of `c`.
const CHAIN: &str = "pl a (0)\npl b (0)\npl c (1)\ntr t a -> b\ntr u c -> a\n";
/// `g` takes from `c`, which `u` makes of `a`; `t` only looks at `a`, and has to come before.
const LOOK: &str = "pl a (1)\npl c (0)\npl e (0)\npl f (1)\npl g (0)\ntr h c -> g\ntr t a f -> a e\ntr u a -> c\n";

/// What is said to be out of reach, and is not.
const fn missed(net: &'static str, property: &'static str, evidence: &'static str) -> Case {
    Case { net, property, holds: false, evidence }
}

pub(super) const REFUSED: &[(Condition, bool, Case)] = &[
    (Condition::StatesInitial, false, missed(MOVE, "reachable:b >= 1", r#"{"toward":{"markings":[],"sets":[]}}"#)),
    (Condition::StatesClosed, false, missed(MOVE, "reachable:b >= 1", r#"{"toward":{"markings":[[1,0]],"sets":[[0]]}}"#)),
    (
        Condition::StatesPlaces,
        true,
        Case {
            net: MOVE,
            property: "reachable:b >= 2",
            holds: false,
            evidence: r#"{"toward":{"markings":[[0],[0,1],[1,0]],"sets":[[0],[0],[0]]}}"#,
        },
    ),
    (Condition::StubbornSets, false, missed(MOVE, "reachable:b >= 1", r#"{"toward":{"markings":[[1,0]],"sets":[]}}"#)),
    (
        Condition::StubbornSets,
        true,
        Case {
            net: MOVE,
            property: "reachable:b >= 2",
            holds: false,
            evidence: r#"{"toward":{"markings":[[0,1],[1,0]],"sets":[[0,1],[0]]}}"#,
        },
    ),
    // What has too few tokens waits for those that bring them.
    (Condition::StubbornWaiting, false, missed(CHAIN, "reachable:b >= 1", r#"{"toward":{"markings":[[0,0,1]],"sets":[[0]]}}"#)),
    // What fires may end what others only look at.
    (
        Condition::StubbornConflict,
        false,
        missed(LOOK, "reachable:e >= 1 and g >= 1", r#"{"toward":{"markings":[[0,1,0,1,0],[1,0,0,1,0]],"sets":[[1],[0,2]]}}"#),
    ),
    // A condition: its sum is too small, too large, or not the number, and then too small or too large.
    (Condition::TowardGoal, false, missed(MOVE, "reachable:b >= 1", r#"{"toward":{"markings":[[1,0]],"sets":[[]]}}"#)),
    (Condition::TowardGoal, false, missed(MOVE, "reachable:a <= 0", r#"{"toward":{"markings":[[1,0]],"sets":[[]]}}"#)),
    (Condition::TowardGoal, false, missed(MOVE, "reachable:b = 1", r#"{"toward":{"markings":[[1,0]],"sets":[[]]}}"#)),
    (Condition::TowardGoal, false, missed(MOVE, "reachable:a = 0", r#"{"toward":{"markings":[[1,0]],"sets":[[]]}}"#)),
    // All that helps, and not only some of it.
    (
        Condition::TowardGoal,
        false,
        missed(LAMPS, "reachable:b + d >= 2", r#"{"toward":{"markings":[[0,1,1,0],[1,0,1,0]],"sets":[[0],[0]]}}"#),
    ),
    // Of `and`, what helps one that holds is not enough.
    (Condition::TowardGoal, false, missed(LAMPS, "reachable:b <= 1 and d >= 1", r#"{"toward":{"markings":[[1,0,1,0]],"sets":[[]]}}"#)),
    // Of `or`, what helps one is not enough, wherever it stands.
    (
        Condition::TowardGoal,
        false,
        missed(LAMPS, "reachable:b >= 2 or d >= 1", r#"{"toward":{"markings":[[0,1,1,0],[1,0,1,0]],"sets":[[0],[0]]}}"#),
    ),
    (
        Condition::TowardGoal,
        false,
        missed(LAMPS, "reachable:a <= 1 and (b >= 2 or d >= 1)", r#"{"toward":{"markings":[[0,1,1,0],[1,0,1,0]],"sets":[[0],[0]]}}"#),
    ),
    // A marking of the goal is none of those that are looked at.
    (Condition::TowardGoal, false, missed(MOVE, "reachable:b >= 1", r#"{"toward":{"markings":[[0,1],[1,0]],"sets":[[0],[0]]}}"#)),
];

pub(super) const ACCEPTED: &[Case] = &[
    // Nothing helps, so that nothing is followed.
    missed(MOVE, "reachable:a + b >= 2", r#"{"toward":{"markings":[[1,0]],"sets":[[]]}}"#),
    Case { net: MOVE, property: "invariant:a + b <= 1", holds: true, evidence: r#"{"toward":{"markings":[[1,0]],"sets":[[]]}}"# },
    // What another lamp does is left out.
    missed(LAMPS, "reachable:b >= 2 and d >= 1", r#"{"toward":{"markings":[[0,1,1,0],[1,0,1,0]],"sets":[[0],[0]]}}"#),
    missed(LAMPS, "reachable:b >= 2 and (d >= 1 or c >= 1)", r#"{"toward":{"markings":[[0,1,1,0],[1,0,1,0]],"sets":[[0],[0]]}}"#),
    missed(CHAIN, "reachable:b >= 2", r#"{"toward":{"markings":[[0,0,1],[0,1,0],[1,0,0]],"sets":[[0,1],[0,1],[0]]}}"#),
    missed(LOOK, "reachable:e >= 2 and g >= 1", r#"{"toward":{"markings":[[0,1,0,1,0],[1,0,0,1,0],[1,0,1,0,0]],"sets":[[1],[1,2],[1]]}}"#),
];

/// Divisibility has no words: whatever changes the sum helps, in either direction.
#[test]
fn all_that_changes_a_sum_helps_with_divisibility() {
    let net = net_of("pl a (2)\npl b (0)\ntr t a -> b\n");
    for place in 0..2 {
        let expression = Linear::variable(PlaceId::try_from_index(place).unwrap());
        let goal = Formula::constraint(Constraint::NotDivisible { divisor: 2.try_into().unwrap(), expression });
        let toward = Toward { markings: Rows::from_iter([[2_u64, 0]]), sets: vec![Vec::new()] };
        let checked = || check(&net, &goal, Claim::Unreachable, &Evidence::Toward(toward.clone()), &mut Budget::unlimited());
        assert!(matches!(checked(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::TowardGoal));
        assert_eq!(without(Condition::TowardGoal, checked), Ok(()));
        assert!(goal.holds(&net.replay(&net.transitions().collect::<Vec<_>>()).unwrap()));
    }
}
