//! Each condition is needed: a certificate that only it refuses.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_petri::Property;

use super::cases::{CYCLE, Case, DEAD, LOCK, MOVE, SOURCE, STAY, TRAP, holds};
use super::switch::without;
use super::{covering, decompositions, homing, scripts, separators, toward};
use crate::{Claim, Condition, Evidence, Refusal, Run, check};

/// Refused by one condition alone. Where what the certificate claims is false, the condition is needed for the theorem;
/// where it is true, it keeps evidence well formed.
const REFUSED: &[(Condition, bool, Case)] = &[
    (Condition::Property, true, Case { net: MOVE, property: "invariant:zzz >= 0", holds: true, evidence: "\"evidence\":[]" }),
    (
        Condition::Goal,
        true,
        Case {
            net: MOVE,
            property: "reachable:b = 1",
            holds: true,
            evidence: r#""evidence":[{"goal":0,"evidence":{"run":{"word":[0]}}},{"goal":1,"evidence":{"run":{"word":[0]}}}]"#,
        },
    ),
    (Condition::Complete, false, Case { net: MOVE, property: "deadlock-free", holds: true, evidence: "\"evidence\":[]" }),
    (Condition::RunTransition, true, Case { net: MOVE, property: "reachable:a = 1", holds: true, evidence: r#"{"run":{"word":[7]}}"# }),
    (Condition::RunEnabled, false, Case { net: MOVE, property: "reachable:b = 2", holds: true, evidence: r#"{"run":{"word":[0,0]}}"# }),
    (Condition::RunEnabled, false, Case { net: MOVE, property: "reachable:b = 5", holds: true, evidence: r#"{"run":{"word":[[5,[0]]]}}"# }),
    (Condition::RunEnd, false, Case { net: MOVE, property: "reachable:b = 2", holds: true, evidence: r#"{"run":{"word":[0]}}"# }),
    (
        Condition::RunEnd,
        false,
        Case {
            net: DEAD,
            property: "quasi-live",
            holds: true,
            evidence: r#""evidence":[],"runs":{"words":[[0]],"ends":[[0,0,0],[1,0,1]]}"#,
        },
    ),
    (
        Condition::RunsWord,
        false,
        Case {
            net: DEAD,
            property: "quasi-live",
            holds: true,
            evidence: r#""evidence":[],"runs":{"words":[[0]],"ends":[[0,0,0],[1,1,0]]}"#,
        },
    ),
    (
        Condition::WeightsPlaces,
        false,
        Case {
            net: SOURCE,
            property: "invariant:a = 0",
            holds: true,
            evidence: r#"{"equation":{"traps":[],"weights":{"sums":[[[1,1],[0,1]]]},"tree":TREE}}"#,
        },
    ),
    (
        Condition::WeightsFalling,
        false,
        Case { net: SOURCE, property: "invariant:a = 0", holds: true, evidence: r#"{"weights":{"sums":[[[0,1]]]}}"# },
    ),
    (
        Condition::BoundsGoal,
        false,
        Case { net: MOVE, property: "safe:0", holds: true, evidence: r#"{"weights":{"sums":[[[0,1],[1,1]]]}}"# },
    ),
    (Condition::BoundsGoal, false, Case { net: DEAD, property: "invariant:b = 0", holds: true, evidence: r#"{"dead":{"places":[2]}}"# }),
    (Condition::DeadPlaces, true, Case { net: MOVE, property: "invariant:true", holds: true, evidence: r#"{"dead":{"places":[2]}}"# }),
    (Condition::DeadEmpty, false, Case { net: MOVE, property: "invariant:a = 0", holds: true, evidence: r#"{"dead":{"places":[0]}}"# }),
    (Condition::DeadSiphon, false, Case { net: MOVE, property: "invariant:b = 0", holds: true, evidence: r#"{"dead":{"places":[1]}}"# }),
    (
        Condition::TrapPlaces,
        false,
        Case { net: MOVE, property: "invariant:a >= 1", holds: true, evidence: r#"{"equation":{"traps":[[0,0]],"tree":TREE}}"# },
    ),
    (
        Condition::TrapClosed,
        false,
        Case { net: MOVE, property: "invariant:a >= 1", holds: true, evidence: r#"{"equation":{"traps":[[0]],"tree":TREE}}"# },
    ),
    (
        Condition::TrapMarked,
        false,
        Case { net: MOVE, property: "invariant:b >= 1", holds: true, evidence: r#"{"equation":{"traps":[[1]],"tree":TREE}}"# },
    ),
    (
        Condition::InductivePlaces,
        true,
        Case {
            net: MOVE,
            property: "invariant:a + b = 1",
            holds: true,
            evidence: r#"{"inductive":{"invariant":{"clauses":[[[-1,0,1,1,1]],[[1,0,-1,1,-1]],[[0,7,1]]],"steps":[]},"tree":TREE}}"#,
        },
    ),
    (
        Condition::InductiveInitial,
        false,
        Case {
            net: MOVE,
            property: "invariant:b >= 1",
            holds: true,
            evidence: r#"{"inductive":{"invariant":{"clauses":[[[-1,1,1]]],"steps":[]},"tree":TREE}}"#,
        },
    ),
    (
        Condition::InductiveInitial,
        false,
        Case {
            net: MOVE,
            property: "invariant:false",
            holds: true,
            evidence: r#"{"inductive":{"invariant":{"clauses":[[]],"steps":[]},"tree":TREE}}"#,
        },
    ),
    (
        Condition::InductiveNumber,
        true,
        Case {
            net: MOVE,
            property: "invariant:a <= 1",
            holds: true,
            evidence: r#"{"inductive":{"invariant":{"clauses":[[[1,0,-1]]],"steps":[[0,1,[]]]},"tree":TREE}}"#,
        },
    ),
    (
        Condition::InductiveNumber,
        true,
        Case {
            net: MOVE,
            property: "invariant:a <= 1",
            holds: true,
            evidence: r#"{"k-inductive":{"invariant":{"clauses":[[[1,0,-1]]],"steps":[[1,0,[]]]},"base":[],"step":TREE}}"#,
        },
    ),
    // A bound that falls, where nothing stops it.
    (
        Condition::InductiveStep,
        false,
        Case {
            net: MOVE,
            property: "invariant:a >= 1",
            holds: true,
            evidence: r#"{"inductive":{"invariant":{"clauses":[[[-1,0,1]]],"steps":[]},"tree":TREE}}"#,
        },
    ),
    // What is given is not enough.
    (
        Condition::InductiveStep,
        false,
        Case {
            net: "pl a (2)\ntr t a*2 -> a\n",
            property: "invariant:a >= 2",
            holds: true,
            evidence: r#"{"inductive":{"invariant":{"clauses":[[[-2,0,1]]],"steps":[]},"tree":TREE}}"#,
        },
    ),
    // What is given does not help where it counts against.
    (
        Condition::InductiveStep,
        false,
        Case {
            net: MOVE,
            property: "invariant:b <= 0",
            holds: true,
            evidence: r#"{"inductive":{"invariant":{"clauses":[[[0,1,-1]]],"steps":[]},"tree":TREE}}"#,
        },
    ),
    // One of two bounds falls.
    (
        Condition::InductiveStep,
        false,
        Case {
            net: STAY,
            property: "invariant:a >= 1",
            holds: true,
            evidence: r#"{"k-inductive":{"invariant":{"clauses":[[[-1,0,1],[-2,1,1]],[[1,0,-1,1,-1]]],"steps":[]},"base":[],"step":TREE}}"#,
        },
    ),
    (
        Condition::StatesPlaces,
        true,
        Case { net: MOVE, property: "one-safe", holds: true, evidence: r#"{"states":{"markings":[[0],[0,1],[1,0]]}}"# },
    ),
    (
        Condition::StatesInitial,
        false,
        Case { net: MOVE, property: "deadlock-free", holds: true, evidence: r#"{"states":{"markings":[]}}"# },
    ),
    (
        Condition::StatesClosed,
        false,
        Case { net: MOVE, property: "deadlock-free", holds: true, evidence: r#"{"states":{"markings":[[1,0]]}}"# },
    ),
    (
        Condition::StatesGoal,
        false,
        Case { net: MOVE, property: "deadlock-free", holds: true, evidence: r#"{"states":{"markings":[[0,1],[1,0]]}}"# },
    ),
    (
        Condition::StubbornGoal,
        false,
        Case {
            net: CYCLE,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"stubborn":{"markings":[[0,1],[1,0]],"sets":[[1],[0]]}}"#,
        },
    ),
    (
        Condition::StubbornSets,
        false,
        Case { net: MOVE, property: "deadlock-free", holds: true, evidence: r#"{"stubborn":{"markings":[[1,0]],"sets":[]}}"# },
    ),
    (
        Condition::StubbornSets,
        true,
        Case {
            net: CYCLE,
            property: "deadlock-free",
            holds: true,
            evidence: r#"{"stubborn":{"markings":[[0,1],[1,0]],"sets":[[1,2],[0]]}}"#,
        },
    ),
    // Another transition is enabled, and leads to a deadlock.
    (
        Condition::StubbornEnabled,
        false,
        Case {
            net: "pl a (1)\npl b (0)\npl c (0)\ntr t a -> b\ntr u c -> c\n",
            property: "deadlock-free",
            holds: true,
            evidence: r#"{"stubborn":{"markings":[[1,0,0]],"sets":[[1]]}}"#,
        },
    ),
    (
        Condition::StubbornEnabled,
        false,
        Case { net: MOVE, property: "deadlock-free", holds: true, evidence: r#"{"stubborn":{"markings":[[0,1],[1,0]],"sets":[[],[0]]}}"# },
    ),
    (
        Condition::StubbornConflict,
        false,
        Case { net: STAY, property: "deadlock-free", holds: true, evidence: r#"{"stubborn":{"markings":[[1,0]],"sets":[[0]]}}"# },
    ),
    (
        Condition::StubbornWaiting,
        false,
        Case {
            net: "pl a (1)\npl b (0)\npl c (1)\ntr t a -> a\ntr u a b -> \ntr v c -> b\n",
            property: "deadlock-free",
            holds: true,
            evidence: r#"{"stubborn":{"markings":[[1,0,1]],"sets":[[0,1]]}}"#,
        },
    ),
];

/// Accepted, and so true.
const ACCEPTED: &[Case] = &[
    Case { net: MOVE, property: "deadlock-free", holds: false, evidence: r#"{"run":{"word":[0]}}"# },
    Case { net: MOVE, property: "reachable:b = 1", holds: true, evidence: r#"{"run":{"word":[0]}}"# },
    Case { net: MOVE, property: "reachable:a = 1", holds: true, evidence: r#"{"run":{"word":[]}}"# },
    Case { net: MOVE, property: "invariant:a = 1", holds: false, evidence: r#"{"run":{"word":[[1,[0]]]}}"# },
    Case { net: MOVE, property: "safe:0", holds: false, evidence: r#"{"run":{"word":[[0,[0]]]}}"# },
    Case { net: CYCLE, property: "reaches:b = 1", holds: true, evidence: r#"{"run":{"word":[[5,[0,1]],0]}}"# },
    Case {
        net: MOVE,
        property: "no-dead-places",
        holds: true,
        evidence: r#""evidence":[],"runs":{"words":[[0]],"ends":[[0,0,0],[1,0,1]]}"#,
    },
    Case {
        net: CYCLE,
        property: "quasi-live",
        holds: true,
        evidence: r#""evidence":[{"goal":1,"evidence":{"run":{"word":[0]}}}],"runs":{"words":[[0],[]],"ends":[[0,1,0]]}"#,
    },
    Case { net: MOVE, property: "one-safe", holds: true, evidence: r#"{"weights":{"sums":[[[0,1],[1,1]]]}}"# },
    Case {
        net: MOVE,
        property: "stable-marking",
        holds: false,
        evidence: r#""evidence":[],"runs":{"words":[[0]],"ends":[[0,0,1],[1,0,1]]}"#,
    },
    Case { net: DEAD, property: "stable-marking", holds: true, evidence: r#""evidence":[{"goal":2,"evidence":{"dead":{"places":[2]}}}]"# },
    Case { net: CYCLE, property: "safe:2", holds: true, evidence: r#"{"weights":{"sums":[[],[[0,2],[1,2]],[[0,1],[1,1]]]}}"# },
    Case { net: MOVE, property: "reachable:b - a >= 2", holds: false, evidence: r#"{"weights":{"sums":[[[0,1],[1,1]]]}}"# },
    Case { net: SOURCE, property: "invariant:b = 0", holds: true, evidence: r#"{"weights":{"sums":[[[1,1]]]}}"# },
    Case { net: SOURCE, property: "invariant:b = 0", holds: true, evidence: r#"{"dead":{"places":[1]}}"# },
    Case { net: DEAD, property: "invariant:c = 0", holds: true, evidence: r#"{"dead":{"places":[2]}}"# },
    Case { net: DEAD, property: "quasi-live", holds: false, evidence: r#""evidence":[{"goal":1,"evidence":{"dead":{"places":[2]}}}]"# },
    Case { net: DEAD, property: "no-dead-places", holds: false, evidence: r#""evidence":[{"goal":2,"evidence":{"dead":{"places":[2]}}}]"# },
    Case { net: MOVE, property: "invariant:true", holds: true, evidence: r#"{"dead":{"places":[]}}"# },
    Case { net: MOVE, property: "invariant:a + b = 1", holds: true, evidence: r#"{"equation":{"traps":[],"tree":TREE}}"# },
    Case { net: CYCLE, property: "deadlock-free", holds: true, evidence: r#"{"equation":{"traps":[],"tree":TREE}}"# },
    Case { net: TRAP, property: "invariant:a + b >= 1", holds: true, evidence: r#"{"equation":{"traps":[[0,1]],"tree":TREE}}"# },
    Case {
        net: MOVE,
        property: "invariant:a = 1 and b = 0 or a = 0 and (b = 1 or a = 3)",
        holds: true,
        evidence: r#"{"equation":{"traps":[[0,1]],"weights":{"sums":[[[0,1],[1,1]]]},"tree":TREE}}"#,
    },
    // No bound falls.
    Case {
        net: MOVE,
        property: "invariant:a + b = 1",
        holds: true,
        evidence: r#"{"inductive":{"invariant":{"clauses":[[[-1,0,1,1,1]],[[1,0,-1,1,-1]]],"steps":[]},"tree":TREE}}"#,
    },
    // What is given is enough: a trap.
    Case {
        net: TRAP,
        property: "invariant:a + b >= 1",
        holds: true,
        evidence: r#"{"inductive":{"invariant":{"clauses":[[[-1,0,1,1,1]]],"steps":[]},"tree":TREE}}"#,
    },
    // Two clauses, each of which needs the other: l + x + y = 1 is left out, and who holds the lock has it alone.
    Case {
        net: LOCK,
        property: "invariant:x = 0 or y = 0",
        holds: true,
        evidence: r#"{"inductive":{"invariant":{"clauses":[[[0,3,-1],[0,4,-1]],[[0,2,-1],[0,3,-1]],[[0,2,-1],[0,4,-1]],[[1,2,-1]],[[1,3,-1]],[[1,4,-1]]],"steps":[[0,0,[]],[0,1,[]],[1,0,[]],[1,2,[]],[1,3,[]],[2,1,[]],[2,2,[]],[2,3,[]],[3,2,[]],[3,3,[]],[4,0,[]],[5,1,[]]]},"tree":TREE}}"#,
    },
    Case {
        net: MOVE,
        property: "invariant:a <= 1",
        holds: true,
        evidence: r#"{"k-inductive":{"invariant":{"clauses":[],"steps":[]},"base":[[]],"step":TREE}}"#,
    },
    // What becomes of the token takes two steps.
    Case {
        net: "pl a (1)\npl b (0)\npl c (0)\npl d (0)\ntr t a -> b\ntr u b -> a\ntr v c -> d\n",
        property: "invariant:d = 0",
        holds: true,
        evidence: r#"{"k-inductive":{"invariant":{"clauses":[[[0,2,-1]]],"steps":[]},"base":[[],[]],"step":TREE}}"#,
    },
    Case {
        net: CYCLE,
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"k-inductive":{"invariant":{"clauses":[],"steps":[]},"base":[[]],"step":TREE}}"#,
    },
    // Nothing can fire, so there are no longer runs.
    Case {
        net: "pl a (1)\n",
        property: "invariant:a = 1",
        holds: true,
        evidence: r#"{"k-inductive":{"invariant":{"clauses":[],"steps":[]},"base":[[]],"step":TREE}}"#,
    },
    Case {
        net: SOURCE,
        property: "reachable:b >= 1",
        holds: false,
        evidence: r#"{"inductive":{"invariant":{"clauses":[[[0,1,-1]]],"steps":[]},"tree":TREE}}"#,
    },
    Case {
        net: STAY,
        property: "invariant:a + b <= 1",
        holds: true,
        evidence: r#"{"k-inductive":{"invariant":{"clauses":[],"steps":[]},"base":[[],[]],"step":TREE}}"#,
    },
    Case { net: MOVE, property: "one-safe", holds: true, evidence: r#"{"states":{"markings":[[0,1],[1,0]]}}"# },
    // More than can be reached does no harm.
    Case { net: MOVE, property: "one-safe", holds: true, evidence: r#"{"states":{"markings":[[0,0],[0,1],[1,0]]}}"# },
    Case { net: CYCLE, property: "deadlock-free", holds: true, evidence: r#"{"states":{"markings":[[0,1],[1,0]]}}"# },
    Case { net: CYCLE, property: "reachable:a = b", holds: false, evidence: r#"{"states":{"markings":[[0,1],[1,0]]}}"# },
    Case { net: CYCLE, property: "deadlock-free", holds: true, evidence: r#"{"stubborn":{"markings":[[0,1],[1,0]],"sets":[[1],[0]]}}"# },
    Case {
        net: CYCLE,
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"stubborn":{"markings":[[0,1],[1,0]],"sets":[[0,1],[0,1]]}}"#,
    },
    Case {
        net: "pl a (1)\npl b (1)\ntr t a -> a\ntr u b -> b\n",
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"stubborn":{"markings":[[1,1]],"sets":[[0]]}}"#,
    },
    Case {
        net: "pl a (1)\npl b (0)\npl c (1)\ntr t a -> a\ntr u a b -> a\ntr v c -> b\n",
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"stubborn":{"markings":[[1,0,0],[1,0,1],[1,1,0]],"sets":[[0,1,2],[0,1,2],[0,1]]}}"#,
    },
    Case { net: STAY, property: "deadlock-free", holds: false, evidence: r#"{"run":{"word":[[1000000000000000000,[0]],1]}}"# },
];

#[test]
fn each_condition_alone_refuses_something() {
    let mut seen = BTreeSet::from([Condition::Input, Condition::Claimed]);
    for (condition, is_true, case) in REFUSED
        .iter()
        .chain(covering::REFUSED)
        .chain(decompositions::REFUSED)
        .chain(separators::REFUSED)
        .chain(homing::REFUSED)
        .chain(scripts::REFUSED)
        .chain(toward::REFUSED)
    {
        let name = format!("{condition}: {} of {}", case.property, case.net);
        match case.checked() {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, *condition, "{name}: {rejection}"),
            other => panic!("{name}: {other:?}"),
        }
        without(*condition, || case.checked()).unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
        if *condition != Condition::Property {
            assert_eq!(holds(&case.net(), case.property, 5) == case.holds, *is_true, "{name}");
        }
        seen.insert(*condition);
    }
    let own: BTreeSet<Condition> = Condition::ALL.iter().copied().filter(|condition| !matches!(condition, Condition::Tree(_))).collect();
    assert_eq!(own.difference(&seen).collect::<Vec<_>>(), Vec::<&Condition>::new());
}

#[test]
fn what_is_accepted_is_true() {
    assert!(ACCEPTED.len() >= REFUSED.len(), "{} accepted, {} refused", ACCEPTED.len(), REFUSED.len());
    for case in ACCEPTED
        .iter()
        .chain(covering::ACCEPTED)
        .chain(decompositions::ACCEPTED)
        .chain(separators::ACCEPTED)
        .chain(homing::ACCEPTED)
        .chain(scripts::ACCEPTED)
        .chain(toward::ACCEPTED)
    {
        case.checked().unwrap_or_else(|refusal| panic!("{} of {}: {refusal:?}", case.property, case.net));
        assert_eq!(holds(&case.net(), case.property, 5), case.holds, "{} of {}", case.property, case.net);
        let mut other = case.certificate();
        other.holds = !other.holds;
        let refusal = other.check(&case.net(), &mut Budget::unlimited()).unwrap_err();
        assert!(
            matches!(refusal, Refusal::Invalid(rejection) if rejection.condition == Condition::Complete),
            "{} of {}",
            case.property,
            case.net
        );
    }
}

#[test]
fn a_certificate_is_about_its_net() {
    let case = ACCEPTED[0];
    let mut certificate = case.certificate();
    certificate.net.replace_range(..1, "x");
    let checked = || certificate.check(&case.net(), &mut Budget::unlimited());
    assert!(matches!(checked(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::Input));
    assert_eq!(without(Condition::Input, checked), Ok(()));
}

#[test]
fn evidence_shows_what_it_can() {
    let net = super::cases::net_of(MOVE);
    let goal = &Property::NoDeadPlaces.goals(&net).unwrap()[0];
    let checked = || check(&net, goal, Claim::Unreachable, &Evidence::Run(Run::default()), &mut Budget::unlimited());
    assert!(matches!(checked(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::Claimed));
    assert_eq!(without(Condition::Claimed, checked), Ok(()));
}
