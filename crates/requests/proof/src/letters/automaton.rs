//! Automata whose walks stand for serial runs.

use serde::{Deserialize, Serialize};
use serval_evidence::objects;

/// A finite automaton. Every state accepts, so that it stands for the walks from
/// its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Automaton {
    /// How many states there are.
    pub states: u32,
    /// Where walks begin.
    pub start: u32,
    /// From, label, to; sorted, without repetition. Labels are letters (done
    /// nodes), or classes of letters, by number.
    pub edges: Vec<(u32, u32, u32)>,
}

objects!(Automaton);

impl Automaton {
    /// Whether all states are there, and the edges in order.
    pub fn is_well_formed(&self) -> bool {
        let known = |&(from, _, to): &(u32, u32, u32)| from < self.states && to < self.states;
        self.start < self.states && self.edges.is_sorted_by(|a, b| a < b) && self.edges.iter().all(known)
    }

    /// The edges with a label that leave a state.
    pub fn edges_from(&self, state: u32, label: u32) -> &[(u32, u32, u32)] {
        let from = self.edges.partition_point(|&(from, of, _)| (from, of) < (state, label));
        let to = from + self.edges[from..].partition_point(|&(from, of, _)| (from, of) == (state, label));
        &self.edges[from..to]
    }

    /// The edges that leave a state.
    pub fn edges_of(&self, state: u32) -> &[(u32, u32, u32)] {
        let from = self.edges.partition_point(|&(from, ..)| from < state);
        let to = from + self.edges[from..].partition_point(|&(from, ..)| from == state);
        &self.edges[from..to]
    }

    /// Whether a state has a loop with a label.
    pub fn has_loop(&self, state: u32, label: u32) -> bool {
        self.edges.binary_search(&(state, label, state)).is_ok()
    }

    /// The same without the edges of some labels.
    #[must_use]
    pub fn without(&self, labels: impl Fn(u32) -> bool) -> Self {
        let edges = self.edges.iter().copied().filter(|&(_, label, _)| !labels(label)).collect();
        Self { states: self.states, start: self.start, edges }
    }
}
