//! Arbitrary bytes as a program: parse, analyse, show, compile.

#![no_main]

#[path = "../checks/compile.rs"]
mod compile;
#[path = "../checks/syntax.rs"]
mod syntax;

use libfuzzer_sys::{Corpus, fuzz_target};
use serval_report::{Style, render_diagnostics};

fuzz_target!(|data: &[u8]| -> Corpus {
    // Bytes that are no text are refused before the parser sees them.
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let analysis = syntax::check(text);
    // Drawing costs more than all the rest; the first few are enough.
    let shown = &analysis.diagnostics[..analysis.diagnostics.len().min(3)];
    render_diagnostics(shown, "fuzz.ser", text, Style::Plain);
    if let Some(program) = &analysis.program {
        compile::check(text, program);
    }
    Corpus::Keep
});
