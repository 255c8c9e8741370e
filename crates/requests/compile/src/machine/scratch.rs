//! What a step remembers while it runs: its paths, where they meet, and loops
//! that come round again.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_syntax::Span;

use super::RawAccess;
use crate::graph::{NodeId, Op, Reg};
use crate::registers::Registers;

/// Memory that one step after another uses again.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(super) registers: Registers,
    pub(super) global: Vec<i64>,
    pub(super) forks: Vec<Fork>,
    /// Whether the step at hand has made a choice.
    pub(super) forked: bool,
    pub(super) seen: IndexSet<Box<[i64]>, FxBuildHasher>,
    /// What is known of each of `seen`.
    pub(super) met: Vec<MeetingPoint>,
    /// The last of them on the path at hand.
    pub(super) last: Option<usize>,
    /// Which of them were met again, each with the one before it on that path.
    pub(super) again: Vec<(usize, usize)>,
    /// Those found to end whose `again` has not been looked at.
    pub(super) ended: Vec<usize>,
    pub(super) record: bool,
    pub(super) accesses: Vec<RawAccess>,
    /// Which nodes were passed, where that is marked.
    pub(crate) passed: Vec<bool>,
    /// Where the last step unlocked what no request had locked.
    pub(crate) remarks: Vec<Span>,
    /// Loops that the last step can get into and never leave.
    pub(crate) spins: Vec<Span>,
}

/// A meeting point in one step with choices.
pub(super) struct MeetingPoint {
    /// The one before it on the path that met it first.
    pub(super) before: Option<usize>,
    pub(super) place: Span,
    /// Whether a way leads back here.
    pub(super) is_loop: bool,
    /// Whether some way from here comes to the end of the step.
    pub(super) ends: bool,
}

pub(super) struct Fork {
    pub(super) node: NodeId,
    pub(super) registers: Registers,
    pub(super) global: Vec<i64>,
    pub(super) accesses: Vec<RawAccess>,
    pub(super) span: Span,
    pub(super) last: Option<usize>,
}

impl Scratch {
    /// The path at hand comes to the end of the step.
    pub(super) fn ends(&mut self) {
        self.end_from(self.last);
    }

    fn end_from(&mut self, mut from: Option<usize>) {
        while let Some((index, met)) = from.and_then(|index| Some((index, self.met.get_mut(index)?))).filter(|(_, met)| !met.ends) {
            met.ends = true;
            from = met.before;
            self.ended.push(index);
        }
    }

    /// After a step with choices: a meeting point from which no way leads to
    /// the end of the step is in a loop, or before one, that is never left. The
    /// loop itself has a point that ways lead back to.
    pub(super) fn find_spins(&mut self) {
        // From a point that was met again the ways are those of its first visit.
        self.again.sort_unstable();
        while let Some(to) = self.ended.pop() {
            let mut position = self.again.partition_point(|edge| edge.0 < to);
            while let Some(&(_, from)) = self.again.get(position).filter(|edge| edge.0 == to) {
                self.end_from(Some(from));
                position += 1;
            }
        }
        self.spins.extend(self.met.iter().filter(|met| met.is_loop && !met.ends).map(|met| met.place));
    }

    /// Memory that also records accesses to globals.
    pub(crate) fn recording() -> Self {
        Self { record: true, ..Self::default() }
    }

    /// Memory that also marks which of the nodes are passed, in all steps together.
    pub(crate) fn marking(nodes: usize) -> Self {
        Self { passed: vec![false; nodes], ..Self::default() }
    }

    /// Records what an operation that has just run did to a global.
    pub(super) fn note(&mut self, op: Op, span: Span) {
        let access = match op {
            Op::Load { to, global } => RawAccess { global, write: false, value: self.registers.get(to), span },
            Op::Store { global, from, .. } => RawAccess { global, write: true, value: self.registers.read(from), span },
            _ => return,
        };
        self.accesses.push(access);
    }

    pub(super) fn reset(&mut self, reg_count: usize, global: &[i64]) {
        // What can be read before it is written is kept by the waiting request.
        self.registers.forget(reg_count);
        self.global.clear();
        self.global.extend_from_slice(global);
        self.forks.clear();
        self.forked = false;
        self.seen.clear();
        self.met.clear();
        self.last = None;
        self.again.clear();
        self.ended.clear();
        self.accesses.clear();
        self.remarks.clear();
        self.spins.clear();
    }
}

/// Where, the kept registers, and the global state.
type LoopState = (NodeId, Box<[i64]>, Box<[i64]>);

/// Brent's cycle detection over the loop-head states of one path.
#[derive(Default)]
pub(super) struct CycleWatch {
    anchor: Option<LoopState>,
    visits: u64,
    next_anchor: u64,
}

impl CycleWatch {
    pub(super) fn repeats(&mut self, at: NodeId, kept: &[Reg], registers: &Registers, global: &[i64]) -> bool {
        let values = || kept.iter().map(|&reg| registers.get(reg));
        if let Some((node, old_values, old_global)) = &self.anchor
            && *node == at
            && **old_global == *global
            && old_values.iter().copied().eq(values())
        {
            return true;
        }
        if self.visits >= self.next_anchor {
            self.anchor = Some((at, values().collect(), global.into()));
            self.next_anchor = self.visits * 2 + 1;
        }
        self.visits += 1;
        false
    }
}
