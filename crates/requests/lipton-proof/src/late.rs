//! Double-checked tests: a path may be taken though a test on it fails, because the path that follows tests again and
//! does the same.
//!
//! A request that finds an object not ready goes on to build it, takes the lock, and looks again. It is no harm to go
//! on though the object is ready: alone, the request takes the lock, finds the object ready, gives the lock back, and
//! answers as if it had not gone on.
//!
//! **T6, late looks** `(a, b, V)`: the paths from `a` to `b` that change no global lose their test of `V`.
//!
//! **Conditions.**
//!
//! 1. These paths keep registers, globals and numbers as they are and test no products and quotients, so nothing on
//!    them can fail.
//! 2. Let `s` be such a path with the test `V ∈ G`. For every way on from `b` to the end, path by path, one of these is
//!    so, where the tests of the way and those of `s` but for `V ∈ G` are taken as tests of the values at the start of
//!    `s`, with the range of `V`:
//!    - they imply `V ∈ G`;
//!    - some path from `a` to the end has tests that they imply, and changes globals and answers as `s` and the way on
//!      do.
//!
//! **Proof.** Every step before is one after, as a test less is made: `Int(P) ⊆ Int(P')`. In a serial run of `P'` let a
//! request go from `a` to `b` with `V ∉ G`, and look at the last time that it does. From there it goes on alone to its
//! end by steps of `P`, a way whose tests hold. By the condition it could have taken a path of `P` from `a` to the end
//! instead, with the same effect and answer. Then it goes from `a` to `b` with `V ∉ G` once less often. So in the end
//! it never does: the run is one of `P`, and `Ser(P') ⊆ Ser(P)`. ∎
//!
//! The checker refuses ways that come to a point for the second time, `a` or another one. The proof does not need that:
//! there would be infinitely many of them.

use serval_budget::{Budget, Stopped};
use serval_compile::control::Reg;
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::model::Model;
use crate::path::{Conditions, Path, PathId, PointId, Value};
use crate::term::{Form, Opaques, Symbol, Term};

/// A place where a test is left out: from, to, and the global.
pub type Late = (u32, u32, u32);

/// Paths one after the other, by the values at the start.
#[derive(Clone)]
struct Way {
    /// Where it has been; the last one is where it is.
    points: Vec<PointId>,
    conditions: Conditions,
    globals: Vec<(GlobalVar, Term)>,
    registers: Vec<(Reg, Term)>,
    answer: Option<Term>,
}

fn terms<K: Copy>(values: &[(K, Value)]) -> Vec<(K, Term)> {
    values.iter().map(|(key, value)| (*key, value.term.clone())).collect()
}

impl Way {
    /// This and then a path; none if its tests cannot hold. An error is that something is too large or not kept.
    fn then(&self, opaques: &mut Opaques, path: &Path) -> Result<Option<Self>, ()> {
        let find = |symbol: Symbol| match symbol {
            Symbol::Global(global) => self.globals.iter().find(|entry| entry.0 == global).map(|entry| entry.1.clone()),
            Symbol::Local(reg) => self.registers.iter().find(|entry| entry.0 == reg).map(|entry| entry.1.clone()),
            Symbol::Opaque(_) => None,
        };
        let mut read: Vec<Reg> = Vec::new();
        let all = path.updates.iter().map(|update| &update.1.term).chain(path.kept.iter().map(|kept| &kept.1.term)).chain(&path.answer);
        all.for_each(|term| opaques.locals_in(&term.parts, &mut read));
        path.conditions.0.iter().for_each(|(form, _)| opaques.locals_in(form, &mut read));
        if read.iter().any(|reg| !self.registers.iter().any(|entry| entry.0 == *reg)) {
            return Err(());
        }
        let mut put = |term: &Term| opaques.put(term, &find).ok_or(());
        let mut said = Vec::new();
        for (form, domain) in &path.conditions.0 {
            said.push((put(&Term { constant: 0, parts: form.clone() })?, domain.clone()));
        }
        let mut conditions = self.conditions.clone();
        if !conditions.add(said).ok_or(())? {
            return Ok(None);
        }
        let mut globals = self.globals.clone();
        for (global, value) in &path.updates {
            globals.retain(|entry| entry.0 != *global);
            globals.push((*global, put(&value.term)?));
        }
        let registers = path.kept.iter().map(|(reg, value)| Ok((*reg, put(&value.term)?))).collect::<Result<_, ()>>()?;
        let answer = path.answer.as_ref().map(put).transpose()?;
        let points = self.points.iter().copied().chain([path.to]).collect();
        Ok(Some(Self { points, conditions, globals, registers, answer }))
    }

    /// Where a symbol lies by tests and ranges.
    fn lies(&self, symbol: Symbol, ranges: &[Domain]) -> Domain {
        let said = self.conditions.symbol(symbol).cloned().unwrap_or_else(Domain::all);
        match symbol {
            Symbol::Global(global) => ranges.get(global.index()).map_or(said.clone(), |range| said.and(range)),
            _ => said,
        }
    }

