//! The monitor: which serial runs a run can still be explained by, in the order in time.
//!
//! A state is `(g, n₁ … nₘ, C)`: the global state of the run, the nodes of its requests in flight, and a set `C` of
//! *readings* `(s, x₁ … xₘ)`: a global state in which a serial run ends, and for each request in flight `open`, or the
//! letter (its done node) with which it is in that serial run. In flight is a request between its first and its last
//! step.
//!
//! - At the start the state is `(g₀, –, {(g₀)})`.
//! - *The first step of a new request*: `open` is appended to every reading; then `C` is closed: with a reading that
//!   has `open` for request `i`, and a lone run of that request from `s` to `s'` with letter `a`, it also has the
//!   reading with `s'` and `a` in these places.
//! - *A step of request `i`* moves `nᵢ`.
//! - *A step of `i` to the done node of letter `a`*, the first or a later one: readings with `xᵢ = a` are kept, and `i`
//!   is forgotten.
//!
//! **Theorem.** After a run, `C` is the set of readings of all serial runs of the answered requests with their letters
//! and of some of those in flight with any letters, in orders that extend `≺`. So a complete run is not strict iff it
//! ends with `C = ∅`.
//!
//! *Proof.* By induction. An order extends `≺` iff each request can be appended to it, one by one, at moments between
//! its first and its last step that do not fall: request `j` may follow `i` unless `j` has ended before `i` began. The
//! moments can be chosen directly after a first step, or at once for the request whose step it is, as from one first
//! step to the next requests in flight only become fewer: what is appended later could have been appended before, in
//! the same order. So closing where a request comes finds all, and where a request answers exactly those serial runs
//! are kept in which it is, with the letter that it has given. ∎
//!
//! **Left out.** A reading with a letter for `i` that no path of steps from `nᵢ` leads to, whatever the global state,
//! is dropped at once: it would be when `i` answers.
//!
//! **Monotony.** Each step of the monitor gives more readings for more readings. So where a state with readings
//! `C ⊆ C'` does not end with `C = ∅`, one with `C'` does not either, by the same steps.
//!
//! **Renaming.** The requests of a state have no names: another order of them, one for `n` and all readings, is the
//! same state. [`MonitorState::sorted`] chooses one by nodes, and among requests at one node by what gives the least
//! list of readings.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_model::{Node, NodeStep, NormalForm};

use crate::flow::serial_edges;

/// The global state in which a serial run ends, and for each request in flight the done node with which it is in that
/// run.
pub type Reading = (u32, Vec<Option<Node>>);

/// A state of the monitor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct MonitorState {
    /// The global state.
    pub global: u32,
    /// Where the requests in flight are.
    pub nodes: Vec<Node>,
    /// The readings, sorted, each once.
    pub readings: Vec<Reading>,
}

/// A state in the file.
type Written = (u32, Vec<Node>, Vec<Reading>);

impl From<Written> for MonitorState {
    fn from((global, nodes, readings): Written) -> Self {
        Self { global, nodes, readings }
    }
}

impl From<MonitorState> for Written {
    fn from(MonitorState { global, nodes, readings }: MonitorState) -> Self {
        (global, nodes, readings)
    }
}

/// What happens: which request in flight makes a step, by its place in the state, or a new one its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Happening {
    /// The place of the request; none: it is new.
    pub place: Option<usize>,
    /// The step.
    pub step: NodeStep,
}

impl MonitorState {
    /// The same with the requests in the order that stands for all, and for each place where it was before.
    pub fn sorted(self, budget: &mut Budget) -> Result<(Self, Vec<usize>), Stopped> {
        let mut places: Vec<usize> = (0..self.nodes.len()).collect();
        places.sort_by_key(|&place| self.nodes[place]);
        let groups: Vec<usize> = places.chunk_by(|&a, &b| self.nodes[a] == self.nodes[b]).map(<[usize]>::len).collect();
        let mut best = (self.renamed(&places), places.clone());
        if groups.iter().any(|&size| size > 1) {
            for order in orders(&places, &groups) {
                budget.spend(self.readings.len() as u64 + 1)?;
                let renamed = self.renamed(&order);
                if renamed < best.0 {
                    best = (renamed, order);
                }
            }
        }
        let (readings, places) = best;
        let nodes = places.iter().map(|&place| self.nodes[place]).collect();
        Ok((Self { global: self.global, nodes, readings }, places))
    }

    /// The readings with the requests in this order.
    fn renamed(&self, places: &[usize]) -> Vec<Reading> {
        let mut readings: Vec<Reading> =
            self.readings.iter().map(|(serial, taken)| (*serial, places.iter().map(|&place| taken[place]).collect())).collect();
        readings.sort_unstable();
        readings
    }

    /// Whether this one's readings are among those of the other, at the same place.
    pub fn covers(&self, other: &Self) -> bool {
        self.global == other.global && self.nodes == other.nodes && is_among(&self.readings, &other.readings)
    }
}

/// Whether each of a sorted list is in another.
fn is_among(few: &[Reading], many: &[Reading]) -> bool {
    let mut rest = many.iter();
    few.len() <= many.len() && few.iter().all(|one| rest.by_ref().find(|&other| other >= one) == Some(one))
}

