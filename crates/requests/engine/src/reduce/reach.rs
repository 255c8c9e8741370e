//! Where one request alone can get to, with the way.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_model::{NormalForm, Point};
use serval_proof::script::simulation::reach_from;

/// Remembers what can be reached from each point, the point included.
#[derive(Default)]
pub(super) struct Reach {
    known: FxHashMap<Point, Vec<Point>>,
}

impl Reach {
    pub(super) fn from<'a>(&'a mut self, form: &NormalForm, from: Point, budget: &mut Budget) -> Result<&'a [Point], Stopped> {
        budget.spend(1)?;
        Ok(match self.known.entry(from) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut found = reach_from(form, from, budget)?;
                found.sort_unstable_by_key(|&(node, global)| (global, node));
                new.insert(found)
            }
        })
    }

    /// The nodes that can be reached under `global`.
    pub(super) fn under<'a>(
        &'a mut self,
        form: &NormalForm,
        from: Point,
        global: u32,
        budget: &mut Budget,
    ) -> Result<impl Iterator<Item = u32> + use<'a>, Stopped> {
        let found = self.from(form, from, budget)?;
        let start = found.partition_point(|point| point.1 < global);
        let end = found.partition_point(|point| point.1 <= global);
        budget.spend((end - start) as u64)?;
        Ok(found[start..end].iter().map(|point| point.0))
    }
}

/// Points in the order of their distance from the first, each with the index
/// of the one before it on a shortest way.
pub(super) struct Ways {
    pub(super) points: Vec<(Point, usize)>,
}

impl Ways {
    /// Up to `limit` points; the way goes through no point for which `blocked`
    /// holds, but may end there.
    pub(super) fn new(
        form: &NormalForm,
        from: Point,
        limit: usize,
        blocked: impl Fn(Point) -> bool,
        budget: &mut Budget,
    ) -> Result<Self, Stopped> {
        let mut points = vec![(from, 0)];
        let mut seen: FxHashSet<Point> = FxHashSet::default();
        let mut next = 0;
        // The first point may be come back to, so it is not `seen` yet.
        while next < points.len() && points.len() < limit {
            let at = points[next].0;
            if next == 0 || !blocked(at) {
                let steps = form.steps_from(at);
                budget.spend(steps.len() as u64 + 1)?;
                for step in steps {
                    if seen.insert(step.target()) {
                        points.push((step.target(), next));
                    }
                }
            }
            next += 1;
        }
        Ok(Self { points })
    }

    /// The points on the way to an index, without the first.
    pub(super) fn path(&self, mut index: usize) -> Vec<Point> {
        let mut path = Vec::new();
        while index != 0 {
            path.push(self.points[index].0);
            index = self.points[index].1;
        }
        path.reverse();
        path
    }
}
