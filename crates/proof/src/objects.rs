//! Reading from JSON objects alone, and numbers that are not 0.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// Reads a type from objects alone: derived readers take arrays, too, which are
/// no certificates. The type has a reader that is not the trait's, as serde
/// makes for `remote = "Self"`.
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
macro_rules! objects {
    ($($type:ident),+) => {$(
        $crate::objects::read_object!($type);

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $type::serialize(self, serializer)
            }
        }
    )+};
}

pub(crate) use {objects, read_object};

/// A number that is not 0.
pub(crate) fn positive<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default + PartialEq>(deserializer: D) -> Result<T, D::Error> {
    let number = T::deserialize(deserializer)?;
    if number == T::default() { Err(D::Error::custom("0, expected a number from 1 on")) } else { Ok(number) }
}
