//! Workloads that notice a rule: where the translation without the rule gives other answers, the server has to give
//! those of the translation with it.

use std::collections::BTreeMap;

use serval_sql::{Rule, bundle, read, translate_without};
use serval_testkit::{postgres, say};

use super::draw::{Drawn, LEVELS, drawn};
use super::{Compared, Form, compared, modelled, translate};
use crate::support::side_by_side;

/// Seeds of workloads that notice a rule, of the first 1,200 of each night; more are looked at then.
const NOTICING: [u64; 5] = [50_010, 50_016, 50_037, 50_444, 51_181];

/// The level at which a rule is one.
fn level(rule: Rule) -> &'static str {
    match rule {
        Rule::Locks | Rule::Gaps | Rule::StaysHeld | Rule::InsertWaits | Rule::Versions | Rule::Shared | Rule::TableLocks => LEVELS[0],
        _ => LEVELS[1],
    }
}

/// The rules without which a workload has other answers.
fn noticed(drawn: &Drawn, rules: &[Rule]) -> Vec<Rule> {
    let Some(workload) = read(&bundle(&drawn.files())).workload else { return Vec::new() };
    let Some(with) = translate(&workload, Form::Exact).ok().and_then(|translation| modelled(&workload, &translation)) else {
        return Vec::new();
    };
    let differs = |rule: &&Rule| {
        let without = translate_without(&workload, Form::Exact, **rule).ok();
        without.and_then(|translation| modelled(&workload, &translation)).is_some_and(|without| without != with)
    };
    rules.iter().filter(differs).copied().collect()
}

/// A workload that was made to notice a rule: random ones hardly do.
fn made(rule: Rule) -> Option<Drawn> {
    const TABLES: [&str; 5] = [
        "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);",
        "-- serval: range t.id 1..2",
        "-- serval: range t.n 0..3 wrap",
        "CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL CHECK (v BETWEEN 0 AND 1));",
        "INSERT INTO u VALUES (1, 0);",
    ];
    let (rows, scripts): (&str, &[&[&str]]) = match rule {
        Rule::Versions => (
            "INSERT INTO t VALUES (1, 0);",
            &[
                &["BEGIN;", "DELETE FROM t WHERE id = 1;", "INSERT INTO t VALUES (1, 2);", "COMMIT;"],
                &["UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n;"],
            ],
        ),
        Rule::StaysHeld => (
            "INSERT INTO t VALUES (1, 0), (2, 1);",
            &[
                &["BEGIN;", "UPDATE t SET n = n + 1 WHERE n = 0 RETURNING n;", "SELECT v FROM u WHERE k = 1;", "COMMIT;"],
                &["UPDATE t SET n = 3 WHERE id = 1;"],
                &["BEGIN;", "SELECT n FROM t WHERE id = 1;", "SELECT n FROM t WHERE id = 1 FOR UPDATE NOWAIT;", "COMMIT;"],
            ],
        ),
        Rule::FirstStatement => (
            "INSERT INTO t VALUES (1, 0);",
            &[
                &["BEGIN;", "UPDATE t SET n = n + 1 WHERE id = 1;", "SELECT v FROM u WHERE k = 1;", "COMMIT;"],
                &["BEGIN;", "SELECT v FROM u WHERE k = 1;", "SELECT n FROM t WHERE id = 1 FOR UPDATE;", "COMMIT;"],
                &["UPDATE u SET v = v + 1 WHERE k = 1;"],
            ],
        ),
        Rule::Turns => (
            "INSERT INTO t VALUES (1, 3);",
            &[
                &["BEGIN;", "DELETE FROM t WHERE id = 1;", "UPDATE u SET v = 1 WHERE k = 1;", "COMMIT;"],
                &["BEGIN;", "INSERT INTO t VALUES (1, (SELECT v FROM u WHERE k = 1)) RETURNING n;", "ROLLBACK;"],
                &["INSERT INTO t VALUES (1, (SELECT v FROM u WHERE k = 1)) RETURNING n;"],
            ],
        ),
        Rule::Guards => (
            "INSERT INTO t VALUES (1, 0);",
            &[
                &["UPDATE t SET n = n + 1 WHERE id = 1;"],
                &["BEGIN;", "SELECT n FROM t WHERE id = 1 FOR UPDATE;", "UPDATE u SET v = v + 1 WHERE k = 1;", "COMMIT;"],
                &["BEGIN;", "SELECT n FROM t WHERE id = 1;", "SELECT v FROM u WHERE k = 1;", "COMMIT;"],
            ],
        ),
        Rule::RolledBack => (
            "INSERT INTO t VALUES (1, 1);",
            &[
                &["BEGIN;", "UPDATE t SET n = n + 1 WHERE id = 1;", "INSERT INTO t VALUES (2, 0);", "COMMIT;"],
                &["BEGIN;", "UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n;", "INSERT INTO t VALUES (2, 0);", "COMMIT;"],
            ],
        ),
        Rule::Shared => (
            "INSERT INTO t VALUES (1, 0);",
            &[
                &["BEGIN;", "SELECT n FROM t WHERE id = 1 FOR SHARE;", "SELECT n FROM t WHERE id = 1;", "COMMIT;"],
                &["UPDATE t SET n = n + 1 WHERE id = 1;"],
            ],
        ),
        Rule::TableLocks => (
            "INSERT INTO t VALUES (1, 0);",
            &[
                &["BEGIN;", "LOCK TABLE t IN SHARE MODE;", "SELECT n FROM t WHERE id = 1;", "SELECT n FROM t WHERE id = 1;", "COMMIT;"],
                &["UPDATE t SET n = n + 1 WHERE id = 1;"],
            ],
        ),
        Rule::KeyGuards => (
            "INSERT INTO t VALUES (1, 0);",
            &[
                &["BEGIN;", "SELECT n FROM t WHERE id = 1 FOR KEY SHARE;", "UPDATE u SET v = v + 1 WHERE k = 1;", "COMMIT;"],
                &["DELETE FROM t WHERE id = 1;"],
                &["BEGIN;", "SELECT v FROM u WHERE k = 1;", "SELECT count(*) FROM t;", "COMMIT;"],
            ],
        ),
        Rule::Children => (
            "INSERT INTO t VALUES (1, 0); CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id));
            -- serval: range c.id 1..1",
            &[
                &["BEGIN;", "SELECT v FROM u WHERE k = 1;", "DELETE FROM t WHERE id = 1;", "COMMIT;"],
                &["BEGIN;", "INSERT INTO c VALUES (1, 1);", "UPDATE u SET v = v + 1 WHERE k = 1;", "COMMIT;"],
            ],
        ),
        _ => return None,
    };
    let schema = TABLES.iter().copied().chain([rows]).map(str::to_owned).collect();
    let scripts = scripts.iter().map(|lines| lines.iter().map(|line| (*line).to_owned()).collect()).collect();
    Some(Drawn { level: level(rule), schema, scripts, levels: Vec::new() })
}

