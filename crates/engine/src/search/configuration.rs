//! Configurations of a search and how they follow each other.

use serval_model::{Event, GlobalId, Letter, LocalId, Moves, RequestId, Run, Step, Thread};

use super::RequestMultiset;

/// A request in flight: its name and its local state.
pub(crate) type Place = (RequestId, LocalId);

/// A global state, who is in flight, what has been answered. Whoever is
/// neither in flight nor has answered is still to come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Config {
    pub(crate) global: GlobalId,
    /// Sorted; without `current`.
    pub(crate) flight: Vec<Place>,
    /// Who moved last, where that is told apart.
    pub(crate) current: Option<Place>,
    /// Sorted.
    pub(crate) completed: Vec<Letter>,
}

/// What a request did: one step, or none, and then perhaps an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Where it was; for one still to come, its start.
    pub(crate) from: Place,
    /// Whether it was in flight.
    pub(crate) was_in_flight: bool,
    /// Whether it also made the previous turn, where that is told apart.
    pub(crate) continues: bool,
    pub(crate) step: Option<Step>,
    pub(crate) answer: Option<serval_model::ResponseId>,
}

/// What the search asks of a system, with memory that is used again.
pub(crate) struct Expander<'d> {
    requests: &'d RequestMultiset,
    /// Tell apart who moved last.
    track: bool,
    starts: Vec<Place>,
    /// Requests with exactly one start.
    single: Vec<bool>,
    successors: Vec<(LocalId, GlobalId)>,
    responses: Vec<serval_model::ResponseId>,
}

impl<'d> Expander<'d> {
    pub(crate) fn new<M: Moves>(system: &M, requests: &'d RequestMultiset, track: bool) -> Self {
        let starts: Vec<Place> = system.starts().to_vec();
        let single = (0..requests.len()).map(|name| starts.iter().filter(|(request, _)| request.index() == name).count() == 1).collect();
        Self { requests, track, starts, single, successors: Vec::new(), responses: Vec::new() }
    }

    pub(crate) fn initial(global: GlobalId) -> Config {
        Config { global, flight: Vec::new(), current: None, completed: Vec::new() }
    }

    fn to_come(&self, config: &Config) -> RequestMultiset {
        let mut left = self.requests.clone();
        let gone = config.flight.iter().chain(&config.current).map(|place| place.0).chain(config.completed.iter().map(|letter| letter.0));
        for request in gone {
            left[request.index()] = left[request.index()].saturating_sub(1);
        }
        left
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
        let to_come = self.to_come(config);
        for position in 0..self.starts.len() {
            let place = self.starts[position];
            if to_come[place.0.index()] > 0 {
                self.turns(system, config, place, false, false, out)?;
            }
        }
        Ok(())
    }

    fn turns<M: Moves>(
        &mut self,
        system: &mut M,
        config: &Config,
        from: Place,
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
        let mut base = config.clone();
        base.global = global;
        if turn.continues {
            base.current = None;
        } else {
            if turn.was_in_flight
                && let Ok(at) = base.flight.binary_search(&turn.from)
            {
                base.flight.remove(at);
            }
            if let Some(idle) = base.current.take() {
                insert(&mut base.flight, idle);
            }
        }
        self.responses.clear();
        system.responses(local, &mut self.responses);
        for &response in &self.responses {
            let mut next = base.clone();
            insert(&mut next.completed, (request, response));
            out.push((Turn { answer: Some(response), ..turn }, next));
        }
        if may_stay {
            let place = (request, local);
            if !(self.single[request.index()] && self.starts.contains(&place)) {
                if self.track {
                    base.current = Some(place);
                } else {
                    insert(&mut base.flight, place);
                }
            }
            out.push((turn, base));
        }
    }
}

fn insert<T: Ord>(sorted: &mut Vec<T>, item: T) {
    let at = sorted.partition_point(|other| *other <= item);
    sorted.insert(at, item);
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
