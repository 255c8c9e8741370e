//! Finds steps for which there is a better one.

use serval_budget::{Budget, Stopped};
use serval_model::{NodeStep, NormalForm};
use serval_proof::script::{Dominated, Entry, Reduced};

use super::game::{Pair, Requirements, Simulation};

/// Steps that lead to a node, or else to a global state, under which less can
/// be done than another step from the same point leads to.
pub(super) fn find(reduced: &Reduced, budget: &mut Budget) -> Result<Vec<Entry>, Stopped> {
    let form = reduced.form();
    let nodes = find_by(
        form,
        budget,
        |a, b| a.to_global == b.to_global && !form.is_done(a.to_node) && !form.is_done(b.to_node),
        |step| step.to_node,
        |pair, budget| node_requirements(form, pair, budget),
    )?;
    if let Some((locals, drops)) = nodes {
        return Ok(vec![Entry::Dominated(Dominated { locals, globals: Vec::new(), drops })]);
    }
    let mut by_global: Vec<Vec<NodeStep>> = vec![Vec::new(); form.global_count() as usize];
    for &step in form.steps() {
        by_global[step.global as usize].push(step);
    }
    let globals = find_by(
        form,
        budget,
        |a, b| a.to_node == b.to_node,
        |step| step.to_global,
        |pair, budget| global_requirements(form, &by_global, pair, budget),
    )?;
    Ok(globals.map(|(globals, drops)| Entry::Dominated(Dominated { locals: Vec::new(), globals, drops })).into_iter().collect())
}

type DominatedNodes = Option<(Vec<Pair>, Vec<(u32, u32)>)>;

fn find_by(
    form: &NormalForm,
    budget: &mut Budget,
    comparable: impl Fn(NodeStep, NodeStep) -> bool,
    end: impl Fn(NodeStep) -> u32,
    requirements_of: impl FnMut(Pair, &mut Budget) -> Result<Requirements, Stopped>,
) -> Result<DominatedNodes, Stopped> {
    // Pairs of steps from one point, by number.
    let mut rivals: Vec<(u32, u32)> = Vec::new();
    let steps = form.steps();
    let mut from = 0;
    for (index, step) in steps.iter().enumerate() {
        if steps[from].source() != step.source() {
            from = index;
        }
        budget.spend((index - from) as u64 + 1)?;
        for (other, rival) in (from..index).zip(&steps[from..index]) {
            if comparable(*step, *rival) {
                let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
                rivals.push((number(index), number(other)));
                rivals.push((number(other), number(index)));
            }
        }
    }
    let ends = |&(better, worse): &(u32, u32)| (end(steps[better as usize]), end(steps[worse as usize]));
    let simulation = Simulation::new(rivals.iter().map(ends), requirements_of, budget)?;
    // Of two that are as good as each other the first stays.
    let beats = |pair: &&(u32, u32)| {
        let (better, worse) = ends(pair);
        simulation.holds((better, worse)) && (pair.0 < pair.1 || !simulation.holds((worse, better)))
    };
    let mut dropped: Vec<u32> = rivals.iter().filter(beats).map(|pair| pair.1).collect();
    dropped.sort_unstable();
    dropped.dedup();
    let mut drops: Vec<(u32, u32)> = rivals
        .iter()
        .filter(|pair| simulation.holds(ends(pair)) && dropped.binary_search(&pair.1).is_ok() && dropped.binary_search(&pair.0).is_err())
        .map(|&(better, worse)| (worse, better))
        .collect();
    drops.sort_unstable();
    drops.dedup_by_key(|drop| drop.0);
    if drops.is_empty() {
        return Ok(None);
    }
    let needed = drops.iter().map(|&(worse, better)| ends(&(better, worse)));
    Ok(Some((simulation.witness(needed), drops)))
}

fn node_requirements(form: &NormalForm, (y, x): Pair, budget: &mut Budget) -> Result<Requirements, Stopped> {
    let mut requirements = Vec::new();
    'steps: for step in form.steps_of(x) {
        let mut list = Vec::new();
        for candidate in form.steps_from((y, step.global)) {
            budget.spend(1)?;
            if candidate.to_global != step.to_global {
                continue;
            }
            if candidate.to_node == step.to_node {
                continue 'steps;
            }
            if !form.is_done(candidate.to_node) && !form.is_done(step.to_node) {
                list.push((candidate.to_node, step.to_node));
            }
        }
        if list.is_empty() {
            return Ok(None);
        }
        requirements.push(list);
    }
    Ok(Some(requirements))
}

fn global_requirements(form: &NormalForm, by_global: &[Vec<NodeStep>], (k, h): Pair, budget: &mut Budget) -> Result<Requirements, Stopped> {
    let mut requirements = Vec::new();
    'steps: for step in &by_global[h as usize] {
        let mut list = Vec::new();
        for candidate in form.steps_from((step.node, k)) {
            budget.spend(1)?;
            if candidate.to_node != step.to_node {
                continue;
            }
            if candidate.to_global == step.to_global {
                continue 'steps;
            }
            list.push((candidate.to_global, step.to_global));
        }
        if list.is_empty() {
            return Ok(None);
        }
        requirements.push(list);
    }
    Ok(Some(requirements))
}
