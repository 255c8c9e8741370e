//! Workloads of SQL: the examples have the verdicts that their headers say, certificates are about every byte, and no
//! report shows a variable of the translation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serval::sql::{SETTINGS, Workload, bundle};
use serval::verify::{Subject, verify};
use serval::{Cancel, InputKind, Options};
use serval_report::{Look, Verdict};

const LEVELS: [&str; 3] = ["read committed", "repeatable read", "serializable"];

fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/sql");
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn files(directory: &Path, level: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "sql"))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    files.push((SETTINGS.to_owned(), format!("force {level}")));
    files
}

fn verdict(workload: &Workload) -> Verdict {
    workload.decide(&Options::default()).report("w", false).verdict
}

#[test]
fn examples_have_the_verdicts_of_their_headers() {
    let mut wrong = Vec::new();
    for directory in examples() {
        let schema = std::fs::read_to_string(directory.join("schema.sql")).unwrap();
        for level in LEVELS {
            let line = format!("-- serval: expect {level} ");
            let expected = schema.lines().find_map(|text| text.strip_prefix(&line)).unwrap_or("nothing");
            let report =
                Workload::read(&files(&directory, level)).ok().map(|workload| workload.decide(&Options::default()).report("w", false));
            let found = report.as_ref().map_or("error", |report| report.verdict.in_json());
            if found != expected {
                wrong.push(format!("{} at {level}: {found}, not {expected}", directory.display()));
            }
            if let Some(report) = report {
                shows_no_variable(&report, &directory);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No report shows a variable of the translation.
fn shows_no_variable(report: &serval_report::FileReport, directory: &Path) {
    const INNER: [&str; 10] =
        [" held", " sealed", " key shares", " flag", "reserved", "guards", " chosen", " by first", "\"answer\"", "\"rows\""];
    let story = report.counterexample.as_ref().map_or_else(String::new, |run| run.story.join("\n"));
    for text in [report.to_json(), report.to_text(true, Look::default()), report.to_markdown(), story] {
        for inner in INNER {
            assert!(!text.contains(inner), "{}: {inner} in {text}", directory.display());
        }
    }
}

#[test]
fn no_version_of_a_row_is_read_before_it_is_made() {
    for directory in examples() {
        for level in LEVELS {
            let Ok(workload) = Workload::read(&files(&directory, level)) else { continue };
            let text = workload.program_text();
            let analysis = serval_syntax::analyze(&text);
            let program = analysis.program.unwrap_or_else(|| panic!("{text}"));
            assert!(!program.requests.is_empty());
            // The count of rows and the answer begin with 0, and so do variables of the client.
            let table = std::fs::read_to_string(directory.join("schema.sql")).unwrap();
            for found in analysis.diagnostics.iter().filter(|found| ["W0209", "W0227"].contains(&found.code.0)) {
                let name = found.message.split('`').nth(1).unwrap_or_default();
                let cell = table.contains(&format!("TABLE {} ", name.split('_').next().unwrap_or_default())) && !name.ends_with("flag");
                assert!(!cell, "{} at {level}: {}", directory.display(), found.message);
            }
        }
    }
}

#[test]
fn a_certificate_is_about_every_byte() {
    for level in &LEVELS[..2] {
        for name in ["counter", "counter-update"] {
            let directory = examples().into_iter().find(|path| path.ends_with(name)).unwrap();
            let given = files(&directory, level);
            let workload = Workload::read(&given).unwrap();
            let decided = workload.decide(&Options::default());
            let certificate = decided.decision.evidence().unwrap().certificate.clone();
            let status = |files: &[(String, String)]| {
                let text = bundle(files);
                let subject = Subject::Requests { text: &text, kind: InputKind::Workload };
                verify(&subject, "w", &certificate, "c", &Cancel::new()).status
            };
            assert_eq!(status(&given), 0);
            for position in 0..given.len() {
                let mut changed = given.clone();
                changed[position].1.push(' ');
                assert_eq!(status(&changed), 1, "{name} {}", given[position].0);
            }
        }
    }
}

fn named(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

const ROWS: &str = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL); INSERT INTO t VALUES (1, 0), (2, 0);
-- serval: range t.n 0..1 wrap";
const ONE: &str = "UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n;";
const BOTH: &str = "BEGIN; SELECT n FROM t WHERE id = 1; SELECT n FROM t WHERE id = 2; COMMIT;";

#[test]
fn several_levels_are_decided_from_both_sides() {
    let skew = "BEGIN; UPDATE t SET n = 1 WHERE id = 1; UPDATE t SET n = 1 WHERE id = 2; COMMIT;";
    let files =
        |first: &str, other: &str, settings: &str| named(&[("schema.sql", ROWS), ("a.sql", first), ("b.sql", other), (SETTINGS, settings)]);
    let told = |given: &[(String, String)]| verdict(&Workload::read(given).unwrap_or_else(|mistakes| panic!("{:?}", mistakes.diagnostics)));
    // Who reads in two statements needs a snapshot; who writes does not.
    let safe = files(skew, BOTH, "level repeatable read b");
    assert_eq!(told(&safe), Verdict::Serializable);
    assert_eq!(told(&files(skew, BOTH, "level repeatable read a")), Verdict::NotSerializable);
    // The server may refuse a run at SERIALIZABLE.
    assert_eq!(told(&files(skew, BOTH, "level serializable a")), Verdict::Unknown);
    assert_eq!(told(&files(skew, BOTH, "level serializable b")), Verdict::Serializable);
    // A proof is about the program that has all runs, and a certificate of it is accepted.
    let workload = Workload::read(&safe).unwrap();
    let decided = workload.decide(&Options::default());
    let certificate = decided.decision.evidence().unwrap().certificate.clone();
    let text = bundle(&safe);
    let subject = Subject::Requests { text: &text, kind: InputKind::Workload };
    assert_eq!(verify(&subject, "w", &certificate, "c", &Cancel::new()).status, 0);
    assert_eq!(told(&files(ONE, ONE, "level repeatable read a")), Verdict::Serializable);
}

#[test]
fn a_proof_of_some_runs_is_no_proof_of_a_mixture() {
    let given = named(&[("schema.sql", ROWS), ("a.sql", ONE), ("b.sql", BOTH), (SETTINGS, "level repeatable read b")]);
    let text = bundle(&given);
    let reading = serval_sql::read(&text).workload.unwrap();
    let [lower, upper] = [serval_sql::Form::Exact, serval_sql::Form::Unguarded].map(|form| serval_sql::translate(&reading, form).unwrap());
    assert!(lower.mixed && lower.program != upper.program);
}

/// The maximal safe sets of the five transactions, of all 31 sets.
fn safe_sets(customers: &str, range: &str, level: &str) -> Vec<Vec<&'static str>> {
    const FIVE: [&str; 5] = ["amalgamate", "balance", "deposit_checking", "transact_savings", "write_check"];
    const SHORT: [&str; 5] = ["Am", "Bal", "DC", "TS", "WC"];
    let directory = examples().into_iter().find(|path| path.ends_with("smallbank")).unwrap();
    let texts: BTreeMap<String, String> = files(&directory, level).into_iter().collect();
    let mut safe: Vec<u32> = Vec::new();
    for set in (1_u32..32).rev() {
        if safe.iter().any(|known| known & set == set) {
            continue;
        }
        let mut given: Vec<(String, String)> = Vec::new();
        for (name, text) in &texts {
            let stem = name.trim_end_matches(".sql");
            if let Some(index) = FIVE.iter().position(|known| *known == stem)
                && set & (1 << index) == 0
            {
                continue;
            }
            let text = text.replace("(1, 1), (2, 1)", customers).replace("0..1 wrap", range);
            given.push((name.clone(), text));
        }
        let workload = Workload::read(&given).unwrap_or_else(|mistakes| panic!("{:?}", mistakes.diagnostics));
        match verdict(&workload) {
            Verdict::Serializable => safe.push(set),
            Verdict::NotSerializable => {}
            other => panic!("{set:b} at {level}: {other:?}"),
        }
    }
    let maximal: Vec<u32> = safe.iter().copied().filter(|set| !safe.iter().any(|other| other != set && other & set == *set)).collect();
    let mut names: Vec<Vec<&str>> = maximal
        .iter()
        .map(|set| SHORT.iter().enumerate().filter(|(index, _)| set & (1 << index) != 0).map(|(_, name)| *name).collect())
        .collect();
    names.sort();
    names
}

#[test]
fn smallbank_has_its_maximal_safe_sets() {
    let (rc, rr) = (LEVELS[0], LEVELS[1]);
    let committed = [vec!["Am", "DC", "TS"], vec!["Bal", "DC"], vec!["Bal", "TS"]];
    let snapshot = [vec!["Am", "Bal", "DC", "TS"], vec!["Am", "Bal", "DC", "WC"], vec!["Am", "DC", "TS", "WC"]];
    assert_eq!(safe_sets("(1, 1)", "0..2 wrap", rc), committed);
    assert_eq!(safe_sets("(1, 1)", "0..2 wrap", rr), snapshot);
}
