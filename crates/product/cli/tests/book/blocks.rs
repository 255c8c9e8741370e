//! Commands, settings and definitions that the documentation shows: commands
//! are run, settings are read, and definitions name what is there.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serval_effort::skips;

use crate::support::{self, directory, pages, root, text};

/// The fenced blocks of one kind in all pages, each with its page.
fn blocks(kind: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let pages = pages().into_iter().chain(["README.md", "CONTRIBUTING.md"].map(|page| root().join(page)));
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        // A block is open from one fence to the next.
        let mut block: Option<(String, String)> = None;
        for line in text.lines() {
            match (&mut block, line.strip_prefix("```")) {
                (None, Some(name)) => block = Some((name.to_owned(), String::new())),
                (None, None) => {}
                (Some((_, lines)), None) => lines.extend([line, "\n"]),
                (Some(_), Some(_)) => {
                    let (name, lines) = block.take().unwrap();
                    if name == kind {
                        found.push((page.display().to_string(), lines));
                    }
                }
            }
        }
    }
    found
}

/// The folder of a package, which is in one of the wings.
fn folder_of(package: &str) -> PathBuf {
    let below = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let wings = below(&root().join("crates")).into_iter().filter(|wing| wing.is_dir());
    let is_it = |folder: &PathBuf| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line == format!("name = \"{package}\""))
    };
    wings.flat_map(|wing| below(&wing)).find(is_it).unwrap_or_else(|| panic!("there is no package {package}"))
}

