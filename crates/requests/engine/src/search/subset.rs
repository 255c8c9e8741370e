//! Counterexamples with few kinds of requests.
//!
//! A counterexample stays one when there are more kinds of requests (see
//! `restrict`), and where there are many kinds most counterexamples need few.
//! So small sets of kinds are searched first, those that have to do with each
//! other before others, each for growing numbers of requests, on what is left
//! of the system without the other kinds. Sets whose restrictions have the same
//! shape are searched once.
//!
//! Sets, requests and ticks per set grow from level to level, so that every
//! counterexample is found if there is budget enough. That one was found says
//! nothing about smaller ones.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_model::{Halt, Moves, RequestId, Run};

use super::conflict::{neighbours, sets_of};
use super::layer::{MAX_MULTISETS, Search};
use super::restrict::{NotRestricted, Restriction, RestrictionShape};
use super::{RequestMultiset, lift, request_multisets};

/// Sets of one size on the first level.
const SETS: usize = 512;
/// Ticks for one set on the first level, for its states and then for its runs.
const SET_TICKS: u64 = 4_000;
/// Kinds in a set on the first level.
const KINDS: u32 = 3;
/// Requests more than kinds on the first level.
const MORE_REQUESTS: u32 = 2;
/// Ticks of a first search for each kind that there is.
const KIND_TICKS: u64 = 2_000;
/// Ticks for performing a run of a contracted restriction on the restriction.
const LIFT_TICKS: u64 = 2_000_000;

/// A search of one system by sets of kinds.
pub struct SubsetSearch<M> {
    system: M,
    known: FxHashMap<Looked, SubsetFacts>,
}

/// What is known of a set of kinds, of runs in which each of them occurs.
#[derive(Default)]
struct SubsetFacts {
    /// No counterexample has this number of requests or fewer.
    cleared: u32,
    /// The ticks that did not suffice for more.
    tried: u64,
}

/// What a set of kinds is known by.
#[derive(PartialEq, Eq, Hash)]
enum Looked {
    /// Its contracted restriction, whichever kinds these are.
    Shape(RestrictionShape),
    /// The kinds, where the restriction is too large to be written out.
    Kinds(Vec<usize>),
}

/// How far one level goes.
#[derive(Clone, Copy)]
struct SubsetLevel {
    sets: usize,
    ticks: u64,
    kinds: usize,
    more: u32,
}

/// What looking at one set of kinds gave.
enum Searched {
    Found(Run),
    Clear,
    /// The ticks for one set did not do, or a step had no result.
    Unknown,
}

impl SubsetLevel {
    fn numbered(number: u32) -> Self {
        let factor = 4_u64.saturating_pow(number);
        Self {
            sets: SETS.saturating_mul(usize::try_from(factor).unwrap_or(usize::MAX)),
            ticks: SET_TICKS.saturating_mul(factor),
            kinds: KINDS.saturating_add(number) as usize,
            more: MORE_REQUESTS.saturating_add(number),
        }
    }
}

impl<M: Moves> SubsetSearch<M> {
    /// A search of `system`.
    pub fn new(system: M) -> Self {
        Self { system, known: FxHashMap::default() }
    }

    /// The system that is searched.
    pub fn system(&self) -> &M {
        &self.system
    }

    /// The number of kinds of requests.
    pub fn kinds(&self) -> usize {
        self.system.starts().iter().map(|(request, _)| request.index() + 1).max().unwrap_or(0)
    }

    /// Ticks that a first, cheap search is worth; none where there are so few
    /// kinds that sets of them are no smaller than the whole.
    pub fn first_ticks(&self) -> u64 {
        let kinds = self.kinds();
        if kinds <= KINDS as usize { 0 } else { KIND_TICKS.saturating_mul(kinds as u64) }
    }

    /// A counterexample with more than `beyond` requests, up to which there is
    /// none, and at most `up_to`; `None` if there is none.
    pub fn search(&mut self, beyond: u32, up_to: u32, budget: &mut Budget) -> Result<Option<Run>, Stopped> {
        budget.spend(1)?;
        let kinds = self.kinds();
        let neighbours = neighbours(&mut self.system, kinds, budget);
        let most = kinds.min(up_to as usize);
        for number in 0..=u32::MAX {
            let level = SubsetLevel::numbered(number);
            let mut complete = level.kinds >= most;
            for size in 1..=level.kinds.min(most) {
                let requests = u32::try_from(size).unwrap_or(u32::MAX);
                let range = beyond.saturating_add(1).max(requests)..=requests.saturating_add(level.more).min(up_to);
                let sets = sets_of(&neighbours, size, level.sets, budget)?;
                complete &= sets.len() < level.sets && *range.end() == up_to;
                for set in &sets {
                    match self.set(set, range.clone(), level.ticks, budget)? {
                        Searched::Found(run) => return Ok(Some(run)),
                        Searched::Clear => {}
                        Searched::Unknown => complete = false,
                    }
                }
            }
            if complete {
                return Ok(None);
            }
        }
        Err(Stopped::OutOfTicks)
    }

