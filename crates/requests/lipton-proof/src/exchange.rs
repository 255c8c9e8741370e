//! Movers (Lipton 1975): which steps can be exchanged.
//!
//! `Exch(s, t)`: whenever, in a complete run, one request takes path `s` and right after it another one takes path `t`,
//! the run in which the other one takes some `t'` first and then the one takes some `s'` is a run, too, with the same
//! ends, registers, answers and globals.
//!
//! **Statement.** [`Exchange::pair`] accepts `(s, t)` only if `Exch(s, t)` holds or both draw a ticket of one lock,
//! provided that the facts hold and no reachable step is an error.
//!
//! **Proof.** Let the requests be at `a` and `c` before, at `b` and `c` between, at `b` and `d` after, with `s: a → b`
//! and `t: c → d`. Facts hold at all three moments.
//!
//! *Excluded.* In these cases `t` never follows `s`, and there is nothing to show:
//!
//! - no two requests are ever at `a` and `c`, or `b` and `c`, or `b` and `d`;
//! - one is inside a lock with tickets between or before while the other one takes a path that asks
//!   ([`crate::tickets`]);
//! - for some global `V` there are no values before, between or after. (Before: the facts about `V` at `a`, `c` and the
//!   guard of `s`. Between: the image of that under `s`, the facts at `b`, `c` and the guard of `t`. After: the image
//!   of that under `t` and the facts at `b`, `d`.)
//!
//! *Otherwise* we show for every global `V` that both touch and at least one changes:
//!
//! 1. neither reads it if the other one changes it, and if both change it no effect is opaque;
//! 2. where `V` is `x` at first, `t` is enabled at `x` as far as `V` goes, `s` after it, and both orders leave the same
//!    value.
//!
//! Then the steps can be exchanged:
//!
//! - `t` can be taken first: tests of several symbols speak of what `s` does not change, by (1), and guards hold by (2)
//!   or because `s` does not change their global. What is reached is a reachable configuration, so the facts hold
//!   there, at `a` and `d` (all but doom: that the run can be completed from there is what is being shown); and no step
//!   is an error, so `s` and `t` are steps if their conditions hold. Likewise `s` can be taken then.
//! - Registers and answers are the same by (1), globals by (2); globals that only one of the two changes are not
//!   touched by the other or are covered by (2).
//!
//! Let `X` contain the values of `V` for which `s` and then `t` can be taken. (2) holds by one of:
//!
//! * *counter, constant*: `X` is inside the guard of `t`; what `t` makes of `X`, as far as facts at `a`, `d` allow it,
//!   is inside the guard of `s`; and both add numbers, or both write the same number, or one leaves `V` alone;
//! * *addition*: neither has a guard on `V`, both add something that depends on no global, and neither turns the sum or
//!   both turn it in the same way: `l + (x + a) mod m`, and with the other one after it `l + (l + x + a + b) mod m`;
//! * *number by number*: `X` is small, and for each `x` in it the three points of (2) are computed;
//! * *function*: as before, but with some paths `t'`, `s'` that differ from `t`, `s` in guard and update of `V` alone.
//!   - If `s` reads `V`, then `t'` has to leave `x` as it is, though `t` changes nothing: `s'` comes after it and
//!     reads. (If `t` reads `V` then `s` leaves it alone by (1), so `t'` reads what `t` did.)
//!   - For each `x` there may be others; but the paths that fit one global need not be those that fit another one, so
//!     **for at most one global of a pair**.
//!   - For infinite `X` only shifts and constants are taken: between two neighbouring ends of the intervals that occur
//!     (and points where a constant is met) whether a choice fits is the same for all `x`, so it is enough to look at
//!     each of these numbers, its neighbours and nothing else. ∎

use rustc_hash::FxHashMap;
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::facts::{ClassId, Facts, MAX_LIST, Runs};
use crate::model::{Effect, Model, Touch};
use crate::path::{Path, PathId, PointId};

/// The most paths that differ in one global alone.
const MAX_BUNDLE: usize = 64;
/// The most ends of intervals that are looked at.
const MAX_ENDS: usize = 512;

/// What one path does to one global, and where it goes, as far as classes of points tell.
#[derive(Clone, Copy)]
struct PathSide<'a> {
    id: Option<PathId>,
    from: ClassId,
    to: ClassId,
    guard: Option<&'a Domain>,
    touch: &'a Touch,
    checked: Option<(i64, i64)>,
}

