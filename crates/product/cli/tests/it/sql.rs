//! `serval sql levels`, `mine` and `fix` as people call them; on a server where there is one.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use serval::sql::Workload;
use serval_replay::{Playground, Refusable, ScriptSession, ServerAddress, ServerAnswer, Statement, setup};
use serval_report::SqlRun;
use serval_testkit::{Postgres, own_postgres, postgres};

use crate::schema::fits;
use crate::support::{directory, root, serval, text};

fn json(schema: &str, arguments: &[&str]) -> (Value, Option<i32>) {
    let output = serval(arguments, b"");
    let said = text(&output.stdout);
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}{}", text(&output.stderr)));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(root().join("docs").join(schema)).unwrap()).unwrap();
    fits(&report, &schema, &schema, "report");
    (report, output.status.code())
}

/// What a command says of bad input: nothing but one message, which has these words.
fn refused(arguments: &[&str], words: &str) {
    let output = serval(arguments, b"");
    let told = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}: {told}");
    assert!(told.contains(words), "{arguments:?}: {told}");
    assert!(!told.contains("panicked"), "{told}");
}

/// A directory with these files.
fn workload(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let place = directory(name);
    files.iter().for_each(|(file, text)| std::fs::write(place.join(file), text).unwrap());
    place
}

/// A copy of an example, which can be changed.
fn copied(example: &str, name: &str) -> PathBuf {
    let place = directory(name);
    for entry in std::fs::read_dir(root().join("examples/sql").join(example)).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, place.join(path.file_name().unwrap())).unwrap();
    }
    place
}

#[test]
fn levels_for_machines_fit_their_schema() {
    let levels = |arguments: &[&str]| json("sql-levels.schema.json", &[&["sql", "levels", "--format", "json"], arguments].concat());
    let (report, status) = levels(&["examples/sql/counter", "--subsets"]);
    assert_eq!((report["verdict"].as_str(), status), (Some("proved"), Some(0)));
    assert_eq!(report["scripts"][0]["level"], "REPEATABLE READ");
    assert!(report["subsets"].as_array().is_some_and(|sets| sets.len() == 2));
    // Scripts at levels that differ are proved, and refuted, too.
    let (report, status) = levels(&["examples/sql/roster"]);
    let level = |name: &str| report["scripts"].as_array().unwrap().iter().find(|one| one["script"] == name).unwrap()["level"].clone();
    assert_eq!((report["verdict"].as_str(), status), (Some("proved"), Some(0)));
    assert_eq!((level("roster"), level("swap")), ("REPEATABLE READ".into(), "READ COMMITTED".into()));
    let (report, status) = levels(&["examples/sql/doctors"]);
    assert_eq!((report["verdict"].as_str(), status), (Some("assumed"), Some(0)));
    let (report, status) = levels(&["examples/sql/counter", "--timeout-all", "0.000001"]);
    // Without time nothing is refuted; what the server promises needs none.
    assert_eq!((report["verdict"].as_str(), status), (Some("assumed"), Some(0)));
    assert!(report["parts"][0]["undecided"].as_u64().is_some_and(|count| count > 0), "{report}");
    // A question costs a translation also where there is no time to answer it: none of the 32 + 62 is asked.
    let (report, _) = levels(&["examples/sql/smallbank", "--subsets", "--timeout-all", "0.000001"]);
    assert_eq!((report["decided"].as_u64(), report["parts"][0]["undecided"].as_u64()), (Some(0), Some(32)));
    let open = report["open"].as_array().unwrap();
    assert!(open.len() > 62 && open.iter().all(|one| one["reason"] == "stopped at the time limit of 0.000001 s (--timeout-all)"));
}

