//! What states consist of, and what steps do to them.

use std::collections::BTreeMap;

use serval_model::{Node, NodeStep, NormalForm};

use crate::Names;
use crate::inductive::StepChange;
use crate::smtlib::{SmtTerm, at_most, equal, sum};

/// The global state.
pub(crate) const GLOBAL: &str = "g";

pub(crate) fn at(node: Node) -> String {
    format!("at{node}")
}

pub(crate) fn made(step: usize) -> String {
    format!("made{step}")
}

/// The sum of the counts of some steps.
pub(crate) fn made_of(form: &NormalForm, which: impl Fn(&NodeStep) -> bool) -> SmtTerm {
    sum(form.steps().iter().enumerate().filter(|(_, step)| which(step)).map(|(index, _)| (made(index), 1)), 0)
}

pub(crate) fn global_is(global: u32) -> SmtTerm {
    equal(GLOBAL, &global.to_string())
}

/// What a step does to the nodes, the global state and the counts.
pub(crate) fn change(form: &NormalForm, index: usize, step: NodeStep, is_there: impl Fn(Node) -> bool, names: &Names) -> StepChange {
    let mut needs = vec![global_is(step.global)];
    let mut nodes: BTreeMap<Node, i64> = BTreeMap::new();
    if is_there(step.node) {
        needs.push(at_most("1", &at(step.node)));
        *nodes.entry(step.node).or_default() -= 1;
    }
    if !form.is_done(step.to_node) && is_there(step.to_node) {
        *nodes.entry(step.to_node).or_default() += 1;
    }
    let mut new: BTreeMap<String, SmtTerm> = nodes.into_iter().map(|(node, change)| (at(node), sum([(at(node), 1)], change))).collect();
    new.insert(GLOBAL.to_owned(), step.to_global.to_string());
    new.insert(made(index), sum([(made(index), 1)], 1));
    StepChange { name: format!("step-{index}"), says: names.step(index, step), needs, new }
}

/// The nodes that a step lands on.
pub(crate) fn landed(form: &NormalForm) -> Vec<bool> {
    let mut landed = vec![false; form.nodes().len()];
    for step in form.steps() {
        landed[step.to_node as usize] = true;
    }
    landed
}
