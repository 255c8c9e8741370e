//! How much a program may have of what.

use serval_diagnostic::{Diagnostic, Span};

use crate::codes;

/// Bytes of a file.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// Blocks and parentheses within each other.
pub const MAX_DEPTH: usize = 64;
/// Threads.
pub const MAX_THREADS: usize = 64;
/// Cells of memory, with those of arrays.
pub const MAX_CELLS: usize = 256;
/// Registers of a thread.
pub const MAX_REGISTERS: usize = 63;
/// Control points of a thread.
pub const MAX_STATEMENTS: usize = 10_000;
/// Numbers in the text, and ends of the range of values, whatever the sign.
pub const MAX_VALUE: i64 = i64::MAX;
/// Errors that are shown.
pub(crate) const MAX_SHOWN: usize = 100;

/// `None` where the text is too long to be read.
pub(crate) fn check_size(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<()> {
    if text.len() <= MAX_FILE_BYTES {
        return Some(());
    }
    let message = format!("the file has {} bytes; a program has at most {MAX_FILE_BYTES}", text.len());
    diagnostics.push(Diagnostic::error(codes::TOO_MUCH, Span::new(0, 0), message).expected("a smaller file").help("split it"));
    None
}
