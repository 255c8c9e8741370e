//! `serval fix`: what is written, and what is changed.

mod support;

use serde_json::Value;
use support::{directory, root, serval, text};

const LOST: &str = "request save {\n  seen := N;\n  yield;\n  N := (seen + 1) % 3;\n  seen\n}\n";

fn json(arguments: &[&str], input: &str) -> (Value, Option<i32>) {
    let output = serval(&[&["fix", "--format", "json"], arguments].concat(), input.as_bytes());
    let line = text(&output.stdout);
    (serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}{}", text(&output.stderr))), output.status.code())
}

#[test]
fn a_fix_can_be_applied() {
    let path = directory("fix-apply").join("save.ser");
    std::fs::write(&path, LOST).unwrap();
    let name = path.to_str().unwrap();
    let output = serval(&["fix", name, "--apply", "2"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there is no fix 2; there is 1"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), LOST);
    assert_eq!(serval(&["fix", name, "--apply", "1"], b"").status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), LOST.replace("  yield;\n", ""));
    let (report, status) = json(&[name], "");
    assert_eq!((report["verdict"].as_str(), report["fix"].as_str(), status), (Some("serializable"), Some("not-needed"), Some(0)));
    // Nothing is left beside the file.
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn machines_get_one_object() {
    let (report, status) = json(&["-", "--input", "ser"], LOST);
    assert_eq!(status, Some(0));
    assert_eq!(report["fixes"][0]["yields"], serde_json::json!([[3, 3]]));
    assert_eq!(report["fixes"][0]["verified"], true);
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(root().join("docs/fix.schema.json")).unwrap()).unwrap();
    for (report, wanted) in [(report, 0), (json(&["examples/rendezvous.ser"], "").0, 1)] {
        for key in schema["required"].as_array().unwrap() {
            assert!(report.get(key.as_str().unwrap()).is_some(), "{key} {report}");
        }
        for (key, value) in report.as_object().unwrap() {
            let property = schema["properties"].get(key).unwrap_or_else(|| panic!("{key} is not in the schema"));
            assert!(property.get("enum").is_none_or(|allowed| allowed.as_array().unwrap().contains(value)), "{key}: {value}");
        }
        assert_eq!(report["fixes"].as_array().unwrap().is_empty(), wanted == 1);
    }
}

#[test]
fn statuses_are_as_promised() {
    let status = |arguments: &[&str], input: &str| serval(&[&["fix"], arguments].concat(), input.as_bytes()).status.code();
    assert_eq!(status(&["examples/spin-lock.ser"], ""), Some(0));
    assert_eq!(status(&["examples/lost-update.ser"], ""), Some(0));
    assert_eq!(status(&["examples/rendezvous.ser"], ""), Some(1));
    assert_eq!(status(&["examples/print-spooler.json"], ""), Some(2));
    assert_eq!(status(&["no-such-file.ser"], ""), Some(2));
    assert_eq!(status(&["-", "--input", "ser"], "request a { X = 1 }"), Some(2));
    assert_eq!(status(&["-", "--input", "ser", "--apply", "1"], LOST), Some(2));
    assert_eq!(status(&["examples/ticket-lock.ser", "--timeout", "0.000001"], ""), Some(3));
}
