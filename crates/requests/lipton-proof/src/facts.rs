//! What a certificate says of configurations, ready to be asked.
//!
//! A *configuration* is a value for each global and a place, with values of its registers, for each request of the run;
//! one that has not begun is at its entry. The facts are: ranges of globals (I0), owners (I1), counts (I2), exclusions
//! (I3), tickets (I5), and bounds of registers and globals while a request is at a point. They are claims until
//! [`crate::invariants`] has checked that the initial configurations meet them and every path keeps them. Doom (I4) is
//! a fact of complete runs only, and is asked for apart: [`Runs`].
//!
//! Points about which the same is said form a *class*. What is asked about points is asked about their classes, so that
//! programs with many requests of the same shape are not looked at request by request.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use serval_proof::{Group, PointRange, Reduction};
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::model::{Effect, Model};
use crate::path::{Path, PathId, PointId};
pub use crate::said::Meaningless;
use crate::said::{AtPoint, Class, Sayings};
use crate::term::Symbol;
use crate::turns::Turns;
use serval_compile::control::Reg;

/// Points that a certificate may list in all.
const MAX_LISTED: usize = 4_000_000;
/// The largest sets of which functions are computed number by number.
pub(crate) const MAX_LIST: i128 = 256;
/// A global that changes slowly stays within this: 2^61. See [`crate::invariants`].
pub const SLOW: i128 = 1 << 61;

/// Which runs are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// All, complete or not.
    All,
    /// Complete ones: doom counts, and endless paths do not.
    Complete,
}

/// What is said of a global at a point, whatever the number of the owner.
#[derive(PartialEq, Eq)]
pub(crate) struct PointClaim {
    owned: Option<i64>,
    weight: i64,
    doomed: Vec<i64>,
    known: Option<Domain>,
}

/// A class, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// What a certificate says.
pub struct Facts {
    ranges: Vec<Domain>,
    initial: Vec<i128>,
    /// The value of each owner.
    owned: Vec<i64>,
    /// The sign of the weights of the count of each global; 0 if it is none.
    signs: Vec<i64>,
    synchronizing: Vec<bool>,
    slow: Vec<bool>,
    /// Registers that change as slowly, at points.
    slow_locals: FxHashSet<(PointId, Reg)>,
    class_of: Vec<ClassId>,
    classes: Vec<Class>,
    /// What is said of globals, by its number.
    sayings: Vec<AtPoint>,
    exclusions: FxHashSet<(Group, Group)>,
    /// Registers by point, ascending.
    locals: Vec<Vec<(Reg, Domain)>>,
    /// Which classes are never both occupied, as far as it was asked.
    apart: RefCell<FxHashMap<(ClassId, ClassId, bool), bool>>,
    /// Points at which no request ever is.
    nowhere: Vec<bool>,
    turns: Vec<Turns>,
    /// Which paths can be taken in runs of all kinds and in complete ones, as far as it was asked.
    taken: [RefCell<Vec<Option<bool>>>; 2],
}

fn expand(runs: &[PointRange], points: usize, left: &mut usize) -> Result<Vec<PointId>, Meaningless> {
    let mut all = Vec::new();
    for &(first, last) in runs {
        let size = (last as usize).checked_sub(first as usize).ok_or_else(|| Meaningless(format!("points {first} to {last}")))? + 1;
        if last as usize >= points {
            return Err(Meaningless(format!("point {last}, of {points}")));
        }
        *left = left.checked_sub(size).ok_or_else(|| Meaningless(format!("more than {MAX_LISTED} points in all")))?;
        all.extend((first..=last).map(PointId));
    }
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    if all.len() == count { Ok(all) } else { Err(Meaningless("a point is listed twice".to_owned())) }
}

