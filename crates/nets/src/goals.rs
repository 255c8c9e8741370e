//! Many goals, looked at along a run.
//!
//! Each condition that occurs in them is kept once, with its value, which is brought up to date when tokens move; a goal is
//! worked out again only when one of its conditions begins or ceases to hold.

use rustc_hash::FxHashMap;
use serval_petri::{Constraint, Formula, Part};

/// The goals of a net.
pub(crate) struct Goals {
    atoms: Vec<Constraint>,
    /// By place the atoms that count its tokens, and how much.
    by_place: Vec<Vec<(usize, i128)>>,
    /// By atom the goals that it occurs in.
    goals_of: Vec<Vec<usize>>,
    formulas: Vec<Vec<Compact>>,
}

enum Compact {
    Atom(usize),
    All(usize),
    Any(usize),
}

/// The values of all conditions in a marking.
#[derive(Clone)]
pub(crate) struct Values {
    numbers: Vec<i128>,
    holds: Vec<bool>,
}

impl Goals {
    pub(crate) fn new(formulas: &[Formula], places: usize) -> Self {
        let mut known: FxHashMap<&Constraint, usize> = FxHashMap::default();
        let (mut atoms, mut goals_of): (Vec<Constraint>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut compact = Vec::with_capacity(formulas.len());
        for (goal, formula) in formulas.iter().enumerate() {
            let mut parts = Vec::with_capacity(formula.parts().len());
            for part in formula.parts() {
                parts.push(match part {
                    Part::All(count) => Compact::All(*count),
                    Part::Any(count) => Compact::Any(*count),
                    Part::Constraint(constraint) => {
                        let atom = *known.entry(constraint).or_insert_with(|| {
                            atoms.push(constraint.clone());
                            goals_of.push(Vec::new());
                            atoms.len() - 1
                        });
                        if goals_of[atom].last() != Some(&goal) {
                            goals_of[atom].push(goal);
                        }
                        Compact::Atom(atom)
                    }
                });
            }
            compact.push(parts);
        }
        let mut by_place = vec![Vec::new(); places];
        for (atom, constraint) in atoms.iter().enumerate() {
            for &(place, factor) in constraint.expression().terms() {
                by_place[place.index()].push((atom, i128::from(factor)));
            }
        }
        Self { atoms, by_place, goals_of, formulas: compact }
    }

    pub(crate) fn values(&self, marking: &[u64]) -> Values {
        let number = |constraint: &Constraint| {
            let linear = constraint.expression();
            let terms = linear.terms().iter().map(|&(place, factor)| i128::from(factor).saturating_mul(marking[place.index()].into()));
            terms.fold(i128::from(linear.constant()), i128::saturating_add)
        };
        let numbers: Vec<i128> = self.atoms.iter().map(number).collect();
        let holds = self.atoms.iter().zip(&numbers).map(|(atom, &number)| met(atom, number)).collect();
        Values { numbers, holds }
    }

    /// Brings the values up to date, and marks the goals that may have changed.
    pub(crate) fn moved(&self, values: &mut Values, changes: &[(usize, i128)], touched: &mut Vec<usize>) {
        for &(place, change) in changes {
            for &(atom, factor) in &self.by_place[place] {
                let number = values.numbers[atom].saturating_add(factor.saturating_mul(change));
                values.numbers[atom] = number;
                let holds = met(&self.atoms[atom], number);
                if holds != values.holds[atom] {
                    values.holds[atom] = holds;
                    touched.extend(&self.goals_of[atom]);
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
    }

    pub(crate) fn holds(&self, goal: usize, values: &Values) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        for part in &self.formulas[goal] {
            let value = match part {
                Compact::Atom(atom) => values.holds[*atom],
                Compact::All(count) => stack.drain(stack.len().saturating_sub(*count)..).all(|value| value),
                Compact::Any(count) => stack.drain(stack.len().saturating_sub(*count)..).any(|value| value),
            };
            stack.push(value);
        }
        stack.pop().unwrap_or(true)
    }
}

/// Sums that are too large are not exact; whoever claims something has it checked.
fn met(constraint: &Constraint, number: i128) -> bool {
    match constraint {
        Constraint::AtLeastZero(_) => number >= 0,
        Constraint::Zero(_) => number == 0,
        Constraint::NotDivisible { divisor, .. } => number.rem_euclid(i128::from(divisor.get())) != 0,
    }
}
