//! A run with given numbers of answers.

use rustc_hash::FxHashSet;
use serval_budget::{Budget, Stopped};
use serval_model::{Node, NodeStep, NormalForm};

/// What is asked for: how often letters of each class are answered.
pub(super) struct Wanted<'a> {
    /// For each node that is done the number of its class.
    pub(super) class_of: &'a [Option<usize>],
    /// For each class how often.
    pub(super) counts: Vec<i64>,
}

/// The global state, how many requests are at each node, and what is still to
/// be answered.
type OpenConfiguration = (u32, Vec<(Node, i64)>, Vec<i64>);

/// How a search for a run ended.
pub(super) enum Realised {
    /// The steps of a run.
    Run(Vec<NodeStep>),
    /// There is none.
    None,
    /// Too many configurations.
    TooMany,
}

/// Looks for a complete run whose answers are counted so, with no other
/// answers; looks at a limited number of configurations.
///
/// Depth first. A configuration is the global state, how many requests are at
/// each node, and what is still to be answered; one that was seen before led
/// nowhere. A request goes only where an answer can be got that is missing.
pub(super) fn realise(form: &NormalForm, wanted: Wanted<'_>, configurations: usize, budget: &mut Budget) -> Result<Realised, Stopped> {
    let Wanted { class_of, counts: mut left } = wanted;
    let towards = towards(form, class_of, left.len());
    budget.spend(form.steps().len() as u64)?;
    let initial: Vec<Node> = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
    let mut missing: i64 = left.iter().sum();
    let mut tokens: Vec<(Node, i64)> = Vec::new();
    let mut global = form.initial_global();
    // Each step, and whether its request comes in with it.
    let mut path: Vec<(NodeStep, bool)> = Vec::new();
    let mut seen: FxHashSet<OpenConfiguration> = FxHashSet::default();
    let mut moves: Vec<Vec<(NodeStep, bool)>> = Vec::new();
    loop {
        if missing == 0 {
            return Ok(Realised::Run(path.into_iter().map(|(step, _)| step).collect()));
        }
        if moves.len() == path.len() {
            let new = seen.insert((global, tokens.clone(), left.clone()));
            if seen.len() > configurations {
                return Ok(Realised::TooMany);
            }
            let mut here = Vec::new();
            if new {
                let in_flight: i64 = tokens.iter().map(|&(_, count)| count).sum();
                let waiting = tokens.iter().map(|&(node, _)| (node, false));
                let fresh = initial.iter().filter(|_| in_flight < missing).map(|&node| (node, true));
                for (node, is_fresh) in waiting.chain(fresh) {
                    let steps = form.steps_from((node, global));
                    budget.spend(steps.len() as u64 + 1)?;
                    let useful = |step: &&NodeStep| match class_of[step.to_node as usize] {
                        Some(class) if form.is_done(step.to_node) => left[class] > 0,
                        _ => !form.is_done(step.to_node) && towards[step.to_node as usize].iter().any(|&class| left[class] > 0),
                    };
                    here.extend(steps.iter().filter(useful).map(|step| (*step, is_fresh)));
                }
                // The last is tried first: those that were begun are finished first.
                here.reverse();
            }
            moves.push(here);
        }
        let Some(here) = moves.last_mut() else { return Ok(Realised::None) };
        if let Some((step, is_fresh)) = here.pop() {
            if !is_fresh {
                add(&mut tokens, step.node, -1);
            }
            if let Some(class) = class_of[step.to_node as usize].filter(|_| form.is_done(step.to_node)) {
                left[class] -= 1;
                missing -= 1;
            } else {
                add(&mut tokens, step.to_node, 1);
            }
            global = step.to_global;
            path.push((step, is_fresh));
        } else {
            moves.pop();
            let Some((step, is_fresh)) = path.pop() else { return Ok(Realised::None) };
            if let Some(class) = class_of[step.to_node as usize].filter(|_| form.is_done(step.to_node)) {
                left[class] += 1;
                missing += 1;
            } else {
                add(&mut tokens, step.to_node, -1);
            }
            if !is_fresh {
                add(&mut tokens, step.node, 1);
            }
            global = step.global;
        }
    }
}

/// Changes how many requests are at a node.
fn add(tokens: &mut Vec<(Node, i64)>, node: Node, more: i64) {
    match tokens.binary_search_by_key(&node, |&(node, _)| node) {
        Ok(at) => {
            tokens[at].1 += more;
            if tokens[at].1 == 0 {
                tokens.remove(at);
            }
        }
        Err(at) => tokens.insert(at, (node, more)),
    }
}

/// For each node the classes of the letters that can be got to from it.
fn towards(form: &NormalForm, class_of: &[Option<usize>], classes: usize) -> Vec<Vec<usize>> {
    let nodes = form.nodes().len();
    let mut sources: Vec<Vec<Node>> = vec![Vec::new(); nodes];
    for step in form.steps() {
        sources[step.to_node as usize].push(step.node);
    }
    for list in &mut sources {
        list.sort_unstable();
        list.dedup();
    }
    let mut towards = vec![Vec::new(); nodes];
    for class in 0..classes {
        let mut seen = vec![false; nodes];
        let done = form.node_numbers().filter(|&node| form.is_done(node) && class_of[node as usize] == Some(class));
        let mut to_visit: Vec<Node> = done.collect();
        while let Some(node) = to_visit.pop() {
            for &source in &sources[node as usize] {
                if !std::mem::replace(&mut seen[source as usize], true) {
                    towards[source as usize].push(class);
                    to_visit.push(source);
                }
            }
        }
    }
    towards
}
