//! Finds nodes, and global states, that can do the same.

use serval_budget::{Budget, Stopped};
use serval_model::{NodeStep, NormalForm};
use serval_proof::script::{Entry, Quotient, Reduced};

use super::game::{Pair, Requirements, Simulation};
use super::reach::Reach;
use super::waiting_elimination::weak_requirements;

/// Nodes to merge. Initial nodes are merged only with initial nodes, so that a
/// copy that was split off stays split off.
pub(super) fn find_locals(reduced: &Reduced, budget: &mut Budget) -> Result<Vec<Entry>, Stopped> {
    let form = reduced.form();
    let live: Vec<u32> = form.node_numbers().filter(|&node| !form.steps_of(node).is_empty()).collect();
    let mut reach = Reach::default();
    // Of each point of a node, where a request alone can end from there.
    let mut signs = Vec::with_capacity(live.len());
    for &node in &live {
        let mut sign: Vec<[u32; 3]> = Vec::new();
        let mut last = None;
        for step in form.steps_of(node).iter().filter(|step| last.replace(step.global) != Some(step.global)) {
            let ends = reach.from(form, step.source(), budget)?.iter().filter(|point| form.is_done(point.0));
            sign.extend(ends.map(|&(end, global)| [step.global, end, global]));
        }
        budget.spend(sign.len() as u64)?;
        signs.push((form.nodes()[node as usize], sign));
    }
    let found = find(&live, &signs, |pair, budget| weak_requirements(form, &mut reach, pair, budget), budget)?;
    Ok(found.map(Entry::LocalQuotient).into_iter().collect())
}

/// Global states to merge.
pub(super) fn find_globals(reduced: &Reduced, budget: &mut Budget) -> Result<Vec<Entry>, Stopped> {
    let form = reduced.form();
    let mut by_global: Vec<Vec<NodeStep>> = vec![Vec::new(); form.global_count() as usize];
    for &step in form.steps() {
        by_global[step.global as usize].push(step);
    }
    let mut live: Vec<u32> = form.steps().iter().flat_map(|step| [step.global, step.to_global]).collect();
    live.sort_unstable();
    live.dedup();
    let mut reach = Reach::default();
    // Of each node with steps under a global state, with which answers a
    // request alone can end from there.
    let mut signs = Vec::with_capacity(live.len());
    for &global in &live {
        let mut sign: Vec<(u32, u32)> = Vec::new();
        let mut last = None;
        for step in by_global[global as usize].iter().filter(|step| last.replace(step.node) != Some(step.node)) {
            let from = sign.len();
            let ends = reach.from(form, step.source(), budget)?.iter().filter(|point| form.is_done(point.0));
            sign.extend(ends.map(|point| (step.node, point.0)));
            sign[from..].sort_unstable();
        }
        sign.dedup();
        budget.spend(sign.len() as u64)?;
        signs.push(sign);
    }
    let requirements = |pair: Pair, budget: &mut Budget| global_requirements(form, &by_global, &mut reach, pair, budget);
    let found = find(&live, &signs, requirements, budget)?;
    Ok(found.map(Entry::GlobalQuotient).into_iter().collect())
}

/// The classes of mutual simulation among `live`, of which each has a sign that
/// is the same for two that simulate each other.
fn find<Sign: Ord>(
    live: &[u32],
    signs: &[Sign],
    requirements_of: impl FnMut(Pair, &mut Budget) -> Result<Requirements, Stopped>,
    budget: &mut Budget,
) -> Result<Option<Quotient>, Stopped> {
    let mut order: Vec<usize> = (0..live.len()).collect();
    order.sort_by_key(|&at| (&signs[at], live[at]));
    let alike: Vec<Vec<u32>> =
        order.chunk_by(|&a, &b| signs[a] == signs[b]).map(|chunk| chunk.iter().map(|&at| live[at]).collect()).collect();
    budget.spend(alike.iter().map(|some| (some.len() * some.len()) as u64).sum())?;
    let pairs =
        |some: &'_ [u32]| -> Vec<Pair> { some.iter().flat_map(|&a| some.iter().filter(move |&&b| a != b).map(move |&b| (a, b))).collect() };
    let simulation = Simulation::new(alike.iter().flat_map(|some| pairs(some)), requirements_of, budget)?;
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for some in &alike {
        let from = classes.len();
        for &member in some {
            let same = |class: &&mut Vec<u32>| simulation.holds((class[0], member)) && simulation.holds((member, class[0]));
            match classes[from..].iter_mut().find(same) {
                Some(class) => class.push(member),
                None => classes.push(vec![member]),
            }
        }
    }
    classes.sort_unstable();
    classes.retain(|class| class.len() > 1);
    if classes.is_empty() {
        return Ok(None);
    }
    let needed: Vec<Pair> =
        classes.iter().flat_map(|class| class.iter().zip(class.iter().cycle().skip(1)).map(|(&a, &b)| (a, b))).collect();
    Ok(Some(Quotient { relation: simulation.witness(needed), classes }))
}

fn global_requirements(
    form: &NormalForm,
    by_global: &[Vec<NodeStep>],
    reach: &mut Reach,
    (h, g): Pair,
    budget: &mut Budget,
) -> Result<Requirements, Stopped> {
    let mut requirements = Vec::new();
    'steps: for step in &by_global[g as usize] {
        let mut list = Vec::new();
        for &(node, global) in reach.from(form, (step.node, h), budget)? {
            if node == step.to_node {
                if global == step.to_global {
                    continue 'steps;
                }
                list.push((global, step.to_global));
            }
        }
        if list.contains(&(h, g)) {
            continue;
        }
        if list.is_empty() {
            return Ok(None);
        }
        requirements.push(list);
    }
    Ok(Some(requirements))
}