impl Facts {
    /// Reads what a certificate says about a model.
    pub fn new(model: &Model, reduction: &Reduction) -> Result<Self, Meaningless> {
        let points = model.points.len();
        let mut left = MAX_LISTED;
        let mut classes: Vec<Class> = vec![Class::default(); points];
        let mut sayings = Sayings::default();
        // Without exclusions groups say nothing that the globals do not say.
        let excluded: FxHashSet<Group> = reduction.exclusions.iter().flat_map(|&(left, right)| [left, right]).collect();
        let mut facts = Self {
            ranges: ranges(model.initial.len(), reduction)?,
            initial: model.initial.iter().map(|&value| value.into()).collect(),
            owned: reduction.owners.iter().map(|owner| owner.value).collect(),
            signs: vec![0; model.initial.len()],
            synchronizing: vec![false; model.initial.len()],
            slow: vec![false; model.initial.len()],
            slow_locals: FxHashSet::default(),
            class_of: Vec::new(),
            classes: Vec::new(),
            sayings: Vec::new(),
            exclusions: FxHashSet::default(),
            locals: vec![Vec::new(); points],
            apart: RefCell::default(),
            nowhere: vec![false; points],
            turns: Vec::new(),
            taken: [(); 2].map(|()| RefCell::new(vec![None; model.paths.len()])),
        };
        let global = |number: u32| {
            let known = (number as usize) < model.initial.len();
            known.then_some(GlobalVar(number)).ok_or_else(|| Meaningless(format!("variable {number}")))
        };
        for &number in &reduction.slow {
            facts.slow[global(number)?.index()] = true;
        }
        for (reg, listed) in &reduction.slow_locals {
            facts.slow_locals.extend(expand(listed, points, &mut left)?.into_iter().map(|point| (point, Reg(*reg))));
        }
        let mut owned = FxHashSet::default();
        for (index, owner) in reduction.owners.iter().enumerate() {
            let (variable, index) = (global(owner.global)?, number(index)?);
            if !owned.insert((owner.global, owner.value)) {
                return Err(Meaningless(format!("two owners of a value of variable {}", owner.global)));
            }
            let listed = expand(&owner.points, points, &mut left)?;
            if excluded.contains(&Group::Owner(index)) {
                listed.iter().for_each(|point| classes[point.index()].groups.push(Group::Owner(index)));
            }
            let owns = |said: &mut AtPoint| said.owner.replace(index).is_none();
            let twice = |point: PointId| Meaningless(format!("point {} owns two values of variable {}", point.0, owner.global));
            sayings.add(&mut classes, &listed, variable, owns).map_err(twice)?;
        }
        for (index, count) in reduction.counts.iter().enumerate() {
            let (variable, index) = (global(count.global)?, number(index)?);
            if facts.signs[variable.index()] != 0 || count.weights.is_empty() {
                return Err(Meaningless(format!("two counts or an empty one of variable {}", count.global)));
            }
            for &(first, last, weight) in &count.weights {
                let sign = &mut facts.signs[variable.index()];
                if weight == 0 || (*sign != 0 && *sign != weight.signum()) {
                    return Err(Meaningless(format!("weight {weight} of variable {}", count.global)));
                }
                *sign = weight.signum();
                let listed = expand(&[(first, last)], points, &mut left)?;
                if excluded.contains(&Group::Count(index)) {
                    listed.iter().for_each(|point| classes[point.index()].groups.push(Group::Count(index)));
                }
                let weighs = |said: &mut AtPoint| std::mem::replace(&mut said.weight, weight) == 0;
                let twice = |point: PointId| Meaningless(format!("point {} has two weights of variable {}", point.0, count.global));
                sayings.add(&mut classes, &listed, variable, weighs).map_err(twice)?;
            }
        }
        for doom in &reduction.dooms {
            let variable = global(doom.global)?;
            let dooms = |said: &mut AtPoint| {
                // The same may be said twice.
                if let Err(at) = said.doomed.binary_search(&doom.value) {
                    said.doomed.insert(at, doom.value);
                }
                true
            };
            let nothing = |_| Meaningless("a doom".to_owned());
            sayings.add(&mut classes, &expand(&doom.points, points, &mut left)?, variable, dooms).map_err(nothing)?;
        }
        for known in &reduction.known {
            let variable = global(known.variable)?;
            let bounds = Domain::between(known.low.into(), known.high.into());
            let knows = |said: &mut AtPoint| said.known.replace(bounds.clone()).is_none();
            let twice = |point: PointId| Meaningless(format!("point {} knows variable {} twice", point.0, known.variable));
            sayings.add(&mut classes, &expand(&known.points, points, &mut left)?, variable, knows).map_err(twice)?;
        }
        for local in &reduction.locals {
            for point in expand(&local.points, points, &mut left)? {
                let bounds = Domain::between(local.low.into(), local.high.into());
                facts.locals[point.index()].push((Reg(local.variable), bounds));
            }
        }
        for point in expand(&reduction.nowhere, points, &mut left)? {
            facts.nowhere[point.index()] = true;
        }
        for (index, ticket) in reduction.tickets.iter().enumerate() {
            let turns = Turns::new(model, ticket, &expand(&ticket.inside, points, &mut left)?)?;
            let index = number(index)?;
            let having = (0..).map(PointId).zip(&mut classes).filter(|(point, _)| turns.has(*point));
            having.for_each(|(point, class)| class.tickets.push((index, turns.is_inside(point))));
            facts.turns.push(turns);
        }
        for (point, reg, bounds) in &model.read_before {
            if facts.locals[point.index()].iter().any(|local| local.0 == *reg) {
                return Err(Meaningless("bounds of a register that is validated".to_owned()));
            }
            let (global, guard) = bounds;
            facts.locals[point.index()].push((*reg, facts.ranges[global.index()].and(guard)));
        }
        for locals in &mut facts.locals {
            locals.sort_unstable_by_key(|local| local.0);
            if locals.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(Meaningless("a register has bounds twice at a point".to_owned()));
            }
        }
        for &(left, right) in &reduction.exclusions {
            for group in [left, right] {
                let there = match group {
                    Group::Owner(index) => (index as usize) < reduction.owners.len(),
                    Group::Count(index) => (index as usize) < reduction.counts.len(),
                };
                if !there {
                    return Err(Meaningless("an exclusion of nothing".to_owned()));
                }
            }
            facts.exclusions.insert((left, right));
            facts.exclusions.insert((right, left));
        }
        facts.sayings = sayings.into_list();
        facts.classify(classes);
        Ok(facts)
    }

    fn classify(&mut self, classes: Vec<Class>) {
        let mut numbers: FxHashMap<Class, ClassId> = FxHashMap::default();
        for mut class in classes {
            class.groups.sort_unstable();
            let new = ClassId(u32::try_from(numbers.len()).unwrap_or(u32::MAX));
            self.class_of.push(*numbers.entry(class).or_insert(new));
        }
        self.classes.resize_with(numbers.len(), Class::default);
        #[expect(clippy::iter_over_hash_type, reason = "each goes to its place")]
        for (class, id) in numbers {
            self.classes[id.0 as usize] = class;
        }
        for (global, _) in self.classes.iter().flat_map(|class| &class.globals) {
            self.synchronizing[global.index()] = true;
        }
    }

    /// Whether a path can be taken, as far as is known.
    pub fn is_taken(&self, model: &Model, id: PathId, runs: Runs) -> bool {
        let known = &self.taken[usize::from(runs == Runs::Complete)];
        if let Some(taken) = known.borrow()[id.index()] {
            return taken;
        }
        let path = model.path(id);
        let taken = !self.nowhere[path.from.index()]
            && (runs == Runs::All || model.completes(id))
            && path.conditions.may_hold(&model.opaques, &self.base(path.from, runs));
        known.borrow_mut()[id.index()] = Some(taken);
        taken
    }

    /// Whether no request is ever at a point.
    pub fn is_nowhere(&self, point: PointId) -> bool {
        self.nowhere[point.index()]
    }

    /// The class of a point.
    pub fn class(&self, point: PointId) -> ClassId {
        self.class_of[point.index()]
    }

    /// The range of a global.
    pub fn range(&self, global: GlobalVar) -> &Domain {
        &self.ranges[global.index()]
    }

    fn fact(&self, class: ClassId, global: GlobalVar) -> Option<&AtPoint> {
        self.classes[class.0 as usize].of(global).map(|said| &self.sayings[said as usize])
    }

    /// Whether something is said of a global at the points of a class.
    pub fn speaks_of(&self, class: ClassId, global: GlobalVar) -> bool {
        self.fact(class, global).is_some()
    }

    /// The value that a request at a point owns of a global, with the number of the owner.
    pub fn owner(&self, point: PointId, global: GlobalVar) -> Option<(u32, i64)> {
        self.fact(self.class(point), global)?.owner.map(|owner| (owner, self.owned[owner as usize]))
    }

    /// The weight of a point in the count of a global.
    pub fn weight(&self, point: PointId, global: GlobalVar) -> i64 {
        self.fact(self.class(point), global).map_or(0, |fact| fact.weight)
    }

    /// Whether a global is at its initial value exactly if no request is at a point with a weight, and on which side
    /// else.
    pub fn sign(&self, global: GlobalVar) -> i64 {
        self.signs[global.index()]
    }

    /// Where a global lies while different requests are at points of these classes.
    pub fn at_classes(&self, global: GlobalVar, classes: &[ClassId], runs: Runs) -> Domain {
        let mut domain = self.ranges[global.index()].clone();
        let mut weight: i128 = 0;
        let mut owners: Option<u32> = None;
        for fact in classes.iter().filter_map(|&class| self.fact(class, global)) {
            if let Some(owner) = fact.owner {
                // Two requests do not own the same.
                if owners.replace(owner) == Some(owner) {
                    return Domain::empty();
                }
                domain = domain.and(&Domain::point(self.owned[owner as usize].into()));
            }
            weight += i128::from(fact.weight);
            if let Some(known) = &fact.known {
                domain = domain.and(known);
            }
            if runs == Runs::Complete {
                domain = fact.doomed.iter().fold(domain, |domain, &value| domain.without(value.into()));
            }
        }
        let (all, bound) = (Domain::all(), self.initial[global.index()] + weight);
        match self.signs[global.index()] {
            1 => domain.and(&Domain::between(bound, all.high())),
            -1 => domain.and(&Domain::between(all.low(), bound)),
            _ => domain,
        }
    }

    /// Where a global lies while different requests are at these points.
    pub fn at(&self, global: GlobalVar, points: &[PointId], runs: Runs) -> Domain {
        match *points {
            [point] => self.at_classes(global, &[self.class(point)], runs),
            [one, other] => self.at_classes(global, &[one, other].map(|point| self.class(point)), runs),
            _ => self.at_classes(global, &points.iter().map(|&point| self.class(point)).collect::<Vec<_>>(), runs),
        }
    }

    /// What is said of globals at a point, ascending.
    pub(crate) fn said(&self, point: PointId) -> Vec<(GlobalVar, PointClaim)> {
        let globals = &self.classes[self.class(point).0 as usize].globals;
        let said = |&AtPoint { owner, weight, ref doomed, ref known }: &AtPoint| PointClaim {
            owned: owner.map(|owner| self.owned[owner as usize]),
            weight,
            doomed: doomed.clone(),
            known: known.clone(),
        };
        globals.iter().map(|&(global, fact)| (global, said(&self.sayings[fact as usize]))).collect()
    }

    /// What is known of symbols while a request is at a point.
    pub fn base(&self, point: PointId, runs: Runs) -> impl Fn(Symbol) -> Option<Domain> + '_ {
        move |symbol| match symbol {
            Symbol::Global(global) => Some(self.at(global, &[point], runs)),
            Symbol::Local(reg) => {
                let locals = &self.locals[point.index()];
                locals.binary_search_by_key(&reg, |local| local.0).ok().map(|at| locals[at].1.clone())
            }
            Symbol::Opaque(_) => None,
        }
    }

    /// What is said of a register at a point.
    pub(crate) fn local(&self, point: PointId, reg: Reg) -> Option<&Domain> {
        let locals = &self.locals[point.index()];
        locals.binary_search_by_key(&reg, |local| local.0).ok().map(|at| &locals[at].1)
    }

    /// Whether two requests are never at points of these classes.
    pub fn are_apart(&self, left: ClassId, right: ClassId, runs: Runs) -> bool {
        let key = (left.min(right), left.max(right), runs == Runs::Complete);
        if let Some(&known) = self.apart.borrow().get(&key) {
            return known;
        }
        let (a, b) = (&self.classes[left.0 as usize], &self.classes[right.0 as usize]);
        let excluded = a.groups.iter().any(|&x| b.groups.iter().any(|&y| self.exclusions.contains(&(x, y))))
            || a.tickets.iter().any(|ticket| ticket.1 && b.tickets.contains(ticket));
        let (few, many) = if a.globals.len() <= b.globals.len() { (a, b) } else { (b, a) };
        let mut both = few.globals.iter().filter(|entry| many.of(entry.0).is_some());
        let apart = excluded || both.any(|(global, _)| self.at_classes(*global, &[left, right], runs).is_empty());
        self.apart.borrow_mut().insert(key, apart);
        apart
    }

    /// The locks with tickets.
    pub(crate) fn turns(&self) -> &[Turns] {
        &self.turns
    }

    /// Whether one path leads to where the ticket is called, or begins there, and the other one asks whether its own
    /// is.
    pub(crate) fn is_called_twice(&self, inside: PointId, path: &Path) -> bool {
        self.turns().iter().any(|turns| turns.is_inside(inside) && turns.asks(path))
    }

    /// Whether paths between points of these classes both draw a ticket of one lock.
    pub(crate) fn draw_both(&self, first: (ClassId, ClassId), second: (ClassId, ClassId)) -> bool {
        let has = |class: ClassId, ticket: u32| self.classes[class.0 as usize].tickets.iter().any(|other| other.0 == ticket);
        let draws = |(from, to): (ClassId, ClassId), ticket: u32| !has(from, ticket) && has(to, ticket);
        self.classes[first.1.0 as usize].tickets.iter().any(|&(ticket, _)| draws(first, ticket) && draws(second, ticket))
    }

    /// Where owners and counts, and that it is slow, say that a global lies while a request is at a point.
    pub fn aside(&self, global: GlobalVar, point: PointId) -> Domain {
        let fact = self.fact(self.class(point), global);
        let owned = self.owner(point, global).map_or_else(Domain::all, |(_, value)| Domain::point(value.into()));
        let bound = self.initial[global.index()] + fact.map_or(0, |fact| i128::from(fact.weight));
        let owned = if self.slow[global.index()] { owned.and(&Domain::between(-SLOW, SLOW)) } else { owned };
        match self.signs[global.index()] {
            1 => owned.and(&Domain::between(bound, Domain::all().high())),
            -1 => owned.and(&Domain::between(Domain::all().low(), bound)),
            _ => owned,
        }
    }

    /// Whether a symbol at a point is one of those that change slowly.
    pub(crate) fn is_slow(&self, point: PointId, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Global(global) => self.slow[global.index()],
            Symbol::Local(reg) => self.slow_locals.contains(&(point, reg)),
            Symbol::Opaque(_) => false,
        }
    }

    /// Whether owners or counts speak of a global.
    pub(crate) fn synchronizes(&self, global: GlobalVar) -> bool {
        self.synchronizing[global.index()]
    }

    /// What a path makes of a global that lies in `before`, given what else is known at its start; in steps without
    /// error.
    pub fn image(&self, model: &Model, id: PathId, global: GlobalVar, before: &Domain, runs: Runs) -> Domain {
        let path = model.path(id);
        let Some(update) = path.update(global) else { return before.clone() };
        let checked = update.checked.map_or_else(Domain::values, |(low, high)| Domain::between(low.into(), high.into()));
        let effect = model.touch(id, global).map_or(&Effect::Keep, |touch| &touch.effect);
        let image = match effect {
            Effect::Keep => before.clone(),
            Effect::Constant(value) => Domain::point(*value),
            Effect::Add(by) => before.image(1, *by),
            Effect::Function(term) => match before.list(MAX_LIST) {
                // Number by number, and by what was tested of operations on it.
                Some(values) => {
                    let values = values.iter().filter_map(|&x| model.opaques.value(term, &|_| Some(x))).collect();
                    listed(values).and(&self.bounded(model, path, global, before, runs))
                }
                None => self.bounded(model, path, global, before, runs),
            },
            Effect::AddTerm | Effect::Turn(..) | Effect::Opaque => self.bounded(model, path, global, before, runs),
        };
        image.and(&checked).and(&Domain::values())
    }

    fn bounded(&self, model: &Model, path: &Path, global: GlobalVar, before: &Domain, runs: Runs) -> Domain {
        let Some(update) = path.update(global) else { return before.clone() };
        let base = self.base(path.from, runs);
        let known = |symbol: Symbol| if symbol == Symbol::Global(global) { Some(before.clone()) } else { base(symbol) };
        path.conditions.bounds(&model.opaques, &update.term, &known)
    }

    /// Where a global lies at the start of a path.
    pub fn before(&self, model: &Model, id: PathId, global: GlobalVar, runs: Runs) -> Domain {
        let path = model.path(id);
        let here = self.at(global, &[path.from], runs);
        path.guard(global).map_or(here.clone(), |guard| here.and(guard))
    }
}

