//! What follows from clauses and sums without a choice.

use serval_budget::{Budget, Stopped};

use super::{ENDLESS, Engine, GuardedSum, Lit, Reason};

impl Engine {
    /// What follows without a choice; a conflict is literals that hold and cannot all hold.
    pub(super) fn propagate(&mut self, budget: &mut Budget) -> Result<Option<Vec<Lit>>, Stopped> {
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
            budget.spend((1 + watching.len() / 4) as u64)?;
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
        let GuardedSum { terms, constant, guard } = &self.sums[number];
        let (guard, constant) = (*guard, i128::from(*constant));
        if self.is_false(guard) {
            return Ok(None);
        }
        budget.spend((1 + terms.len() / 8) as u64)?;
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
