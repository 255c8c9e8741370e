//! Which registers can still be read.
//!
//! A register is *live* at a node when some way onwards reads it before it is
//! written. The sets are the least solution of the usual backward equations,
//! reached by going round. There are two readings of "reads" ([`Reads`]):
//!
//! * **Executed**: every operation reads its operands. The machine executes every operation of its graph, so
//!   this is the reading for what a waiting request must keep. *The invariant of the machine*: whatever it reads
//!   in a step was written earlier in that step or is kept by the waiting request. It holds
//!   because what a request keeps at a node contains the live registers there, in this reading.
//!   Registers check it in debug builds (see [`crate::registers`]).
//! * **Useful**: an operation whose result is dead and that cannot fail does not make its operands
//!   live, so a variable that only feeds itself dies too (it is *faint*). With this reading
//!   `simplify` finds operations to remove; it says nothing about a graph in which they still are.
//!
//! Two waiting requests at one node that differ only in dead registers are
//! strongly bisimilar: they make the same steps, with the same effect on the
//! global state, the same answers and the same errors. Resetting dead registers therefore
//! changes neither the interleaved nor the serial completed multisets, nor when a request comes and answers.
//!
//! Request bodies that share no nodes form *regions* of the graph. A region
//! mentions few of the program's registers, and only those have bits there, so
//! that a program of many requests costs no more than its requests do.

use crate::disjoint::DisjointSets;
use crate::graph::{Graph, Node, NodeId, Operand, Reg};

/// The most 64-bit words the sets of one region may take; beyond, all registers
/// of the region count as live, which is always safe. 4 Mi words are 32 MiB.
const MAX_WORDS: usize = 4 << 20;

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// The operations that can fail, by node.
pub(crate) struct Failing {
    pub(crate) at: Vec<bool>,
}

impl Failing {
    /// Whether the operation at `id` can end in an error.
    pub(crate) fn at(&self, id: NodeId) -> bool {
        self.at[id.index()]
    }
}

