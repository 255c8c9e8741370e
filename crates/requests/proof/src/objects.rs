//! Numbers that are not 0.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// A number that is not 0.
pub(crate) fn positive<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default + PartialEq>(deserializer: D) -> Result<T, D::Error> {
    let number = T::deserialize(deserializer)?;
    if number == T::default() { Err(D::Error::custom("0, expected a number from 1 on")) } else { Ok(number) }
}
