//! Requests that can get stuck for ever.
//!
//! A request is *stuck* in a configuration when no continuation of the system,
//! whatever further requests come, lets it answer. What is reported here is
//! certain and comes with a run; what is not reported may still get stuck.
//!
//! **Where to look.** All configurations with at most three requests in flight
//! (any number may have answered), and in each of them the requests that
//! cannot answer if they run on alone.
//!
//! **Why it is certain.** From such a configuration everything that can happen
//! is over-approximated: `env(g)` holds the local states that some other
//! request may be in while the global state is `g` (starts are in all of
//! them), `own(g)` those that the request itself may be in. Both are closed
//! under the steps of either kind, and a step from `g` to `g'` by anyone
//! carries all of `env(g)` and, if by another request, all of `own(g)` to `g'`.
//! By induction on the continuation the sets contain what really happens. If
//! no state in any `own(g)` can answer, the request never will.
//!
//! **Where no request waits for others**, nothing need be looked at: if each request
//! can answer alone wherever it may be (`env` from the beginning), none is
//! ever stuck.

use std::collections::VecDeque;
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped, checkpoint};
use serval_model::{Event, GlobalId, LocalId, NetworkSystem, RequestId, Run, Step, Thread};

/// A request in a state from which it will never answer.
#[derive(Clone, Debug)]
pub struct Stuck {
    /// Its name.
    pub request: RequestId,
    /// Where it stands.
    pub local: LocalId,
    /// A run that ends with it in that state, stuck.
    pub run: Run,
}

type StuckPlace = (RequestId, LocalId);

/// Requests in flight at most.
const IN_FLIGHT: usize = 3;

/// Finds requests that can get stuck, at most one per request and local state,
/// as far as the budget goes. A tick is a configuration or a pair in a closure.
pub fn find_stuck(system: &NetworkSystem, budget: &mut Budget) -> Vec<Stuck> {
    let mut found = IndexMap::default();
    // Running out of budget only means that less is found.
    let _ = look(system, budget, &mut found);
    found.into_values().collect()
}

fn look(system: &NetworkSystem, budget: &mut Budget, found: &mut IndexMap<StuckPlace, Stuck, FxBuildHasher>) -> Result<(), Stopped> {
    let alone = budget.during(|| answers_alone(system))?;
    if !may_wait(system, &alone, budget)? {
        return Ok(());
    }
    let mut starts = system.starts().to_vec();
    starts.sort_unstable();
    let mut places: Vec<StuckPlace> = Vec::new();
    let mut known: FxHashMap<(LocalId, GlobalId, Vec<LocalId>), bool> = FxHashMap::default();
    let mut courses = Courses { system, alone: &alone, known: FxHashMap::default(), after_one: FxHashMap::default() };
    let mut among_none: FxHashMap<(LocalId, GlobalId), bool> = FxHashMap::default();
    let mut configs: IndexMap<Config, Option<(usize, StuckPlace, Step)>, FxBuildHasher> = IndexMap::default();
    configs.insert(Config { global: system.initial_global(), flight: Flight::default() }, None);
    let mut position = 0;
    while let Some((config, _)) = configs.get_index(position) {
        budget.spend(1)?;
        let config = *config;
        config.flight.with_starts(&starts, &mut places);
        for &place in &places {
            let answers_here = !system.answers_of(place.1).is_empty();
            if found.contains_key(&place) || answers_here || alone.contains(&(place.1, config.global)) {
                continue;
            }
            if courses.soon_answers_after_one(place, &config, budget)? {
                continue;
            }
            let key = (place.1, config.global, config.flight.others(place));
            let others = &key.2;
            let stuck = match known.get(&key) {
                Some(&stuck) => stuck,
                None if courses.soon_answers(place.1, config.global, others, budget)? => {
                    known.insert(key, false);
                    false
                }
                None => {
                    // More others make the sets larger, so who may answer without them may answer among them.
                    let without = match among_none.get(&(place.1, config.global)) {
                        Some(&stuck) => stuck,
                        None => {
                            let stuck = never_answers(system, place.1, config.global, &[], budget)?;
                            among_none.insert((place.1, config.global), stuck);
                            stuck
                        }
                    };
                    let stuck = without && (others.is_empty() || never_answers(system, place.1, config.global, others, budget)?);
                    known.insert(key, stuck);
                    stuck
                }
            };
            if stuck && let Some(run) = run_to(system, &configs, position, place) {
                found.insert(place, Stuck { request: place.0, local: place.1, run });
            }
        }
        for &place in &places {
            for &step in system.steps_from(place.1, config.global) {
                if let Some(flight) = config.flight.after(system, place, step) {
                    let next = Config { global: step.to_global, flight };
                    configs.entry(next).or_insert(Some((position, place, step)));
                }
            }
        }
        position += 1;
    }
    Ok(())
}

