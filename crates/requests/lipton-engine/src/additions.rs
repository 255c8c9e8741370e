//! Locks that requests take only in order to add something.
//!
//! A lock is what is not its initial value while a request is at certain points. Where these fall apart, each part that
//! begins with a sum and reads nothing else is tried.

use serval_budget::{Budget, Stopped};
use serval_compile::control::Reg;
use serval_lipton_proof::domain::Domain;
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::{Path, PathId, PointId};
use serval_lipton_proof::term::{Symbol, Term};
use serval_proof::LockedAddition;
use serval_syntax::GlobalVar;

use crate::infer::{globals, runs};

/// Transforms a model wherever a lock is taken only in order to add something, and says where.
pub(crate) fn candidates(model: &mut Model, ranges: &[Domain], budget: &mut Budget) -> Result<Vec<LockedAddition>, Stopped> {
    let mut found = Vec::new();
    for lock in globals(model).collect::<Vec<_>>() {
        if model.writers[lock.index()].is_empty() {
            continue;
        }
        budget.spend(model.paths.len() as u64)?;
        let Some(mut held) = held(model, lock) else { continue };
        for section in sections(model, &held) {
            let Some(sums) = sums(model, lock, &section, &held) else { continue };
            budget.spend(2 * model.paths.len() as u64)?;
            let addition = LockedAddition { lock: lock.0, held: runs(&held), points: runs(&section), sums };
            if model.is_addition(&addition, ranges).is_ok() && model.put_addition(&addition, ranges).is_ok() {
                held.retain(|point| section.binary_search(point).is_err());
                found.push(addition);
            }
        }
    }
    Ok(found)
}

/// The points at which a request holds a lock, if that can be.
fn held(model: &Model, lock: GlobalVar) -> Option<Vec<PointId>> {
    let free = model.initial(lock);
    let left = |path: &Path| path.update(lock).map(|update| update.term.as_constant());
    let mut inside = vec![false; model.points.len()];
    let mut list: Vec<PointId> = Vec::new();
    for &id in &model.writers[lock.index()] {
        let path = model.path(id);
        if left(path)?? != free {
            list.push(path.to);
        }
    }
    while let Some(point) = list.pop() {
        if point == PointId::END || model.is_entry(point) {
            return None;
        }
        if !std::mem::replace(&mut inside[point.index()], true) {
            let onward = model.leaving[point.index()].iter().map(|&id| model.path(id)).filter(|path| left(path) != Some(Some(free)));
            list.extend(onward.map(|path| path.to));
        }
    }
    Some((1..u32::try_from(inside.len()).unwrap_or(u32::MAX)).map(PointId).filter(|point| inside[point.index()]).collect())
}

/// The parts into which points fall, each ascending.
fn sections(model: &Model, held: &[PointId]) -> Vec<Vec<PointId>> {
    let mut open: Vec<bool> = vec![false; model.points.len()];
    held.iter().for_each(|point| open[point.index()] = true);
    let mut found = Vec::new();
    for &first in held {
        let mut section = Vec::new();
        let mut list = vec![first];
        while let Some(point) = list.pop() {
            if std::mem::take(&mut open[point.index()]) {
                section.push(point);
                list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to));
                list.extend(model.entering[point.index()].iter().map(|&id| model.path(id).from));
            }
        }
        section.sort_unstable();
        if !section.is_empty() {
            found.push(section);
        }
    }
    found
}

/// The registers that a section writes at its end, which hold sums from its beginning on; none if something else is
/// read there.
fn sums(model: &Model, lock: GlobalVar, section: &[PointId], held: &[PointId]) -> Option<Vec<(u32, u32)>> {
    let comes = |id: &&PathId| held.binary_search(&model.path(**id).from).is_err();
    let mut begins = section.iter().flat_map(|point| &model.entering[point.index()]).filter(comes).map(|&id| model.path(id));
    let ends: Vec<&Path> = section.iter().flat_map(|point| &model.leaving[point.index()]).map(|&id| model.path(id)).collect();
    let written = |reg: Reg, global: GlobalVar| {
        let holds = Term::symbol(Symbol::Local(reg));
        ends.iter().any(|path| path.update(global).is_some_and(|update| update.term == holds))
    };
    let first = begins.next()?;
    let mut sums: Vec<(Reg, GlobalVar)> = Vec::new();
    for path in std::iter::once(first).chain(begins) {
        let mut here = Vec::new();
        for (reg, value) in &path.kept {
            let mut inside = Vec::new();
            model.opaques.globals_in(&value.term.parts, &mut inside);
            let Some(&global) = inside.first() else { continue };
            if global == lock || !written(*reg, global) || model.opaques.addition(&value.term, global).is_none() {
                return None;
            }
            here.push((*reg, global));
        }
        if !sums.is_empty() && sums != here {
            return None;
        }
        sums = here;
    }
    (!sums.is_empty()).then(|| sums.into_iter().map(|(reg, global)| (reg.0, global.0)).collect())
}
