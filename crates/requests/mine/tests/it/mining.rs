//! Logs of the three formats, and what is made of them.

use proptest::prelude::*;
use serval_mine::{LogFormat, MinedWorkload, Miner, NothingMined};

const FORMATS: [LogFormat; 3] = [LogFormat::Stderr, LogFormat::Csv, LogFormat::Json];

/// What a session does, in the words of the server.
#[derive(Clone, Debug)]
enum Said {
    Simple(String),
    Bound(String, String),
    Error,
}

fn simple(sql: &str) -> Said {
    Said::Simple(sql.to_owned())
}

fn bound(sql: &str, values: &str) -> Said {
    Said::Bound(sql.to_owned(), values.to_owned())
}

/// One entry as a server writes it.
fn entry(format: LogFormat, session: u32, said: &Said) -> String {
    let (severity, message, detail) = match said {
        Said::Simple(sql) => ("LOG", format!("statement: {sql}"), String::new()),
        Said::Bound(sql, values) => ("LOG", format!("execute <unnamed>: {sql}"), format!("parameters: {values}")),
        Said::Error => ("ERROR", "could not serialize access due to concurrent update".to_owned(), String::new()),
    };
    match format {
        LogFormat::Stderr => {
            let prefix = format!("2026-11-19 01:00:00.000 UTC [{session}] ");
            let lines = |text: &str| text.replace('\n', "\n\t");
            let detail = if detail.is_empty() { String::new() } else { format!("{prefix}DETAIL:  {}\n", lines(&detail)) };
            format!("{prefix}{severity}:  {}\n{detail}", lines(&message))
        }
        LogFormat::Csv => {
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let mut fields = vec![String::new(); 26];
            fields[0] = "2026-11-19 01:00:00.000 UTC".to_owned();
            fields[5] = format!("65a1b2c3.{session:x}");
            (fields[11], fields[13], fields[14]) = (severity.to_owned(), quoted(&message), quoted(&detail));
            fields.join(",") + "\n"
        }
        LogFormat::Json => {
            let object = serde_json::json!({"timestamp": "2026-11-19", "pid": session, "session_id": format!("65a1b2c3.{session:x}"),
                "error_severity": severity, "message": message, "detail": detail});
            format!("{object}\n")
        }
    }
}

fn log(format: LogFormat, said: &[(u32, Said)]) -> String {
    said.iter().map(|(session, said)| entry(format, *session, said)).collect()
}

fn mined(format: LogFormat, text: &[u8]) -> Result<MinedWorkload, NothingMined> {
    let mut miner = Miner::new(format);
    miner.feed(text);
    miner.finish()
}

/// Without the lines that tell about the script.
fn statements(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("--")).collect()
}

/// Deposits of two customers, interleaved, one by each protocol.
fn deposits() -> Vec<(u32, Said)> {
    let mut all = Vec::new();
    for (customer, amount) in [(1, 10), (2, 20), (3, 10)] {
        all.push((7, simple("BEGIN")));
        all.push((8, simple("BEGIN;")));
        all.push((7, simple(&format!("SELECT bal\nFROM checking WHERE id = {customer}"))));
        all.push((8, bound("SELECT bal FROM checking WHERE id = $1::INTEGER", &format!("$1 = '{customer}'"))));
        all.push((7, simple(&format!("UPDATE checking SET bal = {} WHERE id = {customer}", amount + 1))));
        let values = format!("$1 = '{}', $2 = '{customer}'", amount + 1);
        all.push((8, bound("UPDATE checking SET bal = $1::INTEGER WHERE id = $2::INTEGER", &values)));
        all.push((7, simple("COMMIT")));
        all.push((8, simple("COMMIT")));
    }
    all
}

#[test]
fn transactions_become_one_script_in_three_formats_and_two_protocols() {
    for format in FORMATS {
        let text = log(format, &deposits());
        let found = mined(format, text.as_bytes()).unwrap();
        assert_eq!((found.transactions, found.scripts.len(), found.statements), (6, 1, 24), "{format:?}: {found:#?}");
        let script = &found.scripts[0];
        assert_eq!((script.name.as_str(), script.count), ("update_checking", 6));
        let expected = ["BEGIN;", "SELECT bal FROM checking WHERE id = :id;", "UPDATE checking SET bal = :bal WHERE id = :id;", "COMMIT;"];
        assert_eq!(statements(&script.text), expected);
        assert!(script.text.contains("-- :bal may be computed from rows that were read before."), "{}", script.text);
        assert!(found.settings.contains("# range.\"checking.bal\" = \"0..2 wrap\""), "{}", found.settings);
        assert_eq!(LogFormat::of("log", text.as_bytes()), format);
        // The same bytes, however the log comes.
        let mut miner = Miner::new(format);
        text.as_bytes().chunks(3).for_each(|piece| miner.feed(piece));
        assert_eq!(miner.finish().unwrap(), found);
    }
}