#[test]
fn parts_of_the_work_are_put_together() {
    let place = directory("levels-shards");
    let part = |number: usize| {
        let output = serval(&["sql", "levels", "examples/sql/roster", "--format", "json", "--shard", &format!("{number}/2")], b"");
        let path = place.join(format!("{number}.json"));
        std::fs::write(&path, &output.stdout).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (one, two) = (part(1), part(2));
    let (merged, status) = json("sql-levels.schema.json", &["sql", "levels", "merge", &two, &one, "--format", "json"]);
    let (whole, _) = json("sql-levels.schema.json", &["sql", "levels", "examples/sql/roster", "--format", "json"]);
    assert_eq!((status, &merged["scripts"], &merged["verdict"]), (Some(0), &whole["scripts"], &whole["verdict"]));
    refused(&["sql", "levels", "merge", &one], "part 2 of 2 is missing");
    refused(&["sql", "levels", "merge", &one, &one], "part 1 is given twice");
    refused(&["sql", "levels", "merge", "README.md"], "is not what `serval sql levels --format json` writes");
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn what_is_no_workload_is_refused_by_all_commands() {
    let place = workload("sql-bad", &[("schema.sql", "CREATE TABLE t (id int PRIMARY KEY);"), ("s.sql", "SELECT nothing FROM t;")]);
    let name = place.to_str().unwrap();
    for command in ["levels", "fix"] {
        refused(&["sql", command, name], "there is no column `nothing`");
        refused(&["sql", command, "no/such/directory"], "no/such/directory");
    }
    refused(&["sql", "levels", "examples/sql/counter", "--shard", "3/2"], "--shard");
    refused(&["sql", "fix", "examples/sql/counter", "--apply", "0"], "--apply");
    refused(&["fix", "examples/sql/counter", "--lock", "M"], "are about programs");
    refused(&["fix", "examples/sql/counter", "--strict"], "are about programs");
    // SERIALIZABLE is taken at its word, and there is nothing to write.
    let output = serval(&["sql", "fix", "examples/sql/doctors", "--isolation", "serializable", "--apply", "1"], b"");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_fix_is_applied_to_the_files() {
    let place = copied("replace", "sql-fix-apply");
    let name = place.to_str().unwrap();
    let (report, status) = json("sql-fix.schema.json", &["fix", name, "--format", "json"]);
    assert_eq!((report["fix"].as_str(), report["smallest"].as_bool(), status), (Some("found"), Some(true), Some(0)));
    let before = std::fs::read_to_string(place.join("change.sql")).unwrap();
    let output = serval(&["sql", "fix", name, "--apply", "7", "-q"], b"");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), "error: there is no fix 7; there is 1\n"));
    let output = serval(&["sql", "fix", name, "--apply", "1"], b"");
    assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(0), 1), "{}", text(&output.stderr));
    let wanted = "BEGIN;\nINSERT INTO settings VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET value = EXCLUDED.value;\nCOMMIT;\n";
    assert_eq!(std::fs::read_to_string(place.join("replace.sql")).unwrap(), wanted);
    assert_eq!(std::fs::read_to_string(place.join("change.sql")).unwrap(), before);
    let (report, _) = json("sql-fix.schema.json", &["sql", "fix", name, "--format", "json"]);
    assert_eq!((report["verdict"].as_str(), report["fix"].as_str()), (Some("serializable"), Some("not-needed")));
    let (report, status) =
        json("sql-fix.schema.json", &["sql", "fix", "examples/sql/counter", "--format", "json", "--timeout-all", "0.000001"]);
    assert_eq!((report["fix"].as_str(), status), (Some("unknown"), Some(3)));
    std::fs::remove_dir_all(place).unwrap();
}

fn files_of(place: &Path) -> Vec<(String, String)> {
    let paths = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let sql = paths.filter(|path| path.extension().is_some_and(|end| end == "sql"));
    sql.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(path).unwrap())).collect()
}

/// What a server did with a schedule.
struct PerformedSchedule {
    waited: bool,
    errors: Vec<String>,
    /// What each session got.
    answers: Vec<Vec<ServerAnswer>>,
}

