//! Movers (Lipton 1975): finds sets of points that need not be interrupted.
//!
//! Begin with all points that could be in the set and take out those at which
//! an exchange fails, until none does. The conditions get easier as the set
//! shrinks, so what is left meets them. Which points go depends on the order in
//! which they are looked at; both orders are tried, and the larger set is taken.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_model::{Node, NodeStep, NormalForm, Point};
use serval_proof::script::movers::{Exchange, Others, PointSet, near_end};
use serval_proof::script::{Entry, Mover, Reduced, Side, Witness};

use super::reach::Ways;

/// Points that are looked at for one path.
const PATH_POINTS: usize = 64;

/// The entries that join steps: splits, where the set has points of initial
/// nodes, and the mover. Nothing if no set does.
pub(super) fn find(reduced: &Reduced, side: Side, budget: &mut Budget) -> Result<Vec<Entry>, Stopped> {
    let form = reduced.form();
    let mut landed = vec![false; form.nodes().len()];
    for step in form.steps() {
        landed[step.to_node as usize] = true;
    }
    let may_join =
        |&(node, _): &Point| if side == Side::Right { !form.is_done(node) } else { !form.is_initial(node) || landed[node as usize] };
    let mut candidates: Vec<Point> = form.steps().iter().map(|&step| near_end(side, step)).filter(may_join).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let set = largest(reduced, side, &candidates, budget)?;
    if set.is_empty() {
        return Ok(Vec::new());
    }
    // The left side needs copies of initial nodes.
    let mut entries: Vec<Entry> = Vec::new();
    let mut current = reduced.clone();
    if side == Side::Left {
        let mut initial: Vec<Node> = set.iter().map(|point| point.0).filter(|&node| form.is_initial(node)).collect();
        initial.sort_unstable();
        initial.dedup();
        for node in initial {
            current.apply(&Entry::Split(node), budget)?;
            entries.push(Entry::Split(node));
        }
    }
    let candidates: Vec<Point> = sorted(&set);
    let mut finder = Finder::new(&current, side);
    let set = finder.settle(&candidates, false, budget)?;
    if set.is_empty() {
        return Ok(Vec::new());
    }
    let witnesses = finder.witnesses(&set, budget)?;
    let mut points: Vec<(Node, Vec<u32>)> = Vec::new();
    for (node, global) in sorted(&set) {
        match points.last_mut() {
            Some((last, globals)) if *last == node => globals.push(global),
            _ => points.push((node, vec![global])),
        }
    }
    let mover = Mover { points, witnesses };
    entries.push(if side == Side::Right { Entry::Right(mover) } else { Entry::Left(mover) });
    Ok(entries)
}

fn sorted(set: &PointSet) -> Vec<Point> {
    let mut points: Vec<Point> = set.iter().copied().collect();
    points.sort_unstable();
    points
}

fn largest(reduced: &Reduced, side: Side, candidates: &[Point], budget: &mut Budget) -> Result<PointSet, Stopped> {
    let forwards = Finder::new(reduced, side).settle(candidates, false, budget)?;
    if forwards.len() == candidates.len() {
        return Ok(forwards);
    }
    let backwards = Finder::new(reduced, side).settle(candidates, true, budget)?;
    Ok(if backwards.len() > forwards.len() { backwards } else { forwards })
}

/// The paths of a witness: of the other request, and of the own.
type Paths = (Vec<Point>, Vec<Point>);

struct Finder<'a> {
    reduced: &'a Reduced,
    form: &'a NormalForm,
    side: Side,
    others: Others,
    /// For each point the steps that meet the set there.
    near: FxHashMap<Point, Vec<u32>>,
    /// Paths that did when they were found.
    known: FxHashMap<(u32, u32), Paths>,
}

impl<'a> Finder<'a> {
    fn new(reduced: &'a Reduced, side: Side) -> Self {
        let form = reduced.form();
        let mut near: FxHashMap<Point, Vec<u32>> = FxHashMap::default();
        for (index, &step) in (0..).zip(form.steps()) {
            near.entry(near_end(side, step)).or_default().push(index);
        }
        Self { reduced, form, side, others: Others::new(reduced, side), near, known: FxHashMap::default() }
    }

