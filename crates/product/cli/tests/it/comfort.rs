//! Small things that people stumble over.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::schema;

fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).unwrap();
    place
}

fn serval(place: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_serval"));
    command.args(arguments).current_dir(place).env("LC_ALL", "C.UTF-8").env("COLUMNS", "");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Who refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const RACE: &str = "request a { x := X; yield; X := (x + 1) % 3; x }\n";

#[test]
fn standard_input_tells_what_it_is() {
    let place = place("comfort-stdin");
    let program = serval(&place, &["check", "--no-cache", "-q", "-"], RACE);
    assert!(text(&program.stdout).starts_with("not serializable  <stdin>"), "{program:?}");
    let system = r#" {"initial_global": "G", "requests": [["r", "L"]], "responses": [["L", "ok"]], "transitions": []}"#;
    let system = serval(&place, &["check", "--no-cache", "-q", "-"], system);
    assert!(text(&system.stdout).starts_with("serializable, also in real time  <stdin>"), "{system:?}");
    let fix = serval(&place, &["fix", "-"], RACE);
    assert_eq!(fix.status.code(), Some(0), "{fix:?}");
}

#[test]
fn a_header_that_expects_something_else_names_both_verdicts() {
    let output = serval(&place("comfort-header"), &["check", "--no-cache", "-"], &format!("// expect: serializable\n{RACE}"));
    assert!(
        text(&output.stderr).contains("warning: the header of <stdin> expects serializable, but it is not serializable\n"),
        "{output:?}"
    );
}

#[test]
fn help_begins_with_three_examples_and_shells_complete_pages() {
    let place = place("comfort-help");
    let help = text(&serval(&place, &["--help"], "").stdout);
    let examples = help.split("Examples:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert_eq!(examples.lines().count(), 3, "{help}");
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&serval(&place, &["completions", shell], "").stdout);
        assert!(script.contains("lost-update") && script.contains("E0103"), "{shell}");
    }
    let unknown = serval(&place, &["explain", "lost-updat"], "");
    assert!(text(&unknown.stderr).contains("did you mean lost-update?"), "{unknown:?}");
}

#[test]
fn what_is_no_certificate_is_named() {
    let place = place("comfort-verify");
    std::fs::write(place.join("a.ser"), RACE).unwrap();
    std::fs::write(place.join("other.json"), "{\"name\": 1}").unwrap();
    serval(&place, &["check", "--no-cache", "-q", "--trace", "trace.json", "a.ser"], "");
    let report = serval(&place, &["check", "--no-cache", "--format", "json", "a.ser"], "");
    std::fs::write(place.join("report.json"), report.stdout).unwrap();
    for (file, what) in [
        ("a.ser", "this file is a program"),
        ("trace.json", "this file is a saved run"),
        ("report.json", "this file is a report of `serval check --format json`"),
        ("other.json", "this file is no certificate"),
    ] {
        let output = serval(&place, &["verify", "a.ser", file], "");
        assert!(output.status.code() == Some(2) && text(&output.stderr).contains(what), "{output:?}");
    }
}

#[test]
fn formatting_keeps_line_ends() {
    let place = place("comfort-fmt");
    std::fs::write(place.join("a.ser"), "request a {\r\n      x := X;\r\n  yield; X := x }\r\n").unwrap();
    serval(&place, &["fmt", "a.ser"], "");
    let formatted = std::fs::read_to_string(place.join("a.ser")).unwrap();
    assert!(formatted.matches("\r\n").count() > 3 && formatted.matches('\n').count() == formatted.matches("\r\n").count(), "{formatted:?}");
    assert_eq!(serval(&place, &["fmt", "--check", "a.ser"], "").status.code(), Some(0));
}

#[test]
fn a_run_by_hand_can_be_taken_back_and_asked_about() {
    let place = place("comfort-run");
    std::fs::write(place.join("a.ser"), RACE).unwrap();
    // Both read, both write, both answer 0.
    let lost = "1\n1\n2\n3\n2\n2\ns\n2\n2\ns\nq\n";
    let told = text(&serval(&place, &["run", "--interactive", "a.ser"], lost).stdout);
    assert!(told.contains("serial so far: one at a time, a → 0 gives these answers"), "{told}");
    assert!(told.contains("not serial: no order of these requests, one at a time, gives the answers so far"), "{told}");
    let back = text(&serval(&place, &["run", "--interactive", "a.ser"], "u\n1\n2\nu\ns\nq\n").stdout);
    assert!(back.contains("nothing has happened yet") && back.contains("taken back"), "{back}");
    assert!(back.contains("serial so far: no request has answered yet"), "{back}");
    assert!(back.contains("waiting   #1 a on line 1"), "{back}");
}