    /// A term where the tests leave one value for a symbol.
    fn simple(&self, term: &Term, ranges: &[Domain]) -> Term {
        term.with(&|symbol| self.lies(symbol, ranges).single())
    }

    /// Globals that it changes and their values, ascending.
    fn changes(&self, values: &[(GlobalVar, Term)], ranges: &[Domain]) -> Vec<(GlobalVar, Term)> {
        let mut changes: Vec<_> = values.iter().map(|(global, term)| (*global, self.simple(term, ranges))).collect();
        changes.retain(|(global, term)| *term != self.simple(&Term::symbol(Symbol::Global(*global)), ranges));
        changes.sort();
        changes
    }

    /// Whether its tests imply those of a path that does the same.
    fn does_as(&self, path: &Path, ranges: &[Domain]) -> bool {
        let implied = |form: &[(Symbol, i128)], weaker: &Domain| match form {
            &[(symbol, 1)] => self.lies(symbol, ranges).is_subset(weaker),
            form => self.conditions.form(form).is_some_and(|said| said.is_subset(weaker)),
        };
        let answer = |answer: &Option<Term>| answer.as_ref().map(|term| self.simple(term, ranges));
        path.conditions.0.iter().all(|(form, weaker)| implied(form, weaker))
            && self.changes(&self.globals, ranges) == self.changes(&terms(&path.updates), ranges)
            && answer(&self.answer) == answer(&path.answer)
    }
}

impl Model {
    /// The paths whose test is to be left out.
    fn late_paths(&self, (from, to, global): Late) -> Vec<PathId> {
        let fits = |&id: &PathId| {
            let path = self.path(id);
            path.to.0 == to && path.updates.is_empty() && path.guard(GlobalVar(global)).is_some()
        };
        self.leaving.get(from as usize).into_iter().flatten().copied().filter(fits).collect()
    }

    /// Whether a test may be left out, given between which numbers globals stay.
    pub fn is_late(&mut self, late: Late, ranges: &[Domain], budget: &mut Budget) -> Result<bool, Stopped> {
        let paths = self.late_paths(late);
        for &id in &paths {
            if !self.is_late_path(id, GlobalVar(late.2), ranges, budget)? {
                return Ok(false);
            }
        }
        Ok(!paths.is_empty())
    }

    fn is_late_path(&mut self, id: PathId, global: GlobalVar, ranges: &[Domain], budget: &mut Budget) -> Result<bool, Stopped> {
        let path = self.path(id).clone();
        let Some(guard) = path.guard(global).cloned() else { return Ok(false) };
        let is_plain = |value: &Value| match value.term.parts.as_slice() {
            [] => true,
            [(Symbol::Global(_) | Symbol::Local(_), 1)] => value.term.constant == 0 && value.checked.is_none(),
            _ => false,
        };
        let opaque = |(form, _): &(Form, Domain)| form.iter().any(|(symbol, _)| matches!(symbol, Symbol::Opaque(_)));
        if !path.kept.iter().all(|kept| is_plain(&kept.1)) || path.conditions.0.iter().any(opaque) {
            return Ok(false);
        }
        let mut conditions = path.conditions.clone();
        conditions.0.retain(|(form, _)| form.as_slice() != [(Symbol::Global(global), 1)]);
        let points = vec![path.from, path.to];
        let mut ways = vec![Way { points, conditions, globals: Vec::new(), registers: terms(&path.kept), answer: path.answer.clone() }];
        while let Some(way) = ways.pop() {
            let at = way.points.last().copied().unwrap_or(PointId::END);
            let work = way.points.len() + way.conditions.0.len() + way.registers.len() + way.globals.len();
            budget.spend(u64::try_from(work).unwrap_or(u64::MAX))?;
            if at == PointId::END {
                let here = way.lies(Symbol::Global(global), ranges);
                let others = &self.leaving[path.from.index()];
                budget.spend(u64::try_from(others.len()).unwrap_or(u64::MAX))?;
                let mut others = others.iter().map(|&other| self.path(other));
                if here.is_subset(&guard) || others.any(|other| other.to == PointId::END && way.does_as(other, ranges)) {
                    continue;
                }
                return Ok(false);
            }
            if way.points.iter().filter(|&&point| point == at).count() > 1 {
                return Ok(false);
            }
            let onward: Vec<PathId> = self.leaving[at.index()].iter().copied().filter(|&next| self.completes(next)).collect();
            for next in onward {
                budget.spend(1)?;
                match way.then(&mut self.opaques, &self.paths[next.index()]) {
                    Ok(on) => ways.extend(on),
                    Err(()) => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// Leaves out a test.
    pub fn put_late(&mut self, late: Late) {
        for id in self.late_paths(late) {
            self.paths[id.index()].conditions.0.retain(|(form, _)| form.as_slice() != [(Symbol::Global(GlobalVar(late.2)), 1)]);
        }
        self.tidy();
    }
}
