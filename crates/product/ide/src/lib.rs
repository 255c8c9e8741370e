//! What an editor asks about a text.
//!
//! A [`Document`] is a text with its tree, its diagnostics and the meaning of its names, each made once. Questions are
//! functions on it, a module each; places are bytes of the text ([`Span`]), and answers are types of this crate. The
//! language server and the playground in the browser ask the same questions.
//!
//! ```
//! use serval_ide::{Document, definition, rename};
//! let document = Document::new("request main { x := A; yield; A := x + 1 }");
//! assert_eq!(definition(&document, 35).unwrap().start, 15);
//! let edits = rename(&document, 15, "seen").unwrap();
//! assert_eq!(document.edited(&edits).unwrap(), "request main { seen := A; yield; A := seen + 1 }");
//! assert!(rename(&document, 15, "Seen").is_err());
//! ```
//!
//! | to see | open |
//! |---|---|
//! | what is asked about names | `navigate`, `rename`, `calls` |
//! | what is shown at a place | `hover`, `signature`, `hints` |
//! | what can be written at a place | `complete` |
//! | how the text is built | `outline`, `fold`, `select`, `tokens` |
//! | which changes are offered | `actions`, `layout` |
//! | what is said about a verdict, and where | `verdict` |
//!
//! Architecture Invariant: no protocol, no thread, no clock, no file. It compiles to WebAssembly.

mod actions;
mod calls;
mod complete;
mod document;
mod fold;
mod forms;
mod hints;
mod hover;
mod layout;
mod navigate;
mod outline;
mod rename;
mod select;
mod signature;
mod tokens;
mod usage;
mod verdict;

pub use actions::{Action, ActionKind, actions, header};
pub use calls::{Call, callees, callers};
pub use complete::{Completion, CompletionKind, completions};
pub use document::Document;
pub use fold::{Fold, folds};
pub use hints::{Hint, hints};
pub use hover::{Hover, hover};
pub use layout::{changes, formatted, formatted_block, formatted_range};
pub use navigate::{definition, highlights, references};
pub use outline::{Outline, outline};
pub use rename::{Refused, rename, renamed_at};
pub use select::selections;
pub use serval_format::{FormatRefusal, Style};
pub use serval_syntax::{Access, Code, Diagnostic, Edit, Encoding, LineColumn, LineIndex, Severity, Span, SymbolKind};
pub use signature::{Signature, signature};
pub use tokens::{ClassifiedToken, TokenClass, classified};
pub use verdict::{Finding, Related, Told, told};
