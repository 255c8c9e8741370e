//! Interval analysis with widening (Cousot, Cousot 1977): between which numbers variables stay.
//!
//! The result is inductive where the iteration ended, but no verdict relies on that: the checker looks again.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_compile::control::Reg;
use serval_lipton_proof::domain::Domain;
use serval_lipton_proof::facts::{Facts, Runs, SLOW};
use serval_lipton_proof::model::{Effect, Model};
use serval_lipton_proof::path::{PathId, PointId, Value};
use serval_lipton_proof::term::Symbol;
use serval_syntax::GlobalVar;

/// Rounds before ranges are widened to numbers that the text speaks of.
const EXACT_ROUNDS: usize = 3;
/// Rounds before they are widened to everything.
const MAX_ROUNDS: usize = 40;
/// Rounds before ranges of registers are widened: most of them follow globals, which are widened first.
const LOCAL_ROUNDS: usize = 20;

/// What was found.
pub(crate) struct Ranges {
    /// By global.
    pub(crate) globals: Vec<Domain>,
    /// By point and register.
    pub(crate) locals: Vec<Vec<(Reg, Domain)>>,
    /// Which points requests come to.
    pub(crate) reached: Vec<bool>,
}

struct RangeAnalysis<'a> {
    model: &'a Model,
    facts: &'a Facts,
    fixed: &'a [bool],
    found: Ranges,
    /// Numbers at which the range of a global may end, ascending.
    marks: Vec<Vec<i128>>,
    local_marks: FxHashMap<Reg, Vec<i128>>,
}

/// Finds ranges of globals and registers. The `fixed` globals are slow: they stay within 2^61.
pub(crate) fn ranges(model: &Model, facts: &Facts, fixed: &[bool], budget: &mut Budget) -> Result<Ranges, Stopped> {
    let mut globals: Vec<Domain> = model.initial.iter().map(|&value| Domain::point(value.into())).collect();
    for &(global, value) in &model.taken {
        globals[global.index()] = globals[global.index()].hull(&Domain::point(value));
    }
    let mut locals: Vec<Vec<(Reg, Domain)>> = vec![Vec::new(); model.points.len()];
    for path in &model.paths {
        let here = &mut locals[path.to.index()];
        if here.is_empty() {
            *here = path.kept.iter().map(|(reg, _)| (*reg, Domain::empty())).collect();
        }
    }
    for (entry, params) in model.entries.iter().zip(&model.params) {
        let here = &mut locals[entry.index()];
        let point = &model.points[entry.index()];
        let unknown = |reg: &Reg| params.iter().any(|param| param.0 == *reg) && !point.constants.iter().any(|known| known.0 == *reg);
        if here.is_empty() {
            here.extend(point.live.iter().filter(|reg| unknown(reg)).map(|&reg| (reg, Domain::empty())));
        }
        for (reg, bounds) in here {
            for (low, high) in model.values_at_entry(*entry, *reg) {
                *bounds = bounds.hull(&Domain::between(low.into(), high.into()));
            }
        }
    }
    let mut reached = vec![false; model.points.len()];
    for entry in &model.entries {
        reached[entry.index()] = true;
    }
    let (marks, local_marks) = marks(model);
    let mut analysis = RangeAnalysis { model, facts, fixed, found: Ranges { globals, locals, reached }, marks, local_marks };
    for round in 0..=MAX_ROUNDS + 4 {
        let mut changed = false;
        for id in model.ids() {
            budget.spend(1)?;
            changed |= analysis.path(id, round);
        }
        if !changed {
            break;
        }
    }
    Ok(analysis.found)
}

fn marks(model: &Model) -> (Vec<Vec<i128>>, FxHashMap<Reg, Vec<i128>>) {
    let mut marks: Vec<Vec<i128>> = vec![Vec::new(); model.initial.len()];
    let mut local_marks: FxHashMap<Reg, Vec<i128>> = FxHashMap::default();
    for (mark, declared) in marks.iter_mut().zip(&model.declared) {
        mark.extend(declared.iter().flat_map(|&(low, high)| [i128::from(low), i128::from(high)]));
    }
    for id in model.ids() {
        let path = model.path(id);
        for (form, said) in &path.conditions.0 {
            let mut ends = vec![said.low(), said.high()];
            ends.extend(said.holes());
            match form.as_slice() {
                [(Symbol::Global(global), 1)] => {
                    let by = match model.touch(id, *global).map(|touch| &touch.effect) {
                        Some(Effect::Add(by)) => *by,
                        _ => 0,
                    };
                    marks[global.index()].extend(ends.into_iter().flat_map(|end| [end, end + by, end + 1, end - 1]));
                }
                [(Symbol::Local(reg), 1)] => {
                    local_marks.entry(*reg).or_default().extend(ends.into_iter().flat_map(|end| [end - 1, end, end + 1]))
                }
                _ => {}
            }
        }
        for (global, update) in &path.updates {
            marks[global.index()].extend(update.term.as_constant());
            marks[global.index()].extend(update.checked.iter().flat_map(|&(low, high)| [i128::from(low), i128::from(high)]));
        }
    }
    // Each list is sorted by itself, so the order of the lists does not matter.
    for list in marks.iter_mut().chain(local_marks.values_mut()) {
        // The ends of 64 bits are no marks: beyond the last one a range is everything.
        list.retain(|mark| mark.abs() < SLOW);
        list.sort_unstable();
        list.dedup();
    }
    (marks, local_marks)
}

