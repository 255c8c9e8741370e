//! Dual TSO (Abdulla, Atig, Bouajjani, Ngo 2016): load buffers instead of store buffers, as a well-structured system.
//!
//! Each thread has a *load buffer*: a word of entries, each a cell and a value, some of them *own*; of each cell at
//! most one entry is own. A *configuration* is points, registers, memory, and a load buffer for each thread. The steps:
//!
//! - *a store of v to x*: x is v in memory at once; an own entry on x leaves the own buffer, and the own entry (x, v)
//!   is appended as the newest;
//! - *news*, at any time: an entry (x, what x is in memory) is appended to some buffer, as the newest; it is not own;
//! - *loss*, at any time: the oldest entry of some buffer goes;
//! - *a load of x*: reads the own entry on x, if there is one; else the oldest entry, which must be on x. No entry
//!   goes;
//! - *a fence, a locked step*: needs an empty own buffer; the latter reads and writes memory;
//! - *all others*: as with store buffers.
//!
//! **Theorem.** If a state in which no store waits can be reached with store buffers, then the configuration with the
//! same points, registers and memory and with empty load buffers can be reached.
//!
//! **Proof.** Follow the run with store buffers; a thread makes its steps later in the run of configurations. It
//! *stands* before its oldest store that waits, or where it is with store buffers if none waits. When a thread loads x
//! from memory, news of x is appended to its buffer; and when a store lands, the thread makes the store and then all
//! steps up to the next store that waits. So memory is always the same. It is to be shown that each load then reads the
//! same.
//!
//! - *From memory*: let the load be made with store buffers at time t. Its news m is there: it goes only by loss, which
//!   is used only so: before a load that reads m, all entries older than m are lost.
//!   - An older news is that of an earlier load of this thread, which has been made.
//!   - An older own entry, on z say, is of a store that landed before t, and a load from the buffer that reads this
//!     store was made before that, so before t, and has been made too.
//!   - There is no own entry on x newer than m: its store would have landed after t and be earlier in the thread than
//!     the load, for later ones have not been made, so that at t it waited and the load would have read from the
//!     buffer.
//! - *From the buffer*: let the load read, at time t, the store s to x, which lands later. The own entry of s is there:
//!   it was appended after t, so it is older than no news of an earlier load and is not lost for one; and it is the
//!   newest on x, for a store to x between s and the load in the thread would have been newer in the buffer at t, and
//!   later ones have not been made.
//! - *Fences and locked steps*: no store waits, so the thread stands where it is, and the entries of its buffer are
//!   lost.
//!
//! At the end no store waits, all threads stand where they are, and all entries are lost. ∎
//!
//! **Order.** A configuration is *below* another if points, registers and memory are equal, and each buffer of the one
//! is obtained from that of the other by leaving out entries that are not own. What is above a configuration has the
//! same own entries, in the same order.
//!
//! **Possible configurations.** The evidence says what each thread may be: its point, its registers, and for each cell,
//! or not, the value that it has stored last since its last fence or locked step; and which values each cell may have.
//! With that a configuration is *possible* if for each thread there is such a description with its point and its
//! registers that has all own entries of its buffer, and all values are among those of their cells.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Budget;
use serval_tso_program::{Address, CellId, Inner, Op, Point, Program};

use crate::Refusal;
use crate::live::Live;
use crate::state::{Local, State};
use crate::step::{self, Access, Next, WAYS, next};

/// An entry of a load buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BufferEntry {
    pub(crate) cell: CellId,
    pub(crate) value: i64,
    pub(crate) own: bool,
}

/// A configuration. The store buffers of its state are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoadConfiguration {
    pub(crate) state: State,
    pub(crate) buffers: Vec<Vec<BufferEntry>>,
}

/// The own entry on a cell.
pub(crate) fn own(buffer: &[BufferEntry], cell: CellId) -> Option<&BufferEntry> {
    buffer.iter().find(|entry| entry.own && entry.cell == cell)
}

/// Whether one buffer is obtained from another by leaving out entries that are not own.
pub(crate) fn is_below(small: &[BufferEntry], large: &[BufferEntry]) -> bool {
    let mut rest = small.iter().peekable();
    for entry in large {
        if rest.peek() == Some(&entry) {
            rest.next();
        } else if entry.own {
            return false;
        }
    }
    rest.peek().is_none()
}

