//! All states of a system, breadth first, or eagerly what may be near the end.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_states::{Explored, StateSet};
use serval_tso_proof::Rows;

use crate::alike::Order;
use crate::machine::{Event, FaultKind};

/// What led to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) thread: usize,
    pub(crate) event: Event,
}

/// A step that leaves the range of values: thread, point, what is wrong.
pub(crate) type Faulting = (usize, usize, FaultKind);

/// What is searched.
pub(crate) trait System {
    fn initial(&self) -> Vec<i64>;
    /// Everything that a state leads to.
    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting>;
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

/// Everything that a state leads to, in lists that are used again for the next state.
#[derive(Default)]
pub(crate) struct Successors {
    list: Vec<(Label, Vec<i64>)>,
    spare: Vec<Vec<i64>>,
}

impl Successors {
    /// A copy of a state, to be changed and pushed.
    pub(crate) fn copy(&mut self, state: &[i64]) -> Vec<i64> {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(state);
        copy
    }

    /// Takes a copy that is not pushed.
    pub(crate) fn give_back(&mut self, copy: Vec<i64>) {
        self.spare.push(copy);
    }

    pub(crate) fn push(&mut self, label: Label, state: Vec<i64>) {
        self.list.push((label, state));
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn clear(&mut self) {
        self.spare.extend(self.list.drain(..).map(|(_, state)| state));
    }

    /// Keeps those with some labels.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&Label) -> bool) {
        let dropped = self.list.extract_if(.., |(label, _)| !is_kept(label)).map(|(_, state)| state);
        self.spare.extend(dropped);
    }

    /// All of them; the lists are to be given back by [`Self::clear`].
    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut (Label, Vec<i64>)> {
        self.list.iter_mut()
    }
}

/// What led to a state, in few bytes: a label, and the order that was made of what came of it, from 1.
#[derive(Clone, Copy)]
struct Led {
    thread: u32,
    /// [`Event`] by its place, and the round behind the last.
    event: u32,
    order: u32,
}

impl Led {
    /// Numbers of threads, rounds and orders are far below what fits.
    fn new(label: Label, order: usize) -> Self {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let event = match label.event {
            Event::Step => 0,
            Event::Other => 1,
            Event::Land => 2,
            Event::Begin => 3,
            Event::Last => 4,
            Event::Queue(round) => number(round).saturating_add(5),
        };
        Self { thread: number(label.thread), event, order: number(order) }
    }

    fn label(self) -> Label {
        let event = match self.event {
            0 => Event::Step,
            1 => Event::Other,
            2 => Event::Land,
            3 => Event::Begin,
            4 => Event::Last,
            more => Event::Queue(more as usize - 5),
        };
        Label { thread: self.thread as usize, event }
    }
}

/// The states that were visited, each with what led to it.
pub(crate) struct Visited {
    explored: Explored<i64, Led>,
    orders: IndexSet<Order, FxBuildHasher>,
}

impl Visited {
    fn new(system: &impl System) -> Self {
        let nothing = Led { thread: 0, event: 0, order: 0 };
        Self { explored: Explored::new(&system.initial(), nothing), orders: IndexSet::default() }
    }

    pub(crate) fn states(&self) -> &StateSet<i64> {
        self.explored.states()
    }

    /// Adds what a state leads to; where it is, and whether it is new; nothing where there is no room.
    fn add(&mut self, system: &impl System, at: usize, label: Label, next: &mut Vec<i64>) -> Option<(usize, bool)> {
        let order = system.sort(next).map_or(0, |order| self.orders.insert_full(order).0 + 1);
        self.explored.insert(next, at, Led::new(label, order))
    }

    /// The labels that lead to a state from the initial one, without any change of places: from the end to the
    /// beginning, each thread is the one that has what it will have.
    pub(crate) fn path(&self, number: usize) -> Vec<Label> {
        let mut labels = Vec::new();
        // For each thread, which one it is at the end, if something has changed places.
        let mut ends: Option<Order> = None;
        for (_, led) in self.explored.way_back(number) {
            if let Some(order) = led.order.checked_sub(1).and_then(|order| self.orders.get_index(order as usize)) {
                let behind = ends.take().unwrap_or_else(|| (0..order.len()).collect());
                let mut now = behind.clone();
                order.iter().zip(behind).for_each(|(thread, end)| now[*thread] = end);
                ends = Some(now);
            }
            let label = led.label();
            let thread = ends.as_ref().map_or(label.thread, |ends| ends[label.thread]);
            labels.push(Label { thread, ..label });
        }
        labels.reverse();
        labels
    }

    /// The states, ascending.
    pub(crate) fn ascending(self) -> Rows<i64> {
        self.explored.into_states().ascending()
    }
}

/// Searches until the system, the budget or the number of states ends it. A state costs a tick.
pub(crate) fn search(system: &mut impl System, most: usize, budget: &mut Budget) -> (Visited, Ended) {
    let mut visited = Visited::new(system);
    let (mut state, mut successors) = (Vec::new(), Successors::default());
    let mut at = 0;
    while visited.states().read(at, &mut state) {
        if let Some(ended) = look(system, at, &state, &mut successors, budget) {
            return (visited, ended);
        }
        for (label, next) in successors.iter_mut() {
            if visited.add(system, at, *label, next).is_none() {
                return (visited, Ended::TooMany);
            }
        }
        successors.clear();
        if visited.states().len() > most {
            return (visited, Ended::TooMany);
        }
        at += 1;
    }
    (visited, Ended::Done)
}

/// Searches for a run only, that need not be short: the nearest states first, and of these the newest. What it has not
/// seen says nothing.
pub(crate) fn search_eagerly(system: &mut impl System, most: usize, budget: &mut Budget) -> (Visited, Ended) {
    let mut visited = Visited::new(system);
    let mut open: [Vec<usize>; 3] = [vec![0], Vec::new(), Vec::new()];
    let (mut state, mut successors) = (Vec::new(), Successors::default());
    while let Some(at) = open.iter_mut().rev().find_map(Vec::pop) {
        visited.states().read(at, &mut state);
        if let Some(ended) = look(system, at, &state, &mut successors, budget) {
            return (visited, ended);
        }
        // The first successor is the first that is looked at.
        for (label, next) in successors.iter_mut().rev() {
            let near = system.nearness(next).min(2);
            match visited.add(system, at, *label, next) {
                Some((number, true)) => open[near].push(number),
                Some((_, false)) => {}
                None => return (visited, Ended::TooMany),
            }
        }
        successors.clear();
        if visited.states().len() > most {
            return (visited, Ended::TooMany);
        }
    }
    (visited, Ended::Done)
}

/// Looks at a state, and what it leads to; why the search ends, if it does.
fn look(system: &mut impl System, at: usize, state: &[i64], into: &mut Successors, budget: &mut Budget) -> Option<Ended> {
    if let Err(stopped) = budget.spend(1) {
        return Some(Ended::Stopped(stopped));
    }
    if system.meet(at, state) {
        return Some(Ended::Met(at));
    }
    system.successors(state, into).err().map(|fault| Ended::Fault(at, fault))
}
