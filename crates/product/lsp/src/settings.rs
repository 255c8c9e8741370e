//! What holds for a text, by the file `serval.toml` that counts for it.

use serval::FormatStyle;

/// What holds for a text, by the file `serval.toml` that counts for it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How it is laid out.
    pub style: FormatStyle,
    /// Codes of warnings and notes that are not wanted.
    pub allow: Vec<String>,
    /// Whether the order in time is decided about, too.
    pub strict: bool,
}