    fn step(&self, index: u32) -> NodeStep {
        self.form.steps()[index as usize]
    }

    /// Takes out points until every exchange succeeds.
    fn settle(&mut self, candidates: &[Point], reversed: bool, budget: &mut Budget) -> Result<PointSet, Stopped> {
        let mut set: PointSet = candidates.iter().copied().collect();
        loop {
            let before = set.len();
            for index in 0..candidates.len() {
                let point = candidates[if reversed { candidates.len() - 1 - index } else { index }];
                if set.contains(&point) && !self.is_uninterrupted(point, &set, budget)? {
                    set.remove(&point);
                }
            }
            if set.len() == before {
                return Ok(set);
            }
        }
    }

    /// Whether every exchange at a point succeeds, so that no request need step
    /// between there.
    fn is_uninterrupted(&mut self, point: Point, set: &PointSet, budget: &mut Budget) -> Result<bool, Stopped> {
        let others = self.others.beside(self.reduced, point);
        for own in self.near.get(&point).cloned().unwrap_or_default() {
            for &other in &others {
                if !self.exchanges(own, other, set, budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether two steps can be exchanged; paths that are needed are kept.
    fn exchanges(&mut self, own: u32, other: u32, set: &PointSet, budget: &mut Budget) -> Result<bool, Stopped> {
        budget.spend(1)?;
        let Some(exchange) = Exchange::new(self.reduced, self.side, self.step(own), self.step(other)) else { return Ok(true) };
        budget.spend(4)?;
        if exchange.is_simple(self.form, set) {
            return Ok(true);
        }
        if let Some((other_path, own_path)) = self.known.get(&(own, other))
            && exchange.accepts(self.form, set, other_path, own_path)
        {
            return Ok(true);
        }
        let paths = self.find_paths(&exchange, set, budget)?;
        let found = paths.is_some();
        if let Some(paths) = paths {
            self.known.insert((own, other), paths);
        }
        Ok(found)
    }

    fn find_paths(&self, exchange: &Exchange, set: &PointSet, budget: &mut Budget) -> Result<Option<Paths>, Stopped> {
        let &Exchange { other, own, before, after, .. } = exchange;
        let in_set = |point: Point| set.contains(&point);
        let (first, second) = if self.side == Side::Right { (other, own) } else { (own, other) };
        let ways =
            |from: Point, own: bool, budget: &mut Budget| Ways::new(self.form, from, PATH_POINTS, |point| own && in_set(point), budget);
        let own_first = self.side == Side::Left;
        let firsts = ways((first.0, before), own_first, budget)?;
        for (index, &((node, middle), _)) in firsts.points.iter().enumerate() {
            // The own path has at least one step.
            if node != first.1 || (index == 0 && own_first) {
                continue;
            }
            let seconds = ways((second.0, middle), !own_first, budget)?;
            for (end, &(point, _)) in seconds.points.iter().enumerate() {
                if point != (second.1, after) || (end == 0 && !own_first) {
                    continue;
                }
                let (one, two) = (firsts.path(index), seconds.path(end));
                let (other_path, own_path) = if own_first { (two, one) } else { (one, two) };
                if exchange.accepts(self.form, set, &other_path, &own_path) {
                    return Ok(Some((other_path, own_path)));
                }
            }
        }
        Ok(None)
    }

    /// The paths for the exchanges for which single steps do not do.
    fn witnesses(&mut self, set: &PointSet, budget: &mut Budget) -> Result<Vec<Witness>, Stopped> {
        let mut witnesses = Vec::new();
        for point in sorted(set) {
            let others = self.others.beside(self.reduced, point);
            for step in self.near.get(&point).cloned().unwrap_or_default() {
                for &other in &others {
                    budget.spend(1)?;
                    let Some(exchange) = Exchange::new(self.reduced, self.side, self.step(step), self.step(other)) else { continue };
                    if !exchange.is_simple(self.form, set)
                        && let Some((other_path, own_path)) = self.known.get(&(step, other)).cloned()
                    {
                        witnesses.push(Witness { step, other, other_path, own_path });
                    }
                }
            }
        }
        Ok(witnesses)
    }
}