/// The least domain around both that ends at marks where it has grown.
fn widened(old: &Domain, new: &Domain, marks: &[i128], round: usize) -> Domain {
    let joined = old.hull(new);
    if round < EXACT_ROUNDS || old.is_empty() {
        return joined;
    }
    let values = Domain::values();
    let marks: &[i128] = if round > MAX_ROUNDS { &[] } else { marks };
    // Where there are many marks, ever more of them are skipped, but not the last.
    let skip = 1_usize << round.saturating_sub(EXACT_ROUNDS + 3).min(24);
    let skip = skip - 1;
    let low = if joined.low() < old.low() {
        let at = marks.partition_point(|&mark| mark <= joined.low());
        at.checked_sub(1).map_or(values.low(), |at| marks[at.saturating_sub(skip)])
    } else {
        joined.low()
    };
    let high = if joined.high() > old.high() {
        let at = marks.partition_point(|&mark| mark < joined.high());
        if at < marks.len() { marks[(at + skip).min(marks.len() - 1)] } else { values.high() }
    } else {
        joined.high()
    };
    Domain::between(low, high).and(&values)
}

impl RangeAnalysis<'_> {
    fn base(&self, point: PointId) -> impl Fn(Symbol) -> Option<Domain> + '_ {
        move |symbol| match symbol {
            Symbol::Global(global) => Some(self.at(global, point)),
            Symbol::Local(reg) => {
                let locals = &self.found.locals[point.index()];
                locals.binary_search_by_key(&reg, |local| local.0).ok().map(|at| locals[at].1.clone())
            }
            Symbol::Opaque(_) => None,
        }
    }

    fn at(&self, global: GlobalVar, point: PointId) -> Domain {
        self.facts.at(global, &[point], Runs::All).and(&self.found.globals[global.index()])
    }

    fn path(&mut self, id: PathId, round: usize) -> bool {
        let model = self.model;
        let path = model.path(id);
        if !self.found.reached[path.from.index()] || !path.conditions.may_hold(&model.opaques, &self.base(path.from)) {
            return false;
        }
        let mut changed = !std::mem::replace(&mut self.found.reached[path.to.index()], true);
        for (global, update) in &path.updates {
            let after = self.after(id, *global, update).and(&self.aside(*global, path.to));
            let old = &self.found.globals[global.index()];
            if !after.is_subset(old) {
                let new = widened(old, &after, &self.marks[global.index()], round);
                let declared =
                    self.model.declared[global.index()].map_or_else(Domain::values, |(low, high)| Domain::between(low.into(), high.into()));
                let new = if old.hull(&after).is_subset(&declared) { new.and(&declared) } else { new };
                let new = if self.fixed[global.index()] { new.and(&Domain::between(-SLOW, SLOW)) } else { new };
                changed |= new != *old;
                self.found.globals[global.index()] = new;
            }
        }
        for (at, (reg, value)) in path.kept.iter().enumerate() {
            let after = self.value(id, value);
            let Some((_, old)) = self.found.locals[path.to.index()].get(at).filter(|entry| entry.0 == *reg) else { continue };
            if !after.is_subset(old) {
                let none = Vec::new();
                let marks = self.local_marks.get(reg).unwrap_or(&none);
                let new = widened(old, &after, marks, if round < LOCAL_ROUNDS { 0 } else { round });
                changed |= new != *old;
                self.found.locals[path.to.index()][at].1 = new;
            }
        }
        changed
    }

    fn value(&self, id: PathId, value: &Value) -> Domain {
        let path = self.model.path(id);
        let checked = value.checked.map_or_else(Domain::values, |(low, high)| Domain::between(low.into(), high.into()));
        path.conditions.bounds(&self.model.opaques, &value.term, &self.base(path.from)).and(&checked).and(&Domain::values())
    }

    fn after(&self, id: PathId, global: GlobalVar, update: &Value) -> Domain {
        let path = self.model.path(id);
        let here = self.at(global, path.from);
        let before = path.guard(global).map_or(here.clone(), |guard| here.and(guard));
        match self.model.touch(id, global).map(|touch| &touch.effect) {
            Some(Effect::AddTerm | Effect::Turn(..) | Effect::Opaque) | None => self.value(id, update),
            Some(_) => self.facts.image(self.model, id, global, &before, Runs::All).and(&self.value(id, update)),
        }
    }

    fn aside(&self, global: GlobalVar, point: PointId) -> Domain {
        let slow = if self.fixed[global.index()] { Domain::between(-SLOW, SLOW) } else { Domain::all() };
        self.facts.aside(global, point).and(&slow)
    }
}
