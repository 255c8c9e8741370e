//! Workloads of SQL: the examples have the verdicts that their headers say, certificates are about every byte, and no
//! report shows a variable of the translation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serval::sql::{SETTINGS, Workload, bundle};
use serval::verify::{Subject, verify};
use serval::{Cancel, Content, InputKind, Options};
use serval_report::html::lanes;
use serval_report::{FileReport, Look, Verdict, sarif};
use serval_sql::Role;

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
                let workload = Workload::read(&files(&directory, level)).unwrap();
                shows_no_variable(&report, &workload, &directory);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No report shows a variable of the translation, in any format; a run has its statements in all of them.
fn shows_no_variable(report: &FileReport, workload: &Workload, directory: &Path) {
    const INNER: [&str; 10] =
        [" held", " sealed", " key shares", " flag", "reserved", "guards", " chosen", " by first", "\"answer\"", "\"rows\""];
    // What stands for a column or a row of the workload has a name that people know; all others have none.
    let roles = &workload.parts().1.roles;
    let shown = |name: &str| matches!(roles.get(name), Some(Role::Cell { .. } | Role::There { .. }));
    let Content::Program(program) = workload.input().content() else { panic!() };
    let globals = program.globals.iter().map(|global| global.name.clone());
    let hidden: Vec<String> = globals.filter(|name| !shown(name)).collect();
    let run = report.counterexample.as_ref();
    let story = run.map_or_else(String::new, |run| run.story.join("\n"));
    let svg = run.map_or_else(String::new, |run| lanes(run).file());
    let page = workload.page(report, "0");
    let github = report.to_github();
    let texts = [report.to_json(), report.to_text(true, Look::default()), report.to_markdown(), sarif(std::slice::from_ref(report), "0")];
    for text in texts.iter().chain([&github, &story]) {
        for inner in INNER {
            assert!(!text.contains(inner), "{}: {inner} in {text}", directory.display());
        }
    }
    for text in texts.iter().chain([&github, &page, &svg, &story]) {
        for inner in &hidden {
            assert!(!text.contains(inner), "{}: {inner} in {text}", directory.display());
        }
    }
    let Some(run) = run else { return };
    assert!(!run.statements.is_empty(), "{}", directory.display());
    for statement in &run.statements {
        let (_, file) = workload.files().find(|(name, _)| *name == statement.file).unwrap();
        let first = statement.statement.split(' ').next().unwrap();
        let line = file.lines().nth(statement.span[0] as usize - 1).unwrap();
        assert!(line.contains(first), "{}: {statement:?} is not on {line}", directory.display());
        let place = format!("{}:{}", statement.file, statement.span[0]);
        assert!(page.contains(&place), "{}: {place}", directory.display());
        assert!(texts[3].contains(&format!("\"uri\": \"{}\"", statement.file)), "{}", texts[3]);
    }
    // Annotations stand beside a line of a script.
    assert!(run.statements.iter().any(|one| github.contains(&format!("file={},line={},", one.file, one.span[0]))), "{github}");
}

/// A transaction that begins with a lock of a row is not overtaken by a later one that locks it, also where
/// others commit in between.
#[test]
fn a_run_that_no_server_performs_refutes_nothing() {
    let schema = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
        INSERT INTO t VALUES (1, 0), (2, 0), (3, 0), (4, 0);
        -- serval: range t.n 0..1
        -- serval: isolation repeatable read
        ";
    let first = "BEGIN; SELECT id FROM t WHERE id = 1 FOR UPDATE; SELECT n FROM t WHERE id = 2; UPDATE t SET n = 1 WHERE id = 3; COMMIT;";
    let second = "BEGIN; SELECT id FROM t WHERE id = 1 FOR UPDATE; SELECT n FROM t WHERE id = 2; UPDATE t SET n = 1 WHERE id = 4; COMMIT;";
    let between = "UPDATE t SET n = 1 WHERE id = 2;";
    let look = "BEGIN; SELECT n FROM t WHERE id = 3; SELECT n FROM t WHERE id = 4; COMMIT;";
    let told = |first: &str, second: &str| {
        let report =
            checked(&[("schema.sql", schema), ("first.sql", first), ("second.sql", second), ("between.sql", between), ("look.sql", look)]);
        (report.verdict, report.reason.unwrap_or_default())
    };
    let (verdict, reason) = told(first, second);
    assert_eq!(verdict, Verdict::Unknown, "{reason}");
    assert!(reason.contains("which a server does only where"), "{reason}");
    // Where the lock comes later it is one, and where there is none as well.
    let later = |script: &str| script.replace("BEGIN;", "BEGIN; SELECT n FROM t WHERE id = 2;");
    assert_eq!(told(&later(first), &later(second)).0, Verdict::NotSerializable);
    let without = |script: &str| script.replace(" FOR UPDATE", "");
    assert_eq!(told(&without(first), &without(second)).0, Verdict::NotSerializable);
}

fn checked(files: &[(&str, &str)]) -> FileReport {
    let workload = Workload::read(&named(files)).unwrap_or_else(|mistakes| panic!("{:?}", mistakes.diagnostics));
    workload.decide(&Options::default()).report("w", false)
}

