//! Names from files in messages: quoted, on one line, and never long.

use std::fmt;

/// The longest part of a name that a message shows, in characters.
const LONGEST: usize = 120;

/// A name as a message shows it.
pub fn shown(name: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| match name.char_indices().nth(LONGEST) {
        None => write!(f, "{name:?}"),
        Some((end, _)) => write!(f, "{:?}… ({} bytes)", &name[..end], name.len()),
    })
}

/// A message of another library that may quote a file: on one line, not long.
pub(crate) fn one_line(message: &str) -> String {
    let line: String = message.chars().take(2 * LONGEST).collect();
    let mut line = serval_diagnostic::shown::line(&line).into_owned();
    if message.chars().nth(2 * LONGEST).is_some() {
        line.push('…');
    }
    line
}
