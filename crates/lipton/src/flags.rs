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
        let values = values(claims, global);
        if values.is_empty() {
            continue;
        }
        let around = Around::new(claims, regions, global);
        budget.spend(around.told.len() as u64)?;
        for value in values {
            let points = points(claims, &around, value, budget)?;
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
///
/// They are the greatest set of points that no other ways lead into. A request comes to one of them from outside, and then by a path that tests for the
/// value or writes it or from where owners say it; so only what follows such paths is looked at.
fn points(claims: Claims<'_>, around: &Around, value: i128, budget: &mut Budget) -> Result<Vec<PointId>, Why> {
    let (model, facts, global) = (claims.model, claims.facts, around.global);
    let taken = |id: PathId| facts.is_taken(model, id, Runs::All);
    let here = Domain::point(value);
    let to_here = |id: PathId, before: &Domain| facts.image(model, id, global, before, Runs::All).is_subset(&here);
    let mut list: Vec<PointId> = Vec::new();
    for &id in model.touching[global.index()].iter().filter(|&&id| taken(id)) {
        budget.spend(1)?;
        if to_here(id, &facts.before(model, id, global, Runs::All)) {
            list.push(model.path(id).to);
        }
    }
    for &(point, _) in around.told.iter().filter(|told| told.1 == value) {
        budget.spend(1)?;
        list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to));
    }
    let changing: Vec<PathId> =
        model.writers[global.index()].iter().copied().filter(|&id| taken(id) && !claims.leaves(id, global, value)).collect();
    let mut stays: FxHashMap<ClassId, bool> = FxHashMap::default();
    let mut inside: FxHashSet<PointId> = FxHashSet::default();
    while let Some(point) = list.pop() {
        budget.spend(1)?;
        // Where owners say what it is there is nothing to know.
        let is_told = around.told.binary_search_by_key(&point, |told| told.0).is_ok();
        if point == PointId::END || model.is_entry(point) || facts.is_nowhere(point) || is_told || inside.contains(&point) {
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
        if known {
            inside.insert(point);
            list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to));
        }
    }
    list.extend(&inside);
    while let Some(point) = list.pop() {
        budget.spend(1)?;
        let otherwise = |&id: &PathId| {
            if !taken(id) {
                return false;
            }
            let before = facts.before(model, id, global, Runs::All);
            let before = if inside.contains(&model.path(id).from) { before.and(&here) } else { before };
            !to_here(id, &before)
        };
        if inside.contains(&point) && model.entering[point.index()].iter().any(otherwise) {
            inside.remove(&point);
            list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to).filter(|to| inside.contains(to)));
        }
    }
    let mut points: Vec<PointId> = inside.into_iter().collect();
    points.sort_unstable();
    Ok(points)
}

/// A variable, and the points around those that touch it at which owners say its value, ascending.
struct Around {
    global: GlobalVar,
    told: Vec<(PointId, i128)>,
}

impl Around {
    fn new(claims: Claims<'_>, regions: &Regions, global: GlobalVar) -> Self {
        let (model, facts) = (claims.model, claims.facts);
        let mut single: FxHashMap<ClassId, Option<i128>> = FxHashMap::default();
        let mut told = Vec::new();
        for point in regions.around(model, &model.touching[global.index()]) {
            let value = *single.entry(facts.class(point)).or_insert_with(|| facts.at(global, &[point], Runs::All).single());
            told.extend(value.map(|value| (point, value)));
        }
        Self { global, told }
    }
}
