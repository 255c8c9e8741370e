//! Backward coverability of well-structured systems (Abdulla, Čerāns, Jonsson, Tsay 1996; Finkel, Schnoebelen 2001):
//! the least markings from which the goal can be covered.
//!
//! A basis grows from the least markings of the goal by *predecessors*: `pre(b, t) = max(b − e(t), in(t))` is the least
//! marking from which `t` leads to what is at least `b`. What is at least a member already is not added, and what
//! weighted sums exclude is not, either: it cannot be reached. Nor is what the marking equation excludes, with traps:
//! that takes longer to ask, so that it is asked only of markings that would be added. The smallest members are looked
//! at first. If the initial marking is at least a member, the transitions from there to the goal are a run. If not, and
//! nothing can be added, the basis is closed, and the goal cannot be reached (`serval_net_proof::basis`). It ends since
//! no infinite sequence of markings is without two in order (Dickson).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use serval_budget::{Budget, Stopped};
use serval_net_proof::basis::{MOST, as_large, least};
use serval_net_proof::{Basis, Evidence, Excluded, Item, Weights};
use serval_petri::{Formula, Net};

use super::index::Index;
use super::{CoverOutcome, OMEGA, cost, shrink};
use crate::equation::{self, Base};
use crate::fast::Fast;

/// The basis, as far as it has grown.
struct Growing<'a> {
    fast: &'a Fast,
    /// The markings, with their numbers turned around, so that smaller ones are found as larger rows.
    rows: Index,
    /// For each marking what comes next.
    next: Vec<NextMarking>,
    open: BinaryHeap<Reverse<(u128, usize)>>,
    sums: &'a [Vec<(u32, u64)>],
    limits: Vec<u128>,
    used: BTreeSet<usize>,
    filter: Option<&'a Filter<'a>>,
    /// What the equation excludes, as rows and with the reason.
    excluded: Index,
    reasons: Vec<Excluded>,
}

/// What comes after a marking.
#[derive(Clone, Copy)]
enum NextMarking {
    /// It is a least marking of this goal.
    Goal(usize),
    /// This is fired, and leads to what is at least that marking.
    Fire(u32, usize),
}

/// The marking equation, to ask what cannot be reached.
pub(crate) struct Filter<'a> {
    pub(crate) base: &'a Base,
    pub(crate) net: &'a Net,
    /// Ticks for one marking.
    pub(crate) ticks: u64,
}

/// How many markings are excluded by the equation at most: each has its reason in the evidence.
const EXCLUDED: usize = 200;
/// Ticks of the solver that take as long as a predecessor.
const SOLVER: u64 = 25;

pub(super) fn turned(marking: &[u64]) -> Vec<u64> {
    marking.iter().map(|&tokens| OMEGA.saturating_sub(tokens)).collect()
}