#[test]
fn each_rule_is_noticed_and_right() {
    let Some(server) = postgres() else { return };
    let (addresses, _guard) = side_by_side(server, 2);
    let mut chosen: BTreeMap<Rule, Drawn> = BTreeMap::new();
    for rule in Rule::ALL {
        let Some(drawn) = made(rule) else { continue };
        assert_eq!(noticed(&drawn, &[rule]), [rule], "{drawn:?}");
        chosen.insert(rule, drawn);
    }
    let more = if serval_effort::effort() == serval_effort::Effort::Night { 50_000..51_200 } else { 0..0 };
    for seed in NOTICING.into_iter().chain(more) {
        let at = LEVELS[usize::try_from(seed % 2).unwrap()];
        let missing: Vec<Rule> = Rule::ALL.into_iter().filter(|rule| level(*rule) == at && !chosen.contains_key(rule)).collect();
        if !missing.is_empty() {
            let drawn = drawn(seed, at);
            chosen.extend(noticed(&drawn, &missing).into_iter().map(|rule| (rule, drawn.clone())));
        }
    }
    let (mut orders, mut equal) = (0, 0);
    for (rule, drawn) in &chosen {
        match compared(drawn, &addresses) {
            Compared::Equal { orders: performed } => (orders, equal) = (orders + performed, equal + 1),
            Compared::Large | Compared::Outside => say(&format!("{rule:?}: the workload is too large")),
            Compared::Different(told) => panic!("{rule:?}: {:?}: {told}", drawn.scripts),
        }
    }
    let unnoticed: Vec<Rule> = Rule::ALL.into_iter().filter(|rule| !chosen.contains_key(rule)).collect();
    say(&format!("rules: {equal} of {} noticed and right, in {orders} orders; stepped alone: {unnoticed:?}", chosen.len()));
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}
