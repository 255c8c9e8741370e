//! Runs steps: from a waiting request and a global state to the next `yield`
//! or the answer, along every choice.

mod scratch;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serval_syntax::value::{self, ArithmeticError};
use serval_syntax::{GlobalVar, Limit, Span};

use crate::graph::{Graph, Node, NodeId, Op, Reg};
use crate::liveness::{Liveness, Reads};
use crate::registers::Registers;
pub(crate) use scratch::Scratch;
use scratch::{CycleWatch, Fork, MeetingPoint};

/// How much work one step may take before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepLimits {
    /// Operations in one step.
    pub operations: u64,
    /// Different states at the heads of loops in one step with choices.
    pub loop_states: usize,
}

impl Default for StepLimits {
    /// Ten million operations, a million loop states: under a second.
    fn default() -> Self {
        Self { operations: 10_000_000, loop_states: 1_000_000 }
    }
}

/// Why a step could not be run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A division or remainder by zero.
    DivisionByZero,
    /// A value outside the 64-bit range.
    Overflow,
    /// A value outside of a range or of the indices of an array.
    Outside {
        /// The value.
        value: i64,
        /// The least that is allowed.
        low: i64,
        /// The greatest that is allowed.
        high: i64,
        /// What asks for it.
        limit: Limit,
    },
    /// An `assert` does not hold, or the invariant that stands there.
    Assertion {
        /// Where the invariant stands, if it is one.
        invariant: Option<Span>,
    },
    /// The step was given up after [`StepLimits`].
    TooLong,
}

impl FaultKind {
    /// A value is beyond what a limit allows.
    fn beyond(limit: Limit, value: i64, (low, high): (i64, i64)) -> Self {
        match limit {
            Limit::Assertion => Self::Assertion { invariant: None },
            Limit::Invariant(place) => Self::Assertion { invariant: Some(place) },
            Limit::Range(_) | Limit::Index(..) => Self::Outside { value, low, high, limit },
        }
    }
}

/// A step that has no result, and where in the text that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The operation.
    pub span: Span,
}

/// Where a request is between two steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Waiting {
    /// Where it goes on; `None` when it is at its end.
    pub(crate) node: Option<NodeId>,
    /// The kept registers at `node`, ascending; at the end first the answer
    /// and then, in the plain mode, the named registers.
    pub(crate) values: Box<[i64]>,
}

/// One way in which a step can end.
pub(crate) struct Outcome<'a> {
    pub(crate) waiting: Waiting,
    pub(crate) global: &'a [i64],
    /// The text that was run.
    pub(crate) span: Span,
    /// The `yield` or the value at which the step ended.
    pub(crate) at: Span,
    /// The reads and writes of globals on the way, if they are recorded.
    pub(crate) accesses: &'a [RawAccess],
}

/// A read or write of a global as it happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawAccess {
    pub(crate) global: GlobalVar,
    pub(crate) write: bool,
    pub(crate) value: i64,
    pub(crate) span: Span,
}

/// What a request keeps between its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The registers that can still be read; at its end only the answer.
    Live,
    /// All local variables of the request besides, at its end too.
    OwnNamed,
    /// All local variables of the program besides, at its end too.
    AllNamed,
}

/// An executable control graph over some of the program's globals.
pub(crate) struct Machine {
    pub(crate) graph: Graph,
    /// Position in the global state per global variable.
    slots: Vec<Option<u32>>,
    /// The different sets of registers that are kept somewhere, ascending.
    kept_sets: Vec<Box<[Reg]>>,
    /// Which of them is kept where a request can wait or ways of one step can
    /// meet; the empty set elsewhere, where it is not needed.
    kept: Vec<u32>,
    keep: Keep,
    /// Where ways of one step can meet.
    meeting: Vec<Meeting>,
    limits: StepLimits,
}

impl Machine {
    /// `globals` are the variables of the global states of the components, in
    /// their order; no variable is in two.
    pub(crate) fn new(graph: Graph, globals: &[&[GlobalVar]], global_count: usize, keep: Keep, limits: StepLimits) -> Self {
        let executed = Liveness::new(&graph, Reads::Executed);
        Self::with_liveness(graph, &executed, globals, global_count, keep, limits)
    }

