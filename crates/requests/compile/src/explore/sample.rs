//! Long random runs, the same on every machine, guided towards small and large values.
//!
//! What fails after many requests fails mostly because a value has grown. The run that has come to the least and to the
//! greatest value of a variable so far is kept, and most walks go on from one of these. Each walk has its own number of
//! requests at a time and its own favourites among the requests, so that runs in which one kind of request does nearly
//! everything are as likely as mixed ones.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId, SplitMix64};

use super::bounded::{Failing, starts};
use super::trail::{Trail, TrailStep};
use crate::space::Space;

/// Requests at a time, of which each walk draws one.
const AT_ONCE: [usize; 7] = [1, 1, 2, 2, 3, 4, 8];
/// The same for walks of crowds, and by how many percent a new request comes there.
const CROWDS: [usize; 4] = [16, 128, 1_024, 4_096];
const CROWD_COMES: [u64; 4] = [70, 90, 95, 99];
/// Steps of a walk, and of the walk together with those it goes on from.
const STEPS: [usize; 4] = [20, 60, 200, 600];
const MOST_STEPS: usize = 4_000;
/// By how many percent a new request comes, where one may, of which each walk draws one.
const COMES: [u64; 4] = [10, 40, 70, 95];
/// How many runs are kept.
const KEPT: usize = 64;

/// A run and where it has come to.
#[derive(Clone)]
struct Walk {
    global: GlobalId,
    /// Where the requests in flight are, and their numbers.
    flight: Vec<(LocalId, usize)>,
    threads: usize,
    trail: Trail,
}

/// How one walk draws.
struct Manner {
    at_once: usize,
    comes: u64,
    favourites: Vec<LocalId>,
}

/// The walks, which can be stopped and taken up again.
pub(super) struct Sampler {
    random: SplitMix64,
    /// Requests at a time, and by how many percent a new one comes.
    at_once: &'static [usize],
    comes: &'static [u64],
    initial: Vec<LocalId>,
    /// The least and the greatest value of a variable, and the run that has come there.
    far: IndexMap<(usize, bool), (i64, Walk), FxBuildHasher>,
    /// The global states in which the first steps of all requests have been tried.
    tried: FxHashSet<GlobalId>,
}

impl Sampler {
    pub(super) fn new(space: &Space) -> Self {
        let (far, tried) = (IndexMap::default(), FxHashSet::default());
        Self { random: SplitMix64::new(1), at_once: &AT_ONCE, comes: &COMES, initial: starts(space), far, tried }
    }

    /// Walks with many requests at a time, which a value takes that counts those in flight.
    pub(super) fn of_crowds(space: &Space) -> Self {
        Self { at_once: &CROWDS, comes: &CROWD_COMES, ..Self::new(space) }
    }

    /// Walks until a step fails or the budget ends; `Ok` without a run where no request can make any step.
    pub(super) fn run(&mut self, space: &mut Space, budget: &mut Budget) -> Result<Option<Failing>, Stopped> {
        loop {
            let mut walk = self.begin(space);
            if walk.trail.len() >= MOST_STEPS {
                self.far.clear();
                continue;
            }
            let begun = walk.trail.len();
            let found = self.walk(space, &mut walk, budget);
            self.keep(space, &walk.trail, begun);
            if walk.trail.is_empty() || !matches!(found, Ok(None)) {
                return found;
            }
        }
    }

    /// One walk, until nothing can change.
    fn walk(&mut self, space: &mut Space, walk: &mut Walk, budget: &mut Budget) -> Result<Option<Failing>, Stopped> {
        let manner = self.manner();
        for _ in 0..STEPS[self.random.index(STEPS.len())] {
            budget.spend(1 + (walk.flight.len() + space.global(walk.global).len()) as u64 / 16 + space.take_cost())?;
            if let Some(failing) = self.failing(space, walk) {
                return Ok(Some(failing));
            }
            if !self.step(space, walk, &manner) {
                return Ok(None);
            }
        }
        Ok(self.failing(space, walk))
    }

    /// Where a walk begins: at one of the runs that are kept, or where everything does.
    fn begin(&mut self, space: &Space) -> Walk {
        let position = self.random.index(self.far.len());
        match self.far.get_index(position) {
            Some((_, (_, walk))) if self.random.chance(80) => walk.clone(),
            _ => Walk::after(space, &[]),
        }
    }

