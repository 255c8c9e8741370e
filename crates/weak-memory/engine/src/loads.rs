//! Dual TSO (Abdulla, Atig, Bouajjani, Ngo 2016): load buffers (`serval_tso_proof::loads`), searched forwards, to
//! compare, and backwards, which ends for every program because the system is well-structured.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use serval_budget::Budget;
use serval_tso_program::{Expr, Observed, Op, Program, Question};
use serval_tso_proof::Basis;

use crate::layout::Buffers;
use crate::live::ProgramAnalysis;
use crate::machine::{Event, Machine, MemoryAccess, NextStep, WAYS};
use crate::models::{PendingQuestions, is_sought};
use crate::reach::{Arrival, ReachableValues};
use crate::search::{Ended, Faulting, Label, Successors, System, search};

/// An entry of a load buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct BufferEntry {
    cell: usize,
    value: i64,
    own: bool,
}

type Buffer = Vec<BufferEntry>;

fn own(buffer: &[BufferEntry], cell: usize) -> Option<i64> {
    buffer.iter().find(|entry| entry.own && entry.cell == cell).map(|entry| entry.value)
}

/// Whether the first is the second without some entries that are not own.
fn is_below(small: &[BufferEntry], large: &[BufferEntry]) -> bool {
    let mut matched = 0;
    for entry in large {
        if small.get(matched) == Some(entry) {
            matched += 1;
        } else if entry.own {
            return false;
        }
    }
    matched == small.len()
}

/// Places of all threads, and memory.
type Key = (Vec<usize>, Vec<i64>);

#[derive(Clone)]
struct Member {
    key: Key,
    buffers: Vec<Buffer>,
}

/// What the search backwards says about a question.
pub(crate) enum Backwards {
    /// What it looks for cannot be reached: the members of a basis.
    Unreachable(Vec<Vec<i64>>),
    /// It can be.
    Reachable,
    Ended(Ended),
}

struct BackwardSearch<'a> {
    reach: &'a ReachableValues,
    members: Vec<Option<Member>>,
    known: FxHashMap<Key, Vec<usize>>,
    open: VecDeque<usize>,
}

impl BackwardSearch<'_> {
    /// Adds what is not above a member, and takes away what is above it.
    fn add(&mut self, member: Member) {
        let alike = self.known.entry(member.key.clone()).or_default();
        let below = |one: &Member, other: &Member| one.buffers.iter().zip(&other.buffers).all(|(small, large)| is_below(small, large));
        if alike.iter().any(|&number| self.members[number].as_ref().is_some_and(|known| below(known, &member))) {
            return;
        }
        alike.retain(|&number| {
            let stays = self.members[number].as_ref().is_some_and(|known| !below(&member, known));
            if !stays {
                self.members[number] = None;
            }
            stays
        });
        alike.push(self.members.len());
        self.open.push_back(self.members.len());
        self.members.push(Some(member));
    }

    fn put(&mut self, member: &Member, thread: usize, place: usize, buffer: Buffer, memory: Vec<i64>) {
        let owned: Vec<(usize, i64)> = buffer.iter().filter(|entry| entry.own).map(|entry| (entry.cell, entry.value)).collect();
        if self.reach.is_possible(thread, place, &owned) {
            let mut before = Member { key: (member.key.0.clone(), memory), buffers: member.buffers.clone() };
            before.key.0[thread] = place;
            before.buffers[thread] = buffer;
            self.add(before);
        }
    }

    /// Everything from which a step leads to the member or above it.
    fn before(&mut self, member: &Member, thread: usize) {
        let reach = self.reach;
        let (place, buffer, memory) = (member.key.0[thread], &member.buffers[thread], &member.key.1);
        for cell in (0..memory.len()).filter(|cell| own(buffer, *cell).is_none()) {
            for value in reach.stored(thread, place, cell) {
                let mut longer = vec![BufferEntry { cell, value, own: true }];
                longer.extend(buffer);
                self.put(member, thread, place, longer, memory.clone());
            }
        }
        if let Some(newest) = buffer.last().filter(|newest| !newest.own && memory[newest.cell] == newest.value) {
            debug_assert!(!newest.own);
            self.put(member, thread, place, buffer[..buffer.len() - 1].to_vec(), memory.clone());
        }
        for (from, way) in &reach.threads[thread].ways[place] {
            match way {
                Arrival::Quiet => self.put(member, thread, *from, buffer.clone(), memory.clone()),
                Arrival::Fence | Arrival::Locked(..) if !buffer.is_empty() => {}
                Arrival::Fence => self.put(member, thread, *from, Vec::new(), memory.clone()),
                Arrival::Locked(found, writes) => {
                    let mut before = memory.clone();
                    found.iter().for_each(|(cell, value)| before[*cell] = *value);
                    let mut after = before.clone();
                    writes.iter().for_each(|(cell, value)| after[*cell] = *value);
                    if after == *memory {
                        self.put(member, thread, *from, Vec::new(), before);
                    }
                }
                Arrival::Load(cell, value) => {
                    let news = BufferEntry { cell: *cell, value: *value, own: false };
                    match own(buffer, *cell) {
                        Some(known) if known != *value => {}
                        None if buffer.first() != Some(&news) => {
                            let mut longer = vec![news];
                            longer.extend(buffer);
                            self.put(member, thread, *from, longer, memory.clone());
                        }
                        _ => self.put(member, thread, *from, buffer.clone(), memory.clone()),
                    }
                }
                Arrival::Store(cell, value) => self.before_store(member, thread, *from, (*cell, *value)),
            }
        }
    }

    /// A store made its own entry the newest, and an older one on the same cell go, wherever that was.
    fn before_store(&mut self, member: &Member, thread: usize, from: usize, (cell, value): (usize, i64)) {
        let (buffer, memory) = (&member.buffers[thread], &member.key.1);
        let Some((newest, older)) = buffer.split_last() else { return };
        if *newest != (BufferEntry { cell, value, own: true }) || memory[cell] != value {
            return;
        }
        let reach = self.reach;
        for &old in &reach.values[cell] {
            let mut memory = memory.clone();
            memory[cell] = old;
            self.put(member, thread, from, older.to_vec(), memory.clone());
            for value in reach.stored(thread, from, cell) {
                for place in 0..=older.len() {
                    let mut longer = older.to_vec();
                    longer.insert(place, BufferEntry { cell, value, own: true });
                    self.put(member, thread, from, longer, memory.clone());
                }
            }
        }
    }
}

