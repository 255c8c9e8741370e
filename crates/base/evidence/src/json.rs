//! Strict reading from JSON, and writing on one line.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::{DeserializeOwned, Error};
use serval_diagnostic::FormatError;

use crate::shown::{one_line, shown};

/// Reads a text strictly: fields that are unknown, missing or repeated are errors if the type says so, and so is
/// anything after its end. A byte order mark is skipped. Costs time and memory in proportion to the text.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, FormatError> {
    serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|error| format_error(&error))
}

fn format_error(error: &serde_json::Error) -> FormatError {
    let text = error.to_string();
    // The position is in fields of its own.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    FormatError::new(error.line().max(1), error.column().max(1), one_line(message))
}

/// Reads what comes piece by piece as [`read`] reads a text, without the text ever being there as a whole. The outer
/// error is that of what it comes from.
pub fn read_from<T: DeserializeOwned>(mut from: impl Read) -> io::Result<Result<T, FormatError>> {
    let mut first = Vec::new();
    from.by_ref().take(3).read_to_end(&mut first)?;
    let rest = first.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&first);
    match serde_json::from_reader(rest.chain(from)) {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_io() => Err(error.into()),
        Err(error) => Ok(Err(format_error(&error))),
    }
}

/// A value as JSON on one line.
pub fn line(value: &impl Serialize) -> String {
    // Strings, numbers and structures of them always have a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}

/// Writes a value as [`line()`] makes it, piece by piece.
pub fn write_line(value: &impl Serialize, into: impl Write) -> io::Result<()> {
    Ok(serde_json::to_writer(into, value)?)
}

/// A list as JSON, one element per line.
pub fn lines(elements: &[impl Serialize]) -> String {
    listed(elements.iter().map(line))
}

/// A list of what is JSON already, one element per line.
pub fn listed(elements: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = elements.map(|element| format!("\n  {element}")).collect();
    format!("[{}]", lines.join(","))
}

/// Refuses another format than this one.
pub fn check_name<E: Error>(name: &str, format: &str) -> Result<(), E> {
    if name == format { Ok(()) } else { Err(E::custom(format!("the format is {}, not {format:?}", shown(name)))) }
}

/// Refuses another version of a format than this one.
pub fn check_version<E: Error>(version: u64, read: u64) -> Result<(), E> {
    let message = || format!("this is version {version} of the format; this program reads version {read}");
    if version == read { Ok(()) } else { Err(E::custom(message())) }
}

/// Makes the head of a certificate: name and version of its format, and types of fields that are read from these alone.
#[macro_export]
macro_rules! head {
    ($name:literal, $version:literal) => {
        /// The name of the format, in every certificate.
        pub const FORMAT: &str = $name;

        /// The version of the format that is written and read.
        pub const VERSION: u64 = $version;

        $crate::head!(@field FormatName, String, FORMAT, |name| $crate::check_name(&name, FORMAT));
        $crate::head!(@field FormatVersion, u64, VERSION, |version| $crate::check_version(version, VERSION));
    };
    (@field $type:ident, $read:ty, $written:ident, $check:expr) => {
        struct $type;

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let check: fn($read) -> Result<(), D::Error> = $check;
                check(<$read>::deserialize(deserializer)?).map(|()| Self)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $written.serialize(serializer)
            }
        }
    };
}

/// Reads a type from objects alone: derived readers take arrays, too, which are
/// no certificates. The type has a reader that is not the trait's, as serde
/// makes for `remote = "Self"`.
#[macro_export]
macro_rules! read_object {
    ($type:ident) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Object;
                impl<'de> serde::de::Visitor<'de> for Object {
                    type Value = $type;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$type, A::Error> {
                        $type::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    }
                }
                deserializer.deserialize_map(Object)
            }
        }
    };
}

/// The same for several types that derive reader and writer.
#[macro_export]
macro_rules! objects {
    ($($type:ident),+) => {$(
        $crate::read_object!($type);

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $type::serialize(self, serializer)
            }
        }
    )+};
}
