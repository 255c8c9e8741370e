//! What a conflict rests on, and what is learnt from it.

use std::collections::BTreeMap;

use serval_budget::{Budget, Stopped};

use super::{Engine, Lit, Reason};

impl Engine {
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
    pub(super) fn learn(&mut self, conflict: Vec<Lit>, budget: &mut Budget) -> Result<(), Stopped> {
        let mut pending: BTreeMap<usize, Lit> = BTreeMap::new();
        self.pend(conflict, usize::MAX, &mut pending);
        self.bump = self.bump.saturating_add(1);
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
            self.activity[variable] = self.bump.max(self.activity[variable].saturating_add(1));
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
    pub(super) fn needed(&self, lit: Lit, budget: &mut Budget) -> Result<Vec<Lit>, Stopped> {
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
