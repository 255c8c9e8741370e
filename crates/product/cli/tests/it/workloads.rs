//! Workloads of SQL that are wrong, each with one clear message, and reports on workloads as files; examples as pgbench
//! runs them, and PostgreSQL's isolation specs as workloads.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use serval::sql::{SETTINGS, Workload};
use serval::{Options, Verdict};
use serval_testkit::isolation_spec::{IsolationSession, IsolationSpec, statements};
use serval_testkit::suite::data_dir;
use serval_testkit::{postgres, say};

use crate::schema::fits;
use crate::support::{directory, root, serval, text};

const TABLE: &str = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, b boolean NOT NULL, s text NOT NULL);
INSERT INTO t VALUES (1, 0, true, 'x'), (2, 0, false, 'y');
-- serval: range t.n 0..1 wrap
";

/// What `serval check` says of a directory with these files: its status, standard output, standard error.
fn told(name: &str, files: &[(&str, &[u8])], more: &[&str]) -> (Option<i32>, String, String) {
    let place = directory(name);
    for (file, text) in files {
        let path = place.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let output = serval(&[&["check", place.to_str().unwrap(), "--no-times"], more].concat(), b"");
    std::fs::remove_dir_all(&place).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The only error has this code, and the message and the help have these words.
fn one_message(name: &str, files: &[(&str, &[u8])], more: &[&str], words: &[&str]) {
    let (status, shown, said) = told(name, files, more);
    assert_eq!(status, Some(2), "{name}: {shown}{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{name}: {said}");
    assert_eq!(said.matches("error").count(), 1, "{name}: {said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn what_is_wrong_with_scripts_is_one_message() {
    let cases: [(&str, &str, &[&str]); 18] = [
        ("BEGIN; UPDATE t SET n = 1 WHERE id = 1;", "", &["E0705", "ends with a transaction open", "end the transaction with COMMIT"]),
        ("UPDATE t SET n = 1 WHERE id = 1; COMMIT;", "", &["E0705", "COMMIT or ROLLBACK without a transaction"]),
        (
            "BEGIN;\nSELECT n AS x FROM t WHERE id = 1 \\gset\n\\if :x > 0\nCOMMIT;\n\\endif",
            "",
            &["E0705", "begins or ends in one branch only", "a.sql:3:1"],
        ),
        ("UPDATE t SET n = 1 WHERE id = :p AND s = :p;", "", &["E0709", "parameter `p` has two types: `t.id` is int and `t.s` is text"]),
        ("UPDATE t SET b = :p WHERE id = :p;", "", &["E0709", "`t.id` is int and `t.b` is boolean"]),
        ("UPDATE t SET n = m + 1;", "", &["E0703", "there is no column `m`"]),
        ("UPDATE tt SET n = 1;", "", &["E0703", "there is no table `tt`", "name one that is there: t"]),
        ("UPDATE t SET id = id + 1 WHERE id = 1;", "", &["E0702", "UPDATE of the key of table `t`"]),
        ("UPDATE t SET n = n + 1.5;", "", &["E0702", "the number 1.5"]),
        ("UPDATE t SET n = n / 2.0;", "", &["E0702", "division by a number with a point"]),
        (
            "UPDATE m SET n = n / 2;",
            "CREATE TABLE m (n numeric(13,2) CHECK (n BETWEEN 0 AND 4)); INSERT INTO m VALUES (4);",
            &["E0702", "division of `numeric`"],
        ),
        (
            "UPDATE m SET n = n + 1;",
            "CREATE TABLE m (n int); INSERT INTO m VALUES (4);",
            &["E0704", "add this line to the schema: -- serval: range m.n 0..2 wrap"],
        ),
        (
            "UPDATE u SET n = n + 1;",
            "CREATE TABLE u (id int PRIMARY KEY, n int UNIQUE CHECK (n BETWEEN 0 AND 4)); INSERT INTO u VALUES (1, 0);",
            &["E0702", "a second unique key of table `u`"],
        ),
        (
            "INSERT INTO i (n) VALUES (1) RETURNING id;",
            "CREATE TABLE i (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int);",
            &["E0702", "a key that the server chooses, in an answer"],
        ),
        ("SAVEPOINT a;", "", &["E0702", "SAVEPOINT"]),
        (
            "SELECT n FROM e WHERE n = 1;",
            "CREATE TABLE e (id bigint PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 2 AND 4), s text);",
            &["E0714", "`e` has no row at first", "INSERT INTO e (id, n) VALUES (1, 2)", "-- serval: rows e 0"],
        ),
        (
            "INSERT INTO c VALUES (1);",
            "CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (p int REFERENCES p);",
            &["E0714", "`p` has no row at first"],
        ),
        ("SELECT n FROM t WHERE id = 1 FOR UPDATE NOWAIT;", "-- serval: isolation repeatable read", &["E0702", "above READ COMMITTED"]),
    ];
    for (number, (script, schema, words)) in cases.into_iter().enumerate() {
        let schema = format!("{TABLE}{schema}\n");
        one_message(&format!("sql-wrong-{number}"), &[("schema.sql", schema.as_bytes()), ("a.sql", script.as_bytes())], &[], words);
    }
    let meant = format!("{TABLE}CREATE TABLE e (n int);\n-- serval: rows e 0\n");
    let (status, shown, said) = told("sql-meant", &[("schema.sql", meant.as_bytes()), ("a.sql", b"SELECT n FROM e;")], &[]);
    assert_eq!((status, said.as_str()), (Some(0), ""), "{shown}");
    let again = b"BEGIN; INSERT INTO t VALUES (1, 1, true, 'x'); SELECT n FROM t WHERE id = 1; DELETE FROM t WHERE id = 1; COMMIT;";
    let files: [(&str, &[u8]); 2] = [("schema.sql", TABLE.as_bytes()), ("a.sql", again)];
    one_message(
        "sql-wrong-again",
        &files,
        &["--isolation", "rr"],
        &["E0702", "reading a table at REPEATABLE READ after inserting into it"],
    );
}

#[test]
fn what_is_wrong_with_files_is_one_message() {
    let (table, look) = (TABLE.as_bytes(), &b"SELECT n FROM t;"[..]);
    let again = &[("schema.sql", table), ("migrations/1.sql", table), ("a.sql", look)];
    one_message("sql-two-schemas", again, &[], &["E0708", "there are two tables `t`", "a workload has one schema"]);
    one_message(
        "sql-no-schema",
        &[("serval.toml", b"[sql]\n"), ("a.sql", look)],
        &[],
        &["E0708", "there is no table", "pg_dump --schema-only"],
    );
    one_message("sql-no-script", &[("schema.sql", table)], &[], &["E0711", "there is no script beside the schema"]);
    one_message("sql-noise", &[("schema.sql", table), ("a.sql", b"SELECT \xff;")], &[], &["a.sql is not UTF-8 [E0501]"]);
    let long = format!("BEGIN;\n{}COMMIT;\n", "SELECT n FROM t WHERE id = 1;\n".repeat(1000));
    one_message("sql-long", &[("schema.sql", table), ("a.sql", long.as_bytes())], &[], &["E0710", "more than 1000 statements"]);
    // So many may be there; what they answer together has too many values, where nothing else is said.
    let most = format!("-- serval: answer nothing\nBEGIN;\n{}COMMIT;\n", "SELECT n FROM t WHERE id = 1;\n".repeat(998));
    let (status, shown, said) = told("sql-most", &[("schema.sql", table), ("a.sql", most.as_bytes())], &[]);
    assert!(shown.starts_with("serializable  "), "{status:?} {shown}{said}");
    let large = format!("-- {}\n", "what is known about this table ".repeat(300)).repeat((10 << 20) / 9300) + TABLE;
    let (status, shown, said) = told("sql-large", &[("migrations/1.sql", large.as_bytes()), ("a.sql", look)], &[]);
    assert_eq!((status, said.as_str()), (Some(0), ""), "{shown}");
    let larger = large.repeat(2);
    one_message("sql-larger", &[("schema.sql", larger.as_bytes()), ("a.sql", look)], &[], &["schema.sql is larger than 16 MiB [E0710]"]);
}

#[test]
fn mistakes_are_in_the_formats_for_machines() {
    let files: [(&str, &[u8]); 2] = [("schema.sql", TABLE.as_bytes()), ("a.sql", b"SELECT n\nFROM tt;")];
    let (status, github, _) = told("sql-mistake-github", &files, &["--format", "github"]);
    assert_eq!(status, Some(2));
    assert!(github.contains("/a.sql,line=1,endLine=2,col=1,endColumn=8,title=E0703::there is no table `tt`"), "{github}");
    let (_, json, _) = told("sql-mistake-json", &files, &["--format", "json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(root().join("docs/check.schema.json")).unwrap()).unwrap();
    fits(&report, &schema, &schema, "report");
    assert_eq!((report["verdict"].as_str(), report["notes"][0]["file"].as_str()), (Some("error"), Some("a.sql")));
    let (_, sarif, _) = told("sql-mistake-sarif", &files, &["--format", "sarif"]);
    let log: Value = serde_json::from_str(&sarif).unwrap();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("/a.sql") && place["region"]["startLine"] == 1, "{sarif}");
}

#[test]
fn reports_are_written_to_files() {
    let place = directory("sql-reports");
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(root().join("docs/check.schema.json")).unwrap()).unwrap();
    for (example, more) in [("counter", &["--grow"][..]), ("seats-unique", &["--grow"]), ("doctors", &["--isolation", "serializable"])] {
        let example = format!("examples/sql/{example}");
        let (page, drawing) = (path("page.html"), path("run.svg"));
        let output = serval(&[&["check", &example, "--format", "json", "--html", &page, "--svg", &drawing], more].concat(), b"");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        fits(&report, &schema, &schema, "report");
        assert_eq!(report["grown"].is_object(), more == ["--grow"]);
        let written = std::fs::read_to_string(&page).unwrap();
        assert!(written.contains("The workload") && written.contains("<h3>schema.sql</h3>"), "{example}");
        assert!(!written.contains(">globals<") && !written.contains("too many states to draw"), "{example}");
        let refuted = report["verdict"] == "not-serializable";
        assert_eq!(std::fs::read_to_string(&drawing).is_ok_and(|drawn| drawn.contains("UPDATE counter SET n")), refuted, "{example}");
        let _ = std::fs::remove_file(drawing);
    }
    // Several, with a page that leads to theirs.
    let output = serval(&["check", "examples/sql/counter", "examples/sql/counter-update", "--html", &path("pages"), "-q"], b"");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let index = std::fs::read_to_string(place.join("pages/index.html")).unwrap();
    assert!(index.contains("1 of 2 files serializable") && index.contains("examples_sql_counter.html"), "{index}");
    let output = serval(&["check", "examples/sql/counter", "--trace", &path("run.json")], b"");
    assert!(text(&output.stdout).contains("serval sql replay examples/sql/counter "), "{}", text(&output.stdout));
    let output = serval(&["check", "examples/lost-update.ser", "--grow"], b"");
    assert!(text(&output.stderr).contains("--grow"), "{}", text(&output.stderr));
    std::fs::remove_dir_all(place).unwrap();
}

fn examples() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(root().join("examples/sql")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

fn files_of(place: &std::path::Path) -> Vec<(String, String)> {
    let paths = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let sql = paths.filter(|path| path.extension().is_some_and(|end| end == "sql"));
    sql.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Each request of an example whose script has nothing but what pgbench knows is run once by it, on the rows of the
/// schema; a unique violation ends the client of pgbench, and none is in the way here.
#[test]
fn examples_are_run_by_pgbench() {
    let Some(server) = postgres() else { return };
    server.make_databases(&["pgbench".to_owned()]);
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(server.bin().join(program));
        command.args(arguments).env("PGHOST", server.folder()).env("PGUSER", "postgres").env("PGDATABASE", "pgbench");
        let output = command.output().unwrap();
        let (said, told) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && !told.contains("ERROR"), "{program} {arguments:?}: {said}{told}");
        said
    };
    let (mut scripts, mut left_out) = (0, Vec::new());
    for example in examples() {
        let workload = Workload::at_some_level(&files_of(&example)).unwrap_or_else(|mistakes| panic!("{:?}", mistakes.diagnostics));
        let (data, translation) = workload.parts();
        let schema = example.join("schema.sql");
        for (file, script) in files_of(&example).into_iter().filter(|(file, _)| file != "schema.sql") {
            let name = format!("{}/{file}", example.file_name().unwrap().to_str().unwrap());
            // psql counts the rows of a statement, sqlc names parameters in its own way and has several scripts in a
            // file.
            if [":ROW_COUNT", "-- name:", "$1", "@"].iter().any(|other| script.contains(other)) {
                left_out.push(name);
                continue;
            }
            let number = data.scripts.iter().position(|known| file == format!("{}.sql", known.name)).unwrap();
            let origins = translation.origins.iter().filter(|origin| origin.script == number);
            let origin = origins.max_by_key(|origin| &origin.request).unwrap();
            run("psql", &["-X", "-q", "-c", "drop schema public cascade", "-c", "create schema public", "-f", schema.to_str().unwrap()]);
            let defined = data.scripts[number].parameters.iter().zip(&origin.values);
            let defined: Vec<String> =
                defined.flat_map(|(parameter, (value, _))| ["-D".to_owned(), format!("{}={value}", parameter.name)]).collect();
            let path = example.join(&file);
            let mut arguments = vec!["-n", "-t", "1"];
            arguments.extend(defined.iter().map(String::as_str));
            arguments.extend(["-f", path.to_str().unwrap()]);
            let said = run("pgbench", &arguments);
            assert!(said.contains("number of transactions actually processed: 1/1"), "{name}: {said}");
            scripts += 1;
        }
    }
    say(&format!("pgbench: {scripts} scripts of the examples, without {}", left_out.join(", ")));
    assert!(scripts >= 20 && left_out.len() <= 5, "{scripts}, {left_out:?}");
}

/// Ranges that specs lack to be workloads.
const RANGES: [(&str, &[&str]); 10] = [
    ("simple-write-skew", &[]),
    ("project-manager", &[]),
    ("total-cash", &["range accounts.balance 0..600"]),
    ("two-ids", &["range d1.id 1..2", "range d2.id 1..3"]),
    ("temporal-range-integrity", &[]),
    ("referential-integrity", &[]),
    ("receipt-report", &[]),
    ("read-write-unique", &[]),
    ("read-write-unique-2", &[]),
    ("read-write-unique-4", &["range invoice.invoice_number 1..3", "range invoice.year 2016..2016"]),
];

/// A spec as a workload: each session is a script. A date that is read from a control row is written out.
fn imported(spec: &str, ranges: &[&str], level: &str) -> Vec<(String, String)> {
    let spec = spec.replace("(SELECT deposit_date FROM ctl WHERE k = 'receipt'), 1.00", "DATE '2008-12-22', 1");
    let spec =
        IsolationSpec::read(&spec.replace("(SELECT deposit_date FROM ctl WHERE k = 'receipt'), 2.00", "DATE '2008-12-22', 2")).unwrap();
    let lines = |blocks: Vec<&String>| -> String {
        blocks.into_iter().flat_map(|block| statements(block)).map(|text| format!("{text};\n")).collect()
    };
    let script = |session: &IsolationSession| lines(session.setup.iter().chain(session.steps.iter().map(|(_, text)| text)).collect());
    let mut files = vec![("schema.sql".to_owned(), lines(spec.setups.iter().collect()))];
    files.extend(spec.sessions.iter().enumerate().map(|(number, session)| (format!("s{}.sql", number + 1), script(session))));
    let settings = ranges.iter().map(|range| (*range).to_owned()).chain([format!("force {level}"), "observe".to_owned()]);
    files.push((SETTINGS.to_owned(), settings.collect::<Vec<_>>().join("\n")));
    files
}

/// Where some order of a spec's sessions gives answers and tables that no serial order gives, the workload is
/// refuted once an observer reads the tables.
#[test]
fn isolation_specs_are_refuted_where_an_order_is_not_serial() {
    let Some(place) = data_dir("pg-isolation") else { return };
    let table = std::fs::read_to_string(place.join("workloads.tsv")).unwrap();
    let (mut refuted, mut wrong) = (0, Vec::new());
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (name, level, not_serial) = (columns[0], columns[1].to_lowercase(), columns[9]);
        let Some((_, ranges)) = RANGES.iter().find(|(known, _)| *known == name).filter(|_| level != "serializable" && not_serial != "0")
        else {
            continue;
        };
        let spec = std::fs::read_to_string(place.join(format!("specs/{name}.spec"))).unwrap();
        let workload = match Workload::read(&imported(&spec, ranges, &level)) {
            Ok(workload) => workload,
            Err(mistakes) => {
                wrong.push(format!("{name} at {level}: {:?}", mistakes.diagnostics));
                continue;
            }
        };
        let verdict = workload.decide(&Options::default()).decision.verdict;
        if matches!(verdict, Verdict::NotSerializable(..)) {
            refuted += 1;
        } else {
            wrong.push(format!(
                "{name} at {level}: {}",
                workload.decide(&Options::default()).report("w", false).to_text(false, Default::default())
            ));
        }
    }
    say(&format!("isolation specs: {refuted} refuted with an observer"));
    assert!(wrong.is_empty() && refuted >= 10, "{refuted} refuted\n{}", wrong.join("\n"));
}
