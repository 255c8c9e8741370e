//! The tests of the workspace are few programs, and none of them is empty: linking a program takes longer than most
//! tests.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::architecture::metadata;
use crate::support::root;

/// How many test programs there may be.
const MOST: usize = 85;

/// The packages of the workspace, each with its name.
fn packages() -> Vec<(String, Value)> {
    let packages = metadata()["packages"].as_array().unwrap().clone();
    packages.into_iter().map(|package| (package["name"].as_str().unwrap().to_owned(), package)).collect()
}

fn targets(package: &Value) -> &[Value] {
    package["targets"].as_array().unwrap()
}

fn is(target: &Value, kind: &str) -> bool {
    target["kind"].as_array().unwrap().iter().any(|one| one == kind)
}

/// The texts of a target: of the file that it begins with, and of all modules that have files of their own.
fn sources(beginning: &Path) -> Vec<String> {
    let (mut texts, mut open) = (Vec::new(), vec![beginning.to_owned()]);
    while let Some(path) = open.pop() {
        let text = fs::read_to_string(&path).unwrap();
        let beside = path.parent().unwrap();
        let below = if path == beginning || path.ends_with("mod.rs") { beside.to_owned() } else { path.with_extension("") };
        let mut before = "";
        for line in text.lines().map(str::trim) {
            if let Some(name) = module(line) {
                let told = before.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]"));
                let candidates: Vec<PathBuf> = match told {
                    Some(told) => vec![beside.join(told)],
                    None => vec![below.join(format!("{name}.rs")), below.join(name).join("mod.rs")],
                };
                open.extend(candidates.into_iter().find(|path| path.is_file()));
            }
            before = line;
        }
        texts.push(text);
    }
    texts
}

/// The name of a module that has a file of its own.
fn module(line: &str) -> Option<&str> {
    let line = if line.starts_with("pub") { line.split_once("mod ")?.1 } else { line.strip_prefix("mod ")? };
    let name = line.strip_suffix(';')?;
    name.chars().all(|letter| letter.is_alphanumeric() || letter == '_').then_some(name)
}

fn has_tests(text: &str) -> bool {
    let is_test = |line: &str| line.starts_with("#[test]") || line.contains("proptest!") && !line.starts_with("//");
    text.lines().map(str::trim_start).any(is_test)
}

/// Whether a text has an example in its documentation that is compiled.
fn has_doctests(text: &str) -> bool {
    let mut in_block = false;
    for line in text.lines().map(str::trim_start) {
        let Some(words) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            in_block = false;
            continue;
        };
        let Some(kind) = words.trim().strip_prefix("```") else { continue };
        in_block = !in_block;
        let is_compiled = |word: &str| {
            matches!(word, "" | "rust" | "no_run" | "should_panic" | "compile_fail" | "test_harness") || word.starts_with("edition")
        };
        if in_block && kind.split([',', ' ']).all(is_compiled) {
            return true;
        }
    }
    false
}

#[test]
fn a_crate_has_one_integration_program_or_says_why() {
    for (name, package) in packages() {
        let programs: Vec<&str> =
            targets(&package).iter().filter(|target| is(target, "test")).map(|target| target["name"].as_str().unwrap()).collect();
        let reason = package["metadata"]["serval"]["integration-programs"].as_str().unwrap_or_default();
        assert!(
            programs.len() <= 1 || !reason.trim().is_empty(),
            "{name} has {programs:?}: put them into tests/it/, or give a reason as integration-programs of [package.metadata.serval]"
        );
    }
}

#[test]
fn test_programs_are_few() {
    let packages = packages();
    let count = packages.iter().flat_map(|(_, package)| targets(package)).filter(|target| target["test"] == true).count();
    assert!(count <= MOST, "{count} programs have tests, and there may be {MOST}");
}

#[test]
fn no_test_program_is_empty_and_no_test_is_left_out() {
    let mut wrong = Vec::new();
    for (name, package) in packages() {
        for target in targets(&package).iter().filter(|target| is(target, "lib") || is(target, "bin")) {
            let texts = sources(Path::new(target["src_path"].as_str().unwrap()));
            let mut compare = |what: &str, switched_on: bool, there: bool| {
                if switched_on != there {
                    let line = format!("{what} = {there}");
                    wrong.push(format!("{name}: {} {} needs {line}", target["kind"][0], target["name"]));
                }
            };
            compare("test", target["test"] == true, texts.iter().any(|text| has_tests(text)));
            // Programs have no documentation that is tested.
            if is(target, "lib") {
                compare("doctest", target["doctest"] == true, texts.iter().any(|text| has_doctests(text)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tests_that_depend_on_time_run_alone() {
    let mut seen = 0;
    for entry in fs::read_dir(root().join("crates/product/cli/tests/clock")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, _) in lines.iter().enumerate().filter(|(_, line)| **line == "#[test]") {
            let begins = lines.get(at + 2).is_some_and(|line| line.trim() == "let _alone = alone();");
            assert!(begins, "{}: {} does not begin with it", path.display(), lines[at + 1]);
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn tests_and_examples_are_found() {
    assert_eq!(
        ["mod a;", "pub(crate) mod b_2;", "mod tests {", "pub mod c;", "use mod_x;"].map(module),
        [Some("a"), Some("b_2"), None, Some("c"), None]
    );
    assert!(has_tests("    #[test]\n") && !has_tests("// #[test]\n"));
    let block = |kind: &str| has_doctests(&format!("/// ```{kind}\n/// a\n/// ```\n"));
    assert_eq!(
        ["", "rust", "no_run", "rust,no_run", "text", "ser", "ignore", "console"].map(block),
        [true, true, true, true, false, false, false, false]
    );
    // What ends a block begins none.
    assert!(!has_doctests("//! ```text\n//! ```\n"));
}
