//! Mistakes that people make, and the messages about them.
//!
//! Every file in `tests/mistakes` goes the whole way from its text to what is
//! shown, which must equal the `.stderr` file next to it. `SERVAL_BLESS=1`
//! writes these files anew; read them before committing them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serval_budget::Budget;
use serval_compile::{Limits, Options, compile};

use serval_model::systems_from_json;
use serval_report::{Style, explain, json_diagnostic, render_diagnostics};
use serval_syntax::{Diagnostic, Severity, analyze};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("mistakes")
}

/// The files with mistakes, sorted by name.
fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(directory()).expect("the directory is readable");
    let paths = entries.map(|entry| entry.expect("the entry is readable").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "ser" || extension == "json")).collect();
    files.sort();
    files
}

/// The usual limits, but for the number of states: to exceed that takes long.
fn options() -> Options {
    Options { limits: Limits { pairs: 100_000, ..Limits::default() }, ..Options::default() }
}

/// Everything there is to say about a file.
fn diagnostics(path: &Path, text: &str) -> Vec<Diagnostic> {
    if path.extension().is_some_and(|extension| extension == "json") {
        return systems_from_json(text).err().iter().map(json_diagnostic).collect();
    }
    let analysis = analyze(text);
    let mut diagnostics = analysis.diagnostics;
    if let Some(program) = analysis.program
        && let Err(error) = compile(&program, options(), &Budget::unlimited())
    {
        diagnostics.extend(error.diagnostic(text));
    }
    diagnostics
}

/// Checks that an error has every part that every error must have.
fn check_form(file: &str, text: &str, shown: &str) {
    let lines: Vec<&str> = shown.lines().collect();
    let header = lines[0].strip_prefix("error[").and_then(|rest| rest.split_once("]: "));
    let (code, message) = header.unwrap_or_else(|| panic!("{file}: the header is `{}`", lines[0]));
    assert!(explain::page(code).is_some(), "{file}: nothing explains {code}");
    assert!(!message.is_empty() && !message.ends_with('.'), "{file}: {message:?}");

    let place = lines[1].trim_start().strip_prefix("--> ").unwrap_or_else(|| panic!("{file}: no place, but `{}`", lines[1]));
    let numbers: Vec<usize> = place.strip_prefix(file).unwrap_or_default().split(':').filter_map(|number| number.parse().ok()).collect();
    let [line, column] = numbers[..] else { panic!("{file}: `{place}` is no place") };
    let source = text.lines().nth(line - 1).unwrap_or_default();
    assert!(column <= source.chars().count() + 1, "{file}: column {column} of {source:?}");

    let number = format!("{line} |");
    let at = lines.iter().position(|shown| shown.trim_start().starts_with(&number));
    let at = at.unwrap_or_else(|| panic!("{file}: line {line} is not shown"));
    // Tabs are drawn as blanks.
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeeze(lines[at]).ends_with(&squeeze(source)), "{file}: {source:?} is shown as {:?}", lines[at]);
    assert!(lines[at + 1].contains('^'), "{file}: no caret below line {line}");

    let has =
        |name: &str| lines.iter().any(|line| line.split_once(name).is_some_and(|(before, after)| is_margin(before) && !after.is_empty()));
    assert!(has("expected: "), "{file}: {code} does not say what was expected");
    assert!(has("help: "), "{file}: {code} does not say what to do");
}

/// Whether this is what stands before a note: blanks and `=` or `╰`.
fn is_margin(before: &str) -> bool {
    before.trim() == "=" || before.trim().is_empty()
}

#[test]
fn what_people_are_told_about_mistakes() {
    let bless = std::env::var_os("SERVAL_BLESS").is_some();
    let mut differing = Vec::new();
    let mut expected_snapshots = BTreeSet::new();
    for path in files() {
        let file = path.file_name().and_then(|name| name.to_str()).expect("file names are text");
        let text = fs::read_to_string(&path).expect("the file is readable");
        let found = diagnostics(&path, &text);
        let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        assert!(errors.clone().count() > 0, "{file}: no mistake is found");
        for error in errors {
            check_form(file, &text, &render_diagnostics(std::slice::from_ref(error), file, &text, Style::Plain));
        }
        let shown = render_diagnostics(&found, file, &text, Style::Plain);
        let snapshot = path.with_file_name(format!("{file}.stderr"));
        if bless {
            fs::write(&snapshot, &shown).expect("the snapshot can be written");
        }
        let known = fs::read_to_string(&snapshot).unwrap_or_default().replace("\r\n", "\n");
        if shown != known {
            differing.push(format!("{file} was\n{known}\nand is\n{shown}"));
        }
        expected_snapshots.insert(snapshot);
    }
    for entry in fs::read_dir(directory()).expect("the directory is readable") {
        let path = entry.expect("the entry is readable").path();
        let is_snapshot = path.extension().is_some_and(|extension| extension == "stderr");
        assert!(!is_snapshot || expected_snapshots.contains(&path), "{} belongs to no file", path.display());
    }
    assert!(differing.is_empty(), "{}\nSERVAL_BLESS=1 accepts this", differing.join("\n"));
}

#[test]
fn the_mistakes_are_many_and_different() {
    let (mut programs, mut systems) = (BTreeSet::new(), BTreeSet::new());
    let mut files_seen = 0;
    for path in files() {
        let text = fs::read_to_string(&path).expect("the file is readable");
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        let errors = diagnostics(&path, &text).into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let codes = if is_json { &mut systems } else { &mut programs };
        codes.extend(errors.map(|error| error.code));
        files_seen += 1;
    }
    assert!(files_seen >= 40, "{files_seen} files");
    assert!(programs.len() >= 32, "{} codes in programs: {programs:?}", programs.len());
    assert!(systems.len() >= 8, "{} codes in systems: {systems:?}", systems.len());
}
