//! Engine and checker against trying everything, on many thousands of random programs: a line of JSON for each kind on standard output. Whatever is not as it should be ends it with the program.
//!
//! `cargo bench -p serval-tso-engine --bench weak_memory -- …`
//! - `[FROM..TO] [KIND…] [DIRECTORY…]`: programs of all kinds or of these, the whole number of them or those of these seeds; `sizes` are times of some programs, of each in the directories, and of those of a directory together;
//! - `join FILE…`: such lines, added up;
//! - `page FILE…`: a page of them.

mod page;
mod sizes;
mod summary;
#[path = "../../tests/it/weak/mod.rs"]
mod weak;

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use summary::Part;
use weak::KINDS;

fn say(text: &str) {
    // An output that cannot be written has no reader.
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Seeds, written as `FROM..TO` or as how many.
fn seeds(text: &str) -> Option<Range<u64>> {
    let (from, to) = text.split_once("..").unwrap_or(("0", text));
    Some(from.parse().ok()?..to.parse().ok()?)
}

/// What the files say together.
fn joined(files: &[String]) -> Result<Vec<Part>, String> {
    let mut text = String::new();
    for file in files {
        text += &std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    }
    summary::joined(&text).map_err(|error| error.to_string())
}

fn compared(given: &[String]) {
    let seeds = given.iter().find_map(|argument| seeds(argument)).unwrap_or(0..u64::MAX);
    let (directories, named): (Vec<&String>, Vec<&String>) =
        given.iter().filter(|argument| self::seeds(argument).is_none()).partition(|argument| Path::new(argument).is_dir());
    let is_named = |name: &str| named.is_empty() || named.iter().any(|given| *given == name);
    for kind in KINDS.iter().filter(|kind| is_named(kind.name)) {
        let start = Instant::now();
        let (from, to) = (seeds.start.min(kind.whole), seeds.end.min(kind.whole));
        let counts = (kind.compare)(from..to).into_iter().map(|(what, count)| (what.to_owned(), count)).collect();
        let part =
            Part { kind: kind.name.to_owned(), seeds: vec![[from, to]], seconds: start.elapsed().as_secs(), counts, sizes: Vec::new() };
        say(&part.line());
    }
    if is_named("sizes") {
        let start = Instant::now();
        let sizes = sizes::sizes(&directories.iter().map(Path::new).collect::<Vec<_>>());
        let (kind, seconds) = ("sizes".to_owned(), start.elapsed().as_secs());
        say(&Part { kind, seeds: Vec::new(), seconds, counts: std::collections::BTreeMap::new(), sizes }.line());
    }
}

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let told = match given.split_first() {
        Some((first, files)) if first == "join" => {
            joined(files).map(|parts| say(&parts.iter().map(Part::line).collect::<Vec<_>>().join("\n")))
        }
        Some((first, files)) if first == "page" => joined(files).map(|parts| say(page::page(&parts).trim_end())),
        _ => {
            compared(&given);
            Ok(())
        }
    };
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}