/// Has sessions of these requests issue statements in this order, and then the rest.
fn performed(workload: &Workload, run: &SqlRun, order: &[usize], address: &ServerAddress) -> PerformedSchedule {
    let (data, translation) = workload.parts();
    let session = |request: &str| {
        let origin = translation.origins.iter().find(|origin| origin.request == request).unwrap();
        let values: Vec<String> = origin.values.iter().map(|(value, _)| value.clone()).collect();
        ScriptSession::new(data, &translation.limits, origin.script, &values).unwrap()
    };
    let sessions: Vec<ScriptSession<'_>> = run.requests.iter().map(|request| session(&request.request)).collect();
    let mut playground = Playground::open(address, &[], &Default::default()).unwrap();
    for text in setup(data, &translation.limits) {
        playground.set_up(&text, Refusable::AllButSetup).unwrap();
    }
    playground.open_sessions(sessions.len()).unwrap();
    let mut answers: Vec<Vec<ServerAnswer>> = vec![Vec::new(); sessions.len()];
    let (mut waited, mut errors) = (false, Vec::new());
    let rest: Vec<usize> = (0..sessions.len()).flat_map(|session| vec![session; 12]).collect();
    for &session in order.iter().chain(&rest).chain(&rest) {
        if playground.is_busy(session) || answers[session].last().is_some_and(|last| last.state().is_some()) {
            continue;
        }
        let serval_replay::ClientState::Issues(step) = sessions[session].state(&answers[session]) else { continue };
        let issued = playground.issue(session, &Statement::read(&step.statement, Refusable::AllButScripts).unwrap()).unwrap();
        waited |= !issued.waiting.is_empty() || !issued.circle.is_empty();
        let mut failed = Vec::new();
        for (number, answer) in issued.answers {
            if let Some(state) = answer.state() {
                errors.push(state.to_owned());
                failed.push(number);
            }
            answers[number].push(answer);
        }
        // What a failed transaction held is free again.
        for number in failed {
            let rollback = Statement::read("rollback", Refusable::AllButScripts).unwrap();
            for (number, answer) in playground.issue(number, &rollback).unwrap().answers {
                if answers[number].last().is_none_or(|last| last.state().is_none()) {
                    answers[number].push(answer);
                }
            }
        }
    }
    playground.close().unwrap();
    PerformedSchedule { waited, errors, answers }
}

/// The workload in a directory, at a level.
fn workload_at(place: &Path, level: &str) -> Workload {
    let mut files = files_of(place);
    let words = if level == "rr" { "isolation repeatable read" } else { "isolation read committed" };
    files.push((serval::sql::SETTINGS.to_owned(), words.to_owned()));
    Workload::read(&files).unwrap()
}

/// SmallBank with the three locks that are proved to be enough at both levels (`smallbank_is_mended_by_three_locks` in
/// the library's tests).
fn locked(place: &Path) {
    for (file, words) in [("balance.sql", "savings"), ("write_check.sql", "savings"), ("write_check.sql", "checking")] {
        let text = std::fs::read_to_string(place.join(file)).unwrap();
        let is_look = |line: &&str| line.starts_with("SELECT") && line.contains(&format!("FROM {words} "));
        let look = text.lines().find(is_look).unwrap();
        let changed = look.replace("= :c", "= :c FOR UPDATE");
        std::fs::write(place.join(file), text.replace(look, &changed)).unwrap();
    }
}

