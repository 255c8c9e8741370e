//! Inductive invariants, by IC3 (Bradley 2011) and k-induction (Sheeran, Singh, Stålmarck 2000).
//!
//! An invariant holds in the beginning, every transition preserves it, and it excludes the goal.
//!
//! - `pdr`: an invariant of clauses of bounds, each learnt from a way into the goal;
//! - `induction`: `k` steps at once, strengthened by facts.
//!
//! Both begin with *facts*: what holds because of the arcs alone, found where it is needed with the help of the marking
//! equation. Clauses are put together by a search of our own (`engine`); evidence is made by the exact solver
//! (`written`).

mod engine;
mod facts;
mod induction;
mod pdr;
mod shrink;
mod theory;
mod written;

use serval_budget::{Budget, Stopped};
use serval_linear::Linear;
use serval_net_proof::{Bound, Clause, Evidence, Inductive, KInductive};
use serval_petri::{Formula, Net};

use crate::equation::Base;

pub use induction::clauses_of;
pub(crate) use induction::induction;
pub(crate) use pdr::pdr;

/// What an inductive method says of a goal.
pub enum InductiveOutcome {
    /// No marking of it can be reached.
    Excluded(Box<Evidence>),
    /// This run leads into it.
    Reached(Vec<u32>),
    /// Neither.
    Nothing,
}

/// Asks for an invariant that excludes the goal, clause by clause.
pub fn ask_pdr(net: &Net, goal: &Formula, budget: &mut Budget) -> Result<InductiveOutcome, Stopped> {
    pdr(net, &Base::new(net, budget), &[], goal, budget)
}

/// Asks whether a few steps lead into the goal, from the beginning or from outside.
pub fn ask_induction(net: &Net, goal: &Formula, budget: &mut Budget) -> Result<InductiveOutcome, Stopped> {
    induction(net, &Base::new(net, budget), &[], goal, budget)
}

/// Evidence of `steps` steps and no facts, if they are enough: shows what induction alone says.
pub fn ask_steps(net: &Net, goal: &Formula, steps: usize, budget: &mut Budget) -> Result<InductiveOutcome, Stopped> {
    induction::several(net, goal, &[], steps, budget)
}

/// The clauses that evidence shows to be an invariant, as far as it has any.
pub fn clauses_shown(net: &Net, evidence: &Evidence) -> Vec<Clause> {
    let base = Base::none();
    let mut facts = facts::Facts::bare(net, &base);
    match evidence {
        Evidence::Inductive(Inductive { invariant, .. }) | Evidence::KInductive(KInductive { invariant, .. }) => {
            return invariant.clauses.clone();
        }
        Evidence::Weights(weights) => facts.add_sums(&weights.sums),
        Evidence::Dead(dead) => {
            return dead.places.iter().filter_map(|&place| Linear::new([(place, -1)], 0)).map(|empty| vec![Bound(empty)]).collect();
        }
        Evidence::Equation(equation) => {
            facts.add_sums(&equation.weights.sums);
            facts.cut(&equation.tree);
            for trap in &equation.traps {
                facts.clauses.extend(Linear::new(trap.iter().map(|&place| (place, 1)), -1).map(|marked| vec![Bound(marked)]));
            }
        }
        Evidence::Run(_)
        | Evidence::States(_)
        | Evidence::Stubborn(_)
        | Evidence::Toward(_)
        | Evidence::Cover(_)
        | Evidence::Basis(_)
        | Evidence::Backward(_)
        | Evidence::Separator(_)
        | Evidence::Decomposition(_)
        | Evidence::Pump(_)
        | Evidence::Homes(_)
        | Evidence::Lost(_)
        | Evidence::Script(_) => {}
    }
    facts.clauses
}

/// What is wrong with an invariant that a caller proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// Nothing: it is one.
    Inductive(Box<Inductive>),
    /// A transition leads from a marking in which all clauses hold to one in which this one does not.
    Broken {
        /// The number of the clause.
        clause: usize,
        /// The number of the transition.
        transition: usize,
        /// The tokens by place before it fires.
        marking: Vec<u64>,
    },
    /// It cannot be said: a number does not fit.
    Unfit,
}

/// Whether clauses are an invariant that excludes the goal, which they must: each clause must hold wherever the goal is
/// not.
pub fn ask_proposed(net: &Net, goal: &Formula, clauses: &[Clause], budget: &mut Budget) -> Result<Proposed, Stopped> {
    Ok(match written::written(net, goal, clauses, true, budget) {
        Ok(inductive) => Proposed::Inductive(Box::new(inductive)),
        Err(written::Failed::Stopped(stopped)) => return Err(stopped),
        Err(written::Failed::Step { clause, transition, marking }) => {
            let marking = marking.into_iter().map(|tokens| u64::try_from(tokens).unwrap_or(0)).collect();
            Proposed::Broken { clause, transition, marking }
        }
        Err(written::Failed::Goal | written::Failed::Unfit) => Proposed::Unfit,
    })
}
