//! What is wrong with a text, in a form that printers, editors and machines share.
//!
//! No language is known here: programs of requests, programs on weak memory and messages about options share these
//! types, and each language lists its codes with [`codes!`].

mod codes;
mod counted;
mod format_error;
pub mod shown;
mod similar;
mod span;

use std::fmt;

pub use codes::CodeInfo;
pub use counted::{counted, plural};
pub use format_error::{FormatError, UnknownWord};
pub use similar::similar;
pub use span::{Encoding, LineColumn, LineIndex, Position, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program cannot be used.
    Error,
    /// The program can be used, and is probably not what was meant.
    Warning,
    /// Worth knowing.
    Note,
}

/// A stable code such as `E0103`, expanded by `serval explain E0103`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A marked place and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is said there; may be empty.
    pub text: String,
}

/// What would stand in the place of a part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The part; empty where something is put in.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// The text with these edits, which are sorted by place and do not overlap; `None` where they do, or are outside of the
/// text.
///
/// ```
/// use serval_diagnostic::{Edit, Span, edited};
/// let put = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
/// assert_eq!(edited("x = 1", &[put(2, 3, ":="), put(5, 5, ";")]).as_deref(), Some("x := 1;"));
/// assert_eq!(edited("x", &[put(0, 2, "")]), None);
/// ```
pub fn edited(text: &str, edits: &[Edit]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(text.get(done..edit.span.start as usize)?);
        text.get(edit.span.range())?;
        out.push_str(&edit.text);
        done = edit.span.end as usize;
    }
    out.push_str(text.get(done..)?);
    Some(out)
}

/// One finding. Errors always have `expected` and `help`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its stable code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One line, lower case, no full stop.
    pub message: String,
    /// The place that the caret shows.
    pub primary: Label,
    /// Other places that matter, such as the opening brace.
    pub secondary: Vec<Label>,
    /// What would have been right there.
    pub expected: Option<String>,
    /// Further facts, a line each, such as the run that leads there.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// What `help` says as a change of the text, sorted by place; empty where that is for people to decide.
    pub edits: Vec<Edit>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, span, message.into())
    }

    /// A warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, span, message.into())
    }

    /// A note at `span`.
    pub fn note(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Note, span, message.into())
    }

    fn new(code: Code, severity: Severity, span: Span, message: String) -> Self {
        let primary = Label { span, text: String::new() };
        Self { code, severity, message, primary, secondary: Vec::new(), expected: None, notes: Vec::new(), help: None, edits: Vec::new() }
    }

    /// Says `text` at the caret.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Marks a second place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Says what would have been right.
    pub fn expected(mut self, text: impl Into<String>) -> Self {
        self.expected = Some(text.into());
        self
    }

    /// Adds a line of facts.
    pub fn with_note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self.edits.clear();
        self
    }

    /// Says how the text looks when what `help` says is done: `text` stands in the place of `span`.
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into() });
        self
    }
}
