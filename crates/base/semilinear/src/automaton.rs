//! State elimination (Kleene 1956) in automata all of whose states are final.
//!
//! **What it computes.** An expression for the set of all walks, as sequences
//! of edges, that start in the initial state and end anywhere.
//!
//! **Why it is right.** Arcs are labelled with expressions. At first there is
//! an arc for the edges from each state to each state, an arc with the empty
//! word from a new start to the initial state, and one from each state to a new
//! end. The words of a walk are those of its arcs one after the other. When
//! state `k` is taken away, every walk from start to end that passes `k` does
//! so in visits `i → k → … → k → j` with `i, j ≠ k`, and the new arc
//! `R(i,k) R(k,k)* R(k,j)` beside `R(i,j)` has just the words of such visits.
//! So the words from start to end stay the same, and in the end they are those
//! of one arc.
//!
//! Expressions of walks from `p` to `q` are only ever put together as walks
//! are, which is what the witnesses of [`Vector`](crate::Vector) need.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Budget;

use crate::number::ticks;
use crate::regex::{NodeId, Regex, RegexBuilder};
use crate::{Counts, EdgeId, Error, Letter, StateId};

/// An automaton whose edges have letters and whose states are all final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    states: usize,
    initial: StateId,
    edges: Vec<(StateId, Letter, StateId)>,
    letters: usize,
}

impl Automaton {
    /// States and letters are numbered from zero; edges get the numbers of their places.
    pub fn new(states: usize, initial: StateId, edges: Vec<(StateId, Letter, StateId)>, letters: usize) -> Result<Self, Error> {
        let state = |state: StateId| {
            if state.0 < states { Ok(()) } else { Err(Error::OutOfRange { what: "state", index: state.0, count: states }) }
        };
        // Elimination adds a start and an end.
        states.checked_add(2).ok_or(Error::Overflow)?;
        state(initial)?;
        for &(from, letter, to) in &edges {
            state(from)?;
            state(to)?;
            if letter.0 >= letters {
                return Err(Error::OutOfRange { what: "letter", index: letter.0, count: letters });
            }
        }
        Ok(Self { states, initial, edges, letters })
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Where walks start.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// Each edge: from where, its letter, to where.
    pub fn edges(&self) -> &[(StateId, Letter, StateId)] {
        &self.edges
    }

    /// How many letters there are.
    pub fn letters(&self) -> usize {
        self.letters
    }

    /// The letter of each edge.
    pub fn letters_of_edges(&self) -> Vec<Letter> {
        self.edges.iter().map(|&(_, letter, _)| letter).collect()
    }

    /// Whether a closed walk passes a state that a walk from the initial state
    /// visits; both are given by their edges.
    pub(crate) fn passes(&self, walk: &Counts<EdgeId>, closed: &Counts<EdgeId>) -> bool {
        let ends = |edges: &Counts<EdgeId>| -> BTreeSet<StateId> {
            edges.iter().filter_map(|(edge, _)| self.edges.get(edge.0)).flat_map(|&(from, _, to)| [from, to]).collect()
        };
        let visited = ends(walk);
        ends(closed).iter().any(|state| *state == self.initial || visited.contains(state))
    }

    /// The states that walks can reach.
    fn reachable(&self) -> BTreeSet<usize> {
        let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (from, _, to) in &self.edges {
            next.entry(from.0).or_default().push(to.0);
        }
        let mut reached = BTreeSet::from([self.initial.0]);
        let mut waiting = vec![self.initial.0];
        while let Some(state) = waiting.pop() {
            for &to in next.get(&state).into_iter().flatten() {
                if reached.insert(to) {
                    waiting.push(to);
                }
            }
        }
        reached
    }
}

/// Arcs labelled with expressions.
#[derive(Default)]
struct Arcs {
    out: BTreeMap<usize, BTreeMap<usize, NodeId>>,
    into: BTreeMap<usize, BTreeSet<usize>>,
}

impl Arcs {
    /// Another way from `from` to `to`.
    fn add(&mut self, from: usize, to: usize, label: NodeId, builder: &mut RegexBuilder) {
        let arc = self.out.entry(from).or_default().entry(to).or_insert_with(|| builder.nothing());
        *arc = builder.choice(&[*arc, label]);
        self.into.entry(to).or_default().insert(from);
    }