/// A place like that of a user: examples, models, a table of what
/// is expected, a home, and `serval` on the path.
fn home() -> PathBuf {
    let home = directory("blocks");
    std::os::unix::fs::symlink(root().canonicalize().unwrap().join("docs"), home.join("docs")).unwrap();
    for made in ["bin", "examples", "suite", "models", ".zfunc", ".local/share/bash-completion/completions", ".config/fish/completions"] {
        std::fs::create_dir_all(home.join(made)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_serval"), home.join("bin/serval")).unwrap();
    // A few, so that it takes little time.
    for (from, to) in
        [("lost-update", "examples"), ("counter", "examples"), ("lost-update", "suite"), ("counter", "suite"), ("counter", "models")]
    {
        std::fs::copy(root().join(format!("examples/{from}.ser")), home.join(to).join(format!("{from}.ser"))).unwrap();
    }
    std::fs::write(home.join("suite/expected.csv"), "lost-update.ser,not-serializable\ncounter.ser,serializable\n").unwrap();
    // Not every machine has it, and pages are not what is tried here.
    run(&home, "printf '#!/bin/sh\\ncat > page\\n' > bin/man && chmod +x bin/man");
    home
}

/// Runs a line in that place.
fn run(home: &Path, line: &str) {
    let path = format!("{}:{}", home.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-euc", line]).current_dir(home).env("HOME", home).env("PATH", path).env("SERVAL_CACHE_DIR", "");
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{line}\n{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn commands_in_the_documentation_run() {
    if skips("cli.blocks") {
        return;
    }
    let home = home();
    let (mut run_here, mut named) = (0, 0);
    for (page, block) in blocks("sh") {
        for line in block.lines() {
            let command = line.split(" #").next().unwrap().trim();
            let words: Vec<&str> = command.split_whitespace().collect();
            match words.as_slice() {
                ["serval", ..] => {
                    run(&home, command);
                    run_here += 1;
                }
                // These build or measure for minutes, and CI does them or what they are made of.
                [script, rest @ ..] if script.starts_with("scripts/") => {
                    let text = std::fs::read_to_string(root().join(script)).unwrap_or_else(|error| panic!("{page}: {script}: {error}"));
                    assert!(text.starts_with("#!"), "{page}: {command}");
                    // The subjects of the program that measures are those of its command line.
                    if let ("scripts/measure", Some(subject)) = (*script, rest.first().filter(|word| word.starts_with(char::is_lowercase)))
                    {
                        let subjects = std::fs::read_to_string(root().join("crates/dev/measure/src/arguments.rs")).unwrap();
                        let mut variant = String::new();
                        for part in subject.split('-') {
                            variant.push_str(&part[..1].to_uppercase());
                            variant.push_str(&part[1..]);
                        }
                        let named = |line: &str| line.trim().strip_prefix(&variant).is_some_and(|rest| rest.starts_with([',', ' ']));
                        assert!(subjects.lines().any(named), "{page}: {command}");
                    }
                    named += 1;
                }
                ["cargo", "test" | "build" | "clippy" | "fmt" | "doc" | "run" | "install", rest @ ..] => {
                    let package = folder_of(rest.iter().skip_while(|word| **word != "-p").nth(1).unwrap_or(&"serval-cli"));
                    for pair in rest.windows(2) {
                        let there = match pair {
                            ["--path", path] => root().join(path).join("Cargo.toml").is_file(),
                            ["-p", _] => package.join("Cargo.toml").is_file(),
                            ["--bin", name] => package.join(format!("src/bin/{name}.rs")).is_file(),
                            ["--test", name] => package.join(format!("tests/{name}/main.rs")).is_file(),
                            _ => true,
                        };
                        assert!(there, "{page}: {command}");
                    }
                    if let Some(after) = rest.iter().position(|word| *word == "--")
                        && rest[..after].iter().all(|word| *word == "--release")
                    {
                        run(&home, &format!("serval {}", rest[after + 1..].join(" ")));
                        run_here += 1;
                    }
                    named += 1;
                }
                // Tests of the packages do what these do, with the files that were built.
                ["pip" | "npm", "install", package, ..] => {
                    assert!(["serval-check", "pytest-serval", "serval-wasm"].contains(package), "{page}: {command}");
                    named += 1;
                }
                ["sha256sum", "--check", "--ignore-missing", "SHA256SUMS"] | ["sh", "install.sh", "--from", _] => named += 1,
                ["docker" | "podman" | "buildah", ..] => {
                    let is_ours = |word: &&str| word.starts_with("serval:") || word.contains("serval-") && word.ends_with("-image.tar");
                    assert!(words.iter().any(is_ours), "{page}: {command}");
                    named += 1;
                }
                _ => panic!("{page}: no test tries this: {line}"),
            }
        }
    }
    assert!(run_here >= 11 && named >= 15, "{run_here} {named}");
    // What the commands are there for.
    for made in [".local/share/man/man1/serval.1", ".zfunc/_serval", "suite.svg", "before.json", "page"] {
        assert!(std::fs::metadata(home.join(made)).unwrap().len() > 100, "{made}");
    }
    assert!(std::fs::read_dir(home.join("obligations")).unwrap().count() > 0);
}

#[test]
fn settings_in_the_documentation_are_read() {
    let settings = blocks("toml");
    assert!(settings.len() >= 2);
    for (page, block) in settings {
        let place = directory("blocks-settings");
        std::fs::write(place.join("serval.toml"), &block).unwrap();
        std::fs::copy(root().join("examples/counter.ser"), place.join("counter.ser")).unwrap();
        for arguments in [&["check", "counter.ser"][..], &["fmt", "--check", "counter.ser"]] {
            let output = support::command(arguments).current_dir(&place).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{page}\n{block}\n{}", text(&output.stderr));
            assert_eq!(text(&output.stderr), "", "{page}\n{block}");
        }
    }
}

#[test]
fn definitions_in_the_documentation_name_what_is_there() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let (action, hooks) = (read("action.yml"), read(".pre-commit-hooks.yaml"));
    let (mut inputs, mut ids) = (0, 0);
    for (page, block) in blocks("yaml") {
        // The inputs of our step are two blanks deeper than its `with`.
        let mut depth = None;
        let mut ours = false;
        for line in block.lines() {
            let indent = line.len() - line.trim_start().len();
            let word = line.trim_start();
            if let Some(step) = word.strip_prefix("- uses: ") {
                (ours, depth) = (step.starts_with("OWNER/serval@"), None);
            } else if word == "with:" && ours {
                depth = Some(indent + 2);
            } else if depth == Some(indent) {
                let input = word.split(':').next().unwrap();
                assert!(action.contains(&format!("\n  {input}:\n    description: ")), "{page}: {input}");
                inputs += 1;
            } else if let Some(id) = word.strip_prefix("- id: ") {
                assert!(hooks.contains(&format!("- id: {id}\n")), "{page}: {id}");
                ids += 1;
            }
        }
    }
    assert!(inputs >= 3 && ids >= 2, "{inputs} {ids}");
}
