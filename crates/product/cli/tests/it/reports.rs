//! What reports say about programs that are not serializable: all parts of
//! the report are there, and the accesses in it are those of a real run, as an
//! interpreter that shares nothing with the compiler finds.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serval_effort::{side_by_side, skips};
use serval_testkit::naive::{Source, retell};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::retold;
use crate::support::{self, root, text};

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "ser" || end == "json"));
    files.sort();
    files
}

/// The report for machines, if the file is not serializable.
fn refuted(path: &Path) -> Option<Value> {
    let output = support::serval(&["check", "--format", "json", "--no-times", path.to_str().unwrap()], b"");
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    (report["verdict"] == "not-serializable").then_some(report)
}

/// The report for people.
fn told(path: &Path) -> String {
    let mut command = support::command(&["check", path.to_str().unwrap()]);
    let output = command.env("LC_ALL", "C.UTF-8").env("COLUMNS", "").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", path.display());
    text(&output.stdout)
}

/// Everything that the report of a program must have.
fn is_complete(report: &str, of: &Path) {
    let line = |start: &str| report.lines().any(|line| line.trim_start().starts_with(start));
    let name = of.display();
    assert!(line("step |"), "{name}: no timeline\n{report}");
    assert!(line("seen together "), "{name}: no answers\n{report}");
    assert!(line("in any order ") || report.contains("no serial order gives these"), "{name}: no serial orders\n{report}");
    if of.extension().is_some_and(|end| end == "ser") {
        assert!(line("why "), "{name}: no reason\n{report}");
        assert!(report.contains("serval explain ") || report.contains("has no standard name"), "{name}: no name\n{report}");
        let fix =
            report.lines().find_map(|line| line.trim_start().strip_prefix("fix ")).unwrap_or_else(|| panic!("{name}: no fix\n{report}"));
        let proved = fix.contains("then serializable (proved)") || report.contains(" makes it serializable (proved)");
        let none = fix.trim_start().starts_with("none by removing yields: ");
        assert!(proved || none, "{name}: {fix}");
    }
}

/// Whether another interpreter can do what is reported; how many accesses that are.
fn is_real(path: &Path, counterexample: &Value) -> usize {
    let program = serval_syntax::analyze(&std::fs::read_to_string(path).unwrap()).program.unwrap();
    let steps = retold::steps(counterexample);
    retell(&Source::from(&program), &steps).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // The comparison can fail: one value changed is noticed.
    let mut wrong = steps.clone();
    if let Some(access) = wrong.iter_mut().flat_map(|step| &mut step.accesses).last() {
        access.value += 1;
        assert!(retell(&Source::from(&program), &wrong).is_err(), "{}", path.display());
    }
    steps.iter().map(|step| step.accesses.len()).sum()
}

/// Looks at all files of a directory; a line for each that is not serializable.
fn look_at(directory: &Path, each: &mut dyn FnMut(&Path, &str)) -> String {
    let (mut accesses, mut count, mut lines) = (0, 0, String::new());
    let files = files(directory);
    let reports = side_by_side(&files, |path| {
        let report = refuted(path)?;
        let told = told(path);
        is_complete(&told, path);
        let is_program = path.extension().is_some_and(|end| end == "ser");
        Some((if is_program { is_real(path, &report["counterexample"]) } else { 0 }, report, told))
    });
    for (path, found) in files.iter().zip(reports) {
        let Some((real, report, told)) = found else { continue };
        accesses += real;
        each(path, &told);
        count += 1;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let requests = report["counterexample"]["requests"].as_array().unwrap().len();
        let anomaly = report["counterexample"]["anomaly"].as_str().unwrap_or("no name");
        let fix = match report["fix"]["outcome"].as_str() {
            Some("found") => report["fix"]["alternatives"].to_string(),
            Some(other) => other.to_owned(),
            None => "-".to_owned(),
        };
        let _ = writeln!(lines, "{name}: {anomaly}, {requests} requests, fix {fix}");
    }
    say(&format!("{}: {count} reports, {accesses} accesses of real runs", directory.display()));
    lines
}

/// Compares with what is on record; writes it with `SERVAL_UPDATE`.
fn on_record(path: &Path, now: &str) {
    if std::env::var_os("SERVAL_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, now).unwrap();
    }
    let known = std::fs::read_to_string(path).unwrap_or_default();
    assert!(known == now, "{} differs; SERVAL_UPDATE=1 writes it anew\n{now}", path.display());
}

#[test]
fn examples_are_explained() {
    if skips("cli.reports") {
        return;
    }
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports");
    let shown = root().join("examples");
    let mut seen = Vec::new();
    look_at(&shown, &mut |path, told| {
        let name = path.file_name().unwrap().to_str().unwrap();
        seen.push(format!("{name}.txt"));
        on_record(&records.join(format!("{name}.txt")), &told.replace(shown.to_str().unwrap(), "examples"));
    });
    let there = std::fs::read_dir(&records).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let old: Vec<String> = there.filter(|name| !seen.contains(name) && name != "suite.txt").collect();
    assert!(old.is_empty(), "records of no example: {old:?}");
}

#[test]
fn the_suite_is_explained() {
    if skips("cli.reports") {
        return;
    }
    let Some(suite) = data_dir("suite") else { return };
    let lines = look_at(&suite, &mut |_, _| {});
    on_record(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports/suite.txt"), &lines);
}
