//! What would have been different, had a read found another value.
//!
//! A read *matters* where the request would have answered something else, or
//! would have written something else to a variable that has a read which
//! matters. Both are found by trying: the request is run again, the others do
//! what they did, and the read finds another value of the variable. A counter
//! that is read to be counted up, and for nothing else, does not matter.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serval_compile::Access;
use serval_syntax::GlobalVar;

use super::player::{Choices, Deeds, Player, StepEnd};
use crate::simulator::Performance;

/// More reads than these are not tried one by one.
const MOST_READS: usize = 600;
/// More values of a variable than these are not tried.
const MOST_VALUES: usize = 6;
/// Ways to choose that are tried to follow a request.
const MOST_WAYS: usize = 256;
/// Steps that a request is given when others are done.
const MORE_STEPS: usize = 40;

/// What another value of one read leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The answer, or that there is none.
    pub(super) answer: bool,
    /// The way through the text.
    pub(super) path: bool,
    /// The variables to which other values are written.
    pub(super) variables: BTreeSet<u32>,
}

/// A read of a request, by the position among its accesses.
pub(super) type ReadPlace = (u32, usize);

/// A run whose requests can be run again.
pub(super) struct Effects<'a> {
    pub(super) run: &'a Performance,
    pub(super) player: Player<'a>,
    /// What each request did, with how it chose.
    pub(super) base: BTreeMap<u32, (Deeds, Choices)>,
    /// Where each access is in the run: for each request, positions in the order of all accesses.
    pub(super) moments: BTreeMap<u32, Vec<usize>>,
    known: RefCell<BTreeMap<(ReadPlace, i64, bool), Option<Change>>>,
    /// The variables that have a read which matters.
    pub(super) matter: BTreeSet<u32>,
}

impl<'a> Effects<'a> {
    /// Nothing where the run is too long, or cannot be followed.
    pub(super) fn new(run: &'a Performance, player: Player<'a>) -> Option<Self> {
        let mut moments: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut moment = 0;
        for step in &run.steps {
            let own = moments.entry(step.id).or_default();
            own.extend(moment..moment + step.accesses.len());
            moment += step.accesses.len();
        }
        let known = RefCell::default();
        let mut effects = Self { run, player, base: BTreeMap::new(), moments, known, matter: BTreeSet::new() };
        for &id in run.bodies.keys() {
            let followed = effects.follow(id)?;
            effects.base.insert(id, followed);
        }
        effects.find_what_matters()?;
        Some(effects)
    }

    /// What a request did, with how it chose.
    fn follow(&self, id: u32) -> Option<(Deeds, Choices)> {
        let accesses: Vec<Access> = self.run.steps.iter().filter(|step| step.id == id).flat_map(|step| &step.accesses).copied().collect();
        let answer = self.run.steps.iter().rfind(|step| step.id == id)?.answer;
        let mut choices = Choices::default();
        for _ in 0..MOST_WAYS {
            let deeds = self.replay(id, &mut choices, &mut |_, _, there| there)?;
            if deeds.accesses == accesses && deeds.answer == answer && answer.is_some() {
                return Some((deeds, choices));
            }
            if !choices.advance(0) {
                break;
            }
        }
        None
    }

    /// Runs one request again among the others, who do what they did.
    fn replay(&self, id: u32, choices: &mut Choices, finds: &mut super::player::Finds<'_>) -> Option<Deeds> {
        let mut actor = self.player.actor(*self.run.bodies.get(&id)?)?;
        let mut globals: Vec<i64> = self.player.source.program().globals.iter().map(|global| global.initial).collect();
        let mut deeds = Deeds::default();
        for step in &self.run.steps {
            if step.id == id {
                match self.player.step(&mut actor, &mut globals, choices, finds, &mut deeds) {
                    StepEnd::Waits => {}
                    StepEnd::Answers => return Some(deeds),
                    StepEnd::Spins | StepEnd::Lost => return (!self.player.is_tired()).then_some(deeds),
                }
                continue;
            }
            self.player.spend(step.accesses.len());
            for access in step.accesses.iter().filter(|access| access.write) {
                *globals.get_mut(access.variable.index())? = access.value;
            }
        }
        for _ in 0..MORE_STEPS {
            if self.player.step(&mut actor, &mut globals, choices, finds, &mut deeds) != StepEnd::Waits {
                break;
            }
        }
        (!self.player.is_tired()).then_some(deeds)
    }

