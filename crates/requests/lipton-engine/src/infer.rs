//! Houdini (Flanagan, Leino 2001): candidates for what holds at every moment, of which those that do not are dropped.
//!
//! Counts are propagated from the entries. An owner is a guess: whose last write to a variable was `c`, owns `V = c`.
//! All guesses are claimed together, those that some path does not keep are dropped, and so on until nothing fails: the
//! greatest set of guesses that hold together. Doom likewise: all points are claimed, and those that can get away are
//! dropped.

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_lipton_proof::facts::{Facts, Runs};
use serval_lipton_proof::invariants::{Claims, change};
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::{PathId, PointId};
use serval_lipton_proof::term::Symbol;
use serval_proof::{Count, Doom, Group, Owner, PointRange, Reduction};
use serval_syntax::GlobalVar;

/// Values of one variable that may be owned.
const MAX_VALUES: usize = 64;
/// Values of one variable that may doom.
const MAX_DOOMS: usize = 8;

/// A set of points as runs.
pub(crate) fn runs(points: &[PointId]) -> Vec<PointRange> {
    let mut runs: Vec<PointRange> = Vec::new();
    for point in points {
        match runs.last_mut() {
            Some(run) if run.1 + 1 == point.0 => run.1 = point.0,
            _ => runs.push((point.0, point.0)),
        }
    }
    runs
}

pub(crate) fn globals(model: &Model) -> impl Iterator<Item = GlobalVar> + use<> {
    (0..u32::try_from(model.initial.len()).unwrap_or(u32::MAX)).map(GlobalVar)
}

/// Which points belong to the same requests.
pub(crate) struct Regions {
    of: Vec<u32>,
    points: Vec<Vec<PointId>>,
}

impl Regions {
    pub(crate) fn new(model: &Model) -> Self {
        let mut root: Vec<usize> = (0..model.points.len()).collect();
        fn find(root: &mut [usize], mut x: usize) -> usize {
            while root[x] != x {
                root[x] = root[root[x]];
                x = root[x];
            }
            x
        }
        for path in model.paths.iter().filter(|path| path.to != PointId::END) {
            let (a, b) = (find(&mut root, path.from.index()), find(&mut root, path.to.index()));
            root[a.max(b)] = a.min(b);
        }
        let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
        let mut regions = Self { of: Vec::new(), points: Vec::new() };
        for index in 0..model.points.len() {
            let root = find(&mut root, index);
            let new = u32::try_from(regions.points.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(root).or_insert(new);
            if number == new {
                regions.points.push(Vec::new());
            }
            regions.of.push(number);
            regions.points[number as usize].push(PointId(u32::try_from(index).unwrap_or(u32::MAX)));
        }
        regions
    }

    /// The points of the requests that some paths belong to, ascending.
    pub(crate) fn around(&self, model: &Model, paths: &[PathId]) -> Vec<PointId> {
        let mut regions: Vec<u32> = paths.iter().map(|&id| self.of[model.path(id).from.index()]).collect();
        regions.sort_unstable();
        regions.dedup();
        let mut points: Vec<PointId> = regions.into_iter().flat_map(|region| &self.points[region as usize]).copied().collect();
        points.sort_unstable();
        points
    }
}

/// Globals that count requests.
pub(crate) fn counts(claims: Claims<'_>, regions: &Regions, budget: &mut Budget) -> Result<Vec<Count>, Stopped> {
    let model = claims.model;
    let mut counts = Vec::new();
    for global in globals(model) {
        let writers = &model.writers[global.index()];
        if writers.is_empty() || !writers.iter().all(|&id| change(&claims, id, global).is_some()) {
            continue;
        }
        let points = regions.around(model, writers);
        budget.spend(points.len() as u64)?;
        if let Some(weights) = weights(claims, global, &points)
            && !weights.is_empty()
        {
            counts.push(Count { global: global.0, weights });
        }
    }
    Ok(counts)
}

fn weights(claims: Claims<'_>, global: GlobalVar, points: &[PointId]) -> Option<Vec<(u32, u32, i64)>> {
    let model = claims.model;
    let mut weight: FxHashMap<PointId, i64> = FxHashMap::default();
    let mut list: Vec<PointId> = points.iter().copied().filter(|&point| model.is_entry(point)).collect();
    for &entry in &list {
        weight.insert(entry, 0);
    }
    while let Some(point) = list.pop() {
        let here = weight.get(&point).copied()?;
        for &id in model.leaving[point.index()].iter().filter(|&&id| claims.facts.is_taken(claims.model, id, Runs::All)) {
            let to = model.path(id).to;
            let there = here.checked_add(i64::try_from(change(&claims, id, global)?).ok()?)?;
            if to == PointId::END {
                if there != 0 {
                    return None;
                }
            } else if let Some(&known) = weight.get(&to) {
                if known != there {
                    return None;
                }
            } else {
                weight.insert(to, there);
                list.push(to);
            }
        }
    }
    let mut runs: Vec<(u32, u32, i64)> = Vec::new();
    let mut sign = 0;
    for point in points {
        let here = weight.get(point).copied().unwrap_or(0);
        if here == 0 {
            continue;
        }
        if sign != 0 && here.signum() != sign {
            return None;
        }
        sign = here.signum();
        match runs.last_mut() {
            Some(run) if run.1 + 1 == point.0 && run.2 == here => run.1 = point.0,
            _ => runs.push((point.0, point.0, here)),
        }
    }
    Some(runs)
}

/// Guesses who owns what.
pub(crate) fn owners(claims: Claims<'_>, budget: &mut Budget) -> Result<Vec<Owner>, Stopped> {
    let model = claims.model;
    let mut owners = Vec::new();
    let mut scratch = Scratch { inside: vec![false; model.points.len()], writes: vec![Writes::No; model.paths.len()] };
    for global in globals(model) {
        // What each path that writes it makes of it, if that is one number.
        let mut made: Vec<(PathId, Option<i128>)> = Vec::new();
        let mut values: Vec<i128> = Vec::new();
        for &id in model.writers[global.index()].iter().filter(|&&id| claims.facts.is_taken(claims.model, id, Runs::All)) {
            let before = claims.facts.before(model, id, global, Runs::All);
            let value = claims.facts.image(model, id, global, &before, Runs::All).single();
            values.extend(value.filter(|&value| value != model.initial(global)));
            made.push((id, value));
        }
        values.sort_unstable();
        values.dedup();
        for &value in values.iter().take(MAX_VALUES) {
            let Ok(number) = i64::try_from(value) else { continue };
            let points = last_write(claims, &made, value, &mut scratch, budget)?;
            if !points.is_empty() {
                owners.push(Owner { global: global.0, value: number, points: runs(&points) });
            }
        }
    }
    Ok(owners)
}

/// What a path does to the variable whose owners are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    No,
    TheValue,
    Other,
}