/// What was found about one global of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExchangeOutcome {
    /// The second never follows the first.
    Excluded,
    /// The order does not matter.
    Fine,
    /// It may matter.
    Unknown,
}

/// Everything about a path that a group check looks at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Look {
    guard: Option<Domain>,
    touch: Touch,
    checked: Option<(i64, i64)>,
}

/// The ways in which a path must move past its neighbours (Lipton 1975).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mover {
    /// It is before the commit: steps of others that come next may come first.
    pub right: bool,
    /// It is after the commit: it may come before steps of others.
    pub left: bool,
}

/// Paths that look the same for one global.
#[derive(Clone, Debug)]
pub struct Alike {
    /// The paths.
    pub paths: Vec<PathId>,
    from: ClassId,
    to: ClassId,
    look: Look,
    /// What the paths do to globals of which owners or counts speak.
    profile: u32,
}

impl Alike {
    /// Whether they change the global.
    pub fn writes(&self) -> bool {
        self.look.touch.effect != Effect::Keep
    }
}

const NOTHING: Touch = Touch { effect: Effect::Keep, reads: false };

/// Decides about pairs of paths.
pub struct Exchange<'a> {
    model: &'a Model,
    facts: &'a Facts,
    /// The profile of each path.
    profile_of: Vec<u32>,
    profiles: Vec<Vec<(GlobalVar, Look)>>,
}

impl<'a> Exchange<'a> {
    /// Prepares to decide.
    pub fn new(model: &'a Model, facts: &'a Facts) -> Self {
        let mut exchange = Self { model, facts, profile_of: Vec::new(), profiles: Vec::new() };
        let mut numbers: FxHashMap<Vec<(GlobalVar, Look)>, u32> = FxHashMap::default();
        for id in model.ids() {
            let touches = model.touches(id).iter().filter(|(global, _)| facts.synchronizes(*global));
            let profile: Vec<(GlobalVar, Look)> = touches.map(|(global, touch)| (*global, look(model.path(id), *global, touch))).collect();
            let new = u32::try_from(exchange.profiles.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(profile).or_insert_with_key(|profile| {
                exchange.profiles.push(profile.clone());
                new
            });
            exchange.profile_of.push(number);
        }
        exchange
    }

    /// The paths that touch a global and that complete runs take, those that look the same together. `must` says of a
    /// path which way it must move, and tells more of them apart.
    pub fn alike(&self, global: GlobalVar, must: &dyn Fn(PathId) -> Mover) -> Vec<(Mover, Alike)> {
        let mut numbers: FxHashMap<(Mover, ClassId, ClassId, u32, Look), usize> = FxHashMap::default();
        let mut groups: Vec<(Mover, Alike)> = Vec::new();
        for &id in self.model.touching[global.index()].iter().filter(|&&id| self.facts.is_taken(self.model, id, Runs::Complete)) {
            let path = self.model.path(id);
            let touch = self.model.touch(id, global).unwrap_or(&NOTHING);
            let (from, to) = (self.facts.class(path.from), self.facts.class(path.to));
            let key = (must(id), from, to, self.profile_of[id.index()], look(path, global, touch));
            let at = *numbers.entry(key).or_insert_with_key(|key| {
                groups.push((key.0, Alike { paths: Vec::new(), from, to, look: key.4.clone(), profile: key.3 }));
                groups.len() - 1
            });
            groups[at].1.paths.push(id);
        }
        groups
    }

    /// Whether all pairs of two groups can be exchanged as far as `global` goes, for reasons that do not depend on the
    /// pair.
    pub fn groups(&self, global: GlobalVar, first: &Alike, second: &Alike) -> bool {
        let side = |alike: &'_ Alike| (alike.from, alike.to);
        let ((a, b), (c, d)) = (side(first), side(second));
        if self.apart(a, b, c, d) || self.facts.draw_both((a, b), (c, d)) {
            return true;
        }
        let s = PathSide::of(first, &first.look);
        let t = PathSide::of(second, &second.look);
        if self.on(global, s, t) != ExchangeOutcome::Unknown {
            return true;
        }
        let (left, right) = (&self.profiles[first.profile as usize], &self.profiles[second.profile as usize]);
        let nothing = Look { guard: None, touch: NOTHING, checked: None };
        let of = |profile: &'_ [(GlobalVar, Look)], global: GlobalVar| profile.binary_search_by_key(&global, |entry| entry.0).ok();
        left.iter().chain(right).any(|(other, _)| {
            let (x, y) = (of(left, *other), of(right, *other));
            let s = PathSide::of(first, x.map_or(&nothing, |at| &left[at].1));
            let t = PathSide::of(second, y.map_or(&nothing, |at| &right[at].1));
            self.is_excluded(*other, s, t).is_none()
        })
    }

    fn apart(&self, a: ClassId, b: ClassId, c: ClassId, d: ClassId) -> bool {
        [(a, c), (b, c), (b, d)].iter().any(|&(x, y)| self.facts.are_apart(x, y, Runs::Complete))
    }

    /// Whether `t` right after `s` can be exchanged with it; if not, a global for which that is not known.
    pub fn pair(&self, s: PathId, t: PathId) -> Result<(), GlobalVar> {
        let (first, second) = (self.model.path(s), self.model.path(t));
        let class = |point: PointId| self.facts.class(point);
        let [a, b, c, d] = [first.from, first.to, second.from, second.to].map(class);
        let called = self.facts.is_called_twice(first.to, second) || self.facts.is_called_twice(second.from, first);
        if called || self.apart(a, b, c, d) || self.facts.draw_both((a, b), (c, d)) {
            return Ok(());
        }
        // A global that only one of them touches and of which nothing is known where the other one is says nothing
        // about the two.
        let speaks = |point: PointId, global: GlobalVar| self.facts.speaks_of(class(point), global);
        let of = |id: PathId, other: PathId| {
            let (from, to) = (self.model.path(other).from, self.model.path(other).to);
            let touches = self.model.touches(id).iter().map(|touch| touch.0);
            touches.filter(move |&global| self.model.touch(other, global).is_some() || speaks(from, global) || speaks(to, global))
        };
        let mut globals: Vec<GlobalVar> = of(s, t).chain(of(t, s)).collect();
        globals.sort_unstable();
        globals.dedup();
        if globals.iter().any(|&global| self.is_excluded(global, self.side(s, global), self.side(t, global)).is_none()) {
            return Ok(());
        }
        let mut functions = 0;
        for &global in &globals {
            let (left, right) = (self.side(s, global), self.side(t, global));
            let both = self.model.touch(s, global).is_some() && self.model.touch(t, global).is_some();
            let changed = left.touch.effect != Effect::Keep || right.touch.effect != Effect::Keep;
            if !both || !changed || self.on(global, left, right) != ExchangeOutcome::Unknown {
                continue;
            }
            functions += 1;
            if functions > 1 || !self.function(global, s, t) {
                return Err(global);
            }
        }
        Ok(())
    }

    fn side(&self, id: PathId, global: GlobalVar) -> PathSide<'_> {
        let path = self.model.path(id);
        PathSide {
            id: Some(id),
            from: self.facts.class(path.from),
            to: self.facts.class(path.to),
            guard: path.guard(global),
            touch: self.model.touch(id, global).unwrap_or(&NOTHING),
            checked: path.update(global).and_then(|update| update.checked),
        }
    }