    /// The same where the live registers of the graph are known, in the reading [`Reads::Executed`].
    pub(crate) fn with_liveness(
        graph: Graph,
        liveness: &Liveness,
        globals: &[&[GlobalVar]],
        global_count: usize,
        keep: Keep,
        limits: StepLimits,
    ) -> Self {
        let mut slots = vec![None; global_count];
        for (slot, global) in globals.iter().flat_map(|component| component.iter().enumerate()) {
            slots[global.index()] = u32::try_from(slot).ok();
        }
        let meeting = meetings(&graph);
        let named = graph.named_regs.len();
        let resumes = graph.nodes.iter().filter_map(|node| match node {
            Node::Yield { next } => Some(*next),
            _ => None,
        });
        let meet = graph.ids().filter(|id| meeting[id.index()] != Meeting::No);
        let mut sets: IndexSet<Box<[Reg]>, FxBuildHasher> = IndexSet::default();
        sets.insert(Box::default());
        let mut kept = vec![0; graph.nodes.len()];
        let named_at = |id: NodeId| -> Vec<Reg> {
            match keep {
                Keep::Live => Vec::new(),
                Keep::OwnNamed => liveness.mentioned_around(id).iter().copied().filter(|reg| reg.index() < named).collect(),
                Keep::AllNamed => (0..named).map(Reg::from_index).collect(),
            }
        };
        // There are at most as many sets as nodes, whose numbers fit.
        let mut number = |set: Vec<Reg>| u32::try_from(sets.insert_full(set.into()).0).unwrap_or(0);
        // Where everything counts as live the set is the same in a whole region.
        let mut of_region: FxHashMap<u32, u32> = FxHashMap::default();
        for id in graph.entries.iter().copied().chain(resumes).chain(meet) {
            serval_budget::checkpoint::pass();
            let region = liveness.all_live_in(id);
            if let Some(&known) = region.and_then(|region| of_region.get(&region)) {
                kept[id.index()] = known;
                continue;
            }
            let live = liveness.live_at(id);
            kept[id.index()] = number(if keep == Keep::Live {
                live
            } else {
                let temporaries = live.into_iter().filter(|reg| reg.index() >= named);
                named_at(id).into_iter().chain(temporaries).collect()
            });
            if let Some(region) = region {
                of_region.insert(region, kept[id.index()]);
            }
        }
        for id in graph.ids().filter(|id| matches!(graph.node(*id), Node::Answer { .. }) && meeting[id.index()] == Meeting::No) {
            kept[id.index()] = number(named_at(id));
        }
        Self { graph, slots, kept_sets: sets.into_iter().collect(), kept, keep, meeting, limits }
    }

    /// A request that has not made its first step: all registers are 0.
    pub(crate) fn entry(&self, node: NodeId) -> Waiting {
        Waiting { node: Some(node), values: vec![0; self.kept_at(node).len()].into() }
    }

    /// Where `global` stands in the global state.
    pub(crate) fn slot(&self, global: GlobalVar) -> Option<usize> {
        self.slots[global.index()].map(|slot| slot as usize)
    }

    /// The registers that a request waiting at `node` keeps.
    pub(crate) fn kept_at(&self, node: NodeId) -> &[Reg] {
        &self.kept_sets[self.kept[node.index()] as usize]
    }

    /// What is kept of a request whose registers are `registers`.
    pub(crate) fn waiting(&self, node: NodeId, registers: &Registers) -> Waiting {
        Waiting { node: Some(node), values: self.kept_at(node).iter().map(|&reg| registers.get(reg)).collect() }
    }

    /// What is kept of a request that is at its end: the answer and the named
    /// registers that are kept at `node`, a node of its body.
    pub(crate) fn finished(&self, node: NodeId, answer: i64, registers: &Registers) -> Waiting {
        let named = self.named_at(node).iter().map(|&reg| registers.get(reg));
        Waiting { node: None, values: std::iter::once(answer).chain(named).collect() }
    }

    /// The named registers that a request keeps at `node` whether they can be
    /// read or not, ascending.
    pub(crate) fn named_at(&self, node: NodeId) -> &[Reg] {
        if self.keep == Keep::Live {
            return &[];
        }
        let kept = self.kept_at(node);
        &kept[..kept.partition_point(|reg| reg.index() < self.graph.named_regs.len())]
    }

