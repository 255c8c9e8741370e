//! Explicit-state search, breadth first; for deadlocks with stubborn sets (Valmari 1990).

pub mod count;
pub mod graph;
pub mod homes;
mod stubborn;

use serval_budget::{Budget, Stopped};
use serval_net_proof::backward::mirrored;
use serval_net_proof::{Backward, Evidence, RowSteps, Rows, Sought, States, Stubborn};
use serval_petri::{Formula, Net};
use serval_states::StateSet;

use crate::fast::Fast;
use crate::goals::Goal;

/// What looking at all markings says of a goal.
pub enum ExplicitOutcome {
    /// A shortest run into it.
    Reached(Vec<u32>),
    /// All markings, none of which is in it.
    Excluded(Box<Evidence>),
    /// Nothing: there are more markings than should be looked at.
    TooMany,
    /// Nothing: a place has more tokens than fit.
    TooManyTokens,
}

/// Looks at all markings, at most `most`, until one is in the goal. A tick is a marking.
pub fn look(net: &Net, goal: &Formula, most: usize, budget: &mut Budget) -> Result<ExplicitOutcome, Stopped> {
    look_fast(&Fast::new(net), goal, most, budget)
}

pub(crate) fn look_fast(fast: &Fast, goal: &Formula, most: usize, budget: &mut Budget) -> Result<ExplicitOutcome, Stopped> {
    let (goal, mut open) = (Goal::new(goal), Vec::new());
    let (places, mut marking) = (goal.places(), vec![0; fast.initial.len()]);
    let is_goal = |here: Here<'_>| {
        here.known.rows().read_places(here.number, &places, &mut marking);
        goal.holds_with(&marking, &mut open)
    };
    let explored = explore(fast, most, budget, is_goal, |here, into| here.enabled(into))?;
    Ok(explored.said(|markings| Evidence::States(States { markings })))
}

/// Looks at all markings from which the goal can be reached, at most `most`, where it is one marking; `None` where it
/// is not. A tick is a marking.
pub fn look_back(net: &Net, goal: &Formula, most: usize, budget: &mut Budget) -> Result<Option<ExplicitOutcome>, Stopped> {
    let Some((mirror, end)) = mirrored(net, goal) else { return Ok(None) };
    if mirror.transition_count() > net.transition_count() {
        return Ok(None);
    }
    Ok(match look(&mirror, &end, most, budget)? {
        // The goal may say more than numbers, and then it is empty.
        ExplicitOutcome::Reached(_) if !goal.holds(&mirror.initial()) => None,
        ExplicitOutcome::Reached(mut word) => {
            word.reverse();
            Some(ExplicitOutcome::Reached(word))
        }
        ExplicitOutcome::Excluded(evidence) => Some(ExplicitOutcome::Excluded(Box::new(Evidence::Backward(Backward { evidence })))),
        other => Some(other),
    })
}

/// The same for deadlocks, with a stubborn set for each marking.
pub fn look_for_deadlock(net: &Net, most: usize, budget: &mut Budget) -> Result<ExplicitOutcome, Stopped> {
    look_for_deadlock_fast(&Fast::new(net), most, budget)
}

pub(crate) fn look_for_deadlock_fast(fast: &Fast, most: usize, budget: &mut Budget) -> Result<ExplicitOutcome, Stopped> {
    let (mut sets, mut marking) = (stubborn::Sets::new(fast), Vec::new());
    let is_deadlock = |here: Here<'_>| !(0..here.steps.len()).any(|transition| here.is_enabled(transition));
    let explored = explore(fast, most, budget, is_deadlock, |here, into| {
        here.known.read(here.number, &mut marking);
        let members = sets.of(&marking).into_iter().map(|member| member as usize);
        into.extend(members.filter(|&member| here.is_enabled(member)));
    })?;
    Ok(explored.said(|markings| {
        let sets = markings.iter().map(|marking| sets.of(&marking)).collect();
        Evidence::Stubborn(Stubborn { markings, sets })
    }))
}

/// A marking that is looked at.
#[derive(Clone, Copy)]
struct Here<'a> {
    known: &'a StateSet<u64>,
    /// The transitions as steps between rows.
    steps: &'a RowSteps,
    number: usize,
}

impl Here<'_> {
    fn is_enabled(self, transition: usize) -> bool {
        self.steps.can_be_taken(transition, self.known.rows(), self.number)
    }

    /// Lists what is enabled.
    fn enabled(self, into: &mut Vec<usize>) {
        self.steps.list(self.known.rows(), self.number, into);
    }
}

