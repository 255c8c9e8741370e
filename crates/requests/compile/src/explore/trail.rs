//! Short real runs that lead somewhere, for error messages.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serval_model::{GlobalId, LocalId};

use crate::space::Space;

/// One step of a run: who moved from where to where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrailStep {
    /// Numbered from 0 in the order of their first steps.
    pub(crate) thread: usize,
    pub(crate) from: LocalId,
    pub(crate) from_global: GlobalId,
    /// Index into [`Space::moves`].
    pub(crate) step: usize,
}

/// A run from the initial state, not necessarily complete.
pub(crate) type Trail = Vec<TrailStep>;

/// Global state and requests in flight that are neither initial nor finished.
type Config = (GlobalId, Box<[LocalId]>);

/// Requests in flight at most: runs with more explain nothing to a reader.
const MAX_FLIGHT: usize = 16;

/// Real configurations, fewest steps first, up to a number.
pub(crate) struct Neighbourhood {
    configs: IndexMap<Config, Option<(usize, LocalId, usize)>, FxBuildHasher>,
    initial: Vec<LocalId>,
    /// How many of them have been left by all steps.
    expanded: usize,
}

impl Neighbourhood {
    /// Explores until `limit` configurations are known, or all of them.
    pub(crate) fn explore(space: &mut Space, limit: usize) -> Self {
        let mut initial: Vec<LocalId> = space.starts().map(|&(_, local)| local).collect();
        initial.sort_unstable();
        initial.dedup();
        let mut near = Self { configs: IndexMap::default(), initial, expanded: 0 };
        near.configs.insert((space.initial_global(), Box::default()), None);
        while near.expanded < near.configs.len() && near.configs.len() < limit {
            near.expand(space, near.expanded);
            near.expanded += 1;
        }
        near
    }

    fn expand(&mut self, space: &mut Space, position: usize) {
        let Some(((global, flight), _)) = self.configs.get_index(position) else { return };
        let (global, flight) = (*global, flight.clone());
        for source in self.sources(&flight) {
            for index in space.moves(source, global) {
                let step = space.moves[index];
                let mut after = flight.to_vec();
                if let Some(at) = after.iter().position(|&local| local == source) {
                    after.remove(at);
                }
                if !space.is_finished(step.local) && !self.initial.contains(&step.local) {
                    let at = after.partition_point(|&local| local < step.local);
                    after.insert(at, step.local);
                }
                if after.len() > MAX_FLIGHT {
                    continue;
                }
                self.configs.entry((step.global, after.into())).or_insert(Some((position, source, index)));
            }
        }
    }

    /// The different local states from which a request can move.
    fn sources(&self, flight: &[LocalId]) -> Vec<LocalId> {
        let mut sources = self.initial.clone();
        sources.extend_from_slice(flight);
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// The different pairs of a local state and a global state whose steps have been made, in the order of the
    /// configurations.
    pub(crate) fn pairs(&self) -> Vec<(LocalId, GlobalId)> {
        let mut pairs: IndexSet<(LocalId, GlobalId), FxBuildHasher> = IndexSet::default();
        for (global, flight) in self.configs.keys().take(self.expanded) {
            pairs.extend(self.sources(flight).into_iter().map(|local| (local, *global)));
        }
        pairs.into_iter().collect()
    }

    /// The configuration for which `score` is largest, the earliest of them.
    pub(crate) fn best(&self, mut score: impl FnMut(GlobalId, &[LocalId]) -> u64) -> usize {
        let mut best = (0, 0);
        for (position, ((global, flight), _)) in self.configs.iter().enumerate() {
            let value = score(*global, flight);
            if value > best.1 {
                best = (position, value);
            }
        }
        best.0
    }

    /// The first configuration in which a request in a state that it can be in
    /// satisfies `wanted`.
    pub(crate) fn first(&self, mut wanted: impl FnMut(LocalId, GlobalId) -> bool) -> Option<(usize, LocalId)> {
        self.configs.iter().enumerate().find_map(|(position, ((global, flight), _))| {
            self.sources(flight).into_iter().find(|&local| wanted(local, *global)).map(|local| (position, local))
        })
    }

    /// The steps to a configuration.
    pub(crate) fn trail(&self, space: &Space, to: usize) -> Trail {
        let mut steps = Vec::new();
        let mut at = to;
        while let Some((_, Some((before, source, index)))) = self.configs.get_index(at) {
            let from_global = self.configs.get_index(*before).map_or(space.initial_global(), |((global, _), _)| *global);
            steps.push((*source, from_global, *index));
            at = *before;
        }
        steps.reverse();
        threaded(space, steps, |local| !space.is_finished(local) && !self.initial.contains(&local))
    }
}

/// Gives the steps of a run, as where from, in which global state and which, to requests: one that is in flight where
/// the step begins, or a new one. `stays` says whether a request is in flight in a state.
pub(super) fn threaded(space: &Space, steps: Vec<(LocalId, GlobalId, usize)>, stays: impl Fn(LocalId) -> bool) -> Trail {
    let mut flight: Vec<(LocalId, usize)> = Vec::new();
    let mut threads = 0;
    let mut trail = Vec::new();
    for (from, from_global, step) in steps {
        let thread = match flight.iter().position(|&(local, _)| local == from) {
            Some(at) => flight.remove(at).1,
            None => {
                threads += 1;
                threads - 1
            }
        };
        let to = space.moves[step].local;
        if stays(to) {
            flight.push((to, thread));
        }
        trail.push(TrailStep { thread, from, from_global, step });
    }
    trail
}
