//! Explicit-state search, breadth first; for deadlocks with stubborn sets (Valmari 1990).

pub mod count;
pub mod graph;
pub mod homes;
mod known_ends;
mod stubborn;

use std::collections::VecDeque;

use serval_budget::{Budget, Stopped};
use serval_net_proof::backward::mirrored;
use serval_net_proof::bounds::excludes;
use serval_net_proof::{Backward, Evidence, Helpers, RecentParts, RowSteps, Rows, States, Stubborn, Toward};
use serval_petri::{Formula, Net};
use serval_states::StateSet;

use crate::fast::Fast;
use crate::goals::Goal;
use known_ends::KnownEnds;

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
    let (fast, is_deadlock) = (Fast::new(net), Formula::deadlock(net).as_ref() == Some(goal));
    let mut search = Search::new(&fast);
    Ok(match search.look(&fast, is_deadlock, goal, most, budget)? {
        Some(said) => said,
        None => search.all(),
    })
}

impl Search {
    /// Looks at all markings, at most `most`, until one is in the goal, of which it is known whether it is that nothing
    /// can fire; nothing where all have been looked at. It goes on where it ended, be it for another goal, and says
    /// what it would say if it had begun anew. A tick is a marking.
    pub(crate) fn look(
        &mut self,
        fast: &Fast,
        is_deadlock: bool,
        goal: &Formula,
        most: usize,
        budget: &mut Budget,
    ) -> Result<Option<ExplicitOutcome>, Stopped> {
        let mut sought = SoughtGoal::new(goal, fast.initial.len());
        let mut next = |here: Here<'_>, into: &mut Vec<usize>| here.enabled(into);
        let mut open = |here: Here<'_>, into: &mut Vec<usize>| here.enabled_to_new(into);
        let mut at = 0;
        while at < self.known.len() {
            // Markings that were followed before, or some more.
            let end = if at < self.at { self.at } else { self.batch() };
            for number in at..end {
                budget.spend(1)?;
                let here = self.here(number);
                if if is_deadlock { here.is_deadlock() } else { sought.is_at(here) } {
                    return Ok(Some(ExplicitOutcome::Reached(self.way_to(fast, number, &mut next))));
                }
            }
            if let Err(outcome) = self.follow(fast, end, &mut open) {
                return Ok(Some(outcome));
            }
            if self.known.len() > most {
                return Ok(Some(ExplicitOutcome::TooMany));
            }
            at = end;
        }
        Ok(None)
    }

    /// What it says of a goal that none of the markings is in, where all have been looked at.
    pub(crate) fn all(self) -> ExplicitOutcome {
        let states = States { markings: self.known.ascending() };
        ExplicitOutcome::Excluded(Box::new(Evidence::States(states)))
    }

    /// The same, where other goals come.
    pub(crate) fn copied(&self) -> ExplicitOutcome {
        let mut markings = self.known.rows().clone();
        markings.sort();
        ExplicitOutcome::Excluded(Box::new(Evidence::States(States { markings })))
    }
}

/// Looks at markings, at most `most`, for all of some goals in one search, each with its number and whether it is that
/// nothing can fire. Tells a shortest run into each that it finds. A tick is a marking.
pub(crate) fn look_for_all(
    fast: &Fast,
    goals: &[(usize, bool, &Formula)],
    most: usize,
    budget: &mut Budget,
    mut found: impl FnMut(usize, &[u32]),
) -> Result<(), Stopped> {
    let mut open: Vec<(usize, bool, Goal)> =
        goals.iter().map(|&(number, is_deadlock, goal)| (number, is_deadlock, Goal::new(goal))).collect();
    let mut search = Search::new(fast);
    let mut next = |here: Here<'_>, into: &mut Vec<usize>| here.enabled(into);
    let mut new = |here: Here<'_>, into: &mut Vec<usize>| here.enabled_to_new(into);
    let (mut marking, mut scratch, mut reached) = (Vec::new(), Vec::new(), Vec::new());
    while !open.is_empty() && search.at < search.known.len() && search.known.len() <= most {
        let end = search.batch();
        for number in search.at..end {
            budget.spend(1)?;
            search.known.read(number, &mut marking);
            let is_dead = search.here(number).is_deadlock();
            open.retain(|(goal, is_deadlock, shape)| {
                let holds = if *is_deadlock { is_dead } else { shape.holds_with(&marking, &mut scratch) };
                reached.extend(holds.then_some(*goal));
                !holds
            });
            if !reached.is_empty() {
                let way = search.way_to(fast, number, &mut next);
                reached.drain(..).for_each(|goal| found(goal, &way));
            }
        }
        if search.follow(fast, end, &mut new).is_err() {
            break;
        }
    }
    Ok(())
}

