//! Names as identifiers that every tool here reads, reversibly.
//!
//! Letters, digits and underscores of ASCII stand for themselves, every other byte is `_x` and two hexadecimal digits
//! in capitals, and so is an underscore that would look like the beginning of that. A digit in front and the first
//! letter of a reserved name are written in the same way, and the empty name is `_xFF`, a byte that no name has. So no
//! two names are written alike, and [`name`] gives them back.
//!
//! ```
//! use serval_net_export::names::{identifier, name};
//! assert_eq!(identifier("idle_2", |_| false), "idle_2");
//! assert_eq!(identifier("2 idle", |_| false), "_x32_x20idle");
//! assert_eq!(identifier("node", |word| word == "node"), "_x6Eode");
//! for one in ["", "a_x41", "_", "flag=1", "é", "node"] {
//!     assert_eq!(name(&identifier(one, |word| word == "node")).as_deref(), Some(one));
//! }
//! ```

use std::fmt::Write;

/// The identifier for a name.
pub fn identifier(name: &str, is_reserved: impl Fn(&str) -> bool) -> String {
    if name.is_empty() {
        return "_xFF".to_owned();
    }
    let bytes = name.as_bytes();
    let is_reserved = is_reserved(name);
    let mut text = String::with_capacity(name.len());
    for (position, &byte) in bytes.iter().enumerate() {
        let stands = match byte {
            _ if is_reserved && position == 0 => false,
            b'_' => escaped(&bytes[position..]).is_none(),
            b'0'..=b'9' => position > 0,
            _ => byte.is_ascii_alphabetic(),
        };
        if stands {
            text.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "_x{byte:02X}");
        }
    }
    text
}

/// The byte that is written in this way, if one is.
fn escaped(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_lowercase());
    match bytes {
        [b'_', b'x', high, low, ..] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    }
}

/// The name that an identifier stands for; nothing where it stands for none.
pub fn name(identifier: &str) -> Option<String> {
    if identifier == "_xFF" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(identifier.len());
    let mut rest = identifier.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        match escaped(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            None => {
                bytes.push(first);
                rest = others;
            }
        }
    }
    String::from_utf8(bytes).ok()
}