    /// A counterexample with more than `beyond` requests in which exactly these
    /// kinds occur, as far as a first look goes.
    pub fn look(&mut self, kinds: &[usize], beyond: u32, budget: &mut Budget) -> Result<Option<Run>, Stopped> {
        let requests = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
        let range = beyond.saturating_add(1).max(requests)..=requests.saturating_add(MORE_REQUESTS);
        Ok(match self.set(kinds, range, SET_TICKS, budget)? {
            Searched::Found(run) => Some(run),
            Searched::Clear | Searched::Unknown => None,
        })
    }

    /// Looks at the runs in which exactly these kinds occur, each at least once.
    fn set(&mut self, set: &[usize], range: RangeInclusive<u32>, ticks: u64, budget: &mut Budget) -> Result<Searched, Stopped> {
        if range.is_empty() {
            return Ok(Searched::Clear);
        }
        let requests: Vec<RequestId> = set.iter().map(|&kind| RequestId::from_index(kind)).collect();
        let restriction = spending(ticks, budget, |own| Restriction::new(&mut self.system, &requests, own))?;
        match restriction {
            Ok(restriction) => {
                let (contracted, shape) = restriction.contracted();
                let known = self.known.entry(Looked::Shape(shape)).or_default();
                let mut search = Search::with_serial_ticks(&contracted, u64::MAX);
                let found = spending(ticks, budget, |own| layers(&mut search, set.len(), range, known, own, |choice| choice))?;
                match searched(found)? {
                    Searched::Found(run) => {
                        let lifted = lift(&restriction.system, &run, &mut budget.aside(LIFT_TICKS))?;
                        let whole = lifted.and_then(|run| restriction.whole(&run));
                        // Never seen; without a run of the whole there is no evidence.
                        Ok(whole.map_or(Searched::Unknown, Searched::Found))
                    }
                    other => Ok(other),
                }
            }
            Err(NotRestricted::Cancelled) => Err(Stopped::Cancelled),
            Err(NotRestricted::TooLarge) => {
                let kinds = self.kinds();
                let known = self.known.entry(Looked::Kinds(set.to_vec())).or_default();
                let spread = |choice: RequestMultiset| {
                    let mut all = vec![0; kinds];
                    set.iter().zip(choice).for_each(|(&kind, count)| all[kind] = count);
                    all
                };
                let mut search = Search::new(&mut self.system);
                searched(spending(ticks, budget, |own| layers(&mut search, set.len(), range, known, own, spread))?)
            }
        }
    }
}

/// Does a part of the work with `ticks` ticks, which are taken from the budget.
fn spending<T>(ticks: u64, budget: &mut Budget, work: impl FnOnce(&mut Budget) -> T) -> Result<T, Stopped> {
    let mut own = budget.part(ticks);
    let before = own.left();
    let done = work(&mut own);
    budget.spend((before - own.left()).max(1))?;
    Ok(done)
}

fn searched<S>(found: Result<Option<Run>, Halt<S>>) -> Result<Searched, Stopped> {
    match found {
        Ok(Some(run)) => Ok(Searched::Found(run)),
        Ok(None) => Ok(Searched::Clear),
        Err(Halt::Budget(Stopped::Cancelled)) => Err(Stopped::Cancelled),
        Err(Halt::Budget(Stopped::OutOfTicks) | Halt::System(_)) => Ok(Searched::Unknown),
    }
}

/// Looks at the runs of a number of requests in which each of some kinds occurs,
/// beyond those that are known to hold no counterexample. `spread` says which
/// requests of the system these kinds are.
fn layers<N: Moves>(
    search: &mut Search<N>,
    kinds: usize,
    range: RangeInclusive<u32>,
    known: &mut SubsetFacts,
    budget: &mut Budget,
    spread: impl Fn(RequestMultiset) -> RequestMultiset,
) -> Result<Option<Run>, Halt<N::Stop>> {
    let needed = u32::try_from(kinds).unwrap_or(u32::MAX);
    let ticks = budget.left();
    for requests in known.cleared.saturating_add(1).max(*range.start())..=*range.end() {
        if known.tried >= ticks {
            return Err(Halt::Budget(Stopped::OutOfTicks));
        }
        let choices = request_multisets(kinds, requests.saturating_sub(needed), MAX_MULTISETS);
        let all = choices.len() < MAX_MULTISETS;
        for mut choice in choices {
            choice.iter_mut().for_each(|count| *count += 1);
            match search.runs_of(&spread(choice), budget) {
                Ok(None) => {}
                Ok(Some(run)) => return Ok(Some(run)),
                Err(halt) => {
                    known.tried = ticks;
                    return Err(halt);
                }
            }
        }
        if !all {
            return Err(Halt::Budget(Stopped::OutOfTicks));
        }
        known.cleared = requests;
    }
    Ok(None)
}
