//! `serval bench`: tables, comparisons, families.

use std::path::{Path, PathBuf};

use serde_json::Value;
use serval_effort::skips;
use serval_families::{FAMILIES, Family};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::support::{self, directory, serval, text};

const SERIALIZABLE: &str = "// expect: serializable\nrequest a { X := 1 - X }\n";
const RACY: &str = "// expect: not-serializable\nrequest a { y := X; yield; X := (y + 1) % 3; y }\n";

/// A directory with one program of each verdict, a system and something else.
fn programs(name: &str) -> PathBuf {
    let directory = directory(name);
    let system = r#"{"initial_global": "G", "requests": [["r", "L"]], "responses": [["M", "ok"]], "transitions": [["L", "G", "M", "G"]]}"#;
    for (file, text) in [("flip.ser", SERIALIZABLE), ("racy.ser", RACY), ("system.json", system), ("notes.txt", "nothing")] {
        std::fs::write(directory.join(file), text).unwrap();
    }
    directory
}

/// Standard output and exit status of a call.
fn bench(arguments: &[&str]) -> (String, Option<i32>) {
    let output = serval(&[&["bench"], arguments].concat(), b"");
    (text(&output.stdout), output.status.code())
}

fn json(arguments: &[&str]) -> (Value, Option<i32>) {
    let (out, status) = bench(&[arguments, &["--format", "json"]].concat());
    (serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}")), status)
}

fn written(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_table_is_as_the_headers_promise() {
    let programs = programs("bench-table");
    let (out, status) = bench(&[programs.to_str().unwrap(), "--no-times"]);
    assert_eq!(status, Some(0), "{out}");
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][..6], ["file", "verdict", "expected", "method", "certificate", "requests"]);
    assert_eq!(lines[1][..3], ["flip.ser", "serializable", "serializable"]);
    assert_eq!(lines[2][..6], ["racy.ser", "not-serializable", "not-serializable", "search", "run", "2"]);
    assert_eq!(lines[3][..3], ["system.json", "serializable", "–"]);
    assert!(out.ends_with("\n3 in all: 2 right, 0 wrong, 0 undecided, 1 without expectation\n"), "{out}");
    let again = bench(&[programs.to_str().unwrap(), "--no-times", "--jobs", "1", "--runs", "2"]);
    assert_eq!(again, (out, Some(0)), "the same bytes however it is run");
}

/// Whether all that must be there is there, and nothing else.
fn fits(value: &Value, schema: &Value, path: &str) {
    match value {
        Value::Object(object) => {
            for key in schema["required"].as_array().unwrap() {
                assert!(object.contains_key(key.as_str().unwrap()), "{path}: {key} is missing");
            }
            for (key, inner) in object {
                let part = schema["properties"].get(key).unwrap_or_else(|| panic!("{path}: {key} is not in the schema"));
                fits(inner, part, &format!("{path}.{key}"));
            }
        }
        Value::Array(array) => array.iter().for_each(|inner| fits(inner, &schema["items"], &format!("{path}[]"))),
        Value::Number(number) => {
            let kind = schema["type"].as_str().unwrap();
            assert!(kind == "number" || (kind == "integer" && number.is_u64()), "{path}: {number} is no {kind}");
        }
        Value::String(text) => {
            assert_eq!(schema["type"], "string", "{path}: {text}");
            assert!(schema.get("enum").is_none_or(|allowed| allowed.as_array().unwrap().contains(value)), "{path}: {text}");
        }
        Value::Bool(_) => assert_eq!(schema["type"], "boolean", "{path}"),
        Value::Null => panic!("{path}: null"),
    }
}

#[test]
fn json_fits_its_schema() {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(support::root().join("docs/bench.schema.json")).unwrap()).unwrap();
    let programs = programs("bench-schema");
    let files = programs.to_str().unwrap();
    let beside = directory("bench-schema-more");
    let (earlier, _) = bench(&[files, "--format", "json"]);
    let before = written(&beside, "before.json", &earlier);
    let table = written(&beside, "table.csv", "flip.ser,serializable,47\n");
    let (plain, _) = json(&[files, "--no-times", "--method", "search", "--timeout", "0.1"]);
    let (full, _) = json(&[files, "--baseline", &before, "--expected", &table]);
    assert_eq!(full["rows"][0]["baseline"]["verdict"], "serializable");
    for report in [plain, full] {
        fits(&report, &schema, "report");
    }
}

