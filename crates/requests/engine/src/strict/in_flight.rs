//! All that can be while at most `k` requests are in flight: the monitor of `serval_proof::strict`, explored.
//!
//! States are looked at by the number of requests that have come, so that the first run without an order has the
//! fewest. A state whose readings include those of another one at the same global state and nodes is superfluous
//! (simulation with subsets: De Wulf, Doyen, Henzinger, Raskin 2006). What the next number of requests brings is marked
//! as seen only when that begins; what it makes superfluous may so belong to fewer requests, and never the other way
//! round.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_model::{Event, LocalId, NetworkSystem, Node, NodeStep, NormalForm, Run, Step, ThreadId};
use serval_proof::strict::monitor::{Happening, Monitor, MonitorState};

/// What the exploration came to.
#[derive(Clone, Debug)]
pub enum Explored {
    /// A complete run without an order: how many requests it has, and which of them makes which step of the system.
    Refuted {
        /// How many requests come.
        requests: usize,
        /// The requests by number from 0 in the order in which they come, and their steps.
        steps: Vec<(usize, NodeStep)>,
    },
    /// There is none, and never more requests in flight; these states cover all.
    Closed(Vec<MonitorState>),
    /// There is none with so many in flight, or so many requests.
    Holds,
}

/// A state that was met.
struct Met {
    state: MonitorState,
    /// From which one, and by what.
    from: Option<(usize, Happening)>,
    /// Whether none is known that makes it superfluous.
    counts: bool,
}

struct Exploration<'a> {
    monitor: Monitor<'a>,
    met: Vec<Met>,
    /// Those that count, by global state and nodes.
    there: FxHashMap<(u32, Vec<Node>), Vec<usize>>,
    /// Whether those that are superfluous are left out.
    subsumes: bool,
}

/// Explores with at most `most` requests in flight and `requests` in all.
pub fn explore(form: &NormalForm, most: usize, requests: usize, budget: &mut Budget) -> Result<Explored, Stopped> {
    explore_with(form, most, requests, true, budget)
}

/// The same, where it can be said whether superfluous states are left out.
pub fn explore_with(form: &NormalForm, most: usize, requests: usize, subsumes: bool, budget: &mut Budget) -> Result<Explored, Stopped> {
    let monitor = Monitor::new(form, budget)?;
    let initial = monitor.initial();
    let mut exploration = Exploration { monitor, met: Vec::new(), there: FxHashMap::default(), subsumes };
    let mut level = vec![(initial, None)];
    let mut open = false;
    for come in 0..=requests {
        let mut to_visit: Vec<usize> = Vec::new();
        for (state, from) in std::mem::take(&mut level) {
            to_visit.extend(exploration.meet(state, from, budget)?);
        }
        if to_visit.is_empty() {
            return Ok(if open { Explored::Holds } else { exploration.closed() });
        }
        while let Some(at) = to_visit.pop() {
            let Met { state, counts, .. } = &exploration.met[at];
            if state.nodes.is_empty() && state.readings.is_empty() {
                return Ok(Explored::Refuted { requests: come, steps: exploration.steps_to(at, budget)? });
            }
            if !counts {
                continue;
            }
            let state = state.clone();
            let full = state.nodes.len() >= most;
            open |= full && exploration.monitor.may_come(state.global);
            for happening in exploration.monitor.happenings(&state, !full) {
                let (next, _) = exploration.monitor.after(&state, happening, budget)?;
                let from = Some((at, happening));
                if happening.place.is_none() {
                    level.push((next, from));
                } else {
                    to_visit.extend(exploration.meet(next, from, budget)?);
                }
            }
        }
    }
    Ok(Explored::Holds)
}

impl Exploration<'_> {
    /// Notes a state; its number if it is new and counts.
    fn meet(&mut self, state: MonitorState, from: Option<(usize, Happening)>, budget: &mut Budget) -> Result<Option<usize>, Stopped> {
        let there = self.there.entry((state.global, state.nodes.clone())).or_default();
        budget.spend(there.iter().map(|&one| self.met[one].state.readings.len() as u64 + 1).sum())?;
        let met = &self.met;
        let known = |&one: &usize| if self.subsumes { met[one].state.covers(&state) } else { met[one].state == state };
        if there.iter().any(known) {
            return Ok(None);
        }
        let number = met.len();
        if self.subsumes {
            let (gone, kept) = there.iter().partition(|&&one| state.covers(&met[one].state));
            *there = kept;
            let gone: Vec<usize> = gone;
            gone.iter().for_each(|&one| self.met[one].counts = false);
        }
        there.push(number);
        self.met.push(Met { state, from, counts: true });
        Ok(Some(number))
    }

    fn closed(self) -> Explored {
        Explored::Closed(self.met.into_iter().filter(|met| met.counts).map(|met| met.state).collect())
    }

    /// What happened up to a state: which request made which step.
    fn steps_to(&self, at: usize, budget: &mut Budget) -> Result<Vec<(usize, NodeStep)>, Stopped> {
        let mut path = Vec::new();
        let mut now = at;
        while let Some((before, happening)) = self.met[now].from {
            path.push((before, happening));
            now = before;
        }
        let (mut steps, mut there, mut come) = (Vec::new(), Vec::new(), 0);
        for (before, happening) in path.into_iter().rev() {
            let place = happening.place.unwrap_or_else(|| {
                there.push(come);
                come += 1;
                there.len() - 1
            });
            steps.push((there[place], happening.step));
            let (_, places) = self.monitor.after(&self.met[before].state, happening, budget)?;
            there = places.into_iter().map(|place| there[place]).collect();
        }
        Ok(steps)
    }
}

/// The run of the system that a normal form stands for as it is ([`NormalForm::to_system`]); `named` has its requests
/// and responses. `None` where the steps are no run.
pub fn run_of(form: &NormalForm, named: &NetworkSystem, steps: &[(usize, NodeStep)]) -> Option<Run> {
    let system = form.to_system(named);
    let mut run = Run::new(system.initial_global());
    let local = |node: Node| LocalId::from_index(node as usize);
    let global = |global: u32| system.global_named(&format!("g{global}"));
    let mut came = Vec::new();
    for &(number, step) in steps {
        let thread = ThreadId::new(u32::try_from(number).ok()?.checked_add(1)?)?;
        let (request, _) = *form.nodes().get(step.node as usize)?;
        if number >= came.len() {
            came.push(thread);
            run.push(Event::Spawn { thread, request, local: local(step.node) }).ok()?;
        }
        let moved = Step {
            local: local(step.node),
            global: global(step.global)?,
            to_local: local(step.to_node),
            to_global: global(step.to_global)?,
        };
        run.push(Event::Step { thread, step: moved }).ok()?;
        if let Some((_, response)) = form.letter(step.to_node) {
            run.push(Event::Respond { thread, response }).ok()?;
        }
    }
    run.is_complete().then_some(run)
}
