//! Goals, looked at along a run.
//!
//! A goal is worked out only as far as its value depends on what comes (`GoalShape`). Many goals are looked at at once
//! ([`Goals`]): each condition that occurs in them is kept once, with its value, which is brought up to date when
//! tokens move; a goal is worked out again only when one of its conditions begins or ceases to hold.

use rustc_hash::FxHashMap;
use serval_petri::{Constraint, Formula, FormulaPart};

/// How the conditions of a goal are joined. Operators come before their operands.
struct GoalShape {
    nodes: Vec<GoalNode>,
}

/// An operand or an operator, with where what belongs to it ends.
enum GoalNode {
    Atom(usize),
    /// All of what is in it, or one of it.
    Joined {
        is_all: bool,
        end: usize,
    },
}

impl GoalShape {
    /// The shape of a formula, whose conditions get these numbers.
    fn new<'f>(formula: &'f Formula, mut atom: impl FnMut(&'f Constraint) -> usize) -> Self {
        // Backwards, operators come first. How many nodes each formula has that is not yet an operand:
        let mut sizes: Vec<usize> = Vec::new();
        let count = formula.parts().len();
        let mut nodes: Vec<GoalNode> = Vec::with_capacity(count);
        for (position, part) in formula.parts().iter().enumerate() {
            let (is_all, operands) = match part {
                FormulaPart::Constraint(constraint) => {
                    nodes.push(GoalNode::Atom(atom(constraint)));
                    sizes.push(1);
                    continue;
                }
                FormulaPart::All(operands) => (true, *operands),
                FormulaPart::Any(operands) => (false, *operands),
            };
            let size = 1 + sizes.drain(sizes.len().saturating_sub(operands)..).sum::<usize>();
            sizes.push(size);
            nodes.push(GoalNode::Joined { is_all, end: count - 1 - position + size });
        }
        nodes.reverse();
        Self { nodes }
    }

    fn holds(&self, atom: impl Fn(usize) -> bool, open: &mut Vec<(bool, usize)>) -> bool {
        open.clear();
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let (value, mut next) = match *node {
                GoalNode::Atom(number) => (atom(number), at + 1),
                GoalNode::Joined { is_all, end } if end > at + 1 => {
                    open.push((is_all, end));
                    at += 1;
                    continue;
                }
                GoalNode::Joined { is_all, end } => (is_all, end),
            };
            loop {
                match open.last() {
                    None => return value,
                    // One that does not hold decides all of them, and one that holds decides one of them.
                    Some(&(is_all, end)) if value != is_all || next >= end => {
                        open.pop();
                        next = end;
                    }
                    Some(_) => break,
                }
            }
            at = next;
        }
        true
    }
}

/// A condition.
struct Atom {
    constraint: Constraint,
    /// Whether its sum may not fit 128 bits, so that it is worked out anew each time.
    is_wide: bool,
}

impl Atom {
    fn new(constraint: &Constraint) -> Self {
        let linear = constraint.expression();
        let factors = linear.terms().iter().map(|term| u128::from(term.1.unsigned_abs())).try_fold(0, u128::checked_add);
        // With 64 bits of tokens on each place; half of what fits is left for the constant.
        Self { constraint: constraint.clone(), is_wide: factors.is_none_or(|factors| factors >= 1 << 62) }
    }

    /// The sum, where it is not wide.
    fn number(&self, marking: &[u64]) -> i128 {
        if self.is_wide {
            return 0;
        }
        let linear = self.constraint.expression();
        let terms = linear.terms().iter().map(|&(place, factor)| i128::from(factor) * i128::from(marking[place.index()]));
        terms.sum::<i128>() + i128::from(linear.constant())
    }

    fn holds(&self, number: i128, marking: &[u64]) -> bool {
        match &self.constraint {
            wide if self.is_wide => wide.holds(|place| marking[place.index()]),
            Constraint::AtLeastZero(_) => number >= 0,
            Constraint::Zero(_) => number == 0,
            Constraint::NotDivisible { divisor, .. } => number.rem_euclid(i128::from(divisor.get())) != 0,
        }
    }
}

/// A goal by itself.
pub(crate) struct Goal {
    atoms: Vec<Atom>,
    shape: GoalShape,
}

impl Goal {
    pub(crate) fn new(formula: &Formula) -> Self {
        let mut atoms = Vec::new();
        let shape = GoalShape::new(formula, |constraint| {
            atoms.push(Atom::new(constraint));
            atoms.len() - 1
        });
        Self { atoms, shape }
    }

