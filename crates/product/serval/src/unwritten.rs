//! Why something cannot be written in the language of another tool.

use std::fmt;

/// Why there is no such text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// It cannot be made, for this reason.
    Reason(String),
    /// What was written is not read back as what was meant: a bug.
    NotAsMeant,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reason(reason) => f.write_str(reason),
            Self::NotAsMeant => f.write_str("what would be written is not read back as what was meant"),
        }
    }
}

impl std::error::Error for ExportError {}
