//! Problems whose answer is known, most of them without bounds.

use crate::support::verified;
use serval_arith::{Outcome, Solver, solve};
use serval_budget::{Budget, Cancel, Stopped};
use serval_linear::{Linear, Literal, Problem};

fn linear(terms: &[(u32, i64)], constant: i64) -> Linear {
    Linear::new(terms.iter().copied(), constant).unwrap()
}

fn decide(problem: &Problem) -> (bool, usize) {
    let outcome = solve(problem.clone(), &mut Budget::ticks(5_000_000));
    let verdict = verified(problem, &outcome).unwrap_or_else(|| panic!("not decided: {problem:?}"));
    let nodes = if let Outcome::Refuted(tree) = outcome { tree.nodes.len() } else { 0 };
    (verdict, nodes)
}

#[test]
fn parity() {
    // 2x − 2y = 1.
    let problem = Problem { variables: 2, equalities: vec![linear(&[(0, 2), (1, -2)], -1)], ..Problem::default() };
    assert_eq!(decide(&problem), (false, 1));
    // 1 ≤ 3x − 3y ≤ 2.
    let inequalities = vec![linear(&[(0, 3), (1, -3)], -1), linear(&[(0, -3), (1, 3)], 2)];
    assert_eq!(decide(&Problem { variables: 2, inequalities, ..Problem::default() }), (false, 3));
}

#[test]
fn implied_equalities() {
    // x + y ≤ 2z and x + y ≥ 2z and x = y + 1.
    let inequalities = vec![linear(&[(0, 1), (1, 1), (2, -2)], 0), linear(&[(0, -1), (1, -1), (2, 2)], 0)];
    let equalities = vec![linear(&[(0, 1), (1, -1)], -1)];
    assert_eq!(decide(&Problem { variables: 3, equalities, inequalities, ..Problem::default() }), (false, 1));
}

#[test]
fn residues() {
    // x + y = 7z, and 7 does not divide x + y.
    let equalities = vec![linear(&[(0, 1), (1, 1), (2, -7)], 0)];
    let clauses = vec![vec![Literal::NotDivisible(linear(&[(0, 1), (1, 1)], 0), 7)]];
    let (verdict, nodes) = decide(&Problem { variables: 3, equalities: equalities.clone(), clauses, ..Problem::default() });
    assert!(!verdict && nodes == 7, "{nodes}");
    // … or 5 does not divide x: then it can be.
    let clause = vec![Literal::NotDivisible(linear(&[(0, 1), (1, 1)], 0), 7), Literal::NotDivisible(linear(&[(0, 1)], 0), 5)];
    assert!(decide(&Problem { variables: 3, equalities, clauses: vec![clause], ..Problem::default() }).0);
    // Each of x, y, x + y is odd.
    let odd = |terms: &[(u32, i64)]| vec![Literal::NotDivisible(linear(terms, 0), 2)];
    let clauses = vec![odd(&[(0, 1)]), odd(&[(1, 1)]), odd(&[(0, 1), (1, 1)])];
    assert_eq!(decide(&Problem { variables: 2, clauses, ..Problem::default() }), (false, 4));
    // A large divisor.
    let far = Literal::NotDivisible(linear(&[(0, 97)], 0), 97);
    assert!(!decide(&Problem { variables: 1, clauses: vec![vec![far]], ..Problem::default() }).0);
}

#[test]
fn unused_splits_are_left_out() {
    // Many clauses that have nothing to do with 2x = 1.
    let mut problem = Problem { variables: 12, equalities: vec![linear(&[(0, 2)], -1)], ..Problem::default() };
    for variable in 1..12 {
        let at_least = |least: i64| Literal::AtLeastZero(linear(&[(variable, 1)], -least));
        problem.clauses.push(vec![at_least(3), at_least(5)]);
    }
    assert_eq!(decide(&problem), (false, 1));
}

#[test]
fn edges() {
    assert!(decide(&Problem::default()).0);
    assert_eq!(decide(&Problem { clauses: vec![vec![]], ..Problem::default() }), (false, 1));
    for (constant, holds) in [(-1, false), (0, true), (1, true)] {
        assert_eq!(decide(&Problem { inequalities: vec![linear(&[], constant)], ..Problem::default() }).0, holds);
        assert_eq!(decide(&Problem { equalities: vec![linear(&[], constant)], ..Problem::default() }).0, constant == 0);
        let clauses = vec![vec![Literal::NotDivisible(linear(&[], constant), 3)]];
        assert_eq!(decide(&Problem { clauses, ..Problem::default() }).0, constant != 0);
        let clauses = vec![vec![Literal::NotDivisible(linear(&[], constant), 1)]];
        assert!(!decide(&Problem { clauses, ..Problem::default() }).0);
    }
    // The largest and least numbers.
    for (a, b) in [(i64::MAX, i64::MIN), (i64::MIN, i64::MAX), (i64::MIN, i64::MIN), (i64::MAX, 1)] {
        let problem = Problem { variables: 2, inequalities: vec![linear(&[(0, a), (1, b)], b)], ..Problem::default() };
        let outcome = solve(problem.clone(), &mut Budget::ticks(100_000));
        assert!(verified(&problem, &outcome).is_some() || matches!(outcome, Outcome::Stopped(_)));
        let clauses = vec![vec![Literal::AtLeastZero(linear(&[(0, a), (1, b)], a)), Literal::NotDivisible(linear(&[(0, b)], a), u64::MAX)]];
        let problem = Problem { clauses, ..problem };
        let outcome = solve(problem.clone(), &mut Budget::ticks(100_000));
        assert!(verified(&problem, &outcome).is_some() || matches!(outcome, Outcome::Stopped(_)));
    }
}

#[test]
fn small_solutions() {
    // x + 2y + 3z ≥ 6: one variable suffices.
    let problem = Problem { variables: 3, inequalities: vec![linear(&[(0, 1), (1, 2), (2, 3)], -6)], ..Problem::default() };
    assert_eq!(solve(problem, &mut Budget::unlimited()), Outcome::Satisfiable(vec![0, 0, 2]));
}

#[test]
fn unknown_variables_are_added() {
    let mut solver = Solver::default();
    solver.add_inequality(linear(&[(4, 1)], -3));
    assert_eq!(solver.solve(&mut Budget::unlimited()), Outcome::Satisfiable(vec![0, 0, 0, 0, 3]));
    assert_eq!(solver.problem().variables, 5);
}

#[test]
fn a_raised_flag_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    let problem = Problem { variables: 1, inequalities: vec![linear(&[(0, 1)], -3)], ..Problem::default() };
    assert_eq!(solve(problem, &mut Budget::new(u64::MAX, cancel)), Outcome::Stopped(Stopped::Cancelled));
}
