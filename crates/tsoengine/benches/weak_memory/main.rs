//! Engine and checker against trying everything, on many thousands of random programs: a summary as JSON on standard output, a line for each kind on standard error.
//!
//! `cargo bench -p serval-tsoengine --bench weak_memory -- [COUNT] [KIND…] [DIRECTORY]`: at most so many programs of each kind, of all kinds or of these, and `sizes`: times of some programs, and of those of the directory together. Whatever is not as it should be ends it with the program.

mod sizes;
#[path = "../../tests/weak/mod.rs"]
mod weak;

use std::io::Write;
use std::time::Instant;

use weak::KINDS;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let most = given.iter().find_map(|argument| argument.parse().ok()).unwrap_or(u64::MAX);
    let named: Vec<&String> = given.iter().filter(|argument| argument.parse::<u64>().is_err()).collect();
    let directory = named.iter().map(std::path::Path::new).find(|path| path.is_dir());
    let mut parts = Vec::new();
    for kind in KINDS.iter().filter(|kind| named.is_empty() || named.iter().any(|name| *name == kind.name)) {
        let start = Instant::now();
        let counts = (kind.compare)(0..kind.whole.min(most));
        let counts: Vec<String> = counts.iter().map(|(what, count)| format!("\"{what}\": {count}")).collect();
        let part = format!("\"{}\": {{{}}}", kind.name, counts.join(", "));
        let _ = writeln!(std::io::stderr(), "{part} in {} s", start.elapsed().as_secs());
        parts.push(part);
    }
    if named.is_empty() || named.iter().any(|name| *name == "sizes") {
        parts.push(format!("\"sizes\": {{{}}}", sizes::sizes(directory).join(", ")));
    }
    let _ = writeln!(std::io::stdout(), "{{{}}}", parts.join(", "));
}