/// What is said of every point and path, so that it need not be made anew for each variable.
struct Scratch {
    /// False everywhere between two uses.
    inside: Vec<bool>,
    /// `No` everywhere between two uses.
    writes: Vec<Writes>,
}

/// The points of requests whose last write was of this value, whichever way they came.
fn last_write(
    claims: Claims<'_>,
    made: &[(PathId, Option<i128>)],
    value: i128,
    scratch: &mut Scratch,
    budget: &mut Budget,
) -> Result<Vec<PointId>, Stopped> {
    let model = claims.model;
    let Scratch { inside, writes } = scratch;
    let taken = |id: PathId| claims.facts.is_taken(claims.model, id, Runs::All);
    for &(id, made) in made {
        writes[id.index()] = if made == Some(value) { Writes::TheValue } else { Writes::Other };
    }
    let writers = made.iter().filter(|made| made.1 == Some(value));
    let mut order: Vec<PointId> = Vec::new();
    let mut list: Vec<PointId> = writers.map(|made| model.path(made.0).to).collect();
    while let Some(point) = list.pop() {
        if point == PointId::END || std::mem::replace(&mut inside[point.index()], true) {
            continue;
        }
        order.push(point);
        let onward = model.leaving[point.index()].iter().filter(|&&id| writes[id.index()] == Writes::No && taken(id));
        list.extend(onward.map(|&id| model.path(id).to));
    }
    order.sort_unstable();
    budget.spend(2 * order.len() as u64)?;
    // Then those go to which some path comes otherwise.
    let mut list = order.clone();
    while let Some(point) = list.pop() {
        if !inside[point.index()] {
            continue;
        }
        let otherwise = |&id: &PathId| {
            taken(id)
                && match writes[id.index()] {
                    Writes::TheValue => false,
                    Writes::Other => true,
                    Writes::No => !inside[model.path(id).from.index()],
                }
        };
        if model.is_entry(point) || model.entering[point.index()].iter().any(otherwise) {
            inside[point.index()] = false;
            list.extend(model.leaving[point.index()].iter().map(|&id| model.path(id).to).filter(|to| inside[to.index()]));
        }
    }
    order.retain(|point| std::mem::take(&mut inside[point.index()]));
    made.iter().for_each(|made| writes[made.0.index()] = Writes::No);
    Ok(order)
}

