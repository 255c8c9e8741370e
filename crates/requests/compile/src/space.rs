//! The states of one component, made as they are met, each step run once.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serval_model::{GlobalId, LocalId, RequestId};
use serval_syntax::{ArithmeticOp, Span};

use crate::graph::{Node, Op, Operand};
use crate::machine::{Fault, FaultKind, Machine, Scratch, Waiting};

/// How many steps that unlock nothing are remembered.
const MAX_REMARKS: usize = 100_000;

/// A local state: whose it is and where that request waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LocalState {
    /// Requests of different names never share local states, except in the
    /// plain mode, where there is one owner.
    pub(crate) owner: u32,
    pub(crate) waiting: Waiting,
}

/// One step out of a known `(local, global)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) local: LocalId,
    pub(crate) global: GlobalId,
    /// The text that the step runs.
    pub(crate) span: Span,
}

/// Where in [`Space::moves`] the moves of one `(local, global)` are.
pub(crate) type MoveRange = std::ops::Range<usize>;

/// What remains of a space when exploration is over.
pub(crate) struct Tables {
    pub(crate) machine: Arc<Machine>,
    pub(crate) globals: Vec<Box<[i64]>>,
    pub(crate) locals: Vec<LocalState>,
    pub(crate) local_spans: Vec<Span>,
}

/// Interned states and the steps run so far.
pub(crate) struct Space {
    pub(crate) machine: Arc<Machine>,
    globals: IndexSet<Box<[i64]>, FxBuildHasher>,
    locals: IndexSet<LocalState, FxBuildHasher>,
    /// The `yield`, value or request name at which each local state stands.
    local_spans: Vec<Span>,
    starts: IndexSet<(RequestId, LocalId), FxBuildHasher>,
    known: FxHashMap<(LocalId, GlobalId), (u32, u32)>,
    pub(crate) moves: Vec<Move>,
    faults: FxHashMap<(LocalId, GlobalId), Fault>,
    /// The steps that unlock what no request has locked, and where.
    remarks: Vec<(LocalId, GlobalId, Span)>,
    /// The pairs some of whose steps get into a loop that they never leave.
    spins: FxHashMap<(LocalId, GlobalId), Box<[Span]>>,
    scratch: Scratch,
    /// Room for the global state from which steps are run.
    values: Vec<i64>,
    operations: u64,
}

impl Space {
    pub(crate) fn new(machine: Arc<Machine>, initial_global: Box<[i64]>) -> Self {
        let mut globals = IndexSet::default();
        globals.insert(initial_global);
        Self {
            machine,
            globals,
            locals: IndexSet::default(),
            local_spans: Vec::new(),
            starts: IndexSet::default(),
            known: FxHashMap::default(),
            moves: Vec::new(),
            faults: FxHashMap::default(),
            remarks: Vec::new(),
            spins: FxHashMap::default(),
            scratch: Scratch::default(),
            values: Vec::new(),
            operations: 0,
        }
    }

    /// The same component with nothing but its initial states.
    pub(crate) fn fresh(&self) -> Self {
        let mut fresh = Self::new(Arc::clone(&self.machine), self.global(self.initial_global()).into());
        for &(request, local) in &self.starts {
            fresh.add_start(request, self.local(local).clone(), self.local_span(local));
        }
        fresh
    }

    /// Lets `request` start in `state`.
    pub(crate) fn add_start(&mut self, request: RequestId, state: LocalState, span: Span) {
        let local = self.intern_local(state, span);
        self.starts.insert((request, local));
    }

    fn intern_local(&mut self, state: LocalState, span: Span) -> LocalId {
        let (index, new) = self.locals.insert_full(state);
        if new {
            self.local_spans.push(span);
        }
        LocalId::from_index(index)
    }

    pub(crate) fn starts(&self) -> impl ExactSizeIterator<Item = &(RequestId, LocalId)> {
        self.starts.iter()
    }

    pub(crate) fn initial_global(&self) -> GlobalId {
        GlobalId::from_index(0)
    }

    pub(crate) fn global(&self, id: GlobalId) -> &[i64] {
        &self.globals[id.index()]
    }

    pub(crate) fn local(&self, id: LocalId) -> &LocalState {
        &self.locals[id.index()]
    }

    /// The number of a local state that has been met.
    pub(crate) fn local_id(&self, state: &LocalState) -> Option<LocalId> {
        self.locals.get_index_of(state).map(LocalId::from_index)
    }

    pub(crate) fn local_span(&self, id: LocalId) -> Span {
        self.local_spans[id.index()]
    }

    pub(crate) fn pair_count(&self) -> usize {
        self.known.len()
    }

    pub(crate) fn global_count(&self) -> usize {
        self.globals.len()
    }

    pub(crate) fn local_count(&self) -> usize {
        self.locals.len()
    }

    /// Whether a request in this state is at its end.
    pub(crate) fn is_finished(&self, id: LocalId) -> bool {
        self.locals[id.index()].waiting.node.is_none()
    }

    /// The answer that a finished state gives.
    pub(crate) fn answer(&self, id: LocalId) -> Option<i64> {
        let waiting = &self.locals[id.index()].waiting;
        if waiting.node.is_none() { waiting.values.first().copied() } else { None }
    }

    /// What the steps run since the last call cost, in ticks.
    pub(crate) fn take_cost(&mut self) -> u64 {
        // Long steps pay for their length; short ones are covered by the tick
        // that every pair costs anyway.
        std::mem::take(&mut self.operations) / 64
    }