/// Looks at all places of threads, one thread after the other, and then at all values of cells.
struct Sought<'a, 'p> {
    machine: &'a Machine<'p>,
    reach: &'a ReachableValues,
    question: &'a Question,
    found: Vec<Key>,
}

/// The value of a condition of which only a part is known.
fn known(condition: &Expr<Observed>, atom: &dyn Fn(Observed) -> Option<i64>) -> Option<i64> {
    use serval_tso_program::BinaryOp::{And, Or};
    let truth = |side: &Expr<Observed>| known(side, atom).map(|value| value != 0);
    match condition {
        Expr::Number(number) => Some(*number),
        Expr::Atom(what) => atom(*what),
        Expr::Not(inner) => truth(inner).map(|holds| i64::from(!holds)),
        Expr::Binary(And, left, right) => match (truth(left), truth(right)) {
            (Some(false), _) | (_, Some(false)) => Some(0),
            (Some(true), Some(true)) => Some(1),
            _ => None,
        },
        Expr::Binary(Or, left, right) => match (truth(left), truth(right)) {
            (Some(true), _) | (_, Some(true)) => Some(1),
            (Some(false), Some(false)) => Some(0),
            _ => None,
        },
        Expr::Negate(inner) => known(inner, atom)?.checked_neg(),
        Expr::Binary(op, left, right) => {
            let (left, right) = (known(left, atom)?, known(right, atom)?);
            Expr::<Observed>::Binary(*op, Box::new(Expr::Number(left)), Box::new(Expr::Number(right))).value(&|_| 0).ok()
        }
    }
}

impl Sought<'_, '_> {
    fn go_on(&mut self, key: &mut Key, budget: &mut Budget) -> Result<(), Ended> {
        budget.spend(1).map_err(Ended::Stopped)?;
        let (machine, reach) = (self.machine, self.reach);
        let place = |thread: usize, number: usize| reach.threads[thread].list.get_index(number).map(|(place, _)| place);
        let value = known(&self.question.condition, &|what| match what {
            Observed::At(thread, point) => {
                let at = place(thread.index(), *key.0.get(thread.index())?)?;
                Some(i64::from(at[0] == i64::from(point.0)))
            }
            Observed::Register(thread, register) => Some(place(thread.index(), *key.0.get(thread.index())?)?[1 + register.index()]),
            Observed::Cell(cell) => key.1.get(cell.index()).copied(),
        });
        if value == Some(0) {
            return Ok(());
        }
        let thread = key.0.len();
        if thread < machine.count() {
            let end = i64::try_from(machine.program.threads[thread].end().index()).unwrap_or(0);
            for (number, place) in reach.threads[thread].list.keys().enumerate() {
                if !self.question.asked.is_final() || place[0] == end {
                    key.0.push(number);
                    self.go_on(key, budget)?;
                    key.0.pop();
                }
            }
        } else if let Some(values) = reach.values.get(key.1.len()) {
            for &value in values {
                key.1.push(value);
                self.go_on(key, budget)?;
                key.1.pop();
            }
        } else if is_sought(machine, self.question, &state_of(reach, key)) {
            self.found.push(key.clone());
        }
        Ok(())
    }
}

