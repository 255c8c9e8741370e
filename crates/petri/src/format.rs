//! Nets and questions as text.
//!
//! What is written is read back as the same data, whatever the names: each
//! format has its way to write any text, and no two names are written alike.
//! What is read is bounded by [`Limits`], and what is wrong with it is said with
//! line and column. No reader recurses by the nesting of its input.

pub mod mcc;
pub mod pnml;
pub mod tina;
mod xml;

use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl FormatError {
    /// An error at a position in bytes.
    fn at(text: &str, position: usize, message: impl Into<String>) -> Self {
        let before = text.get(..position).unwrap_or(text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |start| start.chars().count()) + 1;
        Self { line, column, message: message.into() }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for FormatError {}

/// How large an input may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The length of the text.
    pub bytes: usize,
    /// Places, and as many transitions.
    pub nodes: usize,
    /// Arcs; in questions, constraints and connectives of all formulas.
    pub arcs: usize,
}

impl Default for Limits {
    /// 64 MiB, a million places, a million transitions, eight million arcs.
    fn default() -> Self {
        Self { bytes: 64 << 20, nodes: 1 << 20, arcs: 1 << 23 }
    }
}

impl Limits {
    fn check_length(&self, text: &str) -> Result<(), FormatError> {
        if text.len() > self.bytes {
            return Err(FormatError::at(text, 0, format!("the text has {} bytes; at most {} are read", text.len(), self.bytes)));
        }
        Ok(())
    }
}
