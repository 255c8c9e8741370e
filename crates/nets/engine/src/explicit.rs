//! Explicit-state search, breadth first; for deadlocks with stubborn sets (Valmari 1990).

mod stubborn;

use serval_budget::{Budget, Stopped};
use serval_net_proof::backward::mirrored;
use serval_net_proof::{Backward, Evidence, Rows, States, Stubborn};
use serval_petri::{Formula, Net};
use serval_states::{Explored, StateSet};

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
    let everything = |marking: &[u64], into: &mut Vec<usize>| {
        into.extend((0..fast.inputs.len()).filter(|&transition| fast.is_enabled(marking, transition)));
    };
    let explored = explore(fast, most, budget, |marking| goal.holds_with(marking, &mut open), everything)?;
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
    let mut sets = stubborn::Sets::new(fast);
    let is_deadlock = |marking: &[u64]| (0..fast.inputs.len()).all(|transition| !fast.is_enabled(marking, transition));
    let explored = explore(fast, most, budget, is_deadlock, |marking, into| {
        let members = sets.of(marking).into_iter().map(|member| member as usize);
        into.extend(members.filter(|&member| fast.is_enabled(marking, member)));
    })?;
    Ok(explored.said(|markings| {
        let sets = markings.iter().map(|marking| sets.of(&marking)).collect();
        Evidence::Stubborn(Stubborn { markings, sets })
    }))
}

/// What an exploration found.
enum Exploration {
    Reached(Vec<u32>),
    All(StateSet<u64>),
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

/// Follows from each marking the transitions that `next` lists, until one is a goal.
fn explore(
    fast: &Fast,
    most: usize,
    budget: &mut Budget,
    mut is_goal: impl FnMut(&[u64]) -> bool,
    mut next: impl FnMut(&[u64], &mut Vec<usize>),
) -> Result<Exploration, Stopped> {
    // Labels are transitions.
    let mut known = Explored::new(&fast.initial, 0_u32);
    let (mut marking, mut transitions, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while known.states().read(at, &mut marking) {
        budget.spend(1)?;
        if is_goal(&marking) {
            let mut run: Vec<u32> = known.way_back(at).map(|step| step.1).collect();
            run.reverse();
            return Ok(Exploration::Reached(run));
        }
        transitions.clear();
        next(&marking, &mut transitions);
        for &transition in &transitions {
            if !fast.changed(&marking, transition, &mut changes) {
                return Ok(Exploration::TooManyTokens);
            }
            if known.insert_changed(&changes, at, u32::try_from(transition).unwrap_or(u32::MAX)).is_none() {
                return Ok(Exploration::TooMany);
            }
        }
        if known.states().len() > most {
            return Ok(Exploration::TooMany);
        }
        at += 1;
    }
    Ok(Exploration::All(known.into_states()))
}
