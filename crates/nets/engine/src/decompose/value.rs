//! Values: a place has finitely many numbers of tokens at the beginning or the end of a piece.
//!
//! The least and the greatest number over the rationals are rounded inwards. All numbers between them are cases; those
//! that are none are refuted when their turn comes.

use serval_arith::{Outcome, Solver};
use serval_budget::Budget;
use serval_linear::Tree;
use serval_net_proof::Refusal;
use serval_net_proof::decomposition::system::System;
use serval_net_proof::decomposition::{PlaceValue, value_problem};

use crate::decompose::{NUMBERS, ended, least, opposite};

/// The step for a place at the beginning or the end of a piece, whose number is not free; the system has a solution.
pub fn value(system: &System, (piece, last, place): (usize, bool, usize), budget: &mut Budget) -> Result<PlaceValue, Refusal> {
    let tokens = if last { &system.exits[piece][place] } else { &system.entries[piece][place] };
    let fewest = least(&system.problem, tokens, budget)?.ok_or(NUMBERS)?;
    let most = least(&system.problem, &opposite(tokens)?, budget)?.ok_or(NUMBERS)?;
    let number = |number: i128| u64::try_from(number.max(0)).map_err(|_| NUMBERS);
    let mut value = PlaceValue { piece, last, place, least: number(fewest)?, most: number(-most)?, tree: Tree::default() };
    match Solver::new(value_problem(system.clone(), &value)?).solve(budget) {
        Outcome::Refuted(tree) => value.tree = tree,
        Outcome::Stopped(stopped) => return Err(ended(stopped, budget)),
        // The bounds are those of the rationals, so there is none; the checker would refuse the step.
        Outcome::Satisfiable(_) => {}
    }
    Ok(value)
}
