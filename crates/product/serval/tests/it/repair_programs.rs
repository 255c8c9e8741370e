//! Programs of which the fixes are known, the examples and the suite.

use std::path::Path;
use std::time::Instant;

use serval::Input;
use serval::repair::{Options, Outcome, Repair, lock_name_problem, repair, repair_by_lock, under_lock};
use serval_budget::Cancel;
use serval_effort::{side_by_side, skips};
use serval_testkit::say;
use serval_testkit::suite::{data_dir, repository_root};
use serval_verify::{Caps, InputKind, verify};

fn program(text: &str) -> Input {
    Input::program(text).unwrap()
}

fn of(text: &str) -> Repair {
    repair(&program(text), Options::default(), &Cancel::new())
}

/// The lines of the `yield`s of each fix.
fn lines(repaired: &Repair) -> Vec<Vec<u32>> {
    let Outcome::Fixed(fixes) = &repaired.outcome else { panic!("{:?}", repaired.outcome) };
    fixes.iter().map(|fix| fix.set.iter().map(|&index| repaired.yields[index].place.line).collect()).collect()
}

#[test]
fn one_of_two_waits_matters() {
    let text = "request a {\n  yield;\n  x := X;\n  yield;\n  X := (x + 1) % 3;\n  yield;\n  x\n}\n";
    let repaired = of(text);
    assert_eq!(lines(&repaired), [[4]]);
    assert!(repaired.smallest && repaired.harmful.is_empty());
}

/// Whose proof needs no states has one; what the change does to requests is asked of the states all the same.
#[test]
fn a_fix_is_proved_on_its_text_where_it_can_be() {
    let text = "request a {\n  x := X;\n  yield;\n  X := (x + 1) % 3;\n  x\n}\n";
    let Outcome::Fixed(fixes) = of(text).outcome else { panic!() };
    assert!(fixes[0].certificate.contains("\"kind\":\"reduction\""), "{}", fixes[0].certificate);
    let spins = "request take {\n  while (L == 1) { yield };\n  x := L;\n  yield;\n  L := 1 - x;\n  x\n}\n";
    for harmful in of(spins).harmful {
        assert!(harmful.why.contains("spin") || harmful.why.contains("answer") || harmful.why.contains("stuck"), "{}", harmful.why);
    }
    assert!(!of(spins).harmful.is_empty());
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
    let repaired = repair(&program(&text), Options { size: 2, ..Options::default() }, &Cancel::new());
    assert_eq!(lines(&repaired).len(), 1);
    assert!(!repaired.smallest);
}