/// How a thread comes to a point with registers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Arrival {
    /// Without access.
    Quiet,
    Fence,
    Store(CellId, i64),
    /// Reads this value.
    Load(CellId, i64),
    /// With these values in memory before, and these cells written.
    Locked(Vec<(CellId, i64)>, Vec<(CellId, i64)>),
}

/// A thread at a point with registers, and what it has stored last to each cell.
pub(crate) type LastStores = Vec<Option<i64>>;

/// By point and registers of a thread, from where and how it comes there.
type Ways = BTreeMap<Vec<i64>, BTreeSet<(Vec<i64>, Arrival)>>;

/// What threads and cells may be.
pub(crate) struct ReachableValues {
    /// For each thread, by point and registers: what it may have stored last.
    places: Vec<BTreeMap<Vec<i64>, BTreeSet<LastStores>>>,
    /// For each cell.
    pub(crate) values: Vec<BTreeSet<i64>>,
    /// For each thread, by point and registers, from where and how it comes there.
    ways: Vec<Ways>,
}

pub(crate) fn numbers_of(local: &Local) -> Vec<i64> {
    let mut numbers = vec![i64::from(local.point.0)];
    numbers.extend(&local.registers);
    numbers
}

/// The thread at these numbers: its point is one of the thread, or there is none.
pub(crate) fn local_of(program: &Program, thread: usize, numbers: &[i64]) -> Option<Local> {
    let (point, registers) = numbers.split_first()?;
    let point = Point(u32::try_from(*point).ok()?);
    let of = &program.threads[thread];
    (point.index() < of.code.len() && registers.len() == of.registers.len()).then(|| Local { point, registers: registers.to_vec() })
}

/// The cells that an address may be.
fn cells_of(address: &Address, into: &mut BTreeSet<CellId>) {
    let length = address.index.as_ref().map_or(1, |(length, _)| *length);
    into.extend((0..length).map(|offset| CellId(address.first.0.saturating_add(offset))));
}

/// The cells that parts of a locked step may access.
fn accessed(parts: &[Inner], into: &mut BTreeSet<CellId>) {
    for part in parts {
        match part {
            Inner::Local(..) | Inner::Assume(_) => {}
            Inner::Store(address, _) | Inner::Load(_, address) | Inner::Locked(_, _, address, _) => cells_of(address, into),
            Inner::If(_, yes, no) => {
                accessed(yes, into);
                accessed(no, into);
            }
        }
    }
}

/// The steps of a thread, whatever is in memory: how, and where to.
pub(crate) fn steps(
    program: &Program,
    thread: usize,
    local: &Local,
    values: &[BTreeSet<i64>],
    budget: &mut Budget,
) -> Result<Vec<(Arrival, Local)>, Refusal> {
    let of = &program.threads[thread];
    let mut looked = BTreeSet::new();
    match &of.code[local.point.index()].op {
        Op::Load(..) => {
            // Which cell it is depends on registers alone.
            if let Next::Step(step) = next(program, of, local, step::Way::First, &|_| 0)
                && let Access::Load(cell) = step.access
            {
                looked.insert(cell);
            }
        }
        Op::Atomic(parts) => accessed(parts, &mut looked),
        _ => {}
    }
    let looked: Vec<CellId> = looked.into_iter().collect();
    let mut views: Vec<Vec<(CellId, i64)>> = vec![Vec::new()];
    for cell in looked {
        let mut longer = Vec::new();
        for view in &views {
            for value in &values[cell.index()] {
                budget.spend(1)?;
                longer.push(view.iter().copied().chain([(cell, *value)]).collect());
            }
        }
        views = longer;
    }
    let mut list = Vec::new();
    for (view, way) in views.into_iter().flat_map(|view| WAYS.map(|way| (view.clone(), way))) {
        budget.spend(1)?;
        let seen = |cell: CellId| view.iter().find(|(looked, _)| *looked == cell).map_or(0, |(_, value)| *value);
        // A step that leaves the range cannot be made.
        let Next::Step(step) = next(program, of, local, way, &seen) else { continue };
        let way = match step.access {
            Access::None => Arrival::Quiet,
            Access::Fence => Arrival::Fence,
            Access::Store(cell, value) => Arrival::Store(cell, value),
            Access::Load(cell) => Arrival::Load(cell, seen(cell)),
            Access::Locked { writes, .. } => Arrival::Locked(view, writes),
        };
        list.push((way, step.local));
    }
    Ok(list)
}

