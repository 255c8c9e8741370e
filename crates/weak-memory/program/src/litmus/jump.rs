//! Conditional jumps, by their names.

/// When a conditional jump jumps, unless it jumps otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JumpCondition {
    Equal,
    /// With a sign.
    Less,
    LessOrEqual,
    /// Without one.
    Below,
    BelowOrEqual,
    /// The sign of the difference.
    Sign,
}

/// What a conditional jump tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) relation: JumpCondition,
    /// Whether it jumps where the relation holds.
    pub(super) holds: bool,
}

impl Test {
    /// The test of a jump of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let (relation, holds) = match name.strip_prefix('J')? {
            "E" | "Z" => (JumpCondition::Equal, true),
            "NE" | "NZ" => (JumpCondition::Equal, false),
            "L" | "NGE" => (JumpCondition::Less, true),
            "GE" | "NL" => (JumpCondition::Less, false),
            "LE" | "NG" => (JumpCondition::LessOrEqual, true),
            "G" | "NLE" => (JumpCondition::LessOrEqual, false),
            "B" | "NAE" | "C" => (JumpCondition::Below, true),
            "AE" | "NB" | "NC" => (JumpCondition::Below, false),
            "BE" | "NA" => (JumpCondition::BelowOrEqual, true),
            "A" | "NBE" => (JumpCondition::BelowOrEqual, false),
            "S" => (JumpCondition::Sign, true),
            "NS" => (JumpCondition::Sign, false),
            _ => return None,
        };
        Some(Self { relation, holds })
    }
}