#[test]
fn larger_bounds_are_tried() {
    let grown = |schema: &str, script: &str| {
        let workload = Workload::read(&named(&[("schema.sql", schema), ("a.sql", script)])).unwrap();
        let note = workload.grown_note(&Options::default());
        (verdict(&workload), note.verdict, note.bounds.join(", "))
    };
    let next = "UPDATE t SET n = n + 1 WHERE id = :id RETURNING n;";
    let (small, large, bounds) = grown(ROWS, next);
    assert_eq!((small, large), (Verdict::Serializable, Verdict::Serializable));
    assert_eq!(bounds, "t has no row beyond t(1), t(2), t(3), t.n is 0..3 wrapping");
    // A CHECK is part of the schema.
    let check = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 1)); INSERT INTO t VALUES (1, 0);";
    assert!(grown(check, next).2.ends_with("t.n is 0..1"), "{}", grown(check, next).2);
    // With one row only there is nothing that is read twice.
    let one = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL); INSERT INTO t VALUES (1, 0);\n-- serval: range t.n 0..1 wrap";
    let look = "-- name: set\nUPDATE t SET n = n + 1 WHERE id = :id;\n-- name: look\nBEGIN; SELECT sum(n) FROM t WHERE id < 2; SELECT sum(n) FROM t WHERE id > 1; COMMIT;";
    let (small, large, _) = grown(one, look);
    assert_eq!((small, large), (Verdict::Serializable, Verdict::NotSerializable));
    // A child of a parent that has no further row stays as it is.
    let child = "CREATE TABLE p (id int PRIMARY KEY); INSERT INTO p VALUES (1);
        CREATE TABLE c (p int PRIMARY KEY REFERENCES p, n int NOT NULL); INSERT INTO c VALUES (1, 0);\n-- serval: range c.n 0..1 wrap";
    let (_, _, bounds) = grown(child, "UPDATE c SET n = n + 1 WHERE p = :p;");
    assert!(bounds.starts_with("c has no row beyond c(1), c(2), "), "{bounds}");
}

/// Two transactions that insert have room for what both insert, without a word about it; rows at which no script looks
/// bound nothing.
#[test]
fn rows_that_come_have_room() {
    let schema = "CREATE TABLE b (id serial PRIMARY KEY, seat int NOT NULL CHECK (seat BETWEEN 1 AND 2));
        CREATE TABLE log (id serial PRIMARY KEY, seat int NOT NULL);
        CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 2)); INSERT INTO t VALUES (1, 2);";
    let book = "BEGIN;\nSELECT count(*) AS n FROM b WHERE seat = :seat \\gset\n\\if :n = 0\nINSERT INTO b (seat) VALUES (:seat);\n\\endif\nCOMMIT;";
    let report = checked(&[("schema.sql", schema), ("book.sql", book)]);
    assert_eq!(report.verdict, Verdict::NotSerializable);
    let told = report.notes.iter().find(|note| note.code == "N0713").map(|note| note.message.as_str());
    assert_eq!(told, Some("2 rows can come into `b`, since nothing says how many: `-- serval: rows b COUNT`"));
    // A key that the server chooses cannot be there already, also at SERIALIZABLE; one that a script names can.
    let insert = |rest: &str| checked(&[("schema.sql", &format!("{schema}\n-- serval: isolation serializable")), ("a.sql", rest)]).verdict;
    assert_eq!(insert("INSERT INTO b (seat) VALUES (1);"), Verdict::Assumed);
    assert_eq!(insert("INSERT INTO t VALUES (:id, 0);\n-- serval: param id 1..2"), Verdict::Unknown);
    let one = format!("{schema}\n-- serval: rows b 1");
    assert_eq!(checked(&[("schema.sql", &one), ("book.sql", book)]).verdict, Verdict::Serializable);
    let take =
        "BEGIN; SELECT n FROM t WHERE id = 1; UPDATE t SET n = n - 1 WHERE id = 1 AND n > 0; INSERT INTO log (seat) VALUES (1); COMMIT;";
    for (script, expected) in
        [(take.to_owned(), Verdict::NotSerializable), (take.replace("= 1;", "= 1 FOR UPDATE;"), Verdict::Serializable)]
    {
        let report = checked(&[("schema.sql", schema), ("take.sql", &script)]);
        assert_eq!(report.verdict, expected, "{script}");
        let text = serde_json::to_string(&report).unwrap();
        assert!(!text.contains("log(") && !text.contains("new log"), "{text}");
    }
}

#[test]
fn a_script_that_never_ends_is_told_in_words_of_sql() {
    let wait = "-- serval: repeat until :done\nBEGIN;\nSELECT n = 5 AS done FROM t WHERE id = 1 \\gset\nCOMMIT;\n";
    let report = checked(&[("schema.sql", ROWS), ("set.sql", ONE), ("wait.sql", wait)]);
    let note = report.notes.iter().find(|note| note.code == "W0309").unwrap();
    assert!(note.message.starts_with("`wait` can never end: ") && !note.message.contains("program"), "{}", note.message);
    assert_eq!((note.file.as_deref(), note.severity), (Some("wait.sql"), "warning"));
    assert!(checked(&[("schema.sql", ROWS), ("set.sql", ONE)]).notes.iter().all(|note| note.code != "W0309"));
}

