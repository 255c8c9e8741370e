//! Certificates of kind `closure`: no run has a step that fails.
//!
//! **Theorem.** If [`check_closure`] accepts a part for each component of an input, then in no run of the input,
//! complete or not, the next step of a request in flight fails: nothing divides by zero, overflows, leaves a range or
//! an array, or breaks an assertion.
//!
//! **Proof.** Call a state *met* if it is the initial global state, a local state in which requests start, or the
//! target of a step from a listed pair of met states; the checker goes through exactly these, and each is listed by its
//! name (`closure.initial`, `closure.closed`) unless no step leaves it. A listed pair of met states is *looked at*: the
//! system gives its steps, and none fails (`closure.fault`). We show for every configuration of a run that each request
//! in flight is, with the global state, at a pair that is looked at, or in a local state that no step leaves. At first
//! nothing is in flight. A request that comes is at such a pair, as every met global state has all starts in its list
//! (`closure.closed`). Let a request go from `(l, g)` to `(l', g')`. Both are met, and `(l', g')` is listed or no step
//! leaves `l'` (`closure.closed`). The others stay where they are, and must be listed at `g'`. That is shown in one of
//! two ways.
//!
//! *With levels and weights.* In each configuration, for each count, the weights of the requests in flight add up to
//! the level of the global state: at first the level is 0, starts and states that no step leaves weigh 0, and a step
//! changes the level by what it changes the weight of its request (`closure.count`). Weights are not negative, so two
//! requests in flight weigh at most the level together. Another request at `l''` is therefore *admitted*:
//! `w(l) + w(l'')` is at most the level of `g`, for each count; and for every such `l''` at `g` the checker finds it
//! listed at `g'` (`closure.closed`). With no counts all are admitted.
//!
//! *With markings.* In each configuration the number of requests in each met local state in which none starts is at
//! most that of some marking of the global state, where 0 stands for any number: at first by the marking that the
//! initial global state has (`closure.initial`). A step from below a marking leads below the marking that the step
//! makes of it, as what is below stays below; and that is below one that the next global state has (`closure.closed`).
//! A local state of the marking is listed at its global state (`closure.closed`), so the others are.
//!
//! A run of the input is a shuffle of runs of its components, each of which has a part (`closure.cover`). ∎
//!
//! Whether answers are those of serial runs is not asked.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serval_evidence::{objects, require, shown};
use serval_model::{GlobalId, LocalId, Named};

use crate::{Failure, Refusal, Work};

/// The states of one component that can occur together, and why no others can.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ClosedPart {
    /// The names of global states.
    pub globals: Vec<String>,
    /// The names of local states.
    pub locals: Vec<String>,
    /// For each global state the local states at it, ascending.
    pub at: Vec<Vec<u32>>,
    /// For each global state its level of each count.
    pub levels: Vec<Vec<i64>>,
    /// For each local state what it weighs in each count.
    pub weights: Vec<Vec<i64>>,
    /// For each global state its markings, as local states with how many requests are there at most, 0 for any number;
    /// none where levels and weights are the reason.
    pub markings: Vec<Vec<Vec<(u32, u32)>>>,
}

objects!(ClosedPart);

/// A step between listed states; no local state where no step leaves the one that it leads to.
#[derive(Clone, Copy)]
struct ListedStep {
    to: Option<usize>,
    to_global: usize,
}

/// Checks one component. `failure` tells which failure of the program stops the system, if it is one.
pub fn check_closure<S: Named>(
    system: S,
    part: &ClosedPart,
    failure: impl Fn(&S::Stop) -> Option<Failure>,
    work: &mut Work,
) -> Result<(), Refusal<S::Stop>> {
    let names = |list: &[String]| list.iter().cloned().zip(0..).collect::<FxHashMap<String, usize>>();
    let entries: usize = part.at.iter().map(Vec::len).sum();
    work.spend(part.globals.len() + part.locals.len() + entries)?;
    let mut by_local = vec![Vec::new(); part.locals.len()];
    for (global, at) in part.at.iter().enumerate() {
        for &local in at {
            if let Some(globals) = by_local.get_mut(local as usize) {
                globals.push(global);
            }
        }
    }
    let mut looked = Looked {
        part,
        globals: names(&part.globals),
        locals: names(&part.locals),
        by_local,
        met_locals: vec![None; part.locals.len()],
        met_globals: vec![None; part.globals.len()],
        starts: Vec::new(),
        open: Vec::new(),
        steps: BTreeMap::new(),
    };
    looked.tables()?;
    looked.begin(&system)?;
    looked.go_through(system, failure, work)?;
    if part.markings.is_empty() { looked.by_counts(work) } else { looked.by_markings(work) }
}