/// Whether some request, in a state where it may be, cannot answer if it runs
/// on alone. Here `env` is taken from the beginning, and a step of anyone carries all.
fn may_wait(system: &NetworkSystem, alone: &FxHashSet<(LocalId, GlobalId)>, budget: &mut Budget) -> Result<bool, Stopped> {
    let waits = |local: LocalId, global: GlobalId| system.answers_of(local).is_empty() && !alone.contains(&(local, global));
    let mut closure = Closure { system, at: FxHashMap::default(), queue: VecDeque::new() };
    closure.open(system.initial_global());
    closure.any(|global, local, _| waits(local, global), budget)
}

/// The global state and who is in flight, neither at a start nor at an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Config {
    global: GlobalId,
    flight: Flight,
}

/// Where the requests in flight are, sorted; `None` comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Flight([Option<StuckPlace>; IN_FLIGHT]);

impl Flight {
    fn iter(&self) -> impl Iterator<Item = StuckPlace> {
        self.0.into_iter().flatten()
    }

    /// Collects the different places where a request is or may just have come.
    fn with_starts(&self, starts: &[StuckPlace], places: &mut Vec<StuckPlace>) {
        places.clear();
        places.extend(starts);
        places.extend(self.iter());
        places.sort_unstable();
        places.dedup();
    }

    /// The local states of all other requests in flight.
    fn others(&self, place: StuckPlace) -> Vec<LocalId> {
        let mut others: Vec<LocalId> = self.iter().map(|other| other.1).collect();
        if let Some(at) = self.iter().position(|other| other == place) {
            others.remove(at);
        }
        others.sort_unstable();
        others.dedup();
        others
    }

    /// After a step of the request at `place`, if not too many are in flight then.
    fn after(&self, system: &NetworkSystem, place: StuckPlace, step: Step) -> Option<Self> {
        let now = (place.0, step.to_local);
        let gone = system.steps_of(step.to_local).is_empty() && !system.answers_of(step.to_local).is_empty();
        let mut new = (!gone && !system.starts().contains(&now)).then_some(now);
        let (mut flight, mut at, mut left) = (Self::default(), 0, Some(place));
        for other in self.iter() {
            if left == Some(other) {
                left = None;
                continue;
            }
            for one in new.take_if(|new| *new < other).into_iter().chain([other]) {
                *flight.0.get_mut(at)? = Some(one);
                at += 1;
            }
        }
        if let Some(new) = new {
            *flight.0.get_mut(at)? = Some(new);
        }
        Some(flight)
    }
}

/// The pairs from which a request that runs on alone can answer.
fn answers_alone(system: &NetworkSystem) -> FxHashSet<(LocalId, GlobalId)> {
    let answers = |local: LocalId| !system.answers_of(local).is_empty();
    let mut stack: Vec<(LocalId, GlobalId)> = Vec::new();
    // Where steps lead, and from where.
    let mut before: Vec<((LocalId, GlobalId), (LocalId, GlobalId))> = Vec::with_capacity(system.steps().len());
    for step in system.steps() {
        checkpoint::pass();
        let (from, to) = ((step.local, step.global), (step.to_local, step.to_global));
        before.push((to, from));
        stack.extend([to, from].into_iter().filter(|pair| answers(pair.0)));
    }
    before.sort_unstable();
    let mut can = FxHashSet::default();
    while let Some(pair) = stack.pop() {
        checkpoint::pass();
        if can.insert(pair) {
            let first = before.partition_point(|&(to, _)| to < pair);
            stack.extend(before[first..].iter().take_while(|&&(to, _)| to == pair).map(|&(_, from)| from));
        }
    }
    can
}