#[test]
fn a_script_that_cannot_go_on_says_where_and_in_which_run() {
    let look = "BEGIN;\nSELECT n AS x\n  FROM t WHERE id = 1 \\gset\nUPDATE t SET n = :x WHERE id = 2;\nCOMMIT;";
    let gone = checked(&[("schema.sql", ROWS), ("gone.sql", "DELETE FROM t WHERE id = 1;"), ("look.sql", look)]);
    let fault = gone.fault.as_ref().unwrap();
    assert_eq!((gone.verdict, fault.file.as_deref(), fault.span[0]), (Verdict::Fault, Some("look.sql"), 2));
    assert!(fault.message.starts_with("`\\gset` finds no row"), "{}", fault.message);
    assert!(gone.to_text(false, Look::default()).contains("at look.sql:2: `\\gset` finds"), "{}", gone.to_text(false, Look::default()));
    assert!(gone.to_github().contains("::error file=look.sql,line=2,"), "{}", gone.to_github());
    assert_eq!(fault.run.statements[0].file, "gone.sql");
    // One that fails by itself is a mistake.
    let unusable = |script: &str| {
        let report = checked(&[("schema.sql", ROWS), ("a.sql", script)]);
        assert_eq!(report.verdict, Verdict::Error);
        report.reason.unwrap()
    };
    let none = unusable("SELECT n AS x FROM t WHERE id = 1 AND n > 5 \\gset\nUPDATE t SET n = :x WHERE id = 1;");
    assert!(none.contains("a.sql:1: `\\gset` finds no row, several rows, or NULL: the first request, #1 a, fails here"), "{none}");
    let several = unusable("SELECT n AS x FROM t \\gset\nUPDATE t SET n = :x WHERE id = 1;");
    assert!(several.contains("a.sql:1: `\\gset` finds no row, several rows"), "{several}");
    let zero = unusable("SELECT n AS x FROM t WHERE id = 1 \\gset\n\\set y 1 / :x\nUPDATE t SET n = :y WHERE id = 1;");
    assert!(zero.contains("a.sql:2: a division by zero: the first request, #1 a, fails here"), "{zero}");
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

/// Tables in which a first statement of one script has to do with a row of another.
const HELD: &str = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL);
INSERT INTO t VALUES (1, 0);
INSERT INTO u VALUES (1, 0);
-- serval: range t.id 1..1
-- serval: range t.n 0..2 wrap
-- serval: range u.v 0..1
";

fn at_repeatable_read(schema: &str, scripts: &[(&str, &str)]) -> Vec<(String, String)> {
    let file = |(name, text): &(&str, &str)| (format!("{name}.sql"), format!("BEGIN ISOLATION LEVEL REPEATABLE READ;\n{text}\nCOMMIT;\n"));
    [("schema.sql".to_owned(), schema.to_owned())].into_iter().chain(scripts.iter().map(file)).collect()
}

/// An INSERT that comes first waits for who deletes the key, and has the older snapshot: rule 4.16 of the server.
#[test]
fn an_insert_waits_with_its_snapshot() {
    let gone = "DELETE FROM t WHERE id = 1;\nUPDATE u SET v = 1 WHERE k = 1;";
    let come = "INSERT INTO t VALUES (1, 0);\nSELECT v FROM u WHERE k = 1;";
    let files = at_repeatable_read(HELD, &[("gone", gone), ("come", come)]);
    let workload = Workload::read(&files).unwrap();
    let report = workload.decide(&Options::default()).report("w", false);
    assert_eq!(report.verdict, Verdict::NotSerializable, "{:?}", report.reason);
    let run = report.counterexample.unwrap();
    let is_early = |request: &str, response: &str| request == "come" && response.contains('0') && !response.contains("23505");
    assert!(run.requests.iter().any(|one| is_early(&one.request, &one.response)), "{:?}", run.requests.len());
}

/// That a first statement holds its row is used for no proof: the server can stand still before it does.
#[test]
fn no_proof_rests_on_what_a_first_statement_holds() {
    let a = "UPDATE t SET n = n + 1 WHERE id = 1;\nSELECT v FROM u WHERE k = 1;";
    let b = "SELECT v FROM u WHERE k = 1;\nSELECT n FROM t WHERE id = 1 FOR UPDATE;";
    let files =
        at_repeatable_read(&HELD.replace("0..1\n", "0..1 wrap\n"), &[("a", a), ("b", b), ("c", "UPDATE u SET v = v + 1 WHERE k = 1;")]);
    let workload = Workload::read(&files).unwrap();
    let report = workload.decide(&Options::default()).report("w", false);
    assert_ne!(report.verdict, Verdict::Serializable);
    if report.verdict == Verdict::Unknown {
        assert!(report.reason.as_ref().unwrap().contains("stands still"), "{:?}", report.reason);
    }
}
