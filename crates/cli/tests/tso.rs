//! `serval tso`: what is said, with which status, and that the evidence holds.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

#[path = "support/schema.rs"]
mod schema;
mod support;

use support::{directory, serval, text};

const SB: &str = "memory x = 0, y = 0;\nthread L { x := 1; r := y; }\nthread R { y := 1; r := x; }\nexists L.r == 0 && R.r == 0;\n";

fn status(arguments: &[&str], input: &str) -> i32 {
    serval(arguments, input.as_bytes()).status.code().unwrap()
}

/// Every example, whether it is robust, its answers under SC and TSO, and the fewest fences.
const EXAMPLES: &[(&str, &str, &str, usize)] = &[
    ("burns", "not-robust", "unreachable reachable", 3),
    ("dekker", "not-robust", "unreachable reachable", 4),
    ("lamport-fast", "not-robust", "unreachable reachable", 4),
    ("peterson", "not-robust", "unreachable reachable", 2),
    ("store-buffering", "not-robust", "unreachable reachable", 2),
    ("test-and-set", "robust", "unreachable unreachable", 0),
    ("ticket", "robust", "unreachable unreachable", 0),
];

#[test]
fn every_example_has_its_verdict_and_its_evidence_is_valid() {
    let mut files: Vec<String> = std::fs::read_dir(support::root().join("examples/tso"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, EXAMPLES.iter().map(|example| example.0).collect::<Vec<_>>());
    let directory = directory("tso-examples");
    for &(name, robust, answers, fences) in EXAMPLES {
        let file = format!("examples/tso/{name}.tso");
        let (kept, fixed) = (directory.join(format!("{name}.json")), directory.join(format!("{name}.fix.json")));
        let (kept, fixed) = (kept.to_str().unwrap(), fixed.to_str().unwrap());
        let output = serval(&["tso", "check", &file, "--format", "json", "--no-times", "--certificate", kept], b"");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let question = &report["questions"][0];
        assert_eq!(report["robust"], robust, "{name}");
        assert_eq!(format!("{} {}", question["sc"].as_str().unwrap(), question["tso"].as_str().unwrap()), answers, "{name}");
        assert_eq!(output.status.code(), Some(i32::from(robust != "robust")), "{name}");
        assert_eq!(report["certificate"]["verified"], true);
        let output = serval(&["tso", "fix", &file, "--format", "json", "--certificate", fixed], b"");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((report["fences"].as_array().unwrap().len(), output.status.code()), (fences, Some(0)), "{name}");
        for certificate in [kept, fixed] {
            let output = serval(&["verify", &file, certificate], b"");
            assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stdout));
        }
        // Evidence about one program is none about another.
        assert_eq!(status(&["verify", "examples/tso/ticket.tso", kept], ""), i32::from(name != "ticket"), "{name}");
    }
}

#[test]
fn what_is_written_meets_the_schemas() {
    let rules = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(support::root().join(format!("docs/tso-{name}.schema.json"))).unwrap()).unwrap()
    };
    let (report, evidence) = (rules("check"), rules("certificate"));
    let directory = directory("tso-schema");
    let path = directory.join("certificate.json");
    let path = path.to_str().unwrap();
    let copies = "memory x = 0, z = 0; thread* P { r := z; x := 1; r := z; z := 1; }";
    let robust = "memory x = 0; thread* P { x := 1; assert 1 == 1; }";
    let again = "memory x = 0, y = 0; thread P { loop { x := 1; r := y; } } thread Q { y := 1; s := x; l: skip; } never Q.s == 2 && Q@l;";
    for text in [SB, copies, robust, again, "memory x = 0; thread P { x = 1; }", "memory n; thread P { loop { r := n; n := r + 1; } }"] {
        let _ = std::fs::remove_file(path);
        for more in [&["--certificate", path][..], &["--max-states", "2"]] {
            let output = serval(&[&["tso", "check", "-", "--format", "json"], more].concat(), text.as_bytes());
            let object = serde_json::from_slice(&output.stdout).unwrap();
            schema::fits(&object, &report, &report, text);
        }
        if let Ok(kept) = std::fs::read_to_string(path) {
            schema::fits(&serde_json::from_str(&kept).unwrap(), &evidence, &evidence, text);
        }
    }
    assert_eq!(status(&["tso", "fix", "-", "--certificate", path], SB), 0);
    schema::fits(&serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap(), &evidence, &evidence, "fences");
}

