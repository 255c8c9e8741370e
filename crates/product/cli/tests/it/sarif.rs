//! SARIF as the standard has it, and annotations at the right lines.

use serde_json::Value;
use serval_effort::skips;
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::schema;
use crate::support::{root, serval, text};

fn json(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root().join(path)).unwrap()).unwrap()
}

fn sarif(arguments: &[&str], input: &[u8]) -> Value {
    let output = serval(&[&["check", "--format", "sarif"], arguments].concat(), input);
    let log: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let standard = json("crates/product/cli/tests/schemas/sarif-2.1.0.json");
    schema::fits(&log, &standard, &standard, "sarif");
    log
}

#[test]
fn everything_is_valid_sarif() {
    if skips("cli.sarif") {
        return;
    }
    let log = sarif(&["examples"], b"");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let flows = results.iter().filter(|result| !result["codeFlows"].is_null()).count();
    assert!(flows > 30, "{flows}");
    let fixes = results.iter().filter(|result| !result["fixes"].is_null()).count();
    assert!(fixes > 30, "{fixes}");
    // One that is refused, and one that is undecided.
    let broken = sarif(&["-", "--input", "ser"], b"request a { X := ");
    assert_eq!(broken["runs"][0]["results"][0]["level"], "error");
    let open = sarif(&["examples/ticket-lock.ser", "--method", "reduce"], b"");
    assert_eq!(open["runs"][0]["results"][0]["ruleId"], "undecided");
    if let Some(suite) = data_dir("suite") {
        let log = sarif(&[suite.to_str().unwrap()], b"");
        say(&format!("suite: {} results in SARIF", log["runs"][0]["results"].as_array().unwrap().len()));
    }
}

#[test]
fn the_standard_is_not_taken_lightly() {
    let standard = json("crates/product/cli/tests/schemas/sarif-2.1.0.json");
    let good = sarif(&["examples/lost-update.ser"], b"");
    for (pointer, wrong) in [
        ("/version", Value::from("2.0.0")),
        ("/runs/0/results/0/level", Value::from("fatal")),
        ("/runs/0/results/0/message", serde_json::json!({"txt": "a"})),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", Value::from(0)),
        ("/runs/0/tool", serde_json::json!({})),
        ("/runs/0/results/0/codeFlows/0/threadFlows", serde_json::json!([])),
    ] {
        let mut log = good.clone();
        *log.pointer_mut(pointer).unwrap() = wrong;
        let refused = std::panic::catch_unwind(|| schema::fits(&log, &standard, &standard, "sarif"));
        assert!(refused.is_err(), "{pointer}");
    }
}

#[test]
fn annotations_are_at_the_lines_of_the_cycle() {
    let output = serval(&["check", "--format", "github", "examples/lost-update.ser"], b"");
    let said = text(&output.stdout);
    let report = serval(&["check", "--format", "json", "examples/lost-update.ser"], b"");
    let report: Value = serde_json::from_str(&text(&report.stdout)).unwrap();
    // The last write of the run is what no order explains.
    let mut accesses =
        report["counterexample"]["steps"].as_array().unwrap().iter().flat_map(|step| step["accesses"].as_array().into_iter().flatten());
    let last = accesses.rfind(|access| access["op"] == "write").unwrap();
    let line = last["span"][0].as_u64().unwrap();
    assert!(said.starts_with(&format!("::error file=examples/lost-update.ser,line={line},endLine={line},col=")), "{said}");
    assert!(said.contains("title=not serializable%3A lost update::"), "{said}");
    let here = serval(&["check", "--format", "github", "./examples/lost-update.ser"], b"");
    assert_eq!(text(&here.stdout), said);
    let source = std::fs::read_to_string(root().join("examples/lost-update.ser")).unwrap();
    assert!(source.lines().nth(usize::try_from(line).unwrap() - 1).unwrap().contains("EDITS :="));
}