/// All orders of places that differ within groups of these sizes, one after the other.
fn orders(places: &[usize], groups: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let mut from = 0;
    for &size in groups {
        let group = &places[from..from + size];
        from += size;
        for _ in 0..size {
            let longer = |order: &Vec<usize>| {
                let free = group.iter().filter(|place| !order.contains(place));
                free.map(|&place| [&order[..], &[place]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
    }
    all
}

/// A monitor of a system.
#[derive(Clone, Debug)]
pub struct Monitor<'a> {
    form: &'a NormalForm,
    /// For each global state what one request alone can answer there, and what it leaves behind.
    alone: Vec<Vec<(Node, u32)>>,
    /// Which done nodes steps lead to from a node, whatever the global state.
    answers: FxHashSet<(Node, Node)>,
    initial: Vec<Node>,
}

impl<'a> Monitor<'a> {
    /// Finds out what requests do alone. Ticks as for serial edges, and one for each node and each answer it leads to.
    pub fn new(form: &'a NormalForm, budget: &mut Budget) -> Result<Self, Stopped> {
        let mut alone = vec![Vec::new(); form.global_count() as usize];
        for (from, done, to) in serial_edges(form, budget)? {
            alone[from as usize].push((done, to));
        }
        let mut back: Vec<Vec<Node>> = vec![Vec::new(); form.nodes().len()];
        budget.spend(form.steps().len() as u64)?;
        form.steps().iter().for_each(|step| back[step.to_node as usize].push(step.node));
        let mut answers = FxHashSet::default();
        for done in form.node_numbers().filter(|&node| form.is_done(node)) {
            let mut to_visit = vec![done];
            answers.insert((done, done));
            while let Some(node) = to_visit.pop() {
                budget.spend(back[node as usize].len() as u64 + 1)?;
                to_visit.extend(back[node as usize].iter().copied().filter(|&before| answers.insert((before, done))));
            }
        }
        let initial = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
        Ok(Self { form, alone, answers, initial })
    }

    /// Before anything has happened.
    pub fn initial(&self) -> MonitorState {
        let global = self.form.initial_global();
        MonitorState { global, nodes: Vec::new(), readings: vec![(global, Vec::new())] }
    }

    /// What one request alone can answer from a global state, by done nodes, and what it leaves behind; sorted.
    pub fn alone(&self, serial: u32) -> &[(Node, u32)] {
        self.alone.get(serial as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether steps lead from a node to a done node, whatever the global state.
    pub fn may_answer(&self, node: Node, done: Node) -> bool {
        self.answers.contains(&(node, done))
    }

    /// Whether a new request can make its first step under a global state.
    pub fn may_come(&self, global: u32) -> bool {
        self.initial.iter().any(|&node| !self.form.steps_from((node, global)).is_empty())
    }

    /// What can happen to the requests in flight, and if one more `may_come`, to a new one.
    pub fn happenings(&self, state: &MonitorState, may_come: bool) -> Vec<Happening> {
        let mut found = Vec::new();
        for (place, &node) in state.nodes.iter().enumerate() {
            let steps = self.form.steps_from((node, state.global)).iter();
            found.extend(steps.map(|&step| Happening { place: Some(place), step }));
        }
        for &node in self.initial.iter().filter(|_| may_come) {
            let steps = self.form.steps_from((node, state.global)).iter();
            found.extend(steps.map(|&step| Happening { place: None, step }));
        }
        found
    }

    /// The state after it, sorted, and for each of its places where the request was before; a new one was at the end.
    pub fn after(&self, state: &MonitorState, happening: Happening, budget: &mut Budget) -> Result<(MonitorState, Vec<usize>), Stopped> {
        let step = happening.step;
        let mut next = state.clone();
        next.global = step.to_global;
        budget.spend(state.readings.len() as u64 + 1)?;
        let place = happening.place.unwrap_or(state.nodes.len());
        match happening.place {
            Some(place) => next.nodes[place] = step.to_node,
            None => {
                next.nodes.push(step.to_node);
                next.readings.iter_mut().for_each(|(_, taken)| taken.push(None));
                self.close(&mut next, budget)?;
            }
        }
        if !self.form.is_done(step.to_node) {
            next.readings.retain(|(_, taken)| taken[place].is_none_or(|done| self.may_answer(step.to_node, done)));
            return next.sorted(budget);
        }
        next.nodes.remove(place);
        next.readings.retain_mut(|(_, taken)| taken.remove(place) == Some(step.to_node));
        next.readings.sort_unstable();
        next.readings.dedup();
        let (sorted, places) = next.sorted(budget)?;
        Ok((sorted, places.into_iter().map(|at| if at < place { at } else { at + 1 }).collect()))
    }

    /// Puts open requests into the serial runs, in all orders.
    fn close(&self, state: &mut MonitorState, budget: &mut Budget) -> Result<(), Stopped> {
        let mut seen: BTreeSet<Reading> = state.readings.iter().cloned().collect();
        let mut to_visit = std::mem::take(&mut state.readings);
        while let Some((serial, taken)) = to_visit.pop() {
            for (place, &node) in state.nodes.iter().enumerate().filter(|&(place, _)| taken[place].is_none()) {
                budget.spend(self.alone(serial).len() as u64 + 1)?;
                for &(done, to) in self.alone(serial).iter().filter(|&&(done, _)| self.may_answer(node, done)) {
                    let mut next = taken.clone();
                    next[place] = Some(done);
                    if seen.insert((to, next.clone())) {
                        to_visit.push((to, next));
                    }
                }
            }
        }
        state.readings = seen.into_iter().collect();
        Ok(())
    }
}
