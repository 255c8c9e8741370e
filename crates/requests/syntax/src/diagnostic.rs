//! The codes of this language, and where its diagnostics gather.

pub mod codes;
mod sink;

pub use codes::codes;
pub use serval_diagnostic::{Code, CodeInfo, Diagnostic, Label, Severity, similar};
pub(crate) use sink::{MAX_SHOWN, Sink, finish};