#[test]
fn a_set_is_not_offered_as_long_as_a_part_may_be_enough() {
    let text = "LOCK := 1\nrequest flip {\n  x := LOCK;\n  yield;\n  LOCK := (x + 1) % 2;\n  ? + x\n}\n\
                request turn {\n  x := LOCK;\n  yield;\n  LOCK := (x + 1) % 2;\n  -?\n}\n";
    // With so few states it is undecided whether the first alone is enough.
    let within = |pairs| repair(&program(text), Options { rounds: 0, settle: 0, pairs: Some(pairs), ..Options::default() }, &Cancel::new());
    let repaired = (1..40).map(within).find(|repaired| !repaired.candidates.is_empty()).unwrap();
    assert!(matches!(repaired.outcome, Outcome::Undecided(_, true)), "{:?}", repaired.outcome);
    let [candidate] = repaired.candidates.as_slice() else { panic!("{:?}", repaired.candidates) };
    assert_eq!(candidate.set, [0, 1]);
    let checked = verify(&candidate.text, InputKind::Program, &candidate.certificate, &Caps::default(), &Cancel::new());
    assert_eq!(checked.status(), 0);
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
fn a_lock_is_taken_first_and_released_before_every_answer() {
    let cases = [
        ("request a { x := X; yield; X := 1 - x; x }", "request a { lock(M); x := X; yield; X := 1 - x; unlock(M); x }"),
        ("request a {\n  yield;\n  X\n}", "request a {\n  lock(M);\n  yield;\n  answer := X;\n  unlock(M);\n  answer\n}"),
        (
            "request a { if (X) { return X + 1 }; X := (return 2) }",
            "request a { lock(M); if (X) { answer := X + 1; unlock(M); return answer }; answer := X := ((unlock(M); return 2)); unlock(M); answer }",
        ),
        ("request a { while (X) { yield } }", "request a { lock(M); while (X) { yield }; unlock(M); 0 }"),
        ("x := A; yield; return x", "lock(M);\nx := A; yield; unlock(M); return x"),
        ("request a { answer := X; yield; return X }", "request a { lock(M); answer := X; yield; answer_2 := X; unlock(M); answer_2 }"),
        ("request a { 1 } request a { X }", "request a { lock(M); unlock(M); 1 } request a { lock(M); answer := X; unlock(M); answer }"),
    ];
    for (text, locked) in cases {
        assert_eq!(under_lock(text, "M", &[0]), locked);
        assert!(serval_syntax::analyze(locked).program.is_some(), "{locked}");
    }
}

#[test]
fn names_of_locks_are_new_and_global() {
    let problem = |name: &str| lock_name_problem("request a { X := y }", name).unwrap_or_default();
    assert_eq!(problem("MUTEX"), "");
    assert!(problem("mutex").contains("capital letter"), "{}", problem("mutex"));
    assert!(problem("X").contains("used in the program"), "{}", problem("X"));
    assert!(problem("A B").contains("not a name") && problem("").contains("not a name"));
}

#[test]
fn only_those_who_need_it_get_a_lock() {
    let text = std::fs::read_to_string(repository_root().join("examples/doctors-on-call.ser")).unwrap();
    let repaired = repair_by_lock(&program(&text), "M", Options::default(), &Cancel::new());
    let Outcome::Fixed(fixes) = &repaired.outcome else { panic!("{:?}", repaired.outcome) };
    let names: Vec<&str> = fixes[0].set.iter().map(|&index| repaired.requests[index].as_str()).collect();
    assert_eq!((fixes.len(), names), (1, vec!["alice_leaves", "bob_leaves"]));
    assert!(repaired.requests.len() > 2 && repaired.smallest);
    // Who waits for another must not do so with the lock.
    let text = std::fs::read_to_string(repository_root().join("examples/rendezvous.ser")).unwrap();
    let repaired = repair_by_lock(&program(&text), "M", Options::default(), &Cancel::new());
    assert!(matches!(&repaired.outcome, Outcome::NoFix(why) if why.contains("wait for ever")), "{:?}", repaired.outcome);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for name in ["lost-update", "double-refund", "dirty-read", "read-skew", "broken-lock"] {
        let text = std::fs::read_to_string(repository_root().join("examples").join(format!("{name}.ser"))).unwrap();
        let told = |jobs| {
            let repaired = repair(&program(&text), Options { jobs, ..Options::default() }, &Cancel::new());
            format!("{:?} {:?} {}", repaired.outcome, repaired.harmful, repaired.checks)
        };
        assert_eq!(told(1), told(3), "{name}");
    }
}

/// Repairs all programs of a directory; says how it went.
fn all_of(directory: &Path, what: &str) {
    if skips(&format!("serval.repair of the {what}")) {
        return;
    }
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ser"));
    files.sort();
    let outcomes = side_by_side(&files, |path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let start = Instant::now();
        let repaired = of(&text);
        let time = start.elapsed();
        let (kind, told) = match &repaired.outcome {
            Outcome::Serializable => (0, String::new()),
            Outcome::Fixed(_) => (1, format!("{:?}", lines(&repaired))),
            Outcome::NoFix(why) => (2, why.clone()),
            Outcome::Undecided(why, _) => (3, why.clone()),
            other => panic!("{name}: {other:?}"),
        };
        if kind > 0 {
            say(&format!("{what}: {name}: {told}; smallest {}, {} sets, {time:?}", repaired.smallest, repaired.checks));
        }
        (kind, time, name)
    });
    let [fine, fixed, none, undecided] = [0, 1, 2, 3].map(|kind| outcomes.iter().filter(|outcome| outcome.0 == kind).count());
    let slowest = outcomes.into_iter().map(|(_, time, name)| (time, name)).max();
    say(&format!("{what}: {fine} serializable, {fixed} fixed, {none} without a fix, {undecided} undecided; slowest {slowest:?}"));
    assert!(fixed > 0);
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