/// A goal, looked for in one marking after the other.
///
/// It is worked out only where it may hold: not where more tokens would be necessary than a place has in any of the
/// markings so far, nor where the places that it speaks of have the same tokens as in a marking that was not in it.
struct SoughtGoal<'a> {
    formula: &'a Formula,
    goal: Goal,
    places: Vec<usize>,
    seen: RecentParts,
    /// Whether places have too few tokens for it in all markings, when rows were packed so.
    is_excluded: (Option<u64>, bool),
    marking: Vec<u64>,
    open: Vec<(bool, usize)>,
}

impl<'a> SoughtGoal<'a> {
    fn new(formula: &'a Formula, places: usize) -> Self {
        let goal = Goal::new(formula);
        let (mentioned, is_excluded) = (goal.places(), (None, false));
        let seen = RecentParts::at(mentioned.iter().copied());
        Self { formula, goal, places: mentioned, seen, is_excluded, marking: vec![0; places], open: Vec::new() }
    }

    fn is_at(&mut self, here: Here<'_>) -> bool {
        let rows = here.known.rows();
        if self.is_excluded.0 != Some(rows.layout()) {
            let tops: Vec<Option<i128>> = rows.tops().map(|top| Some(top.into())).collect();
            self.is_excluded = (Some(rows.layout()), excludes(self.formula, &tops));
        }
        if self.is_excluded.1 || self.seen.keep(rows, here.number) {
            return false;
        }
        rows.read_places(here.number, &self.places, &mut self.marking);
        self.goal.holds_with(&self.marking, &mut self.open)
    }
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

/// How much stubborn sets leave out.
///
/// A search gives up where they leave out too little to pay for themselves. That is sound for any choice of when:
/// what is found until then counts, and else all markings are looked at, each with all that is enabled, as if there
/// were no sets. (All transitions together are a stubborn set of each marking, so that such a search misses nothing
/// that one with sets would see.)
#[derive(Default)]
struct LeftOutBySets {
    /// How many markings have been counted, from the first on.
    counted: usize,
    /// After how many it is looked at next.
    next: usize,
    followed: usize,
    enabled: usize,
    scratch: Vec<usize>,
}

/// After so many markings it is seen whether stubborn sets leave out a quarter of what is enabled.
const TRIED: usize = 200;

impl LeftOutBySets {
    fn new() -> Self {
        Self { next: TRIED, ..Self::default() }
    }

