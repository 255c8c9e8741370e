//! Proofs by counting, as JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Fact, LinearSet, Period};
use crate::format::Object;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Region {
    globals: Vec<u32>,
    nodes: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSet {
    base: Vec<(u32, u32)>,
    periods: Vec<Object<RawPeriod>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPeriod {
    edges: Vec<(u32, u32)>,
    divisor: u64,
    constant: i64,
    terms: Vec<(u32, i64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Raw {
    Forward(Object<Region>),
    Backward(Object<Region>),
    /// The steps that are not in the set.
    Pairs(Vec<u32>),
    Set(Object<RawSet>),
}

impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = match self.clone() {
            Self::Forward { globals, nodes } => Raw::Forward(Object(Region { globals, nodes })),
            Self::Backward { globals, nodes } => Raw::Backward(Object(Region { globals, nodes })),
            Self::Pairs { without } => Raw::Pairs(without),
            Self::Set(LinearSet { base, periods }) => {
                let period = |Period { edges, divisor, constant, terms }| Object(RawPeriod { edges, divisor, constant, terms });
                Raw::Set(Object(RawSet { base, periods: periods.into_iter().map(period).collect() }))
            }
        };
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Fact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Raw::deserialize(deserializer)? {
            Raw::Forward(Object(Region { globals, nodes })) => Self::Forward { globals, nodes },
            Raw::Backward(Object(Region { globals, nodes })) => Self::Backward { globals, nodes },
            Raw::Pairs(without) => Self::Pairs { without },
            Raw::Set(Object(RawSet { base, periods })) => {
                let period = |Object(RawPeriod { edges, divisor, constant, terms })| Period { edges, divisor, constant, terms };
                Self::Set(LinearSet { base, periods: periods.into_iter().map(period).collect() })
            }
        })
    }
}
