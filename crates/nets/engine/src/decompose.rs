//! The KLMST decomposition (Mayr 1981; Kosaraju 1982; Lambert 1992): decides whether a marking of a Petri net can be
//! reached, however many tokens there may be.
//!
//! All runs into a case of the goal are the runs of a *sequence* of pieces ([`serval_net_proof::decomposition`] says
//! what that is, which steps replace a sequence by others without losing a run, and why). [`decide()`] takes a sequence
//! and
//!
//! 1. refutes it, if its characteristic system has no solution;
//! 2. goes on with what was begun: splits graphs at their strongly connected parts ([`parts`]), and pieces at arcs
//!    ([`arcs`]);
//! 3. replaces a piece that cannot be pumped up from its beginning or its end by its covering graph ([`covering`]);
//! 4. lists the tokens of a place that has finitely many ([`value`]);
//! 5. splits at arcs that are used finitely often ([`arcs`]);
//! 6. and if there is nothing of this to do, the sequence is *perfect* ([`free`]) and has a run, which is built
//!    ([`run`]).
//!
//! If no sequence is left, no marking of the goal can be reached, and the steps are the evidence. That it ends:
//! [`rank`].
//!
//! Goals of any form are split into such cases by `goals`. Nothing here is believed: steps are checked by the rule that
//! the checker has, runs are replayed by it. Budgets are ticks.

pub mod arcs;
pub mod covering;
mod decide;
pub mod free;
pub(crate) mod goals;
pub mod parts;
pub mod rank;
pub mod run;
pub mod value;

pub use decide::{
    DecompositionOutcome, DecompositionRule, DecompositionSearch, Fate, MOST_NODES, MOST_PLACES, RuleCounts, SequenceNode, decide,
    decide_in,
};

use serval_arith::Rational;
use serval_arith::lp::{Optimum, minimise};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Problem};
use serval_net_proof::Refusal;

/// Numbers that are too large to be written down.
pub(crate) const NUMBERS: Refusal = Refusal::TooLarge { what: "bits of a number", limit: 63 };

/// Why the solver ended early. It does so, too, where a number does not fit: then there are ticks left.
pub(crate) fn ended(stopped: Stopped, budget: &Budget) -> Refusal {
    if stopped == Stopped::OutOfTicks && budget.left() > 0 { NUMBERS } else { stopped.into() }
}

/// The same with the opposite sign.
pub(crate) fn opposite(linear: &Linear) -> Result<Linear, Refusal> {
    let terms = linear.terms().iter().map(|&(variable, factor)| (variable, -i128::from(factor)));
    Linear::from_wide(terms, -i128::from(linear.constant())).ok_or(NUMBERS)
}

/// The least value of an expression over the rationals, rounded up; `None` where there is none.
pub(crate) fn least(problem: &Problem, linear: &Linear, budget: &mut Budget) -> Result<Option<i128>, Refusal> {
    let rounded = |value: &Rational| {
        let below = value.floor().to_i128()?;
        below.checked_add(i128::from(!value.is_integer()))
    };
    match minimise(problem, linear, budget).map_err(|stopped| ended(stopped, budget))? {
        Optimum::Vertex(_, value) => rounded(&value).map(Some).ok_or(NUMBERS),
        Optimum::Infeasible | Optimum::Unbounded => Ok(None),
    }
}
