//! Sequential consistency (Lamport 1979) and x86-TSO (Owens, Sarkar, Sewell 2009) with bounded store buffers, as
//! systems. Both look for all open questions at once.

use serval_tso_program::{Observed, Op, Program, Question};

use crate::alike::{Order, Symmetry};
use crate::footprints::{Accesses, Footprints, Moves, leading};
use crate::layout::Buffers;
use crate::machine::{Event, Machine, MemoryAccess, NextStep, both_ways};
use crate::search::{Faulting, Label, Successors, System, Visited};

/// Numbers of a store that waits: its cell and its value.
pub(crate) const STORE: usize = 2;
/// The same of stores that are merged: and 1 where there are several.
const MERGED_STORE: usize = 3;

/// Whether a question looks for a state.
pub(crate) fn is_sought(machine: &Machine<'_>, question: &Question, state: &[i64]) -> bool {
    let program = machine.program;
    if question.asked.is_final() {
        let ended = (0..machine.count()).all(|thread| *machine.op(state, thread) == Op::End);
        // With store buffers, what follows memory are the numbers of stores that wait, and these.
        if !ended || machine.layout.rest(state).iter().any(|&number| number != 0) {
            return false;
        }
    }
    let observed = |what: Observed| match what {
        Observed::At(thread, point) => i64::from(machine.point(state, thread.index()) == point.index()),
        Observed::Register(thread, register) => machine.layout.registers(state, thread.index())[register.index()],
        Observed::Cell(cell) => machine.layout.cell(state, cell.index()),
    };
    debug_assert!(program.threads.len() == machine.count());
    question.condition.value(&observed).is_ok_and(|value| value != 0)
}

/// Questions that are looked for, and where they were found.
pub(crate) struct PendingQuestions<'p> {
    pub(crate) questions: &'p [Question],
    /// The first state that each question looks for.
    pub(crate) met: Vec<Option<usize>>,
    /// In which order threads have to be for that, if not as they are.
    turned: Vec<Option<Order>>,
    /// Which of them are not looked for.
    pub(crate) skipped: Vec<bool>,
    /// Threads that are alike as far as those are concerned that are looked for.
    pub(crate) alike: Symmetry,
}

impl<'p> PendingQuestions<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let questions = &program.questions;
        let count = questions.len();
        Self { questions, met: vec![None; count], turned: vec![None; count], skipped: vec![false; count], alike: Symmetry::default() }
    }

    /// These questions alone, with threads that are alike in one order.
    pub(crate) fn some(program: &'p Program, open: &[usize], merge: bool) -> Self {
        let skipped = (0..program.questions.len()).map(|question| !open.contains(&question)).collect();
        let alike = if merge { Symmetry::new(program, open) } else { Symmetry::default() };
        Self { skipped, alike, ..Self::new(program) }
    }

    /// No questions.
    pub(crate) fn nothing() -> Self {
        Self { questions: &[], met: Vec::new(), turned: Vec::new(), skipped: Vec::new(), alike: Symmetry::default() }
    }

    /// The same before anything has been found.
    pub(crate) fn again(self) -> Self {
        let count = self.questions.len();
        Self { met: vec![None; count], turned: vec![None; count], ..self }
    }

    /// What leads to a state that a question looks for, if one was found.
    pub(crate) fn path(&self, question: usize, found: &Visited) -> Option<Vec<Label>> {
        let labels = found.path(self.met[question]?);
        let Some(order) = &self.turned[question] else { return Some(labels) };
        Some(labels.into_iter().map(|label| Label { thread: order[label.thread], ..label }).collect())
    }

    pub(crate) fn meet(&mut self, machine: &Machine<'_>, number: usize, state: &[i64]) {
        for (place, question) in self.questions.iter().enumerate() {
            if self.met[place].is_some() || !is_sought(machine, question, state) {
                continue;
            }
            self.met[place] = Some(number);
            // With threads in another order it is what other questions look for.
            for (other, order) in self.alike.turned.get(place).into_iter().flatten() {
                if self.met[*other].is_none() {
                    self.met[*other] = Some(number);
                    self.turned[*other] = Some(order.clone());
                }
            }
        }
    }

    pub(crate) fn all_met(&self) -> bool {
        !self.met.is_empty() && self.met.iter().zip(&self.skipped).all(|(met, skipped)| *skipped || met.is_some())
    }
}

/// Sequential consistency.
pub(crate) struct Sc<'m, 'p> {
    pub(crate) machine: &'m Machine<'p>,
    pub(crate) asked: PendingQuestions<'p>,
}

