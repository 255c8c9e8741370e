//! Few request bodies that stand for many: which, and how a proof of theirs is made to be about all.
//!
//! What has to hold is in [`serval_lipton_proof::rows`]. Chosen are bodies with every pattern in which two bodies of
//! the program meet. At the edge of what is chosen fewer meet than in the middle, so more may hold there; what does not
//! hold of all bodies of a shape is dropped. Whether the rest is a proof the checker decides, and if not, all bodies
//! are looked at.

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_compile::control::Reg;
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::PointId;
use serval_lipton_proof::rows::{Bodies, Pattern, Standing, standing};
use serval_proof::{Bounds, Count, Doom, Owner, PointRange, Reduction};
use serval_syntax::GlobalVar;

use crate::infer::runs;

/// With fewer bodies it is not worth the while.
const LEAST: usize = 8;
/// How many bodies of a group are looked at for one that meets another in common variables alone.
const TRIES: usize = 16;

/// Bodies that may stand for all: at most half of them.
pub(crate) fn choose(bodies: &Bodies, globals: usize, budget: &mut Budget) -> Result<Option<Vec<u32>>, Stopped> {
    let all = &bodies.list;
    if all.len() < LEAST || bodies.shapes * 2 > all.len() {
        return Ok(None);
    }
    let mut few = Few::default();
    let mut shapes = FxHashSet::default();
    for (body, _) in (0..).zip(all).filter(|(_, body)| shapes.insert(body.shape)) {
        few.choose(bodies, body);
    }
    for (pattern, firsts, seconds) in bodies.meetings(globals, budget)? {
        if few.patterns.contains(&pattern) {
            continue;
        }
        let pairs = firsts.iter().take(TRIES).flat_map(|&b| seconds.iter().take(TRIES).map(move |&c| (b, c)));
        let meets = |&(b, c): &(u32, u32)| b != c && all[b as usize].pattern(&all[c as usize]) == pattern;
        let Some((b, c)) = pairs.into_iter().find(meets) else { return Ok(None) };
        few.choose(bodies, b);
        few.choose(bodies, c);
        if few.chosen.len() * 2 > all.len() {
            return Ok(None);
        }
    }
    few.chosen.sort_unstable();
    Ok(Some(few.chosen))
}

/// Bodies that are chosen, and how they meet.
#[derive(Default)]
struct Few {
    chosen: Vec<u32>,
    patterns: FxHashSet<Pattern>,
}

impl Few {
    fn choose(&mut self, bodies: &Bodies, body: u32) {
        if self.chosen.contains(&body) {
            return;
        }
        for &other in &self.chosen {
            let (one, other) = (&bodies.list[body as usize], &bodies.list[other as usize]);
            self.patterns.extend([one.pattern(other), other.pattern(one)]);
        }
        self.chosen.push(body);
    }
}

/// What is said of something at a point.
type PointItem<T> = (PointId, u32, T);

/// The bodies that stand for others, by their points.
pub(crate) struct Alike<'a> {
    standing: Vec<Standing<'a>>,
    kinds: Vec<usize>,
    of_shape: FxHashMap<u32, usize>,
}

impl<'a> Alike<'a> {
    pub(crate) fn new(model: &Model, bodies: &'a Bodies, chosen: &[u32]) -> Self {
        let standing = standing(model, bodies, chosen);
        let mut of_shape = FxHashMap::default();
        for one in &standing {
            *of_shape.entry(one.body.shape).or_insert(0) += 1;
        }
        Self { standing, kinds: bodies.kinds(model.initial.len()), of_shape }
    }

