//! Measurements that are compared with earlier ones.

use serde_json::Value;

use crate::alone;
use crate::support::{directory, serval, text};

#[test]
fn a_program_that_takes_twice_as_long_is_marked() {
    let _alone = alone();
    let arguments = ["bench", "--family", "counter", "--n", "100,101,102", "--runs", "5", "--jobs", "1"];
    let path = directory("bench-slower").join("before.json");
    // On a busy machine a measurement may be spoiled; not all of a hundred are.
    let marked = || {
        let measured = serval(&[&arguments[..], &["--format", "json"]].concat(), b"");
        let mut before: Value = serde_json::from_str(&text(&measured.stdout)).unwrap();
        // As if one had taken half as long before.
        for (row, factor) in before["rows"].as_array_mut().unwrap().iter_mut().zip([1.0, 0.5, 1.0]) {
            row["time_ms"]["total"] = (row["time_ms"]["total"].as_f64().unwrap() * factor).into();
        }
        std::fs::write(&path, before.to_string()).unwrap();
        let compared = serval(&[&arguments[..], &["--baseline", path.to_str().unwrap()]].concat(), b"");
        assert_eq!(compared.status.code(), Some(0));
        let (table, warnings) = (text(&compared.stdout), text(&compared.stderr));
        let marked: Vec<&str> = table.lines().filter(|line| line.contains(" slower") && line.starts_with("counter-")).collect();
        assert_eq!(table.contains("1 slower than before"), marked.len() == 1, "{table}");
        let right = marked.len() == 1 && marked[0].starts_with("counter-101");
        assert!(!right || warnings.contains("counter-101 takes"), "{warnings}");
        right
    };
    assert!((0..100).any(|_| marked()), "never marked, or others with it");
}
