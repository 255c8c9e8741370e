//! Between which numbers a variable lies while a request is where no other may change it.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_lipton_proof::domain::Domain;
use serval_lipton_proof::facts::{ClassId, Runs};
use serval_lipton_proof::invariants::Claims;
use serval_lipton_proof::path::{PathId, PointId};
use serval_proof::Bounds;
use serval_syntax::GlobalVar;

use crate::infer::{Regions, runs};

/// Rounds before bounds become those of the range.
const ROUNDS: usize = 8;

/// What is known of a global at points where those who write it are excluded.
pub(crate) fn known(claims: Claims<'_>, regions: &Regions, global: GlobalVar, budget: &mut Budget) -> Result<Vec<Bounds>, Stopped> {
    let (model, facts) = (claims.model, claims.facts);
    let taken = |id: &&PathId| facts.is_taken(model, **id, Runs::All);
    let writers: Vec<PathId> = model.writers[global.index()].iter().filter(taken).copied().collect();
    let range = facts.range(global);
    let mut safe: FxHashMap<ClassId, bool> = FxHashMap::default();
    let mut bounds: FxHashMap<PointId, Domain> = FxHashMap::default();
    let points = regions.around(model, &model.touching[global.index()]);
    for &point in points.iter().filter(|&&point| point != PointId::END && !model.is_entry(point)) {
        let class = facts.class(point);
        let known = match safe.get(&class) {
            Some(&known) => known,
            None => {
                budget.spend(writers.len() as u64)?;
                let known = writers.iter().all(|&id| claims.never_meets(id, point));
                safe.insert(class, known);
                known
            }
        };
        if known {
            bounds.insert(point, Domain::empty());
        }
    }
    for round in 0..=ROUNDS {
        let mut changed = false;
        for &point in &points {
            let Some(old) = bounds.get(&point).cloned() else { continue };
            let mut new = old.clone();
            for id in model.entering[point.index()].iter().filter(taken) {
                budget.spend(1)?;
                let path = model.path(*id);
                let before = facts.before(model, *id, global, Runs::All);
                let before = bounds.get(&path.from).map_or(before.clone(), |known| known.and(&before));
                let after = facts.image(model, *id, global, &before, Runs::All).and(&facts.aside(global, point));
                if !after.is_subset(&new) {
                    new = if round == ROUNDS { range.clone() } else { new.hull(&after) };
                }
            }
            changed |= new != old;
            bounds.insert(point, new);
        }
        if !changed {
            break;
        }
    }
    let mut by_bounds: Vec<((i64, i64), Vec<PointId>)> = Vec::new();
    let mut numbers: FxHashMap<(i64, i64), usize> = FxHashMap::default();
    for &point in &points {
        let Some(known) = bounds.get(&point).filter(|known| !known.is_empty() && !range.is_subset(known)) else { continue };
        let (Ok(low), Ok(high)) = (i64::try_from(known.low()), i64::try_from(known.high())) else { continue };
        let at = *numbers.entry((low, high)).or_insert_with(|| {
            by_bounds.push(((low, high), Vec::new()));
            by_bounds.len() - 1
        });
        by_bounds[at].1.push(point);
    }
    Ok(by_bounds.into_iter().map(|((low, high), points)| Bounds { variable: global.0, low, high, points: runs(&points) }).collect())
}
