//! Reductions: certificates that only one condition refuses, and ones that are accepted.

use super::cases::{Case, DEAD, MOVE, SOURCE, STAY};
use crate::Condition;

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
    // A script after a run, and in another script.
    Case {
        net: MOVE,
        property: "live",
        holds: false,
        evidence: r#"{"lost":{"word":[0],"evidence":{"script":{"entries":[{"places":[1]}],"evidence":{"script":{"entries":[],"evidence":{"states":{"markings":[[0]]}}}}}}}}"#,
    },
];
