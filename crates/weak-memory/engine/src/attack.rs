//! Attacks of one thread (Bouajjani, Derevenetc, Meyer 2013), as a system; `serval_tso_proof::robust` defines its
//! states and steps.

use serval_tso_program::Op;

use crate::alike::{Order, Symmetry};
use crate::footprints::{Cells, Footprints, Moves, leading};
use crate::layout::{AttackPart, Noted, Phase};
use crate::machine::{Event, Machine, MemoryAccess, NextStep, ThreadStep, both_ways};
use crate::search::{Faulting, Label, Successors, System};

impl MemoryAccess {
    /// Tells each cell that is read, and then each that is written.
    fn each(&self, tell: &mut dyn FnMut(usize, Noted)) {
        match self {
            Self::Local | Self::Fence => {}
            Self::Load(cell) => tell(*cell, Noted::Read),
            Self::Store(cell, _) => tell(*cell, Noted::Written),
            Self::Locked { reads, writes } => {
                reads.iter().for_each(|cell| tell(*cell, Noted::Read));
                writes.iter().for_each(|(cell, _)| tell(*cell, Noted::Written));
            }
        }
    }
}

/// The attacks of a thread.
pub(crate) struct Attacks<'m, 'p> {
    machine: &'m Machine<'p>,
    attacker: usize,
    /// Others that are alike.
    alike: Symmetry,
    /// The numbers that follow memory.
    part: AttackPart,
}

impl<'m, 'p> Attacks<'m, 'p> {
    pub(crate) fn new(machine: &'m Machine<'p>, attacker: usize) -> Self {
        Self { machine, attacker, alike: Symmetry::default(), part: AttackPart::new(&machine.layout) }
    }

    /// The same, with threads that are alike in one order.
    pub(crate) fn merging(self, alike: &Symmetry) -> Self {
        Self { alike: alike.without(self.attacker), ..self }
    }

    /// What the attacker sees once it attacks.
    fn seen(&self, state: &[i64], cell: usize) -> i64 {
        self.part.kept(state, cell).unwrap_or_else(|| self.machine.layout.cell(state, cell))
    }

    /// What a step of the attacker leads to.
    fn of_attacker(&self, state: &[i64], step: &ThreadStep, into: &mut Successors) {
        let label = |event: Event| Label { thread: self.attacker, event };
        let mut moved = into.copy(state);
        self.machine.go(&mut moved, self.attacker, step);
        if self.part.phase(state) == Phase::Before {
            let mut plain = into.copy(&moved);
            self.machine.write(&mut plain, &step.access);
            into.push(label(step.event()), plain);
            if let MemoryAccess::Store(cell, value) = step.access {
                self.part.begin(&mut moved, cell);
                self.part.keep(&mut moved, cell, value);
                into.push(label(Event::Begin), moved);
            }
            return;
        }
        match step.access {
            MemoryAccess::Store(cell, value) => self.part.keep(&mut moved, cell, value),
            MemoryAccess::Load(cell) if self.part.kept(state, cell).is_none() => {
                let mut last = into.copy(&moved);
                self.part.end(&mut last);
                self.part.note(&mut last, cell, Noted::Read);
                self.machine.layout.local_mut(&mut last, self.attacker).fill(0);
                into.push(label(Event::Last), last);
            }
            _ => {}
        }
        into.push(label(step.event()), moved);
    }

    /// Leaves only what the threads do that come first, where these have keys.
    fn lead(&self, state: &[i64], keys: &[bool], into: &mut Successors) {
        if !keys.contains(&true) {
            return;
        }
        let (machine, phase) = (self.machine, self.part.phase(state));
        let Footprints { next, later } = &machine.analysis.footprints;
        let moves = |thread: usize| {
            let (point, has_key) = (machine.point(state, thread), keys[thread]);
            match phase {
                Phase::After if thread == self.attacker => Moves::default(),
                Phase::Keeping if thread == self.attacker => {
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
    fn of_other(&self, state: &[i64], thread: usize, step: &ThreadStep, into: &mut Successors) {
        let mut after = into.copy(state);
        self.machine.go(&mut after, thread, step);
        self.machine.write(&mut after, &step.access);
        if self.part.phase(state) == Phase::After {
            let mut is_late = false;
            step.access.each(&mut |cell, how| {
                let before = self.part.noted(state, cell);
                is_late |= if how == Noted::Read { before == Noted::Written } else { before != Noted::Not };
            });
            if !self.part.is_helper(state, thread) && !is_late {
                into.give_back(after);
                return;
            }
            self.part.set_helper(&mut after, thread);
            step.access.each(&mut |cell, how| self.part.note(&mut after, cell, how));
        }
        into.push(Label { thread, event: step.event() }, after);
    }
}

impl System for Attacks<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        let mut state = self.machine.initial();
        self.part.add_none(&mut state);
        state
    }

    fn sort(&self, state: &mut Vec<i64>) -> Option<Order> {
        let has = |thread: usize| (self.machine.layout.local(state, thread), self.part.is_helper(state, thread));
        let order = self.alike.order(self.machine.count(), |one, other| has(one).cmp(&has(other)))?;
        self.part.reorder(state, &order);
        self.machine.layout.move_locals(state, &order);
        Some(order)
    }

    /// The further the attack is, the nearer a violation.
    fn nearness(&self, state: &[i64]) -> usize {
        self.part.phase(state) as usize
    }

    /// A violation ends the search.
    fn meet(&mut self, _: usize, state: &[i64]) -> bool {
        self.part.phase(state) == Phase::After && self.part.noted(state, self.part.first_cell(state)) != Noted::Not
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        let phase = self.part.phase(state);
        let mut keys = vec![false; machine.count()];
        for (thread, is_other) in both_ways(machine.count()) {
            let attacks = thread == self.attacker;
            if attacks
                && (phase == Phase::After || phase == Phase::Keeping && matches!(machine.op(state, thread), Op::Fence | Op::Atomic(_)))
            {
                continue;
            }
            let next = match attacks && phase == Phase::Keeping {
                true => machine.next(state, thread, is_other, &|cell| self.seen(state, cell)),
                false => machine.next_in_memory(state, thread, is_other),
            };
            let step = match next {
                NextStep::Blocked => continue,
                NextStep::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                NextStep::Step(step) => step,
            };
            let may_be_first = phase < Phase::After || self.part.is_helper(state, thread);
            let is_quiet = match step.access {
                MemoryAccess::Local | MemoryAccess::Fence => true,
                MemoryAccess::Store(..) => attacks && phase == Phase::Keeping,
                MemoryAccess::Load(cell) => attacks && phase == Phase::Keeping && self.part.kept(state, cell).is_some(),
                MemoryAccess::Locked { .. } => false,
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