    fn at(&self, point: PointId) -> Option<&Standing<'a>> {
        let after = self.standing.partition_point(|one| one.first <= point.0);
        after.checked_sub(1).map(|at| &self.standing[at])
    }

    /// Those that are said in all bodies of a shape.
    fn common<T: Copy + Eq + std::hash::Hash>(
        &self,
        items: Vec<PointItem<T>>,
        place: impl Fn(&Standing<'a>, u32) -> Option<u32>,
    ) -> Vec<PointItem<T>> {
        let key = |&(point, name, value): &PointItem<T>| {
            let one = self.at(point)?;
            Some((one.body.shape, point.0 - one.first, place(one, name)?, value))
        };
        let mut counted: FxHashMap<(u32, u32, u32, T), usize> = FxHashMap::default();
        for key in items.iter().filter_map(key) {
            *counted.entry(key).or_insert(0) += 1;
        }
        let everywhere = |item: &PointItem<T>| key(item).is_some_and(|key| counted.get(&key) == self.of_shape.get(&key.0));
        items.into_iter().filter(everywhere).collect()
    }

    fn of_globals<T: Copy + Eq + std::hash::Hash>(&self, items: Vec<PointItem<T>>) -> Vec<PointItem<T>> {
        self.common(items, |one, global| one.body.slot(GlobalVar(global)))
    }

    /// Drops what is not said in all bodies of a shape.
    pub(crate) fn settle(&self, reduction: &mut Reduction) {
        self.settle_ranges(reduction);
        let owners = reduction.owners.iter().flat_map(|owner| listed(&owner.points, owner.global, owner.value));
        let owners = by_name(self.of_globals(owners.collect()));
        reduction.owners = owners.into_iter().map(|((global, value), points)| Owner { global, value, points: runs(&points) }).collect();
        let weights = reduction.counts.iter().flat_map(|count| {
            count.weights.iter().flat_map(|&(first, last, weight)| listed(&[(first, last)], count.global, weight)).collect::<Vec<_>>()
        });
        let mut counts: Vec<Count> = Vec::new();
        for ((global, weight), points) in by_name(self.of_globals(weights.collect())) {
            let weights = runs(&points).into_iter().map(|(first, last)| (first, last, weight));
            match counts.last_mut() {
                Some(count) if count.global == global => count.weights.extend(weights),
                _ => counts.push(Count { global, weights: weights.collect() }),
            }
        }
        reduction.counts = counts;
        let dooms = reduction.dooms.iter().flat_map(|doom| listed(&doom.points, doom.global, doom.value));
        let dooms = by_name(self.of_globals(dooms.collect()));
        reduction.dooms = dooms.into_iter().map(|((global, value), points)| Doom { global, value, points: runs(&points) }).collect();
        let bounds = |list: &[Bounds]| -> Vec<PointItem<(i64, i64)>> {
            list.iter().flat_map(|one| listed(&one.points, one.variable, (one.low, one.high))).collect()
        };
        let back = |items: Vec<PointItem<(i64, i64)>>| -> Vec<Bounds> {
            let list = by_name(items).into_iter();
            list.map(|((variable, (low, high)), points)| Bounds { variable, low, high, points: runs(&points) }).collect()
        };
        reduction.known = back(self.of_globals(bounds(&reduction.known)));
        reduction.locals = back(self.widest(bounds(&reduction.locals)));
        let nowhere = self.common(listed(&reduction.nowhere, 0, ()), |_, _| Some(0));
        reduction.nowhere = runs(&nowhere.into_iter().map(|item| item.0).collect::<Vec<_>>());
        reduction.exclusions.clear();
    }

    /// What is said in all bodies of a shape, with the widest of the bounds.
    fn widest(&self, items: Vec<PointItem<(i64, i64)>>) -> Vec<PointItem<(i64, i64)>> {
        let key = |&(point, reg, _): &PointItem<(i64, i64)>| {
            let one = self.at(point)?;
            Some((one.body.shape, point.0 - one.first, one.body.place(Reg(reg))?))
        };
        let mut widest: FxHashMap<(u32, u32, u32), (i64, i64)> = FxHashMap::default();
        for item in &items {
            let Some(key) = key(item) else { continue };
            let bounds = widest.entry(key).or_insert(item.2);
            *bounds = (bounds.0.min(item.2.0), bounds.1.max(item.2.1));
        }
        let wide = items.into_iter().filter_map(|item| Some((item.0, item.1, *widest.get(&key(&item)?)?))).collect();
        self.common(wide, |one, reg| one.body.place(Reg(reg)))
    }

    /// One range for all variables of a kind: the least that has all of theirs.
    fn settle_ranges(&self, reduction: &mut Reduction) {
        let mentioned: FxHashSet<u32> = self.standing.iter().flat_map(|one| &one.body.globals).map(|global| global.0).collect();
        let kind = |global: u32| self.kinds[global as usize];
        let mut of_kind: FxHashMap<usize, (i64, i64, usize)> = FxHashMap::default();
        for &(global, low, high) in reduction.ranges.iter().filter(|range| mentioned.contains(&range.0)) {
            let entry = of_kind.entry(kind(global)).or_insert((low, high, 0));
            *entry = (entry.0.min(low), entry.1.max(high), entry.2 + 1);
        }
        let mut members: FxHashMap<usize, usize> = FxHashMap::default();
        let mut sorted: Vec<u32> = mentioned.into_iter().collect();
        sorted.sort_unstable();
        for &global in &sorted {
            *members.entry(kind(global)).or_insert(0) += 1;
        }
        let slow: FxHashSet<usize> = reduction.slow.iter().map(|&global| kind(global)).collect();
        reduction.slow = sorted.iter().copied().filter(|&global| slow.contains(&kind(global))).collect();
        let range = |&global: &u32| {
            let &(low, high, count) = of_kind.get(&kind(global))?;
            (members.get(&kind(global)) == Some(&count)).then_some((global, low, high))
        };
        reduction.ranges = sorted.iter().filter_map(range).collect();
    }

    /// The points at the places of these in all bodies of a shape.
    pub(crate) fn spread(&self, post: &[PointRange]) -> Vec<PointRange> {
        let places: FxHashSet<(u32, u32)> = listed(post, 0, ())
            .into_iter()
            .filter_map(|(point, ..)| self.at(point).map(|one| (one.body.shape, point.0 - one.first)))
            .collect();
        let points = self.standing.iter().flat_map(|one| (0..one.points).map(move |at| (one, at)));
        let after = points.filter(|(one, at)| places.contains(&(one.body.shape, *at))).map(|(one, at)| PointId(one.first + at));
        runs(&after.collect::<Vec<_>>())
    }
}

/// The points of runs, with what is said.
fn listed<T: Copy>(runs: &[PointRange], name: u32, value: T) -> Vec<PointItem<T>> {
    runs.iter().flat_map(|&(first, last)| first..=last).map(|point| (PointId(point), name, value)).collect()
}

/// The points of each name and value, ascending.
fn by_name<T: Copy + Ord>(mut items: Vec<PointItem<T>>) -> Vec<((u32, T), Vec<PointId>)> {
    items.sort_unstable_by_key(|&(point, name, value)| (name, value, point));
    let groups = items.chunk_by(|a, b| (a.1, a.2) == (b.1, b.2));
    groups.map(|group| ((group[0].1, group[0].2), group.iter().map(|item| item.0).collect())).collect()
}
