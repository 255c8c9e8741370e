//! Known anomalies get their names: programs written for the purpose, and all
//! examples whose header promises a name.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;
use serval_effort::side_by_side;

use crate::support;

fn programs() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in ["crates/product/cli/tests/names", "examples"] {
        let entries = std::fs::read_dir(support::root().join(directory)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "ser")));
    }
    files.sort();
    files
}

#[test]
fn anomalies_have_the_names_that_headers_promise() {
    let found = side_by_side(&programs(), |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let promised = text.lines().next()?.strip_prefix("// expect: not-serializable ")?;
        let output = support::serval(&["check", "--format", "json", "-q", path.to_str().unwrap()], b"");
        let report: Value = serde_json::from_str(&support::text(&output.stdout)).unwrap();
        assert_eq!(report["counterexample"]["anomaly"], promised, "{}", path.display());
        Some((path.to_string_lossy().contains("names"), promised.to_owned()))
    });
    let purpose = found.iter().flatten().filter(|(purpose, _)| *purpose).count();
    let named: BTreeSet<&String> = found.iter().flatten().map(|(_, name)| name).collect();
    assert!(purpose >= 20, "{purpose} programs for the purpose");
    assert_eq!(named.len(), 7, "{named:?}");
}