    /// Counts a marking with how much of what is enabled is followed; whether it is time to look, and less than a
    /// quarter has been left out. Each marking counts once: later, a way to a marking asks again for what was followed.
    fn is_too_little(&mut self, here: Here<'_>, followed: usize) -> bool {
        if here.number != self.counted || self.counted >= self.next {
            return false;
        }
        self.counted += 1;
        self.followed = self.followed.saturating_add(followed);
        self.scratch.clear();
        here.enabled(&mut self.scratch);
        self.enabled = self.enabled.saturating_add(self.scratch.len());
        self.counted == self.next && self.followed.saturating_mul(4) > self.enabled.saturating_mul(3)
    }
}

/// The same for deadlocks, with a stubborn set for each marking; nothing where the sets leave out too little.
pub fn look_for_deadlock(net: &Net, most: usize, budget: &mut Budget) -> Result<Option<ExplicitOutcome>, Stopped> {
    look_for_deadlock_fast(&Fast::new(net), most, budget)
}

pub(crate) fn look_for_deadlock_fast(fast: &Fast, most: usize, budget: &mut Budget) -> Result<Option<ExplicitOutcome>, Stopped> {
    let (mut sets, mut marking, mut left_out) = (stubborn::Sets::new(fast), Vec::new(), LeftOutBySets::new());
    let mut gives_up = false;
    let explored = explore(
        fast,
        most,
        budget,
        |here| here.is_deadlock(),
        |here, into| {
            if gives_up {
                return;
            }
            here.known.read(here.number, &mut marking);
            let members = sets.of(&marking).into_iter().map(|member| member as usize);
            into.extend(members.filter(|&member| here.is_enabled(member)));
            gives_up = left_out.is_too_little(here, into.len());
        },
    )?;
    if gives_up && !matches!(explored, Exploration::Reached(_)) {
        return Ok(None);
    }
    Ok(Some(explored.said(|markings| {
        let sets = markings.iter().map(|marking| sets.of(&marking)).collect();
        Evidence::Stubborn(Stubborn { markings, sets })
    })))
}

/// Looks at markings, at most `most`, that are enough to see every one of a goal, until one is: with a stubborn set for
/// each. Runs need not be shortest. Nothing where a number does not fit, or where the sets leave out too little. A tick
/// is a marking.
pub fn look_toward(net: &Net, goal: &Formula, most: usize, budget: &mut Budget) -> Result<Option<ExplicitOutcome>, Stopped> {
    let Some(helpers) = Helpers::new(net, goal) else { return Ok(None) };
    let fast = Fast::new(net);
    let (mut sets, mut marking, mut left_out) = (stubborn::Sets::new(&fast), Vec::new(), LeftOutBySets::new());
    let (shape, mut open, mut here_is) = (Goal::new(goal), Vec::new(), Vec::new());
    let is_goal = |here: Here<'_>| {
        here.known.read(here.number, &mut here_is);
        shape.holds_with(&here_is, &mut open)
    };
    // The first marking at which it has been given up.
    let mut end = usize::MAX;
    let explored = explore(&fast, most, budget, is_goal, |here, into| {
        if here.number >= end {
            return;
        }
        here.known.read(here.number, &mut marking);
        let Some(set) = sets.toward(&helpers, &marking) else {
            end = here.number;
            return;
        };
        into.extend(set.into_iter().map(|member| member as usize).filter(|&member| here.is_enabled(member)));
        if left_out.is_too_little(here, into.len()) {
            end = here.number.saturating_add(1);
        }
    })?;
    if end < usize::MAX && !matches!(explored, Exploration::Reached(_)) {
        return Ok(None);
    }
    Ok(Some(explored.said(|markings| {
        let sets = markings.iter().map(|marking| sets.toward(&helpers, &marking).unwrap_or_default()).collect();
        Evidence::Toward(Toward { markings, sets })
    })))
}

/// A marking that is looked at.
#[derive(Clone, Copy)]
struct Here<'a> {
    known: &'a StateSet<u64>,
    /// The transitions as steps between rows.
    steps: &'a RowSteps,
    number: usize,
    /// The transitions that lead to markings that are known, a bit for each, where the search follows all transitions.
    known_ends: &'a [u64],
}

