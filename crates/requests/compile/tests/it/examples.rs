//! Every example does what its header says, as far as few requests can tell.

use std::path::PathBuf;

use serval_budget::Budget;
use serval_compile::{CompileError, Options, compile};
use serval_effort::{side_by_side, skips};
use serval_model::{NetworkSystem, completed_multisets, serial_multisets};
use serval_syntax::{ExpectedVerdict, Severity, analyze};
use serval_testkit::say;
use serval_testkit::suite::repository_root;

/// How many requests are tried. Every example that is not serializable shows
/// it with at most three, but for those below.
const REQUESTS: usize = 3;

/// Examples that need more requests than can be tried, and look serializable
/// with few.
const NEED_MORE: &[&str] = &["flap-damping.ser"];

fn files(extension: &str) -> Vec<PathBuf> {
    let directory = repository_root().join("examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|has| has == extension));
    files.sort();
    files
}

/// Whether few requests give answers that no serial order gives.
fn refuted(system: &NetworkSystem) -> bool {
    let budget = || Budget::ticks(50_000_000);
    let interleaved = completed_multisets(system, REQUESTS, &mut budget()).unwrap();
    let serial = serial_multisets(system, REQUESTS, &mut budget()).unwrap();
    assert!(serial.is_subset(&interleaved));
    serial != interleaved
}

#[test]
fn programs_do_what_their_headers_say() {
    if skips("compile.programs_do_what_their_headers_say") {
        return;
    }
    let verdicts = side_by_side(&files("ser"), |path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let analysis = analyze(&text);
        let loud: Vec<_> = analysis.diagnostics.iter().filter(|diagnostic| diagnostic.severity != Severity::Note).collect();
        assert!(loud.is_empty(), "{name}: {loud:#?}");
        let program = analysis.program.unwrap();
        let expectation = program.expectation.as_ref().unwrap_or_else(|| panic!("{name}: no `// expect:` line"));
        let story = text.lines().take_while(|line| line.starts_with("//")).count();
        assert!(story >= 4, "{name}: a story of {story} lines");
        let compiled = compile(&program, Options::default(), &Budget::unlimited());
        if expectation.verdict == ExpectedVerdict::Fault {
            assert!(matches!(compiled, Err(CompileError::Fault(_))), "{name}");
            return expectation.verdict;
        }
        let compiled = compiled.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let found = compiled.components().iter().any(|component| refuted(component.system()));
        let expected = expectation.verdict == ExpectedVerdict::NotSerializable && !NEED_MORE.contains(&name.as_str());
        assert_eq!(found, expected, "{name}");
        expectation.verdict
    });
    let wrong = verdicts.iter().filter(|verdict| **verdict == ExpectedVerdict::NotSerializable).count();
    let failing = verdicts.iter().filter(|verdict| **verdict == ExpectedVerdict::Fault).count();
    let right = verdicts.len() - wrong - failing;
    say(&format!(
        "examples: {right} serializable, {wrong} not and {failing} that can fail, as their headers say, with up to {REQUESTS} requests"
    ));
    assert!(right + wrong >= 24);
}

#[test]
fn systems_do_what_the_list_says() {
    let list = std::fs::read_to_string(repository_root().join("examples/README.md")).unwrap();
    for path in files("json") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let system = NetworkSystem::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let row = list.lines().find(|line| line.contains(&name)).unwrap_or_else(|| panic!("{name} is not in the list"));
        let promised = !row.contains("not serializable") && !row.contains("not-serializable");
        assert_eq!(refuted(&system), !promised, "{name}: {row}");
    }
}

#[test]
fn the_list_is_complete() {
    let list = std::fs::read_to_string(repository_root().join("examples/README.md")).unwrap();
    for path in files("ser").into_iter().chain(files("json")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(list.contains(&name), "{name} is not in examples/README.md");
    }
}
