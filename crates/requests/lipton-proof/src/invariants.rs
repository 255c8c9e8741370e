//! Inductive invariants of a Lipton proof (Lipton 1975): what holds at every moment, one function per kind of fact.
//!
//! **Statement.** If all functions here accept, then the facts hold in every reachable configuration of the program
//! after the transformations ([`crate::model`]); those about doom in every configuration of a complete run.
//!
//! **Proof.** By induction on the steps of a run; `#p` is the number of requests at point `p`. In the first
//! configuration all requests are at entries, and globals have their initial values. A step is an instance of a path
//! `a → b` whose conditions hold. All facts hold before it, so before it `V` lies in `D`: its range, what is known at
//! `a`, and the guard of the path. After it `V` lies in the image `Q` of `D`. (A path for which `D` is empty, or whose
//! conditions contradict what is known at `a`, is not taken.) Each fact holds after the step because of facts *before*
//! it, but for ranges and bounds, which may use that owners and counts hold after it; so nothing is circular.
//!
//! * **I0, range.** `V ∈ R`: the initial value is, what a lock is set to before additions leave that out is
//!   ([`crate::additions`]), and `Q ⊆ R`. Slow globals: the initial value is at most 2^60 either
//!   way, and a step adds at most 2^20 either way, or leaves at most 2^60. After `n` steps `V` is within
//!   `2^60 + 2^20·n`, so no run of 2^40 steps leaves 2^61. This is the line that the compiler draws as well, and the
//!   proof says so ([`Reduction::unbounded`]). With slow registers: let `M` be the greatest absolute value of all slow
//!   globals and of all slow registers of requests at the points where they are slow, at first at most 2^60. A step
//!   leaves in each of these at most 2^60, or what was in one of them that is global or its own and at most 2^20 more
//!   or less; so `M` becomes at most `max(2^60, M + 2^20)`, and what was said of one holds of all.
//! * **I1, owner** `(V, c, O)`: `[V = c] = Σ #p over O`. It holds at first, as no entry is in `O` and the initial value
//!   is not `c`. For `a → b`:
//!   - *from O to O*: the only request in `O` stays, and `Q = {c}`;
//!   - *into O*: `c ∉ D`, so no request was in `O`; now one is, and `V = c`;
//!   - *out of O*: the only one leaves, and `c ∉ Q`;
//!   - *neither*: `V` is left alone, or is `c` neither before nor after, or has the same single value before and after.
//! * **I2, count** `(V, h)`: `V = V₀ + Σ h(p)·#p`, with `h = 0` at entries and at the end. The step changes the sum by
//!   `h(b) − h(a)`, and `V` by exactly that. As all weights have one sign, `V ≥ V₀ + h(p) + h(q)` while two requests
//!   are at `p` and `q` (`≤` where weights are negative).
//! * **I3, exclusion** of two groups of points without common point, each those of an owner or those with a weight:
//!   never both are occupied. At first none is. A step into the one happens only where `D` says that the other is
//!   empty: `c ∉ D` for an owner; `D ≤ V₀` or `D ≥ V₀` for a count with positive or negative weights.
//! * **Nowhere**: no request is ever at such a point. It is no entry, and no path there can be taken, as others begin
//!   where no request is.
//! * **Registers** at a point lie within bounds: every path there leaves such a value, and at an entry all are 0 but
//!   parameters, all of whose values lie within the bounds.
//! * **Known** `(p, V)`: while a request is at `p`, `V` is within bounds. Its own path there leaves such a value; and a
//!   step of another request that may be where it begins while a request is at `p` leaves such a value if there was
//!   one.
//! * **I4, doom** `(V, c, Z)`, the end not in `Z`: in a complete run no request is in `Z` while `V = c`. Suppose one
//!   is. No path that complete runs take changes `V` from `c`, so it stays; and every path from `Z` needs `V ≠ c` or
//!   stays in `Z`. So the request never ends, and the run is not complete. This uses no other doom.
//! * **I5, tickets**: see [`crate::tickets`]. ∎

