//! Optimistic concurrency control (Kung, Robinson 1981), transformation T5: reads that are tested before they count, as
//! in every optimistic retry.
//!
//! ```text
//! h:  v := V; x := X; yield;
//! w:  if (V == v) { … } else { go back to h }
//! ```
//!
//! **Conditions**, for points `h`, `w`, a global `V` with register `v`, and globals `Xᵢ` with registers `xᵢ`:
//!
//! 1. One path leads from `h` to `w`. It changes no global, and leaves every register that is kept at `h` as it is. `v`
//!    and the `xᵢ` are not kept at `h`, and are `V` and `Xᵢ` at `w`. It tests `V` and the `Xᵢ` one by one if at all. If
//!    paths from other points `h'` lead to `w`, then from each of them one, and for each path from `h` there is a path
//!    from `h'` that tests, changes, keeps and answers the same; it leaves registers that are kept at `h` as they are,
//!    too.
//! 2. Every path from `w` either tests `V = v`, or goes to `h`, changes no global and leaves every register that is
//!    kept at `h` as it is.
//! 3. If there are `Xᵢ`: every path that changes one of them or `V` adds something positive to `V`.
//!
//! **Transformation.** At `w` no request keeps `v` or `xᵢ`. Paths that test `V = v` do not test it any more, have `V`
//! and `Xᵢ` in the place of `v` and `xᵢ`, and test in addition what was tested of `V` and `Xᵢ` on the way from `h` to
//! `w`. Paths back to `h` test nothing.
//!
//! **Statement.** Every step before is one after, and `Ser` does not grow.
//!
//! **Proof.**
//!
//! - *Steps.* Let a run of the program before be given. When a path from `w` tests `V = v` and goes on, `v` was read
//!   from `V` when the request came to `w`, so putting `V` for `v` changes nothing, and what was tested of `V` then
//!   holds now. As to the `Xᵢ`: every change of `V` or an `Xᵢ` makes `V` larger. `V` is what it was when the request
//!   came to `w`, so there was no such change since, and `Xᵢ = xᵢ`. So the step is one after the transformation. Other
//!   steps test less than before. So every run before is a run after, without the registers `v` and `xᵢ` at `w`.
//! - *Serial runs.* In a serial run after the transformation, a request that goes from `h` to `w` and back to `h` has
//!   changed nothing: what is kept at `h` is as it was. Leave that out. (If it came from another `h'`, then it can do
//!   there what it does at `h` next.) If it goes from `h` to `w` and on, no other request came between, so `V` and the
//!   `Xᵢ` are at `w` what they were at `h`: before the transformation it reads exactly these, passes the tests on the
//!   way, which are tested now, finds `V = v`, and does the same. ∎
//!
//! What the program before reads lies in the range of `V` and passes the tests on the way; errors are those of the
//! program before, so [`Facts`](crate::facts::Facts) says this of `v` and `xᵢ` at `w`.

use serval_compile::control::Reg;
use serval_proof::Validated;
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::model::Model;
use crate::path::{Conditions, Path, PathId, Point, PointId, Value};
use crate::term::{Opaques, Symbol, Term};

/// A condition that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unvalidated(pub &'static str);

pub(crate) fn require(holds: bool, why: &'static str) -> Result<(), Unvalidated> {
    if holds { Ok(()) } else { Err(Unvalidated(why)) }
}

impl Model {
    /// The globals and registers of a validated read; the first pair is the one that is tested.
    fn pairs(&self, validated: &Validated) -> Result<Vec<(GlobalVar, Reg)>, Unvalidated> {
        let there = |point: u32| PointId(point) != PointId::END && PointId(point).index() < self.points.len();
        let pairs: Vec<(GlobalVar, Reg)> = std::iter::once((validated.global, validated.register))
            .chain(validated.reads.iter().copied())
            .map(|(global, reg)| (GlobalVar(global), Reg(reg)))
            .collect();
        let known = pairs.iter().all(|(global, _)| global.index() < self.initial.len());
        require(there(validated.head) && there(validated.wait) && known, "there is no such point or variable")?;
        Ok(pairs)
    }

    /// Whether the conditions hold.
    pub fn is_validated(&self, validated: &Validated) -> Result<(), Unvalidated> {
        let (head, wait) = (PointId(validated.head), PointId(validated.wait));
        let pairs = self.pairs(validated)?;
        require(head != wait && !self.is_entry(wait), "a request begins where it waits")?;
        let mut names: Vec<Reg> = pairs.iter().map(|pair| pair.1).collect();
        names.sort_unstable();
        require(names.windows(2).all(|pair| pair[0] != pair[1]), "a register is named twice")?;
        self.reads(head, wait, &pairs)?;
        if pairs.len() > 1 {
            self.grows(&pairs)?;
        }
        let (global, register) = pairs[0];
        for path in self.leaving[wait.index()].iter().map(|&id| self.path(id)).filter(|path| !tests(path, global, register)) {
            require(path.to == head && path.updates.is_empty(), "a path neither tests the read nor goes back")?;
            require(self.leaves(path, head, wait, head), "a path back changes a register")?;
        }
        Ok(())
    }

