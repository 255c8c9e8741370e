//! Which unknowns of a characteristic system can be arbitrarily large.
//!
//! An unknown (how often an arc is used, or the tokens of a place at the beginning or the end of a piece) is *free* if
//! it is positive in a solution of the homogeneous system.
//!
//! **Theorem.** If the system has a solution, an unknown has finitely many values in all its solutions iff it is not
//! free. **Proof.** A free one grows when multiples of a homogeneous solution are added. Conversely, solutions in
//! natural numbers are finitely many least ones plus sums of homogeneous solutions, in which the unknown is 0. Rows of
//! the goal that are inequalities are equations with one more unknown each. ∎
//!
//! Homogeneous solutions can be added and multiplied by positive numbers, so rational ones are enough, and one has all
//! free unknowns positive. It is found at once: with `z ≤ u` and `z ≤ 1` for each unknown `u`, the sum of all `z` is
//! made as large as possible; then `z = 1` just for the free ones.

use std::collections::BTreeMap;

use serval_arith::Rational;
use serval_arith::lp::{Optimum, minimise};
use serval_budget::Budget;
use serval_linear::Linear;
use serval_net_proof::Refusal;
use serval_net_proof::decomposition::sequence::Sequence;
use serval_net_proof::decomposition::system::System;
use serval_petri::Net;

use crate::decompose::{NUMBERS, ended};

/// What is not free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounded {
    /// Pieces, whether at their ends, and places at ω there.
    pub values: Vec<(usize, bool, usize)>,
    /// By piece the numbers of arcs.
    pub arcs: Vec<Vec<usize>>,
}

/// All unknowns that are not free.
pub fn bounded(net: &Net, sequence: &Sequence, budget: &mut Budget) -> Result<Bounded, Refusal> {
    let System { mut problem, offsets, entries, exits } = System::new(net, sequence, true, budget)?;
    // Each expression once, with the variable that is at most 1 and at most the expression.
    let mut capped: BTreeMap<Linear, u32> = BTreeMap::new();
    let mut values = Vec::new();
    for (number, piece) in sequence.pieces.iter().enumerate() {
        for (is_last, label, tokens) in [(false, &piece.first, &entries[number]), (true, &piece.last, &exits[number])] {
            for place in (0..net.place_count()).filter(|&place| label[place].is_none()) {
                values.push(((number, is_last, place), tokens[place].clone()));
            }
        }
    }
    let arcs = sequence.pieces.iter().zip(&offsets).flat_map(|(piece, &offset)| (offset..).take(piece.arcs.len()));
    let all = arcs.map(Linear::variable).chain(values.iter().map(|value| value.1.clone()));
    for expression in all.collect::<Vec<_>>() {
        if expression.terms().is_empty() || capped.contains_key(&expression) {
            continue;
        }
        let cap = problem.variables;
        problem.variables = cap.checked_add(1).ok_or(NUMBERS)?;
        let above = expression.terms().iter().copied().chain([(cap, -1)]);
        problem.inequalities.push(Linear::new(above, 0).ok_or(NUMBERS)?);
        problem.inequalities.push(Linear::new([(cap, -1)], 1).ok_or(NUMBERS)?);
        capped.insert(expression, cap);
    }
    let objective = Linear::new(capped.values().map(|&cap| (cap, -1)), 0).ok_or(NUMBERS)?;
    let point = match minimise(&problem, &objective, budget).map_err(|stopped| ended(stopped, budget))? {
        Optimum::Vertex(point, _) => point,
        // All 0 is a solution, and no sum is larger than the number of unknowns.
        Optimum::Infeasible | Optimum::Unbounded => Vec::new(),
    };
    let is_free = |expression: &Linear| {
        let cap = capped.get(expression).and_then(|&cap| usize::try_from(cap).ok());
        cap.and_then(|cap| point.get(cap)).is_some_and(|value| *value == Rational::ONE)
    };
    let arcs = sequence.pieces.iter().zip(&offsets).map(|(piece, &offset)| {
        let numbered = (offset..).zip(0..piece.arcs.len());
        numbered.filter(|&(variable, _)| !is_free(&Linear::variable(variable))).map(|(_, arc)| arc).collect()
    });
    let arcs = arcs.collect();
    Ok(Bounded { values: values.into_iter().filter(|value| !is_free(&value.1)).map(|value| value.0).collect(), arcs })
}
