//! Which registers can still be read.
//!
//! A register is *live* at a node when some way onwards reads it before it is
//! written. An operation whose result is dead does not make its operands live
//! (unless it can divide by zero, which must not be hidden), so a variable
//! that only feeds itself dies too. The sets are the least solution of the
//! usual backward equations, reached with a work list.
//!
//! Two waiting requests at one node that differ only in dead registers are
//! strongly bisimilar: they make the same steps, with the same effect on the
//! global state and the same answers. Resetting dead registers therefore
//! changes neither the interleaved nor the serial completed multisets.
//!
//! Request bodies that share no nodes form *regions* of the graph. A region
//! mentions few of the program's registers, and only those have bits there, so
//! that a program of many requests costs no more than its requests do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use crate::graph::{Graph, Node, NodeId, Operand, Reg};

/// The most 64-bit words the sets of one region may take; beyond, all registers
/// of the region count as live, which is always safe. 4 Mi words are 32 MiB.
const MAX_WORDS: usize = 4 << 20;

/// Live registers per node.
pub(crate) struct Liveness {
    /// The region of each node; nodes that no request reaches have none.
    region_of: Vec<Option<u32>>,
    regions: Vec<Region>,
    /// Where each node's set begins in `bits` of its region.
    row_of: Vec<usize>,
}

/// A part of the graph that shares no nodes with others.
#[derive(Default)]
struct Region {
    nodes: Vec<NodeId>,
    /// The registers mentioned, ascending.
    regs: Vec<Reg>,
    words: usize,
    /// Empty where there would be too many.
    bits: Vec<u64>,
}

impl Liveness {
    pub(crate) fn new(graph: &Graph) -> Self {
        let (region_of, mut regions) = regions(graph);
        let mut row_of = vec![0; graph.nodes.len()];
        for region in &mut regions {
            for &id in &region.nodes {
                serval_checkpoint::pass();
                region.regs.extend(mentioned(graph.node(id)));
            }
            region.regs.sort_unstable();
            region.regs.dedup();
            region.words = region.regs.len().div_ceil(64);
            for (position, &id) in region.nodes.iter().enumerate() {
                row_of[id.index()] = position * region.words;
            }
        }
        let mut liveness = Self { region_of, regions, row_of };
        let mut before = vec![Vec::new(); graph.nodes.len()];
        for id in graph.ids() {
            serval_checkpoint::pass();
            for next in graph.node(id).successors() {
                before[next.index()].push(id);
            }
        }
        for region in 0..liveness.regions.len() {
            liveness.solve(graph, region, &before);
        }
        liveness
    }

    fn solve(&mut self, graph: &Graph, region: usize, before: &[Vec<NodeId>]) {
        let Region { nodes, words, .. } = &self.regions[region];
        let (nodes, words) = (nodes.clone(), *words);
        let Some(size) = words.checked_mul(nodes.len()).filter(|&size| size <= MAX_WORDS) else { return };
        // Row by row: one large block could pass a limit on memory unseen.
        let mut bits = Vec::new();
        while bits.len() < size {
            serval_checkpoint::pass();
            bits.resize(bits.len() + words, 0);
        }
        self.regions[region].bits = bits;
        let mut row = vec![0; words];
        // Graphs are built backwards: what comes later in the text has smaller
        // numbers. Smallest first, a loop is settled before what stands before
        // it is looked at.
        let mut list: BinaryHeap<Reverse<NodeId>> = nodes.into_iter().map(Reverse).collect();
        let mut listed: FxHashSet<NodeId> = list.iter().map(|Reverse(id)| *id).collect();
        while let Some(Reverse(id)) = list.pop() {
            serval_checkpoint::pass();
            listed.remove(&id);
            self.transfer(graph.node(id), region, &mut row);
            let at = self.row_of[id.index()];
            let old = &mut self.regions[region].bits[at..at + words];
            if old != row {
                old.copy_from_slice(&row);
                list.extend(before[id.index()].iter().filter(|&&earlier| listed.insert(earlier)).map(|&earlier| Reverse(earlier)));
            }
        }
    }

