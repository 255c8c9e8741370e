//! Right and left movers (Lipton 1975): which steps are which, and where requests commit.
//!
//! A path is a right mover if it can be exchanged with every path that may follow it, a left mover if with every path
//! that it may follow. The points after the commit are the least set that contains the targets of paths that are no
//! right movers and that is closed under successors: every labelling that works contains it, and a smaller set after
//! the commit asks for fewer left movers. So there is nothing to search.

use serval_budget::{Budget, Stopped};
use serval_lipton_proof::exchange::{Alike, Exchange, Mover};
use serval_lipton_proof::facts::{Facts, Runs};
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::{PathId, PointId};
use serval_syntax::GlobalVar;

use crate::infer::{globals, runs};

/// A path that could not be exchanged with another one because of a global.
type Witness = Option<(PathId, PathId, GlobalVar)>;

/// What came out.
pub(crate) enum Phases {
    /// The points after the commit.
    Found(Vec<(u32, u32)>),
    /// Two steps that do not commute though they would have to.
    Conflict(PathId, PathId, GlobalVar),
}

struct Movers<'a> {
    exchange: &'a Exchange<'a>,
    not_right: Vec<Witness>,
    not_left: Vec<Witness>,
}

/// Finds the phases.
pub(crate) fn phases(model: &Model, facts: &Facts, budget: &mut Budget) -> Result<Phases, Stopped> {
    let exchange = Exchange::new(model, facts);
    let mut movers = Movers { exchange: &exchange, not_right: vec![None; model.paths.len()], not_left: vec![None; model.paths.len()] };
    for global in globals(model) {
        if model.writers[global.index()].is_empty() {
            continue;
        }
        // A path to the end is the commit or later, and need not move to the right; one from an entry need not move to
        // the left.
        let must = |id: PathId| Mover { right: model.path(id).to != PointId::END, left: !model.is_entry(model.path(id).from) };
        let groups = exchange.alike(global, &must);
        for (before, first) in &groups {
            for (after, second) in &groups {
                budget.spend(1)?;
                if (before.right || after.left) && (first.writes() || second.writes()) && !exchange.groups(global, first, second) {
                    movers.pairs(first, second, budget)?;
                }
            }
        }
    }
    let Movers { not_right, not_left, .. } = movers;
    let mut post = vec![false; model.points.len()];
    // Why a point is after the commit.
    let mut list: Vec<(PointId, Witness)> = Vec::new();
    for id in model.ids() {
        if not_right[id.index()].is_some() {
            list.push((model.path(id).to, not_right[id.index()]));
        }
    }
    let mut reasons: Vec<Witness> = vec![None; model.points.len()];
    while let Some((point, reason)) = list.pop() {
        budget.spend(1)?;
        if !std::mem::replace(&mut post[point.index()], true) {
            reasons[point.index()] = reason;
            list.extend(model.leaving[point.index()].iter().map(|&id| (model.path(id).to, reason)));
        }
    }
    if let Some((s, t, global)) = model.entries.iter().find(|entry| post[entry.index()]).and_then(|entry| reasons[entry.index()]) {
        return Ok(Phases::Conflict(s, t, global));
    }
    for id in model.ids().filter(|&id| post[model.path(id).from.index()] && facts.is_taken(model, id, Runs::Complete)) {
        if let Some((s, t, global)) = not_left[id.index()] {
            return Ok(Phases::Conflict(s, t, global));
        }
    }
    let points = (1..u32::try_from(post.len()).unwrap_or(u32::MAX)).map(PointId).filter(|point| post[point.index()]);
    Ok(Phases::Found(runs(&points.collect::<Vec<_>>())))
}

impl Movers<'_> {
    /// Looks at the pairs of two groups one by one, as long as something can be learnt.
    fn pairs(&mut self, first: &Alike, second: &Alike, budget: &mut Budget) -> Result<(), Stopped> {
        let mut left: Vec<PathId> = second.paths.iter().copied().filter(|t| self.not_left[t.index()].is_none()).collect();
        for &s in &first.paths {
            let all = self.not_right[s.index()].is_none();
            let others = if all { second.paths.clone() } else { left.clone() };
            for t in others {
                if self.not_right[s.index()].is_some() && self.not_left[t.index()].is_some() {
                    continue;
                }
                budget.spend(4)?;
                if let Err(global) = self.exchange.pair(s, t) {
                    self.not_right[s.index()].get_or_insert((s, t, global));
                    self.not_left[t.index()].get_or_insert((s, t, global));
                }
            }
            let not_left = &self.not_left;
            left.retain(|t| not_left[t.index()].is_none());
        }
        Ok(())
    }
}
