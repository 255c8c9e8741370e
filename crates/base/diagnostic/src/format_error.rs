//! What is wrong with a text that is read as a whole or not at all.

use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1: in characters, or in JSON in bytes, where reading stopped.
    pub column: usize,
    /// What is wrong, without a full stop.
    pub message: String,
    /// The word that nothing has here, if that is what is wrong.
    pub unknown: Option<Box<UnknownWord>>,
}

/// A word that nothing has, and the words that it could have been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// What is written.
    pub word: String,
    /// What can be written there.
    pub known: Vec<String>,
}

impl FormatError {
    /// An error at a line and a column, both from 1.
    pub fn new(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self { line, column, message: message.into(), unknown: None }
    }

    /// This error, which is about a word that nothing has.
    pub fn misspelt(self, word: &str, known: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let unknown = UnknownWord { word: word.to_owned(), known: known.into_iter().map(Into::into).collect() };
        Self { unknown: Some(Box::new(unknown)), ..self }
    }

    /// An error at a position in bytes.
    pub fn at(text: &str, position: usize, message: impl Into<String>) -> Self {
        let before = text.get(..position).unwrap_or(text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |start| start.chars().count()) + 1;
        Self::new(line, column, message)
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for FormatError {}