    /// Writes the set before `node`, given the sets of its successors, to `row`.
    fn transfer(&self, node: Node, region: usize, row: &mut [u64]) {
        let place = &self.regions[region];
        row.fill(0);
        for next in node.successors() {
            let at = self.row_of[next.index()];
            for (word, bits) in row.iter_mut().zip(&place.bits[at..at + place.words]) {
                *word |= bits;
            }
        }
        let set = |row: &mut [u64], operand: Operand| {
            if let Some(index) = operand.reg().and_then(|reg| place.regs.binary_search(&reg).ok()) {
                row[index / 64] |= 1 << (index % 64);
            }
        };
        match node {
            Node::Do { op, next } => {
                if op.writes().is_some_and(|to| !self.is_live(next, to)) && !op.can_fail() {
                    return;
                }
                if let Some(index) = op.writes().and_then(|to| place.regs.binary_search(&to).ok()) {
                    row[index / 64] &= !(1 << (index % 64));
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

    fn region(&self, id: NodeId) -> Option<&Region> {
        self.region_of[id.index()].map(|region| &self.regions[region as usize])
    }

    /// Whether `reg` can be read at or after `id` before it is written.
    pub(crate) fn is_live(&self, id: NodeId, reg: Reg) -> bool {
        let Some(region) = self.region(id) else { return true };
        let Ok(index) = region.regs.binary_search(&reg) else { return false };
        region.bits.is_empty() || region.bits[self.row_of[id.index()] + index / 64] >> (index % 64) & 1 == 1
    }

    /// The live registers at `id`, ascending.
    pub(crate) fn live_at(&self, id: NodeId) -> Vec<Reg> {
        let Some(region) = self.region(id) else { return Vec::new() };
        if region.bits.is_empty() {
            return region.regs.clone();
        }
        let at = self.row_of[id.index()];
        let mut live = Vec::new();
        for (word, &bits) in region.bits[at..at + region.words].iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                live.push(region.regs[word * 64 + left.trailing_zeros() as usize]);
                left &= left - 1;
            }
        }
        live
    }

    /// The region of `id` if all its registers count as live everywhere in it.
    pub(crate) fn all_live_in(&self, id: NodeId) -> Option<u32> {
        let number = self.region_of[id.index()]?;
        let region = &self.regions[number as usize];
        (region.bits.is_empty() && !region.regs.is_empty()).then_some(number)
    }

    /// The registers that the request bodies around `id` mention, ascending.
    pub(crate) fn mentioned_around(&self, id: NodeId) -> &[Reg] {
        self.region(id).map_or(&[], |region| &region.regs)
    }
}

fn mentioned(node: Node) -> Vec<Reg> {
    match node {
        Node::Do { op, .. } => op.reads().into_iter().flatten().filter_map(Operand::reg).chain(op.writes()).collect(),
        Node::Branch { test: operand, .. } | Node::Answer { value: operand } => operand.reg().into_iter().collect(),
        Node::Yield { .. } | Node::Never => Vec::new(),
    }
}

/// Regions: what the entries reach, joined where they reach the same nodes.
fn regions(graph: &Graph) -> (Vec<Option<u32>>, Vec<Region>) {
    let mut first: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    let mut leader: Vec<usize> = (0..graph.entries.len()).collect();
    let mut order = Vec::new();
    for (body, &entry) in graph.entries.iter().enumerate() {
        let mut stack = vec![entry];
        while let Some(id) = stack.pop() {
            serval_checkpoint::pass();
            match first[id.index()] {
                None => {
                    first[id.index()] = Some(body);
                    order.push(id);
                    stack.extend(graph.node(id).successors());
                }
                Some(other) => join(&mut leader, body, other),
            }
        }
    }
    let mut number: Vec<Option<u32>> = vec![None; graph.entries.len()];
    let mut regions: Vec<Region> = Vec::new();
    let mut region_of = vec![None; graph.nodes.len()];
    for id in order {
        serval_checkpoint::pass();
        let Some(body) = first[id.index()] else { continue };
        let root = root(&mut leader, body);
        let region = *number[root].get_or_insert_with(|| {
            regions.push(Region::default());
            u32::try_from(regions.len() - 1).unwrap_or(u32::MAX)
        });
        region_of[id.index()] = Some(region);
        regions[region as usize].nodes.push(id);
    }
    (region_of, regions)
}

fn root(leader: &mut [usize], mut body: usize) -> usize {
    while leader[body] != body {
        leader[body] = leader[leader[body]];
        body = leader[body];
    }
    body
}

fn join(leader: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(leader, a), root(leader, b));
    leader[a.max(b)] = a.min(b);
}