/// The refuting schedule of before, with the changed scripts: a session waits, or one of them ends in 40001.
#[test]
fn fixes_hold_the_schedule_of_before_up_on_a_server() {
    let Some(server) = postgres() else { return };
    server.make_databases(&["fixes".to_owned()]);
    let address = ServerAddress { psql: server.psql(), ..ServerAddress::new(Some(server.dsn_of("fixes"))) };
    let examples = ["counter", "seats", "roster", "delivery", "replace", "doctors", "doctors-rollback", "smallbank"];
    let at_rr = ["mutex-row", "advisory-lock", "seats-parent", "doctors", "doctors-rollback", "smallbank"];
    for (example, level) in examples.map(|name| (name, "rc")).into_iter().chain(at_rr.map(|name| (name, "rr"))) {
        let place = copied(example, &format!("sql-fix-server-{level}-{example}"));
        let name = place.to_str().unwrap();
        let trace = place.join("run.json");
        let output = serval(&["check", name, "--isolation", level, "-q", "--trace", trace.to_str().unwrap()], b"");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let run = SqlRun::read(&std::fs::read_to_string(&trace).unwrap()).unwrap();
        // Statements in the order of the run: each move of a session is one, or the rest of one that waited.
        let mut order: Vec<usize> = run.moves.iter().flat_map(|one| [one.session - 1, one.session - 1]).collect();
        // An UPDATE that has chosen its row and is overtaken before it locks it is, on a server, one that waits for who
        // has deleted the row: BEGIN, DELETE, and then the UPDATE, which finds no row in the end.
        let waiting = (example == "replace").then(|| usize::from(run.requests[0].request.starts_with("replace")));
        let finds_none = |done: &PerformedSchedule, session: usize| {
            let none = |answer: &ServerAnswer| matches!(answer, ServerAnswer::Rows(table) if table.rows.is_empty());
            done.answers[session].iter().any(none)
        };
        if let Some(session) = waiting {
            order = vec![1 - session, 1 - session, session];
            let before = performed(&workload_at(&place, level), &run, &order, &address);
            assert!(before.waited && finds_none(&before, session), "{:?}", before.answers);
        }
        if example == "smallbank" {
            // The search for three changes at once takes longer than a test.
            locked(&place);
            let output = serval(&["check", name, "--isolation", level, "-q"], b"");
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
        } else {
            let output = serval(&["sql", "fix", name, "--isolation", level, "--apply", "1"], b"");
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        }
        let after = performed(&workload_at(&place, level), &run, &order, &address);
        assert!(after.errors.iter().all(|state| ["40001", "40P01"].contains(&state.as_str())), "{example}: {:?}", after.errors);
        assert!(after.waited || !after.errors.is_empty(), "{example}: neither waits nor fails");
        assert!(waiting.is_none_or(|session| !finds_none(&after, session)), "{example}: {:?}", after.answers);
        std::fs::remove_dir_all(place).unwrap();
    }
}

#[test]
fn logs_become_scripts_and_what_is_wrong_is_said() {
    let place = directory("sql-mine");
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let write = |name: &str, text: &[u8]| {
        std::fs::write(place.join(name), text).unwrap();
        path(name)
    };
    let line = |text: &str| format!("2026-11-19 09:00:00.000 UTC [7] LOG:  statement: {text}\n");
    let all = |statements: &[&str]| statements.iter().map(|text| line(text)).collect::<String>();
    let out = path("out");
    let mine = |log: &str| serval(&["sql", "mine", log, "--out", &out], b"");
    let said = |log: &str, words: &str| {
        refused(&["sql", "mine", log, "--out", &out], words);
        assert!(!place.join("out").exists(), "{words}: something was written");
    };
    said(&write("empty.log", b""), "it is empty");
    said(&write("prose.log", b"once upon a time\n"), "no script can be made");
    said(&write("sessions.log", b"LOG:  statement: BEGIN\nLOG:  statement: UPDATE t SET n = 1\n"), "set ");
    said(&write("german.log", b"2026-11-19 UTC [5] LOG:  Anweisung: BEGIN\n2026-11-19 UTC [5] LOG:  Anweisung: COMMIT\n"), "set ");
    said(&path("none.log"), "cannot read");
    // What is not modelled stays in the script, which the other commands refuse by name.
    let outside = all(&["BEGIN", "SELECT a.id FROM t a JOIN t b ON a.id = b.id", "UPDATE t SET n = 1", "COMMIT"]);
    let output = mine(&write("join.log", outside.as_bytes()));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    std::fs::write(place.join("out/schema.sql"), "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\nINSERT INTO t VALUES (1, 0);\n")
        .unwrap();
    refused(&["check", &out], "a join is not modelled");
    refused(&["sql", "levels", &out], "a join is not modelled");
    refused(&["sql", "fix", &out], "a join is not modelled");
    // The same again is the same, and other scripts are not written over.
    let script = std::fs::read_dir(place.join("out")).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(mine(&path("join.log")).status.code(), Some(0));
    let changed = script.iter().find(|path| path.file_name().is_some_and(|name| name != "schema.sql" && name != "serval.toml")).unwrap();
    std::fs::write(changed, "-- mine\n").unwrap();
    refused(&["sql", "mine", &path("join.log"), "--out", &out], "is there already: give another directory");
    assert_eq!(std::fs::read_to_string(changed).unwrap(), "-- mine\n");
    std::fs::remove_dir_all(place.join("out")).unwrap();
    // Cut within a statement, and rotated within a transaction.
    let whole = all(&["BEGIN", "UPDATE t SET n = n + 1 WHERE id = 1", "UPDATE t SET n = n + 2 WHERE id = 1", "COMMIT"]);
    said(&write("cut.log", &whole.as_bytes()[..whole.find("+ 2").unwrap()]), "no script can be made");
    let (one, two) = whole.split_at(line("BEGIN").len());
    let (one, two) = (write("1.log", one.as_bytes()), write("2.log", two.as_bytes()));
    let output = serval(&["sql", "mine", &one, &two, "--out", &out], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("4 statements, 1 transactions: 1 scripts in "), "{}", text(&output.stdout));
    std::fs::remove_dir_all(place).unwrap();
}

