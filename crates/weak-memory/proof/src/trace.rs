//! Traces and their cycles (Shasha, Snir 1988): a program that is not robust.
//!
//! The *trace* of a run with store buffers has as events the steps that access memory. A plain store writes when it
//! lands; a locked step reads and writes at once. *Happens before* is the union of
//!
//! - program order: two events of one thread, in the order in which it made them;
//! - coherence: two events that write a cell, in the order in which they reach memory;
//! - reads-from: an event that writes, and one that reads what it wrote;
//! - conflict: an event that reads a cell, and one that writes the cell after what was read: after the write that is
//!   read from, or at all if what is read was there at the beginning.
//!
//! A program is *robust* if every run in which all stores land has an acyclic trace.
//!
//! **Rule.** A run that can be made (`tso.run.step`), after which no store waits (`tso.trace.landed`), and a list of at
//! least two of its events (`tso.trace.cycle`), each of which happens before the next, and the last before the first
//! (`tso.trace.edge`).
//!
//! **Theorem.** The program is not robust, and the trace is the trace of no run under sequential consistency.
//!
//! **Proof.** The events are a cycle of the trace. Under sequential consistency every edge goes from an earlier event
//! to a later one: for program order by definition; a store reaches memory when it is made, so coherence, reads-from
//! and conflict follow the order of the run too. ∎

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_tso_program::{CellId, Program};

use crate::Refusal;
use crate::run::replay;
use crate::state::{Model, State};
use crate::step::{Access, Move, Step};

/// A run and a cycle of its trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Violation {
    /// The run.
    pub run: Vec<i64>,
    /// The events of the cycle, by their places in the run, from 0.
    pub cycle: Vec<usize>,
}

serval_evidence::objects!(Violation);

/// Why one event happens before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HappensBefore {
    /// Program order.
    Program,
    /// Coherence: both write this cell.
    Coherence(CellId),
    /// The second reads this cell from the first.
    ReadsFrom(CellId),
    /// The second overwrites what the first read in this cell.
    Conflict(CellId),
}

/// An event of a trace.
#[derive(Clone, Debug, Default)]
struct Event {
    /// Its place in the run.
    at: usize,
    thread: usize,
    /// Cells that it reads, each with the event that wrote what it reads, if one did.
    reads: Vec<(CellId, Option<usize>)>,
    /// Cells that it writes, each with its place in the order in which writes reach memory; `None` for a store that
    /// waits.
    writes: Vec<(CellId, Option<usize>)>,
}

/// The trace of a run. Built step by step while the run is replayed.
#[derive(Default)]
pub(crate) struct Trace {
    events: Vec<Event>,
    /// For each thread the events whose stores wait, the oldest first.
    waiting: Vec<Vec<usize>>,
    /// For each cell the event that wrote what is in memory.
    last: Vec<Option<usize>>,
    /// How many writes have reached memory.
    landed: usize,
    /// How many events of the run there were.
    length: usize,
}

impl Trace {
    pub(crate) fn new(program: &Program) -> Self {
        let (waiting, last) = (vec![Vec::new(); program.threads.len()], vec![None; program.cells.len()]);
        Self { waiting, last, ..Self::default() }
    }

    pub(crate) fn visit(&mut self, moved: Move, step: Option<&Step>) {
        match (moved, step) {
            (Move::Land(thread), _) if !self.waiting[thread].is_empty() => {
                let event = self.waiting[thread].remove(0);
                let cell = self.events[event].writes.first().map(|(cell, _)| *cell);
                if let Some(cell) = cell {
                    self.events[event].writes = vec![(cell, Some(self.land(event, cell)))];
                }
            }
            (Move::Step(thread), Some(step)) => self.step(thread, &step.access),
            _ => {}
        }
        self.length += 1;
    }

    /// The place of a write in the order of memory.
    fn land(&mut self, event: usize, cell: CellId) -> usize {
        self.last[cell.index()] = Some(event);
        self.landed += 1;
        self.landed
    }

