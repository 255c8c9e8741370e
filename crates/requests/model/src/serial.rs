//! What a system does when requests come one at a time.
//!
//! A request that runs alone from global state `g`, answers and leaves the
//! global state `g'`, is one edge `g –request/response→ g'`. Serial runs are
//! exactly the paths of these edges from the initial global state: while a
//! request is in flight alone, nothing else can happen, so a serial run is
//! its requests' lone runs one after the other (cut short, at most, by a last
//! request that never answers; then the run is not complete). With
//! `Ser` for the multisets of letters on such paths, and `Ser(M)` for the
//! global states in which paths with exactly the letters `M` end:
//!
//! ```text
//! Ser(∅) = {g0}        Ser(M) = ⋃ over letters a in M of post_a(Ser(M − a))        M ∈ Ser  iff  Ser(M) ≠ ∅
//! ```
//!
//! The right equation holds because a path with letters `M` has a last edge,
//! with some letter `a`, and before it a path with letters `M − a`.
//!
//! [`SerialExplorer`] computes edges and `Ser(M)` on demand, so that of a
//! program that is compiled lazily only what `M` needs is ever looked at.
//! [`SerialAutomaton`] is the whole automaton of a finite system.
//!
//! ```
//! use serval_budget::Budget;
//! use serval_model::{Multiset, NetworkSystem, SerialAutomaton};
//! // A counter modulo 2: each request answers what it saw.
//! let system = NetworkSystem::from_json(
//!     r#"{"initial_global": "0", "requests": [["inc", "start"]],
//!         "responses": [["saw 0", "0"], ["saw 1", "1"]],
//!         "transitions": [["start", "0", "saw 0", "1"], ["start", "1", "saw 1", "0"]]}"#,
//! ).unwrap();
//! let budget = &mut Budget::unlimited();
//! let serial = SerialAutomaton::new(&system, budget).unwrap();
//! assert_eq!((serial.states().len(), serial.edges().len()), (2, 2));
//! let inc = system.request_named("inc").unwrap();
//! let [zero, one] = ["0", "1"].map(|name| system.response_named(name).unwrap());
//! let fine: Multiset<_> = [(inc, zero), (inc, one)].into_iter().collect();
//! let lost_update: Multiset<_> = [(inc, zero), (inc, zero)].into_iter().collect();
//! assert_eq!(serial.contains(&fine, budget), Ok(true));
//! assert_eq!(serial.contains(&lost_update, budget), Ok(false));
//! ```

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use serval_budget::{Budget, Stopped};

use crate::{GlobalId, Halt, Letter, LocalId, Moves, Multiset, NetworkSystem, RequestId, ResponseId};

/// One edge `from –letter→ to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SerialEdge {
    /// The global state in which the request comes in.
    pub from: GlobalId,
    /// The request and its response.
    pub letter: Letter,
    /// The global state that it leaves behind.
    pub to: GlobalId,
}

/// What a request alone can answer and leave behind, sorted.
type Results = Box<[(ResponseId, GlobalId)]>;

/// The serial behaviours of a system, computed on demand and remembered.
///
/// Cost in ticks: one per pair of a local and a global state that a request
/// alone visits, and one per global state in a remembered `Ser(M)`, at least
/// one per `M`.
#[derive(Clone, Debug)]
pub struct SerialExplorer<M> {
    system: M,
    alone: FxHashMap<(RequestId, GlobalId), Results>,
    /// `Ser(M)`, sorted.
    reached: FxHashMap<Multiset<Letter>, Box<[GlobalId]>>,
}

impl<M: Moves> SerialExplorer<M> {
    /// An explorer of `system`: a `&NetworkSystem`, or `&mut` anything else
    /// with [`Moves`].
    pub fn new(system: M) -> Self {
        Self { system, alone: FxHashMap::default(), reached: FxHashMap::default() }
    }

    /// The system that is explored.
    pub fn system(&self) -> &M {
        &self.system
    }

    /// The system that is explored, to ask it for more.
    pub fn system_mut(&mut self) -> &mut M {
        &mut self.system
    }

