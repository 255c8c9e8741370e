//! Arbitrary bytes as certificates: read, written, read again, and checked
//! against a few small inputs.

#![no_main]

#[path = "../checks/certificate.rs"]
mod certificate;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    // Bytes that are no text are refused before the reader sees them.
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let _ = certificate::check(text);
    Corpus::Keep
});