/// Which operations read their operands.
#[derive(Clone, Copy)]
pub(crate) enum Reads<'a> {
    /// All.
    Executed,
    /// Those that can fail or whose result is live.
    Useful(&'a Failing),
}

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
    pub(crate) fn new(graph: &Graph, reads: Reads<'_>) -> Self {
        let (region_of, mut regions) = regions(graph);
        let mut row_of = vec![0; graph.nodes.len()];
        for region in &mut regions {
            for &id in &region.nodes {
                serval_budget::checkpoint::pass();
                mentioned(graph.node(id), |reg| region.regs.push(reg));
            }
            region.regs.sort_unstable();
            region.regs.dedup();
            region.words = region.regs.len().div_ceil(64);
            // Graphs are built backwards: what comes later in the text has smaller
            // numbers. In ascending order a node comes after all that follow it, but
            // for the heads of loops.
            region.nodes.sort_unstable();
            for (position, &id) in region.nodes.iter().enumerate() {
                row_of[id.index()] = position * region.words;
            }
        }
        let mut liveness = Self { region_of, regions, row_of };
        let mut bit_of = vec![0; graph.reg_count];
        for region in 0..liveness.regions.len() {
            for (bit, reg) in liveness.regions[region].regs.iter().enumerate() {
                bit_of[reg.index()] = bit;
            }
            liveness.solve(graph, region, &bit_of, reads);
        }
        liveness
    }

    /// `bit_of` tells where the bit of each register of the region is.
    fn solve(&mut self, graph: &Graph, region: usize, bit_of: &[usize], reads: Reads<'_>) {
        let Region { nodes, words, .. } = &mut self.regions[region];
        let (nodes, words) = (std::mem::take(nodes), *words);
        let Some(size) = words.checked_mul(nodes.len()).filter(|&size| size <= MAX_WORDS) else { return };
        // Row by row: one large block could pass a limit on memory unseen.
        let mut bits = Vec::new();
        while bits.len() < size {
            serval_budget::checkpoint::pass();
            bits.resize(bits.len() + words, 0);
        }
        self.regions[region].bits = bits;
        if words == 0 {
            return;
        }
        let place = |id: NodeId| self.row_of[id.index()] / words;
        // What comes before a place, as chains: the last link of each, and of each link the place and the link before.
        let mut last = vec![NONE; nodes.len()];
        let mut links: Vec<(u32, u32)> = Vec::with_capacity(nodes.len());
        for (at, &id) in (0_u32..).zip(&nodes) {
            for next in graph.node(id).successors() {
                let link = u32::try_from(links.len()).unwrap_or(NONE);
                links.push((at, std::mem::replace(&mut last[place(next)], link)));
            }
        }
        let mut row = vec![0; words];
        // Places to look at, again and again in ascending order: what comes
        // before a node whose set has changed.
        let mut waiting = vec![u64::MAX; nodes.len().div_ceil(64)];
        while let Some(mut block) = waiting.iter().position(|&block| block != 0) {
            while block < waiting.len() {
                let here = block * 64 + waiting[block].trailing_zeros() as usize;
                if waiting[block] == 0 || here >= nodes.len() {
                    waiting[block] = 0;
                    block += 1;
                    continue;
                }
                waiting[block] &= waiting[block] - 1;
                serval_budget::checkpoint::pass();
                self.transfer(graph, nodes[here], region, bit_of, reads, &mut row);
                let old = &mut self.regions[region].bits[here * words..(here + 1) * words];
                if old != row {
                    old.copy_from_slice(&row);
                    let mut link = last[here];
                    while let Some(&(at, before)) = links.get(link as usize) {
                        waiting[at as usize / 64] |= 1 << (at % 64);
                        link = before;
                    }
                }
            }
        }
    }

    /// Writes the set before a node, given the sets of its successors, to `row`.
    fn transfer(&self, graph: &Graph, id: NodeId, region: usize, bit_of: &[usize], reads: Reads<'_>, row: &mut [u64]) {
        let node = graph.node(id);
        let place = &self.regions[region];
        row.fill(0);
        for next in node.successors() {
            let at = self.row_of[next.index()];
            for (word, bits) in row.iter_mut().zip(&place.bits[at..at + place.words]) {
                *word |= bits;
            }
        }
        let set = |row: &mut [u64], operand: Operand| {
            if let Some(reg) = operand.reg() {
                let bit = bit_of[reg.index()];
                row[bit / 64] |= 1 << (bit % 64);
            }
        };
        match node {
            Node::Do { op, .. } => {
                // So far the set is the one of the only successor.
                let written = op.writes().map(|to| bit_of[to.index()]);
                let dead = written.is_some_and(|bit| row[bit / 64] >> (bit % 64) & 1 == 0);
                if dead && matches!(reads, Reads::Useful(failing) if !failing.at(id)) {
                    return;
                }
                if let Some(bit) = written {
                    row[bit / 64] &= !(1 << (bit % 64));
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

    /// The number of the region of `id`; nodes that no request comes to have none.
    pub(crate) fn region_number(&self, id: NodeId) -> Option<u32> {
        self.region_of[id.index()]
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

fn mentioned(node: Node, mut each: impl FnMut(Reg)) {
    match node {
        Node::Do { op, .. } => {
            op.reads().into_iter().flatten().filter_map(Operand::reg).for_each(&mut each);
            op.writes().into_iter().for_each(each);
        }
        Node::Branch { test: operand, .. } | Node::Answer { value: operand } => operand.reg().into_iter().for_each(each),
        Node::Yield { .. } | Node::Never => {}
    }
}

/// Regions: what the entries reach, joined where they reach the same nodes.
fn regions(graph: &Graph) -> (Vec<Option<u32>>, Vec<Region>) {
    let mut first: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    let mut together = DisjointSets::new(graph.entries.len());
    let mut order = Vec::new();
    for (body, &entry) in graph.entries.iter().enumerate() {
        let mut stack = vec![entry];
        while let Some(id) = stack.pop() {
            serval_budget::checkpoint::pass();
            match first[id.index()] {
                None => {
                    first[id.index()] = Some(body);
                    order.push(id);
                    stack.extend(graph.node(id).successors());
                }
                Some(other) => together.unite(body, other),
            }
        }
    }
    let mut number: Vec<Option<u32>> = vec![None; graph.entries.len()];
    let mut regions: Vec<Region> = Vec::new();
    let mut region_of = vec![None; graph.nodes.len()];
    for id in order {
        serval_budget::checkpoint::pass();
        let Some(body) = first[id.index()] else { continue };
        let root = together.least(body);
        let region = *number[root].get_or_insert_with(|| {
            regions.push(Region::default());
            u32::try_from(regions.len() - 1).unwrap_or(u32::MAX)
        });
        region_of[id.index()] = Some(region);
        regions[region as usize].nodes.push(id);
    }
    (region_of, regions)
}
