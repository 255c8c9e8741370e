//! Clauses of bounds: is there a marking that meets them all?
//!
//! Each variable is an integer within bounds that grow tighter; a literal says that a variable is at least, or at most, a number. What clauses and
//! linear sums leave no choice about is propagated, something is tried where there is a choice, and each conflict is analysed: a clause is learnt
//! from it that spares all conflicts of the same kind (conflict-driven search, with the literals of the order encoding made when they are
//! needed). For nets that are safe a variable has two values, and this is a propositional engine.
//!
//! Questions are asked under *assumptions*. Where the answer is no, those that it needs are given, each as weak as it is needed: a bound
//! of 5 may be needed as a bound of 2.

use std::collections::BTreeMap;

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
        if self.at_least { Self::at_most(self.variable, self.value - 1) } else { Self::at_least(self.variable, self.value + 1) }
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
struct Entry {
    lit: Lit,
    /// The bound that it had before, and the entry that made it.
    before: i64,
    previous: Option<usize>,
    level: usize,
    reason: Reason,
}

/// `Σ factor·variable + constant ≥ 0`, where the guard holds.
struct Sum {
    terms: Vec<(usize, i64)>,
    constant: i64,
    guard: Lit,
}

/// What the engine says.
pub(crate) enum Answer {
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
    sums: Vec<Sum>,
    trail: Vec<Entry>,
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
        self.sums.push(Sum { terms, constant, guard });
        self.propagated = 0;
    }

    /// Whether something meets all of it and the assumptions.
    pub(crate) fn solve(&mut self, assumptions: &[Lit], budget: &mut Budget) -> Result<Answer, Stopped> {
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

    fn search(&mut self, assumptions: &[Lit], budget: &mut Budget) -> Result<Answer, Stopped> {
        loop {
            if self.is_false {
                return Ok(Answer::None(Vec::new()));
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
                Some(&lit) if self.is_false(lit) => return Ok(Answer::None(self.needed(lit, budget)?)),
                Some(&lit) => Some(lit),
                None => {
                    budget.spend(self.low.len() as u64 / 16)?;
                    let open = (0..self.low.len()).filter(|&variable| self.low[variable] < self.high[variable]);
                    open.max_by_key(|&variable| (self.activity[variable], std::cmp::Reverse(variable)))
                        .map(|variable| Lit::at_most(variable, self.low[variable]))
                }
            };
            let Some(lit) = decision else { return Ok(Answer::Model(self.low.clone())) };
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
        self.trail.push(Entry { lit, before, previous, level: self.levels.len(), reason });
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

    /// What follows without a choice; a conflict is literals that hold and cannot all hold.
    fn propagate(&mut self, budget: &mut Budget) -> Result<Option<Vec<Lit>>, Stopped> {
        if self.propagated == 0 {
            // Sums may say something about bounds that nothing has changed.
            for sum in 0..self.sums.len() {
                if let Some(conflict) = self.add_up(sum, budget)? {
                    return Ok(Some(conflict));
                }
            }
        }
        while let Some(entry) = self.trail.get(self.propagated) {
            let side = entry.lit.side();
            self.propagated += 1;
            let watching = std::mem::take(&mut self.watches[side]);
            budget.spend(1 + watching.len() as u64 / 4)?;
            let mut kept = Vec::with_capacity(watching.len());
            let mut conflict = None;
            for (at, &clause) in watching.iter().enumerate() {
                match self.look(clause, side) {
                    Looked::Moved => {}
                    Looked::Stays => kept.push(clause),
                    Looked::Conflict => {
                        conflict = Some(self.clauses[clause].iter().map(|lit| lit.opposite()).collect());
                        kept.extend(&watching[at..]);
                        break;
                    }
                }
            }
            // What moved here in the meantime is behind it.
            kept.append(&mut self.watches[side]);
            self.watches[side] = kept;
            if conflict.is_some() {
                return Ok(conflict);
            }
            for at in 0..self.counted[side].len() {
                if let Some(conflict) = self.add_up(self.counted[side][at], budget)? {
                    return Ok(Some(conflict));
                }
            }
        }
        Ok(None)
    }

    /// Looks at a clause that watches this side.
    fn look(&mut self, number: usize, side: usize) -> Looked {
        let mut clause = std::mem::take(&mut self.clauses[number]);
        let watched = usize::from(clause[0].opposite().side() != side || !self.is_false(clause[0]));
        let looked = if clause[watched].opposite().side() != side || !self.is_false(clause[watched]) || self.is_true(clause[1 - watched]) {
            Looked::Stays
        } else if let Some(other) = (2..clause.len()).find(|&other| !self.is_false(clause[other])) {
            clause.swap(watched, other);
            let moved = clause[watched].opposite().side();
            self.watches[moved].push(number);
            Looked::Moved
        } else if self.is_false(clause[1 - watched]) {
            Looked::Conflict
        } else {
            self.set(clause[1 - watched], Reason::Clause(number));
            Looked::Stays
        };
        self.clauses[number] = clause;
        looked
    }

    /// What a sum says.
    fn add_up(&mut self, number: usize, budget: &mut Budget) -> Result<Option<Vec<Lit>>, Stopped> {
        let Sum { terms, constant, guard } = &self.sums[number];
        let (guard, constant) = (*guard, i128::from(*constant));
        if self.is_false(guard) {
            return Ok(None);
        }
        budget.spend(1 + terms.len() as u64 / 8)?;
        let best = |&(variable, factor): &(usize, i64)| if factor > 0 { self.high[variable] } else { self.low[variable] };
        let mut endless = terms.iter().filter(|term| best(term) >= ENDLESS);
        let (first, second) = (endless.next().copied(), endless.next());
        if second.is_some() {
            return Ok(None);
        }
        let finite = terms.iter().filter(|term| Some(**term) != first);
        let most: i128 = constant + finite.map(|term| i128::from(term.1) * i128::from(best(term))).sum::<i128>();
        let reasons = |engine: &Self, without: Option<usize>| -> Vec<Lit> {
            let counted = engine.sums[number].terms.iter().filter(|term| Some(term.0) != without);
            let lit = |&(variable, factor): &(usize, i64)| {
                if factor > 0 { Lit::at_most(variable, engine.high[variable]) } else { Lit::at_least(variable, engine.low[variable]) }
            };
            counted.map(lit).collect()
        };
        if first.is_none() && most < 0 {
            let mut because = reasons(self, None);
            if self.is_true(guard) {
                because.push(guard);
                return Ok(Some(because));
            }
            self.set(guard.opposite(), Reason::Because(because.into()));
            return Ok(None);
        }
        if !self.is_true(guard) {
            return Ok(None);
        }
        for at in 0..self.sums[number].terms.len() {
            let (variable, factor) = self.sums[number].terms[at];
            if first.is_some_and(|first| first.0 != variable) {
                continue;
            }
            let span = i128::from(self.high[variable]) - i128::from(self.low[variable]);
            if first.is_none() && span * i128::from(factor.unsigned_abs()) <= most {
                // Even at its worst the sum is not below 0.
                continue;
            }
            // The others give at most this, so that the term gives at least the rest.
            let own = if first.is_some() {
                0
            } else {
                i128::from(factor) * i128::from(if factor > 0 { self.high[variable] } else { self.low[variable] })
            };
            let others = most - own;
            let wide = i128::from(factor);
            let lit = if factor > 0 {
                Lit::at_least(variable, clamped(-(others.div_euclid(wide))))
            } else {
                Lit::at_most(variable, clamped(others.div_euclid(-wide)))
            };
            if lit.at_least && lit.value >= ENDLESS || !lit.at_least && lit.value <= -ENDLESS {
                return Err(Stopped::OutOfTicks);
            }
            if !self.is_true(lit) {
                let mut because = reasons(self, Some(variable));
                because.push(guard);
                if self.is_false(lit) {
                    because.push(if lit.at_least {
                        Lit::at_most(variable, self.high[variable])
                    } else {
                        Lit::at_least(variable, self.low[variable])
                    });
                    return Ok(Some(because));
                }
                self.set(lit, Reason::Because(because.into()));
            }
        }
        Ok(None)
    }

    /// The entry that made a literal hold; `None` where it always did.
    fn entry(&self, lit: Lit) -> Option<usize> {
        let mut at = self.latest[lit.side()]?;
        loop {
            let entry = &self.trail[at];
            let before = if lit.at_least { entry.before >= lit.value } else { entry.before <= lit.value };
            if !before {
                return Some(at);
            }
            at = entry.previous?;
        }
    }

    /// What an entry follows from.
    fn reason(&self, at: usize) -> Vec<Lit> {
        let entry = &self.trail[at];
        match &entry.reason {
            Reason::Decision => Vec::new(),
            Reason::Because(lits) => lits.to_vec(),
            Reason::Clause(clause) => self.clauses[*clause].iter().filter(|lit| **lit != entry.lit).map(|lit| lit.opposite()).collect(),
        }
    }

    /// Adds what literals rest on: entries, each with the literal that is needed of it.
    fn pend(&self, lits: Vec<Lit>, before: usize, pending: &mut BTreeMap<usize, Lit>) {
        for lit in lits {
            // The reason of an entry is older than the entry.
            let Some(at) = self.entry(lit).filter(|&at| at < before && self.trail[at].level > 0) else { continue };
            let needed = pending.entry(at).or_insert(lit);
            if needed.follows_from(lit) {
                *needed = lit;
            }
        }
    }

    /// Learns from a conflict, and goes back to where what is learnt decides something.
    fn learn(&mut self, conflict: Vec<Lit>, budget: &mut Budget) -> Result<(), Stopped> {
        let mut pending: BTreeMap<usize, Lit> = BTreeMap::new();
        self.pend(conflict, usize::MAX, &mut pending);
        self.bump += 1;
        // The conflict may be older than the last decision, where sums are looked at late.
        let level = pending.keys().next_back().map_or(0, |&at| self.trail[at].level);
        if level == 0 {
            self.back_to(0);
            self.is_false = true;
            return Ok(());
        }
        loop {
            budget.spend(1)?;
            let mut last = pending.iter().rev();
            let (Some((&at, _)), second) = (last.next(), last.next()) else { break };
            if second.is_none_or(|(&other, _)| self.trail[other].level < level) {
                break;
            }
            pending.remove(&at);
            let variable = self.trail[at].lit.variable;
            self.activity[variable] = self.bump.max(self.activity[variable] + 1);
            self.pend(self.reason(at), at, &mut pending);
        }
        let mut learnt: Vec<(usize, Lit)> = pending.iter().rev().map(|(&at, lit)| (self.trail[at].level, lit.opposite())).collect();
        // Of two bounds of the same side the later one says more.
        let mut seen: Vec<usize> = Vec::with_capacity(learnt.len());
        learnt.retain(|(_, lit)| {
            let is_new = !seen.contains(&lit.side());
            seen.push(lit.side());
            is_new
        });
        let back = learnt.get(1).map_or(0, |_| learnt[1..].iter().map(|one| one.0).max().unwrap_or(0));
        // The second that is watched must be the last to become free again.
        if let Some(second) = (1..learnt.len()).find(|&at| learnt[at].0 == back) {
            learnt.swap(1, second);
        }
        self.back_to(back);
        let clause: Vec<Lit> = learnt.into_iter().map(|one| one.1).collect();
        let Some(&first) = clause.first() else { return Ok(()) };
        if clause.len() == 1 {
            if self.is_false(first) {
                self.is_false = true;
            } else if !self.is_true(first) {
                self.set(first, Reason::Because(Box::new([])));
            }
        } else {
            let number = self.clauses.len();
            self.attach(clause, true);
            if !self.is_true(first) {
                self.set(first, Reason::Clause(number));
            }
        }
        Ok(())
    }

    /// The assumptions that an assumption contradicts, and itself.
    fn needed(&self, lit: Lit, budget: &mut Budget) -> Result<Vec<Lit>, Stopped> {
        let mut pending: BTreeMap<usize, Lit> = BTreeMap::new();
        // As weak as it may be: what is known of its opposite may say more.
        let known = match self.entry(lit.opposite()) {
            Some(at) => self.trail[at].lit,
            None if lit.at_least => Lit::at_most(lit.variable, self.high[lit.variable]),
            None => Lit::at_least(lit.variable, self.low[lit.variable]),
        };
        let mut needed = vec![known.opposite()];
        self.pend(vec![known], usize::MAX, &mut pending);
        while let Some((at, lit)) = pending.pop_last() {
            budget.spend(1)?;
            match self.trail[at].reason {
                Reason::Decision => needed.push(lit),
                Reason::Clause(_) | Reason::Because(_) => self.pend(self.reason(at), at, &mut pending),
            }
        }
        Ok(needed)
    }
}

/// What became of a watch.
enum Looked {
    Moved,
    Stays,
    Conflict,
}

fn clamped(number: i128) -> i64 {
    i64::try_from(number.clamp(i128::from(-ENDLESS), i128::from(ENDLESS))).unwrap_or(ENDLESS)
}

#[cfg(test)]
mod tests {
    use serval_model::SplitMix64;

    use super::*;

    const VARIABLES: usize = 4;
    const MOST: i64 = 3;

    /// Terms, a constant, and what says that their sum counts.
    type Sum = (Vec<(usize, i64)>, i64, Lit);

    /// A random problem, which is also tried value by value.
    struct Tried {
        clauses: Vec<Vec<Lit>>,
        sums: Vec<Sum>,
    }

    fn lit(draw: &mut SplitMix64) -> Lit {
        let variable = draw.index(VARIABLES);
        let value = i64::try_from(draw.index(4)).unwrap();
        if draw.chance(50) { Lit::at_least(variable, value + 1) } else { Lit::at_most(variable, value - 1) }
    }

    impl Tried {
        fn holds(&self, values: &[i64], more: &[Lit]) -> bool {
            let met = |lit: &Lit| lit.holds(values[lit.variable]);
            let sum = |(terms, constant, guard): &(Vec<(usize, i64)>, i64, Lit)| {
                !met(guard) || terms.iter().map(|&(variable, factor)| values[variable] * factor).sum::<i64>() + constant >= 0
            };
            self.clauses.iter().all(|clause| clause.iter().any(met)) && self.sums.iter().all(sum) && more.iter().all(met)
        }

        fn is_possible(&self, more: &[Lit]) -> bool {
            (0..(MOST + 1).pow(4)).any(|code| {
                let values: Vec<i64> = (0..4).map(|variable| code / (MOST + 1).pow(variable) % (MOST + 1)).collect();
                self.holds(&values, more)
            })
        }
    }

    #[test]
    fn answers_are_those_of_trying_everything() {
        let (mut possible, mut impossible) = (0, 0);
        for seed in 0..3_000 {
            let draw = &mut SplitMix64::new(seed);
            let (mut engine, mut tried) = (Engine::default(), Tried { clauses: Vec::new(), sums: Vec::new() });
            for _ in 0..VARIABLES {
                engine.variable(Some(MOST));
            }
            for _ in 0..6 {
                // Questions and additions take turns.
                for _ in 0..draw.index(4) {
                    if draw.chance(70) {
                        let mut clause: Vec<Lit> = (0..1 + draw.index(4)).map(|_| lit(draw)).collect();
                        clause.sort_unstable_by_key(|lit| lit.side());
                        clause.dedup_by_key(|lit| lit.side());
                        tried.clauses.push(clause.clone());
                        engine.clause(clause);
                    } else {
                        let terms: Vec<(usize, i64)> =
                            (0..VARIABLES).filter(|_| draw.chance(60)).map(|variable| (variable, [1, -1, 2, -3][variable])).collect();
                        let (constant, guard) = (i64::try_from(draw.index(9)).unwrap() - 5, lit(draw));
                        tried.sums.push((terms.clone(), constant, guard));
                        engine.sum(terms, constant, guard);
                    }
                }
                let assumptions: Vec<Lit> = (0..draw.index(4)).map(|_| lit(draw)).collect();
                match engine.solve(&assumptions, &mut Budget::unlimited()).unwrap() {
                    Answer::Model(values) => {
                        possible += 1;
                        assert!(tried.holds(&values, &assumptions), "{seed}: {values:?}");
                    }
                    Answer::None(needed) => {
                        impossible += 1;
                        assert!(!tried.is_possible(&assumptions), "{seed}");
                        assert!(!tried.is_possible(&needed), "{seed}: {needed:?}");
                        let weaker = |lit: &Lit| assumptions.iter().any(|other| lit.side() == other.side() && lit.follows_from(*other));
                        assert!(needed.iter().all(weaker), "{seed}: {needed:?} of {assumptions:?}");
                    }
                }
            }
        }
        assert!(possible > 2_000 && impossible > 2_000, "{possible} and {impossible}");
    }
}
