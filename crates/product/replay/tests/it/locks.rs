//! Which locks on a row wait for which: all pairs.

use serval_replay::{Playground, Refusable, Statement};

use crate::support::address;

/// Statements that take a lock on row 1, from the weakest to the strongest, each with its strength.
const TAKES: [(&str, usize); 7] = [
    ("select n from t where id = 1 for key share", 0),
    ("select n from t where id = 1 for share", 1),
    ("select n from t where id = 1 for no key update", 2),
    ("update t set n = n + 1 where id = 1", 2),
    ("select n from t where id = 1 for update", 3),
    ("update t set id = id + 5 where id = 1", 3),
    ("delete from t where id = 1", 3),
];

/// Whether two strengths exclude each other.
fn excludes(one: usize, other: usize) -> bool {
    let (weak, strong) = (one.min(other), one.max(other));
    strong == 3 || strong == 2 && weak > 0
}

fn statement(text: &str) -> Statement {
    Statement::read(text, Refusable::Nothing).unwrap()
}

#[test]
fn locks_on_rows_exclude_each_other_as_the_manual_says() {
    let Some(address) = address() else { return };
    let mut playground = Playground::open(&address, &[], &Default::default()).unwrap();
    playground.set_up("create table t (id int primary key, n int)", Refusable::AllButSetup).unwrap();
    playground.set_up("insert into t values (1, 10)", Refusable::AllButSetup).unwrap();
    playground.open_sessions(2).unwrap();
    for (first, one) in TAKES {
        for (second, other) in TAKES {
            for level in ["read committed", "repeatable read"] {
                for session in [0, 1] {
                    playground.issue(session, &statement(&format!("begin isolation level {level}"))).unwrap();
                }
                assert!(!playground.issue(0, &statement(first)).unwrap().waiting.contains_key(&0));
                let waits = playground.issue(1, &statement(second)).unwrap().waiting.contains_key(&1);
                assert_eq!(waits, excludes(one, other), "{first}; {second} at {level}");
                let freed = playground.issue(0, &statement("rollback")).unwrap();
                assert_eq!(freed.answers.len(), if waits { 2 } else { 1 }, "{freed:?}");
                playground.issue(1, &statement("rollback")).unwrap();
            }
        }
    }
}

/// Modes of locks on tables, each with those that it excludes, by place.
const MODES: [(&str, &[usize]); 8] = [
    ("access share", &[7]),
    ("row share", &[6, 7]),
    ("row exclusive", &[4, 5, 6, 7]),
    ("share update exclusive", &[3, 4, 5, 6, 7]),
    ("share", &[2, 3, 5, 6, 7]),
    ("share row exclusive", &[2, 3, 4, 5, 6, 7]),
    ("exclusive", &[1, 2, 3, 4, 5, 6, 7]),
    ("access exclusive", &[0, 1, 2, 3, 4, 5, 6, 7]),
];

/// Which mode a statement takes.
const MODE_OF: [(&str, usize); 6] = [
    ("select n from t", 0),
    ("select n from t for update", 1),
    ("select n from t for key share", 1),
    ("insert into t values (9, 90)", 2),
    ("update t set n = 0", 2),
    ("delete from t", 2),
];

#[test]
fn locks_on_tables_exclude_each_other_as_the_manual_says() {
    let Some(address) = address() else { return };
    let mut playground = Playground::open(&address, &[], &Default::default()).unwrap();
    playground.set_up("create table t (id int primary key, n int)", Refusable::AllButSetup).unwrap();
    playground.open_sessions(2).unwrap();
    let lock = |mode: &str| format!("lock table t in {mode} mode");
    for (held, excluded) in MODES {
        let modes = MODES.iter().enumerate().map(|(at, (mode, _))| (lock(mode), at));
        let statements = MODE_OF.iter().map(|(text, at)| ((*text).to_owned(), *at));
        for (second, mode) in modes.chain(statements) {
            for session in [0, 1] {
                playground.issue(session, &statement("begin")).unwrap();
            }
            playground.issue(0, &statement(&lock(held))).unwrap();
            let waits = playground.issue(1, &statement(&second)).unwrap().waiting.contains_key(&1);
            assert_eq!(waits, excluded.contains(&mode), "{held}; {second}");
            for session in [0, 1] {
                playground.issue(session, &statement("rollback")).unwrap();
            }
        }
    }
}

/// The server ends one of two sessions that wait for each other; the other one goes on.
#[test]
fn a_circle_of_waits_is_ended_by_the_server() {
    let Some(address) = address() else { return };
    let mut playground = Playground::open(&address, &[], &Default::default()).unwrap();
    playground.set_up("create table t (id int primary key, n int)", Refusable::AllButSetup).unwrap();
    playground.set_up("insert into t values (1, 10), (2, 20)", Refusable::AllButSetup).unwrap();
    playground.open_sessions(2).unwrap();
    let lock = |id: u32| statement(&format!("select n from t where id = {id} for update"));
    for (session, id) in [(0, 1), (1, 2)] {
        playground.issue(session, &statement("begin")).unwrap();
        playground.issue(session, &lock(id)).unwrap();
    }
    assert_eq!(playground.issue(0, &lock(2)).unwrap().waiting[&0], [1]);
    let issued = playground.issue(1, &lock(1)).unwrap();
    assert_eq!(issued.circle.len(), 2);
    let states: Vec<&str> = issued.answers.iter().filter_map(|(_, answer)| answer.state()).collect();
    assert_eq!((states, issued.answers.len()), (vec!["40P01"], 2), "{issued:?}");
}