/// What a step does to what a thread has stored last, and which values it gives to cells.
pub(crate) fn written(way: &Arrival, kept: &LastStores) -> (LastStores, Vec<(CellId, i64)>) {
    match way {
        Arrival::Quiet | Arrival::Load(..) => (kept.clone(), Vec::new()),
        Arrival::Fence => (vec![None; kept.len()], Vec::new()),
        Arrival::Store(cell, value) => {
            let mut kept = kept.clone();
            kept[cell.index()] = Some(*value);
            (kept, vec![(*cell, *value)])
        }
        Arrival::Locked(_, writes) => (vec![None; kept.len()], writes.clone()),
    }
}

impl ReachableValues {
    /// What threads and cells may be, if that is well formed: for each thread lists of its point, its registers, and
    /// for each cell 1 and what was stored last or 0 and 0; for each cell the values.
    pub(crate) fn read(program: &Program, threads: &[Vec<Vec<i64>>], values: &[Vec<i64>]) -> Option<Self> {
        if threads.len() != program.threads.len() || values.len() != program.cells.len() {
            return None;
        }
        let mut places = Vec::new();
        for (thread, list) in threads.iter().enumerate() {
            let mut map: BTreeMap<Vec<i64>, BTreeSet<LastStores>> = BTreeMap::new();
            for numbers in list {
                let (local, kept) = numbers.split_at_checked(1 + program.threads[thread].registers.len())?;
                local_of(program, thread, local)?;
                if kept.len() != 2 * program.cells.len() || kept.chunks_exact(2).any(|pair| pair[0] != 0 && pair[0] != 1) {
                    return None;
                }
                let kept = kept.chunks_exact(2).map(|pair| (pair[0] == 1).then_some(pair[1])).collect();
                map.entry(local.to_vec()).or_default().insert(kept);
            }
            places.push(map);
        }
        let values = values.iter().map(|values| values.iter().copied().collect()).collect();
        Some(Self { places, values, ways: vec![BTreeMap::new(); threads.len()] })
    }

    /// Finds all ways, and whether nothing that there may be is missing: the beginning, and with everything what each
    /// step makes of it.
    pub(crate) fn is_closed(&mut self, program: &Program, live: &Live<'_>, budget: &mut Budget) -> Result<bool, Refusal> {
        let initial = State::initial(program);
        let mut closed = initial.memory.iter().zip(&self.values).all(|(value, values)| values.contains(value));
        for thread in 0..program.threads.len() {
            let mut ways = Ways::new();
            let mut first = initial.locals[thread].clone();
            live.forget_in(thread, &mut first);
            let nothing = vec![None; program.cells.len()];
            closed &= self.places[thread].get(&numbers_of(&first)).is_some_and(|kept| kept.contains(&nothing));
            for (numbers, all) in &self.places[thread] {
                let Some(local) = local_of(program, thread, numbers) else { continue };
                for (way, mut after) in steps(program, thread, &local, &self.values, budget)? {
                    live.forget_in(thread, &mut after);
                    let to = numbers_of(&after);
                    let there = self.places[thread].get(&to);
                    for kept in all {
                        budget.spend(1)?;
                        let (kept, writes) = written(&way, kept);
                        closed &= there.is_some_and(|there| there.contains(&kept));
                        closed &= writes.iter().all(|(cell, value)| self.values[cell.index()].contains(value));
                    }
                    ways.entry(to).or_default().insert((numbers.clone(), way));
                }
            }
            self.ways[thread] = ways;
        }
        Ok(closed)
    }

    /// The points and registers that a thread may have.
    pub(crate) fn places(&self, thread: usize) -> impl Iterator<Item = &Vec<i64>> {
        self.places[thread].keys()
    }

    /// From where and how a thread comes to a place.
    pub(crate) fn ways(&self, thread: usize, to: &[i64]) -> impl Iterator<Item = &(Vec<i64>, Arrival)> {
        self.ways[thread].get(to).into_iter().flatten()
    }

    /// The values that a thread at a place may have stored last to a cell.
    pub(crate) fn stored(&self, thread: usize, at: &[i64], cell: CellId) -> BTreeSet<i64> {
        self.places[thread].get(at).into_iter().flatten().filter_map(|kept| kept[cell.index()]).collect()
    }

    /// Whether a thread may be at a place with this buffer.
    pub(crate) fn is_possible(&self, thread: usize, at: &[i64], buffer: &[BufferEntry]) -> bool {
        let has = |kept: &LastStores| buffer.iter().filter(|entry| entry.own).all(|entry| kept[entry.cell.index()] == Some(entry.value));
        self.places[thread].get(at).is_some_and(|all| all.iter().any(has))
    }
}
