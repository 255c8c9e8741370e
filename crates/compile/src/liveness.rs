//! Which registers can still be read.
//!
//! A register is *live* at a node when some way onwards reads it before it is
//! written. An operation whose result is dead does not make its operands live
//! (unless it can divide by zero, which must not be hidden), so a variable
//! that only feeds itself dies too. The sets are the least solution of the
//! usual backward equations, reached by iteration.
//!
//! Two waiting requests at one node that differ only in dead registers are
//! strongly bisimilar: they make the same steps, with the same effect on the
//! global state and the same answers. Resetting dead registers therefore
//! changes neither the interleaved nor the serial completed multisets.

use crate::graph::{Graph, Node, NodeId, Operand, Reg};

/// The most 64-bit words the sets may take; beyond, everything counts as
/// live, which is always safe. 32 Mi words are 256 MiB.
const MAX_WORDS: usize = 32 << 20;

/// Live registers per node.
pub(crate) struct Liveness {
    words: usize,
    /// Row per node; empty where the analysis was too large.
    bits: Vec<u64>,
    reg_count: usize,
}

impl Liveness {
    pub(crate) fn new(graph: &Graph) -> Self {
        let words = graph.reg_count.div_ceil(64);
        let size = words.checked_mul(graph.nodes.len());
        let Some(size) = size.filter(|&size| size <= MAX_WORDS) else {
            return Self { words, bits: Vec::new(), reg_count: graph.reg_count };
        };
        let mut liveness = Self { words, bits: vec![0; size], reg_count: graph.reg_count };
        let mut row = vec![0; words];
        // Successors mostly have smaller numbers, because graphs are built
        // backwards, so few rounds are needed: about one per level of loops.
        loop {
            let mut changed = false;
            for id in graph.ids() {
                liveness.transfer(graph.node(id), &mut row);
                let old = &mut liveness.bits[id.index() * words..(id.index() + 1) * words];
                if old != row {
                    old.copy_from_slice(&row);
                    changed = true;
                }
            }
            if !changed {
                return liveness;
            }
        }
    }

    /// Writes the set before `node`, given the sets of its successors, to `row`.
    fn transfer(&self, node: Node, row: &mut [u64]) {
        row.fill(0);
        for next in node.successors() {
            for (word, bits) in row.iter_mut().zip(self.row(next)) {
                *word |= bits;
            }
        }
        match node {
            Node::Do { op, next } => {
                if op.writes().is_some_and(|to| !self.is_live(next, to)) && !op.can_divide_by_zero() {
                    return;
                }
                if let Some(to) = op.writes() {
                    row[to.index() / 64] &= !(1 << (to.index() % 64));
                }
                for operand in op.reads().into_iter().flatten() {
                    set(row, operand);
                }
            }
            Node::Branch { test, .. } => set(row, test),
            Node::Answer { value } => set(row, value),
            Node::Yield { .. } | Node::Never => {}
        }
    }

    fn row(&self, id: NodeId) -> &[u64] {
        &self.bits[id.index() * self.words..(id.index() + 1) * self.words]
    }

    /// Whether `reg` can be read at or after `id` before it is written.
    pub(crate) fn is_live(&self, id: NodeId, reg: Reg) -> bool {
        self.bits.is_empty() || self.row(id)[reg.index() / 64] >> (reg.index() % 64) & 1 == 1
    }

    /// The live registers at `id`, ascending.
    pub(crate) fn live_at(&self, id: NodeId) -> impl Iterator<Item = Reg> {
        let reg_count = u32::try_from(self.reg_count).unwrap_or(u32::MAX);
        (0..reg_count).map(Reg).filter(move |&reg| self.is_live(id, reg))
    }
}

fn set(row: &mut [u64], operand: Operand) {
    if let Some(reg) = operand.reg() {
        row[reg.index() / 64] |= 1 << (reg.index() % 64);
    }
}
