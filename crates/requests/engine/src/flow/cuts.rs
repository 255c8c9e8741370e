//! Siphons and traps (Esparza, Melzer 2000): what rules out counts that no run has.
//!
//! Counts solve the state equation of a net whose places are nodes and global
//! states. As Esparza and Melzer do (Verification of safety properties using
//! integer programming: beyond the state equation, 2000), solutions that no run
//! has are ruled out by siphons that are empty in the beginning (`forward`), and
//! by traps that must be empty in the end (`backward`); in addition by pairs.

use serval_budget::{Budget, Stopped};
use serval_model::{NodeStep, NormalForm};
use serval_proof::flow::{Cut, Region};
use serval_proof::script::{Entry, Reduced};

/// How often pair pruning is tried while a set of steps is made larger.
const GROWTH_TRIES: u32 = 24;

/// A fact that these counts of steps, of a run that ends in `end`, contradict.
pub(crate) fn cut(form: &NormalForm, counts: &[i64], end: u32, budget: &mut Budget) -> Result<Option<Cut>, Stopped> {
    let made: Vec<NodeStep> = form.steps().iter().zip(counts).filter(|&(_, &count)| count > 0).map(|(step, _)| *step).collect();
    budget.spend(form.steps().len() as u64)?;
    if let Some(fact) = forward(form, &made) {
        return Ok(Some(fact));
    }
    if let Some(fact) = backward(form, &made, end) {
        return Ok(Some(fact));
    }
    pairs(form, &made, counts, budget)
}

/// Steps that cannot begin from the start.
fn forward(form: &NormalForm, made: &[NodeStep]) -> Option<Cut> {
    let mut globals = vec![false; form.global_count() as usize];
    let mut nodes: Vec<bool> = form.node_numbers().map(|node| form.is_initial(node)).collect();
    globals[form.initial_global() as usize] = true;
    let all = saturate(made, &mut globals, &mut nodes, |step| (step.source(), step.target()));
    (!all).then(|| Cut::Forward(Region { globals: listed(&globals), nodes: listed(&nodes) }))
}

/// Steps from which the end cannot come about.
fn backward(form: &NormalForm, made: &[NodeStep], end: u32) -> Option<Cut> {
    let mut globals = vec![false; form.global_count() as usize];
    let mut nodes: Vec<bool> = form.node_numbers().map(|node| form.is_done(node)).collect();
    globals[end as usize] = true;
    let all = saturate(made, &mut globals, &mut nodes, |step| (step.target(), step.source()));
    (!all).then(|| Cut::Backward(Region { globals: listed(&globals), nodes: listed(&nodes) }))
}

/// Adds what the steps lead to, in the direction given, until nothing is new;
/// says whether all steps could begin.
fn saturate(made: &[NodeStep], globals: &mut [bool], nodes: &mut [bool], ends: impl Fn(NodeStep) -> ((u32, u32), (u32, u32))) -> bool {
    loop {
        let (mut new, mut all) = (false, true);
        for &step in made {
            let ((node, global), (to_node, to_global)) = ends(step);
            if nodes[node as usize] && globals[global as usize] {
                new |= !std::mem::replace(&mut nodes[to_node as usize], true);
                new |= !std::mem::replace(&mut globals[to_global as usize], true);
            } else {
                all = false;
            }
        }
        if all || !new {
            return all;
        }
    }
}

fn listed(set: &[bool]) -> Vec<u32> {
    (0..).zip(set).filter(|&(_, &is)| is).map(|(number, _)| number).collect()
}

/// Steps that pair pruning leaves out if only these are made.
fn pairs(form: &NormalForm, made: &[NodeStep], counts: &[i64], budget: &mut Budget) -> Result<Option<Cut>, Stopped> {
    let mut prune = |steps: Vec<NodeStep>| -> Result<Vec<NodeStep>, Stopped> {
        let mut reduced = Reduced::new(form.clone().with_steps(steps));
        reduced.apply(&Entry::Pairs, budget)?;
        Ok(reduced.form().steps().to_vec())
    };
    let left = prune(made.to_vec())?;
    let Some(&dead) = made.iter().find(|step| left.binary_search(step).is_err()) else { return Ok(None) };
    // The more steps the set has, the more the fact says.
    let mut inside: Vec<bool> = counts.iter().take(form.steps().len()).map(|&count| count > 0).collect();
    let outside: Vec<usize> = (0..inside.len()).filter(|&step| !inside[step]).collect();
    let mut tries = 0;
    let mut chunks = vec![outside.as_slice()];
    while let Some(chunk) = chunks.pop() {
        if chunk.is_empty() || tries >= GROWTH_TRIES {
            continue;
        }
        tries += 1;
        for &step in chunk {
            inside[step] = true;
        }
        let steps = form.steps().iter().zip(&inside).filter(|&(_, &is)| is).map(|(step, _)| *step).collect();
        if prune(steps)?.binary_search(&dead).is_ok() {
            for &step in chunk {
                inside[step] = false;
            }
            if chunk.len() > 1 {
                let (first, second) = chunk.split_at(chunk.len() / 2);
                chunks.push(second);
                chunks.push(first);
            }
        }
    }
    let without = (0..).zip(&inside).filter(|&(_, &is)| !is).map(|(step, _)| step).collect();
    Ok(Some(Cut::Pairs(without)))
}
