//! Arbitrary bytes as a vector addition system: read, written as what it is and in both formats of nets, read again;
//! mistakes are shown.

#![no_main]

#[path = "../checks/net.rs"]
mod net;

use libfuzzer_sys::{Corpus, fuzz_target};
#[cfg(feature = "programs")]
use serval_report::nets::net_file_mistake;

fuzz_target!(|data: &[u8]| -> Corpus {
    // Bytes that are no text are refused before the reader sees them.
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let _result = net::check_vass(text);
    #[cfg(feature = "programs")]
    if let Err(error) = _result {
        net_file_mistake(&error, "fuzz.vass", text);
    }
    Corpus::Keep
});
