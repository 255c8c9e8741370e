//! The lowest levels against deciding every allocation by itself, and the sets of SmallBank.

use std::collections::BTreeMap;

use serval::Options;
use serval::sql::levels::{LevelsSearch, levels_answer};
use serval::sql::{SETTINGS, Workload};
use serval_effort::sweep;
use serval_report::Verdict;
use serval_report::levels::{LevelsReport, LevelsVerdict};

fn searched(files: &[(String, String)], subsets: bool) -> LevelsReport {
    let search = LevelsSearch::new(files, subsets, None);
    of(search.unwrap_or_else(|mistakes| panic!("{:?}", mistakes.diagnostics)))
}

fn of(mut search: LevelsSearch) -> LevelsReport {
    while let Some(question) = search.next_question() {
        let answer = match search.workload(&question) {
            Ok(workload) => levels_answer(&question, search.names(), &workload.decide(&Options::default()).report("", false)),
            Err(mistakes) => serval::sql::levels::LevelsAnswer::Open(mistakes.first().to_owned()),
        };
        search.answer(&question, answer);
    }
    search.report("w", "0")
}

/// What is said of scripts at levels when nothing else is asked; nothing where that is not decided.
fn directly(files: &[(String, String)], levels: &BTreeMap<String, &str>) -> Option<bool> {
    let lines: Vec<String> = levels.iter().map(|(name, level)| format!("level {level} {name}")).collect();
    let mut files = files.to_vec();
    files.push((SETTINGS.to_owned(), lines.join("\n")));
    let workload = Workload::read(&files).ok()?;
    match workload.decide(&Options::default()).report("", false).verdict {
        Verdict::Serializable => Some(true),
        Verdict::NotSerializable | Verdict::Fault => Some(false),
        _ => None,
    }
}

pub(crate) fn file(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

/// A few statements over three tables with a row each; one of them is often only read.
fn drawn(mut seed: u64) -> Vec<(String, String)> {
    const STATEMENTS: [&str; 11] = [
        "SELECT n FROM a WHERE id = 1",
        "SELECT n FROM b WHERE id = 1",
        "UPDATE a SET n = n + 1 WHERE id = 1",
        "UPDATE b SET n = n + 1 WHERE id = 1",
        "UPDATE a SET n = 0 WHERE id = 1",
        "SELECT n AS x FROM a WHERE id = 1 \\gset\nUPDATE b SET n = :x WHERE id = 1",
        "SELECT n AS y FROM b WHERE id = 1 \\gset\nUPDATE b SET n = :y + 1 WHERE id = 1",
        "SELECT n AS z FROM b WHERE id = 1 FOR UPDATE \\gset\nUPDATE a SET n = :z WHERE id = 1",
        "SELECT n FROM a WHERE id = 1 FOR UPDATE",
        "SELECT n FROM c WHERE id = 1",
        "SELECT n AS w FROM c WHERE id = 1 \\gset\nUPDATE c SET n = :w + 1 WHERE id = 1",
    ];
    let mut below = |end: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from((seed >> 8) % end).unwrap()
    };
    let schema = "CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL); CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO a VALUES (1, 0); INSERT INTO b VALUES (1, 0); INSERT INTO c VALUES (1, 0);
-- serval: range a.n 0..1 wrap
-- serval: range b.n 0..1 wrap
-- serval: range c.n 0..1 wrap
";
    let mut files = vec![file("schema.sql", schema)];
    for script in 0..2 + below(2) {
        let statements: Vec<&str> = (0..1 + below(2)).map(|_| STATEMENTS[below(11)]).collect();
        files.push(file(&format!("s{script}.sql"), &format!("BEGIN;\n{};\nCOMMIT;\n", statements.join(";\n"))));
    }
    files
}

