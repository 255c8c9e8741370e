//! Real runs with few requests at a time, all of them as far as ticks go.
//!
//! A configuration is a global state and the requests in flight, whose number is bounded: another one begins
//! only where there are fewer. Where there are finitely many states there are finitely many configurations, so that the
//! search ends, and where none of them fails it takes more requests at a time. Configurations are looked at by the
//! number of their steps, fewest first. With one at a time these are the serial runs.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId};

use super::trail::{Trail, threaded};
use crate::machine::Fault;
use crate::space::Space;

/// A run after which a step fails.
pub(crate) struct Failing {
    pub(crate) fault: Fault,
    pub(crate) trail: Trail,
    /// Where the request stands whose step it is, and the global state.
    pub(crate) last: (LocalId, GlobalId),
}

/// The global state, and where the requests in flight are, ascending.
type Config = (GlobalId, Box<[LocalId]>);

/// The search, which can be stopped and taken up again.
pub(crate) struct Bounded {
    at_once: usize,
    initial: Vec<LocalId>,
    /// How each configuration was come to first.
    configs: IndexMap<Config, Option<(usize, LocalId, usize)>, FxBuildHasher>,
    /// How many of them have been left by all steps.
    expanded: usize,
}

impl Bounded {
    pub(crate) fn new(space: &Space, at_once: usize) -> Self {
        let mut configs: IndexMap<Config, _, FxBuildHasher> = IndexMap::default();
        configs.insert((space.initial_global(), Box::default()), None);
        Self { at_once, initial: starts(space), configs, expanded: 0 }
    }

    /// Whether all configurations have been looked at.
    pub(crate) fn is_complete(&self) -> bool {
        self.expanded == self.configs.len()
    }

    /// Goes on until a step fails, or none does, or the budget ends. A tick is a configuration with few ways on.
    pub(crate) fn run(&mut self, space: &mut Space, budget: &mut Budget) -> Result<Option<Failing>, Stopped> {
        while !self.is_complete() {
            // What a configuration costs is known when it has been left, so there is always some progress.
            let weight = self.configs.get_index(self.expanded).map_or(0, |((_, flight), _)| self.initial.len() + flight.len());
            budget.spend(1 + weight as u64 / 16 + space.take_cost())?;
            if let Some(failing) = self.expand(space, self.expanded) {
                return Ok(Some(failing));
            }
            self.expanded += 1;
        }
        Ok(None)
    }

    fn expand(&mut self, space: &mut Space, position: usize) -> Option<Failing> {
        let (global, flight) = self.configs.get_index(position)?.0.clone();
        let mut sources = if flight.len() < self.at_once { self.initial.clone() } else { Vec::new() };
        sources.extend_from_slice(&flight);
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let moves = space.moves(source, global);
            if let Some(fault) = space.failure(source, global) {
                return Some(Failing { fault, trail: self.trail(space, position), last: (source, global) });
            }
            for index in moves {
                let step = space.moves[index];
                let mut after = flight.to_vec();
                if let Ok(at) = after.binary_search(&source) {
                    after.remove(at);
                }
                if !space.is_finished(step.local) {
                    let at = after.partition_point(|&local| local < step.local);
                    after.insert(at, step.local);
                }
                if after.len() <= self.at_once {
                    self.configs.entry((step.global, after.into())).or_insert(Some((position, source, index)));
                }
            }
        }
        None
    }

    /// The steps to a configuration.
    fn trail(&self, space: &Space, to: usize) -> Trail {
        let mut steps = Vec::new();
        let mut at = to;
        while let Some((_, &Some((before, source, index)))) = self.configs.get_index(at) {
            let from_global = self.configs.get_index(before).map_or(space.initial_global(), |((global, _), _)| *global);
            steps.push((source, from_global, index));
            at = before;
        }
        steps.reverse();
        threaded(space, steps, |local| !space.is_finished(local))
    }
}

/// The local states in which requests begin, each once.
pub(super) fn starts(space: &Space) -> Vec<LocalId> {
    let mut initial: Vec<LocalId> = space.starts().map(|&(_, local)| local).collect();
    initial.sort_unstable();
    initial.dedup();
    initial
}
