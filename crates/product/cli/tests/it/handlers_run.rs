//! Runs of handlers that are performed again, and tests that are written of them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use serval_testkit::suite::data_dir;

use crate::handlers::built::has_node;
use crate::support::{command, directory, root, serval, text};

/// Standard output, standard error and the status.
fn said(arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = serval(arguments, b"");
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// A folder with the racy file of the book as token.js, and a run of it.
fn token(name: &str) -> (std::path::PathBuf, String, String) {
    let folder = directory(name);
    let (file, run) = (path(&folder, "token.js"), path(&folder, "run.json"));
    std::fs::copy(root().join("docs/src/handlers/token.js"), &file).unwrap();
    let (out, err, status) = said(&["check", &file, "--trace", &run, "--replay"]);
    assert_eq!(status, Some(1), "{out}{err}");
    assert!(out.contains("Node gives the same answers again"), "{out}");
    (folder, file, run)
}

#[test]
fn a_run_is_performed_again_and_compared() {
    if !has_node() {
        return;
    }
    let (_, file, run) = token("handlers-again");
    let (out, _, status) = said(&["replay", &file, &run]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("the same answers again") && out.contains("line 6: `identity.refresh` answers identity.refresh 2"), "{out}");
    assert!(!out.contains("has changed"), "{out}");
    let (out, _, status) = said(&["replay", "docs/src/handlers/token-fixed.js", &run]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("the file has changed since the run was saved") && out.contains("answers then"), "{out}");
    let (out, _, _) = said(&["replay", "docs/src/handlers/token-fixed.js", &run, "--format", "json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((report["same"].as_bool(), report["changed"].as_bool()), (Some(false), Some(true)));
    assert_eq!(report["calls"][0]["kept"], "identity.refresh 1");
    // Steps that the file does not make are no accident.
    let other = std::fs::read_to_string(&run).unwrap().replace("\"choices\":[", "\"choices\":[7,");
    std::fs::write(&run, other).unwrap();
    assert_eq!(said(&["replay", &file, &run]).2, Some(1));
}

#[test]
fn what_cannot_be_performed_is_said_in_one_line() {
    if !has_node() {
        return;
    }
    let (folder, file, run) = token("handlers-no-run");
    let written = |name: &str, content: &str| {
        std::fs::write(folder.join(name), content).unwrap();
        path(&folder, name)
    };
    let no_json = written("no.json", "{");
    let other = written("other.json", "{\"steps\":[]}");
    let hostile = std::fs::read_to_string(&run).unwrap().replace("\"said\":[\"getToken\"", "\"said\":[\"a\\u001b[31m\"");
    let hostile = written("hostile.json", &hostile);
    let hanging = std::fs::read_to_string(&file).unwrap().replace("token = null;\n}", "token = null;\n}\nwhile (true) {}\n");
    let hanging = written("hanging.js", &hanging);
    for (arguments, wanted) in [
        (&["replay", &file, &no_json][..], "no.json: this is no JSON"),
        (&["replay", &file, &other], "this is no run of handlers; `serval check FILE --trace PATH` saves one"),
        (&["replay", &file, "/nowhere/run.json"], "cannot read /nowhere/run.json"),
        (&["replay", &hanging, &run, "--timeout", "1"], "a run in Node did not come to an end in time"),
    ] {
        let (out, err, status) = said(arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(wanted) && err.lines().count() == 1, "{arguments:?}: {err}");
    }
    let (out, _, _) = said(&["replay", &file, &hostile]);
    assert!(out.contains("\\u{1b}[31m") && !out.contains('\u{1b}'), "{out}");
    for (node, wanted) in [("/nowhere/node", "there is no Node: `/nowhere/node` cannot be started"), ("", "is too old")] {
        let old = written("old", "#!/bin/sh\nread line\necho '{\"version\":\"18.20.0\"}'\n");
        let node = if node.is_empty() { &old } else { node };
        assert!(Command::new("chmod").args(["+x", &old]).status().unwrap().success());
        let output = command(&["replay", &file, &run]).env("SERVAL_NODE", node).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(wanted), "{}", text(&output.stderr));
    }
}

#[test]
fn programs_are_performed_by_the_same_command() {
    let folder = directory("replay-program");
    let run = path(&folder, "run.json");
    assert_eq!(said(&["check", "examples/lost-update.ser", "--trace", &run]).2, Some(1));
    let (out, err, status) = said(&["replay", "examples/lost-update.ser", &run]);
    assert_eq!((status, &err), (Some(0), &String::new()));
    assert_eq!(out, said(&["run", "examples/lost-update.ser", "--replay", &run]).0);
}

#[test]
fn a_test_is_not_written_over_a_file_nor_where_there_is_no_run() {
    if !has_node() {
        return;
    }
    let (folder, file, _) = token("handlers-emit");
    let test = folder.join("token.test.mjs");
    std::fs::write(&test, "mine").unwrap();
    let (out, err, status) = said(&["check", &file, "--emit", "test"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("token.test.mjs is there already, and is not overwritten"), "{err}");
    assert!(out.contains("not serializable"), "{out}");
    assert_eq!(std::fs::read_to_string(&test).unwrap(), "mine");
    std::fs::remove_file(&test).unwrap();
    std::fs::copy(root().join("docs/src/handlers/token-fixed.js"), &file).unwrap();
    assert_eq!(said(&["check", &file, "--emit", "test"]).2, Some(0));
    assert!(!test.exists());
}

/// Has Node perform all tests in one process: how many pass and fail, and what it said.
fn tested(folder: &Path, names: &[String]) -> (usize, usize, String) {
    let all: String = names.iter().map(|name| format!("await import('./{name}.test.mjs');\n")).collect();
    std::fs::write(folder.join("all.mjs"), all).unwrap();
    let node = std::env::var("SERVAL_NODE").unwrap_or_else(|_| "node".to_owned());
    let mut command = Command::new(node);
    command.arg("all.mjs").current_dir(folder).env("SERVAL", env!("CARGO_BIN_EXE_serval")).env_remove("NODE_OPTIONS");
    let output = command.output().unwrap();
    let said = text(&output.stdout);
    let count = |word: &str| said.lines().find_map(|line| line.strip_prefix(word)?.trim().parse().ok()).unwrap_or(0);
    // What it looks like depends on the version and on the terminal.
    let sum = |name: &str| count(&format!("# {name}")) + count(&format!("ℹ {name}"));
    (sum("pass"), sum("fail"), said)
}

#[test]
fn tests_that_are_written_fail_until_the_race_is_fixed() {
    let (Some(place), true) = (data_dir("await"), has_node()) else { return };
    let folder = directory("handlers-pairs");
    let mut names = Vec::new();
    let copy = |from: &str, to: &str| std::fs::write(folder.join(to), std::fs::read(place.join(from)).unwrap()).unwrap();
    let expected = std::fs::read_to_string(place.join("expected.tsv")).unwrap();
    for line in expected.lines().filter(|line| line.contains("\tnot serializable\t") && !line.starts_with("py_")) {
        let (name, end) = line.split('\t').next().unwrap().split_once('.').unwrap();
        let file = format!("{name}.{end}");
        copy(&file, &file);
        let (out, err, status) = said(&["check", &path(&folder, &file), "--emit", "test", "--replay", "--quiet"]);
        assert_eq!((status, &err), (Some(1), &String::new()), "{file}: {out}");
        names.push((name.to_owned(), end.to_owned()));
    }
    assert_eq!(names.len(), 20);
    let bare: Vec<String> = names.iter().map(|(name, _)| name.clone()).collect();
    let (passed, failed, said) = tested(&folder, &bare);
    assert_eq!((passed, failed), (0, 20), "{said}");
    assert_eq!(said.matches("these calls answer what no order of them, one at a time, answers").count(), 20, "{said}");
    for (name, end) in &names {
        copy(&format!("{name}-fixed.{end}"), &format!("{name}.{end}"));
    }
    let (passed, failed, said) = tested(&folder, &bare);
    assert_eq!((passed, failed), (20, 0), "{said}");
}
