//! Additions under a lock, transformation T8: a request that holds a lock only in order to add something need not take
//! it. It is enough that no other request holds the lock at the moment at which the sum is written.
//!
//! ```text
//! h:  wait until L = f; L := 1; v := X + d; yield        h:  v := d; yield
//! …                                                  →   …
//! w:  X := v; L := f                                     w:  assume L = f; X := X + v
//! ```
//!
//! Taking a lock does not move to the left past a step that gives it back, so a request that has committed cannot wait
//! for one: by this rule it does not, if all that it does with the lock is to add, and additions commute.
//!
//! **Conditions**, for a global `L` with the initial value `f`, points `A` at which a request *holds* it, points `H`
//! among them, and pairs of a register `v` and a global `X ≠ L`, in which no register occurs twice. That a path tests
//! `L = f` means that `f` is what its test and the range of `L` leave.
//!
//! 1. (*lock*) Neither entries nor the end are in `A`. A path from outside to outside does not change `L`. One from
//!    outside into `A` tests `L = f` and leaves another number; one within `A` leaves `L` as it is or makes it a
//!    number other than `f`; one from `A` to outside makes it `f`.
//! 2. (*looking*) Paths and obligations from outside `A` speak of `L` in nothing but tests of it alone, which hold for
//!    `f`. Those from `H` do not speak of `L`; paths may change it.
//! 3. (*sections*) There is no path between `H` and the rest of `A`. A path from outside into `H` keeps in each `v`
//!    either `X + d` or, with numbers `l` and `m` that are the same for all such paths, `l + (X + d) mod m`. We write
//!    `X ∘ d` for it. A path within `H` leaves each `v` as it is. Neither changes an `X`.
//! 4. (*alone*) A path that changes an `X` begins in `A` or tests `L = f`.
//!
//! **Transformation.** Paths into `H` neither test nor change `L`, and keep `d` in `v`; obligations from where they
//! begin do not test `L`. Paths and obligations from `H` have `X ∘ v` in the place of `v`, but where they leave it as
//! it is. Paths from there do not change `L`; those that leave `A` test `L = f`. It is an obligation of paths into `H`
//! that each `d` fits 64 bits, and of those from `H` that each `X ∘ v` does.
//!
//! **Statement.** Every step before is one after, and `Ser` does not grow.
//!
//! **Proof.** Call the program before `P` and the one after `P'`. By 1, at each moment of a run of `P` either `L = f`
//! and no request is in `A`, or `L ≠ f` and exactly one is: with `L = f` at most one comes in, with another number
//! none, and the one that leaves is that one. In `P'` the same holds of `A` without `H`: paths into it and from it are
//! those of `P`. So by 4 no request changes an `X` in `P` while another one is in `H`: it is not in `A`, and `L ≠ f`;
//! and the request that is in `H` changes it no earlier than when it leaves (3).
//!
//! - *Steps.* To each configuration of `P` belongs one of `P'`: it is the same, but while a request is in `H`, `L` is
//!   `f`, and each `v` of the request is the `d` of its way into `H`. As `X` has not changed since, `v` in `P` is `X
//!   ∘ d`. Let a path of `P` be taken. If it comes from outside of `A`, then its tests of `L` hold for `f` (2), it
//!   reads `L` nowhere else, and if it changes `L` then `L = f` in both. Into `H`: it reads the same, and keeps `d`.
//!   From `A` without `H`: no request is in `H`, so that the two are the same. Within and from `H`: it does not speak
//!   of `L`, which is `f` in `P'`, and in the place of `v` there is what is the same. So the path after the
//!   transformation is a step of `P'` and leads to what belongs to the configuration after it. Complete runs end with
//!   the same answers.
//! - *Serial runs.* In a serial run of `P'` each request goes alone from its entry to its end, and both are not in `A`.
//!   Wherever it is outside of `A` or in `H`, no request is in `A` without `H`, so `L = f`. So it may take the paths of
//!   `P`: into `H`, as `L = f` in `P`, too, because no request is in `A`; within and from there, as these do not speak
//!   of `L`, and no `X` changes between (3), so that `X ∘ d` is what `v` is in `P`; all others are the same, and
//!   where they are taken `L` is.
//! - *Errors.* An obligation of `P` that is not met in a configuration is, as transformed, not met in the one that
//!   belongs to it: tests of `L` from outside `A` hold for `f`, and what must hold speaks of it nowhere. What follows
//!   from ranges need not be an obligation; so ranges have to hold in `P`, too, and a range of `L` contains what paths
//!   into `H` and within set it to ([`Claims::range`](crate::invariants::Claims::range)). Other facts about `L`, and
//!   those about `v` in `H`, are about `P'` alone. ∎
//!
//! Each of these transformations is one of the program that the one before has left, so that one lock may have several
//! sections, with other pairs.