#[test]
fn a_new_program_is_commented_checked_and_formatted() {
    let place = place("comfort-new");
    let made = serval(&place, &["new", "shop"], "");
    assert_eq!(text(&made.stderr), "wrote shop/shop.ser and shop/serval.toml\nnext: serval check shop/shop.ser\n");
    let (program, settings) = (place.join("shop/shop.ser"), place.join("shop/serval.toml"));
    let comments = |path: &Path, mark: &str| std::fs::read_to_string(path).unwrap().lines().filter(|line| line.contains(mark)).count();
    assert!(comments(&program, "//") >= 5 && comments(&settings, "#") >= 2, "comments say what is what");
    let checked = serval(&place, &["check", "--no-cache", "shop/shop.ser"], "");
    assert!(checked.status.code() == Some(1) && checked.stderr.is_empty(), "{checked:?}");
    assert_eq!(serval(&place, &["fmt", "--check", "shop"], "").status.code(), Some(0));
    assert_eq!(serval(&place, &["fix", "shop/shop.ser", "--apply", "1"], "").status.code(), Some(0));
    assert_eq!(serval(&place, &["check", "--no-cache", "shop/shop.ser"], "").status.code(), Some(0));
    let again = serval(&place, &["new", "shop"], "");
    assert!(again.status.code() == Some(2) && text(&again.stderr).contains("is there already"), "{again:?}");
}

/// What is written in a program that stays undecided, whatever the machine: a proof on the text alone is asked for.
const OPEN: &str =
    "var STOCK: 0..40 := 40\nrequest buy {\n  s := STOCK;\n  yield;\n  if (s == STOCK and s > 0) { STOCK := s - 1 };\n  s\n}\n";

#[test]
fn undecided_comes_with_advice_in_every_format() {
    let place = place("comfort-advice");
    std::fs::write(place.join("open.ser"), OPEN).unwrap();
    let call = |more: &[&str]| {
        let mut arguments = vec!["check", "--no-cache", "--no-times", "--method", "lipton", "open.ser"];
        arguments.extend(more);
        serval(&place, &arguments, "")
    };
    let output = call(&[]);
    assert_eq!(output.status.code(), Some(3));
    let told = text(&output.stdout);
    let expected = "  most states     `STOCK: 0..40` on line 1 multiplies the states most: with half of its values there are ";
    assert!(told.contains(expected), "{told}");
    assert!(told.contains("  tried smaller   with `STOCK: 0.."), "{told}");
    assert!(told.contains("; that is another program\n") && told.ends_with("  more            serval explain undecided\n"), "{told}");
    assert!(told.starts_with("undecided  open.ser"), "{told}");
    let report: serde_json::Value = serde_json::from_slice(&call(&["--format", "json"]).stdout).unwrap();
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["advice"]["largest"]["written"], "STOCK: 0..40");
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../../../docs/check.schema.json")).unwrap();
    schema::fits(&report, &schema, &schema, "open.ser");
    call(&["--html", "open.html"]);
    let page = std::fs::read_to_string(place.join("open.html")).unwrap();
    assert!(page.contains("multiplies the states most") && page.contains("<dt>what to try</dt><dd>with <code>STOCK: 0.."), "{page}");
    // Who wants no fixes wants no advice either.
    assert!(!text(&call(&["--no-fix"]).stdout).contains("multiplies"));
}

/// Pages name options that there are: each belongs to the command that stands beside it.
#[test]
fn pages_on_limits_name_options_that_the_commands_have() {
    let place = place("comfort-options");
    let help = |command: &str| text(&serval(&place, &[command, if command == "check" { "--help-all" } else { "--help" }], "").stdout);
    let (check, export) = (help("check"), help("export"));
    for page in ["E0301", "E0305", "undecided"] {
        let told = text(&serval(&place, &["explain", page], "").stdout).replace('\n', " ");
        for (at, _) in told.match_indices("`--") {
            let option = told[at + 1..].split([' ', '`']).next().unwrap();
            let here = &told[at..(at + 60).min(told.len())];
            let wanted = if here.contains("for `export`") { &export } else { &check };
            assert!(wanted.contains(option), "{page}: {option} is refused: {here}");
        }
    }
}

/// Where a request can wait in several states on one line, one sentence tells it; and nothing is said twice about the
/// examples.
#[test]
fn no_sentence_is_told_twice() {
    let program = "var L: 0..2\nrequest a { x := L; if (x == 1) { L := 2 }; await (L == 3); x }\nrequest b { L := 1 }\n";
    let told = text(&serval(&place("comfort-twice"), &["check", "--no-cache", "-"], program).stdout);
    assert_eq!(told.matches("a can get stuck for ever on line 2").count(), 1, "{told}");
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports");
    for entry in std::fs::read_dir(records).unwrap() {
        let path = entry.unwrap().path();
        let report = std::fs::read_to_string(&path).unwrap();
        // Rows of tables may be alike, and so may lines of programs.
        let mut sentences: Vec<&str> = report.lines().filter(|line| !line.contains(" |") && line.split_whitespace().count() > 4).collect();
        let all = sentences.len();
        sentences.sort_unstable();
        sentences.dedup();
        assert_eq!(sentences.len(), all, "{}: {report}", path.display());
    }
}

/// The page is in the programs of a release; any other build says so.
#[cfg(not(feature = "playground"))]
#[test]
fn a_build_without_the_page_says_how_to_get_it() {
    let output = serval(&place("comfort-playground"), &["playground"], "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).starts_with("error: this build has no playground: releases have it, and "), "{output:?}");
}
