//! Paths that documentation, scripts, manifests and comments name are there, so that none stays behind when files move.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::root;

/// Folders in which the paths begin that are looked at.
const FOLDERS: [&str; 8] = ["crates/", "docs/", "scripts/", "examples/", "fuzz/", "proofs/", "contrib/", ".ci/"];
/// Kinds of files that name them; what is in `scripts` and `.ci` has no ending.
const KINDS: [&str; 12] = ["md", "rs", "toml", "yml", "yaml", "tsv", "json", "py", "v", "ml", "js", "css"];
/// Folders that are made, or hold inputs as they were found.
const LEFT_OUT: [&str; 8] = [
    "target",
    "fuzz/target",
    "fuzz/corpus",
    "fuzz/artifacts",
    "proofs/_build",
    "web/node_modules",
    "web/dist",
    "editors/vscode/node_modules",
];

/// All files that may name paths, from the root of the repository.
fn files() -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap().map(Result::unwrap) {
            let path = folder.join(entry.file_name());
            if LEFT_OUT.iter().any(|out| path == Path::new(out)) || path == Path::new(".git") {
                continue;
            }
            let is_script = path.starts_with("scripts") || path.starts_with(".ci");
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if is_script || path.extension().is_some_and(|has| KINDS.iter().any(|kind| has == *kind)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The paths that a line names.
fn named(line: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./+".contains(c);
    let mut named = Vec::new();
    for folder in FOLDERS {
        for (at, _) in line.match_indices(folder) {
            // What stands in another path belongs to that one.
            if line[..at].ends_with(is_part) {
                continue;
            }
            let end = line[at..].find(|c| !is_part(c)).map_or(line.len(), |length| at + length);
            // A pattern, or a place for a name.
            let goes_on = line[end..].starts_with(['*', '<', '{', '$', '…']);
            let path = line[at..end].trim_end_matches(['.', '/', '-', '+']);
            if !goes_on && !path.contains("WING") {
                named.push(path);
            }
        }
    }
    named
}

/// Whether something is made there: results of builds, and certificates that a user keeps.
fn is_made(path: &str) -> bool {
    LEFT_OUT.iter().any(|out| Path::new(path).starts_with(out)) || path.starts_with("proofs/") && path.ends_with(".certificate.json")
}

#[test]
fn paths_that_are_named_are_there() {
    let (mut missing, mut seen) = (Vec::new(), BTreeSet::new());
    for file in files() {
        // Some files are not text, on purpose.
        let bytes = std::fs::read(root().join(&file)).unwrap();
        for (number, line) in (1..).zip(String::from_utf8_lossy(&bytes).lines()) {
            for path in named(line).into_iter().filter(|path| !is_made(path)) {
                if !root().join(path).exists() {
                    missing.push(format!("{}:{number}: {path}", file.display()));
                }
                seen.insert(path.to_owned());
            }
        }
    }
    assert!(seen.len() > 300, "only {} paths are found", seen.len());
    assert!(missing.is_empty(), "{} paths are not there:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn paths_are_found_in_lines() {
    let found = |line: &'static str| named(line);
    assert_eq!(found("see `docs/src/nets.md`, and scripts/count."), ["docs/src/nets.md", "scripts/count"]);
    assert_eq!(found("crates/WING/ROOM, crates/*/*, target/docs/x and `docs/{a,b}`"), Vec::<&str>::new());
}
