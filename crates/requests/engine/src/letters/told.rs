//! An incremental solver, for a problem that grows.
//!
//! Most facts are clauses with one literal, but for such as never hold. The solver gets these as inequalities, once and
//! for all, so that it need not come to each of them again in each case that it looks at. In the problem of the checker
//! they are clauses: a refutation begins with those of them that it uses, and then says what the solver said.

use std::collections::BTreeMap;

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal, Node as TreeNode, Problem, Reference, Tree};

/// An incremental solver for a problem that grows, perhaps with a bound on the sum
/// of the counts.
#[derive(Clone)]
pub(super) struct IncrementalSolver {
    solver: Solver,
    /// How many clauses of the problem it knows.
    clauses: usize,
    /// For each inequality of the solver the clause of the problem that it is; the bound is none.
    units: Vec<Option<Unit>>,
    /// For each clause of the solver that of the problem.
    others: Vec<u32>,
}

/// A clause of which one literal can hold.
#[derive(Clone, Copy)]
struct Unit {
    clause: u32,
    /// How many literals stand before it, and how many behind it.
    others: (usize, usize),
}

impl std::fmt::Debug for IncrementalSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Told").field("clauses", &self.clauses).finish_non_exhaustive()
    }
}

impl IncrementalSolver {
    pub(super) fn new(classes: u32, bound: Option<i64>) -> Self {
        let mut solver = Solver::default();
        for _ in 0..classes {
            solver.add_variable();
        }
        let sum = bound.and_then(|bound| Linear::new((0..classes).map(|class| (class, -1)), bound));
        let units = sum.iter().map(|_| None).collect();
        if let Some(sum) = sum {
            solver.add_inequality(sum);
        }
        Self { solver, clauses: 0, units, others: Vec::new() }
    }

    /// A solution, or a refutation, which is one of the problem where there is no bound.
    pub(super) fn solve(&mut self, problem: &Problem, budget: &mut Budget) -> Result<Result<Vec<i64>, Tree>, Stopped> {
        while self.solver.problem().variables < problem.variables {
            self.solver.add_variable();
        }
        for clause in &problem.clauses[self.clauses..] {
            let number = u32::try_from(self.clauses).map_err(|_| Stopped::OutOfTicks)?;
            self.clauses += 1;
            if let Some((linear, others)) = only(clause) {
                self.solver.add_inequality(linear.clone());
                self.units.push(Some(Unit { clause: number, others }));
            } else {
                self.solver.add_clause(clause.clone());
                self.others.push(number);
            }
        }
        match self.solver.solve(budget) {
            Outcome::Satisfiable(counts) => Ok(Ok(counts)),
            Outcome::Refuted(tree) => Ok(Err(self.of_problem(tree))),
            Outcome::Stopped(stopped) => Err(stopped),
        }
    }

    /// A refutation by the numbers of the problem.
    fn of_problem(&self, mut tree: Tree) -> Tree {
        // Facts of the solver are its inequalities, and then those on the way.
        let used = tree.nodes.iter().flat_map(combinations).flatten().filter_map(|(reference, _)| match reference {
            Reference::Fact(fact) if (*fact as usize) < self.units.len() => Some(*fact),
            _ => None,
        });
        let mut places: BTreeMap<u32, u32> = used.map(|fact| (fact, 0)).collect();
        let (mut begin, mut end) = (Vec::new(), Vec::new());
        for ((&fact, place), number) in places.iter_mut().zip(0..) {
            *place = number;
            let Some(Unit { clause, others }) = self.units[fact as usize] else { continue };
            // A literal that never holds contradicts itself.
            let never = || TreeNode::Farkas { combination: vec![(Reference::Fact(number), 1)] };
            begin.push(TreeNode::Clause { clause });
            begin.extend((0..others.0).map(|_| never()));
            end.splice(..0, (0..others.1).map(|_| never()));
        }
        let (before, now) = (self.units.len(), places.len());
        for node in &mut tree.nodes {
            match node {
                TreeNode::Clause { clause } => *clause = self.others.get(*clause as usize).copied().unwrap_or(*clause),
                TreeNode::Farkas { combination } => renumber(combination, &places, before, now),
                TreeNode::Lattice { combination, tight, .. } => {
                    renumber(combination, &places, before, now);
                    renumber(tight, &places, before, now);
                }
                TreeNode::Bound { .. } | TreeNode::Residue { .. } => {}
            }
        }
        begin.append(&mut tree.nodes);
        begin.append(&mut end);
        Tree { nodes: begin }
    }
}