use serval_compile::control::Reg;
use serval_proof::{LockedAddition, PointRange};
use serval_syntax::{ArithmeticOp, GlobalVar};

use crate::domain::Domain;
use crate::model::Model;
use crate::path::{Conditions, Need, Obligation, Path, PathId, PointId, Value};
use crate::term::{Opaques, Symbol, Term};
use crate::validated::{Unvalidated, put_terms, require};

/// How sums are turned: not, or what is added to the remainder by what.
type Turn = Option<(i128, i128)>;

/// Where a request is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    TheLock,
    InOrderToAdd,
}

/// An addition, ready to be asked.
struct Sections {
    lock: GlobalVar,
    free: i128,
    /// Where the lock lies.
    range: Domain,
    /// Per point.
    holds: Vec<Holds>,
    sums: Vec<(Reg, GlobalVar)>,
}

fn put_points(holds: &mut [Holds], ranges: &[PointRange], from: Holds, to: Holds) -> bool {
    ranges.iter().all(|&(first, last)| {
        let here = holds.get_mut(first as usize..=last as usize).filter(|here| first <= last && here.iter().all(|held| *held == from));
        here.map(|here| here.fill(to)).is_some()
    })
}

impl Sections {
    fn new(model: &Model, addition: &LockedAddition, ranges: &[Domain]) -> Result<Self, Unvalidated> {
        let mut holds = vec![Holds::Nothing; model.points.len()];
        let known = put_points(&mut holds, &addition.held, Holds::Nothing, Holds::TheLock)
            && put_points(&mut holds, &addition.points, Holds::TheLock, Holds::InOrderToAdd);
        require(known, "there are no such points, or one twice")?;
        let lock = GlobalVar(addition.lock);
        let there = |global: GlobalVar| global.index() < model.initial.len();
        let sums: Vec<(Reg, GlobalVar)> = addition.sums.iter().map(|&(reg, global)| (Reg(reg), GlobalVar(global))).collect();
        let fits = there(lock) && !sums.is_empty() && sums.iter().all(|&(_, global)| there(global) && global != lock);
        require(fits, "there is no such variable, or it is the lock")?;
        let mut names: Vec<Reg> = sums.iter().map(|sum| sum.0).collect();
        names.sort_unstable();
        require(names.windows(2).all(|pair| pair[0] != pair[1]), "a register is named twice")?;
        let range = ranges.get(lock.index()).cloned().unwrap_or_else(Domain::values);
        Ok(Self { lock, free: model.initial(lock), range, holds, sums })
    }

    fn at(&self, point: PointId) -> Holds {
        self.holds[point.index()]
    }

    fn tests_free(&self, path: &Path) -> bool {
        path.guard(self.lock).is_some_and(|guard| guard.and(&self.range).single() == Some(self.free))
    }

