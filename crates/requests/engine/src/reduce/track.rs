//! What may be worth counting in the global state.
//!
//! Counting makes a system larger, so that other rules and proofs know more: that no other request is on the way while
//! something is changed, or that what is on the way now will never end. There is no telling beforehand what helps, so a
//! few kinds are tried, the smallest first.

use serval_model::{Node, NodeKind, NormalForm};
use serval_proof::script::Track;

/// Nodes that are counted one by one, at most.
const SINGLE: usize = 24;

/// What to count, in the order in which it is tried.
pub(crate) fn candidates(form: &NormalForm) -> Vec<Track> {
    let inner: Vec<Node> =
        form.node_numbers().filter(|&node| form.nodes()[node as usize].1 == NodeKind::Inner && !form.steps_of(node).is_empty()).collect();
    let request = |node: Node| form.nodes()[node as usize].0;
    let mut requests: Vec<_> = inner.iter().map(|&node| request(node)).collect();
    requests.dedup();
    let of = |one| -> Vec<Node> { inner.iter().copied().filter(|&node| request(node) == one).collect() };
    let groups: Vec<Vec<Node>> = requests.into_iter().map(of).collect();
    let mut found = Vec::new();
    let mut add = |groups: Vec<Vec<Node>>, most: u8| {
        let track = Track { groups, most };
        if !track.groups.is_empty() && !found.contains(&track) {
            found.push(track);
        }
    };
    // Each kind of requests alone, all kinds, and all requests together.
    for group in &groups {
        add(vec![group.clone()], 1);
    }
    add(groups.clone(), 1);
    if groups.len() > 1 {
        add(vec![inner.clone()], 1);
    }
    // Where never three requests are at one node this is all that can happen, and nothing is guessed.
    if inner.len() <= SINGLE {
        let single = || inner.iter().map(|&node| vec![node]);
        add(single().collect(), 3);
        for group in single() {
            add(vec![group], 1);
        }
    }
    found
}
