//! Conflict-driven search with lazily generated literals (Ohrimenko, Stuckey, Codish 2009): is there a marking that
//! meets all clauses of bounds?
//!
//! Each variable is an integer within bounds that grow tighter; a literal says that a variable is at least, or at most,
//! a number. What clauses and linear sums leave no choice about is propagated, something is tried where there is a
//! choice, and each conflict is analysed: a clause is learnt from it that spares all conflicts of the same kind
//! (conflict-driven search, with the literals of the order encoding made when they are needed). For nets that are safe
//! a variable has two values, and this is a propositional engine.
//!
//! Questions are asked under *assumptions*. Where the answer is no, those that it needs are given, each as weak as it
//! is needed: a bound of 5 may be needed as a bound of 2.

mod conflict;
mod propagate;

use serval_budget::{Budget, Stopped};

/// A variable is at least, or at most, a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Lit {
    pub(crate) variable: usize,
    pub(crate) at_least: bool,
    pub(crate) value: i64,
}

impl Lit {
    pub(crate) fn at_least(variable: usize, value: i64) -> Self {
        Self { variable, at_least: true, value }
    }

    pub(crate) fn at_most(variable: usize, value: i64) -> Self {
        Self { variable, at_least: false, value }
    }

    pub(crate) fn opposite(self) -> Self {
        if self.at_least {
            Self::at_most(self.variable, self.value.saturating_sub(1))
        } else {
            Self::at_least(self.variable, self.value.saturating_add(1))
        }
    }

    /// Whether it follows from another literal of the same variable and side.
    pub(crate) fn follows_from(self, other: Self) -> bool {
        if self.at_least { other.value >= self.value } else { other.value <= self.value }
    }

    pub(crate) fn holds(self, value: i64) -> bool {
        if self.at_least { value >= self.value } else { value <= self.value }
    }

    /// The number of its variable and side.
    pub(crate) fn side(self) -> usize {
        2 * self.variable + usize::from(self.at_least)
    }
}

/// No bound at all.
const ENDLESS: i64 = 1 << 50;
/// Clauses that are learnt until all of them are forgotten.
const LEARNT: usize = 6_000;

enum Reason {
    Decision,
    Clause(usize),
    Because(Box<[Lit]>),
}

/// A bound that became tighter.
struct BoundEntry {
    lit: Lit,
    /// The bound that it had before, and the entry that made it.
    before: i64,
    previous: Option<usize>,
    level: usize,
    reason: Reason,
}

/// `Σ factor·variable + constant ≥ 0`, where the guard holds.
struct GuardedSum {
    terms: Vec<(usize, i64)>,
    constant: i64,
    guard: Lit,
}

/// What the engine says.
pub(crate) enum EngineAnswer {
    /// These values meet everything.
    Model(Vec<i64>),
    /// Nothing does; of the assumptions these are needed.
    None(Vec<Lit>),
}

/// Clauses and sums over variables with bounds.
#[derive(Default)]
pub(crate) struct Engine {
    low: Vec<i64>,
    high: Vec<i64>,
    activity: Vec<u64>,
    clauses: Vec<Vec<Lit>>,
    /// Which of the clauses are learnt, and how many there were when they were last looked through.
    learnt: Vec<bool>,
    kept: usize,
    /// By side of a variable the clauses that watch one of its literals, and the sums that count it.
    watches: Vec<Vec<usize>>,
    counted: Vec<Vec<usize>>,
    sums: Vec<GuardedSum>,
    trail: Vec<BoundEntry>,
    latest: Vec<Option<usize>>,
    levels: Vec<usize>,
    propagated: usize,
    bump: u64,
    /// The assumptions of the last question, as far as they are on the trail.
    assumed: Vec<Lit>,
    is_false: bool,
}

impl Engine {
    /// Adds a variable that is at least 0.
    pub(crate) fn variable(&mut self, most: Option<i64>) -> usize {
        self.low.push(0);
        self.high.push(most.unwrap_or(ENDLESS));
        self.activity.push(0);
        for _ in 0..2 {
            self.watches.push(Vec::new());
            self.counted.push(Vec::new());
            self.latest.push(None);
        }
        self.low.len() - 1
    }

    fn is_true(&self, lit: Lit) -> bool {
        if lit.at_least { self.low[lit.variable] >= lit.value } else { self.high[lit.variable] <= lit.value }
    }

    fn is_false(&self, lit: Lit) -> bool {
        if lit.at_least { self.high[lit.variable] < lit.value } else { self.low[lit.variable] > lit.value }
    }

