//! Reductions: certificates that only one condition refuses, and ones that are accepted.

use serval_budget::Budget;
use serval_petri::Formula;

use super::cases::{Case, DEAD, MOVE, SOURCE, STAY};
use crate::{Claim, Condition, Evidence, Refusal};

/// `u` does what `t` does and needs another token, which `w` makes; `v` changes nothing.
const ALIKE: &str = "pl a (1)\npl b (0)\npl c (0)\ntr t a -> b\ntr u a c -> b c\ntr v b -> b\ntr w b -> c\n";

pub(super) const REFUSED: &[(Condition, bool, Case)] = &[
    // A number that no node has, and numbers out of order.
    (
        Condition::ScriptNodes,
        true,
        Case {
            net: MOVE,
            property: "invariant:a <= 1",
            holds: true,
            evidence: r#"{"script":{"entries":[{"places":[7]}],"evidence":{"states":{"markings":[[0,1],[1,0]]}}}}"#,
        },
    ),
    (
        Condition::ScriptNodes,
        true,
        Case {
            net: "pl a (1)\ntr t a -> a\ntr u a -> a\n",
            property: "invariant:a <= 1",
            holds: true,
            evidence: r#"{"script":{"entries":[{"idle":[1,0]}],"evidence":{"states":{"markings":[[1]]}}}}"#,
        },
    ),
    (
        Condition::ScriptAsked,
        false,
        Case {
            net: MOVE,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"places":[1]}],"evidence":{"dead":{"places":[]}}}}"#,
        },
    ),
    (
        Condition::ScriptIdle,
        false,
        Case {
            net: MOVE,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"idle":[0]}],"evidence":{"states":{"markings":[[1,0]]}}}}"#,
        },
    ),
    // Each of two for the other.
    (
        Condition::ScriptLike,
        false,
        Case {
            net: "pl a (1)\npl b (0)\ntr t a -> b\ntr u a -> b\n",
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"like":[[0,1],[1,0]]}],"evidence":{"states":{"markings":[[1,0]]}}}}"#,
        },
    ),
    // The other does something else, and needs more.
    (
        Condition::ScriptLike,
        false,
        Case {
            net: STAY,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"like":[[1,0]]}],"evidence":{"states":{"markings":[[1,0]]}}}}"#,
        },
    ),
    (
        Condition::ScriptLike,
        false,
        Case {
            net: ALIKE,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"like":[[0,1]]}],"evidence":{"states":{"markings":[[1,0,0]]}}}}"#,
        },
    ),
    // A transition that is not there.
    (
        Condition::ScriptNodes,
        true,
        Case {
            net: "pl p (0)\ntr t p -> p\n",
            property: "invariant:p = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"idle":[1]}],"evidence":{"states":{"markings":[[0]]}}}}"#,
        },
    ),
    // Places that are not there.
    (
        Condition::ScriptNodes,
        true,
        Case {
            net: "pl p (0)\ntr t p -> p\n",
            property: "invariant:p = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[7]}],"evidence":{"states":{"markings":[[0]]}}}}"#,
        },
    ),
    // What is on a place in the beginning has no giver.
    (
        Condition::ScriptEmpty,
        false,
        Case {
            net: "pl p (1)\npl c (0)\ntr f p -> c\n",
            property: "invariant:c = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"pre":[0]}],"evidence":{"states":{"markings":[[0]]}}}}"#,
        },
    ),
    (
        Condition::ScriptEmpty,
        false,
        Case {
            net: "pl p (1)\npl c (0)\npl d (0)\ntr f p -> c\ntr u c -> d\n",
            property: "invariant:d = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[0]}],"evidence":{"states":{"markings":[[0,0]]}}}}"#,
        },
    ),
    // Each comes alone, and two are taken at once.
    (
        Condition::ScriptOne,
        true,
        Case {
            net: "pl a (1)\npl p (0)\npl c (0)\npl d (0)\ntr h a -> p\ntr f p*2 -> c\ntr u c -> d\n",
            property: "invariant:d <= 5",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[1]}],"evidence":{"states":{"markings":[[0,0,1],[0,1,0],[1,0,0]]}}}}"#,
        },
    ),
    // Two come at once, and each is taken alone.
    (
        Condition::ScriptOne,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl c (0)\npl d (0)\ntr h a -> p*2\ntr f p -> c\ntr u c*2 -> d\n",
            property: "invariant:d = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[1]}],"evidence":{"states":{"markings":[[0,1,0],[1,0,0]]}}}}"#,
        },
    ),
    // One transition gives to both places.
    (
        Condition::ScriptApart,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl q (0)\npl c (0)\npl d (0)\npl e (0)\ntr h a -> p q\ntr f p -> c\ntr g q -> d\ntr u c d -> e\n",
            property: "invariant:e = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[1,2]}],"evidence":{"states":{"markings":[[0,0,1,0],[0,1,0,0],[1,0,0,0]]}}}}"#,
        },
    ),
    // The taker waits for another token, and the giver gives another.
    (
        Condition::ScriptAlone,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl q (0)\npl b (0)\npl c (0)\ntr h a -> p b\ntr f p q -> c\n",
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[1]}],"evidence":{"states":{"markings":[[1,0,0,0]]}}}}"#,
        },
    ),
    (
        Condition::ScriptAlone,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl q (0)\npl b (0)\npl c (0)\ntr h a -> p b\ntr f p q -> c\n",
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"pre":[1]}],"evidence":{"states":{"markings":[[1,0,0,0]]}}}}"#,
        },
    ),
    // Nothing takes.
    (
        Condition::ScriptTaken,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl b (0)\ntr h a -> p b\n",
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[1]}],"evidence":{"states":{"markings":[[1,0]]}}}}"#,
        },
    ),
    // Between giving and taking.
    (
        Condition::ScriptAsked,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl b (0)\ntr h a -> p\ntr f p -> b\n",
            property: "invariant:a + b >= 1",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[1]}],"evidence":{"states":{"markings":[[0,1],[1,0]]}}}}"#,
        },
    ),
    (
        Condition::ScriptAsked,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl b (0)\ntr h a -> p\ntr f p -> b\n",
            property: "invariant:a + b >= 1",
            holds: true,
            evidence: r#"{"script":{"entries":[{"pre":[1]}],"evidence":{"states":{"markings":[[0,1],[1,0]]}}}}"#,
        },
    ),
    (
        Condition::ScriptAsked,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl b (0)\ntr h a -> p\ntr f p -> b\n",
            property: "invariant:p = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"post":[1]}],"evidence":{"states":{"markings":[[0,1],[1,0]]}}}}"#,
        },
    ),
    // Who gives takes what another needs to go on.
    (
        Condition::ScriptConflict,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl q (0)\npl c (0)\ntr h a -> p\ntr f p q -> c\ntr t a -> a\n",
            property: "deadlock-free",
            holds: true,
            evidence: r#"{"script":{"entries":[{"pre":[1]}],"evidence":{"states":{"markings":[[1,0,0]]}}}}"#,
        },
    ),
    // It never stops a transition, and it is asked for.
    (
        Condition::ScriptAsked,
        false,
        Case {
            net: "pl a (1)\npl p (0)\ntr t a -> a p\n",
            property: "invariant:p = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"implicit":[[1,1,[]]]}],"evidence":{"states":{"markings":[[1]]}}}}"#,
        },
    ),
    // Each of two for the other.
    (
        Condition::ScriptWeights,
        false,
        Case {
            net: "pl a (1)\npl p (0)\npl q (0)\ntr t a p q -> a p q\n",
            property: "deadlock-free",
            holds: true,
            evidence: r#"{"script":{"entries":[{"implicit":[[1,1,[[2,1]]],[2,1,[[1,1]]]]}],"evidence":{"states":{"markings":[[1]]}}}}"#,
        },
    ),
    // Its only token goes.
    (
        Condition::ScriptFalling,
        false,
        Case {
            net: "pl a (1)\npl p (1)\ntr t a p -> a\n",
            property: "deadlock-free",
            holds: true,
            evidence: r#"{"script":{"entries":[{"implicit":[[1,1,[]]]}],"evidence":{"states":{"markings":[[1]]}}}}"#,
        },
    ),
    // It never has one.
    (
        Condition::ScriptEnough,
        false,
        Case {
            net: "pl a (1)\npl p (0)\ntr t a p -> a p\n",
            property: "deadlock-free",
            holds: true,
            evidence: r#"{"script":{"entries":[{"implicit":[[1,1,[]]]}],"evidence":{"states":{"markings":[[1]]}}}}"#,
        },
    ),
    // The goal would be about no tokens of a place that no transition touches.
    (
        Condition::ScriptDivisor,
        false,
        Case {
            net: "pl p (0)\npl q (1)\ntr t p -> p\n",
            property: "invariant:q = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"divided":[[1,0]]}],"evidence":{"states":{"markings":[[0,1]]}}}}"#,
        },
    ),
    // Tokens come one by one, and go in pairs.
    (
        Condition::ScriptDivisor,
        false,
        Case {
            net: "pl s (2)\npl p (0)\npl b (0)\ntr t s -> p\ntr u p*2 -> b\n",
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"divided":[[1,2]]}],"evidence":{"states":{"markings":[[0,0,0],[1,0,0],[2,0,0]]}}}}"#,
        },
    ),
    // What is said to be dead fires.
    (
        Condition::BoundsGoal,
        false,
        Case {
            net: DEAD,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[{"dead":{"transitions":[0],"evidence":{"dead":{"places":[2]}}}}],"evidence":{"states":{"markings":[[1,0,0]]}}}}"#,
        },
    ),
    // Evidence inside is about what cannot be reached.
    (
        Condition::Claimed,
        false,
        Case {
            net: MOVE,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"script":{"entries":[],"evidence":{"run":{"word":[0]}}}}"#,
        },
    ),
];