/// The transitions of a net as steps between rows.
fn steps(fast: &Fast) -> RowSteps {
    let mut steps = RowSteps::default();
    for (inputs, effects) in fast.inputs.iter().zip(&fast.effects) {
        steps.add(inputs.iter().copied(), effects.iter().copied());
    }
    steps
}

/// What an exploration found.
enum Exploration {
    Reached(Vec<u32>),
    All(Box<StateSet<u64>>),
    TooMany,
    TooManyTokens,
}

impl Exploration {
    /// What it says of the goal, where all markings, ascending, are evidence of this kind.
    fn said(self, evidence: impl FnOnce(Rows<u64>) -> Evidence) -> ExplicitOutcome {
        match self {
            Self::Reached(run) => ExplicitOutcome::Reached(run),
            Self::All(markings) => ExplicitOutcome::Excluded(Box::new(evidence(markings.ascending()))),
            Self::TooMany => ExplicitOutcome::TooMany,
            Self::TooManyTokens => ExplicitOutcome::TooManyTokens,
        }
    }
}

/// Markings whose successors are looked up together.
const TOGETHER: usize = 64;

/// Follows from each marking the transitions that `next` lists, until one is a goal.
fn explore(
    fast: &Fast,
    most: usize,
    budget: &mut Budget,
    mut is_goal: impl FnMut(Here<'_>) -> bool,
    mut next: impl FnMut(Here<'_>, &mut Vec<usize>),
) -> Result<Exploration, Stopped> {
    let (mut known, mut steps) = (StateSet::default(), steps(fast));
    known.insert(&fast.initial);
    let is_fitted = steps.fit(known.rows());
    debug_assert!(is_fitted, "all markings have the places of the net");
    let (mut marking, mut transitions, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < known.len() {
        let end = known.len().min(at + TOGETHER);
        for number in at..end {
            budget.spend(1)?;
            let here = Here { known: &known, steps: &steps, number };
            if is_goal(here) {
                return Ok(Exploration::Reached(way_to(fast, &mut known, &steps, number, &mut next)));
            }
            transitions.clear();
            next(here, &mut transitions);
            for &transition in &transitions {
                if known.seek_step(number, &steps, transition) != Sought::NoRoom {
                    continue;
                }
                known.read(number, &mut marking);
                if !fast.changed(&marking, transition, &mut changes) {
                    return Ok(Exploration::TooManyTokens);
                }
                if !known.insert_sought() || known.insert_changed(number, &changes).is_none() {
                    return Ok(Exploration::TooMany);
                }
                steps.fit(known.rows());
            }
        }
        at = end;
        if !known.insert_sought() || known.len() > most {
            return Ok(Exploration::TooMany);
        }
    }
    Ok(Exploration::All(Box::new(known)))
}

/// The run by which an exploration came to a marking. What led to markings is not kept: it is found again, because the
/// marking that was followed first of those that lead to another is the one with the least number.
fn way_to(
    fast: &Fast,
    known: &mut StateSet<u64>,
    steps: &RowSteps,
    number: usize,
    next: &mut impl FnMut(Here<'_>, &mut Vec<usize>),
) -> Vec<u32> {
    let (mut run, mut at) = (Vec::new(), number);
    let (mut marking, mut before, mut transitions) = (Vec::new(), Vec::new(), Vec::new());
    while at > 0 {
        known.read(at, &mut marking);
        let mut candidates = Vec::new();
        for transition in 0..fast.inputs.len() {
            if fast.unfire(&marking, transition, &mut before) && fast.is_enabled(&before, transition) {
                candidates.extend(known.find(&before).filter(|&number| number < at));
            }
        }
        candidates.sort_unstable();
        let step = candidates.into_iter().find_map(|number| {
            known.read(number, &mut before);
            transitions.clear();
            next(Here { known, steps, number }, &mut transitions);
            let leads = |&&transition: &&usize| {
                let mut after = before.clone();
                fast.fire(&mut after, transition) && after == marking
            };
            Some((number, *transitions.iter().find(leads)?))
        });
        // Each marking but the first came from one before it.
        let Some((number, transition)) = step else { break };
        run.push(u32::try_from(transition).unwrap_or(u32::MAX));
        at = number;
    }
    run.reverse();
    run
}
