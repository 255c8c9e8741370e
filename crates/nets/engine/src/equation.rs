//! The marking equation with traps and siphons (Esparza, Melzer 2000): it excludes a goal, or it is a plan.
//!
//! Solutions that leave empty a trap that is marked in the beginning add that trap, and solutions that take from places
//! that they do not feed add these ([`fill`]), until there is no solution, or one with which neither is so. That one
//! says how often each transition might fire. Its firings are tried in many orders, with a little slack; what is
//! reached is looked at like everything else.

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Tree};
use serval_net_proof::equation::{feeds, marking_equation, problem};
use serval_net_proof::{Equation, Evidence, Item, Weights};
use serval_petri::{Formula, Net, greatest_trap};

use crate::fast::Fast;
use crate::fill;
use crate::goals::Goal;
use crate::guided::carried_out;
use crate::walk::Random;

/// The equation of a net, solved: every question about the net begins there.
pub(crate) struct Base {
    solver: Option<Solver>,
}

impl Base {
    /// Solves the equation of a net, which the initial marking does.
    pub(crate) fn new(net: &Net, budget: &mut Budget) -> Self {
        let solver = marking_equation(net).ok().and_then(|(equation, _)| {
            let mut solver = Solver::new(equation);
            matches!(solver.solve(budget), Outcome::Satisfiable(_)).then_some(solver)
        });
        Self { solver }
    }

    /// No equation is solved beforehand.
    pub(crate) fn none() -> Self {
        Self { solver: None }
    }

    /// The equation with a goal; `None` where a number does not fit.
    pub(crate) fn with(&self, net: &Net, goal: &Formula, evidence: &Equation) -> Option<Solver> {
        let problem = problem(net, goal, evidence).ok()?;
        let Some(mut solver) = self.solver.clone() else { return Some(Solver::new(problem)) };
        while solver.problem().variables < problem.variables {
            solver.add_variable();
        }
        problem.inequalities.into_iter().for_each(|linear| solver.add_inequality(linear));
        problem.clauses.into_iter().for_each(|clause| solver.add_clause(clause));
        Some(solver)
    }
}

/// What the equation says of a goal.
pub enum EquationOutcome {
    /// No marking of it can be reached.
    Excluded(Box<Evidence>),
    /// A plan led into it.
    Reached(Vec<Item>),
    /// Neither.
    Nothing,
}

/// Asks the equation about a goal.
pub fn ask(net: &Net, goal: &Formula, seed: u64, plans: usize, budget: &mut Budget) -> Result<EquationOutcome, Stopped> {
    ask_from(&Base::none(), &Fast::new(net), net, goal, (seed, plans), budget)
}