/// The least domain of these numbers: exact.
fn listed(mut values: Vec<i128>) -> Domain {
    values.sort_unstable();
    values.dedup();
    let (Some(&low), Some(&high)) = (values.first(), values.last()) else { return Domain::empty() };
    let hull = Domain::between(low, high);
    if high - low > MAX_LIST {
        return hull;
    }
    (low..=high).filter(|value| values.binary_search(value).is_err()).fold(hull, |domain, value| domain.without(value))
}

fn number(index: usize) -> Result<u32, Meaningless> {
    u32::try_from(index).map_err(|_| Meaningless("too many facts".to_owned()))
}

/// The ranges that a certificate claims. A global of which it says nothing has any value of 64 bits.
pub fn ranges(globals: usize, reduction: &Reduction) -> Result<Vec<Domain>, Meaningless> {
    let mut ranges = vec![Domain::values(); globals];
    let mut said = vec![false; globals];
    for &(global, low, high) in &reduction.ranges {
        let there = said.get_mut(global as usize).ok_or_else(|| Meaningless(format!("variable {global}")))?;
        if std::mem::replace(there, true) {
            return Err(Meaningless(format!("two ranges of variable {global}")));
        }
        ranges[global as usize] = Domain::between(low.into(), high.into());
    }
    for &global in &reduction.slow {
        let range = ranges.get_mut(global as usize).ok_or_else(|| Meaningless(format!("variable {global}")))?;
        *range = range.and(&Domain::between(-SLOW, SLOW));
    }
    Ok(ranges)
}