#[test]
fn the_table_is_that_of_deciding_every_allocation() {
    sweep("serval.levels", 12, 200).each(1, |number| {
        let files = drawn(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let search = LevelsSearch::new(&files, false, None).unwrap_or_else(|mistakes| panic!("{:?}", mistakes.diagnostics));
        // Pairs first where there are three scripts, in every other workload.
        let report = of(if number % 2 == 0 { search.with_pairs_from(3) } else { search });
        let names: Vec<String> = report.scripts.iter().map(|one| one.script.clone()).collect();
        let at = |raised: &dyn Fn(&String) -> bool| -> BTreeMap<String, &str> {
            let level = |name: &String| if raised(name) { "repeatable read" } else { "read committed" };
            names.iter().map(|name| (name.clone(), level(name))).collect()
        };
        // The lowest of all parts together are proved.
        if report.verdict == LevelsVerdict::Proved {
            let chosen = |name: &String| report.parts.iter().any(|part| part.lowest[0].raised.contains(name));
            assert_ne!(directly(&files, &at(&chosen)), Some(false), "{files:?}\n{report:#?}");
        }
        // Each allocation is above a lowest one of each part, or is not proved, whatever it is asked about by itself.
        for bits in 0..1_usize << names.len() {
            let is_raised = |name: &String| names.iter().position(|known| known == name).is_some_and(|at| bits >> at & 1 == 1);
            let above = report.parts.iter().all(|part| part.lowest.iter().any(|lowest| lowest.raised.iter().all(is_raised)));
            let found = directly(&files, &at(&is_raised));
            assert!(above || found != Some(true), "{bits:b}: {files:?}\n{report:#?}");
        }
    });
}

/// The files of a workload in `examples/sql`.
pub(crate) fn example(name: &str) -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/sql").join(name);
    let paths = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let sql = paths.filter(|path| path.extension().is_some_and(|ending| ending == "sql"));
    let mut files: Vec<(String, String)> =
        sql.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn smallbank_has_its_safe_sets() {
    if serval_effort::skips("serval.levels-smallbank") {
        return;
    }
    let mut files = example("smallbank");
    for (_, text) in &mut files {
        *text = text.replace("(1, 1), (2, 1)", "(1, 1)").replace("0..1 wrap", "0..2 wrap");
    }
    let report = searched(&files, true);
    let short = |name: &String| match name.as_str() {
        "amalgamate" => "Am",
        "balance" => "Bal",
        "deposit_checking" => "DC",
        "transact_savings" => "TS",
        _ => "WC",
    };
    let sets: Vec<Vec<String>> = report
        .subsets
        .iter()
        .map(|sets| sets.sets.iter().map(|set| set.iter().map(short).collect::<Vec<_>>().join(" ")).collect())
        .collect();
    assert_eq!(sets, [vec!["Am DC TS", "Bal DC", "Bal TS"], vec!["Am Bal DC TS", "Am Bal DC WC", "Am DC TS WC"]]);
    if report.verdict != LevelsVerdict::Proved {
        assert_eq!(report.verdict, LevelsVerdict::Assumed);
    }
    // Of 31 sets at two levels.
    assert!(report.decided < 40, "{}", report.decided);
}

/// Twelve scripts that all have to do with each other: of 4,096 allocations few are asked about.
#[test]
fn twelve_scripts_are_decided() {
    if serval_effort::skips("serval.levels-twelve") {
        return;
    }
    let files = vec![file("schema.sql", include_str!("twelve/schema.sql")), file("scripts.sql", include_str!("twelve/scripts.sql"))];
    let report = searched(&files, false);
    assert_eq!((report.allocations.as_str(), report.parts.len(), report.verdict), ("4096", 1, LevelsVerdict::Proved));
    assert_eq!(report.sentence, "READ COMMITTED is enough for all but balance, book and order_status: REPEATABLE READ there (proved)");
    // Pairs, most of them, and two questions about all.
    assert!(report.decided < 80, "{}", report.decided);
    // With the SmallBank of the paper, no mixture of the two levels is enough.
    let plain = |text: &str| {
        let (before, after) = text.split_once("-- name: write_check").unwrap();
        let locked = after.replace(" FOR UPDATE \\gset", " \\gset");
        format!("{before}-- name: write_check{locked}")
    };
    let files = vec![files[0].clone(), file("scripts.sql", &plain(&files[1].1))];
    let report = searched(&files, false);
    assert_eq!((report.allocations.as_str(), report.verdict), ("4096", LevelsVerdict::Assumed));
    assert!(report.parts[0].lowest.is_empty() && report.parts[0].undecided == 0, "{}", report.sentence);
    assert!(report.decided < 80, "{}", report.decided);
}

/// SmallBank that locks the savings alone: what is added to a checking account waits for its lock, though the order of
/// additions does not matter.
#[test]
fn additions_that_wait_for_a_lock_are_decided() {
    let mut files = example("smallbank");
    files.retain(|(name, _)| name != "balance.sql");
    let names: Vec<String> = files.iter().map(|(name, _)| name.trim_end_matches(".sql").to_owned()).collect();
    let at_rc = |files: &[(String, String)]| {
        let scripts = names.iter().filter(|name| *name != "schema");
        directly(files, &scripts.map(|name| (name.clone(), "read committed")).collect())
    };
    assert_eq!(at_rc(&files), Some(false));
    for (name, text) in &mut files {
        if name == "write_check.sql" {
            *text = text.replacen(" \\gset", " FOR UPDATE \\gset", 1);
            assert!(text.contains("FROM savings WHERE id = :c FOR UPDATE") && text.contains("FROM checking WHERE id = :c \\gset"));
        }
    }
    assert_eq!(at_rc(&files), Some(true));
}