/// Where requests come that run on alone, each worked out once.
struct Courses<'a> {
    system: &'a NetworkSystem,
    alone: &'a FxHashSet<(LocalId, GlobalId)>,
    known: FxHashMap<(LocalId, GlobalId), Rc<Course>>,
    /// Whether who is first in `local` can answer alone on the course of one in another local state.
    after_one: FxHashMap<(LocalId, GlobalId, LocalId), bool>,
}

/// What a request that runs on alone makes of the global state.
#[derive(Default)]
struct Course {
    /// All global states on the way, sorted.
    passes: Vec<GlobalId>,
    /// Those in which it may have answered, sorted.
    leaves: Vec<GlobalId>,
}

impl Courses<'_> {
    fn of(&mut self, local: LocalId, global: GlobalId, budget: &mut Budget) -> Result<Rc<Course>, Stopped> {
        budget.spend(1)?;
        if let Some(course) = self.known.get(&(local, global)) {
            return Ok(Rc::clone(course));
        }
        let (mut seen, mut stack, mut course) = (FxHashSet::default(), vec![(local, global)], Course::default());
        seen.insert((local, global));
        while let Some((local, global)) = stack.pop() {
            budget.spend(1)?;
            course.passes.push(global);
            if !self.system.answers_of(local).is_empty() {
                course.leaves.push(global);
            }
            let next = self.system.steps_from(local, global).iter().map(|step| (step.to_local, step.to_global));
            stack.extend(next.filter(|pair| seen.insert(*pair)));
        }
        for globals in [&mut course.passes, &mut course.leaves] {
            globals.sort_unstable();
            globals.dedup();
        }
        let course = Rc::new(course);
        self.known.insert((local, global), Rc::clone(&course));
        Ok(course)
    }

    /// Whether a request can answer alone while or after a single other one runs on alone: then it can
    /// among more of them, too, and each pair of requests is looked at once however many
    /// configurations it is in.
    fn soon_answers_after_one(&mut self, place: StuckPlace, config: &Config, budget: &mut Budget) -> Result<bool, Stopped> {
        let mut own = Some(place);
        for other in config.flight.iter() {
            if own.take_if(|own| *own == other).is_some() {
                continue;
            }
            budget.spend(1)?;
            let key = (place.1, config.global, other.1);
            let soon = match self.after_one.get(&key) {
                Some(&soon) => soon,
                None => {
                    let course = self.of(other.1, config.global, budget)?;
                    let soon = course.passes.iter().any(|&global| self.alone.contains(&(place.1, global)));
                    self.after_one.insert(key, soon);
                    soon
                }
            };
            if soon {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a request in `local` can answer alone after some of the `others`, one
    /// after the other, have run on alone. It is so for nearly all that wait, and much
    /// sooner seen than that nothing can be excluded.
    fn soon_answers(&mut self, local: LocalId, global: GlobalId, others: &[LocalId], budget: &mut Budget) -> Result<bool, Stopped> {
        for (at, &other) in others.iter().enumerate() {
            let course = self.of(other, global, budget)?;
            if course.passes.iter().any(|&global| self.alone.contains(&(local, global))) {
                return Ok(true);
            }
            let left: Vec<LocalId> = others[..at].iter().chain(&others[at + 1..]).copied().collect();
            if left.is_empty() {
                continue;
            }
            for &global in &course.leaves {
                if self.soon_answers(local, global, &left, budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// What may be at one global state.
#[derive(Default)]
struct Occupants {
    env: FxHashSet<LocalId>,
    own: FxHashSet<LocalId>,
    next_env: FxHashSet<GlobalId>,
    next_own: FxHashSet<GlobalId>,
}

/// Whether a request in `local` at `global`, among `others`, can certainly
/// never answer.
fn never_answers(
    system: &NetworkSystem,
    local: LocalId,
    global: GlobalId,
    others: &[LocalId],
    budget: &mut Budget,
) -> Result<bool, Stopped> {
    let mut closure = Closure { system, at: FxHashMap::default(), queue: VecDeque::new() };
    closure.open(global);
    for &other in others {
        closure.add(global, other, false);
    }
    closure.add(global, local, true);
    Ok(!closure.any(|_, local, own| own && !system.answers_of(local).is_empty(), budget)?)
}

struct Closure<'a> {
    system: &'a NetworkSystem,
    at: FxHashMap<GlobalId, Occupants>,
    queue: VecDeque<(GlobalId, LocalId, bool)>,
}

impl Closure<'_> {
    /// Closes the sets; whether they come to hold a local state at a global
    /// state, `own` or not, of which this is true.
    fn any(&mut self, holds: impl Fn(GlobalId, LocalId, bool) -> bool, budget: &mut Budget) -> Result<bool, Stopped> {
        while let Some((global, local, own)) = self.queue.pop_front() {
            budget.spend(1)?;
            if holds(global, local, own) {
                return Ok(true);
            }
            for step in self.system.steps_from(local, global) {
                self.open(step.to_global);
                self.add(step.to_global, step.to_local, own);
                self.connect(global, step.to_global, own);
            }
        }
        Ok(false)
    }

    /// Anyone may come at any time, so starts are everywhere.
    fn open(&mut self, global: GlobalId) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.at.entry(global) {
            entry.insert(Occupants::default());
            for &(_, start) in self.system.starts() {
                self.add(global, start, false);
            }
        }
    }

    /// Adds a local state to `env` or `own` of a global state and carries it on.
    fn add(&mut self, global: GlobalId, local: LocalId, own: bool) {
        let mut stack = vec![global];
        while let Some(global) = stack.pop() {
            let place = self.at.entry(global).or_default();
            let set = if own { &mut place.own } else { &mut place.env };
            if set.insert(local) {
                self.queue.push_back((global, local, own));
                // Steps of others carry everything; the request's own steps
                // carry everybody else.
                stack.extend(sorted(&place.next_env));
                if !own {
                    stack.extend(sorted(&place.next_own));
                }
            }
        }
    }

    /// A step by the request itself (`own`) or by another leads from `from` to `to`.
    fn connect(&mut self, from: GlobalId, to: GlobalId, own: bool) {
        let place = self.at.entry(from).or_default();
        let new = if own { place.next_own.insert(to) } else { place.next_env.insert(to) };
        if !new {
            return;
        }
        let (env, mine) = (sorted(&place.env), if own { Vec::new() } else { sorted(&place.own) });
        for local in env {
            self.add(to, local, false);
        }
        for local in mine {
            self.add(to, local, true);
        }
    }
}

fn sorted<T: Ord + Copy>(set: &FxHashSet<T>) -> Vec<T> {
    let mut items: Vec<T> = set.iter().copied().collect();
    items.sort_unstable();
    items
}

/// The run to a configuration, with a request in `place` at its end.
fn run_to(
    system: &NetworkSystem,
    configs: &IndexMap<Config, Option<(usize, StuckPlace, Step)>, FxBuildHasher>,
    to: usize,
    place: StuckPlace,
) -> Option<Run> {
    let mut moves = Vec::new();
    let mut at = to;
    while let Some((_, Some((before, place, step)))) = configs.get_index(at) {
        moves.push((*place, *step));
        at = *before;
    }
    moves.reverse();
    let mut run = Run::new(system.initial_global());
    for (place, step) in moves {
        let thread = take_up(&mut run, place)?;
        run.push(Event::Step { thread, step }).ok()?;
        let answers = system.answers_of(step.to_local);
        if system.steps_of(step.to_local).is_empty()
            && let Some(&(_, response)) = answers.first()
        {
            run.push(Event::Respond { thread, response }).ok()?;
        }
    }
    take_up(&mut run, place)?;
    Some(run)
}

/// The request in flight at `place`, or a new one there.
fn take_up(run: &mut Run, place: StuckPlace) -> Option<serval_model::ThreadId> {
    let here = |thread: &Thread| thread.request == place.0 && thread.local == place.1;
    let known = run.configuration().in_flight.iter().find(|(_, thread)| here(thread)).map(|(&id, _)| id);
    match known {
        Some(thread) => Some(thread),
        None => {
            let thread = run.next_thread()?;
            run.push(Event::Spawn { thread, request: place.0, local: place.1 }).ok()?;
            Some(thread)
        }
    }
}
