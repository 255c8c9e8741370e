//! Explicit-state search, breadth first; for deadlocks with stubborn sets (Valmari 1990).

pub mod count;
mod stubborn;

use serval_budget::{Budget, Stopped};
use serval_net_proof::backward::mirrored;
use serval_net_proof::{Backward, Evidence, Rows, States, Stubborn};
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
    let mut enabling = Enabling::new(fast);
    let everything = |marking: &[u64], into: &mut Vec<usize>| enabling.list(marking, into);
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

/// Which transitions are enabled, for many markings: most of those that are not lack a token on some place, which is
/// seen for 64 places at a time.
struct Enabling {
    /// By transition bits for the places that it takes from, in as many words as there must be.
    takes: Vec<u64>,
    words: usize,
    /// By transition the places from which it takes more than one.
    heavy: Vec<Vec<(usize, u64)>>,
    marked: Vec<u64>,
}

impl Enabling {
    fn new(fast: &Fast) -> Self {
        let words = fast.initial.len().div_ceil(64).max(1);
        let mut takes = vec![0; words * fast.inputs.len()];
        for (transition, inputs) in fast.inputs.iter().enumerate() {
            inputs.iter().filter(|input| input.1 > 0).for_each(|input| takes[transition * words + input.0 / 64] |= 1 << (input.0 % 64));
        }
        let heavy = fast.inputs.iter().map(|inputs| inputs.iter().copied().filter(|input| input.1 > 1).collect()).collect();
        Self { takes, words, heavy, marked: vec![0; words] }
    }

    fn list(&mut self, marking: &[u64], into: &mut Vec<usize>) {
        for (marked, tokens) in self.marked.iter_mut().zip(marking.chunks(64)) {
            *marked = tokens.iter().enumerate().fold(0, |bits, (place, &tokens)| bits | u64::from(tokens > 0) << place);
        }
        for (transition, takes) in self.takes.chunks_exact(self.words).enumerate() {
            let has_tokens = takes.iter().zip(&self.marked).all(|(takes, marked)| takes & !marked == 0);
            if has_tokens && self.heavy[transition].iter().all(|&(place, weight)| marking[place] >= weight) {
                into.push(transition);
            }
        }
    }
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

/// Markings whose successors are looked up together.
const TOGETHER: usize = 64;

/// Follows from each marking the transitions that `next` lists, until one is a goal.
fn explore(
    fast: &Fast,
    most: usize,
    budget: &mut Budget,
    mut is_goal: impl FnMut(&[u64]) -> bool,
    mut next: impl FnMut(&[u64], &mut Vec<usize>),
) -> Result<Exploration, Stopped> {
    let mut known = StateSet::default();
    known.insert(&fast.initial);
    let (mut marking, mut transitions, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < known.len() {
        let end = known.len().min(at + TOGETHER);
        for now in at..end {
            known.read(now, &mut marking);
            budget.spend(1)?;
            if is_goal(&marking) {
                return Ok(Exploration::Reached(way_to(fast, &mut known, now, &mut next)));
            }
            transitions.clear();
            next(&marking, &mut transitions);
            for &transition in &transitions {
                if !fast.changed(&marking, transition, &mut changes) {
                    return Ok(Exploration::TooManyTokens);
                }
                let is_noted = known.seek_changed(now, &changes);
                if !is_noted && (!known.insert_sought() || known.insert_changed(now, &changes).is_none()) {
                    return Ok(Exploration::TooMany);
                }
            }
        }
        at = end;
        if !known.insert_sought() || known.len() > most {
            return Ok(Exploration::TooMany);
        }
    }
    Ok(Exploration::All(known))
}

/// The run by which an exploration came to a marking. What led to markings is not kept: it is found again, because the
/// marking that was followed first of those that lead to another is the one with the least number.
fn way_to(fast: &Fast, known: &mut StateSet<u64>, number: usize, next: &mut impl FnMut(&[u64], &mut Vec<usize>)) -> Vec<u32> {
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
            next(&before, &mut transitions);
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