    /// Adds literals of which one must hold.
    pub(crate) fn clause(&mut self, clause: Vec<Lit>) {
        self.back_to(0);
        if clause.iter().any(|&lit| self.is_true(lit)) {
            return;
        }
        let clause: Vec<Lit> = clause.into_iter().filter(|&lit| !self.is_false(lit)).collect();
        match clause[..] {
            [] => self.is_false = true,
            [lit] => self.set(lit, Reason::Because(Box::new([]))),
            _ => self.attach(clause, false),
        }
    }

    fn attach(&mut self, clause: Vec<Lit>, learnt: bool) {
        for lit in &clause[..2] {
            self.watches[lit.opposite().side()].push(self.clauses.len());
        }
        self.clauses.push(clause);
        self.learnt.push(learnt);
    }

    /// Adds a sum that is at least 0 where the guard holds.
    pub(crate) fn sum(&mut self, terms: Vec<(usize, i64)>, constant: i64, guard: Lit) {
        self.back_to(0);
        let number = self.sums.len();
        for &(variable, factor) in &terms {
            // A sum falls when what counts for it has fewer, or what counts against it more.
            let falls = if factor > 0 { Lit::at_most(variable, 0) } else { Lit::at_least(variable, 0) };
            self.counted[falls.side()].push(number);
        }
        self.counted[guard.side()].push(number);
        self.sums.push(GuardedSum { terms, constant, guard });
        self.propagated = 0;
    }

    /// Whether something meets all of it and the assumptions.
    pub(crate) fn solve(&mut self, assumptions: &[Lit], budget: &mut Budget) -> Result<EngineAnswer, Stopped> {
        budget.spend(1)?;
        if self.clauses.len() > self.kept + LEARNT {
            self.forget();
        }
        let same = self.assumed.iter().zip(assumptions).take_while(|(a, b)| a == b).count();
        self.back_to(same);
        self.assumed = assumptions.to_vec();
        let answer = self.search(assumptions, budget);
        if answer.is_err() {
            self.back_to(0);
        } else {
            self.back_to(assumptions.len());
        }
        answer
    }

    fn search(&mut self, assumptions: &[Lit], budget: &mut Budget) -> Result<EngineAnswer, Stopped> {
        loop {
            if self.is_false {
                return Ok(EngineAnswer::None(Vec::new()));
            }
            if let Some(conflict) = self.propagate(budget)? {
                if self.levels.is_empty() {
                    self.is_false = true;
                    continue;
                }
                self.learn(conflict, budget)?;
                continue;
            }
            let level = self.levels.len();
            let decision = match assumptions.get(level) {
                Some(&lit) if self.is_false(lit) => return Ok(EngineAnswer::None(self.needed(lit, budget)?)),
                Some(&lit) => Some(lit),
                None => {
                    budget.spend(self.low.len() as u64 / 16)?;
                    let open = (0..self.low.len()).filter(|&variable| self.low[variable] < self.high[variable]);
                    open.max_by_key(|&variable| (self.activity[variable], std::cmp::Reverse(variable)))
                        .map(|variable| Lit::at_most(variable, self.low[variable]))
                }
            };
            let Some(lit) = decision else { return Ok(EngineAnswer::Model(self.low.clone())) };
            self.levels.push(self.trail.len());
            if !self.is_true(lit) {
                self.set(lit, Reason::Decision);
            }
        }
    }

    fn set(&mut self, lit: Lit, reason: Reason) {
        let bound = if lit.at_least { &mut self.low[lit.variable] } else { &mut self.high[lit.variable] };
        let before = std::mem::replace(bound, lit.value);
        let previous = self.latest[lit.side()].replace(self.trail.len());
        self.trail.push(BoundEntry { lit, before, previous, level: self.levels.len(), reason });
    }

    fn back_to(&mut self, level: usize) {
        let Some(&length) = self.levels.get(level) else { return };
        while self.trail.len() > length {
            let Some(entry) = self.trail.pop() else { break };
            let bound = if entry.lit.at_least { &mut self.low[entry.lit.variable] } else { &mut self.high[entry.lit.variable] };
            *bound = entry.before;
            self.latest[entry.lit.side()] = entry.previous;
        }
        self.levels.truncate(level);
        self.propagated = self.propagated.min(length);
    }

    /// Forgets what was learnt, and what always holds.
    fn forget(&mut self) {
        self.back_to(0);
        // What holds without assumptions needs no reasons.
        self.trail.iter_mut().for_each(|entry| entry.reason = Reason::Because(Box::new([])));
        let clauses = std::mem::take(&mut self.clauses);
        let learnt = std::mem::take(&mut self.learnt);
        self.watches.iter_mut().for_each(Vec::clear);
        for (clause, _) in clauses.into_iter().zip(learnt).filter(|one| !one.1) {
            self.clause(clause);
        }
        self.propagated = 0;
        self.kept = self.clauses.len();
    }
}

#[cfg(test)]
mod tests;