    /// The places whose tokens it looks at.
    pub(crate) fn places(&self) -> Vec<usize> {
        let terms = self.atoms.iter().flat_map(|atom| atom.constraint.expression().terms());
        let mut places: Vec<usize> = terms.map(|term| term.0.index()).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    pub(crate) fn holds(&self, marking: &[u64]) -> bool {
        self.holds_with(marking, &mut Vec::new())
    }

    /// The same with a list that many markings share.
    pub(crate) fn holds_with(&self, marking: &[u64], open: &mut Vec<(bool, usize)>) -> bool {
        self.shape.holds(|atom| self.atoms[atom].holds(self.atoms[atom].number(marking), marking), open)
    }
}

/// The goals of a net. That nothing can fire has no conditions here: who walks sees it.
pub(crate) struct Goals {
    atoms: Vec<Atom>,
    /// By place the atoms that count its tokens, and how much.
    by_place: Vec<Vec<(usize, i128)>>,
    /// By atom the goals that it occurs in.
    goals_of: Vec<Vec<usize>>,
    /// `None` for deadlocks.
    shapes: Vec<Option<GoalShape>>,
}

/// The values of all conditions in a marking.
#[derive(Clone)]
pub(crate) struct ConditionValues {
    numbers: Vec<i128>,
    holds: Vec<bool>,
}

impl Goals {
    /// The goals with these formulas, in a net with `places` places and this formula for its deadlocks.
    pub(crate) fn new(formulas: &[Formula], deadlock: Option<&Formula>, places: usize) -> Self {
        let mut known: FxHashMap<&Constraint, usize> = FxHashMap::default();
        let (mut atoms, mut goals_of): (Vec<Atom>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut shapes = Vec::with_capacity(formulas.len());
        for (goal, formula) in formulas.iter().enumerate() {
            let is_deadlock = deadlock == Some(formula);
            shapes.push((!is_deadlock).then(|| {
                GoalShape::new(formula, |constraint| {
                    let atom = *known.entry(constraint).or_insert_with(|| {
                        atoms.push(Atom::new(constraint));
                        goals_of.push(Vec::new());
                        atoms.len() - 1
                    });
                    if goals_of[atom].last() != Some(&goal) {
                        goals_of[atom].push(goal);
                    }
                    atom
                })
            }));
        }
        let mut by_place = vec![Vec::new(); places];
        for (atom, Atom { constraint, .. }) in atoms.iter().enumerate() {
            for &(place, factor) in constraint.expression().terms() {
                by_place[place.index()].push((atom, i128::from(factor)));
            }
        }
        Self { atoms, by_place, goals_of, shapes }
    }

    pub(crate) fn values(&self, marking: &[u64]) -> ConditionValues {
        let numbers: Vec<i128> = self.atoms.iter().map(|atom| atom.number(marking)).collect();
        let holds = self.atoms.iter().zip(&numbers).map(|(atom, &number)| atom.holds(number, marking)).collect();
        ConditionValues { numbers, holds }
    }

    /// Brings the values up to date after changes that led to the marking, and tells the goals that may have changed.
    pub(crate) fn moved(&self, values: &mut ConditionValues, marking: &[u64], changes: &[(usize, i128)], touched: &mut Vec<usize>) {
        touched.clear();
        for &(place, change) in changes {
            for &(atom, factor) in &self.by_place[place] {
                // What is wide has no number, and one that wraps is not looked at.
                let number = values.numbers[atom].wrapping_add(factor.wrapping_mul(change));
                values.numbers[atom] = number;
                let holds = self.atoms[atom].holds(number, marking);
                if holds != values.holds[atom] {
                    values.holds[atom] = holds;
                    touched.extend(&self.goals_of[atom]);
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
    }

    /// Whether the goal is to have come to a deadlock.
    pub(crate) fn is_deadlock(&self, goal: usize) -> bool {
        self.shapes[goal].is_none()
    }

    /// Whether a goal that is no deadlock holds.
    pub(crate) fn holds(&self, goal: usize, values: &ConditionValues, open: &mut Vec<(bool, usize)>) -> bool {
        self.shapes[goal].as_ref().is_some_and(|shape| shape.holds(|atom| values.holds[atom], open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_petri::{Marking, Net, words};

    fn net() -> Net {
        let mut net = Net::new("net");
        for name in ["a", "b", "c"] {
            net.add_place(name, 0).unwrap();
        }
        net
    }

    /// What is worked out only as far as needed, by itself and along moves, is what the whole formula says.
    #[test]
    fn goals_are_their_formulas() {
        let net = net();
        let texts = [
            "a >= 1",
            "a = 1 and (b = 2 or c >= 1) and not (a + b = c)",
            "(a = 0 or b = 0) and (b = 0 or c = 0) or a = 2 and not b = 2",
            "not (a = 1 and b = 1) -> c = 2 or not (a >= 1 or c >= 1)",
            "3*a - 2*b + c = 1 or a != b",
            // Sums that do not fit 128 bits.
            "9223372036854775807*a + 9223372036854775807*b + 9223372036854775807*c >= 1 and a + b >= 1",
            "9223372036854775807*a - 9223372036854775807*b - 9223372036854775807*c = 0",
        ];
        let formulas: Vec<Formula> = texts.iter().map(|text| words::formula(text, &net).unwrap()).collect();
        let goals = Goals::new(&formulas, None, 3);
        let mut stack = Vec::new();
        let mut before: Option<(Vec<u64>, ConditionValues)> = None;
        for scale in [1, u64::MAX / 2] {
            for number in 0..27_u64 {
                let marking: Vec<u64> = [number % 3, number / 3 % 3, number / 9].iter().map(|tokens| tokens * scale).collect();
                let mut values = goals.values(&marking);
                if let Some((old, moved)) = before.take() {
                    let change = |place: usize| (place, i128::from(marking[place]) - i128::from(old[place]));
                    values = moved;
                    goals.moved(&mut values, &marking, &[change(0), change(1), change(2)], &mut Vec::new());
                }
                for (goal, formula) in formulas.iter().enumerate() {
                    let holds = formula.holds(&Marking::new(marking.clone()));
                    assert_eq!(Goal::new(formula).holds(&marking), holds, "{} at {marking:?}", texts[goal]);
                    assert_eq!(goals.holds(goal, &values, &mut stack), holds, "{} after moves to {marking:?}", texts[goal]);
                }
                before = Some((marking, values));
            }
        }
    }

    #[test]
    fn nothing_joined_is_what_it_is() {
        let (all, any) = (Formula::all([]), Formula::any([]));
        assert!(Goal::new(&all).holds(&[]) && !Goal::new(&any).holds(&[]));
        assert!(Goal::new(&Formula::all([all.clone(), Formula::any([any.clone(), all])])).holds(&[]));
        assert!(!Goal::new(&Formula::any([any.clone(), Formula::all([any])])).holds(&[]));
    }
}
