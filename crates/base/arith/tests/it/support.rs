//! Random problems, and answers by trying everything.

use serval_arith::Outcome;
use serval_budget::Budget;
use serval_linear::{Linear, Literal, Problem, Tree, check_tree, is_solved_by};
use serval_model::SplitMix64;

pub(crate) struct Dice(pub(crate) SplitMix64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        least + i64::try_from(self.below(u64::try_from(most - least + 1).unwrap())).unwrap()
    }

    pub(crate) fn linear(&mut self, variables: u32, size: i64, constant: i64) -> Linear {
        let terms: Vec<(u32, i64)> = (0..variables).map(|variable| (variable, self.between(-size, size))).collect();
        let keep = self.below(3) + 1;
        let terms: Vec<_> = terms.into_iter().filter(|_| self.below(4) < keep).collect();
        Linear::new(terms, self.between(-constant, constant)).unwrap()
    }

    pub(crate) fn literal(&mut self, variables: u32, size: i64, constant: i64) -> Literal {
        let linear = self.linear(variables, size, constant);
        if self.below(3) == 0 { Literal::NotDivisible(linear, self.below(6) + 1) } else { Literal::AtLeastZero(linear) }
    }

    /// A problem without bounds.
    pub(crate) fn problem(&mut self, variables: u32, size: i64, constant: i64) -> Problem {
        let mut problem = Problem { variables, ..Problem::default() };
        for _ in 0..self.below(3) {
            problem.equalities.push(self.linear(variables, size, constant));
        }
        for _ in 0..self.below(4) {
            problem.inequalities.push(self.linear(variables, size, constant));
        }
        for _ in 0..self.below(5) {
            let literals = self.below(4);
            problem.clauses.push((0..literals + 1).map(|_| self.literal(variables, size, constant)).collect());
        }
        problem
    }

    /// A problem whose variables are at most these.
    pub(crate) fn boxed(&mut self) -> (Problem, Vec<i64>) {
        let variables = u32::try_from(2 + self.below(4)).unwrap();
        let (size, constant) = (self.between(1, 7), self.between(2, 12));
        let mut problem = self.problem(variables, size, constant);
        let most: Vec<i64> = (0..variables).map(|_| self.between(1, if variables > 3 { 3 } else { 7 })).collect();
        for (variable, &most) in (0..).zip(&most) {
            problem.inequalities.push(Linear::new([(variable, -1)], most).unwrap());
        }
        (problem, most)
    }
}

/// A solution within bounds, by trying everything.
pub(crate) fn brute(problem: &Problem, most: &[i64]) -> Option<Vec<i64>> {
    let mut values = vec![0; most.len()];
    loop {
        if is_solved_by(problem, &values) {
            return Some(values);
        }
        let at = (0..most.len()).find(|&at| values[at] < most[at])?;
        values[..at].fill(0);
        values[at] += 1;
    }
}

pub(crate) fn accepts(problem: &Problem, tree: &Tree) -> Result<(), String> {
    check_tree(problem, tree, &mut Budget::unlimited()).map_err(|refusal| format!("{refusal:?}"))
}

/// Whether the outcome is true to its word; whether it is satisfiable.
pub(crate) fn verified(problem: &Problem, outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Satisfiable(model) => {
            assert_eq!(model.len(), problem.variables as usize);
            assert!(is_solved_by(problem, model), "{problem:?}\n{model:?}");
            Some(true)
        }
        Outcome::Refuted(tree) => {
            if let Err(message) = accepts(problem, tree) {
                panic!("{message}\n{problem:?}\n{tree:?}");
            }
            let text = serde_json::to_string(tree).unwrap();
            assert_eq!(&serde_json::from_str::<Tree>(&text).unwrap(), tree);
            Some(false)
        }
        Outcome::Stopped(_) => None,
    }
}
