//! Flags: values of variables that no other request changes while a request is at a point, because it has seen them.
//!
//! A request that has seen `READY = 1` knows it from then on if none takes it back; one that has seen `READY = 0` under
//! the lock without which none raises the flag knows it until it gives the lock back. So who writes before the flag is
//! raised and who reads after it never meet.

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::Budget;
use serval_lipton_proof::domain::Domain;
use serval_lipton_proof::facts::{ClassId, Runs};
use serval_lipton_proof::invariants::Claims;
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::{PathId, PointId};
use serval_proof::{Bounds, Reduction};
use serval_syntax::GlobalVar;

use crate::infer::{Regions, globals, runs};
use crate::{Why, facts};

/// Values of one variable that may be seen.
const MAX_VALUES: usize = 8;

/// What is known of variables at points by what requests have seen; without what is known already.
pub(crate) fn seen(model: &Model, regions: &Regions, reduction: &Reduction, budget: &mut Budget) -> Result<Vec<Bounds>, Why> {
    let claimed = facts(model, reduction)?;
    let claims = Claims { model, facts: &claimed, reduction };
    let mut found = Vec::new();
    let mut scratch = Scratch::new(claims);
    for global in globals(model) {
        let values = values(claims, global);
        if values.is_empty() {
            continue;
        }
        let around = Around::new(claims, regions, global);
        budget.spend(around.told.len() as u64)?;
        for value in values {
            let points = points(claims, &around, value, &mut scratch, budget)?;
            points.iter().for_each(|point| scratch.found[point.index()] = Some(global));
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

/// What is noted of points and classes, so that it need not be made anew for each variable.
struct Scratch {
    /// Variables of which something is known at points already.
    known: FxHashSet<(GlobalVar, PointId)>,
    /// The last variable of which something was found at a point.
    found: Vec<Option<GlobalVar>>,
    /// False everywhere between two uses.
    inside: Vec<bool>,
    /// Whether a variable stays as it is while a request is at a point of a class; none everywhere between two uses.
    stays: Vec<Option<bool>>,
}

impl Scratch {
    fn new(claims: Claims<'_>) -> Self {
        let points = claims.model.points.len();
        let classes = (0..).map(PointId).take(points).map(|point| claims.facts.class(point).0 as usize + 1).max();
        let known = claims.reduction.known.iter().flat_map(|bounds| {
            let points = bounds.points.iter().flat_map(|&(first, last)| first..=last);
            points.map(|point| (GlobalVar(bounds.variable), PointId(point)))
        });
        Self { known: known.collect(), found: vec![None; points], inside: vec![false; points], stays: vec![None; classes.unwrap_or(0)] }
    }
}

/// The points at which a variable has a value, ascending: whichever way a request comes, and whatever others do.
///
/// They are the greatest set of points that no other ways lead into. A request comes to one of them from outside, and
/// then by a path that tests for the value or writes it or from where owners say it; so only what follows such paths is
/// looked at. A point at which another value was found, because no request comes there, is not among them: what holds
/// at others must not rest on it.
fn points(claims: Claims<'_>, around: &Around, value: i128, scratch: &mut Scratch, budget: &mut Budget) -> Result<Vec<PointId>, Why> {
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
    let Scratch { known, found, inside, stays } = scratch;
    let mut points: Vec<PointId> = Vec::new();
    let mut classes: Vec<ClassId> = Vec::new();
    while let Some(point) = list.pop() {
        // Where owners say what it is there is nothing to know.
        let is_told = || around.told.binary_search_by_key(&point, |told| told.0).is_ok() || known.contains(&(global, point));
        let is_found = inside[point.index()] || found[point.index()] == Some(global);
        if is_found || point == PointId::END || model.is_entry(point) || facts.is_nowhere(point) || is_told() {
            continue;
        }
        let class = facts.class(point);
        let stays = match stays[class.0 as usize] {
            Some(stays) => stays,
            None => {
                budget.spend(1 + changing.len() as u64)?;
                classes.push(class);
                *stays[class.0 as usize].insert(changing.iter().all(|&id| claims.never_meets(id, point)))
            }
        };
        if stays {
            inside[point.index()] = true;
            points.push(point);
            list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to));
        }
    }
    budget.spend(points.len() as u64)?;
    list.extend(&points);
    while let Some(point) = list.pop() {
        let otherwise = |&id: &PathId| {
            let path = model.path(id);
            let from_inside = inside[path.from.index()];
            if !taken(id) || (from_inside && path.update(global).is_none()) {
                return false;
            }
            let before = facts.before(model, id, global, Runs::All);
            let before = if from_inside { before.and(&here) } else { before };
            !to_here(id, &before)
        };
        if inside[point.index()] && model.entering[point.index()].iter().any(otherwise) {
            inside[point.index()] = false;
            list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to).filter(|to| inside[to.index()]));
        }
    }
    points.retain(|point| std::mem::take(&mut inside[point.index()]));
    classes.into_iter().for_each(|class| stays[class.0 as usize] = None);
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
