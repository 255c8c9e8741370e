//! k-induction (Sheeran, Singh, Stålmarck 2000), strengthened by facts.
//!
//! With facts that hold in all reachable markings: does one of these markings lie in the goal? If so, does a run of
//! fewer than `k` steps end there, or do `k` steps from outside lead there? A solution that the marking equation or a
//! trap excludes adds that fact; otherwise `k` grows.

use std::collections::BTreeSet;

use serval_arith::Solver;
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Node, Problem, Reference, Tree};
use serval_net_proof::inductive::goal_problem;
use serval_net_proof::{Bound, Clause, Evidence, KInductive, k_inductive};
use serval_petri::{Constraint, Formula, Net};

use super::InductiveOutcome;
use super::facts::{Facts, refuted};
use super::shrink::{TICKS, fewer_atoms};
use super::written::{Failed, invariant, written};
use crate::equation::Base;

/// Steps at once, at most.
const STEPS: usize = 24;
/// Clauses that the opposite of a goal may have.
const CLAUSES: usize = 64;

/// Asks about a goal.
pub(crate) fn induction(
    net: &Net,
    base: &Base,
    proved: &[Clause],
    goal: &Formula,
    budget: &mut Budget,
) -> Result<InductiveOutcome, Stopped> {
    let mut facts = Facts::new(net, base, proved, budget)?;
    let _ = facts.exclude_goal(goal, &mut budget.part(budget.left() / 4));
    if exclude_all(&mut facts, budget, |clauses| goal_problem(net, clauses, goal).ok(), |values| vec![values])? {
        return inductive(net, goal, &facts.clauses, budget);
    }
    for steps in 1..=STEPS {
        let Ok(problem) = k_inductive::problem(net, &[], goal, steps - 1, true) else { break };
        if let Err(values) = refuted(&mut Solver::new(problem), budget)? {
            return Ok(InductiveOutcome::Reached(run(net, &values, steps - 1)));
        }
        let moments = |values: Vec<i64>| {
            let size = net.place_count() + net.transition_count();
            (0..=steps).map(|moment| values[moment * size..][..net.place_count()].to_vec()).collect()
        };
        if !exclude_all(&mut facts, budget, |clauses| k_inductive::problem(net, clauses, goal, steps, false).ok(), moments)? {
            continue;
        }
        if steps == 1
            && let Some(opposite) = clauses_of(goal)
        {
            let clauses = [&facts.clauses[..], &opposite].concat();
            if let Ok(InductiveOutcome::Excluded(evidence)) = inductive(net, goal, &clauses, &mut budget.part(budget.left() / 2)) {
                return Ok(InductiveOutcome::Excluded(evidence));
            }
        }
        return several(net, goal, &facts.clauses, steps, budget);
    }
    Ok(InductiveOutcome::Nothing)
}

fn inductive(net: &Net, goal: &Formula, clauses: &[Clause], budget: &mut Budget) -> Result<InductiveOutcome, Stopped> {
    match written(net, goal, clauses, false, budget) {
        Ok(inductive) => Ok(InductiveOutcome::Excluded(Box::new(Evidence::Inductive(inductive)))),
        Err(Failed::Stopped(stopped)) => Err(stopped),
        Err(_) => Ok(InductiveOutcome::Nothing),
    }
}

/// Adds facts until the problem has no solution, or one of which nothing is known. `moments` are the markings of a
/// solution.
fn exclude_all(
    facts: &mut Facts<'_>,
    budget: &mut Budget,
    problem: impl Fn(&[Clause]) -> Option<Problem>,
    moments: impl Fn(Vec<i64>) -> Vec<Vec<i64>>,
) -> Result<bool, Stopped> {
    let places = facts.net.place_count();
    loop {
        let Some(problem) = problem(&facts.clauses) else { return Ok(false) };
        let Err(values) = refuted(&mut Solver::new(problem), budget)? else { return Ok(true) };
        let mut is_new = false;
        for marking in moments(values) {
            if facts.exclude_marking(&marking[..places], budget)? {
                is_new = true;
                break;
            }
        }
        if !is_new {
            return Ok(false);
        }
    }
}

