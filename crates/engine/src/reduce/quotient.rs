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
    budget.spend((live.len() * live.len()) as u64)?;
    let alike = |a: u32, b: u32| form.nodes()[a as usize] == form.nodes()[b as usize];
    let mut reach = Reach::default();
    let found = find(&live, alike, |pair, budget| weak_requirements(form, &mut reach, pair, budget), budget)?;
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
    budget.spend((live.len() * live.len()) as u64)?;
    let mut reach = Reach::default();
    let requirements = |pair: Pair, budget: &mut Budget| global_requirements(form, &by_global, &mut reach, pair, budget);
    let found = find(&live, |_, _| true, requirements, budget)?;
    Ok(found.map(Entry::GlobalQuotient).into_iter().collect())
}

/// The classes of mutual simulation among `live`.
fn find(
    live: &[u32],
    alike: impl Fn(u32, u32) -> bool,
    requirements_of: impl FnMut(Pair, &mut Budget) -> Result<Requirements, Stopped>,
    budget: &mut Budget,
) -> Result<Option<Quotient>, Stopped> {
    let asked = live.iter().flat_map(|&a| live.iter().filter(move |&&b| a != b).map(move |&b| (a, b))).filter(|&(a, b)| alike(a, b));
    let simulation = Simulation::new(asked, requirements_of, budget)?;
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for &member in live {
        let class = classes.iter_mut().find(|class| {
            let first = class[0];
            alike(first, member) && simulation.holds((first, member)) && simulation.holds((member, first))
        });
        match class {
            Some(class) => class.push(member),
            None => classes.push(vec![member]),
        }
    }
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
