//! Steps, and the explicit search over configurations.

use std::collections::BTreeSet;
use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::reduce::{Reduced, Slots, TermId, Terms, count};
use super::term::Source;
use super::{Caps, Completed, Rejected};
use crate::random::SplitMix64;

type Table<T> = IndexSet<T, FxBuildHasher>;

/// A request in flight, ⟨e, ρ⟩ with the name it was asked by.
#[derive(Clone, PartialEq, Eq, Hash)]
struct InFlight {
    name: u32,
    term: TermId,
    locals: Box<[i64]>,
}

/// Index into `Naive::in_flight`.
type InFlightId = u32;

/// Index into `Naive::globals`.
type GlobalsId = u32;

/// How a step ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SearchEnd {
    /// At a `yield`.
    Waits(InFlightId),
    /// At a value. The request may answer at once: its answer changes nothing
    /// that others see, so waiting with it makes no other multiset.
    Answers(i64),
}

/// The steps of one request at given globals: their ends and the globals then.
type Steps = Rc<[(SearchEnd, GlobalsId)]>;

/// A configuration of the whole program.
#[derive(Clone, PartialEq, Eq, Hash)]
struct NaiveConfiguration {
    globals: GlobalsId,
    /// Sorted: requests have no identity.
    in_flight: Vec<InFlightId>,
    /// (name, response), sorted.
    completed: Vec<(u32, i64)>,
}

/// Answers, and the values of the globals in the order of their names.
pub type Together = (Vec<i64>, Vec<i64>);

/// The interpreter of one program. It remembers the steps it has seen from
/// call to call, which makes later calls faster and nothing else: the caps on
/// a step are for a step that is seen for the first time.
pub struct Naive {
    terms: Terms,
    names: Table<String>,
    /// The first state of each body.
    starts: Vec<InFlightId>,
    in_flight: Table<InFlight>,
    globals: Table<Box<[i64]>>,
    initial: GlobalsId,
    steps: FxHashMap<(InFlightId, GlobalsId), Steps>,
}

impl Naive {
    /// Prepares a program.
    pub fn new(source: &Source) -> Self {
        let mut global_names: BTreeSet<String> = source.globals.keys().cloned().collect();
        global_names.extend(source.requests.iter().flat_map(|(_, body)| body.globals()));
        let initial: Box<[i64]> = global_names.iter().map(|name| source.globals.get(name).copied().unwrap_or(0)).collect();
        let places: FxHashMap<String, u32> = global_names.into_iter().zip(0..).collect();

        let mut terms = Terms::default();
        let mut names = Table::default();
        let mut in_flight = Table::default();
        let mut starts = Vec::new();
        for (name, body) in &source.requests {
            let mut slots = Slots::new(&places);
            let term = terms.intern(body, &mut slots);
            let locals = vec![0; slots.local_count()].into();
            let name = count(names.insert_full(name.clone()).0);
            starts.push(count(in_flight.insert_full(InFlight { name, term, locals }).0));
        }
        let mut globals = Table::default();
        let initial = count(globals.insert_full(initial).0);
        Self { terms, names, starts, in_flight, globals, initial, steps: FxHashMap::default() }
    }

    /// The completed multisets of all complete runs with at most `requests`
    /// requests, interleaved in all ways.
    pub fn completed(&mut self, requests: usize, caps: Caps) -> Result<Completed, Rejected> {
        self.explore(requests, requests, caps)
    }

    /// The same for runs in which a request starts only when none is in flight.
    pub fn serial(&mut self, requests: usize, caps: Caps) -> Result<Completed, Rejected> {
        self.explore(requests, 1, caps)
    }

    /// Whether at most `requests` requests cannot be told from serial ones.
    pub fn is_serializable(&mut self, requests: usize, caps: Caps) -> Result<bool, Rejected> {
        let serial = self.serial(requests, caps)?;
        Ok(self.completed(requests, caps)?.is_subset(&serial))
    }