    fn manner(&mut self) -> Manner {
        let at_once = self.at_once[self.random.index(self.at_once.len())];
        let comes = self.comes[self.random.index(self.comes.len())];
        let favoured = self.random.index(3);
        let favourites = (0..favoured).filter_map(|_| self.random.pick(&self.initial)).collect();
        Manner { at_once, comes, favourites }
    }

    /// Some request makes a step that changes something; `false` where none can.
    fn step(&mut self, space: &mut Space, walk: &mut Walk, manner: &Manner) -> bool {
        let may_come = walk.flight.len() < manner.at_once;
        // The position in flight, or a new request: the one that is drawn, and the others if it waits.
        let mut order: Vec<(Option<usize>, LocalId)> =
            walk.flight.iter().map(|&(local, _)| local).enumerate().map(|(at, local)| (Some(at), local)).collect();
        if !order.is_empty() {
            let first = self.random.index(order.len());
            order.rotate_left(first);
        }
        if may_come || order.is_empty() {
            let drawn = match self.random.pick(&manner.favourites) {
                Some(favourite) if self.random.chance(85) => Some(favourite),
                _ => self.random.pick(&self.initial),
            };
            let place = if self.random.chance(manner.comes) { 0 } else { order.len() };
            let first = self.random.index(self.initial.len());
            let others = self.initial[first..].iter().chain(&self.initial[..first]).copied();
            if let Some(drawn) = drawn {
                order.insert(place, (None, drawn));
            }
            order.extend(others.map(|local| (None, local)));
        }
        for (at, from) in order {
            let changes: Vec<usize> = space.moves(from, walk.global).collect();
            let changes: Vec<usize> =
                changes.into_iter().filter(|&index| (space.moves[index].local, space.moves[index].global) != (from, walk.global)).collect();
            let Some(step) = self.random.pick(&changes) else { continue };
            let to = space.moves[step];
            let thread = match at {
                Some(at) => walk.flight.remove(at).1,
                None => {
                    walk.threads += 1;
                    walk.threads - 1
                }
            };
            walk.trail.push(TrailStep { thread, from, from_global: walk.global, step });
            walk.global = to.global;
            if !space.is_finished(to.local) {
                walk.flight.push((to.local, thread));
            }
            return true;
        }
        false
    }

    /// Whether the next step of some request may fail, of one in flight or of a new one.
    fn failing(&mut self, space: &mut Space, walk: &Walk) -> Option<Failing> {
        let global = walk.global;
        let new = if self.tried.insert(global) { self.initial.as_slice() } else { &[] };
        let mut sources = walk.flight.iter().map(|&(local, _)| local).chain(new.iter().copied());
        sources.find_map(|local| {
            space.moves(local, global);
            let fault = space.failure(local, global)?;
            Some(Failing { fault, trail: walk.trail.clone(), last: (local, global) })
        })
    }

    /// Remembers the runs to values that are less or greater than all before, of those that the last steps lead to.
    fn keep(&mut self, space: &Space, trail: &Trail, begun: usize) {
        let mut news: IndexMap<(usize, bool), (i64, usize), FxBuildHasher> = IndexMap::default();
        let initial = space.global(space.initial_global());
        for (position, step) in trail.iter().enumerate().skip(begun) {
            let to = space.moves[step.step].global;
            if to == step.from_global {
                continue;
            }
            for (slot, (&value, &before)) in space.global(to).iter().zip(space.global(step.from_global)).enumerate() {
                let key = (slot, value > before);
                let kept = self.far.get(&key).map_or(initial[slot], |kept| kept.0);
                let best = news.get(&key).map_or(kept, |new| new.0);
                if value != before && (if key.1 { value > best } else { value < best }) {
                    news.insert(key, (value, position));
                }
            }
        }
        for (key, (value, position)) in news {
            if self.far.contains_key(&key) || self.far.len() < KEPT {
                self.far.insert(key, (value, Walk::after(space, &trail[..=position])));
            }
        }
    }
}

impl Walk {
    /// Where a run leads.
    fn after(space: &Space, trail: &[TrailStep]) -> Self {
        let mut flight: IndexMap<usize, LocalId, FxBuildHasher> = IndexMap::default();
        let (mut global, mut threads) = (space.initial_global(), 0);
        for step in trail {
            let to = space.moves[step.step];
            flight.insert(step.thread, to.local);
            global = to.global;
            threads = threads.max(step.thread + 1);
        }
        let flight = flight.into_iter().map(|(thread, local)| (local, thread)).filter(|&(local, _)| !space.is_finished(local)).collect();
        Self { global, flight, threads, trail: trail.to_vec() }
    }
}
