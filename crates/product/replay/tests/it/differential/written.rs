//! What others have written down about servers, against the translation: Hermitage's schedules, and PostgreSQL's own
//! isolation specs in all orders.

use std::collections::BTreeMap;
use std::fs;

use serval_sql::{Answered, Item, ItemKind};
use serval_testkit::isolation_spec::{IsolationSpec, statements};
use serval_testkit::suite::data_dir;
use serval_testkit::{postgres, say};

use super::draw::{Drawn, LEVELS};
use super::{Compared, compared, modelled, workload};
use crate::support::side_by_side;

/// The specs, what they lack to be workloads, and why some are none.
const SPECS: [(&str, &[&str], Option<&str>); 11] = [
    ("simple-write-skew", &[], None),
    ("project-manager", &[], None),
    ("total-cash", &["-- serval: range accounts.balance 0..600"], None),
    ("two-ids", &["-- serval: range d1.id 1..2", "-- serval: range d2.id 1..3"], None),
    ("temporal-range-integrity", &[], None),
    ("classroom-scheduling", &[], Some("UPDATE of the key of table `room_reservation`")),
    ("referential-integrity", &[], None),
    ("receipt-report", &[], None),
    ("read-write-unique", &[], None),
    ("read-write-unique-2", &[], None),
    ("read-write-unique-4", &["-- serval: range invoice.invoice_number 1..3", "-- serval: range invoice.year 2016..2016"], None),
];

/// A spec as a workload: each session is a script. Values that a schema computes are written out, and numbers that are
/// whole are integers.
fn imported(name: &str, more: &[&str], level: &'static str) -> Option<Drawn> {
    let text = fs::read_to_string(data_dir("pg-isolation")?.join(format!("specs/{name}.spec"))).unwrap();
    let text = text.replace("(SELECT deposit_date FROM ctl WHERE k = 'receipt'), 1.00", "DATE '2008-12-22', 1");
    let text = text.replace("(SELECT deposit_date FROM ctl WHERE k = 'receipt'), 2.00", "DATE '2008-12-22', 2");
    let text = text.replace("numeric(13,2)", "int").replace("4.00", "4");
    let spec = IsolationSpec::read(&text).unwrap();
    let lines = |blocks: Vec<&String>| -> Vec<String> {
        let level = |text: String| text.replace("ISOLATION LEVEL SERIALIZABLE, ", "").replace(" ISOLATION LEVEL SERIALIZABLE", "");
        blocks.into_iter().flat_map(|block| statements(block)).map(|text| format!("{};", level(text))).collect()
    };
    let mut schema = lines(spec.setups.iter().collect());
    schema.extend(more.iter().map(|line| (*line).to_owned()));
    let script = |session: &serval_testkit::isolation_spec::IsolationSession| {
        lines(session.setup.iter().chain(session.steps.iter().map(|(_, text)| text)).collect())
    };
    Some(Drawn { level, schema, scripts: spec.sessions.iter().map(script).collect(), levels: Vec::new() })
}

