//! Fixes of workloads: what is offered is proved of the text that is written, and nothing else in it has changed.

use serval::Options;
use serval::sql::fixes::FixSearch;
use serval::sql::{SETTINGS, Workload};
use serval_report::Verdict;
use serval_report::sql_fix::{SqlChangeKind, SqlFixReport};

use crate::sql_levels::{example, file};

type Files = Vec<(String, String)>;

fn searched(files: &Files) -> (SqlFixReport, Vec<Files>) {
    let mut search = FixSearch::new(files).unwrap_or_else(|mistakes| panic!("{:?}", mistakes.diagnostics));
    while let Some(question) = search.next_question() {
        let answer = match search.workload(&question) {
            Ok(workload) => search.answer_of(&workload.decide(&Options::default()).report("", false)),
            Err(_) => serval::sql::fixes::FixAnswer::Unusable,
        };
        search.answer(&question, answer);
    }
    (search.report("w", None), search.texts())
}

fn verdict(files: &Files) -> Verdict {
    Workload::read(files).unwrap().decide(&Options::default()).report("", false).verdict
}

/// The lines that go and come, by their sign.
fn lines<'d>(diff: &'d str, sign: &str) -> Vec<&'d str> {
    diff.lines().filter(|line| line.starts_with(sign)).map(|line| &line[1..]).collect()
}

/// The kinds that are offered, after each fix was written and read again.
fn offered(files: &Files) -> Vec<Vec<SqlChangeKind>> {
    let (report, texts) = searched(files);
    assert_eq!(report.fixes.len(), texts.len());
    for (fix, changed) in report.fixes.iter().zip(&texts) {
        let mut applied = files.clone();
        for (name, text) in changed {
            let (_, place) = applied.iter_mut().find(|(known, _)| known == name).unwrap();
            let shown = &fix.files.iter().find(|shown| shown.file == *name).unwrap().diff;
            // What is not shown is as it was, and in the same order.
            let kept = |text: &str, gone: &[&str]| {
                let mut left = gone.to_vec();
                text.lines()
                    .filter(|line| left.iter().position(|gone| gone == line).map(|at| left.remove(at)).is_none())
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            assert_eq!(kept(place, &lines(shown, "-")), kept(text, &lines(shown, "+")), "{shown}");
            *place = text.clone();
        }
        assert_eq!(changed.len(), fix.files.len());
        assert_eq!(verdict(&applied), Verdict::Serializable, "{applied:?}");
    }
    report.fixes.iter().map(|fix| fix.changes.iter().map(|change| change.kind).collect()).collect()
}

fn at(level: &str, mut files: Files) -> Files {
    files.push(file(SETTINGS, &format!("isolation {level}")));
    files
}

#[test]
fn each_refuted_example_has_a_fix() {
    use SqlChangeKind::{ForUpdate, Level, OnConflict, OneUpdate, RowLocks};
    let expected = [
        ("counter", "read committed", vec![ForUpdate, OneUpdate, Level]),
        ("seats", "read committed", vec![ForUpdate, Level]),
        ("roster", "read committed", vec![ForUpdate, Level]),
        ("delivery", "read committed", vec![ForUpdate, Level]),
        ("replace", "read committed", vec![OnConflict]),
        ("doctors", "read committed", vec![RowLocks]),
        ("doctors-rollback", "read committed", vec![RowLocks]),
        ("doctors", "repeatable read", vec![RowLocks]),
        ("doctors-rollback", "repeatable read", vec![RowLocks]),
        ("mutex-row", "repeatable read", vec![RowLocks, Level]),
        ("advisory-lock", "repeatable read", vec![RowLocks, Level]),
        ("seats-parent", "repeatable read", vec![RowLocks, Level]),
    ];
    for (name, level, kinds) in expected {
        let kinds: Vec<Vec<SqlChangeKind>> = kinds.into_iter().map(|kind| vec![kind]).collect();
        assert_eq!(offered(&at(level, example(name))), kinds, "{name} at {level}");
    }
}

const FLIGHTS: &str = "CREATE TABLE flights (id int PRIMARY KEY, places int NOT NULL);
CREATE TABLE bookings (seat int PRIMARY KEY, flight int NOT NULL REFERENCES flights (id));
INSERT INTO flights VALUES (1, 1);
-- serval: range bookings.seat 1..2
-- serval: range bookings.flight 1..1
-- serval: range flights.places 1..1
";
const BOOK: &str = "BEGIN;
SELECT count(*) AS taken FROM bookings WHERE flight = :flight \\gset
\\if :taken < 1
INSERT INTO bookings VALUES (:seat, :flight);
\\endif
COMMIT;
";

/// The rows that are counted are not there yet, so that locking them is no help: it is the row of the flight. A
/// snapshot is older than that lock.
#[test]
fn the_row_that_others_refer_to_is_locked_and_not_where_the_snapshot_is_older() {
    let files = vec![file("schema.sql", FLIGHTS), file("book.sql", BOOK)];
    assert_eq!(offered(&files), [[SqlChangeKind::ParentLock]]);
    let (_, texts) = searched(&files);
    let lock = "BEGIN;\nSELECT id FROM flights WHERE id = :flight FOR NO KEY UPDATE;\nSELECT count(*)";
    assert!(texts[0][0].1.starts_with(lock), "{texts:?}");
    let kinds = offered(&at("repeatable read", files));
    assert!(!kinds.is_empty() && kinds.iter().all(|kinds| kinds.contains(&SqlChangeKind::Level)), "{kinds:?}");
}

#[test]
fn a_look_and_an_insert_become_one() {
    let schema = "CREATE TABLE users (name int PRIMARY KEY, mail int NOT NULL);
-- serval: range users.name 1..1
-- serval: range users.mail 1..2
";
    let join = "BEGIN;\r
SELECT count(*) AS there FROM users WHERE name = :name \\gset\r
\\if :there = 0\r
  INSERT INTO users VALUES (:name, :mail);\r
\\endif\r
COMMIT;\r
";
    let files = vec![file("schema.sql", schema), file("join.sql", join)];
    let kinds = offered(&files);
    assert_eq!(kinds[0], [SqlChangeKind::OnConflict], "{kinds:?}");
    let (_, texts) = searched(&files);
    let insert = "BEGIN;\r\nINSERT INTO users VALUES (:name, :mail) ON CONFLICT (name) DO NOTHING RETURNING name;\r\nCOMMIT;\r\n";
    assert_eq!(texts[0], [file("join.sql", insert)]);
}

/// A script that forgot its BEGIN, in a file with others and with comments.
#[test]
fn statements_outside_of_a_transaction_become_one_transaction() {
    let schema = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL);
INSERT INTO t VALUES (1, 0, 0);
-- serval: range t.n 0..1 wrap
-- serval: range t.m 0..1 wrap
";
    let scripts = "-- name: look\nSELECT n FROM t WHERE id = 1; -- first\nSELECT m FROM t WHERE id = 1\n\n-- name: both
UPDATE t SET n = 1 - n, m = 1 - m WHERE id = 1;\n";
    let files = vec![file("schema.sql", schema), file("all.sql", scripts)];
    assert_eq!(offered(&files), [[SqlChangeKind::Level]]);
    let (report, texts) = searched(&files);
    let look = "-- name: look\nBEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT n FROM t WHERE id = 1; -- first\nSELECT m FROM t WHERE id = 1;\nCOMMIT;\n";
    assert!(texts[0][0].1.starts_with(look), "{texts:?}");
    assert_eq!(report.fixes[0].changes[0].what, "look runs at REPEATABLE READ");
    assert!(report.smallest && report.reason.is_none());
}

