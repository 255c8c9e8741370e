//! Requests that are followed one by one.
//!
//! Counting, pairs and what can be reached forget which requests there are. For
//! runs that answer letters of some sets `Γ_1, Γ_2, …` exactly `k_1, k_2, …` times
//! nothing need be forgotten about the requests that answer so: they are few.
//!
//! Let the sets be disjoint. The *explicit system* has the nodes of the system,
//! and two more, an initial and a done one, between which a *tick* goes. Its
//! global states are *controls*: a global state `g`; which of the followed
//! requests are under way, each with its node and the set in which it will
//! answer; and for each set how many have begun. At first none has. In it,
//!
//! - each step `(n, g) → (n', g')` of the [slice](super::fact) without the letters of
//!   the sets can be made by every request at `n`, whatever the rest of the control;
//! - a tick makes a step of a followed request: of one that is under way, or of
//!   one that begins at an initial node, if fewer than `k_i` have begun; it may land
//!   on a node that is not done, or on a letter of its set, with which it is no
//!   longer under way.
//!
//! A control is *final* if no request is under way and `k_i` have begun for each set.
//! Only steps between controls are kept that can be reached from the first one,
//! and from which a final one can be reached, along steps, whatever the nodes.
//!
//! **Lemma.** Let a complete run of the system answer letters of each `Γ_i` exactly
//! `k_i` times. Then the explicit system has a complete run with the same answers
//! outside the sets, beside those of ticks; and if no final control can be
//! reached, there is no such run.
//!
//! *Proof.* Follow the requests that answer in a set, each from its first step on;
//! their steps become ticks, the steps of the others are made as they are. At each
//! moment the control says where the followed ones are, and at the end it is
//! final, so all controls on the way are kept. Each tick is done at once, and
//! the others answer outside the sets, so that all their steps are in the slice. ∎

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::objects;
use serval_model::{Node, NodeKind, NodeStep, NormalForm, RequestId, ResponseId};

use super::slice::slice;
use crate::script::size;

/// Letters that are answered exactly this number of times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Exactly {
    /// The letters, sorted.
    pub letters: Vec<Node>,
    /// How often they are answered, all together.
    pub times: u32,
}

objects!(Exactly);

/// A control: a global state, who is under way (a node and the number of a set,
/// sorted), and how many have begun for each set.
type Control = (u32, Vec<(Node, usize)>, Vec<u32>);

/// The explicit system; `None` if no final control can be reached. For each
/// control and each step that is looked at as many ticks as a control has
/// entries: they are written down anew each time.
pub fn explicit_system(form: &NormalForm, exactly: &[Exactly], budget: &mut Budget) -> Result<Option<NormalForm>, Stopped> {
    let ExploredControls { controls, moves } = explore(form, exactly, budget)?;
    let is_final =
        |(_, under_way, begun): &Control| under_way.is_empty() && begun.iter().zip(exactly).all(|(begun, exactly)| *begun == exactly.times);
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); controls.len()];
    for step in &moves {
        sources[step.to_global as usize].push(step.global);
    }
    let mut to_visit: Vec<u32> = (0..).zip(&controls).filter(|(_, control)| is_final(control)).map(|(number, _)| number).collect();
    let mut kept = vec![false; controls.len()];
    to_visit.iter().for_each(|&control| kept[control as usize] = true);
    while let Some(control) = to_visit.pop() {
        budget.spend(sources[control as usize].len() as u64 + 1)?;
        for &source in &sources[control as usize] {
            if !std::mem::replace(&mut kept[source as usize], true) {
                to_visit.push(source);
            }
        }
    }
    if !kept.first().is_some_and(|&kept| kept) {
        return Ok(None);
    }
    let mut nodes = form.nodes().to_vec();
    let request = RequestId::from_index(nodes.iter().map(|(request, _)| request.index() + 1).max().unwrap_or(0));
    nodes.extend([(request, NodeKind::Initial), (request, NodeKind::Done(ResponseId::from_index(0)))]);
    let count = u32::try_from(controls.len()).map_err(|_| Stopped::OutOfTicks)?;
    let steps = moves.into_iter().filter(|step| kept[step.global as usize] && kept[step.to_global as usize]);
    Ok(Some(NormalForm::from_parts(count, 0, nodes, steps.collect())))
}

/// The controls that can be reached, the first one first, and all steps.
struct ExploredControls {
    controls: Vec<Control>,
    moves: Vec<NodeStep>,
}

fn explore(form: &NormalForm, exactly: &[Exactly], budget: &mut Budget) -> Result<ExploredControls, Stopped> {
    let set_of = |node: Node| exactly.iter().position(|exactly| exactly.letters.binary_search(&node).is_ok());
    let initial: Vec<Node> = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
    let mut under: Vec<Vec<NodeStep>> = vec![Vec::new(); form.global_count() as usize];
    let mut followed: Vec<Node> = exactly.iter().flat_map(|exactly| &exactly.letters).copied().collect();
    followed.sort_unstable();
    budget.spend(size(form) as u64 * 2)?;
    for step in slice(form, &followed).steps() {
        under[step.global as usize].push(*step);
    }
    let tick = form.node_numbers().end;
    let ticked = tick.checked_add(1).ok_or(Stopped::OutOfTicks)?;
    let first: Control = (form.initial_global(), Vec::new(), vec![0; exactly.len()]);
    let mut numbers: BTreeMap<Control, u32> = BTreeMap::from([(first.clone(), 0)]);
    let mut controls = vec![first];
    let mut moves = Vec::new();
    let mut next = 0;
    while let Some(control) = controls.get(next).cloned() {
        let number = u32::try_from(next).map_err(|_| Stopped::OutOfTicks)?;
        let (global, under_way, begun) = &control;
        let entries = (under_way.len() + begun.len()) as u64 + 1;
        budget.spend(entries.saturating_mul(under[*global as usize].len() as u64 + 1))?;
        // Where each step leads, and by which node it is made.
        let mut leads: Vec<(Node, Node, Control)> = Vec::new();
        for step in &under[*global as usize] {
            leads.push((step.node, step.to_node, (step.to_global, under_way.clone(), begun.clone())));
        }
        for (set, exactly) in exactly.iter().enumerate() {
            let going = under_way.iter().enumerate().filter(|&(_, &(_, of))| of == set).map(|(at, &(node, _))| (Some(at), node));
            let fresh = initial.iter().filter(|_| begun[set] < exactly.times).map(|&node| (None, node));
            budget.spend(under_way.len() as u64 + 1)?;
            for (at, node) in going.chain(fresh) {
                for step in form.steps_from((node, *global)) {
                    budget.spend(entries)?;
                    let answers = form.is_done(step.to_node);
                    if answers && set_of(step.to_node) != Some(set) {
                        continue;
                    }
                    let (mut under_way, mut begun) = (under_way.clone(), begun.clone());
                    match at {
                        Some(at) => drop(under_way.remove(at)),
                        None => begun[set] += 1,
                    }
                    if !answers {
                        let place = under_way.partition_point(|other| *other < (step.to_node, set));
                        under_way.insert(place, (step.to_node, set));
                    }
                    leads.push((tick, ticked, (step.to_global, under_way, begun)));
                }
            }
        }
        for (node, to_node, then) in leads {
            let new = u32::try_from(controls.len()).map_err(|_| Stopped::OutOfTicks)?;
            let to_global = *numbers.entry(then.clone()).or_insert(new);
            if to_global == new {
                controls.push(then);
            }
            moves.push(NodeStep { node, global: number, to_node, to_global });
        }
        next += 1;
    }
    Ok(ExploredControls { controls, moves })
}
