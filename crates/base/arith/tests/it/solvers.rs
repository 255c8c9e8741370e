//! Verdicts on problems without bounds, against other solvers.

use std::time::Duration;

use crate::support::{Dice, verified};
use serval_arith::{smtlib, solve};
use serval_budget::Budget;
use serval_effort::{Sweep, sweep};
use serval_linear::{Literal, Problem};
use serval_testkit::say;
use serval_testkit::solvers::Outside;

/// How long a command may take for a block of problems. Limits that solvers
/// are given are not always kept.
const PATIENCE: Duration = Duration::from_secs(20);

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

fn compare(outside: &Outside, sweep: Sweep) {
    let name = outside.name;
    let (mut counts, mut wrong) = ([0_u64; 5], Vec::new());
    let all: Vec<u64> = sweep.seeds(1).collect();
    for seeds in all.chunks(20) {
        let problems: Vec<Problem> = seeds.iter().map(|&seed| unbounded(seed)).collect();
        let scripts: Vec<String> = problems.iter().map(|problem| smtlib::script(problem, None)).collect();
        // After one that takes too long there may be no more answers in its block.
        let answers = outside.ask_all(scripts.iter().map(String::as_str), PATIENCE);
        for ((seed, problem), answer) in seeds.iter().zip(problems).zip(answers) {
            let outcome = solve(problem.clone(), &mut Budget::ticks(2_000_000));
            match (verified(&problem, &outcome), answer.as_str()) {
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
    if !sweep.is_representative() {
        return;
    }
    let count = sweep.count();
    // Hardly any problem may stay open.
    assert!(only_theirs * 40 <= count, "{name}: {only_theirs} of {count} not decided here");
    // How many the other decides depends on how fast it is.
    assert!(sat > 0 && unsat > 0, "{name}: {sat} and {unsat} of {count} decided there");
}

#[test]
fn z3_agrees() {
    if let Some(z3) = Outside::z3(3_000) {
        compare(&z3, sweep("arith.z3", 120, 400));
    }
}

#[test]
fn cvc5_agrees() {
    if let Some(cvc5) = Outside::cvc5(500) {
        compare(&cvc5, sweep("arith.cvc5", 120, 400));
    }
}
