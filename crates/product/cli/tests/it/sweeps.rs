//! Every sweep has a name of its own, and a change of the product that it must notice.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::architecture::metadata;
use crate::support::root;

/// Where these changes are written down.
const TABLE: &str = "crates/dev/effort/sabotages.tsv";

/// How a sweep begins; in two parts, so that this is none.
const CALL: &str = concat!("sweep", "(");

fn rust_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The names of the sweeps in a text.
fn names(text: &str) -> Vec<&str> {
    let name = |(at, call): (usize, &str)| {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        let is_code = !line.trim_start().starts_with("//") && !line.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let rest = text[at + call.len()..].trim_start().strip_prefix('"')?;
        is_code.then(|| rest.split('"').next()).flatten()
    };
    text.match_indices(CALL).filter_map(name).collect()
}

/// All sweeps of the workspace, each with the files that have it.
fn sweeps() -> BTreeMap<String, Vec<String>> {
    let (mut files, mut found) = (Vec::new(), BTreeMap::<String, Vec<String>>::new());
    rust_files(&root().join("crates"), &mut files);
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for name in names(&text) {
            found.entry(name.to_owned()).or_default().push(path.display().to_string());
        }
    }
    found
}

#[test]
fn names_of_sweeps_are_found() {
    let text = format!("a {CALL}\"x.y\", 1, 2); my_{CALL}\"no\")\n  b::{CALL}\n    \"z\",\n// {CALL}\"comment\")\nfn {CALL}name: &str)\n");
    assert_eq!(names(&text), ["x.y", "z"]);
}

#[test]
fn every_sweep_has_a_name_of_its_own() {
    let sweeps = sweeps();
    assert!(!sweeps.is_empty());
    for (name, files) in sweeps {
        assert_eq!(files.len(), 1, "{name} is the name of several sweeps: {files:?}");
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_.".contains(letter);
        assert!(name.contains('.') && name.chars().all(is_plain), "{name} is no name like `crate.what`");
    }
}

#[test]
fn every_sweep_has_a_change_that_it_must_notice() {
    let table = fs::read_to_string(root().join(TABLE)).unwrap_or_else(|error| panic!("{TABLE}: {error}"));
    let rows = table.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let (sweeps, metadata, mut wrong) = (sweeps(), metadata(), Vec::new());
    let mut without: Vec<String> = sweeps.keys().cloned().collect();
    for (number, row) in rows {
        let mut complain = |what: &str| wrong.push(format!("{TABLE}:{}: {what}", number + 1));
        let columns: Vec<&str> = row.split('\t').collect();
        let &[sweep, package, target, _filter, file, old, new] = columns.as_slice() else {
            complain("there are seven columns in a row");
            continue;
        };
        without.retain(|name| name != sweep);
        if !sweeps.contains_key(sweep) {
            complain(&format!("there is no sweep {sweep}"));
        }
        let mut packages = metadata["packages"].as_array().unwrap().iter();
        let targets = packages.find(|one| one["name"] == package).and_then(|one| one["targets"].as_array());
        let is_meant = |one: &serde_json::Value| one["kind"][0] == target || one["name"] == target && one["kind"][0] == "test";
        if !targets.is_some_and(|targets| targets.iter().any(is_meant)) {
            complain(&format!("there is no target {target} of {package}"));
        }
        match fs::read_to_string(root().join(file)) {
            Ok(text) => match text.matches(old).count() {
                1 if old != new => {}
                1 => complain("nothing is changed"),
                count => complain(&format!("{file} has {old:?} {count} times")),
            },
            Err(error) => complain(&format!("{file}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(without.is_empty(), "{TABLE} has no row for {without:?}");
}
