//! Arbitrary bytes as network systems: read, write, read again.

#![no_main]

#[path = "../checks/json.rs"]
mod json;

use libfuzzer_sys::{Corpus, fuzz_target};
use serval_report::{Style, json_diagnostic, render_diagnostics};

fuzz_target!(|data: &[u8]| -> Corpus {
    // Bytes that are no text are refused before the reader sees them.
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    if let Err(error) = json::check(text) {
        render_diagnostics(&[json_diagnostic(&error)], "fuzz.json", text, Style::Plain);
    }
    Corpus::Keep
});
