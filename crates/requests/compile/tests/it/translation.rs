//! The compiled systems against the program as written.
//!
//! For every program: the optimised systems and the one of the plain mode have the same answers with up to three
//! requests, and where the program as written is small enough the map between its states and the optimised ones is
//! checked step by step.

use std::path::PathBuf;

use serval_budget::Budget;
use serval_compile::{CompileError, Compiled, Limits, Mode, Options, TranslationError, compile};
use serval_effort::{side_by_side, skips, sweep};
use serval_model::{completed_multisets, serial_multisets};
use serval_syntax::{Program, analyze};
use serval_testkit::random::{Shape, random_convenience, random_program};
use serval_testkit::say;
use serval_testkit::suite::{data_dir, repository_root};

use crate::answers::{Enumerate, enumerate, limits};

#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    /// Both say that a step can fail.
    failing: u64,
    /// The optimised system is too large.
    too_large: u64,
    /// The answers are equal.
    equal: u64,
    /// Where the plain mode is too large, or its answers too many.
    not_enumerated: u64,
    /// The map was checked.
    mapped: u64,
    steps: usize,
}

impl Tally {
    /// Of all programs together.
    fn sum(each: Vec<Self>) -> Self {
        let mut sum = Self::default();
        for one in each {
            sum.programs += one.programs;
            sum.failing += one.failing;
            sum.too_large += one.too_large;
            sum.equal += one.equal;
            sum.not_enumerated += one.not_enumerated;
            sum.mapped += one.mapped;
            sum.steps += one.steps;
        }
        sum
    }
}

fn compiled(program: &Program, mode: Mode, limits: Limits) -> Result<Compiled, CompileError> {
    compile(program, Options { mode, limits }, &Budget::unlimited())
}

fn check(name: &str, text: &str, limits: Limits) -> Tally {
    let program = analyze(text).program.unwrap_or_else(|| panic!("{name} does not parse\n{text}"));
    let mut tally = Tally { programs: 1, ..Tally::default() };
    let optimised = compiled(&program, Mode::Optimised, limits);
    let plain = compiled(&program, Mode::Plain, limits);
    let optimised = match (optimised, &plain) {
        (Ok(optimised), Ok(_) | Err(CompileError::TooLarge(_))) => optimised,
        (Err(CompileError::TooLarge(_)), _) => return Tally { too_large: 1, ..tally },
        (Err(CompileError::Fault(_)), Err(_)) => return Tally { failing: 1, ..tally },
        // Which of two failures the plain mode meets is its own affair; a doubtful one is none.
        (Ok(optimised), Err(CompileError::Fault(report))) if !report.certain && report.run.is_none() => optimised,
        (Err(error), Ok(_)) => panic!("{name}: only the optimised system fails: {error:?}\n{text}"),
        (Ok(_), Err(error)) => panic!("{name}: only the plain system fails: {error:?}\n{text}"),
        (Err(error), Err(_)) => panic!("{name}: {error:?}"),
    };
    let answers = |compiled: &Compiled, with: Enumerate| enumerate(compiled, with).ok();
    let both = plain.ok().and_then(|plain| {
        let pair = |with: Enumerate| Some((answers(&optimised, with)?, answers(&plain, with)?));
        Some([pair(completed_multisets)?, pair(serial_multisets)?])
    });
    match both {
        Some(both) => {
            for (optimised, plain) in both {
                assert_eq!(optimised, plain, "{name}: other answers\n{text}");
            }
            tally.equal += 1;
        }
        None => tally.not_enumerated += 1,
    }
    match optimised.check_translation(limits.pairs, &Budget::unlimited()) {
        Ok(translation) => {
            tally.mapped += 1;
            tally.steps += translation.steps;
        }
        Err(TranslationError::TooLarge) => {}
        Err(error) => panic!("{name}: {error:?}\n{text}"),
    }
    tally
}