    fn image(&self, global: GlobalVar, side: PathSide<'_>, before: &Domain) -> Domain {
        if let Some(id) = side.id {
            return self.facts.image(self.model, id, global, before, Runs::Complete);
        }
        let checked = side.checked.map_or_else(Domain::values, |(low, high)| Domain::between(low.into(), high.into()));
        let image = match &side.touch.effect {
            Effect::Keep => return before.clone(),
            Effect::Constant(value) => Domain::point(*value),
            Effect::Add(by) => before.image(1, *by),
            Effect::Function(_) | Effect::AddTerm | Effect::Turn(..) | Effect::Opaque => Domain::values(),
        };
        image.and(&checked).and(&Domain::values())
    }

    fn at(&self, global: GlobalVar, left: ClassId, right: ClassId) -> Domain {
        self.facts.at_classes(global, &[left, right], Runs::Complete)
    }

    /// The values of a global before `s`, those among them for which `t` can follow, and none if `t` never follows.
    fn is_excluded(&self, global: GlobalVar, s: PathSide<'_>, t: PathSide<'_>) -> Option<(Domain, Domain)> {
        let before = within(self.at(global, s.from, t.from), s.guard);
        let allowed = within(self.at(global, s.to, t.from), t.guard);
        let between = self.image(global, s, &before).and(&allowed);
        let after = self.image(global, t, &between).and(&self.at(global, s.to, t.to));
        if before.is_empty() || between.is_empty() || after.is_empty() {
            return None;
        }
        let possible = match s.touch.effect {
            Effect::Keep => before.and(&allowed),
            Effect::Add(by) => before.and(&allowed.image(1, -by)),
            _ => before.clone(),
        };
        (!possible.is_empty()).then_some((before, possible))
    }

