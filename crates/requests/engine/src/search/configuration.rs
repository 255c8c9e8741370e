//! Configurations of a search and how they follow each other.

use serval_model::{Event, GlobalId, Letter, LocalId, Moves, RequestId, Run, Step, Thread};

use super::RequestMultiset;

/// A request in flight: its name and its local state.
pub(crate) type InFlight = (RequestId, LocalId);

/// A global state, who is in flight, what has been answered. A request that is
/// neither in flight nor has answered is still to come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Config {
    pub(crate) global: GlobalId,
    /// Sorted; without `current`.
    pub(crate) flight: Vec<InFlight>,
    /// Who moved last, where that is distinguished.
    pub(crate) current: Option<InFlight>,
    /// Sorted.
    pub(crate) completed: Vec<Letter>,
}

/// What a request did: one step, or none, and then perhaps an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Where it was; for one still to come, its start.
    pub(crate) from: InFlight,
    /// Whether it was in flight.
    pub(crate) was_in_flight: bool,
    /// Whether it also made the previous turn, where that is distinguished.
    pub(crate) continues: bool,
    pub(crate) step: Option<Step>,
    pub(crate) answer: Option<serval_model::ResponseId>,
}

/// What the search asks of a system, with memory that is used again.
pub(crate) struct Expander<'d> {
    requests: &'d RequestMultiset,
    /// Tell apart who moved last.
    track: bool,
    starts: Vec<InFlight>,
    /// Requests with exactly one start.
    single: Vec<bool>,
    successors: Vec<(LocalId, GlobalId)>,
    responses: Vec<serval_model::ResponseId>,
    /// Who is in flight besides the one whose turn it is.
    flight: Vec<InFlight>,
    /// How many of each name are still to come.
    to_come: RequestMultiset,
}

impl<'d> Expander<'d> {
    pub(crate) fn new<M: Moves>(system: &M, requests: &'d RequestMultiset, track: bool) -> Self {
        let starts: Vec<InFlight> = system.starts().to_vec();
        let single = (0..requests.len()).map(|name| starts.iter().filter(|(request, _)| request.index() == name).count() == 1).collect();
        Self { requests, track, starts, single, successors: Vec::new(), responses: Vec::new(), flight: Vec::new(), to_come: Vec::new() }
    }

    pub(crate) fn initial(global: GlobalId) -> Config {
        Config { global, flight: Vec::new(), current: None, completed: Vec::new() }
    }

    fn count_to_come(&mut self, config: &Config) {
        self.to_come.clone_from(self.requests);
        let gone = config.flight.iter().chain(&config.current).map(|place| place.0).chain(config.completed.iter().map(|letter| letter.0));
        for request in gone {
            self.to_come[request.index()] = self.to_come[request.index()].saturating_sub(1);
        }
    }

    /// Whether everybody has answered.
    pub(crate) fn is_complete(&self, config: &Config) -> bool {
        let wanted: u32 = self.requests.iter().sum();
        config.completed.len() == wanted as usize
    }

    /// All configurations after one more turn.
    pub(crate) fn expand<M: Moves>(&mut self, system: &mut M, config: &Config, out: &mut Vec<(Turn, Config)>) -> Result<(), M::Stop> {
        if let Some(place) = config.current {
            self.turns(system, config, place, true, true, out)?;
        }
        let mut last = None;
        for &place in &config.flight {
            // Requests in one place are alike.
            if last.replace(place) != Some(place) {
                self.turns(system, config, place, true, false, out)?;
            }
        }
        self.count_to_come(config);
        for position in 0..self.starts.len() {
            let place = self.starts[position];
            if self.to_come[place.0.index()] > 0 {
                self.turns(system, config, place, false, false, out)?;
            }
        }
        Ok(())
    }