/// What has been looked at.
struct Looked<'a> {
    part: &'a ClosedPart,
    globals: FxHashMap<String, usize>,
    locals: FxHashMap<String, usize>,
    /// The global states at which each local state is listed.
    by_local: Vec<Vec<usize>>,
    met_locals: Vec<Option<LocalId>>,
    met_globals: Vec<Option<GlobalId>>,
    starts: Vec<usize>,
    /// Listed pairs of met states.
    open: Vec<(usize, usize)>,
    /// The steps of each pair that was looked at.
    steps: BTreeMap<(usize, usize), Vec<ListedStep>>,
}

impl Looked<'_> {
    fn is_listed(&self, local: usize, global: usize) -> bool {
        let number = u32::try_from(local).unwrap_or(u32::MAX);
        self.part.at.get(global).is_some_and(|at| at.binary_search(&number).is_ok())
    }

    fn tables<Stop>(&self) -> Result<(), Refusal<Stop>> {
        let ClosedPart { globals, locals, at, levels, weights, markings } = self.part;
        let distinct = self.globals.len() == globals.len() && self.locals.len() == locals.len();
        require!(ClosureTables, distinct, "a name is listed twice");
        let is_local = |local: u32| (local as usize) < locals.len();
        let listed =
            at.len() == globals.len() && at.iter().all(|at| at.is_sorted_by(|a, b| a < b) && at.iter().all(|&local| is_local(local)));
        require!(ClosureTables, listed, "the local states at global states are not lists of numbers for each of them, ascending");
        let counts = levels.first().map_or(0, Vec::len);
        let counted = levels.iter().chain(weights).all(|row| row.len() == counts)
            && (levels.len(), weights.len()) == if markings.is_empty() { (globals.len(), locals.len()) } else { (0, 0) };
        require!(ClosureTables, counted, "levels and weights are not rows of one length for each state, and none beside markings");
        let row = |row: &Vec<(u32, u32)>| row.is_sorted_by(|a, b| a.0 < b.0) && row.iter().all(|&(local, _)| is_local(local));
        let marked = markings.is_empty() || markings.len() == globals.len() && markings.iter().flatten().all(row);
        require!(ClosureTables, marked, "the markings are not lists for each global state, ascending");
        Ok(())
    }

    fn begin<S: Named>(&mut self, system: &S) -> Result<(), Refusal<S::Stop>> {
        let initial = system.initial_global();
        let name = system.global_name(initial);
        let known = self.globals.get(&name).copied();
        require!(ClosureInitial, known.is_some(), "the initial global state {} is not listed", shown(&name));
        let marked =
            self.part.markings.is_empty() || known.and_then(|known| self.part.markings.get(known)).is_some_and(|known| !known.is_empty());
        require!(ClosureInitial, marked, "the initial global state has no marking");
        for &(_, start) in system.starts() {
            let name = system.local_name(start);
            match self.locals.get(&name).copied() {
                Some(local) => {
                    self.starts.push(local);
                    self.meet_local(local, start);
                }
                None => require!(ClosureClosed, false, "{}, where requests start, is not listed", shown(&name)),
            }
        }
        self.starts.sort_unstable();
        self.starts.dedup();
        if let Some(known) = known {
            let zero = self.part.levels.get(known).is_none_or(|row| row.iter().all(|&level| level == 0));
            require!(ClosureCount, zero, "the initial global state has a level other than 0");
            self.meet_global(known, initial);
        }
        Ok(())
    }

    fn meet_local(&mut self, local: usize, id: LocalId) {
        if self.met_locals[local].replace(id).is_none() {
            let there = self.by_local[local].iter().filter(|&&global| self.met_globals[global].is_some());
            self.open.extend(there.map(|&global| (local, global)));
        }
    }

    fn meet_global(&mut self, global: usize, id: GlobalId) {
        if self.met_globals[global].replace(id).is_none() {
            let at = self.part.at.get(global).into_iter().flatten().map(|&local| local as usize);
            self.open.extend(at.filter(|&local| self.met_locals.get(local).is_some_and(Option::is_some)).map(|local| (local, global)));
        }
    }

    /// Asks for the steps of all listed pairs of met states.
    fn go_through<S: Named>(
        &mut self,
        mut system: S,
        failure: impl Fn(&S::Stop) -> Option<Failure>,
        work: &mut Work,
    ) -> Result<(), Refusal<S::Stop>> {
        let mut found = Vec::new();
        while let Some((local, global)) = self.open.pop() {
            let (Some(local_id), Some(global_id)) = (self.met_locals[local], self.met_globals[global]) else { continue };
            if self.steps.contains_key(&(local, global)) {
                continue;
            }
            found.clear();
            if let Err(stop) = system.successors(local_id, global_id, &mut found) {
                let Some(met) = failure(&stop) else { return Err(Refusal::System(stop)) };
                let (at, there) = (shown(&self.part.locals[local]), shown(&self.part.globals[global]));
                require!(ClosureFault, false, "the step from local state {at}, global state {there} fails by {}", met.name());
            }
            let mut steps = Vec::with_capacity(found.len());
            for &(to, to_global) in &found {
                let (name, global_name) = (system.local_name(to), system.global_name(to_global));
                work.spend(2 + (name.len() + global_name.len()) / 64)?;
                let known = self.globals.get(&global_name).copied();
                require!(ClosureClosed, known.is_some(), "a step leads to the global state {}, which is not listed", shown(&global_name));
                let Some(known) = known else { continue };
                self.meet_global(known, to_global);
                let target = if system.is_final(to) { None } else { self.locals.get(&name).copied() };
                let inside = target.map_or_else(|| system.is_final(to), |target| self.is_listed(target, known));
                let there = shown(&global_name);
                require!(ClosureClosed, inside, "a step leads to {} at {there}, which is not listed", shown(&name));
                if let Some(target) = target {
                    self.meet_local(target, to);
                }
                steps.push(ListedStep { to: target, to_global: known });
            }
            self.steps.insert((local, global), steps);
        }
        for global in (0..self.met_globals.len()).filter(|&global| self.met_globals[global].is_some()) {
            let begins = self.starts.iter().all(|&start| self.is_listed(start, global));
            require!(ClosureClosed, begins, "not every start is listed at {}", shown(&self.part.globals[global]));
        }
        Ok(())
    }

    fn weight(&self, local: Option<usize>) -> &[i64] {
        local.and_then(|local| self.part.weights.get(local)).map_or(&[], Vec::as_slice)
    }

    fn level(&self, global: usize) -> &[i64] {
        self.part.levels.get(global).map_or(&[], Vec::as_slice)
    }

    fn by_counts<Stop>(&self, work: &mut Work) -> Result<(), Refusal<Stop>> {
        let light = self.starts.iter().all(|&start| self.weight(Some(start)).iter().all(|&weight| weight == 0));
        let sound = light && self.part.weights.iter().flatten().all(|&weight| weight >= 0);
        require!(ClosureCount, sound, "a weight is negative, or that of a start is not 0");
        let mut ways: BTreeSet<(usize, usize, &[i64])> = BTreeSet::new();
        for (&(local, global), steps) in &self.steps {
            for step in steps {
                work.spend(1 + self.level(global).len())?;
                let conserved = self.conserves(local, global, *step);
                let name = shown(&self.part.locals[local]);
                require!(ClosureCount, conserved, "a step from {name} does not change the level as the weight of its request");
                if step.to_global != global {
                    ways.insert((global, step.to_global, self.weight(Some(local))));
                }
            }
        }
        for (global, to, weight) in ways {
            let at = self.part.at.get(global).map_or(&[][..], Vec::as_slice);
            work.spend(1 + at.len())?;
            for other in at.iter().map(|&other| other as usize).filter(|&other| self.steps.contains_key(&(other, global))) {
                let carried = self.is_listed(other, to) || !self.admits(weight, self.weight(Some(other)), global);
                let (name, there) = (shown(&self.part.locals[other]), shown(&self.part.globals[to]));
                require!(ClosureClosed, carried, "{name} can be there when another request leads to {there}, and is not listed at it");
            }
        }
        Ok(())
    }

    fn conserves(&self, local: usize, global: usize, step: ListedStep) -> bool {
        let (before, after) = (self.level(global), self.level(step.to_global));
        let (from, to) = (self.weight(Some(local)), self.weight(step.to));
        (0..before.len()).all(|count| {
            let value = |row: &[i64]| row.get(count).copied().unwrap_or(0);
            let grown = value(after).checked_sub(value(before));
            grown.is_some() && grown == value(to).checked_sub(value(from))
        })
    }

    fn admits(&self, one: &[i64], other: &[i64], global: usize) -> bool {
        let level = self.level(global);
        one.iter().zip(other).zip(level).all(|((one, other), level)| one.checked_add(*other).is_some_and(|sum| sum <= *level))
    }

    fn by_markings<Stop>(&self, work: &mut Work) -> Result<(), Refusal<Stop>> {
        for global in (0..self.met_globals.len()).filter(|&global| self.met_globals[global].is_some()) {
            for marking in self.part.markings.get(global).into_iter().flatten() {
                let inside = marking.iter().map(|&(local, _)| local as usize);
                for source in self.starts.iter().copied().chain(inside) {
                    let met = self.met_locals.get(source).is_some_and(Option::is_some);
                    require!(ClosureClosed, !met || self.is_listed(source, global), "a local state of a marking is not listed beside it");
                    for step in self.steps.get(&(source, global)).into_iter().flatten() {
                        let after = self.fired(marking, source, step.to);
                        let there = self.part.markings.get(step.to_global).map_or(&[][..], Vec::as_slice);
                        work.spend(1 + there.len() * (after.len() + 1) / 8)?;
                        let below = there.iter().any(|larger| is_below(&after, larger));
                        let name = shown(&self.part.globals[step.to_global]);
                        require!(ClosureClosed, below, "a step leads to {name}, and what it leaves is below none of its markings");
                    }
                }
            }
        }
        Ok(())
    }

    /// The marking after one request has gone from `source` to `to`.
    fn fired(&self, marking: &[(u32, u32)], source: usize, to: Option<usize>) -> Vec<(u32, u32)> {
        let mut after = marking.to_vec();
        let place = |after: &[(u32, u32)], local: usize| after.binary_search_by_key(&local, |&(known, _)| known as usize);
        if self.starts.binary_search(&source).is_err()
            && let Ok(at) = place(&after, source)
        {
            match after[at].1 {
                0 => {}
                1 => drop(after.remove(at)),
                more => after[at].1 = more - 1,
            }
        }
        let Some(to) = to.filter(|to| self.starts.binary_search(to).is_err()) else { return after };
        match place(&after, to) {
            Ok(at) if after[at].1 == 0 => {}
            // A number that has no successor is beyond all others.
            Ok(at) => after[at].1 = after[at].1.checked_add(1).unwrap_or(0),
            Err(at) => after.insert(at, (u32::try_from(to).unwrap_or(u32::MAX), 1)),
        }
        after
    }
}

/// Whether there are at most as many requests everywhere; 0 stands for any number.
fn is_below(small: &[(u32, u32)], large: &[(u32, u32)]) -> bool {
    small.iter().all(|&(local, count)| {
        let there = large.binary_search_by_key(&local, |&(known, _)| known).ok().map(|at| large[at].1);
        there.is_some_and(|most| most == 0 || count != 0 && count <= most)
    })
}
