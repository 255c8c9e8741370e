//! Reads stepped cases: text that a reader of the rule can follow.
//!
//! ```text
//! # What is true of all cases of the file.
//! given create table t (id int primary key, n int)
//! case 3.1 a title that says the rule
//! given insert into t values (1, 10)
//! a: begin
//! a: update t set n = 11 where id = 1   => update 1
//! b: update t set n = n + 1             => waits for a
//! a: commit
//! b => update 1
//! ```
//!
//! A step is `SESSION: STATEMENT => RESULT`, and `SESSION => RESULT` says that with the step before the session's wait
//! ended, and how. Results are rows (`1, 10; 2, null`), `no row`, a command with its count, an SQLSTATE, and `waits
//! for` others. Without a result, `begin`, `commit` and `rollback` do what they say.

use serval_replay::{AwaitedWait, ScheduleStep, ServerAnswer, SqlSchedule};

/// A case, with its number and title.
pub(crate) struct SteppedCase {
    pub(crate) title: String,
    pub(crate) schedule: SqlSchedule,
}

/// The cases of a text.
pub(crate) fn cases(text: &str) -> Vec<SteppedCase> {
    let (mut given, mut cases) = (Vec::new(), Vec::<SteppedCase>::new());
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(title) = line.strip_prefix("case ") {
            let schedule = SqlSchedule { setup: given.clone(), ..SqlSchedule::default() };
            cases.push(SteppedCase { title: title.to_owned(), schedule });
        } else if let Some(statement) = line.strip_prefix("given ") {
            cases.last_mut().map_or(&mut given, |case| &mut case.schedule.setup).push(statement.to_owned());
        } else {
            let case = cases.last_mut().unwrap_or_else(|| panic!("line {number}: no case has begun"));
            step(&mut case.schedule, line).unwrap_or_else(|| panic!("line {number} is no step: {line}"));
        }
    }
    cases
}

fn step(schedule: &mut SqlSchedule, line: &str) -> Option<()> {
    let (what, result) = match line.rsplit_once("=>") {
        Some((what, result)) => (what.trim(), Some(result.trim())),
        None => (line, None),
    };
    let Some((name, statement)) = what.split_once(':').filter(|(name, _)| name.chars().all(char::is_alphanumeric)) else {
        // The session has waited.
        let session = schedule.sessions.iter().position(|known| known == what)?;
        let last = schedule.steps.len() - 1;
        let step = schedule.steps.iter_mut().rev().find(|step| step.session == session)?;
        step.wait.as_mut()?.until = Some(last);
        step.answer = Some(answer(result?));
        return Some(());
    };
    let session = session(schedule, name);
    let statement = statement.trim().to_owned();
    let first = statement.split(' ').next()?.to_owned();
    let (wait, answer) = match result {
        Some("waits") => (Some(AwaitedWait::default()), None),
        Some(result) => match result.strip_prefix("waits for ") {
            Some(by) => {
                let by = by.split(" and ").map(|name| self::session(schedule, name)).collect();
                (Some(AwaitedWait { by, until: None }), None)
            }
            None => (None, Some(answer(result))),
        },
        None if ["begin", "commit", "rollback"].contains(&first.as_str()) => (None, Some(ServerAnswer::Command(first))),
        None => return None,
    };
    schedule.steps.push(ScheduleStep { session, statement, wait, answer });
    Some(())
}

fn session(schedule: &mut SqlSchedule, name: &str) -> usize {
    schedule.sessions.iter().position(|known| known == name).unwrap_or_else(|| {
        schedule.sessions.push(name.to_owned());
        schedule.sessions.len() - 1
    })
}

const COMMANDS: [&str; 9] = ["insert", "update", "delete", "begin", "commit", "rollback", "set", "lock table", "start transaction"];

/// What a text says of an answer.
pub(crate) fn answer(text: &str) -> ServerAnswer {
    let is_command = |command: &str| text == command || text.strip_prefix(command).is_some_and(|count| count.trim().parse::<u32>().is_ok());
    let is_state = text.len() == 5 && text.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase()) && !text.contains(' ');
    if is_state {
        return ServerAnswer::Error(serval_replay::SqlError { state: text.to_owned(), message: String::new() });
    }
    if COMMANDS.into_iter().any(is_command) {
        return ServerAnswer::Command(text.to_owned());
    }
    let value = |value: &str| (value != "null").then(|| value.to_owned());
    let rows = text.split("; ").filter(|_| text != "no row").map(|row| row.split(", ").map(value).collect());
    ServerAnswer::Rows(serval_replay::SqlTable { columns: Vec::new(), rows: rows.collect() })
}

#[test]
fn a_case_is_read_as_it_is_written() {
    let text = "given create table t (id int)\ncase 1.1 x\na: begin\na: update t set id = 1 => update 1\nb: select id from t for update => waits for a\na: commit\nb => 1; null\n";
    let cases = cases(text);
    let schedule = &cases[0].schedule;
    assert_eq!((cases[0].title.as_str(), schedule.setup.len(), schedule.steps.len()), ("1.1 x", 1, 4));
    assert_eq!(schedule.steps[2].wait, Some(AwaitedWait { by: vec![0], until: Some(3) }));
    assert_eq!(schedule.steps[2].answer.as_ref().unwrap().words(), "1; null");
}
