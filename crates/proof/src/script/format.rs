//! Scripts as JSON: numbers in arrays, by rule.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serval_model::{Node, Point};

use super::{Entry, Mover, Side, Witness};
use crate::format::Object;

type Pairs = Vec<(u32, u32)>;
type Paths = (u32, u32, Vec<Point>, Vec<Point>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Quotient {
    relation: Pairs,
    classes: Vec<Vec<u32>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dominated {
    locals: Pairs,
    globals: Pairs,
    drops: Pairs,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Closure {
    relation: Pairs,
    points: Vec<Point>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Joined {
    points: Vec<(Node, Vec<u32>)>,
    witnesses: Vec<Paths>,
}

/// The rule that needs nothing further is written as a string.
const PAIRS: &str = "pairs";

/// All other rules are objects with one field.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Raw {
    Split(Node),
    Fold(Pairs),
    Locals(Object<Quotient>),
    Globals(Object<Quotient>),
    Dominated(Object<Dominated>),
    Closure(Object<Closure>),
    Right(Object<Joined>),
    Left(Object<Joined>),
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = match self.clone() {
            Self::Split(node) => Raw::Split(node),
            Self::Fold(folds) => Raw::Fold(folds),
            Self::Pairs => return serializer.serialize_str(PAIRS),
            Self::Locals { relation, classes } => Raw::Locals(Object(Quotient { relation, classes })),
            Self::Globals { relation, classes } => Raw::Globals(Object(Quotient { relation, classes })),
            Self::Dominated { locals, globals, drops } => Raw::Dominated(Object(Dominated { locals, globals, drops })),
            Self::Closure { relation, points } => Raw::Closure(Object(Closure { relation, points })),
            Self::Mover(Mover { side, points, witnesses }) => {
                let witnesses = witnesses.into_iter().map(|w| (w.step, w.other, w.other_path, w.own_path)).collect();
                let joined = Object(Joined { points, witnesses });
                if side == Side::Right { Raw::Right(joined) } else { Raw::Left(joined) }
            }
        };
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"pairs\" or an object with the name of another rule")
    }

    fn visit_str<E: Error>(self, rule: &str) -> Result<Entry, E> {
        if rule == PAIRS { Ok(Entry::Pairs) } else { Err(E::unknown_variant(rule, &[PAIRS])) }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entry, A::Error> {
        let mover = |side, Object(Joined { points, witnesses }): Object<Joined>| {
            let witnesses =
                witnesses.into_iter().map(|(step, other, other_path, own_path)| Witness { step, other, other_path, own_path }).collect();
            Entry::Mover(Mover { side, points, witnesses })
        };
        Ok(match Raw::deserialize(MapAccessDeserializer::new(map))? {
            Raw::Split(node) => Entry::Split(node),
            Raw::Fold(folds) => Entry::Fold(folds),
            Raw::Locals(Object(Quotient { relation, classes })) => Entry::Locals { relation, classes },
            Raw::Globals(Object(Quotient { relation, classes })) => Entry::Globals { relation, classes },
            Raw::Dominated(Object(Dominated { locals, globals, drops })) => Entry::Dominated { locals, globals, drops },
            Raw::Closure(Object(Closure { relation, points })) => Entry::Closure { relation, points },
            Raw::Right(joined) => mover(Side::Right, joined),
            Raw::Left(joined) => mover(Side::Left, joined),
        })
    }
}
