//! The library does what the program does: the same object for every example
//! and every program of the suite, through its public interface alone.

use std::path::{Path, PathBuf};

use serval::{Input, InputKind, Options, decide};
use serval_effort::{side_by_side, skips};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::support;

/// What `serval check --format json --no-times` prints about a file.
fn by_program(file: &Path) -> String {
    let file = file.to_str().unwrap();
    let output = support::serval(&["check", "--format", "json", "--no-times", "--jobs", "1", file], b"");
    String::from_utf8(output.stdout).unwrap()
}

/// The same by the library, which gets the name and the text.
fn by_library(file: &Path) -> String {
    let (name, text) = (file.to_str().unwrap(), std::fs::read_to_string(file).unwrap());
    let kind = if file.extension().is_some_and(|ending| ending == "json") { InputKind::System } else { InputKind::Program };
    match Input::read(text, kind) {
        Ok(input) => decide(&input, &Options::default()).into_report(name, &input, false).to_json(),
        Err(mistakes) => mistakes.report(name).to_json(),
    }
}

fn inputs(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            inputs(&entry, found);
        } else if entry.extension().is_some_and(|ending| ending == "ser" || ending == "json") {
            found.push(entry);
        }
    }
}

#[test]
fn the_library_says_what_the_program_says() {
    if skips("cli.library") {
        return;
    }
    let mut files = Vec::new();
    inputs(&support::root().join("examples"), &mut files);
    // Among these is one that is no program.
    inputs(&support::root().join("docs/src"), &mut files);
    let own = files.len();
    if let Some(suite) = data_dir("suite") {
        inputs(&suite, &mut files);
    }
    files.sort();
    assert!(own > 50, "{own} files");
    side_by_side(&files, |file| assert_eq!(by_library(file), by_program(file), "{}", file.display()));
    say(&format!("{} files: the same objects\n", files.len()));
}