    /// Transforms the program, of which the conditions hold; leaves it as it is if that cannot be done.
    pub fn put_validated(&mut self, validated: &Validated) -> Result<(), Unvalidated> {
        let (head, wait) = (PointId(validated.head), PointId(validated.wait));
        let pairs = self.pairs(validated)?;
        let into = self.entering[wait.index()].clone();
        let Some(first) = into.iter().map(|&id| self.path(id)).find(|path| path.from == head) else {
            return Err(Unvalidated("no path leads to where it waits"));
        };
        let guards: Vec<Domain> = pairs.iter().map(|(global, _)| first.guard(*global).cloned().unwrap_or_else(Domain::values)).collect();
        let (global, register) = pairs[0];
        let changed = put_paths(self, wait, &|path| tests(path, global, register), &pairs, &guards)?;
        for id in into {
            let path = &mut self.paths[id.index()];
            path.kept.retain(|(reg, _)| !pairs.iter().any(|pair| pair.1 == *reg));
            path.conditions.0.retain(|(form, _)| !pairs.iter().any(|&(global, _)| form.as_slice() == [(Symbol::Global(global), 1)]));
        }
        self.replace(changed);
        self.read_before.extend(pairs.iter().zip(guards).map(|(&(global, reg), guard)| (wait, reg, (global, guard))));
        self.tidy();
        Ok(())
    }

    /// Puts other paths in the place of some.
    pub(crate) fn replace(&mut self, changed: Vec<(PathId, Option<Path>)>) {
        let mut gone = Vec::new();
        for (id, path) in changed {
            match path {
                Some(path) => self.paths[id.index()] = path,
                None => gone.push(id),
            }
        }
        let mut index = 0;
        self.paths.retain(|_| (index += 1, !gone.iter().any(|id| id.index() == index - 1)).1);
    }

    /// The first condition.
    pub(crate) fn reads(&self, head: PointId, wait: PointId, pairs: &[(GlobalVar, Reg)]) -> Result<(), Unvalidated> {
        let into = &self.entering[wait.index()];
        let names: Vec<Reg> = pairs.iter().map(|pair| pair.1).collect();
        let dead = |reg: &Reg| self.points[head.index()].live.binary_search(reg).is_err();
        require(names.iter().all(dead), "what was read is kept where the attempt begins")?;
        let mut froms: Vec<PointId> = into.iter().map(|&id| self.path(id).from).collect();
        froms.sort_unstable();
        require(froms.windows(2).all(|pair| pair[0] != pair[1]), "several paths lead from one point to where it waits")?;
        let Some(&first) = into.iter().find(|&&id| self.path(id).from == head) else {
            return Err(Unvalidated("no path leads to where it waits"));
        };
        for &id in into {
            let path = self.path(id);
            require(path.updates.is_empty(), "a path to where it waits writes")?;
            require(self.leaves(path, head, path.from, wait), "a path to where it waits changes a register")?;
            let alike = |one: &PathId| self.leaving[path.from.index()].iter().any(|&other| self.path(*one).does_as(self.path(other)));
            require(path.from == head || self.leaving[head.index()].iter().all(alike), "an attempt begins in another way")?;
        }
        let path = self.path(first);
        for (global, reg) in pairs {
            let copies = |(other, value): &(Reg, Value)| other == reg && value.term == Term::symbol(Symbol::Global(*global));
            require(path.kept.iter().any(copies), "a register is no copy of its variable")?;
        }
        for (form, _) in path.conditions.0.iter().filter(|(form, _)| form.len() != 1 || matches!(form[0].0, Symbol::Opaque(_))) {
            let mut inside = Vec::new();
            self.opaques.globals_in(form, &mut inside);
            require(!inside.iter().any(|global| pairs.iter().any(|pair| pair.0 == *global)), "what is read is tested with something else")?;
        }
        Ok(())
    }

