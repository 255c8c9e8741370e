//! What can always be reached again: certificates that only one condition refuses, and ones that are accepted.

use super::cases::{CYCLE, Case, DEAD, MOVE, SOURCE, STAY};
use crate::Condition;

/// A token that goes round, until it leaves for one of two cycles.
const BRANCHES: &str = "pl a (1)\npl b (0)\npl c (0)\npl d (0)\ntr t a -> a\ntr u a -> b\ntr v a -> c\ntr w b -> d\ntr x d -> b\n";

pub(super) const REFUSED: &[(Condition, bool, Case)] = &[
    // Homes are about all goals.
    (
        Condition::Goal,
        true,
        Case {
            net: CYCLE,
            property: "live",
            holds: true,
            evidence: r#""evidence":[{"goal":1,"evidence":{"homes":{"markings":[[0,1],[1,0]],"ranks":[1,0],"words":[[0,1]]}}}]"#,
        },
    ),
    (
        Condition::Complete,
        false,
        Case {
            net: CYCLE,
            property: "reversible",
            holds: false,
            evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[1,0],"words":[[]]}}"#,
        },
    ),
    // The list is not closed: the token may go for good.
    (
        Condition::StatesClosed,
        false,
        Case { net: STAY, property: "reversible", holds: true, evidence: r#"{"homes":{"markings":[[1,0]],"ranks":[0],"words":[[]]}}"# },
    ),
    (
        Condition::StatesInitial,
        false,
        Case { net: STAY, property: "reversible", holds: true, evidence: r#"{"homes":{"markings":[],"ranks":[],"words":[]}}"# },
    ),
    (
        Condition::HomesRanks,
        false,
        Case { net: MOVE, property: "reversible", holds: true, evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[],"words":[]}}"# },
    ),
    (
        Condition::HomesFalling,
        false,
        Case {
            net: MOVE,
            property: "reversible",
            holds: true,
            evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[1,0],"words":[[]]}}"#,
        },
    ),
    (
        Condition::HomesWords,
        true,
        Case {
            net: CYCLE,
            property: "reversible",
            holds: true,
            evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[1,0],"words":[[],[0]]}}"#,
        },
    ),
    (
        Condition::HomesGoal,
        false,
        Case { net: MOVE, property: "live", holds: true, evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[0,1],"words":[[]]}}"# },
    ),
    // A word that does not fire comes to anything.
    (
        Condition::RunTransition,
        true,
        Case {
            net: CYCLE,
            property: "live",
            holds: true,
            evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[1,0],"words":[[7,0]]}}"#,
        },
    ),
    (
        Condition::RunEnabled,
        true,
        Case {
            net: CYCLE,
            property: "live",
            holds: true,
            evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[1,0],"words":[[0,0]]}}"#,
        },
    ),
    // The run does not lead to where the token is gone.
    (
        Condition::RunEnabled,
        false,
        Case {
            net: CYCLE,
            property: "reversible",
            holds: false,
            evidence: r#"{"lost":{"word":[0,0],"evidence":{"states":{"markings":[[0,2],[1,1],[2,0]]}}}}"#,
        },
    ),
    // From there it can be reached.
    (
        Condition::StatesGoal,
        false,
        Case {
            net: CYCLE,
            property: "reversible",
            holds: false,
            evidence: r#"{"lost":{"word":[0],"evidence":{"states":{"markings":[[0,1],[1,0]]}}}}"#,
        },
    ),
    // Evidence inside is about what follows, not about what can be reached.
    (
        Condition::Claimed,
        false,
        Case { net: CYCLE, property: "reversible", holds: false, evidence: r#"{"lost":{"word":[0],"evidence":{"run":{"word":[1]}}}}"# },
    ),
];

pub(super) const ACCEPTED: &[Case] = &[
    Case { net: CYCLE, property: "live", holds: true, evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[1,0],"words":[[0]]}}"# },
    // Any marking can be a home, and several.
    Case {
        net: CYCLE,
        property: "reversible",
        holds: true,
        evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[0,0],"words":[[1],[]]}}"#,
    },
    Case { net: CYCLE, property: "live", holds: true, evidence: r#"{"homes":{"markings":[[0,1],[1,0]],"ranks":[0,7],"words":[[1,0]]}}"# },
    // Without transitions there is none that could be dead.
    Case { net: "pl a (1)\n", property: "live", holds: true, evidence: r#"{"homes":{"markings":[[1]],"ranks":[0],"words":[[]]}}"# },
    Case { net: "pl a (1)\n", property: "reversible", holds: true, evidence: r#"{"homes":{"markings":[[1]],"ranks":[0],"words":[[]]}}"# },
    Case { net: MOVE, property: "live", holds: false, evidence: r#"{"lost":{"word":[0],"evidence":{"states":{"markings":[[0,1]]}}}}"# },
    Case { net: MOVE, property: "live", holds: false, evidence: r#"{"lost":{"word":[0],"evidence":{"dead":{"places":[0]}}}}"# },
    Case { net: MOVE, property: "reversible", holds: false, evidence: r#"{"lost":{"word":[0],"evidence":{"dead":{"places":[0]}}}}"# },
    // Dead from the beginning.
    Case {
        net: DEAD,
        property: "live",
        holds: false,
        evidence: r#""evidence":[{"goal":1,"evidence":{"lost":{"word":[],"evidence":{"dead":{"places":[2]}}}}}]"#,
    },
    // One of two places to be lost in.
    Case {
        net: BRANCHES,
        property: "live",
        holds: false,
        evidence: r#""evidence":[{"goal":2,"evidence":{"lost":{"word":[[3,[0]],1],"evidence":{"states":{"markings":[[0,0,0,1],[0,1,0,0]]}}}}}]"#,
    },
    // Infinitely many markings.
    Case {
        net: SOURCE,
        property: "reversible",
        holds: false,
        evidence: r#"{"lost":{"word":[0],"evidence":{"equation":{"traps":[],"tree":TREE}}}}"#,
    },
];