    /// The numbers of states ⟨e, ρ⟩ and of globals in the least sets that hold
    /// the initial ones and are closed under the steps of *every* pair of
    /// them. Finite sets bound the program for any number of requests.
    pub fn closure(&mut self, caps: Caps) -> Result<(usize, usize), Rejected> {
        let mut locals: Table<InFlightId> = self.starts.iter().copied().collect();
        let mut globals: Table<GlobalsId> = [self.initial].into_iter().collect();
        // All pairs of the first `old` locals and globals have been taken.
        let mut old = (0, 0);
        loop {
            let now = (locals.len(), globals.len());
            if now.0.saturating_mul(now.1) > caps.configurations {
                return Err(Rejected::TooLarge);
            }
            if now == old {
                return Ok(now);
            }
            for local in 0..now.0 {
                for global in if local < old.0 { old.1 } else { 0 }..now.1 {
                    for &(end, to) in self.step(locals[local], globals[global], caps)?.iter() {
                        globals.insert(to);
                        if let SearchEnd::Waits(state) = end {
                            locals.insert(state);
                        }
                    }
                }
            }
            old = now;
        }
    }

    /// What these bodies answer, by their place in the list, and the globals then, in all runs in which each of them is
    /// one request and all answer.
    pub fn together(&mut self, bodies: &[usize], caps: Caps) -> Result<BTreeSet<Together>, Rejected> {
        let start: (GlobalsId, Vec<Result<i64, InFlightId>>) = (self.initial, bodies.iter().map(|body| Err(self.starts[*body])).collect());
        let mut seen: Table<_> = Table::default();
        seen.insert(start);
        let (mut found, mut next) = (BTreeSet::new(), 0);
        while let Some((globals, requests)) = seen.get_index(next).cloned() {
            next += 1;
            if seen.len() > caps.configurations {
                return Err(Rejected::TooLarge);
            }
            let mut answers = Vec::new();
            for (place, request) in requests.iter().enumerate() {
                let state = match request {
                    Ok(answer) => {
                        answers.push(*answer);
                        continue;
                    }
                    Err(state) => *state,
                };
                for &(end, to) in self.step(state, globals, caps)?.iter() {
                    let mut after = requests.clone();
                    after[place] = match end {
                        SearchEnd::Waits(state) => Err(state),
                        SearchEnd::Answers(answer) => Ok(answer),
                    };
                    seen.insert((to, after));
                }
            }
            if answers.len() == requests.len() {
                found.insert((answers, self.globals[globals as usize].to_vec()));
            }
        }
        Ok(found)
    }

    fn explore(&mut self, requests: usize, at_once: usize, caps: Caps) -> Result<Completed, Rejected> {
        let start = NaiveConfiguration { globals: self.initial, in_flight: Vec::new(), completed: Vec::new() };
        let mut seen: Table<NaiveConfiguration> = Table::default();
        seen.insert(start);
        let mut found = FxHashSet::default();
        let mut next = 0;
        while let Some(now) = seen.get_index(next).cloned() {
            next += 1;
            if seen.len() > caps.configurations {
                return Err(Rejected::TooLarge);
            }
            if now.in_flight.is_empty() {
                found.insert(now.completed.clone());
            }
            if now.in_flight.len() < at_once && now.in_flight.len() + now.completed.len() < requests {
                for &state in &self.starts {
                    let mut in_flight = now.in_flight.clone();
                    insert_sorted(&mut in_flight, state);
                    seen.insert(NaiveConfiguration { in_flight, ..now.clone() });
                }
            }
            for (position, &state) in now.in_flight.iter().enumerate() {
                if position > 0 && now.in_flight[position - 1] == state {
                    continue; // an equal request has already moved
                }
                let mut others = now.in_flight.clone();
                others.remove(position);
                for &(end, globals) in self.step(state, now.globals, caps)?.iter() {
                    let mut after = NaiveConfiguration { globals, in_flight: others.clone(), completed: now.completed.clone() };
                    match end {
                        SearchEnd::Waits(state) => insert_sorted(&mut after.in_flight, state),
                        SearchEnd::Answers(value) => insert_sorted(&mut after.completed, (self.in_flight[state as usize].name, value)),
                    }
                    seen.insert(after);
                }
            }
        }
        Ok(found.into_iter().map(|multiset| self.named(multiset)).collect())
    }

