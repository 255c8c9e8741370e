//! Programs of which the fixes are known, the examples and the suite.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use std::path::Path;
use std::time::{Duration, Instant};

use serval_model::Cancel;
use serval_repair::{Options, Outcome, Repair, repair};
use serval_testkit::say;
use serval_testkit::suite::{data_dir, repository_root};

fn of(text: &str) -> Repair {
    repair(text, Options::default(), &Cancel::new())
}

/// The lines of the `yield`s of each fix.
fn lines(repaired: &Repair) -> Vec<Vec<u32>> {
    let Outcome::Fixed(fixes) = &repaired.outcome else { panic!("{:?}", repaired.outcome) };
    fixes.iter().map(|fix| fix.yields.iter().map(|&index| repaired.yields[index].place.line).collect()).collect()
}

#[test]
fn one_of_two_waits_matters() {
    let text = "request a {\n  yield;\n  x := X;\n  yield;\n  X := (x + 1) % 3;\n  yield;\n  x\n}\n";
    let repaired = of(text);
    assert_eq!(lines(&repaired), [[4]]);
    assert!(repaired.smallest && repaired.harmful.is_empty());
}

#[test]
fn either_of_two_may_do() {
    let text = std::fs::read_to_string(repository_root().join("examples/broken-lock.ser")).unwrap();
    assert_eq!(lines(&of(&text)), [[11], [14]]);
}

#[test]
fn many_at_once() {
    // Each request reads for itself, and any two of them are enough for harm.
    let one = |n: u32| format!("request r{n} {{\n  x := X;\n  yield;\n  X := (x + 1) % 3;\n  x\n}}\n");
    let text: String = (1..=7).map(one).collect();
    let repaired = of(&text);
    assert_eq!(lines(&repaired), [[3, 9, 15, 21, 27, 33, 39]]);
    assert!(repaired.smallest);
    // With less effort one is still found, but whether it is smallest is open.
    let repaired = repair(&text, Options { size: 2, ..Options::default() }, &Cancel::new());
    assert_eq!(lines(&repaired).len(), 1);
    assert!(!repaired.smallest);
}

#[test]
fn a_word_in_a_function_is_one() {
    let text = "fn pause() { yield }\nrequest a { x := X; pause(); X := (x + 1) % 3; x }\nrequest b { x := X; pause(); X := 0; x }\n";
    let repaired = of(text);
    assert_eq!(lines(&repaired), [[1]]);
    let Outcome::Fixed(fixes) = &repaired.outcome else { panic!() };
    assert!(fixes[0].text.starts_with("fn pause() { 0 }\n"), "{}", fixes[0].text);
}

#[test]
fn waits_are_not_touched() {
    // One after the other neither ever answers, so together they must not, either; but who waits has to wait.
    let text = "request send {\n  OFFER := 1;\n  while (TAKEN == 0) { yield };\n  TAKEN := 0;\n  1\n}\nrequest receive {\n  while (OFFER == 0) { yield };\n  OFFER := 0;\n  TAKEN := 1;\n  1\n}\n";
    let repaired = of(text);
    match &repaired.outcome {
        Outcome::NoFix(_) => assert!(!repaired.harmful.is_empty()),
        other => panic!("{other:?} {:?}", repaired.harmful),
    }
}

#[test]
fn without_a_word_there_is_nothing_to_remove() {
    let text =
        "request send { OFFER := 1; await(TAKEN == 1); TAKEN := 0 }\nrequest receive { await(OFFER == 1); OFFER := 0; TAKEN := 1 }\n";
    let repaired = of(text);
    assert!(matches!(&repaired.outcome, Outcome::NoFix(why) if why.contains("no `yield`")), "{:?}", repaired.outcome);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for name in ["lost-update", "double-refund", "dirty-read", "read-skew", "broken-lock"] {
        let text = std::fs::read_to_string(repository_root().join("examples").join(format!("{name}.ser"))).unwrap();
        let told = |jobs| {
            let repaired = repair(&text, Options { jobs, ..Options::default() }, &Cancel::new());
            format!("{:?} {:?} {}", repaired.outcome, repaired.harmful, repaired.checks)
        };
        assert_eq!(told(1), told(3), "{name}");
    }
}

/// Repairs all programs of a directory; says how it went.
fn all_of(directory: &Path, what: &str) {
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ser"));
    files.sort();
    let (mut slowest, mut counts) = ((Duration::ZERO, String::new()), [0; 4]);
    for path in &files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let start = Instant::now();
        let repaired = of(&text);
        slowest = slowest.max((start.elapsed(), name.clone()));
        let (kind, told) = match &repaired.outcome {
            Outcome::Serializable => (0, String::new()),
            Outcome::Fixed(_) => (1, format!("{:?}", lines(&repaired))),
            Outcome::NoFix(why) => (2, why.clone()),
            Outcome::Undecided(why, _) => (3, why.clone()),
            other => panic!("{name}: {other:?}"),
        };
        counts[kind] += 1;
        if kind > 0 {
            say(&format!("{what}: {name}: {told}; smallest {}, {} sets, {:?}", repaired.smallest, repaired.checks, start.elapsed()));
        }
    }
    let [fine, fixed, none, undecided] = counts;
    say(&format!("{what}: {fine} serializable, {fixed} fixed, {none} without a fix, {undecided} undecided; slowest {slowest:?}"));
    assert!(fixed > 0);
    // A test build on a busy machine is slow; what is built for use is not.
    assert!(slowest.0 < Duration::from_secs(60), "{slowest:?}");
}

#[test]
fn the_suite_is_repaired() {
    if let Some(suite) = data_dir("suite") {
        all_of(&suite, "suite");
    }
}

#[test]
fn the_examples_are_repaired() {
    all_of(&repository_root().join("examples"), "examples");
}
