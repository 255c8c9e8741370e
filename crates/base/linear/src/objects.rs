//! Reading from JSON objects alone.

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
