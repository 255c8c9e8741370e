//! Makes the control graph say only what matters, so that requests that
//! behave alike wait in the same state.
//!
//! Each rewriting below leaves every step's effect on the remaining globals,
//! its possible answers and the places where it ends as they were:
//!
//! * a global that no request writes is its initial value, a local that no
//!   operation writes and that is no parameter is 0 (an element of an array that stands for others
//!   counts as written and read: requests that are not here may do so);
//! * an operation on constants is its value, a branch on a constant is a jump;
//! * a branch with one target is a jump;
//! * an operation whose result is dead and that cannot fail does nothing (see [`crate::liveness`]
//!   and [`crate::intervals`]);
//! * a write to a global that no request reads has no observable effect:
//!   configurations that differ only in that global are bisimilar;
//! * a node from which no way leads to the end of a step is [`Node::Never`]:
//!   a run that comes there gives no step.
//!
//! None of them moves the end of a step, so a request comes and answers when it did, in the same order among the
//! others.
//!
//! An operation that can divide by zero, overflow or leave a range is never removed and counts as an end of a step,
//! because the error must be reported, whether or not its result is used. (What can fail is found on the graph as
//! written. The rewritings only replace operands by their values and cut off ways that no run goes, so what could not
//! fail there cannot fail afterwards.)

use serval_syntax::{Global, value};

use crate::graph::{Graph, Node, NodeId, Op, Operand};
use crate::intervals::failing;
use crate::liveness::{Failing, Liveness, Reads};

/// Simplifies in place; node numbers keep their meaning. `executed` is the liveness of the
/// graph as it is, in the reading [`Reads::Executed`].
pub(crate) fn simplify(graph: &mut Graph, globals: &[Global], executed: &Liveness) {
    let failing = failing(graph, globals, executed);
    // Each round removes at least one operation or branch, and every prefix of
    // the rounds is sound, so a fixed number is a choice of effort only. What
    // leads nowhere is cut off in each, because that lets more results die.
    for _ in 0..8 {
        let uses = Uses::new(graph, globals);
        let mut changed = fold(graph, globals, &uses);
        changed |= mark_never(graph, &failing);
        changed |= remove_dead(graph, &uses, &failing);
        if !changed {
            break;
        }
    }
}

/// Jumps are branches that do not look.
pub(crate) fn jump(target: NodeId) -> Node {
    Node::Branch { test: Operand::Const(1), then: target, otherwise: target }
}

/// Who reads and writes what, over the nodes that can be reached.
struct Uses {
    reachable: Vec<bool>,
    global_read: Vec<bool>,
    global_written: Vec<bool>,
    reg_written: Vec<bool>,
}

impl Uses {
    fn new(graph: &Graph, globals: &[Global]) -> Self {
        let mut uses = Self {
            reachable: reachable(graph),
            global_read: globals.iter().map(|global| global.stands).collect(),
            global_written: globals.iter().map(|global| global.stands).collect(),
            reg_written: vec![false; graph.reg_count],
        };
        for (reg, ..) in graph.params.iter().flatten() {
            uses.reg_written[reg.index()] = true;
        }
        for id in graph.ids().filter(|id| uses.reachable[id.index()]) {
            serval_budget::checkpoint::pass();
            let Node::Do { op, .. } = graph.node(id) else { continue };
            match op {
                Op::Load { global, .. } => uses.global_read[global.index()] = true,
                Op::Store { global, .. } => uses.global_written[global.index()] = true,
                _ => {}
            }
            if let Some(to) = op.writes() {
                uses.reg_written[to.index()] = true;
            }
        }
        uses
    }
}

/// Which nodes a request can come to.
pub(crate) fn reachable(graph: &Graph) -> Vec<bool> {
    let mut reachable = vec![false; graph.nodes.len()];
    let mut stack = graph.entries.clone();
    while let Some(id) = stack.pop() {
        serval_budget::checkpoint::pass();
        if !std::mem::replace(&mut reachable[id.index()], true) {
            stack.extend(graph.node(id).successors());
        }
    }
    reachable
}

