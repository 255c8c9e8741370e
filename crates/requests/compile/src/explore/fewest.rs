//! A run to a failure with the fewest requests of all.
//!
//! Configurations are looked at by the number of requests that have come, fewest first: a step of a request in flight
//! leads to the same number, the first step of another one to the next. Each is kept with the least number with which
//! it was come to. So the first failure that is met has the fewest requests, whether they overlap or not.

use std::collections::VecDeque;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId};

use super::bounded::{Failing, starts};
use super::shorten::requests;
use super::trail::{Trail, threaded};
use crate::space::Space;

/// The global state, and where the requests in flight are, ascending.
type Config = (GlobalId, Box<[LocalId]>);

/// How a configuration is come to with the fewest requests.
struct Way {
    requests: usize,
    /// The one before, who makes a step there, and which.
    before: Option<(usize, LocalId, usize)>,
}

struct Fewest {
    initial: Vec<LocalId>,
    ways: IndexMap<Config, Way, FxBuildHasher>,
    /// What is still to be looked at with the present number of requests, and with one more.
    now: VecDeque<usize>,
    next: VecDeque<usize>,
}

/// The run with the fewest requests, if it has fewer than the one at hand and is met with these ticks.
pub(crate) fn fewest_requests(space: &mut Space, failing: Failing, ticks: u64, budget: &Budget) -> Failing {
    let most = requests(space, &failing);
    if most < 2 {
        return failing;
    }
    space.take_cost();
    let mut ways: IndexMap<Config, Way, _> = IndexMap::default();
    ways.insert((space.initial_global(), Box::default()), Way { requests: 0, before: None });
    let mut search = Fewest { initial: starts(space), ways, now: VecDeque::from([0]), next: VecDeque::new() };
    match search.run(space, most - 1, &mut budget.aside(ticks)) {
        Ok(Some(found)) => found,
        Ok(None) | Err(_) => failing,
    }
}

impl Fewest {
    /// Goes on up to this number of requests.
    fn run(&mut self, space: &mut Space, most: usize, budget: &mut Budget) -> Result<Option<Failing>, Stopped> {
        for requests in 0..=most {
            // The first step of one more request that fails: no run with so few is known to.
            let mut beyond = None;
            while let Some(position) = self.now.pop_front() {
                let Some(((global, flight), way)) = self.ways.get_index(position) else { continue };
                if way.requests != requests {
                    continue;
                }
                let (global, flight) = (*global, flight.clone());
                budget.spend(1 + (self.initial.len() + flight.len()) as u64 / 16 + space.take_cost())?;
                let mut sources = flight.to_vec();
                sources.dedup();
                for source in sources {
                    if let Some(found) = self.leave(space, position, (source, global), &flight, requests) {
                        return Ok(Some(found));
                    }
                }
                if requests < most {
                    for source in self.initial.clone() {
                        let found = self.leave(space, position, (source, global), &flight, requests + 1);
                        beyond = beyond.or(found);
                    }
                }
            }
            if beyond.is_some() {
                return Ok(beyond);
            }
            std::mem::swap(&mut self.now, &mut self.next);
        }
        Ok(None)
    }

    /// The steps of a request in flight, or of another one, after which `requests` have come; a failure if one of them
    /// is.
    fn leave(
        &mut self,
        space: &mut Space,
        position: usize,
        (source, global): (LocalId, GlobalId),
        flight: &[LocalId],
        requests: usize,
    ) -> Option<Failing> {
        let moves = space.moves(source, global);
        if let Some(fault) = space.failure(source, global) {
            return Some(Failing { fault, trail: self.trail(space, position), last: (source, global) });
        }
        let comes = self.ways.get_index(position).is_some_and(|(_, way)| way.requests < requests);
        for index in moves {
            let step = space.moves[index];
            let mut after = flight.to_vec();
            if let Some(at) = after.iter().position(|&local| local == source).filter(|_| !comes) {
                after.remove(at);
            }
            if !space.is_finished(step.local) {
                let at = after.partition_point(|&local| local < step.local);
                after.insert(at, step.local);
            }
            let entry = self.ways.entry((step.global, after.into()));
            let at = entry.index();
            let way = entry.or_insert(Way { requests: usize::MAX, before: None });
            if requests < way.requests {
                *way = Way { requests, before: Some((position, source, index)) };
                if comes { self.next.push_back(at) } else { self.now.push_back(at) }
            }
        }
        None
    }

    /// The steps to a configuration. With each the number of requests is at most the one before it, so they begin at
    /// the beginning.
    fn trail(&self, space: &Space, to: usize) -> Trail {
        let mut steps = Vec::new();
        let mut at = to;
        while let Some((_, &Way { before: Some((before, source, index)), .. })) = self.ways.get_index(at) {
            let from_global = self.ways.get_index(before).map_or(space.initial_global(), |((global, _), _)| *global);
            steps.push((source, from_global, index));
            at = before;
        }
        steps.reverse();
        threaded(space, steps, |local| !space.is_finished(local))
    }
}