#[test]
fn the_isolation_specs_are_translated_as_a_server_performs_them() {
    let (Some(_), Some(server)) = (data_dir("pg-isolation"), postgres()) else { return };
    let (addresses, _guard) = side_by_side(server, 2);
    let (mut orders, mut failed) = (0, Vec::new());
    for (name, more, outside) in SPECS {
        for level in &LEVELS[..2] {
            let drawn = imported(name, more, level).unwrap();
            if let Some(outside) = outside {
                let reading = serval_sql::read(&serval_sql::bundle(&drawn.files())).workload.unwrap();
                let told = serval_sql::translate(&reading, serval_sql::Form::Exact).unwrap_err();
                assert!(told.iter().any(|one| one.message.contains(outside)), "{name}: {told:?}");
                continue;
            }
            match compared(&drawn, &addresses) {
                Compared::Equal { orders: performed } => orders += performed,
                Compared::Large => failed.push(format!("{name} at {level}: too large")),
                Compared::Outside => {
                    let workload = serval_sql::read(&serval_sql::bundle(&drawn.files())).workload.unwrap();
                    failed.push(format!("{name} at {level}: {:?}", serval_sql::translate(&workload, serval_sql::Form::Exact).err()));
                }
                Compared::Different(told) => failed.push(format!("{name} at {level}: {told}")),
            }
        }
    }
    say(&format!("isolation specs translated: {} at two levels in {orders} orders", SPECS.len()));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A line of a schedule: its session, its statement, what it gave.
type Line = (usize, String, String);

/// The schedules at one level, and what the table has at the end.
fn schedules(level: &str) -> Option<BTreeMap<String, (Vec<Line>, String)>> {
    let text = fs::read_to_string(data_dir("hermitage")?.join("schedules.tsv")).unwrap();
    let mut cases: BTreeMap<String, (Vec<Line>, String)> = BTreeMap::new();
    for row in text.lines().skip(1) {
        let [case, of, step, session, statement, result] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        if of == level {
            let case = cases.entry(case.to_owned()).or_default();
            let result = result.split_once(": ").map_or(result, |(_, result)| result).to_owned();
            match step {
                "end" => case.1 = result,
                _ => case.0.push((session.parse().unwrap(), statement.to_owned(), result)),
            }
        }
    }
    Some(cases)
}

/// The rows of a result: `1=10; 2=20`.
fn rows(result: &str) -> Vec<Vec<Option<String>>> {
    let row = |row: &str| row.split('=').map(|value| Some(value.trim().to_owned())).collect();
    if result == "no row" { Vec::new() } else { result.split(';').map(row).collect() }
}

/// What a session of a schedule is answered, by the places of its statements.
fn answered(body: &[Item], lines: &[&Line]) -> Answered {
    let mut answered = Answered::default();
    let items = body.iter().filter(|item| !matches!(item.kind, ItemKind::Begin(_)));
    for (item, (_, statement, result)) in items.zip(lines) {
        if statement.starts_with("select") {
            let mut rows = rows(result);
            rows.sort();
            if !rows.is_empty() {
                answered.rows.insert(item.span.start, rows);
            }
        } else if statement == "rollback" {
            answered.outcomes.push("rolled back");
        }
    }
    answered
}

/// Each schedule is a run of the translation, with the same answers and the same table at the end; a session that ends
/// in 40001 leaves nothing behind, and so is none of the sessions of the run.
#[test]
fn hermitage_is_so_in_the_translation() {
    let mut runs = 0;
    for level in &LEVELS[..2] {
        let Some(cases) = schedules(level) else { return };
        assert_eq!(cases.len(), 14);
        for (case, (lines, end)) in &cases {
            let failed =
                |session: usize| lines.iter().any(|(of, _, result)| *of == session && ["40001", "25P02"].contains(&result.as_str()));
            let sessions: Vec<usize> = (1..=3).filter(|&session| lines.iter().any(|(of, ..)| *of == session) && !failed(session)).collect();
            let of = |session: usize| lines.iter().filter(move |(of, ..)| *of == session);
            let script = |&session: &usize| {
                let statements = of(session).map(|(_, statement, _)| format!("{statement};"));
                // The table leaves some open that only look.
                let is_open = of(session).all(|(_, statement, _)| statement != "commit" && statement != "rollback");
                let end = is_open.then(|| "COMMIT;".to_owned());
                ["BEGIN;".to_owned()].into_iter().chain(statements).chain(end).collect()
            };
            // Answers of several rows have many values.
            let is_inserting = lines.iter().any(|(_, statement, _)| statement.starts_with("insert"));
            let schema = [
                "create table test (id int primary key, value int);",
                "insert into test values (1, 10), (2, 20);",
                "-- serval: range test.id 1..4",
                if is_inserting { "-- serval: range test.value 10..42" } else { "-- serval: range test.value 0..101" },
            ];
            let schema = schema.map(str::to_owned).to_vec();
            let drawn = Drawn { level, schema, scripts: sessions.iter().map(script).collect(), levels: Vec::new() };
            let read = serval_sql::read(&serval_sql::bundle(&drawn.files())).workload.unwrap();
            let why = || format!("{:?}", serval_sql::translate(&read, serval_sql::Form::Exact).err());
            let (workload, translation, _) = workload(&drawn).unwrap_or_else(|| panic!("{case} at {level}: {}", why()));
            let found = modelled(&workload, &translation).unwrap_or_else(|| panic!("{case} at {level}: too large"));
            let expected: Vec<Answered> = workload
                .scripts
                .iter()
                .zip(&sessions)
                .map(|(script, &session)| answered(&script.body, &of(session).collect::<Vec<_>>()))
                .collect();
            let end = rows(end);
            let is_end = |tables: &BTreeMap<String, String>| {
                end.iter().all(|row| {
                    let [Some(id), Some(value)] = &row[..] else { return false };
                    tables.get(&format!("test({id}).value")).is_none_or(|found| found == value)
                })
            };
            let same = found.iter().filter(|(answers, tables)| *answers == expected && is_end(tables)).count();
            assert!(same > 0, "{case} at {level}: no run answers {expected:?} and leaves {end:?}:\n{}", super::shown(&found));
            runs += 1;
        }
    }
    say(&format!("hermitage: {runs} schedules are runs of the translation"));
}
