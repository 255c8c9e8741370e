//! `check --try`: all orders of a few calls, of files in the subset and outside of it.

use std::time::Duration;

use serde_json::Value;
use serval::handlers::{HandlerBounds, HandlerFile, Handlers, REFUSALS, Tried};
use serval_replay::NodeProcess;
use serval_testkit::suite::data_dir;

use crate::handlers::built::has_node;
use crate::support::{command, directory, serval, text};

/// All orders of up to three calls of a file, by its program or without one.
fn tried(node: &mut NodeProcess, name: &str, content: &str, with_program: bool) -> Result<Tried, String> {
    let mut ask = |job: &str| node.ask(job, Duration::from_secs(600)).map_err(|why| why.to_string());
    let file = HandlerFile::read(name, content).map_err(|_| "it cannot be read".to_owned())?;
    if !with_program {
        return file.try_orders(3, &REFUSALS, &mut ask);
    }
    let handlers = Handlers::of(file, &HandlerBounds::default()).map_err(|_| "it has no program".to_owned())?;
    handlers.try_orders(3, &mut ask)
}

#[test]
fn orders_of_three_calls_tell_the_given_files_apart() {
    let (Some(place), true) = (data_dir("await"), has_node()) else { return };
    let mut node = NodeProcess::start(std::env::var("SERVAL_NODE").ok().as_deref()).unwrap();
    let expected = std::fs::read_to_string(place.join("expected.tsv")).unwrap();
    let (mut seen, mut runs, mut wrong) = (0, 0, Vec::new());
    for line in expected.lines().skip(1).filter(|line| !line.starts_with("py_")) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (name, verdict, calls) = (columns[0], columns[2], columns[3]);
        let content = std::fs::read_to_string(place.join(name)).unwrap();
        let found = tried(&mut node, name, &content, true).unwrap_or_else(|why| panic!("{name}: {why}"));
        (seen, runs) = (seen + 1, runs + found.runs);
        let least = found.finding.as_ref().map(|run| run.calls.len().to_string());
        if least != (verdict == "not serializable").then(|| calls.to_owned()) {
            wrong.push(format!("{name}: {least:?} after {} runs", found.runs));
        }
    }
    println!("{seen} files, {runs} runs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(seen, 40);
}

#[test]
fn without_their_programs_no_fixed_file_is_blamed() {
    let (Some(place), true) = (data_dir("await"), has_node()) else { return };
    let mut node = NodeProcess::start(std::env::var("SERVAL_NODE").ok().as_deref()).unwrap();
    let expected = std::fs::read_to_string(place.join("expected.tsv")).unwrap();
    let (mut found, mut wrong) = (0, Vec::new());
    for line in expected.lines().skip(1).filter(|line| !line.starts_with("py_")) {
        let columns: Vec<&str> = line.split('\t').collect();
        let content = std::fs::read_to_string(place.join(columns[0])).unwrap();
        let one = tried(&mut node, columns[0], &content, false).unwrap_or_else(|why| panic!("{}: {why}", columns[0]));
        if one.finding.is_some() && columns[2] == "serializable" {
            wrong.push(columns[0]);
        }
        found += usize::from(one.finding.is_some());
    }
    assert_eq!((found, wrong.as_slice()), (18, &[][..]), "numbers and arguments are not known: two races are not found");
}

const RACE: &str = "import { out } from './out.js';
let token = null;
export async function get() {
  if (token === null) token = await Promise.any([out.first(), out.second()]);
  return token;
}
export async function expire() {
  token = null;
}
";

#[test]
fn a_file_outside_of_the_subset_is_tried() {
    if !has_node() {
        return;
    }
    let folder = directory("handlers-tried");
    let file = folder.join("race.js").to_str().unwrap().to_owned();
    std::fs::write(&file, RACE).unwrap();
    let said = |more: &[&str]| {
        let output = serval(&[&["check", &file], more].concat(), b"");
        (text(&output.stdout), text(&output.stderr), output.status.code())
    };
    let why = "line 4: not modelled: `Promise.any`, which get comes to";
    assert_eq!(said(&[]).2, Some(3));
    let (out, err, status) = said(&["--try", "2", "--replay", "--emit", "test"]);
    assert_eq!((status, &err), (Some(1), &String::new()), "{out}");
    for wanted in ["tried in Node, 2 calls answer what no serial order gives", why, "Node gives the same answers again"] {
        assert!(out.contains(wanted), "{wanted}: {out}");
    }
    let report: Value = serde_json::from_str(&said(&["--try", "2", "--format", "json"]).0).unwrap();
    assert_eq!((report["verdict"].as_str(), report["finding"]["calls"].as_array().unwrap().len()), (Some("unknown"), 2));
    let node = std::env::var("SERVAL_NODE").unwrap_or_else(|_| "node".to_owned());
    let test = || std::process::Command::new(&node).arg("race.test.mjs").current_dir(&folder).output().unwrap();
    assert!(text(&test().stdout).contains("get: out.first 1"));
    assert!(!test().status.success());
    // The promise is kept.
    let fixed = RACE.replace("if (token === null) token = await", "token ??=");
    std::fs::write(&file, &fixed).unwrap();
    assert!(test().status.success(), "{}", text(&test().stdout));
    let (out, _, status) = said(&["--try", "2"]);
    assert_eq!(status, Some(3), "{out}");
    let runs = out.strip_suffix(" orders of up to 2 calls tried in Node, none wrong\n").unwrap_or_else(|| panic!("{out}"));
    assert!(runs.contains(&format!("race.js: undecided: {why}; ")), "{out}");
    // Nothing to call; no Node; the same each time.
    for (content, wanted) in [
        ("let n = 0;\n", "nothing was tried: the file lets others call nothing"),
        ("throw new Error('no');\nexport async function f() {}\n", "nothing was tried: Node cannot perform the file: no"),
    ] {
        std::fs::write(&file, content).unwrap();
        let (out, _, status) = said(&["--try", "2"]);
        assert!(status == Some(3) && out.contains(wanted), "{out}");
    }
    std::fs::write(&file, &fixed).unwrap();
    let output = command(&["check", &file, "--try", "2"]).env("SERVAL_NODE", "/nowhere/node").output().unwrap();
    assert!(text(&output.stdout).contains("nothing was tried: there is no Node"), "{}", text(&output.stdout));
}

#[test]
fn a_file_that_is_decided_is_tried_beside_that() {
    if !has_node() {
        return;
    }
    let output = serval(&["check", "docs/src/handlers/token-fixed.js", "--try", "2"], b"");
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("orders of up to 2 calls tried in Node, none wrong"), "{said}");
}
