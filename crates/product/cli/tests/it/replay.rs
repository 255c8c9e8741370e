//! `serval sql replay` as people call it, on a server of the tests.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;
use serval_testkit::{Postgres, postgres};

use crate::schema::fits;
use crate::support::{command, directory, root, signal_at_work, text};

const TRACE: &str = "docs/src/lost-update.trace.json";

/// The command, with the client of this server on the path and a database of its own.
fn replay(server: &Postgres, database: &str, arguments: &[&str]) -> Command {
    let mut command = command(&[&["sql", "replay"], arguments].concat());
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(server.bin().to_owned()).chain(std::env::split_paths(&paths));
    command.env("PATH", std::env::join_paths(all).unwrap()).env("COLUMNS", "120");
    command.env("PGHOST", server.folder()).env("PGUSER", "postgres").env("PGDATABASE", database);
    command
}

fn schema_of(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root().join("docs").join(name)).unwrap()).unwrap()
}

fn schemas(server: &Postgres, database: &str) -> String {
    let question = "select count(*) from pg_namespace where nspname like 'serval%'";
    let output = Command::new(server.psql()).args(["-X", "-A", "-t", "-d", &server.dsn_of(database), "-c", question]).output().unwrap();
    text(&output.stdout).trim().to_owned()
}

#[test]
fn traces_fit_their_schema() {
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(root().join(TRACE)).unwrap()).unwrap();
    let schema = schema_of("sql-trace.schema.json");
    fits(&trace, &schema, &schema, "trace");
}

#[test]
fn a_run_is_performed_and_compared() {
    let Some(server) = postgres() else { return };
    server.make_databases(&["performed".to_owned()]);
    let output = replay(server, "performed", &[TRACE]).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{said}");
    let page = std::fs::read_to_string(root().join("docs/src/sql-replay.md")).unwrap();
    assert!(page.contains(&said), "docs/src/sql-replay.md does not show\n{said}");
    // As an address, and for machines.
    let dsn = server.dsn_of("performed");
    let output = replay(server, "nowhere", &[TRACE, "--dsn", &dsn, "--format", "json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema = schema_of("sql-replay.schema.json");
    fits(&report, &schema, &schema, "report");
    assert_eq!((output.status.code(), report["verdict"].as_str()), (Some(0), Some("same")));
    // At another level the server does something else.
    let place = directory("replay-else");
    let other = std::fs::read_to_string(root().join(TRACE)).unwrap().replace("\"begin\", ", "\"begin isolation level repeatable read\", ");
    std::fs::write(place.join("else.json"), other).unwrap();
    let output = replay(server, "performed", &[place.join("else.json").to_str().unwrap()]).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("step 6: expected waits for #1 until step 7, then update 1; here waits for #1 until step 7, then error 40001"),
        "{said}"
    );
    let (output, shown) = (replay(server, "performed", &[place.join("else.json").to_str().unwrap(), "-q"]).output().unwrap(), "");
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), shown));
    assert_eq!(schemas(server, "performed"), "0");
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn what_cannot_be_performed_is_one_line() {
    let place = directory("replay-bad");
    let write = |name: &str, text: &[u8]| std::fs::write(place.join(name), text).unwrap();
    write("words.json", b"this is no trace");
    write("noise.json", b"\x80\x81");
    write("shell.json", br#"{"format": "serval-sql-trace", "version": 1, "setup": [], "sessions": ["a"], "steps": [{"session": 1, "statement": "\\! touch made"}]}"#);
    let said = |arguments: &[&str]| {
        let mut command = command(&[&["sql", "replay"], arguments].concat());
        let output = command.current_dir(&place).env("PGHOST", "/nonexistent").output().unwrap();
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), told.lines().count(), output.stdout.len()), (Some(2), 1, 0), "{told}");
        told
    };
    assert!(said(&["words.json"]).starts_with("error: words.json: line 1, column "), "{}", said(&["words.json"]));
    assert!(said(&["noise.json"]).contains("not UTF-8"));
    assert!(said(&["none.json"]).contains("cannot read none.json"));
    assert!(said(&["shell.json"]).contains("step 1 is not performed: it has a backslash"));
    assert!(!place.join("made").exists());
    let trace = root().join(TRACE);
    let told = said(&[trace.to_str().unwrap()]);
    assert!(told.starts_with("error: cannot connect to PostgreSQL: ") || told.starts_with("error: psql, the client"), "{told}");
    std::fs::remove_dir_all(place).unwrap();
}

/// `serval check` of a workload, with the client of this server on the path.
fn check(server: &Postgres, database: &str, arguments: &[&str]) -> Command {
    let mut command = replay(server, database, &[]);
    let mut check = crate::support::command(&[&["check", "--no-times"], arguments].concat());
    check.envs(command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))).current_dir(root());
    command = check;
    command
}