#[test]
fn random_programs_are_translated_step_by_step() {
    let sweep = sweep("compile.translation", 250, 1_000);
    let each = sweep.map(0, |number| {
        let kind = usize::try_from(number).unwrap() % (Shape::WITH_EDGES.len() + 1);
        let seed = 500_000 + number;
        let text = match Shape::WITH_EDGES.get(kind) {
            Some(&shape) => random_program(seed, shape),
            None => random_convenience(seed).text,
        };
        check(&format!("{kind} {seed}"), &text, limits())
    });
    let tally = Tally::sum(each);
    say(&format!("translation of random programs: {tally:?}"));
    if !sweep.is_representative() {
        return;
    }
    assert!(tally.mapped * 10 >= tally.programs * 7, "fewer than seven in ten are checked step by step: {tally:?}");
    assert!(tally.equal * 10 >= tally.programs * 7, "fewer than seven in ten have their answers compared: {tally:?}");
    assert!(tally.failing * 100 >= tally.programs, "hardly any program fails: {tally:?}");
}

fn programs_in(directory: PathBuf) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|has| has == "ser"));
    files.sort();
    files
}

fn check_all(what: &str, files: &[PathBuf]) -> Tally {
    let tally = Tally::sum(side_by_side(files, |path| {
        let text = std::fs::read_to_string(path).unwrap();
        check(&path.display().to_string(), &text, Limits { pairs: 1_000_000, ..limits() })
    }));
    say(&format!("translation of {what}: {tally:?}"));
    tally
}

#[test]
fn examples_are_translated_step_by_step() {
    if skips("compile.examples_are_translated") {
        return;
    }
    let files = programs_in(repository_root().join("examples"));
    let tally = check_all("examples", &files);
    let promised = |path: &PathBuf| std::fs::read_to_string(path).unwrap().starts_with("// expect: can fail");
    let failing = files.iter().filter(|path| promised(path)).count() as u64;
    assert_eq!((tally.failing, tally.too_large), (failing, 0));
    assert_eq!(tally.mapped + failing, tally.programs, "{tally:?}");
}

#[test]
fn the_suite_is_translated_step_by_step() {
    if skips("compile.the_suite_is_translated") {
        return;
    }
    let Some(suite) = data_dir("suite") else { return };
    let tally = check_all("the suite", &programs_in(suite));
    assert_eq!(tally.programs, 43);
    assert_eq!(tally.mapped, tally.programs, "{tally:?}");
}

/// Errors in code whose result is not used, which the compiler once made up or hid.
#[test]
fn what_is_not_used_still_fails_and_only_then() {
    let impossible = "
        G := 9223372036854775807
        H := 1
        request a { t := (H + yield + 1); if (X) { while (1) { while (t == 5) { 0 } } } else { 0 }; X := 1 - X; X }
        request b { z := (G + yield); z == 0 }
        request w { G := G; H := H; 0 }";
    let program = analyze(impossible).program.unwrap();
    let compiled = compiled(&program, Mode::Optimised, Limits::default()).unwrap_or_else(|error| panic!("{error:?}"));
    compiled.check_translation(100_000, &Budget::unlimited()).unwrap();
    for text in [
        "G := 9223372036854775807 request a { (G + 1); 0 }",
        "G := 9223372036854775807 request a { (G + yield + 1); 0 } request w { G := G; 0 }",
        "G := 9223372036854775807 request a { x := G; yield; y := x * 2; 0 } request w { G := G; 0 }",
        "G := -9223372036854775807 request a { x := G - 1; yield; y := -x; 0 } request w { G := G; 0 }",
        "G := 9223372036854775807 request a { L := G + 1; 0 }",
        "request a { x := 9223372036854775807 + 1; 0 }",
        "request a { x := 9000000000000000000; while (X) { x := x + 9000000000000000000; yield }; X := 1; 0 }",
    ] {
        let program = analyze(text).program.unwrap_or_else(|| panic!("{text}"));
        for mode in [Mode::Optimised, Mode::Plain] {
            let result = self::compiled(&program, mode, Limits::default());
            assert!(matches!(result, Err(CompileError::Fault(_))), "{mode:?} {text}");
        }
    }
}

/// A counter that no request reads and that grows slowly is dropped: it overflows in no practical run.
#[test]
fn a_slow_counter_that_nobody_reads_is_dropped() {
    let text = "request a { n := 0; while (LOCK) { n := n + 1; yield }; LOCK := 1; yield; LOCK := 0; 0 }";
    let program = analyze(text).program.unwrap();
    assert!(compiled(&program, Mode::Optimised, Limits::default()).is_ok());
    let fast = text.replace("n := n + 1", "n := n + n + 1");
    let program = analyze(&fast).program.unwrap();
    assert!(compiled(&program, Mode::Optimised, Limits::default()).is_err());
}