    /// What one `request` alone from `global` can answer, and the global
    /// states that it then leaves behind; sorted, without repetition.
    pub fn alone(&mut self, request: RequestId, global: GlobalId, budget: &mut Budget) -> Result<&[(ResponseId, GlobalId)], Halt<M::Stop>> {
        if !self.alone.contains_key(&(request, global)) {
            let results = explore_alone(&mut self.system, request, global, budget)?;
            self.alone.insert((request, global), results);
        }
        Ok(self.alone.get(&(request, global)).map_or(&[], |results| results))
    }

    /// `Ser(M)`: the global states in which serial runs that complete exactly
    /// `multiset` end; sorted.
    pub fn reached(&mut self, multiset: &Multiset<Letter>, budget: &mut Budget) -> Result<&[GlobalId], Halt<M::Stop>> {
        // Depth first with a stack of our own: a multiset is as deep as it is
        // large, and it may come from a file.
        let mut stack = vec![multiset.clone()];
        while let Some(top) = stack.last() {
            if self.reached.contains_key(top) {
                stack.pop();
                continue;
            }
            budget.spend(1)?;
            let smaller: Vec<(Letter, Multiset<Letter>)> =
                top.iter().filter_map(|(&letter, _)| Some((letter, top.without(&letter)?))).collect();
            let missing: Vec<_> =
                smaller.iter().filter(|(_, rest)| !self.reached.contains_key(rest)).map(|(_, rest)| rest.clone()).collect();
            if missing.is_empty() {
                let globals = if smaller.is_empty() { [self.system.initial_global()].into() } else { self.last_edges(&smaller, budget)? };
                if let Some(done) = stack.pop() {
                    self.reached.insert(done, globals);
                }
            } else {
                stack.extend(missing);
            }
        }
        Ok(self.reached.get(multiset).map_or(&[], |globals| globals))
    }

    /// Whether some serial run completes exactly `multiset`.
    pub fn contains(&mut self, multiset: &Multiset<Letter>, budget: &mut Budget) -> Result<bool, Halt<M::Stop>> {
        Ok(!self.reached(multiset, budget)?.is_empty())
    }

    /// The union of `post_a(Ser(M − a))` over the given pairs `(a, M − a)`,
    /// whose `Ser(M − a)` are known.
    fn last_edges(&mut self, smaller: &[(Letter, Multiset<Letter>)], budget: &mut Budget) -> Result<Box<[GlobalId]>, Halt<M::Stop>> {
        let mut globals = BTreeSet::new();
        for ((request, response), rest) in smaller {
            let before = self.reached.get(rest).cloned().unwrap_or_default();
            for global in before {
                budget.spend(1)?;
                let results = self.alone(*request, global, budget)?;
                let from = results.partition_point(|(other, _)| other < response);
                let matching = results[from..].iter().take_while(|(other, _)| other == response);
                let before = globals.len();
                globals.extend(matching.map(|&(_, to)| to));
                // A dense system must not hide its work behind one tick.
                budget.spend((globals.len() - before) as u64)?;
            }
        }
        Ok(globals.into_iter().collect())
    }
}

/// All `(response, global)` that `request` alone from `global` can end with.
fn explore_alone<M: Moves>(system: &mut M, request: RequestId, global: GlobalId, budget: &mut Budget) -> Result<Results, Halt<M::Stop>> {
    let starts = system.starts().iter().filter(|&&(other, _)| other == request);
    let mut to_visit: Vec<(LocalId, GlobalId)> = starts.map(|&(_, local)| (local, global)).collect();
    let mut seen: FxHashSet<(LocalId, GlobalId)> = to_visit.iter().copied().collect();
    let mut results = BTreeSet::new();
    let (mut successors, mut responses) = (Vec::new(), Vec::new());
    while let Some((local, global)) = to_visit.pop() {
        budget.spend(1)?;
        system.responses(local, &mut responses);
        results.extend(responses.drain(..).map(|response| (response, global)));
        system.successors(local, global, &mut successors).map_err(Halt::System)?;
        to_visit.extend(successors.drain(..).filter(|&next| seen.insert(next)));
    }
    Ok(results.into_iter().collect())
}

