//! One layout for programs in the SER language.
//!
//! ```text
//! text ──parse──▶ lossless tree ──layout──▶ tokens, comments and breaks ──printer──▶ text
//! ```
//!
//! `layout` knows the language: which blanks stand where, and where a line may
//! or must end. `gap` knows comments: what becomes of them between two tokens.
//! `printer` knows neither; it decides which of the lines that may end do end,
//! so that nothing is wider than it has to be. `same` believes none of them and
//! compares what came out with what went in.
//!
//! What is promised, and tested on random programs:
//! - The tokens stay as they are. Only blanks and line ends change.
//! - No comment is lost, and comments keep their order. One that stands before
//!   a `;` or `,` may come to stand behind it; none passes another token.
//! - Formatting what has been formatted changes nothing.
//!
//! ```
//! use serval_format::{Style, format};
//! let text = "request main{x:=A;yield;\n\n\n//write it back\nA:=x+1}";
//! assert_eq!(
//!     format(text, &Style::default()).unwrap(),
//!     "request main {\n  x := A;\n  yield;\n\n  //write it back\n  A := x + 1\n}\n"
//! );
//! assert!(format("request main { x = 1 }", &Style::default()).is_err());
//! ```
//!
//! Architecture Invariant: a text with mistakes in its grammar is never
//! formatted, and a node that this crate does not know is printed token by
//! token, never dropped.

mod diff;
mod gap;
mod layout;
mod printer;
mod same;
#[cfg(test)]
mod tests;
pub mod tso;

use std::fmt;
use std::ops::RangeInclusive;

pub use diff::{diff, line_diff, line_edits};
use serval_syntax::{Diagnostic, parse};

/// How programs are to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// By how many blanks a block is indented: 2 unless said otherwise, one of
    /// [`Style::INDENTS`].
    pub indent: usize,
    /// How wide a line may be, in characters: 100 unless said otherwise, one of
    /// [`Style::WIDTHS`]. Comments and long names may stand out.
    pub width: usize,
}

impl Style {
    /// What `indent` can be.
    pub const INDENTS: RangeInclusive<usize> = 1..=16;
    /// What `width` can be.
    pub const WIDTHS: RangeInclusive<usize> = 20..=1000;
}

impl Default for Style {
    fn default() -> Self {
        Self { indent: 2, width: 100 }
    }
}

/// Why a text was not formatted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatRefusal {
    /// Its letters or its grammar have mistakes: these.
    Mistakes(Vec<Diagnostic>),
    /// What came out would not have been the same program. This is a bug of
    /// this crate; the text says what differs.
    Differs(String),
}

impl fmt::Display for FormatRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistakes(mistakes) => write!(f, "mistakes in the program: {}", mistakes.len()),
            Self::Differs(what) => write!(f, "formatting would change the program: {what}"),
        }
    }
}

impl std::error::Error for FormatRefusal {}

/// `text` in the layout of `style`, with the line ends that it has: those of its first line.
pub fn format_with_line_ends(text: &str, style: &Style) -> Result<String, FormatRefusal> {
    format(text, style).map(|formatted| with_line_ends_of(text, formatted))
}

/// A formatted text with the line ends that `text` has: those of its first line.
pub fn with_line_ends_of(text: &str, formatted: String) -> String {
    let first = text.find('\n').map(|at| text[..at].ends_with('\r'));
    if first == Some(true) { formatted.replace("\r\n", "\n").replace('\n', "\r\n") } else { formatted }
}

/// `text` in the layout of `style`.
///
/// Takes time in proportion to the length of the text.
pub fn format(text: &str, style: &Style) -> Result<String, FormatRefusal> {
    let parsed = parse(text);
    if !parsed.diagnostics().is_empty() {
        return Err(FormatRefusal::Mistakes(parsed.diagnostics().to_vec()));
    }
    let root = parsed.syntax();
    let formatted = layout::print(text, &root, *style);
    let again = parse(&formatted);
    if let Some(mistake) = again.diagnostics().first() {
        return Err(FormatRefusal::Differs(format!("it would no longer be a program: {}", mistake.message)));
    }
    same::compare((text, &root), (&formatted, &again.syntax())).map_err(FormatRefusal::Differs)?;
    Ok(formatted)
}