#[test]
fn what_never_changes_stays_and_what_is_equal_once_is_not_one() {
    let transfer = |one: u32, other: u32, amount: u32| {
        [
            (1, simple("START TRANSACTION")),
            (1, simple(&format!("UPDATE a SET n = n - {amount} WHERE id = {one} AND kind = 'x'"))),
            (1, simple(&format!("UPDATE a SET n = n + {amount} WHERE id = {other} AND kind = 'x'"))),
            (1, simple("COMMIT")),
        ]
    };
    let all = [transfer(1, 2, 1), transfer(2, 1, 5), transfer(2, 1, 2)].concat();
    let found = mined(LogFormat::Stderr, log(LogFormat::Stderr, &all).as_bytes()).unwrap();
    let expected = [
        "BEGIN;",
        "UPDATE a SET n = n - :n WHERE id = :id AND kind = 'x';",
        "UPDATE a SET n = n + :n WHERE id = :id_2 AND kind = 'x';",
        "COMMIT;",
    ];
    assert_eq!(statements(&found.scripts[0].text), expected);
    // Of one execution nothing is known: values that are equal once may be so by chance.
    let once = mined(LogFormat::Stderr, log(LogFormat::Stderr, &transfer(1, 1, 1)).as_bytes()).unwrap();
    assert_eq!(statements(&once.scripts[0].text)[1], "UPDATE a SET n = n - 1 WHERE id = 1 AND kind = 'x';");
    let bound_once = [(1, simple("BEGIN")), (1, bound("UPDATE a SET n = $1 WHERE id = $2", "$1 = '1', $2 = '1'")), (1, simple("COMMIT"))];
    let once = mined(LogFormat::Stderr, log(LogFormat::Stderr, &bound_once).as_bytes()).unwrap();
    assert_eq!(statements(&once.scripts[0].text)[1], "UPDATE a SET n = :n WHERE id = :id;");
}

#[test]
fn retries_branches_and_what_is_no_statement_of_a_transaction() {
    let mut all = Vec::new();
    let mut tell = |said: Said| all.push((4, said));
    tell(simple("SET extra_float_digits = 3"));
    tell(simple("SELECT pg_catalog.version()"));
    tell(simple("select 1"));
    tell(simple("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ"));
    for fails in [true, false] {
        tell(simple("BEGIN"));
        tell(simple("SELECT n FROM a WHERE id = 1"));
        tell(simple("UPDATE a SET n = 2 WHERE id = 1"));
        if fails {
            tell(Said::Error);
            tell(simple("ROLLBACK"));
        } else {
            tell(simple("COMMIT"));
        }
    }
    tell(simple("BEGIN READ ONLY"));
    tell(simple("SELECT n FROM a WHERE id = 1"));
    tell(simple("ROLLBACK"));
    tell(simple("DEALLOCATE ALL"));
    tell(simple("BEGIN; SAVEPOINT s; RELEASE SAVEPOINT s; COMMIT"));
    for format in FORMATS {
        let found = mined(format, log(format, &all).as_bytes()).unwrap();
        assert_eq!((found.transactions, found.scripts.len()), (2, 2), "{found:#?}");
    }
    // What fails within a savepoint is undone, and no attempt that is repeated.
    let mut tell = |said: Said| all.push((4, said));
    for said in ["BEGIN", "savepoint s", "INSERT INTO a VALUES (1, 1)"] {
        tell(simple(said));
    }
    tell(Said::Error);
    for said in ["ROLLBACK TO SAVEPOINT s", "UPDATE a SET n = 1 WHERE id = 1", "COMMIT"] {
        tell(simple(said));
    }
    for format in FORMATS {
        let found = mined(format, log(format, &all).as_bytes()).unwrap();
        assert_eq!((found.transactions, found.failed), (3, 1), "{found:#?}");
        let left: Vec<(&str, u64)> = found.left_out.iter().map(|one| (one.kind.as_str(), one.count)).collect();
        assert_eq!(
            left,
            [
                ("DEALLOCATE", 1),
                ("SET", 2),
                ("health checks", 1),
                ("questions about the catalog", 1),
                ("savepoints to which nothing goes back", 2)
            ]
        );
        let texts: Vec<Vec<&str>> = found.scripts.iter().map(|script| statements(&script.text)).collect();
        assert_eq!(texts[0][2], "UPDATE a SET n = 2 WHERE id = 1;");
        // A savepoint is no part of what is modelled: the script has it, and is refused by name.
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ;";
        assert_eq!(texts[1], [begin, "savepoint s;", "ROLLBACK TO SAVEPOINT s;", "UPDATE a SET n = 1 WHERE id = 1;", "COMMIT;"]);
        assert_eq!(texts[2][0], "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;");
    }
}

