//! Explicit-state search, breadth first; for deadlocks with stubborn sets (Valmari 1990).

mod stubborn;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_net_proof::backward::mirrored;
use serval_net_proof::{Backward, Evidence, States, Stubborn};
use serval_petri::{Formula, Net};

use crate::fast::Fast;
use crate::goals::Goal;

/// What looking at all markings says of a goal.
pub enum Said {
    /// A shortest run into it.
    Reached(Vec<u32>),
    /// All markings, none of which is in it.
    Excluded(Box<Evidence>),
    /// Nothing: there are more markings than should be looked at.
    TooMany,
    /// Nothing: a place has more tokens than fit.
    TooManyTokens,
}

/// Markings that are known, each with the number of the one before it and what led from there.
type Known = IndexMap<Vec<u64>, Option<(usize, u32)>, FxBuildHasher>;

/// Looks at all markings, at most `most`, until one is in the goal. A tick is a marking.
pub fn look(net: &Net, goal: &Formula, most: usize, budget: &mut Budget) -> Result<Said, Stopped> {
    look_fast(&Fast::new(net), goal, most, budget)
}

pub(crate) fn look_fast(fast: &Fast, goal: &Formula, most: usize, budget: &mut Budget) -> Result<Said, Stopped> {
    let goal = Goal::new(goal);
    let everything = |marking: &[u64]| (0..fast.inputs.len()).filter(|&transition| fast.is_enabled(marking, transition)).collect();
    let searched = search(fast, most, budget, |marking| goal.holds(marking), everything)?;
    Ok(match searched {
        Searched::Reached(run) => Said::Reached(run),
        Searched::All(known) => {
            let mut markings: Vec<Vec<u64>> = known.into_keys().collect();
            markings.sort_unstable();
            Said::Excluded(Box::new(Evidence::States(States { markings })))
        }
        Searched::TooMany => Said::TooMany,
        Searched::TooManyTokens => Said::TooManyTokens,
    })
}

/// Looks at all markings from which the goal can be reached, at most `most`, where it is one marking; `None` where it is not. A tick is a marking.
pub fn look_back(net: &Net, goal: &Formula, most: usize, budget: &mut Budget) -> Result<Option<Said>, Stopped> {
    let Some((mirror, end)) = mirrored(net, goal) else { return Ok(None) };
    if mirror.transition_count() > net.transition_count() {
        return Ok(None);
    }
    Ok(match look(&mirror, &end, most, budget)? {
        // The goal may say more than numbers, and then it is empty.
        Said::Reached(_) if !goal.holds(&mirror.initial()) => None,
        Said::Reached(mut word) => {
            word.reverse();
            Some(Said::Reached(word))
        }
        Said::Excluded(evidence) => Some(Said::Excluded(Box::new(Evidence::Backward(Backward { evidence })))),
        other => Some(other),
    })
}

/// The same for deadlocks, with a stubborn set for each marking.
pub fn look_for_deadlock(net: &Net, most: usize, budget: &mut Budget) -> Result<Said, Stopped> {
    look_for_deadlock_fast(&Fast::new(net), most, budget)
}

pub(crate) fn look_for_deadlock_fast(fast: &Fast, most: usize, budget: &mut Budget) -> Result<Said, Stopped> {
    let mut sets = stubborn::Sets::new(fast);
    let enabled = |set: Vec<u32>, marking: &[u64]| {
        set.into_iter().map(|member| member as usize).filter(|&member| fast.is_enabled(marking, member)).collect()
    };
    let is_deadlock = |marking: &[u64]| (0..fast.inputs.len()).all(|transition| !fast.is_enabled(marking, transition));
    let searched = search(fast, most, budget, is_deadlock, |marking| enabled(sets.of(marking), marking))?;
    Ok(match searched {
        Searched::Reached(run) => Said::Reached(run),
        Searched::All(known) => {
            let mut markings: Vec<Vec<u64>> = known.into_keys().collect();
            markings.sort_unstable();
            let sets = markings.iter().map(|marking| sets.of(marking)).collect();
            Said::Excluded(Box::new(Evidence::Stubborn(Stubborn { markings, sets })))
        }
        Searched::TooMany => Said::TooMany,
        Searched::TooManyTokens => Said::TooManyTokens,
    })
}

/// What a search found.
enum Searched {
    Reached(Vec<u32>),
    All(Known),
    TooMany,
    TooManyTokens,
}

/// Follows from each marking what `next` says, until one is looked for.
fn search(
    fast: &Fast,
    most: usize,
    budget: &mut Budget,
    is_goal: impl Fn(&[u64]) -> bool,
    mut next: impl FnMut(&[u64]) -> Vec<usize>,
) -> Result<Searched, Stopped> {
    let mut known: Known = IndexMap::default();
    known.insert(fast.initial.clone(), None);
    let mut at = 0;
    while let Some((marking, _)) = known.get_index(at) {
        budget.spend(1)?;
        let marking = marking.clone();
        if is_goal(&marking) {
            return Ok(Searched::Reached(run_to(&known, at)));
        }
        for transition in next(&marking) {
            let mut after = marking.clone();
            if !fast.fire(&mut after, transition) {
                return Ok(Searched::TooManyTokens);
            }
            known.entry(after).or_insert(Some((at, u32::try_from(transition).unwrap_or(u32::MAX))));
        }
        if known.len() > most {
            return Ok(Searched::TooMany);
        }
        at += 1;
    }
    Ok(Searched::All(known))
}

fn run_to(known: &Known, to: usize) -> Vec<u32> {
    let (mut run, mut at) = (Vec::new(), to);
    while let Some((_, Some((before, transition)))) = known.get_index(at) {
        run.push(*transition);
        at = *before;
    }
    run.reverse();
    run
}
