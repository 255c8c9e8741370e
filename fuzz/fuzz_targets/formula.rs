//! Arbitrary bytes as formulas, markings and properties: read, written, read again; mistakes are shown.

#![no_main]

#[path = "../checks/formula.rs"]
mod formula;

use libfuzzer_sys::{Corpus, fuzz_target};
#[cfg(feature = "programs")]
use serval_report::nets::net_words_mistake;

fuzz_target!(|data: &[u8]| -> Corpus {
    // Bytes that are no text are refused before the reader sees them.
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let _result = formula::check(text);
    #[cfg(feature = "programs")]
    if let Err(error) = _result {
        net_words_mistake(&error, text, &formula::subject());
    }
    Corpus::Keep
});