/// The automaton of the serial behaviours of a finite system.
///
/// Invariants, checked by [`SerialAutomaton::check_invariants`]: states and
/// edges are sorted, without repetition; the states are exactly those that
/// edges lead to from the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialAutomaton {
    initial: GlobalId,
    states: Vec<GlobalId>,
    edges: Vec<SerialEdge>,
}

impl SerialAutomaton {
    /// The serial automaton of `system`.
    pub fn new(system: &NetworkSystem, budget: &mut Budget) -> Result<Self, Stopped> {
        let mut explorer = SerialExplorer::new(system);
        let initial = system.initial_global();
        let (mut states, mut to_visit) = (BTreeSet::from([initial]), vec![initial]);
        let mut edges = Vec::new();
        while let Some(from) = to_visit.pop() {
            for request in system.requests() {
                for &(response, to) in explorer.alone(request, from, budget)? {
                    edges.push(SerialEdge { from, letter: (request, response), to });
                    if states.insert(to) {
                        to_visit.push(to);
                    }
                }
            }
        }
        edges.sort_unstable();
        Ok(Self { initial, states: states.into_iter().collect(), edges })
    }

    /// The global state in which serial runs begin.
    pub fn initial(&self) -> GlobalId {
        self.initial
    }

    /// The global states that serial runs can leave behind, sorted.
    pub fn states(&self) -> &[GlobalId] {
        &self.states
    }

    /// All edges, sorted by source, letter and target.
    pub fn edges(&self) -> &[SerialEdge] {
        &self.edges
    }

    /// The edges that leave `global`, sorted by letter and target.
    pub fn edges_from(&self, global: GlobalId) -> &[SerialEdge] {
        let from = self.edges.partition_point(|edge| edge.from < global);
        let to = self.edges.partition_point(|edge| edge.from <= global);
        &self.edges[from..to]
    }

    /// The letters that occur on edges, sorted.
    pub fn letters(&self) -> Vec<Letter> {
        let letters: BTreeSet<Letter> = self.edges.iter().map(|edge| edge.letter).collect();
        letters.into_iter().collect()
    }

    /// Whether some serial run completes exactly `multiset`.
    ///
    /// Goes through the sub-multisets by size, and keeps of each size only
    /// the pairs (sub-multiset, global state) that paths reach. Cost in
    /// ticks: one per such pair, and one per edge that leaves it.
    pub fn contains(&self, multiset: &Multiset<Letter>, budget: &mut Budget) -> Result<bool, Stopped> {
        let wanted: Vec<(Letter, u64)> = multiset.iter().map(|(&letter, count)| (letter, count)).collect();
        let full: Box<[u64]> = wanted.iter().map(|&(_, count)| count).collect();
        let mut layer = BTreeSet::from([(vec![0; full.len()].into_boxed_slice(), self.initial)]);
        // All members of a layer have the same size, so that the layer with
        // the full multiset holds nothing else.
        while let Some((counts, _)) = layer.first() {
            if *counts == full {
                return Ok(true);
            }
            let mut next = BTreeSet::new();
            for (counts, global) in layer {
                budget.spend(1)?;
                for edge in self.edges_from(global) {
                    budget.spend(1)?;
                    let Ok(index) = wanted.binary_search_by(|(letter, _)| letter.cmp(&edge.letter)) else { continue };
                    if counts[index] < full[index] {
                        let mut more = counts.clone();
                        more[index] += 1;
                        next.insert((more, edge.to));
                    }
                }
            }
            layer = next;
        }
        Ok(false)
    }

    /// Checks from scratch what the type promises.
    ///
    /// # Panics
    /// When a promise is broken.
    pub fn check_invariants(&self) {
        assert!(self.states.is_sorted_by(|a, b| a < b));
        assert!(self.edges.is_sorted_by(|a, b| a < b));
        let (mut reached, mut to_visit) = (BTreeSet::from([self.initial]), vec![self.initial]);
        while let Some(global) = to_visit.pop() {
            to_visit.extend(self.edges_from(global).iter().map(|edge| edge.to).filter(|&to| reached.insert(to)));
        }
        assert!(self.states.iter().eq(&reached));
        assert!(self.edges.iter().all(|edge| reached.contains(&edge.from)));
    }
}
