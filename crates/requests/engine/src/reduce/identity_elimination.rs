//! Finds identity steps that can be taken when their source is landed on.

use std::collections::BTreeSet;
use std::collections::hash_map;

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_model::{Node, NormalForm, Point};
use serval_proof::script::{Entry, Reduced};

/// The folds that can be done, one after the other.
///
/// Each fold takes one pair of nodes out of the graph of identity steps and
/// may put in pairs that jump over it. Only pairs that lead on in the order in
/// which a depth-first search leaves the nodes are folded, and only from nodes
/// that no identity step lands on from a circle through them.
///
/// That ends: a fold of `(l, x)` takes away identity steps `(l, h) → (x, h)` and
/// adds identity steps `(k, h) → (x, h)` only for `k` from which `l` was reached by
/// identity steps under `h` in the beginning, and not the other way round; so
/// fewer nodes reach `k` than reach `l`. (Without the last condition a step out of
/// a circle is handed round in it for ever.)
pub(super) fn find(reduced: &Reduced, budget: &mut Budget) -> Result<Vec<Entry>, Stopped> {
    let form = reduced.form();
    let rank = ranks(form);
    budget.spend(4 * form.steps().len() as u64)?;
    let circles = circles(form);
    let mut current = Reduced::new(form.clone());
    let mut folds: Vec<(Node, Node)> = Vec::new();
    loop {
        budget.spend(current.form().steps().len() as u64 + 1)?;
        let Some(fold) = next(current.form(), &rank, &circles) else { break };
        current.apply(&Entry::IdentityElimination(vec![fold]), budget)?;
        folds.push(fold);
    }
    Ok(if folds.is_empty() { Vec::new() } else { vec![Entry::IdentityElimination(folds)] })
}

/// The next fold: from the node whose identity steps all lead to nodes that
/// are left earlier, first.
fn next(form: &NormalForm, rank: &[usize], circles: &FxHashMap<Point, usize>) -> Option<(Node, Node)> {
    let mut landings: Vec<Vec<u32>> = vec![Vec::new(); form.nodes().len()];
    let mut in_circle = vec![false; form.nodes().len()];
    for step in form.steps() {
        landings[step.to_node as usize].push(step.to_global);
        if step.global == step.to_global && circles.get(&step.source()) == circles.get(&step.target()) {
            in_circle[step.to_node as usize] = true;
        }
    }
    let mut candidates: BTreeSet<(usize, usize, Node, Node)> = BTreeSet::new();
    for step in form.steps() {
        let (l, x) = (step.node, step.to_node);
        if step.global == step.to_global && !form.is_initial(l) && !in_circle[l as usize] && rank[x as usize] < rank[l as usize] {
            candidates.insert((rank[l as usize], rank[x as usize], l, x));
        }
    }
    let present = |&(_, _, l, x): &(usize, usize, Node, Node)| landings[l as usize].iter().all(|&h| form.has_step((l, h), (x, h)));
    candidates.into_iter().find(present).map(|(_, _, l, x)| (l, x))
}

/// The order in which a depth-first search along identity steps leaves the
/// nodes.
fn ranks(form: &NormalForm) -> Vec<usize> {
    let mut rank = vec![usize::MAX; form.nodes().len()];
    let mut seen = vec![false; form.nodes().len()];
    let mut left = 0;
    for root in form.node_numbers() {
        let mut stack: Vec<(Node, usize)> = Vec::new();
        if !std::mem::replace(&mut seen[root as usize], true) {
            stack.push((root, 0));
        }
        while let Some((node, next)) = stack.last_mut() {
            match form.steps_of(*node).get(*next) {
                Some(step) => {
                    *next += 1;
                    if step.global == step.to_global && !std::mem::replace(&mut seen[step.to_node as usize], true) {
                        stack.push((step.to_node, 0));
                    }
                }
                None => {
                    rank[*node as usize] = left;
                    left += 1;
                    stack.pop();
                }
            }
        }
    }
    rank
}

/// For each point with an identity step from or to it the number of its circle:
/// of the points that reach it by identity steps, and that it reaches.
fn circles(form: &NormalForm) -> FxHashMap<Point, usize> {
    let mut ways: [FxHashMap<Point, Vec<Point>>; 2] = [FxHashMap::default(), FxHashMap::default()];
    let mut points: Vec<Point> = Vec::new();
    for step in form.steps().iter().filter(|step| step.global == step.to_global) {
        ways[0].entry(step.source()).or_default().push(step.target());
        ways[1].entry(step.target()).or_default().push(step.source());
        points.extend([step.source(), step.target()]);
    }
    // Forwards, in the order in which a depth-first search leaves the points;
    // then backwards, from the one that was left last.
    let mut seen: FxHashMap<Point, usize> = FxHashMap::default();
    let mut order = Vec::new();
    for &root in &points {
        search(root, 0, &ways[0], &mut seen, &mut order);
    }
    let mut circles = FxHashMap::default();
    for (number, &root) in order.iter().rev().enumerate() {
        search(root, number, &ways[1], &mut circles, &mut Vec::new());
    }
    circles
}

/// Gives a number to all points that are reached and have none; lists them in
/// the order in which they are left.
fn search(root: Point, number: usize, ways: &FxHashMap<Point, Vec<Point>>, numbers: &mut FxHashMap<Point, usize>, left: &mut Vec<Point>) {
    let hash_map::Entry::Vacant(vacant) = numbers.entry(root) else { return };
    vacant.insert(number);
    let mut stack = vec![(root, 0_usize)];
    while let Some((point, next)) = stack.last_mut() {
        match ways.get(point).and_then(|ways| ways.get(*next)) {
            Some(&to) => {
                *next += 1;
                numbers.entry(to).or_insert_with(|| {
                    stack.push((to, 0));
                    number
                });
            }
            None => {
                left.push(*point);
                stack.pop();
            }
        }
    }
}