#[test]
fn scripts_that_begin_alike_say_so() {
    let check = |more: &str| {
        let mut all = vec![(1, simple("BEGIN")), (1, simple("SELECT n FROM a WHERE id = 1"))];
        all.push((1, simple(more)));
        all.push((1, simple("COMMIT")));
        all
    };
    let all = [check("UPDATE a SET n = 1 WHERE id = 1"), check("UPDATE a SET m = 1 WHERE id = 1")].concat();
    let found = mined(LogFormat::Stderr, log(LogFormat::Stderr, &all).as_bytes()).unwrap();
    let names: Vec<&str> = found.scripts.iter().map(|script| script.name.as_str()).collect();
    assert_eq!(names, ["update_a", "update_a_2"]);
    assert!(found.scripts[1].text.contains("-- It begins as update_a does, for 1 statement."), "{}", found.scripts[1].text);
}

#[test]
fn a_log_that_begins_or_ends_within_a_transaction() {
    let tail = [(1, simple("UPDATE a SET n = 9")), (1, simple("COMMIT"))];
    let head = [(1, simple("BEGIN")), (1, simple("UPDATE b SET n = 8"))];
    let all = [&tail[..], &deposits(), &head].concat();
    for format in FORMATS {
        let found = mined(format, log(format, &all).as_bytes()).unwrap();
        assert_eq!((found.scripts.len(), found.transactions), (1, 6), "{found:#?}");
        assert_eq!(found.notes, ["2 transactions have a part that the log does not have, and are left out"]);
        // Rotated in the middle of a transaction, the two files are one log.
        let text = log(format, &deposits());
        let cut = text.match_indices('\n').nth(9).unwrap().0 + 1;
        let mut miner = Miner::new(format);
        miner.feed(&text.as_bytes()[..cut]);
        miner.next_file(format);
        miner.feed(&text.as_bytes()[cut..]);
        assert_eq!(miner.finish(), mined(format, text.as_bytes()));
        // Cut in the middle of a statement.
        let found = mined(format, &text.as_bytes()[..text.len() - 30]).unwrap();
        assert_eq!(found.transactions, 5);
        assert!(found.notes.iter().any(|note| note.contains("entries are cut")), "{:?}", found.notes);
    }
}

#[test]
fn what_is_wrong_with_a_log_is_one_sentence() {
    let refused = |text: &str| mined(LogFormat::Stderr, text.as_bytes()).unwrap_err();
    assert_eq!(refused(""), NothingMined::Empty);
    assert_eq!(refused("once upon a time\nthere was\n"), NothingMined::NoLog);
    assert_eq!(refused("LOG:  statement: BEGIN\nLOG:  statement: UPDATE t SET n = 1\nLOG:  statement: COMMIT\n"), NothingMined::NoSession);
    assert_eq!(refused("2026-11-19 UTC [5] LOG:  Anweisung: BEGIN\n2026-11-19 UTC [5] LOG:  Anweisung: COMMIT\n"), NothingMined::Language);
    assert_eq!(refused("2026-11-19 UTC [5] LOG:  database system is ready\n"), NothingMined::NoStatement);
    assert_eq!(refused("2026-11-19 UTC [5] LOG:  statement: SHOW x\n"), NothingMined::NoTransaction);
    for why in [NothingMined::NoSession, NothingMined::Language, NothingMined::NoStatement] {
        assert!(why.to_string().contains("set "), "{why}");
    }
    // Single statements.
    let single = mined(LogFormat::Stderr, log(LogFormat::Stderr, &[(1, simple("UPDATE t SET n = 1"))]).as_bytes()).unwrap();
    assert_eq!((single.scripts.len(), single.notes.len()), (1, 1));
    assert!(single.notes[0].starts_with("no transaction has two statements"), "{:?}", single.notes);
    // Parameters that were cut.
    let cut = [(1, simple("BEGIN")), (1, bound("UPDATE t SET a = $1 WHERE id = $2", "$1 = 'ab...', $2 = '1'")), (1, simple("COMMIT"))];
    let cut = mined(LogFormat::Csv, log(LogFormat::Csv, &cut).as_bytes()).unwrap();
    assert!(cut.notes[0].contains("log_parameter_max_length = -1"), "{:?}", cut.notes);
    assert_eq!(statements(&cut.scripts[0].text)[1], "UPDATE t SET a = :a WHERE id = :id;");
}

