//! Heads of loops.

use serval_compile::control::{Control, Node, NodeId};

/// The heads of loops that have a `yield`: targets of edges back, in strongly connected parts with a `yield`,
/// ascending.
pub(crate) fn loops_with_yields(control: &Control<'_>) -> Vec<u32> {
    let count = control.node_count();
    // Depth first, with an explicit stack: order, strongly connected parts (Tarjan), edges back.
    let (mut order, mut low, mut open) = (vec![usize::MAX; count], vec![0; count], vec![false; count]);
    let (mut stack, mut next): (Vec<NodeId>, usize) = (Vec::new(), 0);
    let mut heads: Vec<NodeId> = Vec::new();
    let mut on_path = vec![false; count];
    let mut yields_in: Vec<bool> = vec![false; count];
    for &entry in control.entries() {
        if order[entry.index()] != usize::MAX {
            continue;
        }
        let mut calls = vec![(entry, 0)];
        while let Some(&mut (id, ref mut position)) = calls.last_mut() {
            if *position == 0 {
                order[id.index()] = next;
                low[id.index()] = next;
                next += 1;
                stack.push(id);
                open[id.index()] = true;
                on_path[id.index()] = true;
            }
            let successor = control.node(id).successors().nth(*position);
            *position += 1;
            match successor {
                Some(to) if order[to.index()] == usize::MAX => calls.push((to, 0)),
                Some(to) => {
                    if open[to.index()] {
                        low[id.index()] = low[id.index()].min(order[to.index()]);
                    }
                    if on_path[to.index()] {
                        heads.push(to);
                    }
                }
                None => {
                    calls.pop();
                    on_path[id.index()] = false;
                    if let Some(&(caller, _)) = calls.last() {
                        low[caller.index()] = low[caller.index()].min(low[id.index()]);
                    }
                    if low[id.index()] == order[id.index()] {
                        let start = stack.iter().rposition(|&other| other == id).unwrap_or(0);
                        let part: Vec<NodeId> = stack.drain(start..).collect();
                        let yields = part.iter().any(|&node| matches!(control.node(node), Node::Yield { .. }));
                        for node in part {
                            open[node.index()] = false;
                            yields_in[node.index()] = yields;
                        }
                    }
                }
            }
        }
    }
    let mut heads: Vec<u32> = heads.into_iter().filter(|head| yields_in[head.index()]).map(|head| head.0).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}
