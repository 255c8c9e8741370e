//! A solver that is told a problem that grows.

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Problem, Tree};

/// A solver that is told a problem that grows, perhaps with a bound on the sum
/// of the counts.
#[derive(Clone)]
pub(super) struct Told {
    solver: Solver,
    clauses: usize,
}

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Told").field("clauses", &self.clauses).finish_non_exhaustive()
    }
}

impl Told {
    pub(super) fn new(classes: u32, bound: Option<i64>) -> Self {
        let mut solver = Solver::default();
        for _ in 0..classes {
            solver.add_variable();
        }
        let sum = bound.and_then(|bound| Linear::new((0..classes).map(|class| (class, -1)), bound));
        if let Some(sum) = sum {
            solver.add_inequality(sum);
        }
        Self { solver, clauses: 0 }
    }

    /// A solution, or a refutation.
    pub(super) fn solve(&mut self, problem: &Problem, budget: &mut Budget) -> Result<Result<Vec<i64>, Tree>, Stopped> {
        while self.solver.problem().variables < problem.variables {
            self.solver.add_variable();
        }
        for clause in &problem.clauses[self.clauses..] {
            self.solver.add_clause(clause.clone());
        }
        self.clauses = problem.clauses.len();
        match self.solver.solve(budget) {
            Outcome::Satisfiable(counts) => Ok(Ok(counts)),
            Outcome::Refuted(tree) => Ok(Err(tree)),
            Outcome::Stopped(stopped) => Err(stopped),
        }
    }
}
