//! What `serval sql replay` shows of a schedule.

use serval_replay::{ServerAnswer, perform, read_trace, replay_json, replay_text};
use serval_testkit::postgres;

use crate::steps::cases;
use crate::support::address;

const CASE: &str = "given create table public.accounts (id int primary key, balance int not null)
given insert into public.accounts values (1, 10)
case 0 lost update
withdraw1: begin
withdraw2: begin
withdraw1: select balance from public.accounts where id = 1 => 10
withdraw2: select balance from accounts where id = 1 => 10
withdraw1: update public.accounts set balance = 5 where id = 1 => update 1
withdraw2: update public.accounts set balance = 3 where id = 1 => waits for withdraw1
withdraw1: commit
withdraw2 => update 1
withdraw2: insert into accounts values (1, 0) => 23505
";

#[test]
fn a_replay_is_a_table_with_a_column_for_each_session() {
    let (Some(server), Some(address)) = (postgres(), address()) else { return };
    // A table of the user's of the same name is not touched.
    server.run("create table public.accounts (id int);\ninsert into public.accounts values (77);\n");
    let schedule = cases(CASE).remove(0).schedule;
    let report = perform(&schedule, &address, &Default::default()).unwrap();
    assert!(report.is_same());
    let expected = "\
the server did the same   lost-update.json   8 steps in 2 sessions

  step | withdraw1                          | withdraw2
  -----+------------------------------------+------------------------------------
     1 | begin                              |
       |  = begin                           |
     2 |                                    | begin
       |                                    |  = begin
     3 | select balance from                |
       | public.accounts where id = 1       |
       |  = 10                              |
     4 |                                    | select balance from accounts where
       |                                    | id = 1
       |                                    |  = 10
     5 | update public.accounts set balance |
       | = 5 where id = 1                   |
       |  = update 1                        |
     6 |                                    | update public.accounts set balance
       |                                    | = 3 where id = 1
       |                                    | waits for #1
     7 | commit                             | step 6 = update 1
       |  = commit                          |
     8 |                                    | insert into accounts values (1, 0)
       |                                    |  = error 23505 (duplicate key
       |                                    | value violates unique constraint
       |                                    | \"accounts_pkey\")
";
    assert_eq!(replay_text("lost-update.json", &report, 84), expected);
    let mut wrong = schedule.clone();
    wrong.steps[3].answer = Some(ServerAnswer::Command("update 1".to_owned()));
    wrong.steps[5].wait = None;
    let report = perform(&wrong, &address, &Default::default()).unwrap();
    let text = replay_text("x", &report, 84);
    let told: Vec<&str> = text.lines().rev().take(2).collect();
    assert_eq!(
        told,
        ["  step 6: expected update 1; here waits for #1 until step 7, then update 1", "  step 4: expected update 1; here 10",]
    );
    let json = replay_json("x", &report);
    assert!(
        json.starts_with(
            "{\"schema\":1,\"file\":\"x\",\"verdict\":\"different\",\"sessions\":[\"withdraw1\",\"withdraw2\"],\"steps\":[{\"session\":1,"
        ),
        "{json}"
    );
    assert!(json.contains("\"waits\":{\"by\":[1],\"until\":7},\"gives\":{\"command\":\"update 1\"},\"same\":false}"), "{json}");
    assert_eq!(server.run("select * from public.accounts;\n"), "77");
    server.run("drop table public.accounts;\n");
}

/// A session that waits where the schedule goes on cannot be given its next statement.
#[test]
fn what_cannot_be_issued_is_said() {
    let Some(address) = address() else { return };
    let text = "given create table t (id int primary key)\ngiven insert into t values (1)\ncase 0 x\na: begin\na: delete from t => delete 1\nb: delete from t => delete 0\nb: select 1 => 1\n";
    let report = perform(&cases(text)[0].schedule, &address, &Default::default()).unwrap();
    let text = replay_text("x", &report, 80);
    assert!(text.contains("not issued") && text.contains("step 3: expected delete 0; here waits for #1 to the end"), "{text}");
    assert!(text.contains("step 4: expected 1; here not issued"), "{text}");
}

/// Names that hide something are shown as what they are.
#[test]
fn hostile_names_stay_on_their_line() {
    let Some(address) = address() else { return };
    let trace = r#"{"format": "serval-sql-trace", "version": 1, "setup": [], "sessions": ["a\u001b[2J\nb"],
        "steps": [{"session": 1, "statement": "select '\u001b[2J' -- \u202e"}]}"#;
    let trace = read_trace(trace).unwrap();
    let report = perform(&trace.schedule, &address, &Default::default()).unwrap();
    let text = replay_text("x\u{1b}", &report, 80);
    assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control() && letter != '\u{202e}'), "{text:?}");
}
