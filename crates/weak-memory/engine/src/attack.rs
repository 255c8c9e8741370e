//! Attacks of one thread, as a system: which states there are, and what leads from one to another, is said in `serval_tso_proof::robust`.

use serval_tso_program::Op;

use crate::alike::{Alike, Order, move_locals};
use crate::footprints::{Cells, Footprints, Moves, leading};
use crate::machine::{Access, Machine, Next, Step, both_ways};
use crate::models::write_memory;
use crate::search::{Event, Faulting, Label, Successors, System};

const READ: i64 = 1;
const WRITTEN: i64 = 2;

/// The attacks of a thread.
pub(crate) struct Attacks<'m, 'p> {
    machine: &'m Machine<'p>,
    attacker: usize,
    /// Others that are alike.
    alike: Alike,
    /// Where the numbers are that follow memory.
    mode: usize,
    kept: usize,
    accessed: usize,
    helpers: usize,
}

impl<'m, 'p> Attacks<'m, 'p> {
    pub(crate) fn new(machine: &'m Machine<'p>, attacker: usize) -> Self {
        let cells = machine.program.cells.len();
        let mode = machine.size;
        let kept = mode + 2;
        let accessed = kept + 2 * cells;
        Self { machine, attacker, alike: Alike::default(), mode, kept, accessed, helpers: accessed + cells }
    }

    /// The same, with threads that are alike in one order.
    pub(crate) fn merging(self, alike: &Alike) -> Self {
        Self { alike: alike.without(self.attacker), ..self }
    }

    /// What the attacker sees once it attacks.
    fn seen(&self, state: &[i64], cell: usize) -> i64 {
        if state[self.kept + 2 * cell] == 1 { state[self.kept + 2 * cell + 1] } else { state[self.machine.memory + cell] }
    }

    fn keep(&self, state: &mut [i64], cell: usize, value: i64) {
        state[self.kept + 2 * cell] = 1;
        state[self.kept + 2 * cell + 1] = value;
    }

    fn note(&self, state: &mut [i64], cell: usize, how: i64) {
        let noted = &mut state[self.accessed + cell];
        *noted = how.max(*noted);
    }

    /// What a step of the attacker leads to.
    fn of_attacker(&self, state: &[i64], step: &Step, into: &mut Successors) {
        let label = |event: Event| Label { thread: self.attacker, event };
        let mut moved = into.copy(state);
        self.machine.go(&mut moved, self.attacker, step);
        if state[self.mode] == 0 {
            let mut plain = into.copy(&moved);
            write_memory(self.machine, &mut plain, &step.access);
            into.push(label(step.event()), plain);
            if let Access::Store(cell, value) = step.access {
                moved[self.mode] = 1;
                moved[self.mode + 1] = i64::try_from(cell).unwrap_or(0);
                self.keep(&mut moved, cell, value);
                into.push(label(Event::Begin), moved);
            }
            return;
        }
        match step.access {
            Access::Store(cell, value) => self.keep(&mut moved, cell, value),
            Access::Load(cell) if state[self.kept + 2 * cell] == 0 => {
                let mut last = into.copy(&moved);
                last[self.mode] = 2;
                last[self.kept..self.accessed].fill(0);
                self.note(&mut last, cell, READ);
                let first = self.machine.threads[self.attacker];
                last[first..=first + self.machine.program.threads[self.attacker].registers.len()].fill(0);
                into.push(label(Event::Last), last);
            }
            _ => {}
        }
        into.push(label(step.event()), moved);
    }

    /// Leaves only what the threads do that come first, where these have keys.
    fn lead(&self, state: &[i64], keys: &[bool], into: &mut Successors) {
        let (machine, mode) = (self.machine, state[self.mode]);
        let Footprints { next, later } = &machine.analysis.footprints;
        let moves = |thread: usize| {
            let (point, has_key) = (machine.point(state, thread), keys[thread]);
            match mode {
                2 if thread == self.attacker => Moves::default(),
                1 if thread == self.attacker => {
                    let needs_all = matches!(machine.op(state, thread), Op::Load(..));
                    let (reads, _) = later[thread][point];
                    Moves { later: (reads, Cells::default()), needs_all, has_key, ..Moves::default() }
                }
                _ => Moves { now: next[thread][point], later: later[thread][point], needs_all: false, has_key },
            }
        };
        let set = leading(&(0..machine.count()).map(moves).collect::<Vec<_>>());
        into.retain(|label| set >> label.thread & 1 == 1);
    }

