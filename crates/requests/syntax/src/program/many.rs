//! Requests of more combinations of parameters than are written out.
//!
//! Each combination of the values of its parameters makes a request of its own, `transfer(3, 17)`. Where there are more
//! than a few of them they are not written out; then a program has *stand-ins* for them ([`Program::requests`]), and
//! those that are asked for by name ([`analyze_of`](crate::analyze_of)).
//!
//! [`Program::requests`]: crate::Program::requests

use super::LocalVar;

/// What is said about the requests of a program some of which are not written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Many {
    /// The requests with parameters, in the order of the text.
    pub requests: Vec<ManyRequest>,
    /// Whether the requests of the program stand for all, as `lowering/rows.rs` says; otherwise they are some of them.
    pub stands: bool,
}

impl Many {
    /// How many requests there would be; the largest number where there are more.
    pub fn combinations(&self) -> u64 {
        self.requests.iter().fold(0, |all, request| all.saturating_add(request.combinations()))
    }
}

/// A request with parameters, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManyRequest {
    /// Its name, without values.
    pub name: String,
    /// Its parameters, at least one.
    pub params: Vec<ManyParam>,
}

impl ManyRequest {
    /// How many combinations of values there are; the largest number where there are more.
    pub fn combinations(&self) -> u64 {
        self.params.iter().fold(1, |all, param| all.saturating_mul(param.values.count()))
    }

    /// What a request with these values is called.
    pub fn named(&self, values: &[i64]) -> String {
        let values: Vec<String> = self.params.iter().zip(values).map(|(param, &value)| param.values.name(value)).collect();
        format!("{}({})", self.name, values.join(", "))
    }

    /// The values of the request with this name, if it is one of these.
    pub fn values_of(&self, name: &str) -> Option<Vec<i64>> {
        let inner = name.strip_prefix(self.name.as_str())?.strip_prefix('(')?.strip_suffix(')')?;
        let parts: Vec<&str> = inner.split(", ").collect();
        if parts.len() != self.params.len() {
            return None;
        }
        self.params.iter().zip(parts).map(|(param, part)| param.values.value_named(part)).collect()
    }
}

/// A parameter, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManyParam {
    /// Its name.
    pub name: String,
    /// The values that it can have.
    pub values: ParamValues,
}

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamValues {
    /// From the least to the greatest.
    Range {
        /// The least.
        low: i64,
        /// The greatest.
        high: i64,
        /// What the values are called, from 0, where an `enum` says that.
        members: Vec<String>,
    },
    /// In the order of the text, all different, with what they are called.
    Listed(Vec<(i64, String)>),
}

impl ParamValues {
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::Range { low, high, .. } => u64::try_from(i128::from(*high) - i128::from(*low) + 1).unwrap_or(u64::MAX),
            Self::Listed(list) => u64::try_from(list.len()).unwrap_or(u64::MAX),
        }
    }

    /// The one at this place, from 0.
    pub fn at(&self, place: u64) -> Option<i64> {
        match self {
            Self::Range { low, high, .. } => low.checked_add_unsigned(place).filter(|value| value <= high),
            Self::Listed(list) => usize::try_from(place).ok().and_then(|place| list.get(place)).map(|(value, _)| *value),
        }
    }

    /// Whether this is one of them.
    pub fn contains(&self, value: i64) -> bool {
        match self {
            Self::Range { low, high, .. } => (*low..=*high).contains(&value),
            Self::Listed(list) => list.iter().any(|(known, _)| *known == value),
        }
    }

    /// The least and the greatest.
    pub fn bounds(&self) -> (i64, i64) {
        match self {
            Self::Range { low, high, .. } => (*low, *high),
            Self::Listed(list) => {
                let values = || list.iter().map(|(value, _)| *value);
                (values().min().unwrap_or(0), values().max().unwrap_or(0))
            }
        }
    }

    /// What a value is called.
    pub fn name(&self, value: i64) -> String {
        let name = match self {
            Self::Range { members, .. } => usize::try_from(value).ok().and_then(|index| members.get(index)),
            Self::Listed(list) => list.iter().find(|(known, _)| *known == value).map(|(_, name)| name),
        };
        name.cloned().unwrap_or_else(|| value.to_string())
    }

    /// The value that is called so.
    pub fn value_named(&self, name: &str) -> Option<i64> {
        if let Self::Listed(list) = self {
            return list.iter().find(|(_, known)| known == name).map(|(value, _)| *value);
        }
        let Self::Range { members, .. } = self else { return None };
        let member = members.iter().position(|member| member == name).and_then(|index| i64::try_from(index).ok());
        member.or_else(|| name.parse().ok()).filter(|&value| self.contains(value) && self.name(value) == name)
    }
}

/// A parameter that a request keeps as a local variable, which nothing assigns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The variable.
    pub local: LocalVar,
    /// The least value that it can have.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}