    /// What one global says about a pair.
    fn on(&self, global: GlobalVar, s: PathSide<'_>, t: PathSide<'_>) -> ExchangeOutcome {
        let Some((_, possible)) = self.is_excluded(global, s, t) else { return ExchangeOutcome::Excluded };
        if !may_commute(s.touch, t.touch) {
            return ExchangeOutcome::Unknown;
        }
        let (first, second) = (&s.touch.effect, &t.touch.effect);
        let adds = |effect: &Effect| matches!(effect, Effect::Add(_) | Effect::AddTerm);
        let turned = |effect: &Effect| match effect {
            Effect::Turn(low, modulus) => Some((*low, *modulus)),
            Effect::Function(term) => self.model.opaques.turned(term, global),
            _ => None,
        };
        let turn_alike = turned(first).is_some_and(|turn| turned(second) == Some(turn));
        if (adds(first) && adds(second) || turn_alike) && s.guard.is_none() && t.guard.is_none() {
            return ExchangeOutcome::Fine;
        }
        let commute = match (first, second) {
            (Effect::Keep, _) | (_, Effect::Keep) | (Effect::Add(_), Effect::Add(_)) => true,
            (Effect::Constant(x), Effect::Constant(y)) => x == y,
            _ => false,
        };
        let inside = |domain: &Domain, guard: Option<&Domain>| guard.is_none_or(|guard| domain.is_subset(guard));
        let reachable = self.facts.at_classes(global, &[s.from, t.to], Runs::All);
        let then = self.image(global, t, &possible).and(&reachable);
        if commute && inside(&possible, t.guard) && inside(&then, s.guard) {
            return ExchangeOutcome::Fine;
        }
        let Some(values) = possible.list(MAX_LIST) else { return ExchangeOutcome::Unknown };
        let allowed = within(self.at(global, s.to, t.from), t.guard);
        let fits = |x: i128| {
            let y = self.apply(first, x)?;
            if !allowed.contains(y) {
                return Some(true);
            }
            let z = self.apply(second, x)?;
            let enabled = t.guard.is_none_or(|guard| guard.contains(x));
            let next = !reachable.contains(z)
                || s.guard.is_none_or(|guard| guard.contains(z)) && self.apply(first, z)? == self.apply(second, y)?;
            Some(enabled && next)
        };
        if values.iter().all(|&x| fits(x) == Some(true)) { ExchangeOutcome::Fine } else { ExchangeOutcome::Unknown }
    }

    /// The value of an effect on one number.
    fn apply(&self, effect: &Effect, x: i128) -> Option<i128> {
        match effect {
            Effect::Keep => Some(x),
            Effect::Constant(value) => Some(*value),
            Effect::Add(by) => x.checked_add(*by),
            Effect::Function(term) => self.model.opaques.value(term, &|_| Some(x)),
            Effect::AddTerm | Effect::Turn(..) | Effect::Opaque => None,
        }
    }

    /// The paths that differ from one in guard and update of a global alone, and what they do to it.
    fn bundle(&self, id: PathId, global: GlobalVar) -> Vec<(Domain, &Effect)> {
        let path = self.model.path(id);
        let others = self.model.leaving[path.from.index()]
            .iter()
            .take(MAX_BUNDLE * 16)
            .filter(|&&other| other == id || differ_in(path, self.model.path(other), global));
        let with = |&other: &PathId| {
            let effect = &self.model.touch(other, global).unwrap_or(&NOTHING).effect;
            (self.model.path(other).guard(global).cloned().unwrap_or_else(Domain::values), effect)
        };
        others.take(MAX_BUNDLE).map(with).collect()
    }

