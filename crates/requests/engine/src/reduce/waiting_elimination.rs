//! Finds waiting that gains nothing.

use std::collections::BTreeSet;

use serval_budget::{Budget, Stopped};
use serval_model::{Node, NormalForm, Point};
use serval_proof::script::{Entry, Reduced, WaitingElimination};

use super::game::{Pair, Requirements, Simulation};
use super::reach::Reach;

/// What a pair of nodes needs to be in a weak simulation.
pub(super) fn weak_requirements(form: &NormalForm, reach: &mut Reach, (x, y): Pair, budget: &mut Budget) -> Result<Requirements, Stopped> {
    let mut requirements = Vec::new();
    'steps: for step in form.steps_of(y) {
        let mut list = Vec::new();
        for to in reach.under(form, (x, step.global), step.to_global, budget)? {
            if to == step.to_node {
                continue 'steps;
            }
            if !form.is_done(to) && !form.is_done(step.to_node) {
                list.push((to, step.to_node));
            }
        }
        // What the pair itself meets needs nothing more.
        if list.contains(&(x, y)) {
            continue;
        }
        if list.is_empty() {
            return Ok(None);
        }
        requirements.push(list);
    }
    Ok(Some(requirements))
}

/// The points at which an identity step leads to a node that can do no more.
pub(super) fn find(reduced: &Reduced, budget: &mut Budget) -> Result<Vec<Entry>, Stopped> {
    let form = reduced.form();
    let is_waiting = |step: &&serval_model::NodeStep| step.global == step.to_global && !form.is_done(step.to_node);
    let waits: Vec<(Point, Node)> = form.steps().iter().filter(is_waiting).map(|step| (step.source(), step.to_node)).collect();
    // What is reached by several identity steps counts, too.
    let mut asked: BTreeSet<Pair> = BTreeSet::new();
    for &((l, g), _) in &waits {
        let mut inside = vec![l];
        let mut next = 0;
        while next < inside.len() {
            for step in form.steps_from((inside[next], g)) {
                budget.spend(1)?;
                if step.to_global == g && !form.is_done(step.to_node) && !inside.contains(&step.to_node) {
                    inside.push(step.to_node);
                    asked.insert((l, step.to_node));
                }
            }
            next += 1;
        }
    }
    let mut reach = Reach::default();
    let simulation = Simulation::new(asked.iter().copied(), |pair, budget| weak_requirements(form, &mut reach, pair, budget), budget)?;
    let mut points: Vec<Point> = waits.iter().filter(|&&((l, _), x)| simulation.holds((l, x))).map(|&(point, _)| point).collect();
    points.dedup();
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let relation = simulation.witness(asked.into_iter().filter(|&pair| simulation.holds(pair)));
    Ok(vec![Entry::WaitingElimination(WaitingElimination { relation, points })])
}