/// Drops owners and counts that do not hold, until all do.
pub(crate) fn drop_failing(model: &Model, reduction: &mut Reduction, budget: &mut Budget) -> Result<Option<Facts>, Stopped> {
    loop {
        budget.spend(model.paths.len() as u64)?;
        let Ok(facts) = Facts::new(model, reduction) else { return Ok(None) };
        let claims = Claims { model, facts: &facts, reduction };
        let owners: Vec<bool> = (0..reduction.owners.len()).map(|index| claims.owner(index).is_ok()).collect();
        let counts: Vec<bool> = (0..reduction.counts.len()).map(|index| claims.count(index).is_ok()).collect();
        if owners.iter().chain(&counts).all(|&holds| holds) {
            return Ok(Some(facts));
        }
        let (mut owner, mut count) = (owners.iter(), counts.iter());
        reduction.owners.retain(|_| owner.next().copied().unwrap_or(false));
        reduction.counts.retain(|_| count.next().copied().unwrap_or(false));
    }
}

/// Pairs of groups that exclude each other.
pub(crate) fn exclusions(claims: Claims<'_>, budget: &mut Budget) -> Result<Vec<(Group, Group)>, Stopped> {
    let (model, reduction) = (claims.model, claims.reduction);
    let mut of_global: FxHashMap<u32, Vec<Group>> = FxHashMap::default();
    let mut groups: Vec<(Group, u32, PointId)> = Vec::new();
    for (index, owner) in (0..).zip(&reduction.owners) {
        of_global.entry(owner.global).or_default().push(Group::Owner(index));
        groups.extend(owner.points.first().map(|run| (Group::Owner(index), owner.global, PointId(run.0))));
    }
    for (index, count) in (0..).zip(&reduction.counts) {
        of_global.entry(count.global).or_default().push(Group::Count(index));
        groups.extend(count.weights.first().map(|run| (Group::Count(index), count.global, PointId(run.0))));
    }
    let mut found = Vec::new();
    for &(group, global, first) in &groups {
        // Where a request comes into the group its guard says that the other one is empty.
        let mut others: Vec<Group> = Vec::new();
        for &id in &model.entering[first.index()] {
            for (form, _) in &model.path(id).conditions.0 {
                if let [(Symbol::Global(other), 1)] = form.as_slice()
                    && other.0 != global
                {
                    others.extend(of_global.get(&other.0).into_iter().flatten());
                }
            }
        }
        others.sort_unstable();
        others.dedup();
        for other in others.into_iter().filter(|&other| group < other) {
            budget.spend(16)?;
            if claims.exclusion(group, other).is_ok() {
                found.push((group, other));
            }
        }
    }
    Ok(found)
}

/// Values that a request must not meet if it is to end.
pub(crate) fn dooms(claims: Claims<'_>, regions: &Regions, budget: &mut Budget) -> Result<Vec<Doom>, Stopped> {
    let (model, facts) = (claims.model, claims.facts);
    let mut dooms = Vec::new();
    for global in globals(model) {
        let writers = &model.writers[global.index()];
        let mut values: Vec<i128> = writers.iter().filter_map(|&id| model.path(id).update(global)?.term.as_constant()).collect();
        values.sort_unstable();
        values.dedup();
        if values.is_empty() || values.len() > MAX_DOOMS {
            continue;
        }
        let ends = |id: PathId| model.completes(id) && facts.is_taken(model, id, Runs::All);
        values.retain(|&value| writers.iter().all(|&id| !ends(id) || claims.leaves(id, global, value)));
        if values.is_empty() {
            continue;
        }
        let points = regions.around(model, &model.touching[global.index()]);
        for value in values {
            let Ok(number) = i64::try_from(value) else { continue };
            let mut inside: FxHashSet<PointId> = points.iter().copied().filter(|&point| point != PointId::END).collect();
            let mut list = points.clone();
            while let Some(point) = list.pop() {
                budget.spend(1)?;
                let away = |&id: &PathId| {
                    ends(id) && !inside.contains(&model.path(id).to) && facts.before(model, id, global, Runs::All).contains(value)
                };
                if inside.contains(&point) && model.leaving[point.index()].iter().any(away) {
                    inside.remove(&point);
                    list.extend(model.entering[point.index()].iter().map(|&id| model.path(id).from).filter(|from| inside.contains(from)));
                }
            }
            let points: Vec<PointId> = points.iter().copied().filter(|point| inside.contains(point)).collect();
            if !points.is_empty() {
                dooms.push(Doom { global: global.0, value: number, points: runs(&points) });
            }
        }
    }
    Ok(dooms)
}