    /// Whether for each value of a global there are paths like `t` and `s` that do in the other order what they do.
    fn function(&self, global: GlobalVar, s: PathId, t: PathId) -> bool {
        let (left, right) = (self.side(s, global), self.side(t, global));
        let Some((_, possible)) = self.is_excluded(global, left, right) else { return true };
        if !may_commute(left.touch, right.touch) {
            return false;
        }
        let (firsts, seconds) = (self.bundle(s, global), self.bundle(t, global));
        let allowed = within(self.at(global, left.to, right.from), right.guard);
        let fits = |x: i128| {
            let Some(y) = self.apply(&left.touch.effect, x) else { return false };
            if !allowed.contains(y) {
                return true;
            }
            let Some(end) = self.apply(&right.touch.effect, y) else { return false };
            seconds.iter().any(|(guard, effect)| {
                let Some(z) = self.apply(effect, x).filter(|_| guard.contains(x)) else { return false };
                // What reads the global still has to read what it read, whichever path takes the place of the other.
                if left.touch.reads && z != x {
                    return false;
                }
                firsts.iter().any(|(guard, effect)| guard.contains(z) && self.apply(effect, z) == Some(end))
            })
        };
        match possible.list(MAX_LIST) {
            Some(values) => values.into_iter().all(fits),
            None => ends(&possible, &allowed, &[&left.touch.effect, &right.touch.effect], &firsts, &seconds)
                .is_some_and(|ends| ends.into_iter().filter(|&x| possible.contains(x)).all(fits)),
        }
    }
}

impl<'a> PathSide<'a> {
    fn of(alike: &Alike, look: &'a Look) -> Self {
        let Look { guard, touch, checked } = look;
        Self { id: None, from: alike.from, to: alike.to, guard: guard.as_ref(), touch, checked: *checked }
    }
}

fn look(path: &Path, global: GlobalVar, touch: &Touch) -> Look {
    Look { guard: path.guard(global).cloned(), touch: touch.clone(), checked: path.update(global).and_then(|update| update.checked) }
}

fn within(domain: Domain, guard: Option<&Domain>) -> Domain {
    guard.map_or(domain.clone(), |guard| domain.and(guard))
}

/// Neither reads what the other one changes, and if both change it no effect is opaque.
fn may_commute(s: &Touch, t: &Touch) -> bool {
    let changes = |touch: &Touch| touch.effect != Effect::Keep;
    let reads = s.reads && changes(t) || t.reads && changes(s);
    let opaque = s.effect == Effect::Opaque || t.effect == Effect::Opaque;
    !(reads || opaque && changes(s) && changes(t))
}

/// Whether two paths differ in guard and update of a global alone.
fn differ_in(path: &Path, other: &Path, global: GlobalVar) -> bool {
    let here = [(crate::term::Symbol::Global(global), 1)];
    let conditions = |path: &'_ Path| path.conditions.0.iter().filter(|(form, _)| form.as_slice() != here).cloned().collect::<Vec<_>>();
    let updates = |path: &'_ Path| path.updates.iter().filter(|update| update.0 != global).cloned().collect::<Vec<_>>();
    path.to == other.to
        && path.kept == other.kept
        && path.answer == other.answer
        && updates(path) == updates(other)
        && conditions(path) == conditions(other)
}

/// The numbers at which it must be seen whether shifts and constants fit, with their neighbours; none where there are
/// other effects or too many.
fn ends(
    possible: &Domain,
    allowed: &Domain,
    effects: &[&Effect; 2],
    firsts: &[(Domain, &Effect)],
    seconds: &[(Domain, &Effect)],
) -> Option<Vec<i128>> {
    let bundled = firsts.iter().chain(seconds).map(|(_, effect)| *effect);
    let all: Vec<&Effect> = effects.iter().copied().chain(bundled).collect();
    let mut shifts: Vec<i128> = vec![0];
    let mut constants: Vec<i128> = Vec::new();
    for effect in all {
        match effect {
            Effect::Keep => {}
            Effect::Add(by) => shifts.push(*by),
            Effect::Constant(value) => constants.push(*value),
            _ => return None,
        }
    }
    shifts.sort_unstable();
    shifts.dedup();
    let mut marks = constants;
    for domain in [possible, allowed].into_iter().chain(firsts.iter().chain(seconds).map(|(guard, _)| guard)) {
        marks.extend([domain.low(), domain.high()]);
        marks.extend(domain.holes());
    }
    marks.sort_unstable();
    marks.dedup();
    if marks.len().saturating_mul(shifts.len().saturating_mul(shifts.len())) > MAX_ENDS * 8 {
        return None;
    }
    // A number is compared with a mark as it is or after one or two shifts.
    let mut numbers = Vec::new();
    for &mark in &marks {
        for &one in &shifts {
            for &two in &shifts {
                // A constant is shifted at most once more before it is compared with a shifted number.
                for &back in &shifts {
                    let number = mark.saturating_sub(one).saturating_sub(two).saturating_add(back);
                    numbers.extend([number.saturating_sub(1), number, number.saturating_add(1)]);
                }
            }
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    (numbers.len() <= MAX_ENDS * 64).then_some(numbers)
}
