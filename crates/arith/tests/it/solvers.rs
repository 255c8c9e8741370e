//! Verdicts on problems without bounds, against other solvers.
//!
//! z3 is the command that `SERVAL_Z3` says, or `z3`. cvc5 is the command that
//! `SERVAL_CVC5` says, or `cvc5`, or the module `cvc5` of the Python that
//! `SERVAL_PYTHON` says, or `python3`. Each reads SMT-LIB on standard input.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Dice, setting, verified};
use serval_arith::{smtlib, solve};
use serval_model::Budget;
use serval_proof::tree::{Literal, Problem};
use serval_testkit::say;

/// How long a command may take for a block of problems. Limits that solvers
/// are given are not always kept.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a command answers to a text, as far as it gets in time; `None` if
/// there is no such command.
fn ask(command: &[String], text: &str) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let (mut stdin, mut stdout) = (child.stdin.take()?, child.stdout.take()?);
    let text = text.to_owned();
    // The answers may fill the pipe before all questions have been read.
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let reader = std::thread::spawn(move || {
        let mut answers = Vec::new();
        let _ = stdout.read_to_end(&mut answers);
        answers
    });
    let start = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().ok()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = writer.join();
    Some(String::from_utf8_lossy(&reader.join().ok()?).into_owned())
}

/// The first of these commands that answers at all.
fn find(name: &str, commands: Vec<Vec<String>>) -> Option<Vec<String>> {
    let works = |command: &Vec<String>| ask(command, "(set-logic QF_LIA)\n(check-sat)\n").is_some_and(|answer| answer.trim() == "sat");
    let found = commands.into_iter().find(works);
    if found.is_none() {
        let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|entry| entry.trim() == name), "{name}: required, but there is no such command");
        say(&format!("{name}: not there, skipped"));
    }
    found
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn given(variable: &str, otherwise: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| otherwise.to_owned())
}

fn unbounded(seed: u64) -> Problem {
    let mut dice = Dice::new(seed);
    let variables = 2 + u32::try_from(dice.below(5)).unwrap();
    let (size, constant) = (dice.between(1, 9), dice.between(2, 30));
    let mut problem = dice.problem(variables, size, constant);
    // In every third, equations and residues that meet each other, without anything that bounds them.
    if seed.is_multiple_of(3) {
        problem.inequalities.clear();
        for _ in 0..1 + dice.below(3) {
            let linear = dice.linear(variables, 12, 40);
            problem.equalities.push(linear);
            let linear = dice.linear(variables, 12, 40);
            problem.clauses.push(vec![Literal::NotDivisible(linear, 2 + dice.below(12))]);
        }
    }
    problem
}

fn compare(name: &str, command: &[String]) {
    let (first, count) = (setting("SERVAL_SEED", 1), setting("SERVAL_COUNT", 400));
    let (mut counts, mut wrong) = ([0_u64; 5], Vec::new());
    for block in (first..first + count).step_by(20) {
        let seeds: Vec<u64> = (block..(block + 20).min(first + count)).collect();
        let problems: Vec<Problem> = seeds.iter().map(|&seed| unbounded(seed)).collect();
        let scripts: Vec<String> = problems.iter().map(|problem| smtlib::script(problem, None)).collect();
        let answers = ask(command, &scripts.join("(reset)\n")).unwrap();
        // After one that takes too long there are no more answers in its block.
        let answers = answers.lines().chain(std::iter::repeat("unknown"));
        for ((seed, problem), answer) in seeds.iter().zip(problems).zip(answers) {
            let outcome = solve(problem.clone(), &mut Budget::ticks(2_000_000));
            match (verified(&problem, &outcome), answer) {
                (None, "unknown") => counts[0] += 1,
                (None, _) => counts[1] += 1,
                (Some(_), "unknown" | "timeout") => counts[2] += 1,
                (Some(true), "sat") => counts[3] += 1,
                (Some(false), "unsat") => counts[4] += 1,
                (verdict, answer) => wrong.push((*seed, verdict, answer.to_owned())),
            }
        }
    }
    let [neither, only_theirs, only_ours, sat, unsat] = counts;
    say(&format!(
        "{name}: {sat} satisfiable and {unsat} unsatisfiable for both; {only_theirs} only there, {only_ours} only here, {neither} neither"
    ));
    assert!(wrong.is_empty(), "{name}: {wrong:?}");
    // Hardly any problem may stay open.
    assert!(only_theirs * 50 <= count, "{name}: {only_theirs} of {count} not decided here");
    assert!(only_ours * 5 <= count, "{name}: {only_ours} of {count} not decided there");
}

#[test]
fn z3_agrees() {
    let command = words(&format!("{} -in -T:600 timeout=3000", given("SERVAL_Z3", "z3")));
    if let Some(command) = find("z3", vec![command]) {
        compare("z3", &command);
    }
}

#[test]
fn cvc5_agrees() {
    let program = words(&format!("{} --incremental --tlimit-per=500 --rlimit-per=200000 --lang=smt2 -", given("SERVAL_CVC5", "cvc5")));
    let module = vec![given("SERVAL_PYTHON", "python3"), format!("{}/tests/answer_with_cvc5.py", env!("CARGO_MANIFEST_DIR"))];
    if let Some(command) = find("cvc5", vec![program, module]) {
        compare("cvc5", &command);
    }
}