impl Here<'_> {
    fn is_enabled(self, transition: usize) -> bool {
        self.steps.can_be_taken(transition, self.known.rows(), self.number)
    }

    fn is_deadlock(self) -> bool {
        !self.steps.can_go_on(self.known.rows(), self.number)
    }

    /// Lists what is enabled.
    fn enabled(self, into: &mut Vec<usize>) {
        self.steps.list(self.known.rows(), self.number, into);
    }

    /// Lists what is enabled and may lead to a marking that is not known.
    fn enabled_to_new(self, into: &mut Vec<usize>) {
        self.steps.list_without(self.known.rows(), self.number, self.known_ends, into);
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

/// Follows from each marking the transitions that `next` lists, until one is a goal.
fn explore(
    fast: &Fast,
    most: usize,
    budget: &mut Budget,
    mut is_goal: impl FnMut(Here<'_>) -> bool,
    mut next: impl FnMut(Here<'_>, &mut Vec<usize>),
) -> Result<Exploration, Stopped> {
    let mut search = Search::new(fast);
    while search.at < search.known.len() {
        let end = search.batch();
        for number in search.at..end {
            budget.spend(1)?;
            if is_goal(search.here(number)) {
                return Ok(Exploration::Reached(search.way_to(fast, number, &mut next)));
            }
        }
        match search.follow(fast, end, &mut next) {
            Err(ExplicitOutcome::TooManyTokens) => return Ok(Exploration::TooManyTokens),
            Err(_) => return Ok(Exploration::TooMany),
            Ok(()) if search.known.len() > most => return Ok(Exploration::TooMany),
            Ok(()) => {}
        }
    }
    Ok(Exploration::All(Box::new(search.known)))
}

/// Markings whose successors are looked up together.
const TOGETHER: usize = 64;

/// After so many markings that have been followed a search is long.
const LONG: usize = 2_000;

/// A search for markings, which can go on where it ended.
pub(crate) struct Search {
    known: StateSet<u64>,
    /// The transitions as steps between rows.
    steps: RowSteps,
    /// The first marking that has not been followed.
    at: usize,
    transitions: Vec<usize>,
    /// By marking that has not been followed the transition that led there first.
    came: VecDeque<u32>,
    /// Made for searches that are long enough.
    known_ends: Option<KnownEnds>,
}

impl Search {
    pub(crate) fn new(fast: &Fast) -> Self {
        let (mut known, mut steps) = (StateSet::default(), steps(fast));
        known.insert(&fast.initial);
        let is_fitted = steps.fit(known.rows());
        debug_assert!(is_fitted, "all markings have the places of the net");
        // Nothing led to the first one.
        let came = VecDeque::from([u32::MAX]);
        Self { known, steps, at: 0, transitions: Vec::new(), came, known_ends: None }
    }

    fn here(&self, number: usize) -> Here<'_> {
        Here { known: &self.known, steps: &self.steps, number, known_ends: &[] }
    }

    /// Where the markings end that are followed together next.
    fn batch(&self) -> usize {
        self.known.len().min(self.at + TOGETHER)
    }

    /// Follows from each marking before this one that has not been followed what `next` lists. The error says what
    /// there is too much of.
    fn follow(&mut self, fast: &Fast, end: usize, next: &mut impl FnMut(Here<'_>, &mut Vec<usize>)) -> Result<(), ExplicitOutcome> {
        let (mut marking, mut changes) = (Vec::new(), Vec::new());
        if self.known_ends.is_none() && self.at >= LONG {
            self.known_ends = Some(KnownEnds::new(fast));
        }
        for number in self.at..end {
            self.transitions.clear();
            let known_ends = self.known_ends.as_ref().map_or(&[][..], |ends| ends.of(self.came.get(number - self.at).copied()));
            next(Here { known: &self.known, steps: &self.steps, number, known_ends }, &mut self.transitions);
            let mut left = &self.transitions[..];
            while let [transition, rest @ ..] = &left[self.known.seek_steps(number, &self.steps, left)..] {
                left = rest;
                self.known.read(number, &mut marking);
                if !fast.changed(&marking, *transition, &mut changes) {
                    return Err(ExplicitOutcome::TooManyTokens);
                }
                if !self.known.insert_sought(|step| self.came.push_back(step)) {
                    return Err(ExplicitOutcome::TooMany);
                }
                match self.known.insert_changed(number, &changes) {
                    Some((_, true)) => self.came.push_back(u32::try_from(*transition).unwrap_or(u32::MAX)),
                    Some((_, false)) => {}
                    None => return Err(ExplicitOutcome::TooMany),
                }
                self.steps.fit(self.known.rows());
            }
        }
        self.came.drain(..end.saturating_sub(self.at));
        self.at = self.at.max(end);
        let has_room = self.known.insert_sought(|step| self.came.push_back(step));
        if has_room { Ok(()) } else { Err(ExplicitOutcome::TooMany) }
    }

    /// The run by which the search came to a marking. What led to markings is not kept: it is found again, because the
    /// marking that was followed first of those that lead to another is the one with the least number.
    fn way_to(&mut self, fast: &Fast, number: usize, next: &mut impl FnMut(Here<'_>, &mut Vec<usize>)) -> Vec<u32> {
        way_to(fast, &mut self.known, &self.steps, number, next)
    }
}

/// The run by which an exploration came to a marking.
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
            next(Here { known, steps, number, known_ends: &[] }, &mut transitions);
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