/// The only literal of a clause that can hold, and how many stand before and behind it.
fn only(clause: &[Literal]) -> Option<(&Linear, (usize, usize))> {
    let can_hold =
        |literal: &Literal| !matches!(literal, Literal::AtLeastZero(linear) if linear.terms().is_empty() && linear.constant() < 0);
    let mut able = clause.iter().enumerate().filter(|(_, literal)| can_hold(literal));
    match (able.next(), able.next()) {
        (Some((place, Literal::AtLeastZero(linear))), None) => Some((linear, (place, clause.len() - place - 1))),
        _ => None,
    }
}

/// What is added up at a node.
fn combinations(node: &TreeNode) -> [&[(Reference, i128)]; 2] {
    match node {
        TreeNode::Farkas { combination } => [combination, &[]],
        TreeNode::Lattice { combination, tight, .. } => [combination, tight],
        TreeNode::Clause { .. } | TreeNode::Bound { .. } | TreeNode::Residue { .. } => [&[], &[]],
    }
}

/// Numbers facts anew, where there were `before` before those on the way, and are `now` now.
fn renumber(combination: &mut [(Reference, i128)], places: &BTreeMap<u32, u32>, before: usize, now: usize) {
    for (reference, _) in combination {
        if let Reference::Fact(fact) = reference {
            *fact = match places.get(fact) {
                Some(&place) => place,
                None => u32::try_from(*fact as usize - before + now).unwrap_or(u32::MAX),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use serval_linear::check_tree;

    use super::*;

    fn at_least(terms: &[(u32, i64)], constant: i64) -> Literal {
        Literal::AtLeastZero(Linear::new(terms.iter().copied(), constant).unwrap())
    }

    /// Whatever stands before and behind the literal that can hold, and whichever of them are used, the checker of
    /// trees, which knows clauses alone, accepts the refutation.
    #[test]
    fn refutations_are_those_of_clauses() {
        let never = || at_least(&[], -1);
        let clauses = vec![
            // x ≥ y, x ≥ 7, y ≥ x, x and y not both even and not both odd.
            vec![at_least(&[(0, 1), (1, -1)], 0), never()],
            vec![never(), at_least(&[(0, 1)], -7), never()],
            vec![at_least(&[(0, -1)], 3), at_least(&[(1, 1)], -2)],
            vec![never(), never(), at_least(&[(0, -1), (1, 1)], 0)],
            vec![Literal::NotDivisible(Linear::new([(0, 1), (1, 1)], 0).unwrap(), 2)],
        ];
        let mut problem = Problem { variables: 2, ..Problem::default() };
        let mut told = IncrementalSolver::new(2, None);
        for clause in clauses {
            assert!(told.solve(&problem, &mut Budget::ticks(10_000)).unwrap().is_ok());
            problem.clauses.push(clause);
        }
        let tree = told.solve(&problem, &mut Budget::ticks(10_000)).unwrap().unwrap_err();
        assert_eq!(check_tree(&problem, &tree, &mut Budget::unlimited()), Ok(()));
        // What is not used is not said.
        assert!(!tree.nodes.contains(&TreeNode::Clause { clause: 1 }));
        let mut contradictory = Problem { variables: 1, ..Problem::default() };
        contradictory.clauses = vec![vec![never(), at_least(&[(0, -1)], 1)], vec![at_least(&[(0, 1)], -2), never()]];
        let tree = IncrementalSolver::new(1, None).solve(&contradictory, &mut Budget::ticks(1_000)).unwrap().unwrap_err();
        assert_eq!(check_tree(&contradictory, &tree, &mut Budget::unlimited()), Ok(()));
        assert_eq!(tree.nodes.len(), 5);
    }
}