use serval_compile::control::Reg;
use serval_proof::{Condition, Group, Reduction};
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::facts::{Facts, Runs, SLOW};
use crate::model::{Effect, Model};
use crate::path::{PathId, PointId};
use crate::term::{Symbol, Term};

/// A fact that a path does not keep, or that does not hold at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The condition that is not met.
    pub condition: Condition,
    /// What it is about.
    pub object: String,
    /// The path, if it is one.
    pub path: Option<PathId>,
}

/// Model and facts together.
#[derive(Clone, Copy)]
pub struct Claims<'a> {
    /// The points and paths.
    pub model: &'a Model,
    /// What is said of them.
    pub facts: &'a Facts,
    /// The certificate that says it.
    pub reduction: &'a Reduction,
}

type Checked = Result<(), Violation>;

fn violated(condition: Condition, object: String, path: Option<PathId>) -> Checked {
    Err(Violation { condition, object, path })
}

impl Claims<'_> {
    fn is_taken(&self, id: PathId) -> bool {
        self.facts.is_taken(self.model, id, Runs::All)
    }

    fn before(&self, id: PathId, global: GlobalVar) -> Domain {
        self.facts.before(self.model, id, global, Runs::All)
    }

    fn image(&self, id: PathId, global: GlobalVar, before: &Domain) -> Domain {
        self.facts.image(self.model, id, global, before, Runs::All)
    }

    /// The paths that change a global and can be taken.
    fn writers(&self, global: GlobalVar) -> impl Iterator<Item = PathId> + '_ {
        self.model.writers[global.index()].iter().copied().filter(|&id| self.is_taken(id))
    }

    /// I0 for one global.
    pub fn range(&self, global: GlobalVar) -> Checked {
        let range = self.facts.range(global);
        let object = || format!("variable {}", global.0);
        if !range.contains(self.model.initial(global)) || self.model.taken(global).any(|taken| !range.contains(taken)) {
            return violated(Condition::ReductionRange, object(), None);
        }
        for id in self.writers(global) {
            let after = self.image(id, global, &self.before(id, global)).and(&self.facts.aside(global, self.model.path(id).to));
            if !after.is_subset(range) {
                return violated(Condition::ReductionRange, object(), Some(id));
            }
        }
        Ok(())
    }

    /// I0 for a global that changes slowly.
    pub fn slow(&self, global: GlobalVar) -> Checked {
        let small = Domain::between(-(SLOW / 2), SLOW / 2);
        let object = || format!("variable {}", global.0);
        if !small.contains(self.model.initial(global)) || self.model.taken(global).any(|taken| !small.contains(taken)) {
            return violated(Condition::ReductionSlow, object(), None);
        }
        for id in self.writers(global) {
            let path = self.model.path(id);
            let Some(update) = path.update(global) else { continue };
            let slow = self.is_near(id, &update.term, Some(Symbol::Global(global)));
            if !slow && !self.image(id, global, &self.before(id, global)).is_subset(&small) {
                return violated(Condition::ReductionSlow, object(), Some(id));
            }
        }
        Ok(())
    }

    /// Whether a path gives a value that is near one that changes slowly.
    fn is_near(&self, id: PathId, term: &Term, own: Option<Symbol>) -> bool {
        let path = self.model.path(id);
        let step = Domain::between(-(1 << 20), 1 << 20);
        let base = self.facts.base(path.from, Runs::All);
        let slow = term.parts.iter().filter(|&&(symbol, factor)| factor == 1 && self.facts.is_slow(path.from, symbol));
        slow.map(|part| part.0).chain(own).any(|symbol| {
            let added = term.plus(&Term::symbol(symbol), -1);
            added.is_some_and(|added| path.conditions.bounds(&self.model.opaques, &added, &base).is_subset(&step))
        })
    }

    /// I0 for a register that changes slowly, at a point.
    pub fn slow_local(&self, point: PointId, reg: Reg) -> Checked {
        let small = Domain::between(-(SLOW / 2), SLOW / 2);
        let object = || format!("register {} at point {}", reg.0, point.0);
        for &id in self.model.entering[point.index()].iter().filter(|&&id| self.is_taken(id)) {
            let kept = &self.model.path(id).kept;
            let value = kept.binary_search_by_key(&reg, |kept| kept.0).ok().map(|at| &kept[at].1);
            if !value.is_some_and(|value| self.is_near(id, &value.term, None) || self.value(id, value).is_subset(&small)) {
                return violated(Condition::ReductionSlow, object(), Some(id));
            }
        }
        Ok(())
    }

    /// Paths that come to or leave points, or change a global.
    fn around<'a>(&'a self, points: impl Iterator<Item = PointId> + 'a, global: GlobalVar) -> impl Iterator<Item = PathId> + 'a {
        let ends = points.flat_map(|point| self.model.leaving[point.index()].iter().chain(&self.model.entering[point.index()]));
        ends.chain(&self.model.writers[global.index()]).copied()
    }

    /// I1 for the owner at a position.
    pub fn owner(&self, index: usize) -> Checked {
        let Some(owner) = self.reduction.owners.get(index) else { return Ok(()) };
        let (global, value) = (GlobalVar(owner.global), i128::from(owner.value));
        let object = || format!("owner {index}");
        let points = || owner.points.iter().flat_map(|&(first, last)| first..=last).map(PointId);
        let outside = |point: PointId| point == PointId::END || self.model.is_entry(point);
        if value == self.model.initial(global) || points().any(outside) {
            return violated(Condition::ReductionOwner, object(), None);
        }
        let mut owns = vec![false; self.model.points.len()];
        points().for_each(|point| owns[point.index()] = true);
        let inside = |point: PointId| owns[point.index()];
        for id in self.around(points(), global) {
            let path = self.model.path(id);
            // Where `V` is left alone, and the request stays in `O` or outside: in `O` it is `c` before, so after.
            if inside(path.from) == inside(path.to) && path.update(global).is_none() || !self.is_taken(id) {
                continue;
            }
            let before = self.before(id, global);
            let after = self.image(id, global, &before);
            let becomes = after.single() == Some(value);
            let keeps = match (inside(path.from), inside(path.to)) {
                (true, true) => becomes,
                (false, true) => !before.contains(value) && becomes,
                (true, false) => !after.contains(value),
                (false, false) => !before.contains(value) && !after.contains(value) || before.single().is_some() && before == after,
            };
            if !keeps && !after.is_empty() {
                return violated(Condition::ReductionOwner, object(), Some(id));
            }
        }
        Ok(())
    }

    /// I2 for the count at a position.
    pub fn count(&self, index: usize) -> Checked {
        let Some(count) = self.reduction.counts.get(index) else { return Ok(()) };
        let global = GlobalVar(count.global);
        let object = || format!("count {index}");
        let points = || count.weights.iter().flat_map(|&(first, last, _)| first..=last).map(PointId);
        if points().any(|point| point == PointId::END || self.model.is_entry(point)) {
            return violated(Condition::ReductionCount, object(), None);
        }
        for id in self.around(points(), global).filter(|&id| self.is_taken(id)) {
            let path = self.model.path(id);
            let by = i128::from(self.facts.weight(path.to, global)) - i128::from(self.facts.weight(path.from, global));
            if change(self, id, global) != Some(by) {
                return violated(Condition::ReductionCount, object(), Some(id));
            }
        }
        Ok(())
    }

    fn in_group(&self, group: Group, point: PointId) -> bool {
        match group {
            Group::Owner(index) => {
                let Some(owner) = self.reduction.owners.get(index as usize) else { return false };
                self.facts.owner(point, GlobalVar(owner.global)).is_some_and(|(owner, _)| owner == index)
            }
            Group::Count(index) => {
                let Some(count) = self.reduction.counts.get(index as usize) else { return false };
                self.facts.weight(point, GlobalVar(count.global)) != 0
            }
        }
    }

    /// The points of a group.
    fn group(&self, group: Group) -> Vec<PointId> {
        match group {
            Group::Owner(index) => {
                let owner = self.reduction.owners.get(index as usize);
                owner.into_iter().flat_map(|owner| &owner.points).flat_map(|&(first, last)| first..=last).map(PointId).collect()
            }
            Group::Count(index) => {
                let count = self.reduction.counts.get(index as usize);
                count.into_iter().flat_map(|count| &count.weights).flat_map(|&(first, last, _)| first..=last).map(PointId).collect()
            }
        }
    }

    /// Whether a path that is taken shows that no request is in a group.
    fn shows_empty(&self, id: PathId, group: Group) -> bool {
        match group {
            Group::Owner(index) => self
                .reduction
                .owners
                .get(index as usize)
                .is_some_and(|owner| !self.before(id, GlobalVar(owner.global)).contains(owner.value.into())),
            Group::Count(index) => self.reduction.counts.get(index as usize).is_some_and(|count| {
                let global = GlobalVar(count.global);
                let (before, initial) = (self.before(id, global), self.model.initial(global));
                match self.facts.sign(global) {
                    1 => before.high() <= initial,
                    -1 => before.low() >= initial,
                    _ => false,
                }
            }),
        }
    }

    /// I3 for one pair of groups.
    pub fn exclusion(&self, left: Group, right: Group) -> Checked {
        let object = || format!("{left:?} and {right:?}");
        for (group, other) in [(left, right), (right, left)] {
            for point in self.group(group) {
                if self.in_group(other, point) {
                    return violated(Condition::ReductionExclusion, object(), None);
                }
                for &id in self.model.entering[point.index()].iter().filter(|&&id| self.is_taken(id)) {
                    if !self.in_group(group, self.model.path(id).from) && !self.shows_empty(id, other) {
                        return violated(Condition::ReductionExclusion, object(), Some(id));
                    }
                }
            }
        }
        Ok(())
    }

    /// No request comes to a point.
    pub fn nowhere(&self, point: PointId) -> Checked {
        let object = || format!("point {}", point.0);
        if self.model.is_entry(point) {
            return violated(Condition::ReductionNowhere, object(), None);
        }
        match self.model.entering[point.index()].iter().find(|&&id| self.is_taken(id)) {
            Some(&id) => violated(Condition::ReductionNowhere, object(), Some(id)),
            None => Ok(()),
        }
    }

    /// Bounds of a register at a point.
    pub fn local(&self, point: PointId, reg: Reg) -> Checked {
        let Some(bounds) = self.facts.local(point, reg) else { return Ok(()) };
        let object = || format!("register {} at point {}", reg.0, point.0);
        let begins = self.model.values_at_entry(point, reg);
        if begins.into_iter().any(|(low, high)| !Domain::between(low.into(), high.into()).is_subset(bounds)) {
            return violated(Condition::ReductionLocal, object(), None);
        }
        for &id in self.model.entering[point.index()].iter().filter(|&&id| self.is_taken(id)) {
            let path = self.model.path(id);
            let Ok(at) = path.kept.binary_search_by_key(&reg, |kept| kept.0) else { continue };
            if !self.value(id, &path.kept[at].1).is_subset(bounds) {
                return violated(Condition::ReductionLocal, object(), Some(id));
            }
        }
        Ok(())
    }

    /// Where a value that a path leaves lies, in steps without error.
    pub fn value(&self, id: PathId, value: &crate::path::Value) -> Domain {
        let path = self.model.path(id);
        let bounds = path.conditions.bounds(&self.model.opaques, &value.term, &self.facts.base(path.from, Runs::All));
        let checked = value.checked.map_or_else(Domain::values, |(low, high)| Domain::between(low.into(), high.into()));
        bounds.and(&checked).and(&Domain::values())
    }

    /// What is known of a global while a request is at one of some points, all of one class.
    pub fn known(&self, global: GlobalVar, bounds: &Domain, points: &[PointId]) -> Checked {
        let object = || format!("variable {} at point {}", global.0, points.first().map_or(0, |point| point.0));
        for &point in points {
            if self.model.is_entry(point) && !bounds.contains(self.model.initial(global)) {
                return violated(Condition::ReductionKnown, object(), None);
            }
            for &id in self.model.entering[point.index()].iter().filter(|&&id| self.is_taken(id)) {
                let after = self.image(id, global, &self.before(id, global)).and(&self.facts.aside(global, point));
                if !after.is_subset(bounds) {
                    return violated(Condition::ReductionKnown, object(), Some(id));
                }
            }
        }
        let Some(&point) = points.first() else { return Ok(()) };
        for id in self.writers(global) {
            if !self.keeps_known(id, global, bounds, point) {
                return violated(Condition::ReductionKnown, object(), Some(id));
            }
        }
        Ok(())
    }

    /// Whether a path of another request leaves a global within bounds while a request is at a point.
    fn keeps_known(&self, id: PathId, global: GlobalVar, bounds: &Domain, point: PointId) -> bool {
        if self.never_meets(id, point) {
            return true;
        }
        let path = self.model.path(id);
        let both = self.facts.at(global, &[path.from, point], Runs::All).and(bounds);
        let before = path.guard(global).map_or(both.clone(), |guard| both.and(guard));
        before.is_empty() || self.image(id, global, &before).is_subset(bounds)
    }

    /// Whether no request takes a path while another one is at a point: never both are where the path begins and at the
    /// point, or a guard of the path says that no request is at the point.
    pub fn never_meets(&self, id: PathId, point: PointId) -> bool {
        let path = self.model.path(id);
        let guards = path.conditions.0.iter().filter_map(|(form, said)| match form.as_slice() {
            [(Symbol::Global(other), 1)] => Some((*other, said)),
            _ => None,
        });
        self.facts.are_apart(self.facts.class(path.from), self.facts.class(point), Runs::All)
            || self.facts.is_called_twice(point, path)
            || guards.into_iter().any(|(other, said)| self.facts.at(other, &[path.from, point], Runs::All).and(said).is_empty())
    }

    /// I4 for the doom at a position.
    pub fn doom(&self, index: usize) -> Checked {
        let Some(doom) = self.reduction.dooms.get(index) else { return Ok(()) };
        let (global, value) = (GlobalVar(doom.global), i128::from(doom.value));
        let object = || format!("doom {index}");
        let mut points: Vec<PointId> = doom.points.iter().flat_map(|&(first, last)| first..=last).map(PointId).collect();
        points.sort_unstable();
        if points.first() == Some(&PointId::END) {
            return violated(Condition::ReductionDoom, object(), None);
        }
        for id in self.writers(global).filter(|&id| self.model.completes(id)) {
            if !self.leaves(id, global, value) {
                return violated(Condition::ReductionDoom, object(), Some(id));
            }
        }
        for &id in points.iter().flat_map(|point| &self.model.leaving[point.index()]) {
            let stays = points.binary_search(&self.model.path(id).to).is_ok();
            let ends = self.model.completes(id) && self.is_taken(id);
            if ends && !stays && self.before(id, global).contains(value) {
                return violated(Condition::ReductionDoom, object(), Some(id));
            }
        }
        Ok(())
    }

    /// Whether a path leaves a global at a value.
    pub fn leaves(&self, id: PathId, global: GlobalVar, value: i128) -> bool {
        let before = self.before(id, global).and(&Domain::point(value));
        before.is_empty() || self.image(id, global, &before).is_subset(&Domain::point(value))
    }
}

/// By how much a path changes a global, if that is a constant.
pub fn change(claims: &Claims<'_>, id: PathId, global: GlobalVar) -> Option<i128> {
    let touch = claims.model.touch(id, global);
    match touch.map(|touch| &touch.effect) {
        None | Some(Effect::Keep) => Some(0),
        Some(Effect::Add(by)) => Some(*by),
        Some(_) => {
            let before = claims.before(id, global);
            Some(claims.image(id, global, &before).single()? - before.single()?)
        }
    }
}