impl System for Sc<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        self.machine.initial()
    }

    fn sort(&self, state: &mut Vec<i64>) -> Option<Order> {
        self.asked.alike.sort(self.machine, state)
    }

    fn meet(&mut self, number: usize, state: &[i64]) -> bool {
        self.asked.meet(self.machine, number, state);
        self.asked.all_met()
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        let mut keys = vec![false; machine.count()];
        for (thread, is_other) in both_ways(machine.count()) {
            let step = match machine.next_in_memory(state, thread, is_other) {
                NextStep::Blocked => continue,
                NextStep::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                NextStep::Step(step) => step,
            };
            let mut after = into.copy(state);
            machine.go(&mut after, thread, &step);
            machine.write(&mut after, &step.access);
            let label = Label { thread, event: step.event() };
            keys[thread] = machine.is_unseen(state, thread, &step);
            if keys[thread] && matches!(step.access, MemoryAccess::Local | MemoryAccess::Fence) {
                into.clear();
                into.push(label, after);
                return Ok(());
            }
            into.push(label, after);
        }
        lead(machine, state, &keys, None, into);
        Ok(())
    }
}

/// Restricts the successors to a persistent set of threads; `buffers` has the stores that wait, if there are buffers.
/// Questions about all states do not speak of memory.
fn lead(machine: &Machine<'_>, state: &[i64], keys: &[bool], buffers: Option<&Buffers>, into: &mut Successors) {
    let has_key = |thread: usize| keys[thread] || buffers.is_some_and(|buffers| !buffers.is_empty(thread));
    if into.len() < 2 || !(0..machine.count()).any(has_key) {
        return;
    }
    let Footprints { next, later } = &machine.analysis.footprints;
    let moves = |thread: usize| {
        let point = machine.point(state, thread);
        let is_kept = buffers.is_some() && matches!(machine.op(state, thread), Op::Store(..));
        let now = if is_kept { Accesses::default() } else { next[thread][point] };
        let mut moves = Moves { now, later: later[thread][point], needs_all: false, has_key: has_key(thread) };
        let waiting = buffers.into_iter().flat_map(|buffers| buffers.cells(state, thread));
        waiting.enumerate().for_each(|(number, cell)| moves.wait(cell, number == 0));
        moves
    };
    let set = leading(&(0..machine.count()).map(moves).collect::<Vec<_>>());
    into.retain(|label| set >> label.thread & 1 == 1);
}

/// Store buffers with a bound on the stores in each. Behind memory, for each thread: how many wait, and cell and value
/// of each, the oldest first.
pub(crate) struct Tso<'m, 'p> {
    pub(crate) machine: &'m Machine<'p>,
    pub(crate) asked: PendingQuestions<'p>,
    pub(crate) bound: usize,
    /// Whether some store found its buffer full.
    pub(crate) hit: bool,
}

impl Tso<'_, '_> {
    /// The same before anything has been found.
    pub(crate) fn again(self) -> Self {
        Self { asked: self.asked.again(), hit: false, ..self }
    }
}

impl System for Tso<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        let mut state = self.machine.initial();
        Buffers::add_empty(&self.machine.layout, &mut state);
        state
    }

    fn sort(&self, state: &mut Vec<i64>) -> Option<Order> {
        self.asked.alike.sort_buffered(self.machine, state, STORE)
    }

    fn meet(&mut self, number: usize, state: &[i64]) -> bool {
        self.asked.meet(self.machine, number, state);
        self.asked.all_met()
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        let buffers = Buffers::of(&machine.layout, state, STORE);
        let (mut keys, mut full) = (vec![false; machine.count()], false);
        for (thread, is_other) in both_ways(machine.count()) {
            if !buffers.is_empty(thread) && matches!(machine.op(state, thread), Op::Fence | Op::Atomic(_)) {
                continue;
            }
            let step = match machine.next(state, thread, is_other, &|cell| buffers.read(&machine.layout, state, thread, cell)) {
                NextStep::Blocked => continue,
                NextStep::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                NextStep::Step(step) => step,
            };
            let mut after = into.copy(state);
            machine.go(&mut after, thread, &step);
            match step.access {
                MemoryAccess::Store(..) if buffers.len(thread) >= self.bound => {
                    // Were there place, an urgent step would be the only one.
                    self.hit |= machine.is_unseen(state, thread, &step);
                    full = true;
                    into.give_back(after);
                    continue;
                }
                MemoryAccess::Store(cell, value) => buffers.push(&mut after, thread, cell, &[value]),
                _ => machine.write(&mut after, &step.access),
            }
            let label = Label { thread, event: step.event() };
            keys[thread] = machine.is_unseen(state, thread, &step);
            if keys[thread] && matches!(step.access, MemoryAccess::Local | MemoryAccess::Fence | MemoryAccess::Store(..)) {
                into.clear();
                into.push(label, after);
                return Ok(());
            }
            into.push(label, after);
        }
        self.hit |= full;
        for thread in (0..machine.count()).filter(|thread| !buffers.is_empty(*thread)) {
            let mut after = into.copy(state);
            buffers.land(&machine.layout, &mut after, thread);
            into.push(Label { thread, event: Event::Land }, after);
        }
        // What finds its buffer full is seen with a higher bound.
        lead(machine, state, &keys, Some(&buffers), into);
        Ok(())
    }
}

