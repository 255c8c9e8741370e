//! One layer: all complete runs with a given number of requests.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_model::{Halt, Letter, Moves, Multiset, Run};

use super::configuration::{Config, Expander, Turn, run_of};
use super::minimise::fewest_switches;
use super::serial::Serial;
use super::{RequestMultiset, request_multisets};

/// What a layer gave.
#[derive(Debug)]
pub enum LayerOutcome<S> {
    /// Every completed multiset of this size is serial.
    Clear,
    /// A complete run whose answers no serial order gives.
    Found(Run),
    /// The budget ended first, or there are too many ways to choose requests.
    Stopped(Stopped),
    /// The system could not say how a request goes on.
    Fault(S),
}

/// Ways to choose requests in one layer at most.
pub(super) const MAX_MULTISETS: usize = 200_000;

/// Ticks for one question about serial runs of a system made on demand.
const SERIAL_TICKS: u64 = 200_000;

/// Ticks for making a run that was found shorter.
const MINIMISE_TICKS: u64 = 8_000_000;

/// A search of one system, layer by layer.
pub struct Search<M> {
    serial: Serial<M>,
    names: usize,
}

impl<M: Moves> Search<M> {
    /// A search of `system`, which may have infinitely many states: a question
    /// about serial runs is given up after some ticks.
    pub fn new(system: M) -> Self {
        Self::with_serial_ticks(system, SERIAL_TICKS)
    }

    /// The same with `ticks` ticks for a question about serial runs.
    pub(super) fn with_serial_ticks(system: M, ticks: u64) -> Self {
        let names = system.starts().iter().map(|(request, _)| request.index() + 1).max().unwrap_or(0);
        Self { serial: Serial::new(system, ticks), names }
    }

    /// The system that is searched.
    pub fn system(&self) -> &M {
        self.serial.system()
    }

    /// Looks at all complete runs with exactly `requests` requests. A tick is
    /// a configuration, or a sub-multiset of one whose answers are looked up.
    pub fn layer(&mut self, requests: u32, budget: &mut Budget) -> LayerOutcome<M::Stop> {
        let multisets = request_multisets(self.names, requests, MAX_MULTISETS);
        let complete = multisets.len() < MAX_MULTISETS;
        for multiset in &multisets {
            match self.runs_of(multiset, budget) {
                Ok(None) => {}
                Ok(Some(run)) => return LayerOutcome::Found(run),
                Err(Halt::Budget(stopped)) => return LayerOutcome::Stopped(stopped),
                Err(Halt::System(fault)) => return LayerOutcome::Fault(fault),
            }
        }
        if complete { LayerOutcome::Clear } else { LayerOutcome::Stopped(Stopped::OutOfTicks) }
    }

    /// Looks at all complete runs of exactly these requests.
    pub(super) fn runs_of(&mut self, requests: &RequestMultiset, budget: &mut Budget) -> Result<Option<Run>, Halt<M::Stop>> {
        let initial_global = self.serial.system().initial_global();
        let mut expander = Expander::new(self.serial.system(), requests, false);
        let mut seen: IndexMap<Config, Option<(usize, Turn)>, FxBuildHasher> = IndexMap::default();
        seen.insert(Expander::initial(initial_global), None);
        let (mut position, mut next) = (0, Vec::new());
        while let Some((config, _)) = seen.get_index(position) {
            budget.spend(1)?;
            if expander.is_complete(config) {
                let completed: Multiset<_> = config.completed.iter().copied().collect();
                budget.spend(price(&completed))?;
                if !self.serial.contains(&completed, budget)? {
                    let fallback = run_of(initial_global, &turns_to(&seen, position));
                    return Ok(self.shortened(requests, budget)?.or(fallback));
                }
            } else {
                let config = config.clone();
                expander.expand(self.serial.system_mut(), &config, &mut next).map_err(Halt::System)?;
                for (turn, config) in next.drain(..) {
                    seen.entry(config).or_insert(Some((position, turn)));
                }
            }
            position += 1;
        }
        Ok(None)
    }

    /// A counterexample with the requests of `run`, which is one, that switches
    /// least and then has the fewest steps; `run` itself if looking for it takes
    /// too long.
    pub fn shorten(&mut self, run: Run, budget: &Budget) -> Result<Run, Halt<M::Stop>> {
        let mut requests = vec![0; self.names];
        for (&(request, _), count) in run.configuration().completed.iter() {
            requests[request.index()] += u32::try_from(count).unwrap_or(u32::MAX);
        }
        Ok(self.shortened(&requests, budget)?.unwrap_or(run))
    }

    fn shortened(&mut self, requests: &RequestMultiset, budget: &Budget) -> Result<Option<Run>, Halt<M::Stop>> {
        // Configurations grow with the number of requests, and so does what
        // one of them costs.
        let count = u64::from(requests.iter().sum::<u32>()).max(1);
        let mut part = budget.aside(MINIMISE_TICKS / (count * count));
        match fewest_switches(&mut self.serial, requests, &mut part) {
            Err(Halt::Budget(Stopped::OutOfTicks)) => Ok(None),
            other => other,
        }
    }
}

/// What asking whether a multiset is serial costs: the number of its
/// sub-multisets, whatever is remembered of them, so that the price is the
/// same for every thread.
fn price(completed: &Multiset<Letter>) -> u64 {
    completed.iter().fold(1, |price: u64, (_, count)| price.saturating_mul(count.saturating_add(1)))
}

fn turns_to(seen: &IndexMap<Config, Option<(usize, Turn)>, FxBuildHasher>, mut position: usize) -> Vec<Turn> {
    let mut turns = Vec::new();
    while let Some((_, Some((before, turn)))) = seen.get_index(position) {
        turns.push(*turn);
        position = *before;
    }
    turns.reverse();
    turns
}