impl Growing<'_> {
    /// The sum that excludes a marking.
    fn outweighed(&self, marking: &[u64]) -> Option<usize> {
        let value = |sum: &Vec<(u32, u64)>| {
            let parts = sum.iter().map(|&(place, weight)| u128::from(weight).saturating_mul(marking[place as usize].into()));
            parts.fold(0_u128, u128::saturating_add)
        };
        self.sums.iter().zip(&self.limits).position(|(sum, &limit)| value(sum) > limit)
    }

    /// Whether the equation excludes a marking. Where it has not enough ticks it does not.
    fn is_filtered(&mut self, marking: &[u64], row: &[u64], budget: &mut Budget) -> bool {
        let Some(filter) = self.filter else { return false };
        if self.excluded.above(row, false).is_some() {
            return true;
        }
        if self.reasons.len() >= EXCLUDED {
            return false;
        }
        let sparse: Vec<(u32, u64)> = (0..).zip(marking.iter().copied()).filter(|one| one.1 > 0).collect();
        let Some(goal) = as_large(&sparse) else { return false };
        let mut ticks = budget.aside(filter.ticks);
        let said = equation::refuted(filter.base, self.fast, filter.net, &goal, &mut ticks);
        // A predecessor takes as long as some ticks of the solver do. Where it is too many, the next one ends the
        // search.
        let _ = budget.spend(filter.ticks.saturating_sub(ticks.left()) / SOLVER);
        let Ok(Some(equation)) = said else { return false };
        self.excluded.add(self.reasons.len(), row);
        self.reasons.push(Excluded { marking: sparse, equation });
        true
    }

    /// Adds a marking unless it is in already or excluded; its number if the initial marking is at least as large.
    fn add(&mut self, marking: &[u64], next: NextMarking, budget: &mut Budget) -> Option<usize> {
        let row = turned(marking);
        if self.rows.above(&row, false).is_some() {
            return None;
        }
        if let Some(sum) = self.outweighed(marking) {
            self.used.insert(sum);
            return None;
        }
        if self.is_filtered(marking, &row, budget) {
            return None;
        }
        let number = self.next.len();
        self.rows.add(number, &row);
        self.next.push(next);
        self.open.push(Reverse((marking.iter().map(|&tokens| u128::from(tokens)).sum(), number)));
        let is_there = marking.iter().zip(&self.fast.initial).all(|(least, tokens)| tokens >= least);
        is_there.then_some(number)
    }

    /// The goal to which a marking leads, and what fires from there on.
    fn word(&self, from: usize) -> (usize, Vec<Item>) {
        let (mut word, mut at): (Vec<Item>, usize) = (Vec::new(), from);
        loop {
            match self.next[at] {
                NextMarking::Goal(goal) => return (goal, word),
                NextMarking::Fire(transition, next) => {
                    word.push(Item::Fire(transition));
                    at = next;
                }
            }
        }
    }

    /// The least markings, with what excludes others.
    fn basis(self) -> Basis {
        let is_least = |&number: &usize| self.rows.above(self.rows.row(number), true).is_none();
        let sparse = |number: usize| -> Vec<(u32, u64)> { (0..).zip(turned(self.rows.row(number))).filter(|one| one.1 > 0).collect() };
        let mut markings: Vec<Vec<(u32, u64)>> = (0..self.next.len()).filter(is_least).map(sparse).collect();
        markings.sort_unstable();
        let weights = Weights { sums: self.used.iter().map(|&sum| self.sums[sum].clone()).collect() };
        Basis { markings, weights, excluded: self.reasons }
    }
}

/// What the search has come to.
enum Searched {
    /// A run into one of the goals.
    Reached(usize, Vec<Item>),
    /// A basis that is closed, for all of them.
    Closed(Basis),
    TooManyTokens,
    TooManyLeast,
}

/// What is asked, and with what.
pub(crate) struct BackwardCover<'a> {
    pub(crate) fast: &'a Fast,
    pub(crate) net: &'a Net,
    pub(crate) sums: &'a [Vec<(u32, u64)>],
    pub(crate) filter: Option<Filter<'a>>,
}

/// Whether a goal that is upward closed can be reached; the sums are weighted sums that no transition increases. A tick
/// is a predecessor, and more where there are many places.
pub fn ask(net: &Net, goal: &Formula, sums: &[Vec<(u32, u64)>], budget: &mut Budget) -> Result<CoverOutcome, Stopped> {
    BackwardCover { fast: &Fast::new(net), net, sums, filter: None }.ask(goal, &mut 0, budget)
}

/// The same, with the marking equation as a filter, which has `ticks` ticks for each marking.
pub fn ask_filtered(net: &Net, goal: &Formula, sums: &[Vec<(u32, u64)>], ticks: u64, budget: &mut Budget) -> Result<CoverOutcome, Stopped> {
    let base = Base::new(net, &mut budget.aside(u64::MAX));
    BackwardCover { fast: &Fast::new(net), net, sums, filter: Some(Filter { base: &base, net, ticks }) }.ask(goal, &mut 0, budget)
}

/// Whether goals that are upward closed can be reached, all at once: what is found out about each.
pub fn ask_all(net: &Net, goals: &[&Formula], sums: &[Vec<(u32, u64)>], budget: &mut Budget) -> (Vec<CoverOutcome>, Result<(), Stopped>) {
    BackwardCover { fast: &Fast::new(net), net, sums, filter: None }.ask_all(goals, &mut 0, budget)
}