/// Every example that is refuted gives on a server what it gives in the model.
#[test]
fn counterexamples_of_examples_are_performed() {
    let Some(server) = postgres() else { return };
    server.make_databases(&["examples".to_owned()]);
    let mut performed = 0;
    let mut wrong = Vec::new();
    let mut examples: Vec<_> = std::fs::read_dir(root().join("examples/sql")).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.sort();
    for example in examples.iter().filter(|path| path.is_dir()) {
        let schema = std::fs::read_to_string(example.join("schema.sql")).unwrap();
        for (level, option) in [("read committed", "rc"), ("repeatable read", "rr")] {
            if !schema.contains(&format!("-- serval: expect {level} not-serializable")) {
                continue;
            }
            let output = check(server, "examples", &[example.to_str().unwrap(), "--isolation", option, "--replay"]).output().unwrap();
            let said = text(&output.stdout);
            performed += 1;
            if output.status.code() != Some(1) || !said.contains("\nthe server did the same   ") {
                wrong.push(format!("{} at {level}: {said}{}", example.display(), text(&output.stderr)));
            }
        }
    }
    assert!(wrong.is_empty() && performed >= 10, "{performed}\n{}", wrong.join("\n"));
    assert_eq!(schemas(server, "examples"), "0");
}

#[test]
fn a_saved_run_is_performed_and_belongs_to_its_workload() {
    let Some(server) = postgres() else { return };
    server.make_databases(&["saved".to_owned()]);
    let place = directory("replay-saved");
    let run = place.join("run.json");
    let run = run.to_str().unwrap();
    let output = check(server, "saved", &["examples/sql/counter", "--trace", run, "-q"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let mut again = replay(server, "saved", &["examples/sql/counter", run]);
    let output = again.current_dir(root()).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    assert!(said.starts_with("the server did the same   examples/sql/counter   ") && said.contains("#2 gets 0, as in the run"), "{said}");
    let told = |arguments: &[&str]| {
        let output = replay(server, "saved", arguments).current_dir(root()).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        text(&output.stderr)
    };
    let other = told(&["examples/sql/doctors", run]);
    assert!(other.contains("is the run of another workload than examples/sql/doctors"), "{other}");
    let alone = told(&[run]);
    assert!(alone.contains("give its directory, too"), "{alone}");
    let broken = std::fs::read_to_string(run).unwrap().replace("\"session\": 2", "\"session\": 7");
    std::fs::write(place.join("broken.json"), broken).unwrap();
    let broken = told(&["examples/sql/counter", place.join("broken.json").to_str().unwrap()]);
    assert!(broken.contains("there is no session 7"), "{broken}");
    std::fs::remove_dir_all(place).unwrap();
}

/// A replay that goes on until something ends it.
fn endless(server: &Postgres, database: &str, name: &str, more: &[&str]) -> (Child, std::path::PathBuf) {
    server.make_databases(&[database.to_owned()]);
    let place = directory(name);
    let trace = r#"{"format": "serval-sql-trace", "version": 1, "setup": ["create table t (id int primary key)", "insert into t values (1)"],
        "sessions": ["a", "b"], "steps": [{"session": 1, "statement": "begin"}, {"session": 1, "statement": "delete from t"},
        {"session": 2, "statement": "delete from t", "waits": {}}, {"session": 1, "statement": "select pg_sleep(40)"}]}"#;
    std::fs::write(place.join("endless.json"), trace).unwrap();
    let child = replay(server, database, &[&[place.join("endless.json").to_str().unwrap()], more].concat()).spawn().unwrap();
    let start = Instant::now();
    while schemas(server, database) != "1" {
        assert!(start.elapsed() < Duration::from_secs(30), "it has not begun");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    (child, place)
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    let Some(server) = postgres() else { return };
    let (child, place) = endless(server, "interrupted", "replay-interrupted", &[]);
    signal_at_work(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(130), "interrupted\n"));
    gone(server, "interrupted");
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_limit_on_time_leaves_nothing_behind() {
    let Some(server) = postgres() else { return };
    let (child, place) = endless(server, "limited", "replay-limited", &["--timeout", "6"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), "error: stopped at the time limit of 6 s (--timeout)\n"));
    gone(server, "limited");
    std::fs::remove_dir_all(place).unwrap();
}

/// The process that keeps the schema drops it, and what still runs on the server is ended first.
#[test]
fn a_kill_leaves_nothing_behind() {
    let Some(server) = postgres() else { return };
    let (mut child, place) = endless(server, "killed", "replay-killed", &[]);
    child.kill().unwrap();
    child.wait().unwrap();
    gone(server, "killed");
    std::fs::remove_dir_all(place).unwrap();
}

/// Waits until there is no schema of a replay.
fn gone(server: &Postgres, database: &str) {
    let start = Instant::now();
    while schemas(server, database) != "0" {
        assert!(start.elapsed() < Duration::from_secs(300), "a schema is left");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The library and the checker stand on no client of a database, and the program on none but `psql`.
#[test]
fn no_crate_connects_to_a_database() {
    let locked = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    for name in ["postgres", "tokio", "tokio-postgres", "postgres-protocol", "sqlx"] {
        assert!(!locked.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
    for package in ["serval-check", "serval-verify"] {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo).args(["tree", "--offline", "-e", "normal", "-p", package]).current_dir(root()).output().unwrap();
        let tree = text(&output.stdout);
        assert!(output.status.success() && !tree.contains("serval-replay"), "{tree}");
    }
}
