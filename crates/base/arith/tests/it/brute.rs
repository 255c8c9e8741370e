//! Verdicts against trying everything.

use crate::support::{Dice, brute, verified};
use serval_arith::{Outcome, Solver, solve};
use serval_budget::Budget;
use serval_effort::sweep;
use serval_testkit::say;

#[test]
fn verdicts_are_those_of_brute_force() {
    let sweep = sweep("arith.brute", 1_500, 6_000);
    let each = sweep.map(1, |seed| {
        let (problem, most) = Dice::new(seed).boxed();
        let outcome = solve(problem.clone(), &mut Budget::ticks(10_000_000));
        let verdict = verified(&problem, &outcome).unwrap_or_else(|| panic!("seed {seed}: not decided: {problem:?}"));
        assert_eq!(verdict, brute(&problem, &most).is_some(), "seed {seed}: {problem:?}");
        u64::from(verdict)
    });
    let (count, satisfiable) = (sweep.count(), each.into_iter().sum::<u64>());
    say(&format!("{count} problems in boxes, {satisfiable} satisfiable"));
    assert!(!sweep.is_representative() || (satisfiable > count / 5 && satisfiable < count * 4 / 5));
}

#[test]
fn adding_one_by_one_changes_no_verdict() {
    sweep("arith.incremental", 150, 600).each(1, |seed| {
        let (problem, most) = Dice::new(seed).boxed();
        let mut solver = Solver::default();
        let mut last = None;
        let mut step = |solver: &mut Solver| {
            let outcome = solver.solve(&mut Budget::ticks(10_000_000));
            last = verified(solver.problem(), &outcome);
        };
        for linear in problem.inequalities.iter().rev() {
            solver.add_inequality(linear.clone());
            step(&mut solver);
        }
        for clause in &problem.clauses {
            solver.add_clause(clause.clone());
            step(&mut solver);
        }
        for linear in &problem.equalities {
            solver.add_equality(linear.clone());
            step(&mut solver);
        }
        assert_eq!(last, Some(brute(&problem, &most).is_some()), "seed {seed}");
    });
}

#[test]
fn work_can_stop_anywhere_and_go_on() {
    for seed in sweep("arith.interrupted", 40, 150).seeds(1) {
        let (problem, most) = Dice::new(seed).boxed();
        let mut solver = Solver::new(problem.clone());
        let mut ticks = 0;
        let outcome = loop {
            ticks = ticks * 5 / 4 + 1;
            match solver.solve(&mut Budget::ticks(ticks)) {
                Outcome::Stopped(_) => {}
                outcome => break outcome,
            }
        };
        assert_eq!(verified(&problem, &outcome), Some(brute(&problem, &most).is_some()), "seed {seed}");
    }
}

#[test]
fn same_problem_same_answer() {
    for seed in 1..200 {
        let (problem, _) = Dice::new(seed).boxed();
        assert_eq!(solve(problem.clone(), &mut Budget::ticks(1_000_000)), solve(problem, &mut Budget::ticks(1_000_000)));
    }
}