    /// Whether a path leaves the registers that are kept at a point as they are.
    pub(crate) fn leaves(&self, path: &Path, head: PointId, from: PointId, to: PointId) -> bool {
        let (head, from, to) = (&self.points[head.index()], &self.points[from.index()], &self.points[to.index()]);
        let constant = |point: &Point, reg: Reg| {
            point.constants.binary_search_by_key(&reg, |constant| constant.0).ok().map(|at| point.constants[at].1)
        };
        head.live.iter().all(|&reg| {
            let kept = path.kept.binary_search_by_key(&reg, |kept| kept.0).ok().map(|at| &path.kept[at].1.term);
            let there = from.live.binary_search(&reg).is_ok() && to.live.binary_search(&reg).is_ok();
            there
                && match (constant(from, reg), constant(to, reg)) {
                    (Some(before), Some(after)) => before == after,
                    (None, None) => kept == Some(&Term::symbol(Symbol::Local(reg))),
                    (Some(before), None) => kept.and_then(Term::as_constant) == Some(before.into()),
                    (None, Some(_)) => false,
                }
        })
    }

    /// The third condition.
    pub(crate) fn grows(&self, pairs: &[(GlobalVar, Reg)]) -> Result<(), Unvalidated> {
        let version = pairs[0].0;
        for &id in pairs.iter().flat_map(|(global, _)| &self.writers[global.index()]) {
            let path = self.path(id);
            let added = path.update(version).and_then(|update| update.term.plus(&Term::symbol(Symbol::Global(version)), -1));
            let grows = added.is_some_and(|added| path.conditions.bounds(&self.opaques, &added, &|_| None).low() > 0);
            require(grows, "something is written without a larger version")?;
        }
        Ok(())
    }
}

/// Whether a path tests that a global is what a register holds.
pub(crate) fn tests(path: &Path, global: GlobalVar, register: Reg) -> bool {
    let form = [(Symbol::Global(global), 1), (Symbol::Local(register), -1)];
    path.conditions.form(&form).is_some_and(|said| said.single() == Some(0))
}

/// What becomes of the paths from where requests wait with what they read: those that are `tested` have globals in the
/// place of registers, the others test nothing.
pub(crate) fn put_paths(
    model: &mut Model,
    wait: PointId,
    tested: &dyn Fn(&Path) -> bool,
    pairs: &[(GlobalVar, Reg)],
    guards: &[Domain],
) -> Result<Vec<(PathId, Option<Path>)>, Unvalidated> {
    let mut changed = Vec::new();
    for id in model.leaving[wait.index()].clone() {
        let path = &model.paths[id.index()];
        let put = match tested(path) {
            true => substituted(&mut model.opaques, path, pairs, guards)?,
            false => Some(Path { conditions: Conditions::default(), ..path.clone() }),
        };
        changed.push((id, put));
    }
    Ok(changed)
}

/// The path with globals in the place of registers and with more tests; none if its tests never hold.
fn substituted(opaques: &mut Opaques, path: &Path, pairs: &[(GlobalVar, Reg)], guards: &[Domain]) -> Result<Option<Path>, Unvalidated> {
    let rename = |symbol: Symbol| match symbol {
        Symbol::Local(reg) => pairs.iter().find(|pair| pair.1 == reg).map(|pair| Term::symbol(Symbol::Global(pair.0))),
        _ => None,
    };
    let guarded = pairs.iter().zip(guards).filter(|(_, guard)| **guard != Domain::values());
    put_terms(opaques, path, &rename, guarded.map(|(pair, guard)| (Term::symbol(Symbol::Global(pair.0)), guard.clone())).collect())
}

/// The path with other terms in the place of symbols and with more tests; none if its tests never hold.
pub(crate) fn put_terms(
    opaques: &mut Opaques,
    path: &Path,
    other: &dyn Fn(Symbol) -> Option<Term>,
    more: Vec<(Term, Domain)>,
) -> Result<Option<Path>, Unvalidated> {
    let mut put = |term: &Term| opaques.put(term, other).ok_or(Unvalidated("numbers are too large"));
    let mut conditions = Conditions::default();
    let mut said: Vec<(Term, Domain)> = Vec::new();
    for (form, domain) in &path.conditions.0 {
        said.push((put(&Term { constant: 0, parts: form.clone() })?, domain.clone()));
    }
    said.extend(more);
    if !conditions.add(said).ok_or(Unvalidated("a test of a multiple"))? {
        return Ok(None);
    }
    let (mut updates, mut kept) = (Vec::new(), Vec::new());
    for (global, value) in &path.updates {
        updates.push((*global, Value { term: put(&value.term)?, checked: value.checked }));
    }
    for (reg, value) in &path.kept {
        kept.push((*reg, Value { term: put(&value.term)?, checked: value.checked }));
    }
    let answer = path.answer.as_ref().map(put).transpose()?;
    // A write of what is there is no write.
    let same = |global: GlobalVar, value: &Value| value.term == Term::symbol(Symbol::Global(global));
    updates.retain(|(global, value)| !same(*global, value));
    Ok(Some(Path { conditions, updates, kept, answer, ..path.clone() }))
}