fn fold(graph: &mut Graph, globals: &[Global], uses: &Uses) -> bool {
    let mut changed = false;
    for id in graph.ids().filter(|id| uses.reachable[id.index()]) {
        serval_budget::checkpoint::pass();
        let old = graph.node(id);
        let known = |operand: Operand| match operand {
            Operand::Reg(reg) if !uses.reg_written[reg.index()] => Operand::Const(0),
            operand => operand,
        };
        let new = match old {
            Node::Do { mut op, next } => {
                op.map_reads(known);
                if let Op::Load { to, global } = op
                    && !uses.global_written[global.index()]
                {
                    op = Op::Copy { to, from: Operand::Const(globals[global.index()].initial) };
                }
                Node::Do { op: fold_op(op), next }
            }
            Node::Branch { test, then, otherwise } => match known(test) {
                Operand::Const(value) => jump(if value != 0 { then } else { otherwise }),
                Operand::Reg(_) if then == otherwise => jump(then),
                test => Node::Branch { test, then, otherwise },
            },
            Node::Answer { value } => Node::Answer { value: known(value) },
            Node::Yield { .. } | Node::Never => old,
        };
        if new != old {
            graph.nodes[id.index()] = new;
            changed = true;
        }
    }
    changed
}

fn fold_op(op: Op) -> Op {
    let folded = match op {
        Op::Not { to, from: Operand::Const(value) } => Some((to, Ok(i64::from(value == 0)))),
        Op::Negate { to, from: Operand::Const(value) } => Some((to, value::negate(value))),
        Op::Arithmetic { op, to, left: Operand::Const(left), right: Operand::Const(right) } => {
            Some((to, value::arithmetic(op, left, right)))
        }
        Op::Compare { op, to, left: Operand::Const(left), right: Operand::Const(right) } => Some((to, Ok(value::compare(op, left, right)))),
        _ => None,
    };
    match folded {
        Some((to, Ok(value))) => Op::Copy { to, from: Operand::Const(value) },
        _ => op,
    }
}

fn remove_dead(graph: &mut Graph, uses: &Uses, failing: &Failing) -> bool {
    let liveness = Liveness::new(graph, Reads::Useful(failing));
    let mut changed = false;
    for id in graph.ids().filter(|id| uses.reachable[id.index()]) {
        serval_budget::checkpoint::pass();
        let Node::Do { op, next } = graph.node(id) else { continue };
        let dead = match op {
            Op::Store { global, .. } => !uses.global_read[global.index()],
            _ if failing.at(id) => false,
            Op::Check { .. } => true,
            Op::Copy { to, from: Operand::Reg(from) } if to == from => true,
            _ => op.writes().is_some_and(|to| !liveness.is_live(next, to)),
        };
        if dead {
            graph.nodes[id.index()] = jump(next);
            changed = true;
        }
    }
    changed
}

fn mark_never(graph: &mut Graph, failing: &Failing) -> bool {
    let mut ends = vec![false; graph.nodes.len()];
    // What comes later in the text has smaller numbers, so that once round
    // settles everything but loops.
    loop {
        let mut grown = false;
        for id in graph.ids() {
            serval_budget::checkpoint::pass();
            let node = graph.node(id);
            if !ends[id.index()] {
                let end = match node {
                    Node::Yield { .. } | Node::Answer { .. } => true,
                    Node::Do { .. } if failing.at(id) => true,
                    _ => node.successors_in_step().any(|next| ends[next.index()]),
                };
                ends[id.index()] = end;
                grown |= end;
            }
        }
        if !grown {
            break;
        }
    }
    let mut changed = false;
    for id in graph.ids().filter(|id| !ends[id.index()]) {
        changed |= std::mem::replace(&mut graph.nodes[id.index()], Node::Never) != Node::Never;
    }
    changed
}
