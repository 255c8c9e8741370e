//! The module in Node: the same answers as natively, and an answer whenever it is stopped.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};
use serval_effort::{one_in, skips};
use serval_testkit::say;
use serval_testkit::suite::{data_dir, repository_root, tool};

const TARGET: &str = "wasm32-unknown-unknown";
/// One in so many files is compared; at night all.
const SAMPLE: usize = 7;

/// Whether the compiler has the library of the target.
fn has_target() -> bool {
    let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).current_dir(repository_root()).output();
    printed.is_ok_and(|printed| Path::new(String::from_utf8_lossy(&printed.stdout).trim()).is_dir())
}

/// Builds the module, once, without optimising it much.
fn built() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .current_dir(repository_root())
        .args(["rustc", "--quiet", "--offline", "-p", "serval-wasm", "--lib", "--crate-type", "cdylib", "--target", TARGET])
        .args(["--", "-C", "link-arg=-zstack-size=4194304", "-C", "strip=symbols"])
        .output()
        .expect("cargo runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    // This program is in `deps` of a profile.
    let place = std::env::current_exe().expect("this program has a path");
    place.ancestors().nth(3).expect("it lies in the target folder").join(TARGET).join("debug/serval_wasm.wasm")
}

/// Node and the module; `SERVAL_MODULE` is one that is built already. Nothing where something is not there.
fn module() -> Option<(PathBuf, PathBuf)> {
    static MODULE: OnceLock<PathBuf> = OnceLock::new();
    let node = tool("node")?;
    if let Some(given) = std::env::var_os("SERVAL_MODULE") {
        return Some((node, given.into()));
    }
    if !has_target() {
        let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|entry| entry.trim() == "wasm"), "{TARGET}: required, but it is not there");
        say(&format!("{TARGET}: not there, skipped"));
        return None;
    }
    Some((node, MODULE.get_or_init(built).clone()))
}

fn script(name: &str) -> PathBuf {
    repository_root().join("packages/npm/test").join(name)
}

#[test]
fn a_raised_flag_ends_every_stage_with_an_answer() {
    if skips("wasm.cancelled") {
        return;
    }
    let Some((node, module)) = module() else { return };
    let ran = Command::new(node).arg(script("cancelled.mjs")).arg(module).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Files below a folder with one of these endings, in order.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
            found.push(path);
        }
    }
}

/// What is asked of the module and natively: everything about a sample of the files that there are.
fn requests() -> Vec<Value> {
    let mut paths = Vec::new();
    let examples = repository_root().join("examples");
    files(&examples, &["ser", "tso", "litmus", "net", "pnml", "spec", "vass"], &mut paths);
    if let Some(suite) = data_dir("suite") {
        files(&suite, &["ser"], &mut paths);
    }
    let mut requests = Vec::new();
    for path in paths.iter().step_by(one_in(SAMPLE)) {
        let (Ok(text), name) = (std::fs::read_to_string(path), path.file_name().unwrap().to_string_lossy()) else { continue };
        if path.components().any(|part| part.as_os_str() == "sql") {
            continue;
        }
        requests.push(json!({ "function": "check", "request": { "text": text, "name": name, "html": true } }));
        requests.push(json!({ "function": "analyze", "request": { "text": text, "name": name } }));
    }
    requests.push(json!({ "function": "examples", "request": {} }));
    requests.push(json!({ "function": "defaults", "request": {} }));
    // As deep as texts may be.
    let deep = format!("request deep {{ X := {}1{}; X }}", "(".repeat(250), ")".repeat(250));
    requests.push(json!({ "function": "check", "request": { "text": deep, "kind": "ser" } }));
    requests
}

#[test]
fn the_module_answers_what_the_library_answers() {
    if skips("wasm.same") {
        return;
    }
    let Some((node, module)) = module() else { return };
    let requests = requests();
    let mut child = Command::new(node).arg(script("answers.mjs")).arg(module).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let writing = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success());
    let answers: Vec<Value> = String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests.len());
    for (asked, answer) in requests.iter().zip(&answers) {
        let own = serval_wasm::call(asked["function"].as_str().unwrap(), &asked["request"].to_string());
        let own: Value = serde_json::from_str(&own).unwrap();
        assert_eq!(&own, answer, "{}", asked["request"]["name"]);
    }
}