#[test]
fn what_needs_no_fix_and_what_has_none_says_so() {
    let (report, _) = searched(&example("transfers"));
    assert_eq!(report.to_line(), "serializable  w   nothing to fix, proved\n");
    // Two tables that are counted: no row of them can be locked before it is there.
    let schema = "CREATE TABLE a (id int PRIMARY KEY);\nCREATE TABLE b (id int PRIMARY KEY);
-- serval: range a.id 1..1
-- serval: range b.id 1..1
";
    let script = |counted: &str, other: &str| {
        format!("BEGIN;\nSELECT count(*) AS c FROM {counted} \\gset\n\\if :c = 0\nINSERT INTO {other} VALUES (1);\n\\endif\nCOMMIT;\n")
    };
    let files = vec![file("schema.sql", schema), file("one.sql", &script("a", "b")), file("two.sql", &script("b", "a"))];
    let (report, texts) = searched(&files);
    assert!(report.fixes.is_empty() && texts.is_empty());
    assert!(report.to_line().contains("fix: "), "{}", report.to_line());
    assert_eq!(
        searched(&at("serializable", example("doctors"))).0.to_line(),
        "assumed  w   nothing to fix, assumed: all run at SERIALIZABLE\n"
    );
}

/// The five transactions of SmallBank: three locks are enough, and not without one of the first two. Without the third
/// there is neither proof nor counterexample after a minute: the check is withdrawn after it was looked at, a deposit
/// may come in between, and no step of the two can be moved over the other, because one waits for the other's lock,
/// although it would not matter which of them adds first.
#[test]
fn smallbank_is_mended_by_three_locks() {
    let files = example("smallbank");
    let locks = [
        ("balance.sql", "SELECT bal FROM savings WHERE id = :c;", "SELECT bal FROM savings WHERE id = :c FOR UPDATE;"),
        ("write_check.sql", "AS s FROM savings WHERE id = :c \\gset", "AS s FROM savings WHERE id = :c FOR UPDATE \\gset"),
        ("write_check.sql", "AS k FROM checking WHERE id = :c \\gset", "AS k FROM checking WHERE id = :c FOR UPDATE \\gset"),
    ];
    for missing in [0, 1, locks.len()] {
        let mut locked = files.clone();
        for (file, from, to) in locks.iter().enumerate().filter(|(at, _)| *at != missing).map(|(_, lock)| lock) {
            let (_, text) = locked.iter_mut().find(|(name, _)| name == file).unwrap();
            assert!(text.contains(from), "{text}");
            *text = text.replace(from, to);
        }
        let expected = if missing == locks.len() { Verdict::Serializable } else { Verdict::NotSerializable };
        assert_eq!(verdict(&locked), expected, "without {missing}");
    }
}

/// Balance and WriteCheck with a deposit: what was found out about two scripts is not asked about all of them.
#[test]
fn parts_of_a_text_are_asked_about_first() {
    let files: Files =
        example("smallbank").into_iter().filter(|(name, _)| name != "amalgamate.sql" && name != "transact_savings.sql").collect();
    let mut search = FixSearch::new(&files).unwrap();
    let (mut all, mut parts) = (0, 0);
    while let Some(question) = search.next_question() {
        let workload = search.workload(&question).unwrap();
        let asked = workload.parts().0.scripts.iter().filter(|script| !script.left_out).count();
        if asked == 3 {
            all += 1
        } else {
            parts += 1
        }
        let answer = search.answer_of(&workload.decide(&Options::default()).report("", false));
        search.answer(&question, answer);
    }
    let report = search.report("w", None);
    assert!(report.smallest && parts > 0, "{all} and {parts}: {}", report.to_line());
    let changes: Vec<usize> = report.fixes.iter().map(|fix| fix.changes.len()).collect();
    assert!(!changes.is_empty() && changes.iter().all(|count| *count == changes[0]), "{changes:?}");
}