impl BackwardCover<'_> {
    /// Asks about one goal; says how many markings there were, too.
    pub(crate) fn ask(&self, goal: &Formula, markings: &mut usize, budget: &mut Budget) -> Result<CoverOutcome, Stopped> {
        if goal.not_upward().is_some() || self.fast.initial.contains(&OMEGA) {
            return Ok(CoverOutcome::Nothing);
        }
        Ok(match self.search(&[goal], markings, budget)? {
            Searched::Reached(_, word) => CoverOutcome::Reached(word),
            Searched::Closed(basis) => self.closed(goal, basis, budget),
            Searched::TooManyTokens => CoverOutcome::TooManyTokens,
            Searched::TooManyLeast => CoverOutcome::TooManyLeast(MOST),
        })
    }

    /// Asks about several goals at once. Where one is reached, what was found for the others is not kept, as it may
    /// have been passed over for the sake of that one: they are asked again without it. Where none is, one basis
    /// excludes them all.
    pub(crate) fn ask_all(
        &self,
        goals: &[&Formula],
        markings: &mut usize,
        budget: &mut Budget,
    ) -> (Vec<CoverOutcome>, Result<(), Stopped>) {
        let mut said = vec![CoverOutcome::Nothing; goals.len()];
        let mut open: Vec<usize> = (0..goals.len()).filter(|&goal| goals[goal].not_upward().is_none()).collect();
        if self.fast.initial.contains(&OMEGA) {
            return (said, Ok(()));
        }
        while !open.is_empty() {
            let asked: Vec<&Formula> = open.iter().map(|&goal| goals[goal]).collect();
            match self.search(&asked, markings, budget) {
                Err(stopped) => return (said, Err(stopped)),
                Ok(Searched::Reached(at, word)) => said[open.remove(at)] = CoverOutcome::Reached(word),
                Ok(Searched::Closed(basis)) => {
                    open.drain(..).for_each(|goal| said[goal] = self.closed(goals[goal], basis.clone(), budget));
                }
                Ok(Searched::TooManyTokens | Searched::TooManyLeast) => break,
            }
        }
        (said, Ok(()))
    }

    fn closed(&self, goal: &Formula, basis: Basis, budget: &mut Budget) -> CoverOutcome {
        CoverOutcome::Excluded(Box::new(Evidence::Basis(shrink::basis(self.net, goal, basis, budget))))
    }

    /// Grows a basis of goals that are upward closed.
    fn search(&self, goals: &[&Formula], markings: &mut usize, budget: &mut Budget) -> Result<Searched, Stopped> {
        let Self { fast, sums, filter, .. } = self;
        let limit = |sum: &Vec<(u32, u64)>| {
            let parts = sum.iter().map(|&(place, weight)| u128::from(weight).saturating_mul(fast.initial[place as usize].into()));
            parts.fold(0_u128, u128::saturating_add)
        };
        let places = fast.initial.len();
        let mut growing = Growing {
            fast,
            rows: Index::new(places),
            next: Vec::new(),
            open: BinaryHeap::new(),
            sums,
            limits: sums.iter().map(limit).collect(),
            used: BTreeSet::new(),
            filter: filter.as_ref(),
            excluded: Index::new(places),
            reasons: Vec::new(),
        };
        for (number, goal) in goals.iter().enumerate() {
            let Ok(targets) = least(goal, MOST) else { return Ok(Searched::TooManyLeast) };
            for target in targets {
                budget.spend(1)?;
                let mut marking = vec![0; places];
                target.iter().for_each(|&(place, tokens)| marking[place as usize] = tokens);
                if growing.add(&marking, NextMarking::Goal(number), budget).is_some() {
                    return Ok(Searched::Reached(number, Vec::new()));
                }
            }
        }
        while let Some(Reverse((_, number))) = growing.open.pop() {
            let row = growing.rows.row(number).to_vec();
            // What is larger than another adds nothing to it.
            if growing.rows.above(&row, true).is_some() {
                continue;
            }
            let marking = turned(&row);
            for transition in 0..fast.inputs.len() {
                // What gives nothing that is needed leads to no smaller marking.
                if !fast.effects[transition].iter().any(|&(place, change)| change > 0 && marking[place] > 0) {
                    continue;
                }
                *markings = (*markings).max(growing.next.len());
                budget.spend(cost(places))?;
                let Some(before) = before(fast, &marking, transition) else { return Ok(Searched::TooManyTokens) };
                let fired = u32::try_from(transition).unwrap_or(u32::MAX);
                if let Some(found) = growing.add(&before, NextMarking::Fire(fired, number), budget) {
                    let (goal, word) = growing.word(found);
                    return Ok(Searched::Reached(goal, word));
                }
            }
        }
        Ok(Searched::Closed(growing.basis()))
    }
}

/// The least marking from which a transition leads to what is at least as large; `None` where a number does not fit.
pub(super) fn before(fast: &Fast, marking: &[u64], transition: usize) -> Option<Vec<u64>> {
    let mut before = marking.to_vec();
    for &(place, change) in &fast.effects[transition] {
        let tokens = i128::from(before[place]).checked_sub(change)?.max(0);
        before[place] = u64::try_from(tokens).ok().filter(|&tokens| tokens != OMEGA)?;
    }
    for &(place, weight) in &fast.inputs[transition] {
        before[place] = before[place].max(weight);
    }
    Some(before)
}
