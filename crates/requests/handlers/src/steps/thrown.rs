//! What is known of errors, by their tags; `errors` says how it is used.

use std::collections::BTreeMap;

use super::values::Val;
use crate::form::ClassId;

/// What stands before what an error is, in the names of tags.
pub(super) const MARK: char = '\u{1}';

/// The text of an error where it is not written down.
pub(super) const VAGUE: &str = "error at ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ErrorClass {
    /// One of the language, by its name.
    Known(String),
    /// One of the file.
    Own(ClassId),
}

/// What is known of an error.
#[derive(Clone, Debug)]
pub(super) struct KnownError {
    pub(super) class: ErrorClass,
    /// Its text, if that is written down.
    pub(super) message: Option<String>,
    /// Its fields; nothing where a value is not written down.
    pub(super) fields: BTreeMap<String, Option<Val>>,
    pub(super) is_outside: bool,
}

/// What a tag is called where it is shown: of an error its text.
pub(super) fn shown(text: &str) -> &str {
    text.rsplit(MARK).next().unwrap_or(text)
}