    /// Gives up the tables.
    pub(crate) fn into_tables(self) -> Tables {
        Tables {
            machine: self.machine,
            globals: self.globals.into_iter().collect(),
            locals: self.locals.into_iter().collect(),
            local_spans: self.local_spans,
        }
    }

    /// The fault met by some step of this pair, if it has been run.
    pub(crate) fn fault(&self, local: LocalId, global: GlobalId) -> Option<Fault> {
        self.faults.get(&(local, global)).copied()
    }

    /// The same, but for a step that was given up because it takes too long, which is not known to fail.
    pub(crate) fn failure(&self, local: LocalId, global: GlobalId) -> Option<Fault> {
        self.fault(local, global).filter(|fault| fault.kind != FaultKind::TooLong)
    }

    /// Whether some step that has been run fails, be it of a pair that never occurs.
    pub(crate) fn may_fail(&self) -> bool {
        self.faults.values().any(|fault| fault.kind != FaultKind::TooLong)
    }

    /// Whether there is an operation for which a small value can be a wrong one: a division, a range, an index.
    pub(crate) fn has_checks(&self) -> bool {
        self.machine.graph.nodes.iter().any(|node| match node {
            Node::Do { op: Op::Check { .. }, .. } => true,
            Node::Do { op: Op::Arithmetic { op: ArithmeticOp::Divide | ArithmeticOp::Remainder, right, .. }, .. } => {
                !matches!(right, Operand::Const(divisor) if *divisor != 0)
            }
            _ => false,
        })
    }

    /// The loops that steps of this pair, if they have been run, never leave.
    pub(crate) fn spins(&self, local: LocalId, global: GlobalId) -> &[Span] {
        self.spins.get(&(local, global)).map_or(&[], |places| places)
    }

    /// The places at which some step of these pairs unlocks what no request has locked, in the
    /// order of the text. Steps of other pairs have been looked at as well, which cannot occur.
    pub(crate) fn remarked(&self, pairs: &[(LocalId, GlobalId)]) -> Vec<Span> {
        if self.remarks.is_empty() {
            return Vec::new();
        }
        let occurring: FxHashSet<(LocalId, GlobalId)> = pairs.iter().copied().collect();
        let occurs = |&&(local, global, _): &&(LocalId, GlobalId, Span)| occurring.contains(&(local, global));
        let mut places: Vec<Span> = self.remarks.iter().filter(occurs).map(|&(_, _, place)| place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The pairs whose steps do so at `place`.
    pub(crate) fn remarks_at(&self, place: Span) -> FxHashSet<(LocalId, GlobalId)> {
        self.remarks.iter().filter(|remark| remark.2 == place).map(|&(local, global, _)| (local, global)).collect()
    }

    /// All steps that a request in `local` can make at `global`, without
    /// repetition, in a fixed order.
    pub(crate) fn moves(&mut self, local: LocalId, global: GlobalId) -> MoveRange {
        if let Some(&(from, to)) = self.known.get(&(local, global)) {
            return from as usize..to as usize;
        }
        let from = self.moves.len();
        let LocalState { owner, waiting } = self.locals[local.index()].clone();
        let (mut scratch, mut values) = (std::mem::take(&mut self.scratch), std::mem::take(&mut self.values));
        values.clear();
        values.extend_from_slice(&self.globals[global.index()]);
        let mut ends: FxHashSet<(LocalId, GlobalId)> = FxHashSet::default();
        let Self { machine, globals, locals, local_spans, moves, .. } = self;
        let mut found = |outcome: crate::machine::Outcome<'_>| {
            let (index, new) = locals.insert_full(LocalState { owner, waiting: outcome.waiting });
            if new {
                local_spans.push(outcome.at);
            }
            let to_local = LocalId::from_index(index);
            let index = globals.get_index_of(outcome.global).unwrap_or_else(|| globals.insert_full(outcome.global.into()).0);
            let to_global = GlobalId::from_index(index);
            // Most steps end in one or two ways; sets pay off only beyond.
            let seen = if moves.len() - from < 8 {
                moves[from..].iter().any(|m| m.local == to_local && m.global == to_global)
            } else {
                if ends.is_empty() {
                    ends.extend(moves[from..].iter().map(|m| (m.local, m.global)));
                }
                !ends.insert((to_local, to_global))
            };
            if !seen {
                moves.push(Move { local: to_local, global: to_global, span: outcome.span });
            }
        };
        let (fault, operations) = machine.step(&waiting, &values, &mut scratch, &mut found);
        if self.remarks.len() < MAX_REMARKS {
            self.remarks.extend(scratch.remarks.drain(..).map(|place| (local, global, place)));
        }
        if !scratch.spins.is_empty() {
            self.spins.insert((local, global), scratch.spins.drain(..).collect());
        }
        self.scratch = scratch;
        // Wide states cost what they weigh.
        self.operations += operations + 8 * (values.len() + waiting.values.len()) as u64;
        self.values = values;
        if let Some(fault) = fault {
            self.faults.insert((local, global), fault);
        }
        let range = from..self.moves.len();
        // The state limits keep the number of moves far below 2^32.
        let end = u32::try_from(range.end).unwrap_or(u32::MAX);
        self.known.insert((local, global), (u32::try_from(from).unwrap_or(u32::MAX), end));
        range
    }
}