#[test]
fn csv_and_json_say_the_same() {
    let programs = programs("bench-formats");
    let directory = programs.to_str().unwrap();
    let (csv, status) = bench(&[directory, "--format", "csv"]);
    assert_eq!(status, Some(0));
    let (json, status) = json(&[directory]);
    assert_eq!(status, Some(0));
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |title: &str| lines[0].iter().position(|has| *has == title).unwrap();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!((lines.len(), rows.len()), (4, 3));
    for (line, row) in lines[1..].iter().zip(rows) {
        assert_eq!(line.len(), lines[0].len());
        for title in ["file", "verdict", "expected", "outcome", "method", "certificate"] {
            assert_eq!(line[column(title)], row.get(title).map_or("", |value| value.as_str().unwrap()), "{title}");
        }
        assert_eq!(line[column("steps")], row["sizes"]["steps"].to_string());
        assert!(row["time_ms"]["total"].as_f64().unwrap() >= row["time_ms"]["verify"].as_f64().unwrap());
        line[column("total_ms")].parse::<f64>().unwrap();
    }
    assert_eq!(json["schema"], 1);
    assert_eq!(json["summary"]["right"], 2);
    assert_eq!(json["summary"]["unjudged"], 1);
    assert!(json["summary"]["total_ms"].is_number() && json["summary"]["verify_ms"].is_number());
    if cfg!(target_os = "linux") {
        assert!(json["summary"]["peak_mib"].as_u64().unwrap() > 0);
    }
}

#[test]
fn a_table_of_verdicts_decides_what_is_expected() {
    let programs = programs("bench-expected");
    let files = programs.to_str().unwrap();
    let beside = directory("bench-expected-tables");
    let right = written(
        &beside,
        "right.csv",
        "file,verdict,published_total_ms\nflip.ser,serializable,4000000\nracy.ser,not-serializable,TIMEOUT\n",
    );
    let (report, status) = json(&[files, "--expected", &right]);
    assert_eq!(status, Some(0));
    assert_eq!(report["rows"][0]["published"], "4000000");
    assert!(report["rows"][0]["published_ratio"].as_f64().unwrap() > 1.0);
    assert_eq!(report["rows"][1]["published"], "TIMEOUT");
    assert!(report["rows"][1].get("published_ratio").is_none());
    // The table counts, whatever the header says.
    let wrong = written(&beside, "wrong.csv", "flip.ser,not-serializable\n");
    let (report, status) = json(&[files, "--expected", &wrong]);
    assert_eq!(status, Some(1));
    assert_eq!(report["summary"]["wrong"], 1);
    assert_eq!(report["rows"][1]["outcome"], "unjudged");
    // What CSV says can be expected.
    let (csv, _) = bench(&[files, "--format", "csv"]);
    let own = written(&beside, "own.csv", &csv);
    let (report, status) = json(&[files, "--expected", &own]);
    assert_eq!((status, &report["summary"]["right"]), (Some(0), &Value::from(3)));
    let missing = written(&beside, "missing.csv", "flip.ser,serializable\nother.ser,serializable\n");
    let output = serval(&["bench", files, "--expected", &missing], b"");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("other.ser"));
}

#[test]
fn undecided_is_not_as_expected() {
    let programs = programs("bench-undecided");
    let (report, status) = json(&[programs.to_str().unwrap(), "--method", "search", "--timeout", "0.1"]);
    assert_eq!(status, Some(1));
    assert_eq!(report["rows"][0]["outcome"], "undecided");
    // A slow machine does not even refute the other one.
    assert!(report["summary"]["undecided"].as_u64().unwrap() >= 2, "{report}");
    // There is no expected verdict of the system.
    let (_, status) = json(&[programs.join("system.json").to_str().unwrap(), "--method", "search", "--timeout", "0.1"]);
    assert_eq!(status, Some(0));
}