    /// What changes if a read, and those of the same variable that follow it at once, find another value; where that
    /// `lasts`, all that follow it.
    fn instead(&self, read: ReadPlace, value: i64, lasts: bool) -> Option<Change> {
        if let Some(known) = self.known.borrow().get(&(read, value, lasts)) {
            return known.clone();
        }
        let change = self.tried(read, value, lasts);
        self.known.borrow_mut().insert((read, value, lasts), change.clone());
        change
    }

    fn tried(&self, (id, at): ReadPlace, value: i64, lasts: bool) -> Option<Change> {
        let (base, chosen) = self.base.get(&id)?;
        let variable = base.accesses.get(at).filter(|access| !access.write)?.variable;
        let end = if lasts { usize::MAX } else { base.ends.iter().copied().find(|&end| end > at)? };
        let mut choices = Choices { given: chosen.given.clone(), used: 0 };
        let deeds = self.replay(id, &mut choices, &mut |deeds, found, there| {
            let is_meant = found == variable && (at..end).contains(&deeds.accesses.len());
            // A write of its own takes the place of what it found.
            let own = || deeds.accesses[at..].iter().any(|access| access.write && access.variable == variable);
            if is_meant && !own() { value } else { there }
        })?;
        let both = base.written().into_iter().chain(deeds.written());
        let variables = both.filter(|&variable| !base.writes(GlobalVar(variable)).eq(deeds.writes(GlobalVar(variable)))).collect();
        Some(Change { answer: deeds.answer != base.answer, path: deeds.path != base.path, variables })
    }

    /// The values that a variable has in the run.
    fn values(&self, variable: GlobalVar) -> BTreeSet<i64> {
        let initial = self.player.source.program().globals.get(variable.index()).map(|global| global.initial);
        let accesses = self.run.steps.iter().flat_map(|step| &step.accesses);
        let written = accesses.filter(|access| access.write && access.variable == variable).map(|access| access.value);
        initial.into_iter().chain(written).collect()
    }

    /// Goes through all reads until no more of them matter.
    fn find_what_matters(&mut self) -> Option<()> {
        let mut changes: Vec<(u32, Change)> = Vec::new();
        let mut count = 0;
        for (&id, (deeds, _)) in &self.base {
            for (at, access) in deeds.accesses.iter().enumerate().filter(|(at, access)| !access.write && deeds.used.has(*at)) {
                count += 1;
                if count > MOST_READS {
                    return None;
                }
                let values = self.values(access.variable);
                for value in values.into_iter().filter(|&value| value != access.value).take(MOST_VALUES) {
                    let tried = [false, true].into_iter().filter_map(|lasts| self.instead((id, at), value, lasts));
                    changes.extend(tried.map(|change| (access.variable.0, change)));
                }
            }
        }
        loop {
            let before = self.matter.len();
            for (variable, change) in &changes {
                if self.is_felt(change) {
                    self.matter.insert(*variable);
                }
            }
            if self.matter.len() == before {
                return (!self.player.is_tired()).then_some(());
            }
        }
    }

    /// Whether a change shows in an answer, of this request or, by what it writes, of another one.
    pub(super) fn is_felt(&self, change: &Change) -> bool {
        change.answer || !change.variables.is_disjoint(&self.matter)
    }

    /// Whether it matters that a read finds another value.
    pub(super) fn decides(&self, read: ReadPlace, value: i64, lasts: bool) -> Option<Change> {
        let is_used = self.base.get(&read.0).is_some_and(|(deeds, _)| deeds.used.has(read.1));
        self.instead(read, value, lasts).filter(|change| is_used && self.is_felt(change))
    }
}
