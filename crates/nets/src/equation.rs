//! The marking equation: it excludes a goal, or it is a plan.
//!
//! Solutions that leave empty a trap that is marked in the beginning add that trap, until there is no solution, or one that leaves none
//! empty. That one says how often each transition might fire. Its firings are tried in many orders, with a little slack; what is reached is looked at
//! like everything else.

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Tree};
use serval_netproof::equation::{marking_equation, problem};
use serval_netproof::{Equation, Evidence, Item, Weights};
use serval_petri::{Formula, Net, greatest_trap};

use crate::fast::Fast;
use crate::goals::Goal;
use crate::walk::{Enabled, Random};

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

    /// The equation with a goal; `None` where a number does not fit.
    fn with(&self, net: &Net, goal: &Formula, evidence: &Equation) -> Option<Solver> {
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
pub enum Said {
    /// No marking of it can be reached.
    Excluded(Box<Evidence>),
    /// A plan led into it.
    Reached(Vec<Item>),
    /// Neither.
    Nothing,
}

/// How often a plan is tried.
const TRIES: u64 = 64;
/// Firings of a plan that are tried one by one.
const LONG: u64 = 10_000;

/// Asks the equation about a goal.
pub fn ask(net: &Net, goal: &Formula, seed: u64, plans: usize, budget: &mut Budget) -> Result<Said, Stopped> {
    ask_from(&Base { solver: None }, &Fast::new(net), net, goal, (seed, plans), budget)
}

/// Asks the equation about a goal, with a seed, and with at most so many plans.
pub(crate) fn ask_from(
    base: &Base,
    fast: &Fast,
    net: &Net,
    goal: &Formula,
    (seed, plans): (u64, usize),
    budget: &mut Budget,
) -> Result<Said, Stopped> {
    let mut evidence = Equation { traps: Vec::new(), weights: Weights::default(), tree: Tree::default() };
    let Some(mut solver) = base.with(net, goal, &evidence) else { return Ok(Said::Nothing) };
    let (mut random, end) = (Random(seed), Goal::new(goal));
    let (transitions, mut left) = (net.transition_count(), plans);
    loop {
        let values = match solver.solve(budget) {
            Outcome::Stopped(stopped) => return Err(stopped),
            Outcome::Refuted(_) if left < plans => return Ok(Said::Nothing),
            Outcome::Refuted(tree) => {
                // The numbers of clauses and inequalities are those of the problem that the checker builds.
                let ordered = reordered(base, net, goal, &evidence, tree, budget)?;
                return Ok(ordered.map_or(Said::Nothing, |tree| {
                    evidence.tree = tree;
                    Said::Excluded(Box::new(Evidence::Equation(evidence)))
                }));
            }
            Outcome::Satisfiable(values) => values,
        };
        let empty: Vec<bool> = values[transitions..transitions + net.place_count()].iter().map(|&tokens| tokens == 0).collect();
        let trap = greatest_trap(net, net.transitions(), empty);
        let places: Vec<u32> = (0..).zip(&trap).filter(|(_, inside)| **inside).map(|(place, _)| place).collect();
        if net.places().any(|place| trap[place.index()] && net.initial_tokens(place) > 0) {
            let offset = u32::try_from(transitions).unwrap_or(u32::MAX);
            let Some(marked) = Linear::new(places.iter().map(|&place| (offset + place, 1)), -1) else { return Ok(Said::Nothing) };
            solver.add_inequality(marked);
            evidence.traps.push(places);
            continue;
        }
        if let Some(run) = carried_out(fast, &end, &values[..transitions], &mut random, budget)? {
            return Ok(Said::Reached(run));
        }
        left = left.saturating_sub(1);
        let used = values[..transitions].iter().fold(0_i64, |sum, &times| sum.saturating_add(times));
        let all = Linear::new((0..u32::try_from(transitions).unwrap_or(0)).map(|transition| (transition, 1)), -used.saturating_add(1));
        match all {
            // Longer plans have more ways.
            Some(longer) if left > 0 => solver.add_inequality(longer),
            _ => return Ok(Said::Nothing),
        }
    }
}

/// A tree for the problem as the checker builds it: traps come before the goal there, and after it here, so it is asked again, which takes no
/// longer than it took.
fn reordered(
    base: &Base,
    net: &Net,
    goal: &Formula,
    evidence: &Equation,
    tree: Tree,
    budget: &mut Budget,
) -> Result<Option<Tree>, Stopped> {
    if evidence.traps.is_empty() {
        return Ok(Some(tree));
    }
    let Some(mut solver) = base.with(net, goal, evidence) else { return Ok(None) };
    match solver.solve(budget) {
        Outcome::Refuted(tree) => Ok(Some(tree)),
        Outcome::Satisfiable(_) => Ok(None),
        Outcome::Stopped(stopped) => Err(stopped),
    }
}

/// Fires what the plan asks for, in random orders, and now and then something else. What is wanted often is fired as often as it can in
/// every second try, so that plans of any length are carried out.
fn carried_out(fast: &Fast, goal: &Goal, plan: &[i64], random: &mut Random, budget: &mut Budget) -> Result<Option<Vec<Item>>, Stopped> {
    let total = plan.iter().fold(0_u64, |sum, &times| sum.saturating_add(times.unsigned_abs()));
    for attempt in 0..TRIES {
        let bursts = attempt % 2 == 1;
        if !bursts && total > LONG {
            continue;
        }
        let mut marking = fast.initial.clone();
        let mut rest: Vec<u64> = plan.iter().map(|times| times.unsigned_abs()).collect();
        let (mut enabled, mut run) = (Enabled::new(fast, &marking), Vec::new());
        let mut spare = attempt / 8;
        for _ in 0..total.min(LONG).saturating_mul(2).saturating_add(16) {
            budget.spend(1)?;
            let wanted: Vec<usize> = enabled.list().iter().copied().filter(|&transition| rest[transition] > 0).collect();
            let (transition, times) = if !wanted.is_empty() && (spare == 0 || random.below(16) > 0) {
                let chosen = wanted[random.below(wanted.len())];
                let times = if bursts { fast.most(&marking, chosen).min(rest[chosen]) } else { 1 };
                rest[chosen] -= times;
                (chosen, times)
            } else if spare > 0 && !enabled.list().is_empty() {
                spare -= 1;
                (enabled.list()[random.below(enabled.list().len())], 1)
            } else {
                break;
            };
            if !fast.fire_often(&mut marking, transition, times) {
                break;
            }
            enabled.moved(fast, &marking, &fast.effects[transition]);
            let number = u32::try_from(transition).unwrap_or(u32::MAX);
            run.push(if times == 1 { Item::Fire(number) } else { Item::Repeat(times, vec![number]) });
            if goal.holds(&marking) {
                return Ok(Some(run));
            }
        }
    }
    Ok(None)
}