    /// Whether terms speak of the lock.
    fn is_in<'t>(&self, opaques: &Opaques, mut terms: impl Iterator<Item = &'t Term>) -> bool {
        let mut inside = Vec::new();
        terms.any(|term| {
            inside.clear();
            opaques.globals_in(&term.parts, &mut inside);
            inside.contains(&self.lock)
        })
    }

    /// Whether tests speak of the lock: any, or all but those of it alone that hold where it is free.
    fn is_tested(&self, opaques: &Opaques, conditions: &Conditions, but_free: bool) -> bool {
        conditions.0.iter().any(|(form, said)| match form.as_slice() {
            &[(Symbol::Global(global), 1)] => global == self.lock && !(but_free && said.contains(self.free)),
            parts => {
                let mut inside = Vec::new();
                opaques.globals_in(parts, &mut inside);
                inside.contains(&self.lock)
            }
        })
    }

    /// The first condition.
    fn is_lock(&self, path: &Path) -> Result<(), Unvalidated> {
        let (before, after) = (self.at(path.from) != Holds::Nothing, self.at(path.to) != Holds::Nothing);
        let left = path.update(self.lock).map(|update| update.term.as_constant());
        let is_right = match (before, after) {
            (false, false) => left.is_none(),
            (false, true) => self.tests_free(path) && left.flatten().is_some_and(|left| left != self.free),
            (true, true) => left.is_none_or(|left| left.is_some_and(|left| left != self.free)),
            (true, false) => left.flatten() == Some(self.free),
        };
        require(is_right, "a path does with the lock what one does with no lock")
    }

    /// The second one, of a path.
    fn looks(&self, opaques: &Opaques, path: &Path) -> Result<(), Unvalidated> {
        if self.at(path.from) == Holds::TheLock {
            return Ok(());
        }
        let values = path.updates.iter().map(|update| &update.1.term).chain(path.kept.iter().map(|kept| &kept.1.term));
        let is_read = self.is_in(opaques, values.chain(&path.answer));
        require(!is_read, "the lock is read where it is not held")?;
        let outside = self.at(path.from) == Holds::Nothing;
        require(!self.is_tested(opaques, &path.conditions, outside), "a path looks at who holds the lock")
    }

    /// The third one, of a path; what it keeps in the registers, if it leads into a section.
    fn section(&self, opaques: &Opaques, path: &Path) -> Result<Option<Vec<(Turn, Term)>>, Unvalidated> {
        let (from, to) = (self.at(path.from), self.at(path.to));
        let mixed = matches!((from, to), (Holds::TheLock, Holds::InOrderToAdd) | (Holds::InOrderToAdd, Holds::TheLock));
        require(!mixed, "a path leads from one section to another one")?;
        if to != Holds::InOrderToAdd {
            return Ok(None);
        }
        let changes = self.sums.iter().any(|(_, global)| path.update(*global).is_some());
        require(!changes, "what is added to is changed before")?;
        let kept = |reg: Reg| path.kept.iter().find(|kept| kept.0 == reg).map(|kept| &kept.1.term);
        if from == Holds::InOrderToAdd {
            let is_left = |&(reg, _): &(Reg, GlobalVar)| kept(reg) == Some(&Term::symbol(Symbol::Local(reg)));
            require(self.sums.iter().all(is_left), "a sum is not left as it is")?;
            return Ok(None);
        }
        let added = |&(reg, global): &(Reg, GlobalVar)| opaques.addition(kept(reg)?, global);
        let added: Option<Vec<(Turn, Term)>> = self.sums.iter().map(added).collect();
        added.map(Some).ok_or(Unvalidated("a register does not hold a sum"))
    }

    /// The fourth one.
    fn is_alone(&self, path: &Path) -> Result<(), Unvalidated> {
        let changes = self.sums.iter().any(|(_, global)| path.update(*global).is_some());
        require(!changes || self.at(path.from) != Holds::Nothing || self.tests_free(path), "what is added to is changed without the lock")
    }
}

impl Model {
    /// Whether the conditions hold, given between which numbers globals stay.
    pub fn is_addition(&self, addition: &LockedAddition, ranges: &[Domain]) -> Result<(), Unvalidated> {
        let sections = Sections::new(self, addition, ranges)?;
        let outside = |point: PointId| sections.at(point) == Holds::Nothing;
        require(outside(PointId::END) && self.entries.iter().all(|&entry| outside(entry)), "a request begins or ends with the lock")?;
        let mut turns: Option<Vec<Turn>> = None;
        for path in &self.paths {
            sections.is_lock(path)?;
            sections.looks(&self.opaques, path)?;
            sections.is_alone(path)?;
            if let Some(added) = sections.section(&self.opaques, path)? {
                let here: Vec<Turn> = added.into_iter().map(|added| added.0).collect();
                require(turns.get_or_insert_with(|| here.clone()) == &here, "sums are turned in several ways")?;
            }
        }
        require(turns.is_some(), "no path leads into a section")?;
        for obligation in self.obligations.iter().filter(|obligation| sections.at(obligation.from) != Holds::TheLock) {
            let outside = sections.at(obligation.from) == Holds::Nothing;
            let asks = sections.is_tested(&self.opaques, &obligation.conditions, outside);
            require(!asks && !sections.is_in(&self.opaques, obligation.need.terms()), "something must hold of the lock")?;
        }
        Ok(())
    }

