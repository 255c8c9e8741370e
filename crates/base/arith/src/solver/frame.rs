//! A split whose cases are being refuted.

use serval_linear::{Literal, Problem};

use super::{Refuted, Solver, introducer};
use crate::Int;
use crate::refutation::{Child, Refutation, RefutationStep, StepId};
use crate::simplex::Variable;

/// What is split on.
pub(super) enum Split {
    /// The literals of a clause.
    Clause(u32),
    /// At most, or more than, a number.
    Bound { terms: Vec<(Variable, i64)>, at_most: i64 },
    /// Whether a literal, of the first kind, of a clause holds.
    Literal { clause: u32, literal: usize },
}

/// One case of a split.
pub(super) enum Case {
    /// The literal holds, with this residue if it is about divisibility.
    Literal { clause: u32, literal: usize, residue: u64 },
    /// The literal does not hold.
    Not { clause: u32, literal: usize },
    /// The terms and the constant are at least 0 together.
    Bound { terms: Vec<(Variable, i64)>, constant: Int },
}

/// A split, and how far it has been refuted.
pub(super) struct SplitFrame {
    split: Split,
    /// Where the bounds of the present case begin.
    pub(super) mark: usize,
    /// The assumption of the present case, the quotient that it introduces,
    /// and the variable that it fixes if it is an equality.
    pub(super) assumption: u32,
    pub(super) quotient: Option<Variable>,
    pub(super) equality: Option<Variable>,
    /// The next literal and the residue of the present one.
    literal: usize,
    residue: u64,
    children: Vec<Child>,
}

impl SplitFrame {
    pub(super) fn new(split: Split, mark: usize) -> Self {
        Self { split, mark, assumption: u32::MAX, quotient: None, equality: None, literal: 0, residue: 0, children: Vec::new() }
    }

    /// The clause that is split on.
    pub(super) fn clause(&self) -> Option<u32> {
        match self.split {
            Split::Clause(clause) => Some(clause),
            Split::Bound { .. } | Split::Literal { .. } => None,
        }
    }

    /// Whether the split is on an expression.
    pub(super) fn is_bound(&self) -> bool {
        matches!(self.split, Split::Bound { .. })
    }

    /// Takes the refutation of the present case, unless it does not use what
    /// the case assumes: then it refutes the split as a whole.
    pub(super) fn close_case(&mut self, step: StepId, used: &[u32]) -> bool {
        // The assumption is the latest on the way.
        let Some((last, earlier)) = used.split_last() else { return false };
        if *last != self.assumption {
            return false;
        }
        self.children.push(Child { assumption: self.assumption, quotient: self.quotient, step, uses: earlier.to_vec() });
        true
    }

    /// The next case, in the order of the proof tree.
    pub(super) fn next_case(&mut self, problem: &Problem) -> Option<Case> {
        match &self.split {
            Split::Clause(clause) => loop {
                let literal = problem.clauses.get(*clause as usize)?.get(self.literal)?;
                let case = Case::Literal { clause: *clause, literal: self.literal, residue: self.residue.saturating_add(1) };
                match literal {
                    Literal::AtLeastZero(_) => {
                        self.literal += 1;
                        return Some(Case::Literal { clause: *clause, literal: self.literal - 1, residue: 0 });
                    }
                    Literal::NotDivisible(_, divisor) if self.residue.saturating_add(1) < *divisor => {
                        self.residue += 1;
                        return Some(case);
                    }
                    Literal::NotDivisible(..) => (self.literal, self.residue) = (self.literal + 1, 0),
                }
            },
            // First that it holds: that it does not leaves the clause as violated as it was.
            Split::Literal { clause, literal } => {
                self.literal += 1;
                match self.literal {
                    1 => Some(Case::Literal { clause: *clause, literal: *literal, residue: 0 }),
                    2 => Some(Case::Not { clause: *clause, literal: *literal }),
                    _ => None,
                }
            }
            Split::Bound { terms, at_most } => {
                self.literal += 1;
                match self.literal {
                    1 => {
                        let terms = terms.iter().map(|&(variable, coefficient)| (variable, -coefficient)).collect();
                        Some(Case::Bound { terms, constant: Int::from(*at_most) })
                    }
                    2 => Some(Case::Bound { terms: terms.clone(), constant: Int::from(-1 - i128::from(*at_most)) }),
                    _ => None,
                }
            }
        }
    }

    /// The refutation of the node when all cases are refuted.
    pub(super) fn close(self, solver: &Solver, frames: &[SplitFrame], refutation: &mut Refutation) -> Refuted {
        let mut children = self.children;
        match self.split {
            Split::Clause(clause) => {
                let used = uses(&children);
                (refutation.add(RefutationStep::Clause { clause, children }), used)
            }
            Split::Bound { terms, at_most } => {
                // Also the assumptions that introduced its variables are used.
                let mut used: Vec<u32> = terms.iter().filter_map(|&(variable, _)| introducer(frames, variable)).collect();
                used.extend(uses(&children));
                used.sort_unstable();
                used.dedup();
                (refutation.add(RefutationStep::Bound { terms, at_most, children }), used)
            }
            Split::Literal { clause, literal } => {
                children.reverse();
                children = match as_clause(&solver.problem, (clause, literal), children, refutation) {
                    Ok(children) => {
                        let used = uses(&children);
                        return (refutation.add(RefutationStep::Clause { clause, children }), used);
                    }
                    Err(children) => children,
                };
                let used = uses(&children);
                let (terms, at_most) = solver.negation(clause, literal).unwrap_or_default();
                (refutation.add(RefutationStep::Bound { terms, at_most, children }), used)
            }
        }
    }
}

/// `children` are the cases that a literal does not hold, and that it does. If
/// the first was refuted by a split on the literal's clause, in which only the
/// case of the literal itself needed that it does not hold, then the two
/// splits are one on the clause: the case of the literal is the second child.
fn as_clause(
    problem: &Problem,
    (clause, literal): (u32, usize),
    mut children: Vec<Child>,
    refutation: &Refutation,
) -> Result<Vec<Child>, Vec<Child>> {
    let (Some(first), Some(literals)) = (children.first(), problem.clauses.get(clause as usize)) else { return Err(children) };
    let RefutationStep::Clause { clause: other, children: cases } = refutation.step(first.step) else { return Err(children) };
    let position: u64 = literals[..literal]
        .iter()
        .map(|literal| match literal {
            Literal::AtLeastZero(_) => 1,
            Literal::NotDivisible(_, divisor) => divisor.saturating_sub(1),
        })
        .sum();
    let Ok(position) = usize::try_from(position) else { return Err(children) };
    let needs = |case: &Child| case.uses.binary_search(&first.assumption).is_ok();
    if *other != clause || position >= cases.len() || (0..).zip(cases).any(|(index, case)| index != position && needs(case)) {
        return Err(children);
    }
    let mut cases = cases.clone();
    if let Some(second) = children.pop() {
        cases[position] = second;
    }
    Ok(cases)
}

/// What the refutations of cases use.
fn uses(children: &[Child]) -> Vec<u32> {
    let mut used: Vec<u32> = children.iter().flat_map(|child| child.uses.iter().copied()).collect();
    used.sort_unstable();
    used.dedup();
    used
}
