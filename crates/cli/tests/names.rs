//! Known anomalies get their names: programs written for the purpose, and all
//! examples whose header promises a name.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod support;

use std::path::PathBuf;

use serde_json::Value;

fn programs() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in ["crates/cli/tests/names", "examples"] {
        let entries = std::fs::read_dir(support::root().join(directory)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "ser")));
    }
    files.sort();
    files
}

#[test]
fn anomalies_have_the_names_that_headers_promise() {
    let (mut purpose, mut named) = (0, std::collections::BTreeSet::new());
    for path in programs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let Some(promised) = text.lines().next().and_then(|line| line.strip_prefix("// expect: not-serializable ")) else { continue };
        let output = support::serval(&["check", "--format", "json", "-q", path.to_str().unwrap()], b"");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["counterexample"]["anomaly"], promised, "{}", path.display());
        purpose += usize::from(path.to_string_lossy().contains("names"));
        named.insert(promised.to_owned());
    }
    assert!(purpose >= 20, "{purpose} programs for the purpose");
    assert_eq!(named.len(), 6, "{named:?}");
}