#[test]
fn what_is_shown_of_store_buffering() {
    let output = serval(&["tso", "check", "examples/tso/store-buffering.tso"], b"");
    let expected = "\
not robust  examples/tso/store-buffering.tso   certificate checked
  exists L.r == 0 && R.r == 0   SC forbidden   TSO allowed

  exists L.r == 0 && R.r == 0

        L                  R                  memory    buffer L   buffer R
    1   x := 1             |                  x=0 y=0   x=1
    2   r := y  → 0        |                  x=0 y=0   x=1
    3   |                  y := 1             x=0 y=0   x=1        y=1
    4   |                  r := x  → 0        x=0 y=0   x=1        y=1
    5   x reaches memory   |                  x=1 y=0              y=1
    6   |                  y reaches memory   x=1 y=1

  no run under sequential consistency has the order of this one

        L                  R                  memory    buffer L   buffer R
    1   x := 1             |                  x=0 y=0   x=1
    2   r := y  → 0        |                  x=0 y=0   x=1
    3   |                  y := 1             x=0 y=0   x=1        y=1
    4   |                  y reaches memory   x=0 y=1   x=1
    5   |                  r := x  → 0        x=0 y=1   x=1
    6   x reaches memory   |                  x=1 y=1

  why   1 is before 2 in L; 2 read y before 3 wrote it (in memory at 4); 3 is before 5 in R; 5 read x before 1 wrote it (in memory at 6): a cycle
  fix   serval tso fix examples/tso/store-buffering.tso
";
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn the_status_says_what_is_bad() {
    let check = |text: &str, more: &[&str]| status(&[&["tso", "check", "-"], more].concat(), text);
    assert_eq!(check(SB, &[]), 1);
    // A question is no defect, so only robustness is one here.
    assert_eq!((check(SB, &["--only", "tso"]), check(SB, &["--only", "sc"]), check(SB, &["--only", "robust"])), (0, 0, 1));
    assert_eq!(check(SB, &["--exit-zero"]), 0);
    let demanded = SB.replace("exists", "forall !(").replace("== 0;", "== 0);");
    assert_eq!((check(&demanded, &["--only", "tso"]), check(&demanded, &["--only", "sc"])), (1, 0));
    let asserted = "memory x = 0; thread P { r := x; assert r == 0; } thread Q { x := 1; }";
    assert_eq!((check(asserted, &[]), check(asserted, &["--only", "robust"])), (1, 0));
    assert_eq!(check("memory x = 0; thread P { x := 1 r := x; }", &[]), 2);
    assert_eq!(check("memory n = 0; thread P { loop { r := n; n := r + 1; } }", &[]), 2);
    // Any number of copies: robustness is decided, and questions are not.
    let copies = "memory x = 0, z = 0; thread* P { r := z; x := 1; r := z; z := 1; }";
    assert_eq!((check(copies, &[]), check("memory x = 0; thread* P { x := 1; r := x; }", &[])), (1, 0));
    assert_eq!(check("memory x = 0; thread* P { x := 1; l: r := x; } never P@l;", &[]), 3);
    assert_eq!(check(SB, &["--max-states", "2"]), 3);
    assert_eq!(status(&["tso", "fix", "-"], SB), 0);
    assert_eq!(status(&["tso", "fix", "-", "--max-states", "2"], SB), 3);
}

#[test]
fn mistakes_are_shown_with_their_line() {
    let output = serval(&["tso", "check", "-"], b"memory x = 0;\nthread P {\n  r := x + 1;\n}\n");
    let said = text(&output.stderr);
    assert!(said.contains("error[E0605]") && said.contains("3 |   r := x + 1;") && said.contains("load it first"), "{said}");
    let output = serval(&["tso", "check", "-"], b"memory n = 0;\nthread P { loop { r := n; n := r + 1; } }\n");
    let said = text(&output.stderr);
    assert!(said.contains("error[E0611]") && said.contains("memory `n` becomes 66, which is not in -65..65"), "{said}");
}

#[test]
fn a_violation_says_how_many_copies_it_needs() {
    let output = serval(&["tso", "check", "-"], b"memory x = 0, z = 0;\nthread* P { r := z; x := 1; r := z; z := 1; }\n");
    let said = text(&output.stdout);
    assert!(said.contains("with 3 copies of each `thread*`, no run under sequential consistency") && said.contains("P#3"), "{said}");
}

#[test]
fn evidence_that_was_changed_is_refused() {
    let directory = directory("tso-changed");
    let path = directory.join("certificate.json");
    let path = path.to_str().unwrap();
    assert_eq!(status(&["tso", "check", "examples/tso/store-buffering.tso", "--certificate", path], ""), 1);
    let kept = std::fs::read_to_string(path).unwrap();
    for (from, to) in [("\"cycle\":[0", "\"cycle\":[1"), ("\"run\":[0", "\"run\":[1"), ("\"states\":[[0", "\"states\":[[1")] {
        assert!(kept.contains(from), "{kept}");
        std::fs::write(path, kept.replacen(from, to, 1)).unwrap();
        assert_eq!(status(&["verify", "examples/tso/store-buffering.tso", path], ""), 1, "{to}");
    }
    std::fs::write(path, "{}").unwrap();
    assert_eq!(status(&["verify", "examples/tso/store-buffering.tso", path], ""), 2);
}
