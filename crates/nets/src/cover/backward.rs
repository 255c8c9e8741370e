//! From the goal backwards: the least markings from which it can be covered.
//!
//! A basis grows from the least markings of the goal by *predecessors*: `pre(b, t) = max(b − e(t), in(t))` is the least marking from which `t` leads to what is at least `b`. What is
//! at least a member already is not added, and what weighted sums exclude is not, either: it cannot be reached. The smallest members are looked at first. If the initial marking is at least a member, the
//! transitions from there to the goal are a run. If not, and nothing can be added, the basis is closed, and the goal cannot be reached (`serval_netproof::basis`). It ends since no infinite
//! sequence of markings is without two in order (Dickson).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use serval_budget::{Budget, Stopped};
use serval_netproof::basis::{MOST, least};
use serval_netproof::{Basis, Evidence, Item, Weights};
use serval_petri::{Formula, Net};

use super::index::Index;
use super::{OMEGA, Said, cost, shrink};
use crate::fast::Fast;

/// The basis, as far as it has grown.
struct Growing<'a> {
    fast: &'a Fast,
    /// The markings, with their numbers turned around, so that smaller ones are found as larger rows.
    rows: Index,
    /// For each marking what is fired there, and the marking that it leads to.
    next: Vec<Option<(u32, usize)>>,
    open: BinaryHeap<Reverse<(u128, usize)>>,
    sums: &'a [Vec<(u32, u64)>],
    limits: Vec<u128>,
    used: BTreeSet<usize>,
}

fn turned(marking: &[u64]) -> Vec<u64> {
    marking.iter().map(|tokens| OMEGA - tokens).collect()
}

impl Growing<'_> {
    /// The sum that excludes a marking.
    fn excluded(&self, marking: &[u64]) -> Option<usize> {
        let value = |sum: &Vec<(u32, u64)>| {
            let parts = sum.iter().map(|&(place, weight)| u128::from(weight).saturating_mul(marking[place as usize].into()));
            parts.fold(0_u128, u128::saturating_add)
        };
        self.sums.iter().zip(&self.limits).position(|(sum, &limit)| value(sum) > limit)
    }

    /// Adds a marking unless it is in already or excluded; its number if the initial marking is at least as large.
    fn add(&mut self, marking: &[u64], next: Option<(u32, usize)>) -> Option<usize> {
        let row = turned(marking);
        if self.rows.above(&row, false).is_some() {
            return None;
        }
        if let Some(sum) = self.excluded(marking) {
            self.used.insert(sum);
            return None;
        }
        let number = self.next.len();
        self.rows.add(number, &row);
        self.next.push(next);
        self.open.push(Reverse((marking.iter().map(|&tokens| u128::from(tokens)).sum(), number)));
        let is_there = marking.iter().zip(&self.fast.initial).all(|(least, tokens)| tokens >= least);
        is_there.then_some(number)
    }

    /// What fires from a marking on.
    fn word(&self, from: usize) -> Vec<Item> {
        let (mut word, mut at): (Vec<Item>, usize) = (Vec::new(), from);
        while let Some((transition, next)) = self.next[at] {
            word.push(Item::Fire(transition));
            at = next;
        }
        word
    }
}

/// Whether a goal that is upward closed can be reached; the sums are weighted sums that no transition increases. A tick is a predecessor, and
/// more where there are many places.
pub fn ask(net: &Net, goal: &Formula, sums: &[Vec<(u32, u64)>], budget: &mut Budget) -> Result<Said, Stopped> {
    ask_fast(&Fast::new(net), net, goal, sums, budget)
}

pub(crate) fn ask_fast(fast: &Fast, net: &Net, goal: &Formula, sums: &[Vec<(u32, u64)>], budget: &mut Budget) -> Result<Said, Stopped> {
    if goal.not_upward().is_some() || fast.initial.contains(&OMEGA) {
        return Ok(Said::Nothing);
    }
    let Ok(targets) = least(goal, MOST) else { return Ok(Said::Nothing) };
    let limit = |sum: &Vec<(u32, u64)>| {
        let parts = sum.iter().map(|&(place, weight)| u128::from(weight).saturating_mul(fast.initial[place as usize].into()));
        parts.fold(0_u128, u128::saturating_add)
    };
    let limits = sums.iter().map(limit).collect();
    let (open, used) = (BinaryHeap::new(), BTreeSet::new());
    let mut growing = Growing { fast, rows: Index::new(fast.initial.len()), next: Vec::new(), open, sums, limits, used };
    for target in targets {
        let mut marking = vec![0; fast.initial.len()];
        target.iter().for_each(|&(place, tokens)| marking[place as usize] = tokens);
        if growing.add(&marking, None).is_some() {
            return Ok(Said::Reached(Vec::new()));
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
            budget.spend(cost(fast.initial.len()))?;
            let Some(before) = before(fast, &marking, transition) else { return Ok(Said::TooManyTokens) };
            let fired = u32::try_from(transition).unwrap_or(u32::MAX);
            if let Some(found) = growing.add(&before, Some((fired, number))) {
                return Ok(Said::Reached(growing.word(found)));
            }
        }
    }
    let is_least = |&number: &usize| growing.rows.above(growing.rows.row(number), true).is_none();
    let sparse = |number: usize| -> Vec<(u32, u64)> { (0..).zip(turned(growing.rows.row(number))).filter(|one| one.1 > 0).collect() };
    let mut markings: Vec<Vec<(u32, u64)>> = (0..growing.next.len()).filter(is_least).map(sparse).collect();
    markings.sort_unstable();
    let weights = Weights { sums: growing.used.iter().map(|&sum| sums[sum].clone()).collect() };
    Ok(Said::Excluded(Box::new(Evidence::Basis(shrink::basis(net, goal, Basis { markings, weights }, budget)))))
}

/// The least marking from which a transition leads to what is at least as large; `None` where a number does not fit.
fn before(fast: &Fast, marking: &[u64], transition: usize) -> Option<Vec<u64>> {
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