/// The numbers of places and memory.
fn state_of(reach: &ReachableValues, key: &Key) -> Vec<i64> {
    let mut numbers = Vec::new();
    for (places, place) in reach.threads.iter().zip(&key.0) {
        numbers.extend(places.list.get_index(*place).into_iter().flat_map(|(place, _)| place));
    }
    numbers.extend(&key.1);
    numbers
}

fn written(reach: &ReachableValues, member: &Member) -> Vec<i64> {
    let mut numbers = state_of(reach, &member.key);
    for buffer in &member.buffers {
        numbers.push(i64::try_from(buffer.len()).unwrap_or(0));
        numbers.extend(buffer.iter().flat_map(|entry| [i64::try_from(entry.cell).unwrap_or(0), entry.value, i64::from(entry.own)]));
    }
    numbers
}

/// Searches backwards from what a question looks for.
pub(crate) fn search_back(
    machine: &Machine<'_>,
    reach: &ReachableValues,
    question: &Question,
    most: usize,
    budget: &mut Budget,
) -> Backwards {
    let mut sought = Sought { machine, reach, question, found: Vec::new() };
    if let Err(ended) = sought.go_on(&mut (Vec::new(), Vec::new()), budget) {
        return Backwards::Ended(ended);
    }
    let mut search = BackwardSearch { reach, members: Vec::new(), known: FxHashMap::default(), open: VecDeque::new() };
    let nothing = vec![Vec::new(); machine.count()];
    sought.found.into_iter().for_each(|key| search.add(Member { key, buffers: nothing.clone() }));
    // The first place of each thread is where it begins.
    let initial = (vec![0; machine.count()], machine.program.cells.iter().map(|(_, initial)| *initial).collect::<Vec<i64>>());
    while let Some(number) = search.open.pop_front() {
        let Some(member) = search.members[number].clone() else { continue };
        if member.key == initial && member.buffers == nothing {
            return Backwards::Reachable;
        }
        if let Err(stopped) = budget.spend(1) {
            return Backwards::Ended(Ended::Stopped(stopped));
        }
        if search.members.len() > most {
            return Backwards::Ended(Ended::TooMany);
        }
        (0..machine.count()).for_each(|thread| search.before(&member, thread));
    }
    Backwards::Unreachable(search.members.iter().flatten().map(|member| written(reach, member)).collect())
}

/// A basis with these members, for all questions that they are for.
pub(crate) fn basis(analysis: &ProgramAnalysis, reach: &ReachableValues, mut members: Vec<Vec<i64>>) -> Basis {
    members.sort_unstable();
    members.dedup();
    let (threads, values) = reach.written();
    Basis { live: analysis.live.clone(), threads, values, members }
}

/// Numbers of an entry of a load buffer: its cell, its value, and 1 if it is own.
const ENTRY: usize = 3;

/// Load buffers forwards, of a program without loops. Behind memory, for each thread: how many entries there are, and
/// of each the cell, the value and 1 if it is own, the oldest first.
struct Forwards<'m, 'p> {
    machine: &'m Machine<'p>,
    asked: PendingQuestions<'p>,
}

impl Forwards<'_, '_> {
    /// Whether a thread may yet load these cells, one after the other: no other news is of use to it.
    fn may_load(&self, thread: usize, point: usize, mut cells: impl Iterator<Item = i64>) -> bool {
        let mut sought = cells.next();
        for node in self.machine.program.threads[thread].code.iter().skip(point) {
            let (Some(cell), Op::Load(_, address)) = (sought, &node.op) else { continue };
            let length = address.index.as_ref().map_or(1, |(length, _)| i64::from(*length));
            if (0..length).contains(&cell.saturating_sub(i64::from(address.first.0))) {
                sought = cells.next();
            }
        }
        sought.is_none()
    }
}

impl System for Forwards<'_, '_> {
    fn initial(&self) -> Vec<i64> {
        let mut state = self.machine.initial();
        Buffers::add_empty(&self.machine.layout, &mut state);
        state
    }

    fn meet(&mut self, number: usize, state: &[i64]) -> bool {
        self.asked.meet(self.machine, number, state);
        self.asked.all_met()
    }