    /// Transforms the program, of which the conditions hold; leaves it as it is if that cannot be done.
    pub fn put_addition(&mut self, addition: &LockedAddition, ranges: &[Domain]) -> Result<(), Unvalidated> {
        let sections = Sections::new(self, addition, ranges)?;
        let mut changed: Vec<(PathId, Option<Path>)> = Vec::new();
        let (mut taken, mut turns, mut begins) = (Vec::new(), Vec::new(), Vec::new());
        let mut obligations = Vec::new();
        let fits = |path: &Path, term: &Term| {
            let need = Need::Within { term: term.clone(), low: i64::MIN, high: i64::MAX, limit: None };
            Obligation { from: path.from, conditions: Conditions::default(), need, span: path.span }
        };
        for id in self.ids() {
            let path = self.path(id);
            if let Some(added) = sections.section(&self.opaques, path)? {
                taken.extend(path.update(sections.lock).and_then(|update| update.term.as_constant()));
                begins.push(path.from);
                let put = sections.without_lock(path, &added);
                for (_, rest) in &added {
                    obligations.push(Obligation { conditions: put.conditions.clone(), ..fits(path, rest) });
                }
                changed.push((id, Some(put)));
                turns = added.into_iter().map(|added| added.0).collect();
            }
        }
        // What a register stands for.
        let large = Unvalidated("numbers are too large");
        let mut sums: Vec<(Reg, Term)> = Vec::new();
        for (&(reg, global), &turn) in sections.sums.iter().zip(&turns) {
            let sum = Term::symbol(Symbol::Global(global)).plus(&Term::symbol(Symbol::Local(reg)), 1).ok_or(large)?;
            let value = match turn {
                None => Some(sum),
                Some((low, modulus)) => {
                    let turned = self.opaques.symbol(ArithmeticOp::Remainder, sum, Term::constant(modulus));
                    turned.and_then(|turned| Term::symbol(turned).plus(&Term::constant(low), 1))
                }
            };
            sums.push((reg, value.ok_or(large)?));
        }
        let find = |symbol: Symbol| match symbol {
            Symbol::Local(reg) => sums.iter().find(|sum| sum.0 == reg).map(|sum| sum.1.clone()),
            _ => None,
        };
        for id in self.ids() {
            if sections.at(self.path(id).from) != Holds::InOrderToAdd {
                continue;
            }
            let mut path = self.path(id).clone();
            taken.extend(path.update(sections.lock).and_then(|update| update.term.as_constant()));
            path.updates.retain(|update| update.0 != sections.lock);
            let leaves = sections.at(path.to) == Holds::Nothing;
            let free = (Term::symbol(Symbol::Global(sections.lock)), Domain::point(sections.free));
            let put = put_terms(&mut self.opaques, &path, &find, leaves.then_some(free).into_iter().collect())?;
            let put = put.map(|mut put| {
                if !leaves {
                    for (reg, value) in put.kept.iter_mut().filter(|kept| sums.iter().any(|sum| sum.0 == kept.0)) {
                        *value = Value { term: Term::symbol(Symbol::Local(*reg)), checked: None };
                    }
                }
                put
            });
            obligations.extend(put.iter().flat_map(|_| &sums).map(|(_, sum)| fits(&path, sum)));
            changed.push((id, put));
        }
        let mut all = Vec::new();
        for obligation in self.obligations.clone() {
            let inside = sections.at(obligation.from) == Holds::InOrderToAdd;
            let mut put = if inside { put_obligation(&mut self.opaques, &obligation, &find)? } else { Some(obligation) };
            for put in put.iter_mut().filter(|put| begins.contains(&put.from)) {
                put.conditions.0.retain(|(form, _)| form.as_slice() != [(Symbol::Global(sections.lock), 1)]);
            }
            all.extend(put);
        }
        all.extend(obligations);
        self.obligations = all;
        self.taken.extend(taken.into_iter().map(|value| (sections.lock, value)));
        self.replace(changed);
        self.tidy();
        Ok(())
    }
}

impl Sections {
    /// A path into a section that does not take the lock.
    fn without_lock(&self, path: &Path, added: &[(Turn, Term)]) -> Path {
        let mut path = path.clone();
        path.conditions.0.retain(|(form, _)| form.as_slice() != [(Symbol::Global(self.lock), 1)]);
        path.updates.retain(|update| update.0 != self.lock);
        for ((reg, _), (_, rest)) in self.sums.iter().zip(added) {
            for (_, value) in path.kept.iter_mut().filter(|kept| kept.0 == *reg) {
                *value = Value { term: rest.clone(), checked: None };
            }
        }
        path
    }
}

/// An obligation with others in the place of symbols; nothing if its tests never hold.
fn put_obligation(
    opaques: &mut Opaques,
    obligation: &Obligation,
    find: &dyn Fn(Symbol) -> Option<Term>,
) -> Result<Option<Obligation>, Unvalidated> {
    let mut put = |term: &Term| opaques.put(term, find).ok_or(Unvalidated("numbers are too large"));
    let mut said = Vec::new();
    for (form, domain) in &obligation.conditions.0 {
        said.push((put(&Term { constant: 0, parts: form.clone() })?, domain.clone()));
    }
    let need = match &obligation.need {
        Need::Within { term, low, high, limit } => Need::Within { term: put(term)?, low: *low, high: *high, limit: *limit },
        Need::Divisor(term) => Need::Divisor(put(term)?),
        Need::Product(left, right) => Need::Product(put(left)?, put(right)?),
        Need::Quotient(left, right) => Need::Quotient(put(left)?, put(right)?),
    };
    let mut conditions = Conditions::default();
    let may = conditions.add(said).ok_or(Unvalidated("a test of a multiple"))?;
    Ok(may.then(|| Obligation { conditions, need, ..obligation.clone() }))
}
