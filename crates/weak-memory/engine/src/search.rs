//! All states of a system, breadth first, or eagerly what may be near the end.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};

use crate::alike::Order;
use crate::machine::FaultKind;

/// What led to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) thread: usize,
    pub(crate) event: Event,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Its next step.
    Step,
    /// Its next step the other way, where it may go two.
    Other,
    /// Its oldest store reached memory.
    Land,
    /// Its next step, a store, which begins an attack.
    Begin,
    /// Its next step, a load, which is the last of an attack.
    Last,
    /// Its next step, a store, which lands in this round.
    Queue(usize),
}

/// A step that leaves the range of values: thread, point, what is wrong.
pub(crate) type Faulting = (usize, usize, FaultKind);

/// What is searched.
pub(crate) trait System {
    fn initial(&self) -> Vec<i64>;
    /// Everything that a state leads to.
    fn successors(&mut self, state: &[i64], into: &mut Vec<(Label, Vec<i64>)>) -> Result<(), Faulting>;
    /// Called once for each state; true ends the search.
    fn meet(&mut self, number: usize, state: &[i64]) -> bool;
    /// Puts threads that are alike into one order, and says which, unless they are in it.
    fn sort(&self, _: &mut Vec<i64>) -> Option<Order> {
        None
    }
    /// How near a state seems to what is looked for, from 0 to 2.
    fn nearness(&self, _: &[i64]) -> usize {
        0
    }
}

/// Why a search ended.
pub(crate) enum Ended {
    /// All states have been seen.
    Done,
    /// The system ended it, at this state.
    Met(usize),
    /// A step from this state leaves the range.
    Fault(usize, Faulting),
    /// There are more states than allowed.
    TooMany,
    /// The budget.
    Stopped(Stopped),
}

/// The states that were found, each with what led to it.
pub(crate) struct Found {
    pub(crate) states: IndexSet<Vec<i64>, FxBuildHasher>,
    /// The state before, what was done there, and the order that was made of what came of it, from 1.
    from: Vec<(usize, Label, usize)>,
    orders: IndexSet<Order, FxBuildHasher>,
}

impl Found {
    fn new(system: &impl System) -> Self {
        let nothing = Label { thread: 0, event: Event::Step };
        let mut states = IndexSet::default();
        states.insert(system.initial());
        Self { states, from: vec![(0, nothing, 0)], orders: IndexSet::default() }
    }

    /// Adds what a state leads to; where it is, and whether it is new.
    fn add(&mut self, system: &impl System, at: usize, label: Label, mut next: Vec<i64>) -> (usize, bool) {
        let order = system.sort(&mut next).map_or(0, |order| self.orders.insert_full(order).0 + 1);
        let (number, is_new) = self.states.insert_full(next);
        if is_new {
            self.from.push((at, label, order));
        }
        (number, is_new)
    }

    /// The labels that lead to a state from the initial one, without any change of places: from the end to the beginning, each thread is the one that has what it will have.
    pub(crate) fn path(&self, mut number: usize) -> Vec<Label> {
        let mut labels = Vec::new();
        // For each thread, which one it is at the end, if something has changed places.
        let mut ends: Option<Order> = None;
        while number != 0 {
            let (before, label, order) = self.from[number];
            if let Some(order) = order.checked_sub(1).and_then(|order| self.orders.get_index(order)) {
                let behind = ends.take().unwrap_or_else(|| (0..order.len()).collect());
                let mut now = behind.clone();
                order.iter().zip(behind).for_each(|(thread, end)| now[*thread] = end);
                ends = Some(now);
            }
            let thread = ends.as_ref().map_or(label.thread, |ends| ends[label.thread]);
            labels.push(Label { thread, ..label });
            number = before;
        }
        labels.reverse();
        labels
    }

    /// The states, ascending.
    pub(crate) fn ascending(self) -> Vec<Vec<i64>> {
        let mut states: Vec<Vec<i64>> = self.states.into_iter().collect();
        states.sort_unstable();
        states
    }
}

/// Searches until the system, the budget or the number of states ends it. A state costs a tick.
pub(crate) fn search(system: &mut impl System, most: usize, budget: &mut Budget) -> (Found, Ended) {
    let mut found = Found::new(system);
    let mut successors = Vec::new();
    let mut at = 0;
    while let Some(state) = found.states.get_index(at) {
        if let Err(stopped) = budget.spend(1) {
            return (found, Ended::Stopped(stopped));
        }
        if system.meet(at, state) {
            return (found, Ended::Met(at));
        }
        if let Err(fault) = system.successors(state, &mut successors) {
            return (found, Ended::Fault(at, fault));
        }
        for (label, next) in successors.drain(..) {
            found.add(system, at, label, next);
        }
        if found.states.len() > most {
            return (found, Ended::TooMany);
        }
        at += 1;
    }
    (found, Ended::Done)
}

/// Searches for a run only, that need not be short: the nearest states first, and of these the newest. What it has not seen says nothing.
pub(crate) fn search_eagerly(system: &mut impl System, most: usize, budget: &mut Budget) -> (Found, Ended) {
    let mut found = Found::new(system);
    let mut open: [Vec<usize>; 3] = [vec![0], Vec::new(), Vec::new()];
    let mut successors = Vec::new();
    while let Some(at) = open.iter_mut().rev().find_map(Vec::pop) {
        let Some(state) = found.states.get_index(at) else { continue };
        if let Err(stopped) = budget.spend(1) {
            return (found, Ended::Stopped(stopped));
        }
        if system.meet(at, state) {
            return (found, Ended::Met(at));
        }
        if let Err(fault) = system.successors(state, &mut successors) {
            return (found, Ended::Fault(at, fault));
        }
        // The first successor is the first that is looked at.
        for (label, next) in successors.drain(..).rev() {
            let near = system.nearness(&next).min(2);
            let (number, is_new) = found.add(system, at, label, next);
            if is_new {
                open[near].push(number);
            }
        }
        if found.states.len() > most {
            return (found, Ended::TooMany);
        }
    }
    (found, Ended::Done)
}
