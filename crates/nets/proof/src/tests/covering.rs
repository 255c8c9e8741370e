//! Evidence for any number of tokens: what only one condition refuses, and what is accepted.

use super::cases::{CYCLE, Case, DEAD, FED, LOCK, MOVE, SOURCE};
use crate::Condition;

/// Refused by one condition alone, and whether what is claimed is true all the same.
pub(super) const REFUSED: &[(Condition, bool, Case)] = &[
    (
        Condition::CoverPlaces,
        true,
        Case { net: MOVE, property: "invariant:a <= 1", holds: true, evidence: r#"{"cover":{"markings":[[1,0],[0,1],[0]]}}"# },
    ),
    (
        Condition::CoverInitial,
        false,
        Case { net: MOVE, property: "invariant:b = 0", holds: true, evidence: r#"{"cover":{"markings":[]}}"# },
    ),
    (
        Condition::CoverClosed,
        false,
        Case { net: MOVE, property: "invariant:b = 0", holds: true, evidence: r#"{"cover":{"markings":[[1,0]]}}"# },
    ),
    // ω is more than every number, and what is given to a number counts.
    (Condition::CoverClosed, false, Case { net: SOURCE, property: "safe:1", holds: true, evidence: r#"{"cover":{"markings":[[1,0]]}}"# }),
    (
        Condition::CoverGoal,
        false,
        Case { net: MOVE, property: "invariant:b = 0", holds: true, evidence: r#"{"cover":{"markings":[[1,0],[0,1]]}}"# },
    ),
    (Condition::CoverGoal, false, Case { net: SOURCE, property: "safe:3", holds: true, evidence: r#"{"cover":{"markings":[[null,0]]}}"# }),
    (
        Condition::CoverFinite,
        false,
        Case { net: SOURCE, property: "bounded", holds: true, evidence: r#"{"cover":{"markings":[[null,0]]}}"# },
    ),
    (
        Condition::BasisPlaces,
        true,
        Case { net: MOVE, property: "invariant:a <= 1", holds: true, evidence: r#"{"basis":{"markings":[[[0,2],[0,2]]]}}"# },
    ),
    (
        Condition::BasisInitial,
        false,
        Case { net: MOVE, property: "invariant:a = 0", holds: true, evidence: r#"{"basis":{"markings":[[[0,1]]]}}"# },
    ),
    (Condition::BasisGoal, false, Case { net: MOVE, property: "invariant:b = 0", holds: true, evidence: r#"{"basis":{"markings":[]}}"# }),
    (
        Condition::BasisClosed,
        false,
        Case { net: MOVE, property: "invariant:b = 0", holds: true, evidence: r#"{"basis":{"markings":[[[1,1]]]}}"# },
    ),
    // What weighs as much as in the beginning is not excluded.
    (
        Condition::BasisClosed,
        false,
        Case {
            net: MOVE,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"basis":{"markings":[[[1,1]]],"weights":{"sums":[[[0,1],[1,1]]]}}}"#,
        },
    ),
    (
        Condition::UnfedPlaces,
        true,
        Case { net: MOVE, property: "invariant:a <= 1", holds: true, evidence: r#"{"equation":{"traps":[],"unfed":[[7]],"tree":TREE}}"# },
    ),
    (
        Condition::UnfedEmpty,
        false,
        Case { net: MOVE, property: "invariant:b = 0", holds: true, evidence: r#"{"equation":{"traps":[],"unfed":[[0]],"tree":TREE}}"# },
    ),
    // What is excluded needs a reason that is one by itself.
    (
        Condition::UnfedEmpty,
        false,
        Case {
            net: MOVE,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"basis":{"markings":[],"excluded":[{"marking":[[1,1]],"equation":{"traps":[],"unfed":[[0]],"tree":TREE}}]}}"#,
        },
    ),
    (
        Condition::BasisPlaces,
        true,
        Case {
            net: MOVE,
            property: "invariant:a <= 1",
            holds: true,
            evidence: r#"{"basis":{"markings":[],"excluded":[{"marking":[[0,2],[0,2]],"equation":{"traps":[],"tree":TREE}}]}}"#,
        },
    ),
    // It excludes what is as large, and nothing else.
    (
        Condition::BasisGoal,
        false,
        Case {
            net: MOVE,
            property: "invariant:b = 0",
            holds: true,
            evidence: r#"{"basis":{"markings":[],"excluded":[{"marking":[[1,2]],"equation":{"traps":[],"tree":TREE}}]}}"#,
        },
    ),
    // A sum that grows excludes nothing.
    (
        Condition::WeightsFalling,
        false,
        Case {
            net: SOURCE,
            property: "invariant:a = 0",
            holds: true,
            evidence: r#"{"basis":{"markings":[],"weights":{"sums":[[[0,1]]]}}}"#,
        },
    ),
    (
        Condition::PumpRising,
        false,
        Case { net: CYCLE, property: "bounded", holds: false, evidence: r#"{"pump":{"steps":[{"pump":[0]}]}}"# },
    ),
    (
        Condition::PumpPlace,
        false,
        Case { net: SOURCE, property: "bounded:b", holds: false, evidence: r#"{"pump":{"steps":[{"pump":[0]}]}}"# },
    ),
    // It grows once.
    (Condition::PumpPlace, false, Case { net: MOVE, property: "bounded", holds: false, evidence: r#"{"pump":{"steps":[0]}}"# }),
    // What is repeated must fire.
    (
        Condition::RunEnabled,
        false,
        Case {
            net: "pl a (0)\npl b (0)\ntr t a -> a b\n",
            property: "bounded",
            holds: false,
            evidence: r#"{"pump":{"steps":[{"pump":[0]}]}}"#,
        },
    ),
    (
        Condition::BoundedWeights,
        false,
        Case { net: SOURCE, property: "bounded", holds: true, evidence: r#"{"weights":{"sums":[[[1,1]]]}}"# },
    ),
    (Condition::Claimed, false, Case { net: SOURCE, property: "bounded", holds: true, evidence: r#"{"dead":{"places":[1]}}"# }),
    (Condition::Claimed, true, Case { net: MOVE, property: "bounded", holds: true, evidence: r#"{"run":{"word":[0]}}"# }),
    // A way back is a way.
    (
        Condition::Claimed,
        false,
        Case { net: MOVE, property: "reaches:b = 1", holds: false, evidence: r#"{"backward":{"evidence":{"run":{"word":[0]}}}}"# },
    ),
    // Closed forwards is not closed backwards, and the list begins with the goal.
    (
        Condition::StatesClosed,
        false,
        Case {
            net: MOVE,
            property: "reaches:b = 1",
            holds: false,
            evidence: r#"{"backward":{"evidence":{"states":{"markings":[[0,1]]}}}}"#,
        },
    ),
    (
        Condition::StatesInitial,
        false,
        Case { net: MOVE, property: "reaches:b = 1", holds: false, evidence: r#"{"backward":{"evidence":{"states":{"markings":[]}}}}"# },
    ),
    (
        Condition::StatesGoal,
        false,
        Case {
            net: MOVE,
            property: "reaches:b = 1",
            holds: false,
            evidence: r#"{"backward":{"evidence":{"states":{"markings":[[0,1],[1,0]]}}}}"#,
        },
    ),
    // A place of which the goal says nothing may have had any number.
    (
        Condition::StatesClosed,
        false,
        Case {
            net: MOVE,
            property: "reachable:a = 0",
            holds: false,
            evidence: r#"{"backward":{"evidence":{"states":{"markings":[[0,0]]}}}}"#,
        },
    ),
    (
        Condition::CoverGoal,
        false,
        Case {
            net: SOURCE,
            property: "reachable:a = 2",
            holds: false,
            evidence: r#"{"backward":{"evidence":{"cover":{"markings":[[2,null]]}}}}"#,
        },
    ),
    (Condition::Complete, false, Case { net: SOURCE, property: "bounded", holds: true, evidence: "\"evidence\":[]" }),
    // A largest value needs both sides, each on its own.
    (
        Condition::Complete,
        false,
        Case { net: MOVE, property: "bound:b = 0", holds: true, evidence: r#""evidence":[{"goal":0,"evidence":{"run":{"word":[]}}}]"# },
    ),
    (
        Condition::Complete,
        false,
        Case {
            net: MOVE,
            property: "bound:b = 2",
            holds: true,
            evidence: r#""evidence":[{"goal":1,"evidence":{"weights":{"sums":[[[0,1],[1,1]]]}}}]"#,
        },
    ),
    (
        Condition::Complete,
        true,
        Case {
            net: MOVE,
            property: "bound:b = 2",
            holds: false,
            evidence: r#""evidence":[{"goal":1,"evidence":{"weights":{"sums":[[[0,1],[1,1]]]}}}]"#,
        },
    ),
    (
        Condition::Complete,
        false,
        Case { net: MOVE, property: "bound:b = 1", holds: false, evidence: r#""evidence":[{"goal":0,"evidence":{"run":{"word":[0]}}}]"# },
    ),
    (
        Condition::Complete,
        false,
        Case { net: MOVE, property: "bound:b = ω", holds: true, evidence: r#"{"weights":{"sums":[[[0,1],[1,1]]]}}"# },
    ),
    (
        Condition::Complete,
        false,
        Case { net: SOURCE, property: "bound:a = ω", holds: false, evidence: r#"{"pump":{"steps":[{"pump":[0]}]}}"# },
    ),
    (
        Condition::PumpPlace,
        false,
        Case { net: SOURCE, property: "bound:b = ω", holds: true, evidence: r#"{"pump":{"steps":[{"pump":[0]}]}}"# },
    ),
    // It must say which value it is.
    (Condition::Property, true, Case { net: SOURCE, property: "bound:a", holds: true, evidence: r#"{"pump":{"steps":[{"pump":[0]}]}}"# }),
    (
        Condition::Goal,
        true,
        Case {
            net: MOVE,
            property: "bounded",
            holds: true,
            evidence: r#""evidence":[{"goal":1,"evidence":{"cover":{"markings":[[1,0],[0,1]]}}}]"#,
        },
    ),
];

/// Accepted, and so true.
pub(super) const ACCEPTED: &[Case] = &[
    // Both sides are infinite forwards; backwards there is one marking.
    Case {
        net: "pl a (1)\npl b (0)\ntr t a -> a b*2\n",
        property: "reaches:a = 1, b = 1",
        holds: false,
        evidence: r#"{"backward":{"evidence":{"states":{"markings":[[1,1]]}}}}"#,
    },
    // The same for any number of `a`, and with ω.
    Case {
        net: "pl a (1)\npl b (0)\npl c (0)\ntr t a -> a b*2\ntr u c -> \n",
        property: "reachable:b = 1 and a = 1",
        holds: false,
        evidence: r#"{"backward":{"evidence":{"equation":{"traps":[],"tree":TREE}}}}"#,
    },
    Case {
        net: "pl a (1)\npl b (0)\ntr t -> b\ntr u a -> a b\n",
        property: "reaches:a = 0, b = 5",
        holds: false,
        evidence: r#"{"backward":{"evidence":{"cover":{"markings":[[0,5]]}}}}"#,
    },
    Case {
        net: "pl a (1)\npl b (0)\ntr t -> b\ntr u a -> a b\n",
        property: "reachable:a = 0",
        holds: false,
        evidence: r#"{"backward":{"evidence":{"cover":{"markings":[[0,null]]}}}}"#,
    },
    Case { net: MOVE, property: "one-safe", holds: true, evidence: r#"{"cover":{"markings":[[1,0],[0,1]]}}"# },
    Case { net: MOVE, property: "one-safe", holds: true, evidence: r#"{"cover":{"markings":[[1,0],[0,0],[0,1]]}}"# },
    Case { net: MOVE, property: "reachable:a = 1 and b = 1", holds: false, evidence: r#"{"cover":{"markings":[[0,1],[1,0]]}}"# },
    Case { net: SOURCE, property: "coverable:b = 1", holds: false, evidence: r#"{"cover":{"markings":[[null,0]]}}"# },
    Case { net: SOURCE, property: "coverable:a = 2", holds: true, evidence: r#"{"run":{"word":[[3,[0]]]}}"# },
    Case { net: SOURCE, property: "bounded:b", holds: true, evidence: r#"{"cover":{"markings":[[null,0]]}}"# },
    Case { net: MOVE, property: "bounded", holds: true, evidence: r#"{"cover":{"markings":[[1,0],[0,1]]}}"# },
    Case { net: MOVE, property: "bounded:a + 3*b", holds: true, evidence: r#"{"weights":{"sums":[[[0,1],[1,1]]]}}"# },
    Case { net: CYCLE, property: "bounded", holds: true, evidence: r#"{"states":{"markings":[[0,1],[1,0]]}}"# },
    Case {
        net: MOVE,
        property: "bound:a + 2*b = 2",
        holds: true,
        evidence: r#""evidence":[{"goal":0,"evidence":{"run":{"word":[0]}}},{"goal":1,"evidence":{"cover":{"markings":[[1,0],[0,1]]}}}]"#,
    },
    Case { net: MOVE, property: "bound:b = 0", holds: false, evidence: r#""evidence":[{"goal":1,"evidence":{"run":{"word":[0]}}}]"# },
    Case {
        net: MOVE,
        property: "bound:b = 2",
        holds: false,
        evidence: r#""evidence":[{"goal":0,"evidence":{"weights":{"sums":[[[0,1],[1,1]]]}}}]"#,
    },
    Case { net: SOURCE, property: "bound:b + 2*a = omega", holds: true, evidence: r#"{"pump":{"steps":[{"pump":[0]}]}}"# },
    Case { net: SOURCE, property: "bound:b = ω", holds: false, evidence: r#"{"cover":{"markings":[[null,0]]}}"# },
    Case { net: SOURCE, property: "bounded", holds: false, evidence: r#"{"pump":{"steps":[{"pump":[0]}]}}"# },
    Case { net: SOURCE, property: "bounded:a + b", holds: false, evidence: r#"{"pump":{"steps":[0,[7,[0]],{"pump":[0,0]},0]}}"# },
    // The second pump takes what the first has made.
    Case {
        net: "pl q (1)\npl r (0)\npl a (0)\npl b (0)\ntr t q -> q a\ntr m q -> r\ntr u r a -> r b*2\n",
        property: "bounded:b",
        holds: false,
        evidence: r#"{"pump":{"steps":[{"pump":[0]},1,{"pump":[2]}]}}"#,
    },
    Case { net: DEAD, property: "invariant:c = 0", holds: true, evidence: r#"{"basis":{"markings":[[[2,1]]]}}"# },
    Case { net: SOURCE, property: "coverable:b >= 1 or a >= 3 and b >= 1", holds: false, evidence: r#"{"basis":{"markings":[[[1,1]]]}}"# },
    Case {
        net: MOVE,
        property: "coverable:a + b >= 2",
        holds: false,
        evidence: r#"{"basis":{"markings":[[[0,2]],[[0,1],[1,1]],[[1,2]]]}}"#,
    },
    Case {
        net: MOVE,
        property: "coverable:a + b >= 2",
        holds: false,
        evidence: r#"{"basis":{"markings":[],"weights":{"sums":[[[0,1],[1,1]]]}}}"#,
    },
    Case {
        net: LOCK,
        property: "coverable:x = 1, y = 1",
        holds: false,
        evidence: r#"{"basis":{"markings":[[[3,1],[4,1]],[[2,1],[3,1]],[[2,1],[4,1]],[[2,2]],[[3,2]],[[4,2]]],"weights":{"sums":[]}}}"#,
    },
    Case {
        net: LOCK,
        property: "coverable:x + y >= 2 and l >= 0",
        holds: false,
        evidence: r#"{"cover":{"markings":[[1,1,1,0,0],[0,1,0,1,0],[1,0,0,0,1]]}}"#,
    },
    Case {
        net: LOCK,
        property: "coverable:x + y >= 2",
        holds: false,
        evidence: r#"{"cover":{"markings":[[null,null,1,0,0],[null,null,0,1,0],[null,null,0,0,1]]}}"#,
    },
    Case { net: FED, property: "coverable:s = 1, b = 1", holds: false, evidence: r#"{"equation":{"traps":[],"unfed":[[1]],"tree":TREE}}"# },
    Case {
        net: FED,
        property: "coverable:s = 1, b = 1",
        holds: false,
        evidence: r#"{"basis":{"markings":[[[0,1],[2,1]]],"excluded":[{"marking":[[0,1],[1,1]],"equation":{"traps":[],"tree":TREE}}]}}"#,
    },
    Case { net: LOCK, property: "coverable:x = 1", holds: true, evidence: r#"{"run":{"word":[0]}}"# },
    Case { net: CYCLE, property: "coverable:", holds: true, evidence: r#"{"run":{"word":[]}}"# },
];
