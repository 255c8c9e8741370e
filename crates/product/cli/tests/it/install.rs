//! What other programs rely on: the action for GitHub, the hooks for
//! pre-commit, the module for BenchExec.

use std::process::{Command, Output};

use serde_json::Value;
use serval_effort::skips;
use serval_testkit::say;

use crate::support::{directory, root, serval, text};

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The words of a text that are long options.
fn long_options(text: &str) -> Vec<&str> {
    let words = text.split(|character: char| character.is_whitespace() || "`\"'".contains(character));
    words.filter_map(|word| word.strip_prefix("--")).filter(|word| !word.is_empty()).collect()
}

fn check_help() -> String {
    text(&serval(&["check", "--help-all"], b"").stdout)
}

#[test]
fn the_action_uses_options_that_are_there() {
    let help = check_help();
    let script = read("scripts/action");
    let mut used = Vec::new();
    for line in script.lines().filter(|line| line.contains("serval check")) {
        used.extend(long_options(line));
    }
    // Descriptions of inputs show options, too; the first step has those of cargo.
    let action = read("action.yml");
    let (inputs, _) = action.split_once("\nruns:").unwrap();
    used.extend(long_options(inputs));
    assert!(used.contains(&"format") && used.contains(&"timeout"), "{used:?}");
    for option in used {
        let ends = [" ", "\n", "["].iter().any(|end| help.contains(&format!("--{option}{end}")));
        assert!(ends, "--{option}");
    }
    for format in ["github", "sarif"] {
        assert!(help.contains(&format!("- {format}:")), "{format}");
    }
}

#[test]
fn inputs_of_the_action_reach_the_script() {
    let (action, script) = (read("action.yml"), read("scripts/action"));
    for input in ["paths", "format", "args", "sarif", "version"] {
        assert!(action.contains(&format!("\n  {input}:\n    description: ")), "{input} is declared");
        assert!(action.contains(&format!(": ${{{{ inputs.{input} }}}}\n")), "{input} is handed on");
    }
    for variable in ["SERVAL_PATHS", "SERVAL_FORMAT", "SERVAL_ARGS", "SERVAL_SARIF"] {
        assert!(action.contains(&format!(" {variable}: ")) && script.contains(variable), "{variable}");
    }
    // What people write into inputs is never part of a script.
    let (_, steps) = action.split_once("\nruns:").unwrap();
    for (at, _) in steps.match_indices("run: ") {
        let block: String = steps[at..].lines().take_while(|line| !line.trim_start().starts_with("- name")).collect();
        assert!(!block.contains("${{"), "{block}");
    }
}

/// Runs the script of the action in a directory with two programs.
#[cfg(unix)]
fn act(name: &str, paths: &str, arguments: &str) -> (Output, Value, String) {
    let here = directory(name);
    std::fs::create_dir(here.join("with blank")).unwrap();
    std::fs::copy(root().join("examples/counter.ser"), here.join("counter.ser")).unwrap();
    std::fs::copy(root().join("examples/lost-update.ser"), here.join("with blank/lost.ser")).unwrap();
    // A repository has JSON files of others.
    std::fs::write(here.join("package.json"), "{\"name\": \"shop\", \"private\": true}\n").unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_serval"));
    let path = std::env::var_os("PATH").unwrap();
    let places = std::iter::once(program.parent().unwrap().to_path_buf()).chain(std::env::split_paths(&path));
    let mut script = Command::new("bash");
    script.arg(root().join("scripts/action")).current_dir(&here).env("PATH", std::env::join_paths(places).unwrap());
    script.env("SERVAL_PATHS", paths).env("SERVAL_ARGS", arguments).env("SERVAL_FORMAT", "github");
    script.env("SERVAL_SARIF", "made/serval.sarif").env("GITHUB_OUTPUT", "output");
    let output = script.output().unwrap();
    let sarif = serde_json::from_str(&std::fs::read_to_string(here.join("made/serval.sarif")).unwrap()).unwrap_or_default();
    (output, sarif, std::fs::read_to_string(here.join("output")).unwrap())
}

/// The program is built only where the cache has none, and kept before anything is checked.
#[test]
fn the_action_builds_once() {
    let action = read("action.yml");
    let (_, steps) = action.split_once("\n  steps:\n").unwrap();
    let steps: Vec<&str> = steps.split("    - name: ").collect();
    let position = |text: &str| {
        let found: Vec<usize> = (0..steps.len()).filter(|&at| steps[at].contains(text)).collect();
        assert_eq!(found.len(), 1, "{text}");
        found[0]
    };
    let (named, restored) = (position("scripts/action-key"), position("uses: actions/cache/restore@"));
    let (built, kept, checked) = (position("cargo install --locked --root"), position("uses: actions/cache/save@"), position("id: check"));
    assert!(named < restored && restored < built && built < kept && kept < checked);
    let missed = "if: steps.cache.outputs.cache-hit != 'true'\n";
    assert!(steps[restored].contains("id: cache\n") && steps[built].contains(missed) && steps[kept].contains(missed));
    for step in [restored, kept] {
        assert!(steps[step].contains("path: ${{ runner.temp }}/serval\n"), "{}", steps[step]);
        assert!(steps[step].contains("key: ${{ steps.program.outputs.key }}\n"), "{}", steps[step]);
    }
    assert!(steps[named].contains("id: program\n") && steps[built].contains("root=\"$RUNNER_TEMP/serval\"\n"));
}

