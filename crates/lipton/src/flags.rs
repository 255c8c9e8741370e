//! Flags: values of variables that nobody changes any more while a request is at a point, because it has seen them.
//!
//! Who has seen `READY = 1` knows it from then on if nobody takes it back; who has seen `READY = 0` under the lock without which nobody raises the
//! flag knows it until it gives the lock back. So who writes before the flag is raised and who reads after it never meet.

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::Budget;
use serval_proof::{Bounds, Reduction};
use serval_symbolic::domain::Domain;
use serval_symbolic::facts::{ClassId, Runs};
use serval_symbolic::invariants::Claims;
use serval_symbolic::model::Model;
use serval_symbolic::path::{PathId, PointId};
use serval_syntax::GlobalVar;

use crate::infer::{Regions, globals, runs};
use crate::{Why, facts};

/// Values of one variable that may be seen.
const MAX_VALUES: usize = 8;

/// What is known of variables at points by what requests have seen; without what is known already.
pub(crate) fn seen(model: &Model, regions: &Regions, reduction: &Reduction, budget: &mut Budget) -> Result<Vec<Bounds>, Why> {
    let known: FxHashSet<(u32, u32)> = reduction
        .known
        .iter()
        .flat_map(|bounds| bounds.points.iter().flat_map(|&(first, last)| first..=last).map(|point| (bounds.variable, point)))
        .collect();
    let claimed = facts(model, reduction)?;
    let claims = Claims { model, facts: &claimed, reduction };
    let mut found = Vec::new();
    for global in globals(model) {
        let mut taken: FxHashSet<PointId> = FxHashSet::default();
        for value in values(claims, global) {
            let points = points(claims, regions, global, value, budget)?;
            let free = |point: &PointId| !known.contains(&(global.0, point.0)) && taken.insert(*point);
            let points: Vec<PointId> = points.into_iter().filter(free).collect();
            if let (Ok(value), false) = (i64::try_from(value), points.is_empty()) {
                found.push(Bounds { variable: global.0, low: value, high: value, points: runs(&points) });
            }
        }
    }
    Ok(found)
}

/// Values that a path tests for or writes.
fn values(claims: Claims<'_>, global: GlobalVar) -> Vec<i128> {
    let (model, facts) = (claims.model, claims.facts);
    if model.writers[global.index()].is_empty() {
        return Vec::new();
    }
    let mut values: Vec<i128> = Vec::new();
    for &id in &model.touching[global.index()] {
        let before = facts.before(model, id, global, Runs::All);
        values.extend(before.single());
        values.extend(facts.image(model, id, global, &before, Runs::All).single());
    }
    values.sort_unstable();
    values.dedup();
    if values.len() > MAX_VALUES { Vec::new() } else { values }
}

/// The points at which a variable has a value, ascending: whichever way a request comes, and whatever others do.
fn points(claims: Claims<'_>, regions: &Regions, global: GlobalVar, value: i128, budget: &mut Budget) -> Result<Vec<PointId>, Why> {
    let (model, facts) = (claims.model, claims.facts);
    let taken = |id: PathId| facts.is_taken(model, id, Runs::All);
    let changing: Vec<PathId> =
        model.writers[global.index()].iter().copied().filter(|&id| taken(id) && !claims.leaves(id, global, value)).collect();
    let mut stays: FxHashMap<ClassId, bool> = FxHashMap::default();
    let mut inside: FxHashSet<PointId> = FxHashSet::default();
    let all = regions.around(model, &model.touching[global.index()]);
    let may = |point: PointId| point != PointId::END && !model.is_entry(point) && !facts.is_nowhere(point);
    for &point in all.iter().filter(|&&point| may(point)) {
        budget.spend(1)?;
        // Where owners say what it is there is nothing to know.
        if facts.at(global, &[point], Runs::All).single().is_some() {
            continue;
        }
        let class = facts.class(point);
        let known = match stays.get(&class) {
            Some(&known) => known,
            None => {
                budget.spend(changing.len() as u64)?;
                let known = changing.iter().all(|&id| claims.never_meets(id, point));
                stays.insert(class, known);
                known
            }
        };
        if known && !model.entering[point.index()].is_empty() {
            inside.insert(point);
        }
    }
    let here = Domain::point(value);
    let mut list = all.clone();
    while let Some(point) = list.pop() {
        budget.spend(1)?;
        let otherwise = |&id: &PathId| {
            let path = model.path(id);
            let before = facts.before(model, id, global, Runs::All);
            let before = if inside.contains(&path.from) { before.and(&here) } else { before };
            taken(id) && !facts.image(model, id, global, &before, Runs::All).is_subset(&here)
        };
        if inside.contains(&point) && model.entering[point.index()].iter().any(otherwise) {
            inside.remove(&point);
            list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to).filter(|to| inside.contains(to)));
        }
    }
    Ok(all.into_iter().filter(|point| inside.contains(point)).collect())
}
