//! The greatest simulation (Milner 1971) on the pairs that matter.
//!
//! A pair holds if each of its *requirements* is met by some pair that holds.
//! Pairs are made on demand: those asked for, and those that requirements name.
//! All are assumed to hold, and those with a requirement that no pair meets any
//! more are struck out until nothing changes. What is left is the part of the
//! greatest simulation that lies in the pairs made, because what decides about
//! a pair is among them.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};

/// Two things of which the first may simulate the second.
pub(super) type Pair = (u32, u32);

/// What a pair needs: of each list one. `None`: it cannot hold.
pub(super) type Requirements = Option<Vec<Vec<Pair>>>;

/// The pairs that hold.
pub(super) struct Simulation {
    index: FxHashMap<Pair, usize>,
    pairs: Vec<Pair>,
    holds: Vec<bool>,
    requirements: Vec<Vec<Vec<usize>>>,
}

impl Simulation {
    /// Decides the pairs `asked` for.
    pub(super) fn new(
        asked: impl IntoIterator<Item = Pair>,
        mut requirements_of: impl FnMut(Pair, &mut Budget) -> Result<Requirements, Stopped>,
        budget: &mut Budget,
    ) -> Result<Self, Stopped> {
        let mut game = Self { index: FxHashMap::default(), pairs: Vec::new(), holds: Vec::new(), requirements: Vec::new() };
        for pair in asked {
            game.intern(pair);
        }
        let mut next = 0;
        while next < game.pairs.len() {
            let pair = game.pairs[next];
            let requirements = requirements_of(pair, budget)?;
            budget.spend(1 + requirements.iter().flatten().map(|list| list.len() as u64).sum::<u64>())?;
            match requirements {
                Some(lists) => {
                    let lists = lists.into_iter().map(|list| list.into_iter().map(|pair| game.intern(pair)).collect()).collect();
                    game.requirements.push(lists);
                }
                None => {
                    game.holds[next] = false;
                    game.requirements.push(Vec::new());
                }
            }
            next += 1;
        }
        game.strike(budget)?;
        Ok(game)
    }

    fn intern(&mut self, pair: Pair) -> usize {
        *self.index.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            self.holds.push(true);
            self.pairs.len() - 1
        })
    }

    fn strike(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let mut used_by: Vec<Vec<usize>> = vec![Vec::new(); self.pairs.len()];
        for (pair, lists) in self.requirements.iter().enumerate() {
            for &other in lists.iter().flatten() {
                used_by[other].push(pair);
            }
        }
        let mut to_check: Vec<usize> =
            (0..self.pairs.len()).filter(|&pair| !self.holds[pair]).flat_map(|pair| used_by[pair].clone()).collect();
        while let Some(pair) = to_check.pop() {
            if !self.holds[pair] {
                continue;
            }
            budget.spend(1 + self.requirements[pair].len() as u64)?;
            if self.requirements[pair].iter().any(|list| list.iter().all(|&other| !self.holds[other])) {
                self.holds[pair] = false;
                to_check.extend(&used_by[pair]);
            }
        }
        Ok(())
    }

    /// Whether a pair that was asked for holds.
    pub(super) fn holds(&self, pair: Pair) -> bool {
        self.index.get(&pair).is_some_and(|&index| self.holds[index])
    }

    /// A simulation that contains the given pairs, which hold, and as few
    /// others as choosing the first that does for each requirement gives.
    pub(super) fn witness(&self, needed: impl IntoIterator<Item = Pair>) -> Vec<Pair> {
        let mut included = vec![false; self.pairs.len()];
        let mut to_visit: Vec<usize> = Vec::new();
        for pair in needed {
            if let Some(&index) = self.index.get(&pair)
                && !std::mem::replace(&mut included[index], true)
            {
                to_visit.push(index);
            }
        }
        while let Some(pair) = to_visit.pop() {
            for list in &self.requirements[pair] {
                if list.iter().any(|&other| included[other]) {
                    continue;
                }
                if let Some(&other) = list.iter().find(|&&other| self.holds[other]) {
                    included[other] = true;
                    to_visit.push(other);
                }
            }
        }
        let mut relation: Vec<Pair> = included.iter().zip(&self.pairs).filter(|&(&is, _)| is).map(|(_, &pair)| pair).collect();
        relation.sort_unstable();
        relation
    }
}