#[test]
fn baselines_show_ratios_and_what_differs() {
    let programs = programs("bench-baseline");
    let files = programs.to_str().unwrap();
    let beside = directory("bench-baselines");
    let (earlier, _) = bench(&[files, "--format", "json"]);
    let path = written(&beside, "same.json", &earlier);
    let (report, status) = json(&[files, "--baseline", &path]);
    assert_eq!(status, Some(0));
    assert_eq!(report["rows"][1]["baseline"]["differs"], false);
    assert!(report["rows"][1]["baseline"]["ratio"].is_number());
    // It took almost no time and had the other verdict.
    let row = |verdict: &str, total: f64| {
        format!(r#"{{"schema": 1, "rows": [{{"file": "x/racy.ser", "verdict": "{verdict}", "time_ms": {{"total": {total}}}}}]}}"#)
    };
    let path = written(&beside, "other.json", &row("serializable", 1.0));
    let (report, status) = json(&[files, "--baseline", &path]);
    assert_eq!(status, Some(1));
    assert_eq!(report["summary"]["differ_from_baseline"], 1);
    assert!(report["rows"][0].get("baseline").is_none());
    // A counter up to 3000 takes more than 5 ms on any machine of today.
    let quick = r#"{"schema": 1, "rows": [{"file": "counter-3000", "verdict": "serializable", "time_ms": {"total": 0.1}}]}"#;
    let path = written(&beside, "quick.json", quick);
    let output = serval(&["bench", "--family", "counter", "--n", "3000", "--baseline", &path], b"");
    assert_eq!(output.status.code(), Some(0), "slower is a warning");
    assert!(text(&output.stderr).contains("warning: counter-3000 takes"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("1 slower than before"), "{}", text(&output.stdout));
}

#[test]
fn mistakes_exit_with_2() {
    let beside = directory("bench-mistakes");
    let csv = written(&beside, "bad.csv", "a.ser,perhaps\n");
    let json = written(&beside, "bad.json", "{}");
    let program = written(&beside, "bad.ser", "request {");
    let cases: [(&[&str], &str); 11] = [
        (&[], "required"),
        (&["no-such-directory"], "no-such-directory"),
        (&["examples", "--expected", &csv], "line 1: perhaps is not a verdict"),
        (&["examples", "--expected", "no.csv"], "no.csv"),
        (&["examples", "--baseline", &json], "not written by serval bench"),
        (&[&program], "E0"),
        (&["-"], "standard input"),
        (&["--family", "unknown"], "there are all, counter,"),
        (&["--family", "counter", "--n", "1"], "from 2 to 1000000"),
        (&["--family", "counter", "--n", "2,3", "--emit"], "one family and one size"),
        (&["examples", "--n", "3"], "--family"),
    ];
    for (arguments, words) in cases {
        let output = serval(&[&["bench"], arguments].concat(), b"");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
}

#[test]
fn emitted_programs_are_those_of_the_families_and_can_be_checked() {
    for family in FAMILIES {
        let (program, status) = bench(&["--family", family.name, "--n", "3", "--emit"]);
        assert_eq!((program.as_str(), status), (family.program(3).as_str(), Some(0)), "{}", family.name);
    }
    let (program, _) = bench(&["--family", "counter_racy", "--n", "3", "--emit"]);
    assert_eq!(serval(&["check", "-", "--input", "ser"], program.as_bytes()).status.code(), Some(1));
    let (usual, _) = bench(&["--family", "bank", "--emit"]);
    assert_eq!(usual, Family::named("bank").unwrap().program(8));
}

#[test]
fn families_have_the_verdict_that_they_should_have() {
    if skips("cli.families") {
        return;
    }
    let (report, status) = json(&["--family", "all", "--n", "2,3"]);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2 * FAMILIES.len());
    assert_eq!((&rows[0]["file"], &rows[1]["file"]), (&Value::from("counter-2"), &Value::from("counter-3")));
    for row in rows {
        assert_ne!(row["outcome"], "wrong", "{row}");
    }
    assert_eq!(status, Some(i32::from(report["summary"]["undecided"] != 0)));
}

#[test]
fn the_suite_is_measured_against_its_table() {
    let Some(suite) = data_dir("suite") else { return };
    let (report, _) = json(&[suite.to_str().unwrap(), "--expected", suite.join("expected.csv").to_str().unwrap()]);
    let summary = &report["summary"];
    assert_eq!((&summary["files"], &summary["wrong"], &summary["errors"]), (&Value::from(47), &Value::from(0), &Value::from(0)));
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["published"].is_string() && row["expected"].is_string()));
    say(&format!("suite: {} right, {} undecided, none wrong", summary["right"], summary["undecided"]));
}

#[test]
fn the_ablation_has_a_column_per_setting() {
    let programs = programs("bench-ablation");
    let (out, status) = bench(&[programs.to_str().unwrap(), "--method", "classic", "--ablation", "--no-times"]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.lines().next().unwrap().trim().starts_with("all on  without order"), "{out}");
    assert!(out.lines().any(|line| line.starts_with("decided  ") && line.matches("3 of 3").count() == 6), "{out}");
    assert!(!out.contains("ms:"), "{out}");
    let (again, _) = bench(&[programs.to_str().unwrap(), "--ablation", "--no-times"]);
    assert_eq!(again, out);
    let (markdown, status) = bench(&[programs.to_str().unwrap(), "--ablation", "--format", "markdown"]);
    assert_eq!(status, Some(0), "{markdown}");
    assert!(markdown.starts_with("|  | all on |") && markdown.contains("| ms: median |"), "{markdown}");
    for wrong in [&["--method", "flow"][..], &["--format", "json"], &["--runs", "2"]] {
        assert_eq!(bench(&[&[programs.to_str().unwrap(), "--ablation"], wrong].concat()).1, Some(2), "{wrong:?}");
    }
}

#[test]
fn times_are_drawn() {
    let directory = directory("bench-svg");
    for (arguments, words) in [
        (vec!["bench", "examples/counter.ser", "examples/lost-update.ser"], "2 of 2"),
        (vec!["bench", "--family", "counter", "--n", "2,4"], "counter"),
    ] {
        let path = directory.join("times.svg");
        let output = serval(&[&arguments[..], &["--svg", path.to_str().unwrap()]].concat(), b"");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let drawn = std::fs::read_to_string(&path).unwrap();
        assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n") && drawn.contains(words), "{drawn}");
        assert!(drawn.matches("<circle").count() >= 2, "{drawn}");
    }
}
