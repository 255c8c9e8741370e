//! Other solvers agree that our proofs are proofs.

use std::path::PathBuf;

use serval_effort::{Effort, effort, side_by_side, skips};
use serval_engine::portfolio::Method;
use serval_measure::obligations::{ask, files, is_for, of_file};
use serval_testkit::say;
use serval_testkit::solvers::Outside;
use serval_testkit::suite::{data_dir, repository_root};

/// Milliseconds for one question that has to be answered: more than the slowest
/// takes on a machine that does much else.
const LIMIT: u32 = 600_000;
/// Milliseconds for one of many of which most have to be answered.
const SHORT_LIMIT: u32 = 30_000;

/// The sample asks about every fourth file.
fn sampled() -> usize {
    if effort() == Effort::Night { 1 } else { 4 }
}

fn all_are_unsat(what: &str, directory: PathBuf, methods: &[Method]) {
    if skips(&format!("bench.obligations of {what}")) {
        return;
    }
    let solvers = Outside::all(LIMIT);
    let files = files(&[directory]).unwrap().into_iter().filter(|file| is_for(file, methods));
    let files: Vec<PathBuf> = files.step_by(sampled()).collect();
    let counts = side_by_side(&files, |file| {
        let obligations = of_file(file, methods).unwrap()?;
        let asked = ask(file, &obligations, &solvers);
        for (outside, (_, others)) in solvers.iter().zip(&asked.answers) {
            assert!(others.is_empty(), "{} {}: {others:?}", asked.name, outside.name);
        }
        Some(asked.files)
    });
    let (programs, count) = (counts.iter().flatten().count(), counts.iter().flatten().sum::<usize>());
    say(&format!("obligations of {what}: {count} of {programs} programs, all unsat for {} solvers", solvers.len()));
    // Most others are refuted.
    assert!(programs * 6 > files.len() && count > 5 * programs, "{programs} of {}", files.len());
}

#[test]
fn of_the_examples() {
    all_are_unsat("the examples", repository_root().join("examples"), Method::ALL);
}

#[test]
fn of_the_suite() {
    if let Some(suite) = data_dir("suite") {
        all_are_unsat("the suite", suite, Method::ALL);
    }
}

#[test]
fn of_the_examples_without_reductions() {
    let methods = [Method::Search, Method::Flow, Method::Bounded];
    all_are_unsat("the examples without reductions", repository_root().join("examples"), &methods);
}

/// The questions can be answered otherwise: what is left out is missed.
#[test]
fn every_part_of_the_invariant_is_needed() {
    if skips("bench.parts_of_invariants") {
        return;
    }
    let Some(z3) = Outside::z3(SHORT_LIMIT) else { return };
    let methods = [Method::Search, Method::Flow, Method::Bounded];
    let files = files(&[repository_root().join("examples")]).unwrap();
    let files = files.into_iter().filter(|file| is_for(file, &methods));
    let files: Vec<PathBuf> = files.step_by(sampled()).collect();
    let counts = side_by_side(&files, |file| {
        let (mut changed, mut missed) = (0, 0);
        let Some(obligations) = of_file(file, &methods).unwrap() else { return (changed, missed) };
        for obligation in obligations.iter().filter(|obligation| !obligation.name.starts_with("pairs")).step_by(7) {
            // Without one assertion, or with one fewer conjunct, there is an answer more often than not.
            let lines: Vec<&str> = obligation.text.lines().collect();
            let parts: Vec<usize> = (0..lines.len()).filter(|&line| lines[line].starts_with("(assert")).collect();
            let without: Vec<String> = parts
                .iter()
                .map(|&part| {
                    let kept: Vec<&str> = lines.iter().enumerate().filter(|&(line, _)| line != part).map(|(_, text)| *text).collect();
                    format!("{}\n", kept.join("\n"))
                })
                .collect();
            let answers = z3.ask_all(without.iter().map(String::as_str), std::time::Duration::from_secs(600));
            changed += answers.len();
            missed += answers.iter().filter(|answer| *answer == "sat").count();
        }
        (changed, missed)
    });
    let (changed, missed) = counts.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    say(&format!("obligations: {changed} with an assertion left out, {missed} of them can then be met"));
    assert!(changed > 200 && missed * 2 > changed, "{missed} of {changed}");
}
