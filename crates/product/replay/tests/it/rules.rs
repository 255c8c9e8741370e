//! Each rule of the server that the translation rests on, stepped statement by statement: `rules/*.steps`.

use std::collections::BTreeSet;
use std::fs;

use serval_testkit::say;

use crate::steps::{SteppedCase, cases};
use crate::support::{address, here, same};

/// How many rules there are in each chapter of `docs/src/sql-server.md`.
const RULES: [(u32, u32); 6] = [(1, 3), (2, 2), (3, 23), (4, 16), (5, 3), (6, 6)];

fn all() -> Vec<SteppedCase> {
    let mut files: Vec<_> = fs::read_dir(here().join("rules")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|path| cases(&fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn the_server_follows_each_rule() {
    let Some(address) = address() else { return };
    let cases = all();
    let failures: Vec<String> = cases.iter().filter_map(|case| same(&case.title, &case.schedule, &address).err()).collect();
    say(&format!("rules of the server: {} cases stepped", cases.len()));
    assert!(failures.is_empty(), "{} of {} are not so:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn each_rule_has_a_case() {
    let number = |case: &SteppedCase| {
        let (chapter, rule) = case.title.split_once(' ').unwrap().0.split_once('.').unwrap();
        (chapter.parse::<u32>().unwrap(), rule.parse::<u32>().unwrap())
    };
    let stepped: BTreeSet<_> = all().iter().map(number).collect();
    let rules: BTreeSet<_> = RULES.iter().flat_map(|(chapter, count)| (1..=*count).map(|rule| (*chapter, rule))).collect();
    assert_eq!(stepped, rules);
    let titles: Vec<String> = all().into_iter().map(|case| case.title).collect();
    assert_eq!(titles.iter().collect::<BTreeSet<_>>().len(), titles.len());
    // What each of them says is listed for readers, too.
    let page = fs::read_to_string(here().join("../../../../../docs/src/sql-server.md")).unwrap();
    let shown = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let files = fs::read_dir(here().join("rules")).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    assert!(files.into_iter().any(|file| file.contains(shown)), "{shown}");
    for (chapter, rule) in rules {
        assert!(page.contains(&format!("| {chapter}.{rule} |")), "docs/src/sql-server.md has no rule {chapter}.{rule}");
    }
}