/// The key of the cache: the same for the same program on the same machine, another for any other.
#[cfg(unix)]
#[test]
fn the_cache_has_a_key_for_each_program() {
    let here = directory("action-key");
    std::fs::create_dir_all(here.join("scripts")).unwrap();
    std::fs::create_dir_all(here.join("crates/\u{61} b")).unwrap();
    std::fs::copy(root().join("scripts/action-key"), here.join("scripts/action-key")).unwrap();
    for file in ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "crates/\u{61} b/lib.rs"] {
        std::fs::write(here.join(file), file).unwrap();
    }
    let key = |system: &str, image: &str, version: &str| {
        let output = here.join("output");
        let _ = std::fs::remove_file(&output);
        let mut script = Command::new("bash");
        script.arg(here.join("scripts/action-key")).current_dir(std::env::temp_dir()).env("GITHUB_OUTPUT", &output);
        script.env("RUNNER_OS", system).env("RUNNER_ARCH", "X64").env("ImageOS", image).env("SERVAL_VERSION", version);
        let ended = script.output().unwrap();
        assert!(ended.status.success(), "{}", text(&ended.stderr));
        let written = std::fs::read_to_string(output).unwrap();
        let key = written.strip_prefix("key=serval-").unwrap().trim_end().to_owned();
        assert!(!key.contains(',') && key.len() < 200, "{key}");
        key
    };
    let first = key("Linux", "ubuntu24", "");
    assert_eq!(first, key("Linux", "ubuntu24", ""));
    let others =
        [key("macOS", "ubuntu24", ""), key("Linux", "ubuntu22", ""), key("Linux", "ubuntu24", "v1"), key("Linux", "ubuntu24", "v1,2")];
    std::fs::write(here.join("crates/\u{61} b/lib.rs"), "other").unwrap();
    let changed = key("Linux", "ubuntu24", "");
    let mut all: Vec<&String> = others.iter().chain([&first, &changed]).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6, "{all:?}");
    // A tag is a program of its own, whatever stands beside the action.
    assert_eq!(others[2], key("Linux", "ubuntu24", "v1"));
}

#[cfg(unix)]
#[test]
fn the_action_checks() {
    let (output, sarif, status) = act("action-two", "counter.ser\n  with blank/lost.ser \n", "--timeout 30\n--no-fix");
    assert_eq!((output.status.code(), status.as_str()), (Some(1), "status=1\n"), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.starts_with("serializable, also in real time  counter.ser\n::error file=with blank/lost.ser,line="), "{said}");
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "error");

    let (output, _, status) = act("action-good", "counter.ser", "");
    assert_eq!((output.status.code(), status.as_str()), (Some(0), "status=0\n"));

    // Without paths, everything there is; and a failure that is not wanted.
    let (output, _, _) = act("action-all", "", "--exit-zero");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("with blank/lost.ser"));

    // A path is never an option, and what is not there is an error.
    let (output, _, status) = act("action-strange", "--exit-zero", "");
    assert_eq!((output.status.code(), status.as_str()), (Some(2), "status=2\n"));
}

/// What Python finds in a YAML file, where it has a module for it.
fn yaml(path: &str) -> Option<Value> {
    let program = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1], encoding='utf-8')), sys.stdout)";
    let output = Command::new(python()).args(["-c", program]).arg(root().join(path)).output().ok()?;
    if !output.status.success() && text(&output.stderr).contains("No module named 'yaml'") {
        return None;
    }
    assert!(output.status.success(), "{path}: {}", text(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

pub(crate) fn python() -> String {
    std::env::var("SERVAL_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Says that something is absent, or fails where it must not be.
pub(crate) fn absent(name: &str) {
    let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|entry| entry.trim() == name), "{name}: required, but not there");
    say(&format!("{name}: not there, skipped"));
}

#[test]
fn definitions_are_well_formed() {
    // PyYAML comes with BenchExec.
    let (Some(action), Some(hooks)) = (yaml("action.yml"), yaml(".pre-commit-hooks.yaml")) else {
        return absent("benchexec");
    };
    for path in ["contrib/github/release.yml", "contrib/github/serval-matrix.yml"] {
        assert!(yaml(path).unwrap()["jobs"].is_object(), "{path}");
    }
    assert_eq!(action["runs"]["using"], "composite");
    for field in ["name", "description", "inputs", "outputs"] {
        assert!(!action[field].is_null(), "{field}");
    }
    for (name, input) in action["inputs"].as_object().unwrap() {
        assert!(input["description"].is_string() && input["default"].is_string(), "{name}");
    }
    for step in action["runs"]["steps"].as_array().unwrap() {
        let is_cache = step["uses"].as_str().is_some_and(|action| action.starts_with("actions/cache/"));
        assert!(is_cache || step["run"].is_string() && step["shell"] == "bash", "{step}");
    }
    let hooks = hooks.as_array().unwrap().clone();
    let ids: Vec<&str> = hooks.iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["serval-check", "serval-fmt"]);
    let commands = text(&serval(&["--help"], b"").stdout);
    for hook in &hooks {
        let entry = hook["entry"].as_str().unwrap();
        let name = entry.strip_prefix("serval ").unwrap();
        assert!(commands.contains(&format!("\n  {name} ")), "{entry}");
        assert!(hook["name"].is_string() && hook["language"] == "system" && hook["files"] == "\\.ser$", "{hook}");
    }
}

#[test]
fn benchexec_reads_what_we_say() {
    if skips("cli.benchexec") {
        return;
    }
    let mut test = Command::new(python());
    test.arg(root().join("contrib/benchexec/test_serval.py")).env("SERVAL", env!("CARGO_BIN_EXE_serval"));
    let Ok(output) = test.output() else {
        return absent("benchexec");
    };
    if output.status.code() == Some(77) {
        return absent("benchexec");
    }
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}
