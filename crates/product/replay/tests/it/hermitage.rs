//! Hermitage's schedules, 14 at 3 levels, line by line.

use std::collections::BTreeMap;
use std::fs;

use serval_replay::{AwaitedWait, Playground, Refusable, ScheduleStep, ServerAnswer, SqlError, SqlSchedule, SqlTable, Statement};
use serval_testkit::{say, suite::data_dir};

use crate::support::{address, same};

/// What a result of the table means.
fn answer(result: &str) -> ServerAnswer {
    if result.len() == 5 && result.starts_with(|c: char| c.is_ascii_digit()) && !result.contains('=') {
        return ServerAnswer::Error(SqlError { state: result.to_owned(), message: String::new() });
    }
    if result == "no row" || result.contains('=') {
        let row = |row: &str| row.split('=').map(|value| Some(value.trim().to_owned())).collect();
        let rows = result.split(';').filter(|_| result != "no row").map(row).collect();
        return ServerAnswer::Rows(SqlTable { columns: Vec::new(), rows });
    }
    // The first number is always 0, and a replay leaves it out.
    ServerAnswer::Command(result.replace("insert 0 ", "insert "))
}

struct Line {
    session: usize,
    statement: String,
    result: String,
}

/// The schedule of a case, and the table after it.
fn schedule(level: &str, lines: &[Line], end: &str) -> SqlSchedule {
    let setup = ["create table test (id int primary key, value int)", "insert into test values (1, 10), (2, 20)"];
    let sessions = (1..=3).map(|number| number.to_string()).chain(["after".to_owned()]).collect();
    let (mut steps, mut begun) = (Vec::new(), [false; 3]);
    // Where the steps of the table are among ours.
    let mut places: Vec<usize> = Vec::new();
    for line in lines {
        if !std::mem::replace(&mut begun[line.session], true) {
            let begin = format!("begin isolation level {level}");
            steps.push(ScheduleStep { session: line.session, statement: begin, wait: None, answer: Some(answer("begin")) });
        }
        places.push(steps.len());
        let (wait, result) = match line.result.strip_prefix("waits until ") {
            None => (None, line.result.as_str()),
            Some(rest) => {
                let (until, result) = rest.split_once(": ").unwrap();
                (Some(until.parse::<usize>().unwrap() - 1), result)
            }
        };
        let wait = wait.map(|until| AwaitedWait { by: Vec::new(), until: Some(until) });
        steps.push(ScheduleStep { session: line.session, statement: line.statement.clone(), wait, answer: Some(answer(result)) });
    }
    for step in &mut steps {
        if let Some(AwaitedWait { until: Some(until), .. }) = &mut step.wait {
            *until = places[*until];
        }
    }
    let look = "select * from test order by id".to_owned();
    steps.push(ScheduleStep { session: 3, statement: look, wait: None, answer: Some(answer(end)) });
    SqlSchedule { setup: setup.map(str::to_owned).to_vec(), sessions, steps, ..SqlSchedule::default() }
}

#[test]
fn the_server_does_what_hermitage_says() {
    let (Some(place), Some(address)) = (data_dir("hermitage"), address()) else { return };
    let text = fs::read_to_string(place.join("schedules.tsv")).unwrap();
    let mut cases: BTreeMap<(String, String), (Vec<Line>, String)> = BTreeMap::new();
    for row in text.lines().skip(1) {
        let [case, level, step, session, statement, result] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let case = cases.entry((case.to_owned(), level.to_owned())).or_default();
        if step == "end" {
            case.1 = result.to_owned();
        } else {
            assert_eq!(step.parse::<usize>().unwrap(), case.0.len() + 1, "{row}");
            let session = session.parse::<usize>().unwrap() - 1;
            case.0.push(Line { session, statement: statement.to_owned(), result: result.to_owned() });
        }
    }
    assert_eq!(cases.len(), 14 * 3);
    let stepped: usize = cases.values().map(|(lines, _)| lines.len()).sum();
    let title = |(case, level): &(String, String)| format!("{case} at {level}");
    let failures: Vec<String> =
        cases.iter().filter_map(|(name, (lines, end))| same(&title(name), &schedule(&name.1, lines, end), &address).err()).collect();
    say(&format!("hermitage: {} schedules, {stepped} statements stepped", cases.len()));
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

/// A schedule with a wrong answer is not the same.
#[test]
fn a_wrong_line_is_noticed() {
    let Some(address) = address() else { return };
    let line = |session: usize, statement: &str, result: &str| Line { session, statement: statement.to_owned(), result: result.to_owned() };
    let lines = |first: &str, second: &str, third: &str| {
        let change = "update test set value = value + 1 where id = 1";
        vec![line(0, change, first), line(1, change, second), line(0, "commit", third), line(1, "commit", "commit")]
    };
    let level = "read committed";
    let right = lines("update 1", "waits until 3: update 1", "commit");
    same("right", &schedule(level, &right, "1=12; 2=20"), &address).unwrap();
    for (wrong, end) in [
        (lines("update 2", "waits until 3: update 1", "commit"), "1=12; 2=20"),
        (lines("update 1", "update 1", "commit"), "1=12; 2=20"),
        (lines("update 1", "waits until 4: update 1", "commit"), "1=12; 2=20"),
        (lines("update 1", "waits until 3: 40001", "commit"), "1=12; 2=20"),
        (lines("update 1", "waits until 3: update 1", "rollback"), "1=12; 2=20"),
        (lines("update 1", "waits until 3: update 1", "commit"), "1=11; 2=20"),
    ] {
        let told = same("wrong", &schedule(level, &wrong, end), &address).unwrap_err();
        assert!(told.contains("the server did something else") && told.contains("expected"), "{told}");
    }
    let mut playground = Playground::open(&address, &[], &Default::default()).unwrap();
    playground.open_sessions(1).unwrap();
    let issued = playground.issue(0, &Statement::read("select 1 as a, null as b", Refusable::Nothing).unwrap()).unwrap();
    assert_eq!(issued.answers[0].1.words(), "1, null");
}