/// The run that a solution is.
fn run(net: &Net, values: &[i64], steps: usize) -> Vec<u32> {
    let (places, transitions) = (net.place_count(), net.transition_count());
    let fired = |moment: usize| (0_u32..).zip(&values[moment * (places + transitions) + places..][..transitions]).find(|one| *one.1 > 0);
    (0..steps).filter_map(|moment| fired(moment).map(|one| one.0)).collect()
}

/// The opposite of a goal as clauses; `None` where there are many.
pub fn clauses_of(goal: &Formula) -> Option<Vec<Clause>> {
    let number = |linear: &serval_petri::Linear, sign: i128| {
        let terms =
            linear.terms().iter().map(|&(place, factor)| (u32::try_from(place.index()).unwrap_or(u32::MAX), sign * i128::from(factor)));
        Linear::from_wide(terms, sign * i128::from(linear.constant()) - 1).map(Bound)
    };
    let opposite = |constraint: &Constraint| match constraint {
        Constraint::AtLeastZero(linear) => Some(vec![number(linear, -1)?]),
        Constraint::Zero(linear) => Some(vec![number(linear, -1)?, number(linear, 1)?]),
        Constraint::NotDivisible { .. } => None,
    };
    let targets = goal.targets(CLAUSES)?;
    let clause = |target: &serval_petri::Target| Some(target.constraints().iter().map(opposite).collect::<Option<Vec<_>>>()?.concat());
    targets.iter().map(clause).collect()
}

/// Evidence for several steps, with the clauses of an invariant that are needed.
pub(super) fn several(
    net: &Net,
    goal: &Formula,
    clauses: &[Clause],
    steps: usize,
    budget: &mut Budget,
) -> Result<InductiveOutcome, Stopped> {
    let Some(all) = trees(net, goal, clauses, steps, budget)? else { return Ok(InductiveOutcome::Nothing) };
    let mut needed = match invariant(net, clauses, all.used, budget) {
        Ok(invariant) => invariant,
        Err(Failed::Stopped(stopped)) => return Err(stopped),
        Err(_) => return Ok(InductiveOutcome::Nothing),
    };
    if let Some(fewer) = fewer_atoms(net, &needed.clauses, &mut budget.part(TICKS))
        && let Ok(shorter) = invariant(net, &fewer, (0..fewer.len()).collect(), &mut budget.part(TICKS))
    {
        needed = shorter;
    }
    let invariant = needed;
    let Some(Trees { base, step, .. }) = trees(net, goal, &invariant.clauses, steps, budget)? else { return Ok(InductiveOutcome::Nothing) };
    Ok(InductiveOutcome::Excluded(Box::new(Evidence::KInductive(KInductive { invariant, base, step }))))
}

struct Trees {
    base: Vec<Tree>,
    step: Tree,
    /// The clauses that they use.
    used: BTreeSet<usize>,
}

fn trees(net: &Net, goal: &Formula, clauses: &[Clause], steps: usize, budget: &mut Budget) -> Result<Option<Trees>, Stopped> {
    let mut used = BTreeSet::new();
    let mut all = Vec::with_capacity(steps + 1);
    let (units, others): (Vec<usize>, Vec<usize>) = (0..clauses.len()).partition(|&clause| clauses[clause].len() == 1);
    for length in 0..=steps {
        let Ok(problem) = k_inductive::problem(net, clauses, goal, length, length < steps) else { return Ok(None) };
        let first = problem.equalities.len() + length * net.place_count();
        let Ok(tree) = refuted(&mut Solver::new(problem), budget)? else { return Ok(None) };
        // The clauses come again for each moment.
        let mut add = |list: &[usize], at: Option<usize>| {
            used.extend(at.filter(|&at| at < list.len() * (length + 1)).map(|at| list[at % list.len()]));
        };
        for node in &tree.nodes {
            let (combination, tight) = match node {
                Node::Clause { clause } => {
                    add(&others, Some(*clause as usize));
                    continue;
                }
                Node::Bound { .. } | Node::Residue { .. } => continue,
                Node::Farkas { combination } => (&combination[..], &[][..]),
                Node::Lattice { combination, tight, .. } => (&combination[..], &tight[..]),
            };
            for (reference, _) in combination.iter().chain(tight) {
                if let Reference::Fact(fact) = reference {
                    add(&units, (*fact as usize).checked_sub(first));
                }
            }
        }
        all.push(tree);
    }
    let step = all.pop().unwrap_or_default();
    Ok(Some(Trees { base: all, step, used }))
}