pub(super) const ACCEPTED: &[Case] = &[
    Case {
        net: MOVE,
        property: "invariant:a <= 1",
        holds: true,
        evidence: r#"{"script":{"entries":[{"places":[1]}],"evidence":{"states":{"markings":[[0],[1]]}}}}"#,
    },
    Case {
        net: MOVE,
        property: "one-safe",
        holds: true,
        evidence: r#"{"script":{"entries":[],"evidence":{"states":{"markings":[[0,1],[1,0]]}}}}"#,
    },
    // Numbers are those of the net so far: without `u` and `v`, `w` is the second.
    Case {
        net: ALIKE,
        property: "invariant:a + b <= 1",
        holds: true,
        evidence: r#"{"script":{"entries":[{"like":[[1,0]]},{"idle":[1]},{"places":[2]}],"evidence":{"states":{"markings":[[0,0],[0,1],[1,0]]}}}}"#,
    },
    Case {
        net: DEAD,
        property: "invariant:c = 0",
        holds: true,
        evidence: r#"{"script":{"entries":[{"dead":{"transitions":[1],"evidence":{"dead":{"places":[2]}}}},{"places":[0,1]}],"evidence":{"states":{"markings":[[0]]}}}}"#,
    },
    // Infinitely many markings become one.
    Case {
        net: SOURCE,
        property: "invariant:b = 0",
        holds: true,
        evidence: r#"{"script":{"entries":[{"places":[0]},{"idle":[0]}],"evidence":{"states":{"markings":[[0]]}}}}"#,
    },
    // Two steps become one.
    Case {
        net: "pl a (1)\npl p (0)\npl b (0)\npl c (0)\ntr h a -> p\ntr f p -> b\ntr u b -> c\n",
        property: "invariant:a + c <= 1",
        holds: true,
        evidence: r#"{"script":{"entries":[{"post":[1]}],"evidence":{"states":{"markings":[[0,0,1],[0,1,0],[1,0,0]]}}}}"#,
    },
    Case {
        net: "pl a (1)\npl p (0)\npl q (0)\npl c (0)\ntr h a -> p\ntr f p q -> c\n",
        property: "invariant:c = 0",
        holds: true,
        evidence: r#"{"script":{"entries":[{"pre":[1]}],"evidence":{"states":{"markings":[[1,0,0]]}}}}"#,
    },
    Case {
        net: "pl a (1)\npl p (0)\ntr h a -> p\ntr f p -> a\n",
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"script":{"entries":[{"post":[1]}],"evidence":{"stubborn":{"markings":[[1]],"sets":[[0]]}}}}"#,
    },
    Case {
        net: "pl a (1)\npl p (0)\ntr h a -> p\ntr f p -> a\n",
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"script":{"entries":[{"pre":[1]}],"evidence":{"stubborn":{"markings":[[1]],"sets":[[0]]}}}}"#,
    },
    // What is always there stops nothing, and nor does what another place has, too.
    Case {
        net: "pl a (1)\npl b (0)\npl s (1)\ntr t a s -> b s\ntr u b s -> a s\n",
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"script":{"entries":[{"implicit":[[2,1,[]]]}],"evidence":{"states":{"markings":[[0,1],[1,0]]}}}}"#,
    },
    Case {
        net: "pl a (2)\npl b (0)\npl s (3)\ntr t a s*2 -> b s\ntr u b -> a s\n",
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"script":{"entries":[{"implicit":[[2,1,[[0,1]]]]}],"evidence":{"states":{"markings":[[0,2],[1,1],[2,0]]}}}}"#,
    },
    // Heaps of two and of three, and one that is left over.
    Case {
        net: "pl a (5)\npl b (0)\ntr t a*2 -> b*3\n",
        property: "invariant:a + b <= 7",
        holds: true,
        evidence: r#"{"script":{"entries":[{"divided":[[0,2],[1,3]]}],"evidence":{"states":{"markings":[[0,2],[1,1],[2,0]]}}}}"#,
    },
    Case {
        net: "pl a (3)\ntr t a*2 -> a*2\n",
        property: "deadlock-free",
        holds: true,
        evidence: r#"{"script":{"entries":[{"divided":[[0,2]]}],"evidence":{"states":{"markings":[[1]]}}}}"#,
    },
    // A script after a run, and in another script.
    Case {
        net: MOVE,
        property: "live",
        holds: false,
        evidence: r#"{"lost":{"word":[0],"evidence":{"script":{"entries":[{"places":[1]}],"evidence":{"script":{"entries":[],"evidence":{"states":{"markings":[[0]]}}}}}}}}"#,
    },
];

/// A net of few arcs whose pairs of transitions would have too many is not made.
#[test]
fn pairs_without_measure_are_too_large() {
    let mut text = "pl a (1)\npl p (0)\npl b (0)\n".to_owned();
    for number in 0..2_000 {
        text.push_str(&format!("tr h{number} a -> p\ntr f{number} p -> b\n"));
    }
    let net = super::cases::net_of(&text);
    let evidence = Evidence::States(crate::States::default());
    let script = Evidence::Script(crate::Script { entries: vec![crate::LeftOut::Post(vec![1])], evidence: Box::new(evidence) });
    let refusal = crate::check(&net, &Formula::all([]), Claim::Unreachable, &script, &mut Budget::unlimited());
    assert!(matches!(refusal, Err(Refusal::TooLarge { .. })), "{refusal:?}");
}