    /// Runs all steps of `waiting` at `global`; each way to end one is given
    /// to `found`, in a fixed order, possibly more than once. Gives the first
    /// fault met; other choices are still followed. Also counts operations.
    pub(crate) fn step(
        &self,
        waiting: &Waiting,
        global: &[i64],
        scratch: &mut Scratch,
        found: &mut dyn FnMut(Outcome<'_>),
    ) -> (Option<Fault>, u64) {
        let Some(node) = waiting.node else { return (None, 0) };
        scratch.reset(self.graph.reg_count, global);
        for (&reg, &value) in self.kept_at(node).iter().zip(&waiting.values) {
            scratch.registers.set(reg, value);
        }
        let mut left = self.limits.operations;
        let mut fault = None;
        let mut at = node;
        let start = self.graph.spans[node.index()];
        let mut span = Span::new(start.start, start.start);
        loop {
            match self.run_path(at, span, scratch, &mut left, found) {
                Ok(()) => {}
                Err(new) => {
                    // It does end, though badly.
                    scratch.ends();
                    fault.get_or_insert(new);
                    if new.kind == FaultKind::TooLong {
                        break;
                    }
                }
            }
            let Some(fork) = scratch.forks.pop() else { break };
            scratch.registers = fork.registers;
            scratch.global = fork.global;
            scratch.accesses = fork.accesses;
            scratch.last = fork.last;
            at = fork.node;
            span = fork.span;
        }
        scratch.forks.clear();
        if fault.is_none_or(|fault| fault.kind != FaultKind::TooLong) {
            scratch.find_spins();
        }
        (fault, self.limits.operations - left)
    }

    /// Follows one path to the end of the step, leaving the other branch of
    /// each choice on the stack of forks.
    fn run_path(
        &self,
        mut at: NodeId,
        mut span: Span,
        scratch: &mut Scratch,
        left: &mut u64,
        found: &mut dyn FnMut(Outcome<'_>),
    ) -> Result<(), Fault> {
        let mut cycle = CycleWatch::default();
        loop {
            if let Some(passed) = scratch.passed.get_mut(at.index()) {
                *passed = true;
            }
            let here = self.graph.spans[at.index()];
            let meets = match self.meeting[at.index()] {
                Meeting::No => false,
                Meeting::Join => scratch.forked,
                Meeting::Loop => true,
            };
            if meets && self.seen_before(at, here, scratch, &mut cycle)? {
                return Ok(());
            }
            if *left == 0 {
                return Err(Fault { kind: FaultKind::TooLong, span: here });
            }
            *left -= 1;
            match self.graph.nodes[at.index()] {
                Node::Do { op, next } => {
                    span = join(span, here);
                    if let Op::Choose { to } = op {
                        scratch.forked = true;
                        let mut registers = scratch.registers.clone();
                        registers.set(to, 1);
                        let (global, accesses) = (scratch.global.clone(), scratch.accesses.clone());
                        scratch.forks.push(Fork { node: next, registers, global, accesses, span, last: scratch.last });
                        scratch.registers.set(to, 0);
                    } else {
                        if self.releases_nothing(op, &scratch.global) {
                            scratch.remarks.push(here);
                        }
                        let done = execute(op, &mut scratch.registers, &mut scratch.global, &self.slots);
                        done.map_err(|kind| Fault { kind, span: here })?;
                        if scratch.record {
                            scratch.note(op, here);
                        }
                    }
                    at = next;
                }
                Node::Branch { test, then, otherwise } => {
                    at = if scratch.registers.read(test) != 0 { then } else { otherwise };
                }
                Node::Yield { next } => {
                    scratch.ends();
                    let waiting = self.waiting(next, &scratch.registers);
                    found(Outcome { waiting, global: &scratch.global, span: join(span, here), at: here, accesses: &scratch.accesses });
                    return Ok(());
                }
                Node::Answer { value } => {
                    scratch.ends();
                    let waiting = self.finished(at, scratch.registers.read(value), &scratch.registers);
                    found(Outcome {
                        waiting,
                        global: &scratch.global,
                        span: if span.start == span.end { here } else { span },
                        at: here,
                        accesses: &scratch.accesses,
                    });
                    return Ok(());
                }
                Node::Never => {
                    scratch.spins.push(here);
                    return Ok(());
                }
            }
        }
    }

    /// Whether this unlocks what no request has locked.
    fn releases_nothing(&self, op: Op, global: &[i64]) -> bool {
        matches!(op, Op::Store { global: lock, unlock: true, .. } if self.slot(lock).is_some_and(|slot| global[slot] == 0))
    }

    /// Whether going on from this meeting point can only repeat what was done.
    ///
    /// While no choice has been made the path is the only one, so it repeats
    /// itself exactly when it comes back to a state; Brent's method finds that
    /// with one remembered state. After a choice, the states at all meeting
    /// points are remembered: a second visit has the same ways onwards.
    fn seen_before(&self, at: NodeId, here: Span, scratch: &mut Scratch, cycle: &mut CycleWatch) -> Result<bool, Fault> {
        let kept = self.kept_at(at);
        if !scratch.forked {
            let repeats = cycle.repeats(at, kept, &scratch.registers, &scratch.global);
            if repeats {
                scratch.spins.push(here);
            }
            return Ok(repeats);
        }
        let mut key: Vec<i64> = Vec::with_capacity(1 + kept.len() + scratch.global.len());
        key.push(i64::from(at.0));
        key.extend(kept.iter().map(|&reg| scratch.registers.get(reg)));
        key.extend_from_slice(&scratch.global);
        if scratch.seen.len() >= self.limits.loop_states {
            return Err(Fault { kind: FaultKind::TooLong, span: here });
        }
        let (index, new) = scratch.seen.insert_full(key.into());
        if new {
            let is_loop = self.meeting[at.index()] == Meeting::Loop;
            scratch.met.push(MeetingPoint { before: scratch.last, place: here, is_loop, ends: false });
            scratch.last = Some(index);
        } else if let Some(last) = scratch.last {
            scratch.again.push((index, last));
        }
        Ok(!new)
    }
}

/// Joins the text run so far, which may still be empty, with one more place.
fn join(span: Span, here: Span) -> Span {
    if span.start == span.end { here } else { span.to(here) }
}

/// Runs one operation that is not a choice. A global without a slot keeps its
/// last value nowhere: such globals are never read.
fn execute(op: Op, registers: &mut Registers, global: &mut [i64], slots: &[Option<u32>]) -> Result<(), FaultKind> {
    let (to, value) = match op {
        Op::Copy { to, from } => (to, registers.read(from)),
        Op::Load { to, global: variable } => (to, slots[variable.index()].map_or(0, |slot| global[slot as usize])),
        Op::Check { from, low, high, limit } => {
            let value = registers.read(from);
            return if (low..=high).contains(&value) { Ok(()) } else { Err(FaultKind::beyond(limit, value, (low, high))) };
        }
        Op::Store { global: variable, from, .. } => {
            if let Some(slot) = slots[variable.index()] {
                global[slot as usize] = registers.read(from);
            }
            return Ok(());
        }
        Op::Not { to, from } => (to, i64::from(registers.read(from) == 0)),
        Op::Negate { to, from } => (to, value::negate(registers.read(from))?),
        Op::Arithmetic { op, to, left, right } => (to, value::arithmetic(op, registers.read(left), registers.read(right))?),
        Op::Compare { op, to, left, right } => (to, value::compare(op, registers.read(left), registers.read(right))),
        Op::Choose { to } => (to, 0),
    };
    registers.set(to, value);
    Ok(())
}

impl From<ArithmeticError> for FaultKind {
    fn from(error: ArithmeticError) -> Self {
        match error {
            ArithmeticError::Overflow => Self::Overflow,
            ArithmeticError::DivisionByZero => Self::DivisionByZero,
        }
    }
}

/// Whether ways of one step can meet at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    No,
    /// Two ways lead here.
    Join,
    /// A way leads back here. Every cycle without a `yield` has such a node.
    Loop,
}

fn meetings(graph: &Graph) -> Vec<Meeting> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Unseen,
        Open,
        Closed,
    }
    let mut ways = vec![0_u32; graph.nodes.len()];
    for next in graph.nodes.iter().flat_map(Node::successors_in_step) {
        ways[next.index()] += 1;
    }
    let mut meeting: Vec<Meeting> = ways.iter().map(|&ways| if ways > 1 { Meeting::Join } else { Meeting::No }).collect();
    let mut marks = vec![Mark::Unseen; graph.nodes.len()];
    for root in graph.ids() {
        if marks[root.index()] != Mark::Unseen {
            continue;
        }
        marks[root.index()] = Mark::Open;
        let mut calls = vec![(root, 0)];
        while let Some(&mut (id, ref mut position)) = calls.last_mut() {
            serval_budget::checkpoint::pass();
            let next = graph.node(id).successors_in_step().nth(*position);
            *position += 1;
            match next {
                Some(next) => match marks[next.index()] {
                    Mark::Unseen => {
                        marks[next.index()] = Mark::Open;
                        calls.push((next, 0));
                    }
                    Mark::Open => meeting[next.index()] = Meeting::Loop,
                    Mark::Closed => {}
                },
                None => {
                    marks[id.index()] = Mark::Closed;
                    calls.pop();
                }
            }
        }
    }
    meeting
}
