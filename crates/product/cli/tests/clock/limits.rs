//! One file's limit costs no other file its result: many files in one call,
//! some of which hit a limit by time or memory or are stuck, in every format.
//!
//! `SERVAL_COUNT=1000 cargo test --release -p serval-cli --test clock limits -- --nocapture`
//! checks a thousand files in one call. Nothing here depends on how fast the
//! machine is: whatever time is enough for, each file is mentioned once, and the
//! status is the one of what was said.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;
use serval_effort::{side_by_side, skips};
use serval_families::Family;
use serval_testkit::say;

use crate::alone;
use crate::support::{command, directory, text};

const FORMATS: [&str; 5] = ["text", "json", "sarif", "github", "markdown"];

/// What is said about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Serializable,
    Undecided,
    Not,
    Error,
}

impl Said {
    fn status(self) -> i32 {
        match self {
            Self::Serializable => 0,
            Self::Undecided => 3,
            Self::Not => 1,
            Self::Error => 2,
        }
    }
}

/// Reading this takes far more memory than there is, before any engine sees it.
fn greedy() -> String {
    let mut program = String::new();
    for number in 0..60_000 {
        writeln!(program, "request r{number} {{ X := (X + {}) % 7; yield; Y{} := X }}", number % 5, number % 3).unwrap();
    }
    program
}