    /// How many arcs lead to `state` and how many lead away, where a loop does both.
    fn degree(&self, state: usize) -> usize {
        self.out.get(&state).map_or(0, BTreeMap::len) + self.into.get(&state).map_or(0, BTreeSet::len)
    }
}

/// The regular expression for all walks from the initial state.
///
/// With `order` the state with the fewest arcs is eliminated next (arcs that
/// lead to it plus arcs that lead away from it at that time, parallel edges
/// being one arc; the smaller number among equals), and otherwise the one with
/// the smallest number. States that cannot be reached are left out.
pub fn eliminate(automaton: &Automaton, order: bool, budget: &mut Budget) -> Result<Regex, Error> {
    let (start, end) = (automaton.states, automaton.states + 1);
    budget.spend(1)?;
    budget.spend(ticks(automaton.edges.len()))?;
    let mut left = automaton.reachable();
    let mut builder = RegexBuilder::new();
    let mut arcs = Arcs::default();
    for (place, &(from, _, to)) in automaton.edges.iter().enumerate() {
        if left.contains(&from.0) {
            let symbol = builder.symbol(EdgeId(place));
            arcs.add(from.0, to.0, symbol, &mut builder);
        }
    }
    let empty = builder.empty();
    arcs.add(start, automaton.initial.0, empty, &mut builder);
    for &state in &left {
        arcs.add(state, end, empty, &mut builder);
    }
    loop {
        let next = if order { left.iter().min_by_key(|&&state| arcs.degree(state)) } else { left.first() };
        let Some(&state) = next else { break };
        budget.spend(ticks(left.len()))?;
        left.remove(&state);
        let mut out = arcs.out.remove(&state).unwrap_or_default();
        let mut into = arcs.into.remove(&state).unwrap_or_default();
        into.remove(&state);
        let around = out.remove(&state).unwrap_or_else(|| builder.nothing());
        let around = builder.star(around);
        for to in out.keys() {
            if let Some(into) = arcs.into.get_mut(to) {
                into.remove(&state);
            }
        }
        for &from in &into {
            let Some(first) = arcs.out.get_mut(&from).and_then(|arcs| arcs.remove(&state)) else { continue };
            let first = builder.sequence(&[first, around]);
            for (&to, &last) in &out {
                let visit = builder.sequence(&[first, last]);
                arcs.add(from, to, visit, &mut builder);
                budget.spend(builder.take_cost().saturating_add(1))?;
            }
        }
    }
    let root = arcs.out.get(&start).and_then(|arcs| arcs.get(&end)).copied().unwrap_or_else(|| builder.nothing());
    Ok(builder.finish(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(edge: EdgeId) -> String {
        ["a", "b", "c"].get(edge.0).map_or_else(|| format!("e{}", edge.0), ToString::to_string)
    }

    #[test]
    fn there_and_back() {
        let edges = vec![(StateId(0), Letter(0), StateId(1)), (StateId(1), Letter(1), StateId(0)), (StateId(2), Letter(1), StateId(0))];
        let automaton = Automaton::new(3, StateId(0), edges, 2).unwrap();
        let regex = eliminate(&automaton, false, &mut Budget::unlimited()).unwrap();
        assert_eq!(regex.display(&name).to_string(), "ε | a (b a)* (ε | b)");
        let regex = eliminate(&automaton, true, &mut Budget::unlimited()).unwrap();
        assert_eq!(regex.display(&name).to_string(), "(a b)* (ε | a)");
    }

    #[test]
    fn the_order_lowers_the_stars() {
        // A hub with three loops through other states; the hub has the smallest number.
        let edges = (1..4).flat_map(|leaf| [(StateId(0), Letter(0), StateId(leaf)), (StateId(leaf), Letter(1), StateId(0))]).collect();
        let automaton = Automaton::new(4, StateId(0), edges, 2).unwrap();
        let heights = [true, false].map(|order| eliminate(&automaton, order, &mut Budget::unlimited()).unwrap().star_height());
        assert_eq!(heights, [1, 3]);
    }

    #[test]
    fn what_does_not_exist() {
        let edges = vec![(StateId(0), Letter(5), StateId(0))];
        assert_eq!(Automaton::new(1, StateId(0), edges, 2), Err(Error::OutOfRange { what: "letter", index: 5, count: 2 }));
        assert_eq!(Automaton::new(0, StateId(0), vec![], 2), Err(Error::OutOfRange { what: "state", index: 0, count: 0 }));
    }

    #[test]
    fn stops() {
        let automaton = Automaton::new(1, StateId(0), vec![], 0).unwrap();
        assert!(matches!(eliminate(&automaton, true, &mut Budget::ticks(0)), Err(Error::Stopped(_))));
    }
}