    fn step(&mut self, thread: usize, access: &Access) {
        let (number, at) = (self.events.len(), self.length);
        let mut event = Event { at, thread, ..Event::default() };
        match access {
            Access::None | Access::Fence => return,
            Access::Store(cell, _) => {
                event.writes.push((*cell, None));
                self.waiting[thread].push(number);
            }
            Access::Load(cell) => {
                let stores = |waiting: &&usize| self.events[**waiting].writes.iter().any(|(stored, _)| stored == cell);
                let own = self.waiting[thread].iter().rev().find(stores).copied();
                event.reads.push((*cell, own.or(self.last[cell.index()])));
            }
            Access::Locked { reads, writes } => {
                event.reads = reads.iter().map(|cell| (*cell, self.last[cell.index()])).collect();
                event.writes = writes.iter().map(|(cell, _)| (*cell, Some(self.land(number, *cell)))).collect();
            }
        }
        self.events.push(event);
    }

    /// The event of a place in the run.
    fn event(&self, at: usize) -> Option<&Event> {
        self.events.binary_search_by_key(&at, |event| event.at).ok().map(|number| &self.events[number])
    }

    /// When an event writes a cell.
    fn written(event: &Event, cell: CellId) -> Option<usize> {
        event.writes.iter().find(|(written, _)| *written == cell).and_then(|(_, when)| *when)
    }

    /// Why the event at one place of the run happens before that at another, if it does.
    pub(crate) fn edge(&self, first: usize, second: usize) -> Option<HappensBefore> {
        let (one, two) = (self.event(first)?, self.event(second)?);
        if one.thread == two.thread && one.at < two.at {
            return Some(HappensBefore::Program);
        }
        for &(cell, when) in &one.writes {
            if two.reads.iter().any(|(read, from)| *read == cell && from.is_some_and(|from| self.events[from].at == one.at)) {
                return Some(HappensBefore::ReadsFrom(cell));
            }
            if let (Some(when), Some(later)) = (when, Self::written(two, cell))
                && when < later
            {
                return Some(HappensBefore::Coherence(cell));
            }
        }
        for &(cell, from) in one.reads.iter().filter(|_| one.at != two.at) {
            // What was there at the beginning is before all that is written; the places of writes begin at 1.
            let read = match from {
                None => Some(0),
                Some(from) => Self::written(&self.events[from], cell),
            };
            if let (Some(read), Some(later)) = (read, Self::written(two, cell))
                && read < later
            {
                return Some(HappensBefore::Conflict(cell));
            }
        }
        None
    }
}

/// The trace of a run with store buffers, and its last state.
pub(crate) fn traced(program: &Program, run: &[i64], budget: &mut Budget) -> Result<(Trace, State), Refusal> {
    let mut trace = Trace::new(program);
    let end = replay(program, Model::Tso, run, budget, &mut |_, moved, step| trace.visit(moved, step))?;
    Ok((trace, end))
}

/// Checks a violation, and says why each event of the cycle happens before the next.
pub(crate) fn check(program: &Program, violation: &Violation, budget: &mut Budget) -> Result<Vec<HappensBefore>, Refusal> {
    let (trace, end) = traced(program, &violation.run, budget)?;
    require!(TraceLanded, end.buffers.iter().all(Vec::is_empty), "a store waits at the end of the run");
    let cycle = &violation.cycle;
    let are_events = cycle.len() >= 2 && cycle.iter().all(|at| trace.event(*at).is_some());
    require!(TraceCycle, are_events, "the cycle is not made of events of the run that access memory, at least two");
    let mut edges = Vec::new();
    for (number, &first) in cycle.iter().enumerate() {
        budget.spend(1)?;
        let second = cycle[(number + 1) % cycle.len()];
        let edge = trace.edge(first, second);
        require!(TraceEdge, edge.is_some(), "event {first} of the run does not happen before event {second}");
        edges.extend(edge);
    }
    Ok(edges)
}

/// The events of a run with store buffers that access memory, by their places in the run, each with those before which
/// it happens.
pub fn happens_before(program: &Program, run: &[i64], budget: &mut Budget) -> Result<Vec<(usize, Vec<usize>)>, Refusal> {
    let (trace, _) = traced(program, run, budget)?;
    let places: Vec<usize> = trace.events.iter().map(|event| event.at).collect();
    let after = |&at: &usize| places.iter().copied().filter(|&other| trace.edge(at, other).is_some()).collect();
    Ok(places.iter().map(|at| (*at, after(at))).collect())
}

/// Why each event of a cycle happens before the next, for a violation that is accepted.
pub fn explained(program: &Program, violation: &Violation, budget: &mut Budget) -> Result<Vec<HappensBefore>, Refusal> {
    check(program, violation, budget)
}