/// The same as a network system.
fn greedy_system() -> String {
    let steps: Vec<String> = (0..200_000).map(|n| format!(r#"["L{n}","G{}","L{}","G{}"]"#, n % 1000, n + 1, (n + 1) % 1000)).collect();
    let steps = steps.join(",\n");
    format!(r#"{{"initial_global": "G0", "requests": [["R", "L0"]], "responses": [["L1", "S"]], "transitions": [{steps}]}}"#)
}

/// Program number `index` of a sweep, and what is to be said about it if no
/// limit is in the way; `None` for those that are made to hit one.
fn program(index: usize, hard: &str) -> (String, Option<Said>) {
    match index % 10 {
        3 => (hard.to_owned(), None),
        1 | 6 => (format!("request save {{ seen := N; yield; N := (seen + {}) % 4; seen }}", index % 3 + 1), Some(Said::Not)),
        5 if index % 20 == 5 => (format!("request a{index} {{ X := "), Some(Said::Error)),
        _ => (format!("request a{index} {{ X := (X + {}) % 4 }}", index % 3 + 1), Some(Said::Serializable)),
    }
}

fn name(index: usize) -> String {
    format!("f{index:04}.ser")
}

/// What the output says about each file; panics where one is mentioned twice.
fn said(format: &str, out: &str, errors: &str) -> BTreeMap<String, Said> {
    let mut all = BTreeMap::new();
    let mut add = |name: &str, said: Said| {
        assert_eq!(all.insert(name.to_owned(), said), None, "{format}: {name} twice");
    };
    match format {
        "json" => {
            for line in out.lines() {
                let report: Value = serde_json::from_str(line).unwrap();
                let said = match report["verdict"].as_str().unwrap() {
                    "serializable" => Said::Serializable,
                    "not-serializable" => Said::Not,
                    "unknown" => Said::Undecided,
                    _ => Said::Error,
                };
                add(report["file"].as_str().unwrap(), said);
            }
        }
        "sarif" => {
            let log: Value = serde_json::from_str(out).unwrap();
            let run = &log["runs"][0];
            let mut found: BTreeMap<String, Said> = BTreeMap::new();
            for artifact in run["artifacts"].as_array().unwrap() {
                let before = found.insert(artifact["location"]["uri"].as_str().unwrap().to_owned(), Said::Serializable);
                assert_eq!(before, None, "an artifact twice");
            }
            for result in run["results"].as_array().unwrap() {
                let said = match (result["ruleId"].as_str().unwrap(), result["level"].as_str().unwrap()) {
                    ("undecided", _) => Said::Undecided,
                    ("error", _) => Said::Error,
                    (rule, "error") => {
                        if rule.starts_with('E') {
                            Said::Error
                        } else {
                            Said::Not
                        }
                    }
                    _ => continue,
                };
                let file = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
                let worst = found.get_mut(file).unwrap();
                *worst = said.max(*worst);
            }
            found.iter().for_each(|(name, &said)| add(name, said));
        }
        "github" => {
            let mut found: BTreeMap<String, Said> = BTreeMap::new();
            for line in out.lines() {
                let proved = line.strip_prefix("serializable  ").or_else(|| line.strip_prefix("serializable, also in real time  "));
                if let Some(name) = proved {
                    add(name, Said::Serializable);
                    continue;
                }
                let file = line.split("file=").nth(1).unwrap().split(',').next().unwrap().to_owned();
                let title = line.split("title=").nth(1).unwrap();
                let said = if title.starts_with("not serializable") {
                    Said::Not
                } else if title.starts_with("undecided") {
                    Said::Undecided
                } else if line.starts_with("::error") {
                    Said::Error
                } else {
                    continue;
                };
                let worst = found.entry(file).or_insert(said);
                *worst = said.max(*worst);
            }
            found.iter().for_each(|(name, &said)| add(name, said));
        }
        "markdown" => {
            for line in out.lines().filter_map(|line| line.strip_prefix("## `")) {
                let (name, verdict) = line.split_once("`: ").unwrap();
                let kinds = [("serializable", Said::Serializable), ("undecided", Said::Undecided), ("error", Said::Error)];
                let kind = kinds.into_iter().find(|(start, _)| verdict.starts_with(start));
                add(name, kind.map_or(Said::Not, |(_, said)| said));
            }
        }
        _ => {
            // Behind the tally stands one of them again, in full.
            let is_tally = |line: &&str| line.split_once(" files: ").is_some_and(|(count, _)| count.parse::<usize>().is_ok());
            for line in out.lines().take_while(|line| !is_tally(line)) {
                let kinds = [
                    ("serializable  ", Said::Serializable),
                    ("serializable, also in real time  ", Said::Serializable),
                    ("not serializable  ", Said::Not),
                    ("undecided  ", Said::Undecided),
                ];
                if let Some((rest, said)) = kinds.into_iter().find_map(|(start, said)| Some((line.strip_prefix(start)?, said))) {
                    add(rest.split("  ").next().unwrap(), said);
                }
            }
            for line in errors.lines() {
                if let Some((file, _)) = line.trim_start().strip_prefix("--> ").and_then(|place| place.split_once(':')) {
                    add(file, Said::Error);
                }
            }
        }
    }
    all
}

/// Checks the files in `place`, and that the status is that of what was said.
fn check(place: &Path, names: &[String], format: &str, options: &[&str]) -> BTreeMap<String, Said> {
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let arguments = [&["check", "--no-fix", "--format", format], options, &files[..]].concat();
    let output = command(&arguments).current_dir(place).stdin(Stdio::null()).output().unwrap();
    let said = said(format, &text(&output.stdout), &text(&output.stderr));
    let found: Vec<&String> = said.keys().collect();
    assert_eq!(found, names.iter().collect::<Vec<_>>(), "{format}: every file once");
    let gravest = said.values().max().unwrap().status();
    let expected = if options.contains(&"--exit-zero") && gravest != 2 { 0 } else { gravest };
    assert_eq!(output.status.code(), Some(expected), "{format}\n{}", text(&output.stderr));
    said
}

/// Many files of which one in ten hits a limit, in all formats.
fn many_files(count: u64, kind: &str, hard: &str, options: &[&str], must_decide: bool) {
    let place = directory(&format!("limits-{kind}"));
    let names: Vec<String> = (0..usize::try_from(count).unwrap()).map(name).collect();
    for (index, name) in names.iter().enumerate() {
        fs::write(place.join(name), program(index, hard).0).unwrap();
    }
    // A call does one file after the other; two calls are no more in one another's way than two of a user's.
    side_by_side(&FORMATS, |format| {
        let start = Instant::now();
        let said = check(&place, &names, format, options);
        let (mut decided, mut stopped) = (0, 0);
        for (index, name) in names.iter().enumerate() {
            match (said[name], program(index, hard).1) {
                (Said::Undecided, Some(_)) if !must_decide => stopped += 1,
                (Said::Undecided, None) => stopped += 1,
                // What was hard may have been done all the same.
                (Said::Serializable | Said::Not, None) if !must_decide => decided += 1,
                (found, expected) => {
                    assert_eq!(Some(found), expected, "{format}: {name}");
                    decided += 1;
                }
            }
        }
        say(&format!("{kind}, {format}: {decided} decided, {stopped} stopped, {:.1} s", start.elapsed().as_secs_f64()));
    });
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn memory_costs_no_other_file_its_result() {
    let _alone = alone();
    let files = serval_effort::sweep("cli.limits-memory", 60, 500);
    many_files(files.count(), "memory", &greedy(), &["--memory", "48", "--timeout", "3600"], true);
}

#[test]
fn time_costs_no_other_file_its_result() {
    let _alone = alone();
    let files = serval_effort::sweep("cli.limits-time", 24, 500);
    let slow = Family::named("watch").unwrap().program(30);
    many_files(files.count(), "time", &slow, &["--timeout", "0.2", "--jobs", "1"], false);
}

/// The gravest status wins, whatever limit was hit.
#[test]
fn the_file_after_a_greedy_one_is_decided() {
    let _alone = alone();
    if skips("cli.limits-greedy") {
        return;
    }
    let place = directory("limits-three");
    fs::write(place.join("a.ser"), program(1, "").0).unwrap();
    fs::write(place.join("b.ser"), greedy()).unwrap();
    fs::write(place.join("b.json"), greedy_system()).unwrap();
    fs::write(place.join("c.ser"), program(0, "").0).unwrap();
    let calls: Vec<(&str, &str, &[&str])> = ["b.ser", "b.json"]
        .into_iter()
        .flat_map(|greedy| FORMATS.map(|format| (greedy, format)))
        .map(|(greedy, format)| (greedy, format, if greedy == "b.ser" { &[][..] } else { &["--exit-zero"] }))
        .collect();
    side_by_side(&calls, |&(greedy, format, more)| {
        let names = ["a.ser", greedy, "c.ser"].map(str::to_owned);
        let said = check(&place, &names, format, &[&["--memory", "48", "--timeout", "3600"], more].concat());
        let all: Vec<Said> = names.iter().map(|name| said[name]).collect();
        assert_eq!(all, [Said::Not, Said::Undecided, Said::Serializable], "{format} {greedy}");
    });
    let output = command(&["check", "b.ser", "--memory", "48"]).current_dir(&place).stdin(Stdio::null()).output().unwrap();
    let said = text(&output.stdout);
    assert!(said.starts_with("undecided  b.ser   stopped at the memory limit of 48 MiB (--memory)"), "{said}");
    let output = command(&["fix", "b.ser", "--memory", "48", "--format", "json"]).current_dir(&place).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(said["reason"], "stopped at the memory limit of 48 MiB (--memory)");
    let output = command(&["bench", "a.ser", "b.ser", "c.ser", "--memory", "48", "--format", "json"]).current_dir(&place).output().unwrap();
    let table: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let verdicts: Vec<&str> = table["rows"].as_array().unwrap().iter().map(|row| row["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["not-serializable", "unknown", "serializable"]);
}

/// Standard input that never ends is work that never looks at its flag: it is
/// left behind, and the report is finished.
#[test]
fn the_file_after_a_stuck_one_is_decided() {
    let _alone = alone();
    if skips("cli.limits-stuck") {
        return;
    }
    let place = directory("limits-stuck");
    fs::write(place.join("a.ser"), program(1, "").0).unwrap();
    fs::write(place.join("c.ser"), program(0, "").0).unwrap();
    let arguments = ["check", "a.ser", "-", "c.ser", "--input", "ser", "--no-fix", "--timeout", "0.1"];
    // Both only wait until they have had patience enough, and that for seconds.
    side_by_side(&[("sarif", &[][..]), ("json", &["--exit-zero"])], |&(format, more)| {
        let arguments = [&arguments[..], &["--format", format], more].concat();
        let mut child = command(&arguments).current_dir(&place).spawn().unwrap();
        let open = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(open);
        let said = said(format, &text(&output.stdout), "");
        let stuck = if format == "sarif" { "%3Cstdin%3E" } else { "<stdin>" };
        // How much of the others is done in that time depends on the machine.
        assert!(matches!(said.get("a.ser"), Some(Said::Not | Said::Undecided)), "{format}");
        assert_eq!(said.get(stuck), Some(&Said::Undecided), "{format}: {said:?}");
        assert!(matches!(said.get("c.ser"), Some(Said::Serializable | Said::Undecided)), "{format}");
        assert!(text(&output.stdout).contains("stopped at the time limit of 0.1 s (--timeout); it did not end by itself"), "{format}");
        let status = if more.is_empty() { said.values().max().unwrap().status() } else { 0 };
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(status), String::new()), "{format}");
    });
}