/// What the isolation tester prints for a spec; nothing where it is not there.
fn tested(server: &Postgres, spec: &str, database: &str) -> Option<String> {
    let program = server.bin().parent()?.join("lib/pgxs/src/test/isolation/isolationtester");
    if !program.is_file() {
        serval_testkit::say("isolationtester: not there, skipped");
        return None;
    }
    let mut child = Command::new(program);
    let mut child = child.arg(server.dsn_of(database)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(spec.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{spec}\n{}", text(&output.stderr));
    Some(text(&output.stdout))
}

/// The statements of the scripts of a run for `psql`, in the order of their numbers.
fn numbered(place: &Path) -> Vec<String> {
    let mut steps: Vec<(usize, String)> = Vec::new();
    for number in 1..3 {
        let text = std::fs::read_to_string(place.join(format!("session-{number}.sql"))).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let step = |pair: &[&str]| Some((pair[0].strip_prefix("\\prompt 'step ")?.split(' ').next()?.parse().ok()?, pair[1].to_owned()));
        steps.extend(lines.windows(2).filter_map(step));
    }
    steps.sort_unstable();
    steps.into_iter().map(|(_, text)| text.trim_end_matches(';').to_owned()).collect()
}

/// The isolation tester shows what the callers get in the run; the scripts for `psql` have the same statements, in the
/// same order.
#[test]
fn counterexamples_are_shown_by_other_programs() {
    let Some(server) = postgres() else { return };
    server.make_databases(&["shown".to_owned()]);
    let place = directory("sql-export");
    let export = |example: &str, level: &str, to: &[&str]| {
        let name = format!("examples/sql/{example}");
        let output = serval(&[&["export", &name, "--isolation", level, "--to"], to].concat(), b"");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{example}");
        text(&output.stdout)
    };
    // What the two sessions read, in their order.
    let runs = [("counter", "rc", ["0", "0"]), ("doctors", "rc", ["1", "1"]), ("doctors", "rr", ["1", "1"])];
    for (example, level, read) in runs {
        let spec = export(example, level, &["spec"]);
        assert!(serval_testkit::isolation_spec::IsolationSpec::read(&spec).is_some(), "{spec}");
        if let Some(printed) = tested(server, &spec, "shown") {
            let shown = |value: &str| printed.lines().filter(|line| line.trim() == value).count();
            assert!(read.iter().all(|value| shown(value) >= 2) && !printed.contains("ERROR"), "{example} at {level}: {printed}");
        }
        let out = place.join(format!("{example}-{level}"));
        export(example, level, &["psql", "--out", out.to_str().unwrap()]);
        let read = serval_testkit::isolation_spec::IsolationSpec::read(&spec).unwrap();
        let order = read.permutations[0].iter().map(|name| read.step(name).unwrap().1.trim().trim_end_matches(';').to_owned());
        assert_eq!(numbered(&out), order.collect::<Vec<_>>(), "{example} at {level}");
    }
    std::fs::remove_dir_all(place).unwrap();
    refused(&["export", "examples/sql/transfers", "--to", "spec"], "there is no run to write: it has no counterexample");
    refused(&["export", "examples/sql/counter", "--to", "psql"], "give a directory with --out");
    refused(&["export", "examples/lost-update.ser", "--to", "spec"], "are about workloads of SQL");
}

/// The statements of scripts, without what stands for values.
fn shapes(place: &Path) -> Vec<String> {
    let shape = |text: String| {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("--")).collect::<Vec<_>>().join(" ");
        let words = lines
            .split_whitespace()
            .map(|word| if word.starts_with(':') { "?".to_owned() + word.trim_matches(|c| c != ';') } else { word.to_owned() });
        words.collect::<Vec<_>>().join(" ")
    };
    let scripts = files_of(place).into_iter().filter(|(name, _)| name != "schema.sql");
    let mut shapes: Vec<String> = scripts.map(|(_, text)| shape(text)).collect();
    shapes.sort();
    shapes
}

/// Writes a line with these words into the logs of a server.
fn mark(server: &Postgres, words: &str) {
    let mark = format!("set application_name = '{words}'");
    let mut command = Command::new(server.psql());
    let output = command.args(["-X", "-q", "-d", &server.dsn(), "-c", &mark]).env("PGOPTIONS", "-c log_statement=all").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// The whole lines of a log between two marks. Another process writes the log, some time after what it is about: what
/// stands between two marks is complete when the second one is there.
fn between(log: &Path, first: &str, last: &str) -> String {
    loop {
        let all = String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()).into_owned();
        let after = all.find(first).and_then(|at| Some(at + all[at..].find('\n')? + 1));
        let end = all.find(last).and_then(|at| Some(all[..at].rfind('\n')? + 1));
        if let (Some(after), Some(end)) = (after, end) {
            return all[after..end].to_owned();
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// A server that logs in its three formats: `psql` speaks the simple protocol, `pgbench` the extended one, with and
/// without statements that are prepared. The scripts that are made have the statements of those that were run, and
/// their verdicts.
#[test]
fn what_a_server_logs_becomes_the_scripts_that_were_run() {
    let Some(server) = own_postgres() else { return };
    let place = directory("sql-mine-server");
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(server.bin().join(program));
        command.args(arguments).env("PGHOST", server.folder()).env("PGUSER", "postgres").env("PGDATABASE", "postgres");
        let output = command.env("PGOPTIONS", "-c log_statement=all").output().unwrap();
        assert!(output.status.success(), "{program} {arguments:?}: {}", text(&output.stderr));
    };
    for example in ["payment", "transfers"] {
        let source = root().join("examples/sql").join(example);
        let scripts: Vec<String> = files_of(&source).into_iter().map(|(name, _)| source.join(name).to_str().unwrap().to_owned()).collect();
        let (schema, scripts): (Vec<String>, Vec<String>) = scripts.into_iter().partition(|path| path.ends_with("schema.sql"));
        for protocol in ["simple", "extended", "prepared"] {
            run("psql", &["-X", "-q", "-c", "drop schema public cascade", "-c", "create schema public", "-f", &schema[0]]);
            let [first, last] = ["begins", "ends"].map(|word| format!("{example}_{protocol}_{word}"));
            mark(&server, &first);
            for (script, values) in
                scripts.iter().flat_map(|script| [["1", "1"], ["2", "2"], ["1", "2"], ["2", "1"]].map(|values| (script, values)))
            {
                let [c, d] = [format!("c={}", values[0]), format!("d={}", values[1])];
                match protocol {
                    "simple" => run("psql", &["-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", &c, "-v", &d, "-f", script]),
                    _ => run("pgbench", &["-n", "-t", "1", "-M", protocol, "-D", &c, "-D", &d, "-f", script]),
                }
            }
            mark(&server, &last);
            for log in server.logs() {
                let part = place.join(log.file_name().unwrap());
                std::fs::write(&part, between(&log, &first, &last)).unwrap();
                let out = place.join("out");
                let output = serval(&["sql", "mine", part.to_str().unwrap(), "--out", out.to_str().unwrap()], b"");
                assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
                assert_eq!(shapes(&out), shapes(&source), "{example}, {protocol}, {}", log.display());
                std::fs::copy(&schema[0], out.join("schema.sql")).unwrap();
                for level in ["rc", "rr"] {
                    let verdict = |place: &Path| serval(&["check", place.to_str().unwrap(), "--isolation", level, "-q"], b"").status.code();
                    assert_eq!(verdict(&out), verdict(&source), "{example}, {protocol}, {level}");
                }
                std::fs::remove_dir_all(out).unwrap();
            }
        }
    }
    std::fs::remove_dir_all(place).unwrap();
}