    fn turns<M: Moves>(
        &mut self,
        system: &mut M,
        config: &Config,
        from: InFlight,
        was_in_flight: bool,
        continues: bool,
        out: &mut Vec<(Turn, Config)>,
    ) -> Result<(), M::Stop> {
        let (request, local) = from;
        let global = config.global;
        if !was_in_flight {
            // An answer without a step; later ones are given on arrival.
            self.arrive(system, config, Turn { from, was_in_flight, continues, step: None, answer: None }, false, out);
        }
        self.successors.clear();
        system.successors(local, global, &mut self.successors)?;
        let successors = std::mem::take(&mut self.successors);
        for &(to_local, to_global) in &successors {
            if (to_local, to_global) == (local, global) {
                continue;
            }
            let step = Step { local, global, to_local, to_global };
            let may_stay = !system.is_final(to_local);
            self.arrive(
                system,
                config,
                Turn { from: (request, local), was_in_flight, continues, step: Some(step), answer: None },
                may_stay,
                out,
            );
        }
        self.successors = successors;
        Ok(())
    }

    /// A request has arrived where its turn leads: it answers, or stays.
    fn arrive<M: Moves>(&mut self, system: &mut M, config: &Config, turn: Turn, may_stay: bool, out: &mut Vec<(Turn, Config)>) {
        let (request, _) = turn.from;
        let (local, global) = turn.step.map_or((turn.from.1, config.global), |step| (step.to_local, step.to_global));
        self.responses.clear();
        system.responses(local, &mut self.responses);
        if self.responses.is_empty() && !may_stay {
            return;
        }
        self.flight.clear();
        self.flight.extend_from_slice(&config.flight);
        if !turn.continues {
            if turn.was_in_flight
                && let Ok(at) = self.flight.binary_search(&turn.from)
            {
                self.flight.remove(at);
            }
            if let Some(idle) = config.current {
                self.flight.insert(position_of(&self.flight, idle), idle);
            }
        }
        for &response in &self.responses {
            let completed = with(&config.completed, (request, response));
            out.push((Turn { answer: Some(response), ..turn }, Config { global, flight: self.flight.clone(), current: None, completed }));
        }
        if may_stay {
            let place = (request, local);
            let came_back = self.single[request.index()] && self.starts.contains(&place);
            let current = (self.track && !came_back).then_some(place);
            let flight = if self.track || came_back { self.flight.clone() } else { with(&self.flight, place) };
            out.push((turn, Config { global, flight, current, completed: config.completed.clone() }));
        }
    }
}

/// Where the item belongs, behind all that are equal.
fn position_of<T: Ord>(sorted: &[T], item: T) -> usize {
    sorted.partition_point(|other| *other <= item)
}

/// The sorted items and one more, in memory that is just large enough.
fn with<T: Ord + Copy>(sorted: &[T], item: T) -> Vec<T> {
    let at = position_of(sorted, item);
    let mut all = Vec::with_capacity(sorted.len() + 1);
    all.extend_from_slice(&sorted[..at]);
    all.push(item);
    all.extend_from_slice(&sorted[at..]);
    all
}

/// The run that makes these turns.
pub(crate) fn run_of(initial_global: GlobalId, turns: &[Turn]) -> Option<Run> {
    let mut run = Run::new(initial_global);
    let mut last = None;
    for turn in turns {
        let (request, local) = turn.from;
        let at_place = |run: &Run| {
            let flight = &run.configuration().in_flight;
            let here = |thread: &Thread| thread.request == request && thread.local == local;
            let same = last.filter(|id| turn.continues && flight.get(id).is_some_and(here));
            same.or_else(|| flight.iter().find(|(_, thread)| here(thread)).map(|(&id, _)| id))
        };
        // One that came back to its start counts as not having come; it is
        // taken up again before another one comes.
        let thread = match at_place(&run) {
            Some(thread) => thread,
            None => {
                let thread = run.next_thread()?;
                run.push(Event::Spawn { thread, request, local }).ok()?;
                thread
            }
        };
        last = Some(thread);
        if let Some(step) = turn.step {
            run.push(Event::Step { thread, step }).ok()?;
        }
        if let Some(response) = turn.answer {
            run.push(Event::Respond { thread, response }).ok()?;
        }
    }
    run.is_complete().then_some(run)
}
