//! Slices of a system.

use serval_model::{Node, NormalForm};

/// The system without the runs that answer a letter of the outside, which is
/// sorted.
pub fn slice(form: &NormalForm, outside: &[Node]) -> NormalForm {
    if outside.is_empty() {
        return form.clone();
    }
    let mut sources: Vec<Vec<Node>> = vec![Vec::new(); form.nodes().len()];
    for step in form.steps() {
        sources[step.to_node as usize].push(step.node);
    }
    let done = form.node_numbers().filter(|&node| form.is_done(node) && outside.binary_search(&node).is_err());
    let mut to_visit: Vec<Node> = done.collect();
    let mut reaches = vec![false; form.nodes().len()];
    while let Some(node) = to_visit.pop() {
        if !std::mem::replace(&mut reaches[node as usize], true) {
            to_visit.extend(&sources[node as usize]);
        }
    }
    let steps = form.steps().iter().copied().filter(|step| reaches[step.to_node as usize]).collect();
    form.clone().with_steps(steps)
}
