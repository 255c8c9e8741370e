//! Conditional jumps, by their names.

/// When a conditional jump jumps, unless it jumps otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
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
    pub(super) relation: Relation,
    /// Whether it jumps where the relation holds.
    pub(super) holds: bool,
}

impl Test {
    /// The test of a jump of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let (relation, holds) = match name.strip_prefix('J')? {
            "E" | "Z" => (Relation::Equal, true),
            "NE" | "NZ" => (Relation::Equal, false),
            "L" | "NGE" => (Relation::Less, true),
            "GE" | "NL" => (Relation::Less, false),
            "LE" | "NG" => (Relation::LessOrEqual, true),
            "G" | "NLE" => (Relation::LessOrEqual, false),
            "B" | "NAE" | "C" => (Relation::Below, true),
            "AE" | "NB" | "NC" => (Relation::Below, false),
            "BE" | "NA" => (Relation::BelowOrEqual, true),
            "A" | "NBE" => (Relation::BelowOrEqual, false),
            "S" => (Relation::Sign, true),
            "NS" => (Relation::Sign, false),
            _ => return None,
        };
        Some(Self { relation, holds })
    }
}