    /// What a step of another thread leads to.
    fn of_other(&self, state: &[i64], thread: usize, step: &Step, into: &mut Successors) {
        let mut after = into.copy(state);
        self.machine.go(&mut after, thread, step);
        write_memory(self.machine, &mut after, &step.access);
        if state[self.mode] == 2 {
            let (reads, writes): (Vec<usize>, Vec<usize>) = match &step.access {
                Access::Local | Access::Fence => (Vec::new(), Vec::new()),
                Access::Load(cell) => (vec![*cell], Vec::new()),
                Access::Store(cell, _) => (Vec::new(), vec![*cell]),
                Access::Locked { reads, writes } => (reads.clone(), writes.iter().map(|write| write.0).collect()),
            };
            let is_late = reads.iter().any(|cell| state[self.accessed + cell] == WRITTEN)
                || writes.iter().any(|cell| state[self.accessed + cell] > 0);
            if state[self.helpers + thread] == 0 && !is_late {
                return;
            }
            after[self.helpers + thread] = 1;
            reads.iter().for_each(|cell| self.note(&mut after, *cell, READ));
            writes.iter().for_each(|cell| self.note(&mut after, *cell, WRITTEN));
        }
        into.push(Label { thread, event: step.event() }, after);
    }
}

impl System for Attacks<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        let mut state = self.machine.initial();
        state.resize(self.helpers + self.machine.count(), 0);
        state
    }

    fn sort(&self, state: &mut Vec<i64>) -> Option<Order> {
        let has = |thread: usize| (self.machine.local(state, thread), state[self.helpers + thread]);
        let order = self.alike.order(self.machine.count(), |one, other| has(one).cmp(&has(other)))?;
        let helpers: Vec<i64> = order.iter().map(|thread| state[self.helpers + thread]).collect();
        state[self.helpers..].copy_from_slice(&helpers);
        move_locals(self.machine, state, &order);
        Some(order)
    }

    /// The further the attack is, the nearer a violation.
    fn nearness(&self, state: &[i64]) -> usize {
        usize::try_from(state[self.mode]).unwrap_or(0)
    }

    /// A violation ends the search.
    fn meet(&mut self, _: usize, state: &[i64]) -> bool {
        let cell = usize::try_from(state[self.mode + 1]).unwrap_or(0);
        state[self.mode] == 2 && state[self.accessed + cell] != 0
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        let mode = state[self.mode];
        let mut keys = vec![false; machine.count()];
        for (thread, is_other) in both_ways(machine.count()) {
            let attacks = thread == self.attacker;
            if attacks && (mode == 2 || mode == 1 && matches!(machine.op(state, thread), Op::Fence | Op::Atomic(_))) {
                continue;
            }
            let next = match attacks && mode == 1 {
                true => machine.next(state, thread, is_other, &|cell| self.seen(state, cell)),
                false => machine.next(state, thread, is_other, &|cell| state[machine.memory + cell]),
            };
            let step = match next {
                Next::Blocked => continue,
                Next::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                Next::Step(step) => step,
            };
            let may_be_first = mode < 2 || state[self.helpers + thread] == 1;
            let is_quiet = match step.access {
                Access::Local | Access::Fence => true,
                Access::Store(..) => attacks && mode == 1,
                Access::Load(cell) => attacks && mode == 1 && state[self.kept + 2 * cell] == 1,
                Access::Locked { .. } => false,
            };
            let is_unseen = machine.is_unseen(state, thread, &step);
            let urgent = may_be_first && is_quiet && is_unseen;
            if urgent {
                into.clear();
            }
            let before = into.len();
            if attacks {
                self.of_attacker(state, &step, into);
            } else {
                self.of_other(state, thread, &step, into);
            }
            if urgent {
                return Ok(());
            }
            keys[thread] = is_unseen && into.len() > before;
        }
        self.lead(state, &keys, into);
        Ok(())
    }
}