#[test]
fn sessions_of_a_pooler_are_told_apart_by_transaction() {
    // One session of the server, transactions of two clients one after the other.
    let mut all = Vec::new();
    for number in 0..4 {
        all.push((1, simple("BEGIN")));
        all.push((1, simple(&format!("UPDATE t{} SET n = {number}", number % 2))));
        all.push((1, simple("COMMIT")));
    }
    let found = mined(LogFormat::Json, log(LogFormat::Json, &all).as_bytes()).unwrap();
    let names: Vec<&str> = found.scripts.iter().map(|script| script.name.as_str()).collect();
    assert_eq!((names, found.transactions), (vec!["update_t0", "update_t1"], 4));
}

#[test]
fn a_long_log_of_many_sessions_is_one_script() {
    let mut miner = Miner::new(LogFormat::Stderr);
    for round in 0..21_000_u32 {
        let (session, customer) = (round, round % 97);
        let all = [
            (session, simple("BEGIN")),
            (session, simple(&format!("UPDATE t SET n = n + 1 WHERE id = {customer}"))),
            (session, simple("COMMIT")),
        ];
        miner.feed(log(LogFormat::Stderr, &all).as_bytes());
    }
    let found = miner.finish().unwrap();
    assert_eq!((found.transactions, found.scripts.len(), found.statements), (21_000, 1, 63_000));
}

/// Memory is bounded in bytes, too: of a transaction, and of all that are different.
#[test]
fn what_is_too_long_is_left_out_and_counted() {
    let long = |bytes: usize| format!("UPDATE t SET note = n{} WHERE id = 1", "x".repeat(bytes));
    let transaction = |statements: &[String]| {
        let begin = [(3, simple("BEGIN"))].into_iter();
        let all = begin.chain(statements.iter().map(|one| (3, simple(one)))).chain([(3, simple("COMMIT"))]);
        log(LogFormat::Stderr, &all.collect::<Vec<_>>())
    };
    let text = transaction(&[long(10)]) + &transaction(&[long(700_000), long(700_000)]) + &transaction(&[long(10)]);
    let found = mined(LogFormat::Stderr, text.as_bytes()).unwrap();
    assert_eq!((found.transactions, found.scripts.len()), (2, 1));
    let left: Vec<(&str, u64)> = found.left_out.iter().map(|one| (one.kind.as_str(), one.count)).collect();
    assert_eq!(left, [("transactions of more than 1000 statements, or a megabyte", 1)]);
    let mut miner = Miner::new(LogFormat::Stderr);
    for number in 0..90 {
        miner.feed(transaction(&[long(900_000 + number)]).as_bytes());
    }
    let found = miner.finish().unwrap();
    assert_eq!((found.scripts.len(), found.left_out[0].count), (74, 16));
    assert_eq!(found.left_out[0].kind, "transactions beyond 10000 different ones, or 64 MB of them");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..400), format in 0_usize..3) {
        let _ = mined(FORMATS[format], &bytes);
    }

    #[test]
    fn a_log_with_some_bytes_changed_is_read(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
        format in 0_usize..3,
    ) {
        let mut text = log(FORMATS[format], &deposits()).into_bytes();
        for (place, byte) in places {
            let place = place.index(text.len());
            text[place] = byte;
        }
        text.truncate(cut.index(text.len()));
        let _ = mined(FORMATS[format], &text);
    }

    #[test]
    fn statements_of_any_text_are_cut_the_same_way_twice(sql in "\\PC{0,60}") {
        let all = [(1, simple("BEGIN")), (1, simple(&format!("UPDATE t SET a = {sql}"))), (1, simple("COMMIT"))];
        for format in FORMATS {
            let text = log(format, &all);
            prop_assert_eq!(mined(format, text.as_bytes()), mined(format, text.as_bytes()));
        }
    }
}
