//! What the JSON of all certificates has in common.
//!
//! Reading is strict: unknown, repeated and missing fields, wrong types, `null`
//! for a missing value, arrays for objects, another format, version or kind are
//! errors. The text is read twice: once for what it is, with everything else
//! skipped, and then by the module of its kind.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::shown::one_line;

/// The name of the format, in every certificate.
pub const FORMAT: &str = "serval-certificate";

/// The version of the format that is written and read.
pub const VERSION: u64 = 1;

/// A text that is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in bytes: where reading stopped.
    pub column: usize,
    /// What is wrong, on one line, without a full stop.
    pub message: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for FormatError {}

impl From<serde_json::Error> for FormatError {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        // The position is in fields of its own.
        let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
        Self { line: error.line().max(1), column: error.column().max(1), message: one_line(message) }
    }
}

/// A JSON object. Derived readers of structures take arrays, too, which are
/// no certificates.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Object)
    }
}

impl<T: Serialize> Serialize for Object<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// A field that may be missing, but is no `null`.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A value as JSON on one line.
pub(crate) fn line(value: &impl Serialize) -> String {
    // Strings, numbers and structures of them always have a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}

/// A list as JSON, one element per line.
pub(crate) fn lines(elements: impl Iterator<Item = String>) -> String {
    let mut out = String::from("[");
    for (index, element) in elements.enumerate() {
        out.push_str(if index == 0 { "\n  " } else { ",\n  " });
        out.push_str(&element);
    }
    out.push(']');
    out
}
