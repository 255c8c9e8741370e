//! Looks for a run to a step that may fail, also where it takes many requests.
//!
//! All runs with one request at a time, with two, and so on, as far as ticks go ([`Bounded`]), and long random ones
//! ([`Sampler`]) take turns, and after these random ones with many requests at a time. A run that fails has finitely
//! many requests and steps, so with ticks that grow without end it is found. The states are kept apart from those of
//! the exploration, whose order is that of the system that becomes of them.

use serval_budget::{Budget, Stopped};

use super::Failure;
use super::bounded::{Bounded, Failing};
use super::sample::Sampler;
use super::shorten::shortened;
use super::trail::{Trail, TrailStep};
use crate::space::Space;

/// Numbers of requests at a time for which the search is not complete and that are looked at in turn.
const LEVELS: usize = 4;
/// The part of the ticks that the first two of them have, and the random runs; the others have half of it.
const PART: u64 = 4;
/// The part that random runs have where no step that fails has been met.
const GLANCE: u64 = 8;
/// Ticks to make a run shorter.
const SHORTEN_TICKS: u64 = 200_000;

/// The search, which can be stopped and taken up again.
#[derive(Default)]
pub(super) struct Hunt {
    work: Option<HuntWork>,
}

struct HuntWork {
    space: Space,
    /// Runs with one request at a time, with two, and so on.
    levels: Vec<Bounded>,
    sampler: Sampler,
    /// The last to have its turn: its runs are hard to read.
    crowds: Sampler,
}

impl Hunt {
    /// Goes on with `ticks` ticks. `main` is the space in which the run is given.
    pub(super) fn look(&mut self, main: &mut Space, ticks: u64, budget: &Budget) -> Result<Option<Failure>, Stopped> {
        self.with(main, budget, |work| work.look(ticks, budget))
    }

    /// The same with random runs alone, and few of them.
    pub(super) fn glance(&mut self, main: &mut Space, ticks: u64, budget: &Budget) -> Result<Option<Failure>, Stopped> {
        self.with(main, budget, |work| unless_short(work.sampler.run(&mut work.space, &mut budget.part(ticks / GLANCE))))
    }

    fn with(
        &mut self,
        main: &mut Space,
        budget: &Budget,
        look: impl FnOnce(&mut HuntWork) -> Result<Option<Failing>, Stopped>,
    ) -> Result<Option<Failure>, Stopped> {
        let work = self.work.get_or_insert_with(|| {
            let space = main.fresh();
            let (sampler, crowds) = (Sampler::new(&space), Sampler::of_crowds(&space));
            HuntWork { space, levels: Vec::new(), sampler, crowds }
        });
        let Some(found) = look(work)? else { return Ok(None) };
        let failing = shortened(&mut work.space, found, &mut budget.aside(SHORTEN_TICKS));
        Ok(told(&work.space, main, &failing))
    }

    /// There is no failing run with this number of requests at a time.
    pub(super) fn excluded(&self) -> usize {
        self.work.as_ref().map_or(0, |work| work.levels.iter().take_while(|level| level.is_complete()).count())
    }
}

impl HuntWork {
    fn look(&mut self, ticks: u64, budget: &Budget) -> Result<Option<Failing>, Stopped> {
        let open = self.levels.iter().filter(|level| !level.is_complete()).count();
        for _ in open..LEVELS {
            self.levels.push(Bounded::new(&self.space, self.levels.len() + 1));
        }
        let mut turn = 0;
        for level in self.levels.iter_mut().filter(|level| !level.is_complete()) {
            let part = if turn < 2 { ticks / PART } else { ticks / PART / 2 };
            if let Some(found) = unless_short(level.run(&mut self.space, &mut budget.part(part)))? {
                return Ok(Some(found));
            }
            turn += 1;
            if turn == 2
                && let Some(found) = unless_short(self.sampler.run(&mut self.space, &mut budget.part(ticks / PART)))?
            {
                return Ok(Some(found));
            }
        }
        unless_short(self.crowds.run(&mut self.space, &mut budget.part(ticks / PART)))
    }
}

/// Ticks that end are no reason to stop the others.
fn unless_short(found: Result<Option<Failing>, Stopped>) -> Result<Option<Failing>, Stopped> {
    match found {
        Err(Stopped::OutOfTicks) => Ok(None),
        found => found,
    }
}

/// The run in the states of another space of the same component, and the step that fails there.
fn told(from: &Space, to: &mut Space, failing: &Failing) -> Option<Failure> {
    let mut global = to.initial_global();
    let mut trail: Trail = Vec::new();
    for step in &failing.trail {
        let local = to.local_id(from.local(step.from))?;
        let target = from.moves[step.step];
        let mut moves = to.moves(local, global);
        let same = |index: &usize| {
            let reached = to.moves[*index];
            to.local(reached.local) == from.local(target.local) && to.global(reached.global) == from.global(target.global)
        };
        let index = moves.find(same)?;
        trail.push(TrailStep { thread: step.thread, from: local, from_global: global, step: index });
        global = to.moves[index].global;
    }
    let local = to.local_id(from.local(failing.last.0))?;
    to.moves(local, global);
    let fault = to.failure(local, global)?;
    Some(Failure::Fault { fault, trail, last: Some((local, global)) })
}
