//! Arbitrary bytes as a program on weak memory: read, and mistakes are shown.

#![no_main]

#[path = "../checks/tso.rs"]
mod tso;

use libfuzzer_sys::{Corpus, fuzz_target};
use serval_report::{Style, render_diagnostics};
use serval_tso::Syntax;

fuzz_target!(|data: &[u8]| -> Corpus {
    // Bytes that are no text are refused before the reader sees them.
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    tso::check_lexemes(text);
    if let Err(diagnostics) = tso::check(text, Syntax::Tso) {
        // Drawing costs more than all the rest; the first few are enough.
        render_diagnostics(&diagnostics[..diagnostics.len().min(3)], "fuzz.tso", text, Style::Plain);
    }
    Corpus::Keep
});