    fn successors(&mut self, state: &[i64], into: &mut Successors) -> Result<(), Faulting> {
        let machine = self.machine;
        let buffers = Buffers::of(&machine.layout, state, ENTRY);
        for thread in 0..machine.count() {
            let entries: Vec<&[i64]> = buffers.entries(state, thread).collect();
            let number = |cell: usize| i64::try_from(cell).unwrap_or(0);
            let owned = |cell: usize| entries.iter().find(|entry| entry[0] == number(cell) && entry[2] == 1);
            let label = Label { thread, event: Event::Step };
            if !entries.is_empty() {
                let mut after = into.copy(state);
                buffers.remove(&mut after, thread, 0);
                into.push(label, after);
            }
            for cell in 0..machine.program.cells.len() {
                let news = [number(cell), machine.layout.cell(state, cell), 0];
                let waiting = entries.iter().filter(|entry| entry[2] == 0).map(|entry| entry[0]);
                // The same twice in a row is the same as once.
                let is_again = entries.last().is_some_and(|newest| **newest == news);
                if is_again || !self.may_load(thread, machine.point(state, thread), waiting.chain([number(cell)])) {
                    continue;
                }
                let mut after = into.copy(state);
                buffers.push(&mut after, thread, cell, &news[1..]);
                into.push(label, after);
            }
            let op = machine.op(state, thread);
            if !entries.is_empty() && matches!(op, Op::Fence | Op::Atomic(_)) {
                continue;
            }
            let seen = |cell: usize| match (owned(cell), entries.first()) {
                (Some(entry), _) => entry[1],
                (None, Some(oldest)) if matches!(op, Op::Load(..)) => oldest[1],
                _ => machine.layout.cell(state, cell),
            };
            for is_other in WAYS {
                let step = match machine.next(state, thread, is_other, &seen) {
                    NextStep::Blocked => continue,
                    NextStep::Fault(kind) => return Err((thread, machine.point(state, thread), kind)),
                    NextStep::Step(step) => step,
                };
                let mut after = into.copy(state);
                machine.go(&mut after, thread, &step);
                match step.access {
                    MemoryAccess::Load(cell) if owned(cell).is_none() && entries.first().is_none_or(|oldest| oldest[0] != number(cell)) => {
                        continue;
                    }
                    MemoryAccess::Store(cell, value) => {
                        machine.layout.set_cell(&mut after, cell, value);
                        buffers.push(&mut after, thread, cell, &[value, 1]);
                        if let Some(old) = entries.iter().position(|entry| entry[0] == number(cell) && entry[2] == 1) {
                            buffers.remove(&mut after, thread, old);
                        }
                    }
                    _ => machine.write(&mut after, &step.access),
                }
                into.push(label, after);
            }
        }
        Ok(())
    }
}

/// For each question whether what it looks for can be reached, backwards; `None` where that is too much. For
/// comparison: a certificate has evidence.
pub fn backwards(program: &Program, most: usize, budget: &mut Budget) -> Vec<Option<bool>> {
    let analysis = ProgramAnalysis::new(program, &program.questions);
    let machine = Machine::new(program, &analysis);
    let Ok(reach) = ReachableValues::new(&machine, most, budget) else { return vec![None; program.questions.len()] };
    let of = |question: &Question| match search_back(&machine, &reach, question, most, budget) {
        Backwards::Unreachable(_) => Some(false),
        Backwards::Reachable => Some(true),
        Backwards::Ended(_) => None,
    };
    program.questions.iter().map(of).collect()
}

/// For each question of a program without loops whether load buffers reach what it looks for, forwards; `None` where
/// there is a loop, or too much. For comparison.
pub fn forwards(program: &Program, most: usize, budget: &mut Budget) -> Option<Vec<bool>> {
    let goes_back = |(point, node): (usize, &serval_tso_program::ControlPoint)| {
        let other = node.op.other().map_or(usize::MAX, serval_tso_program::Point::index);
        node.op != Op::End && (node.next.index() <= point || other <= point)
    };
    if program.threads.iter().any(|thread| thread.code.iter().enumerate().any(goes_back)) {
        return None;
    }
    let analysis = ProgramAnalysis::new(program, &program.questions);
    let machine = Machine::new(program, &analysis);
    let mut system = Forwards { machine: &machine, asked: PendingQuestions::new(program) };
    let (_, ended) = search(&mut system, most, budget);
    matches!(ended, Ended::Done | Ended::Met(_)).then(|| system.asked.met.iter().map(Option::is_some).collect())
}