/// Store buffers in which equal stores in a row are one entry (`serval_tso_proof::merged`). Behind memory, for each
/// thread: how many entries there are, and of each the cell, the value and 1 if it is repeated, the oldest first.
pub(crate) struct Merged<'m, 'p> {
    pub(crate) machine: &'m Machine<'p>,
    pub(crate) asked: PendingQuestions<'p>,
    /// Entries of a buffer, at most.
    pub(crate) bound: usize,
    /// Whether some store found its buffer full.
    pub(crate) hit: bool,
}

impl Merged<'_, '_> {
    /// Puts a store into a buffer; false where it is full.
    fn put(&self, buffers: &Buffers, state: &mut Vec<i64>, thread: usize, cell: usize, value: i64) -> bool {
        if let Some([newest, kept, repeated]) = buffers.newest_mut(state, thread)
            && usize::try_from(*newest) == Ok(cell)
            && *kept == value
        {
            *repeated = 1;
            return true;
        }
        if buffers.len(thread) >= self.bound {
            return false;
        }
        buffers.push(state, thread, cell, &[value, 0]);
        true
    }
}

impl System for Merged<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        let mut state = self.machine.initial();
        Buffers::add_empty(&self.machine.layout, &mut state);
        state
    }

    fn sort(&self, state: &mut Vec<i64>) -> Option<Order> {
        self.asked.alike.sort_buffered(self.machine, state, MERGED_STORE)
    }

    /// What is met here need not be real, so nothing is gained by going on.
    fn meet(&mut self, number: usize, state: &[i64]) -> bool {
        self.asked.meet(self.machine, number, state);
        self.asked.met.iter().zip(&self.asked.skipped).any(|(met, skipped)| !skipped && met.is_some()) || self.hit
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        let buffers = Buffers::of(&machine.layout, state, MERGED_STORE);
        let mut keys = vec![false; machine.count()];
        for (thread, is_other) in both_ways(machine.count()) {
            if !buffers.is_empty(thread) && matches!(machine.op(state, thread), Op::Fence | Op::Atomic(_)) {
                continue;
            }
            let step = match machine.next(state, thread, is_other, &|cell| buffers.read(&machine.layout, state, thread, cell)) {
                NextStep::Blocked => continue,
                NextStep::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                NextStep::Step(step) => step,
            };
            let mut after = into.copy(state);
            machine.go(&mut after, thread, &step);
            match step.access {
                MemoryAccess::Store(cell, value) => self.hit |= !self.put(&buffers, &mut after, thread, cell, value),
                _ => machine.write(&mut after, &step.access),
            }
            let label = Label { thread, event: step.event() };
            keys[thread] = machine.is_unseen(state, thread, &step);
            if keys[thread] && matches!(step.access, MemoryAccess::Local | MemoryAccess::Fence | MemoryAccess::Store(..)) {
                into.clear();
                into.push(label, after);
                return Ok(());
            }
            into.push(label, after);
        }
        for thread in (0..machine.count()).filter(|thread| !buffers.is_empty(*thread)) {
            let label = Label { thread, event: Event::Land };
            let mut after = into.copy(state);
            buffers.write_oldest(&machine.layout, &mut after, thread);
            if matches!(buffers.entries(state, thread).next(), Some([_, _, 1])) {
                // It may be the last of several, or not.
                let still = into.copy(&after);
                into.push(label, still);
                if let Some([_, _, repeated]) = buffers.oldest_mut(&mut after, thread) {
                    *repeated = 0;
                }
            } else {
                buffers.remove(&mut after, thread, 0);
            }
            into.push(label, after);
        }
        lead(machine, state, &keys, Some(&buffers), into);
        Ok(())
    }
}
