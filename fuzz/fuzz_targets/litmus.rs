//! Arbitrary bytes as a litmus test: read, and mistakes are shown.

#![no_main]

#[path = "../checks/tso.rs"]
mod tso;

use libfuzzer_sys::{Corpus, fuzz_target};
use serval_tso_program::Syntax;

fuzz_target!(|data: &[u8]| -> Corpus {
    // Bytes that are no text are refused before the reader sees them.
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let wrong = tso::check(text, Syntax::Litmus).err().unwrap_or_default();
    // Drawing costs more than all the rest; the first few are enough.
    draw(&wrong[..wrong.len().min(3)], text);
    Corpus::Keep
});

#[cfg(feature = "programs")]
fn draw(diagnostics: &[serval_diagnostic::Diagnostic], text: &str) {
    serval_report::render_diagnostics(diagnostics, "fuzz.litmus", text, serval_report::Style::Plain);
}

/// What draws mistakes is not built here.
#[cfg(not(feature = "programs"))]
fn draw(_: &[serval_diagnostic::Diagnostic], _: &str) {}