    /// A random run of `requests` requests, at most `at_once` in flight, all of which come to their ends or wait
    /// for ever: how many requests had come when a step could fail, if one could.
    pub fn sample(&mut self, requests: usize, at_once: usize, rng: &mut SplitMix64, caps: Caps) -> Result<Option<usize>, Rejected> {
        let (mut globals, mut in_flight, mut come) = (self.initial, Vec::new(), 0);
        for _ in 0..caps.configurations {
            if in_flight.len() < at_once && come < requests && (in_flight.is_empty() || rng.chance(50)) {
                in_flight.push(rng.pick(&self.starts));
                come += 1;
            }
            if in_flight.is_empty() {
                return Ok(None);
            }
            let position = rng.below(in_flight.len());
            let steps = match self.step(in_flight[position], globals, caps) {
                Err(Rejected::Fault(_)) => return Ok(Some(come)),
                steps => steps?,
            };
            if steps.is_empty() {
                continue; // it waits for ever, and others may go on
            }
            let (end, to) = rng.pick(&steps);
            globals = to;
            match end {
                SearchEnd::Waits(state) => in_flight[position] = state,
                SearchEnd::Answers(_) => {
                    in_flight.swap_remove(position);
                }
            }
        }
        Ok(None)
    }

    fn named(&self, multiset: Vec<(u32, i64)>) -> Vec<(String, i64)> {
        let mut named: Vec<_> = multiset.into_iter().map(|(name, value)| (self.names[name as usize].clone(), value)).collect();
        named.sort();
        named
    }

    /// All steps of a request in flight at these globals.
    fn step(&mut self, state: InFlightId, globals: GlobalsId, caps: Caps) -> Result<Steps, Rejected> {
        if let Some(known) = self.steps.get(&(state, globals)) {
            return Ok(Rc::clone(known));
        }
        let InFlight { name, term, locals } = self.in_flight[state as usize].clone();
        let global_count = self.globals[globals as usize].len();
        let store: Box<[i64]> = self.globals[globals as usize].iter().chain(&locals).copied().collect();

        let mut ends = Table::default();
        let mut seen = FxHashSet::default();
        let mut open = vec![(term, store)];
        while let Some((term, before)) = open.pop() {
            // A configuration that comes back goes on as it did before: it adds
            // no end, and a run that only comes back never ends.
            if !seen.insert((term, before.clone())) {
                continue;
            }
            if seen.len() > caps.small_steps {
                return Err(Rejected::TooLarge);
            }
            let mut store = before;
            match self.terms.reduce(term, &mut store)? {
                Reduced::To(e) => open.push((e, store)),
                Reduced::Either(a, b) => {
                    open.push((a, store.clone()));
                    open.push((b, store));
                }
                Reduced::Value(v) | Reduced::Returns(v) => {
                    ends.insert((SearchEnd::Answers(v), self.globals_id(&store[..global_count])));
                }
                Reduced::Leaves(how) => unreachable!("{how:?} outside of loops"),
                Reduced::Waits(term) => {
                    let locals = store[global_count..].into();
                    let waiting = count(self.in_flight.insert_full(InFlight { name, term, locals }).0);
                    ends.insert((SearchEnd::Waits(waiting), self.globals_id(&store[..global_count])));
                }
            }
        }
        let ends: Steps = ends.into_iter().collect();
        self.steps.insert((state, globals), Rc::clone(&ends));
        Ok(ends)
    }

    fn globals_id(&mut self, values: &[i64]) -> GlobalsId {
        count(self.globals.insert_full(values.into()).0)
    }
}

fn insert_sorted<T: Ord>(sorted: &mut Vec<T>, item: T) {
    let place = sorted.partition_point(|other| *other < item);
    sorted.insert(place, item);
}

#[cfg(test)]
pub(super) mod testing {
    //! A view of single steps for the tests of the interpreter.

    use super::*;

    /// `Ok(response)` where the request answers, `Err(state)` where it waits;
    /// with the globals afterwards, in the order of their names.
    pub(crate) type Ends = BTreeSet<(Result<i64, usize>, Vec<i64>)>;

    impl Naive {
        /// The state of the first body before any step.
        pub(crate) fn first_state(&self) -> usize {
            self.starts[0] as usize
        }

        /// All steps of a state at these globals.
        pub(crate) fn ends(&mut self, state: usize, globals: &[i64], caps: Caps) -> Result<Ends, Rejected> {
            let globals = self.globals_id(globals);
            let steps = self.step(count(state), globals, caps)?;
            let show = |&(end, to): &(SearchEnd, GlobalsId)| {
                let end = match end {
                    SearchEnd::Answers(value) => Ok(value),
                    SearchEnd::Waits(state) => Err(state as usize),
                };
                (end, self.globals[to as usize].to_vec())
            };
            Ok(steps.iter().map(show).collect())
        }
    }
}