/// Asks the equation about a goal, with a seed, and with a limit on the number of plans.
pub(crate) fn ask_from(
    base: &Base,
    fast: &Fast,
    net: &Net,
    goal: &Formula,
    (seed, plans): (u64, usize),
    budget: &mut Budget,
) -> Result<EquationOutcome, Stopped> {
    let mut evidence = Equation { traps: Vec::new(), weights: Weights::default(), unfed: Vec::new(), tree: Tree::default() };
    let Some(mut solver) = base.with(net, goal, &evidence) else { return Ok(EquationOutcome::Nothing) };
    let (mut random, end) = (Random(seed), Goal::new(goal));
    let (transitions, mut left) = (net.transition_count(), plans);
    let is_free = fill::is_communication_free(net);
    loop {
        let values = match solver.solve(budget) {
            Outcome::Stopped(stopped) => return Err(stopped),
            Outcome::Refuted(_) if left < plans => return Ok(EquationOutcome::Nothing),
            Outcome::Refuted(tree) => {
                // The numbers of clauses and inequalities are those of the problem that the checker builds.
                let ordered = reordered(base, net, goal, &evidence, tree, budget)?;
                return Ok(ordered.map_or(EquationOutcome::Nothing, |tree| {
                    evidence.tree = tree;
                    EquationOutcome::Excluded(Box::new(Evidence::Equation(evidence)))
                }));
            }
            Outcome::Satisfiable(values) => values,
        };
        let empty: Vec<bool> = values[transitions..transitions + net.place_count()].iter().map(|&tokens| tokens == 0).collect();
        let trap = greatest_trap(net, net.transitions(), empty);
        let places: Vec<u32> = (0..).zip(&trap).filter(|(_, inside)| **inside).map(|(place, _)| place).collect();
        if net.places().any(|place| trap[place.index()] && net.initial_tokens(place) > 0) {
            let offset = u32::try_from(transitions).unwrap_or(u32::MAX);
            let Some(marked) = Linear::new(places.iter().map(|&place| (offset.saturating_add(place), 1)), -1) else {
                return Ok(EquationOutcome::Nothing);
            };
            solver.add_inequality(marked);
            evidence.traps.push(places);
            continue;
        }
        let plan: Vec<u64> = values[..transitions].iter().map(|&times| u64::try_from(times).unwrap_or(0)).collect();
        let unfed = fill::unfed(fast, net, &plan);
        if plans == 0 && unfed.is_none() {
            return Ok(EquationOutcome::Nothing);
        }
        // With a little slack even a plan that does not feed all places may be carried out.
        if let Some(unfed) = unfed {
            if plans > 0
                && let Some(run) = carried_out(fast, &end, &values[..transitions], &mut random, budget)?
            {
                return Ok(EquationOutcome::Reached(run));
            }
            let Ok(clause) = feeds(net, &unfed) else { return Ok(EquationOutcome::Nothing) };
            solver.add_clause(clause);
            evidence.unfed.push(unfed);
            continue;
        }
        if is_free && let Some(word) = fill::carried_out(fast, net, &plan, budget)? {
            return Ok(EquationOutcome::Reached(word));
        }
        if let Some(run) = carried_out(fast, &end, &values[..transitions], &mut random, budget)? {
            return Ok(EquationOutcome::Reached(run));
        }
        left = left.saturating_sub(1);
        let used = values[..transitions].iter().fold(0_i64, |sum, &times| sum.saturating_add(times));
        let all = Linear::new(
            (0..u32::try_from(transitions).unwrap_or(0)).map(|transition| (transition, 1)),
            used.saturating_add(1).saturating_neg(),
        );
        match all {
            // Longer plans have more ways.
            Some(longer) if left > 0 => solver.add_inequality(longer),
            _ => return Ok(EquationOutcome::Nothing),
        }
    }
}

/// Evidence that nothing of a goal can be reached, if the equation with traps and places that are not fed says so;
/// plans are not tried.
pub(crate) fn refuted(base: &Base, fast: &Fast, net: &Net, goal: &Formula, budget: &mut Budget) -> Result<Option<Equation>, Stopped> {
    match ask_from(base, fast, net, goal, (0, 0), budget)? {
        EquationOutcome::Excluded(evidence) => Ok(match *evidence {
            Evidence::Equation(equation) => Some(equation),
            _ => None,
        }),
        EquationOutcome::Reached(_) | EquationOutcome::Nothing => Ok(None),
    }
}

/// A tree for the problem as the checker builds it: traps and places that are not fed come before the goal there, and
/// after it here, so it is asked again, which takes no longer than it took.
fn reordered(
    base: &Base,
    net: &Net,
    goal: &Formula,
    evidence: &Equation,
    tree: Tree,
    budget: &mut Budget,
) -> Result<Option<Tree>, Stopped> {
    if evidence.traps.is_empty() && evidence.unfed.is_empty() {
        return Ok(Some(tree));
    }
    let Some(mut solver) = base.with(net, goal, evidence) else { return Ok(None) };
    match solver.solve(budget) {
        Outcome::Refuted(tree) => Ok(Some(tree)),
        Outcome::Satisfiable(_) => Ok(None),
        Outcome::Stopped(stopped) => Err(stopped),
    }
}
