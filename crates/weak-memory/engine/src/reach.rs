//! What each thread and each cell may be, whatever the other threads do: the room in which configurations with load
//! buffers are looked for (`serval_tso_proof::loads`).

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::Budget;
use serval_tso_program::{Address, Inner, Op};

use crate::machine::{Machine, MemoryAccess, NextStep, WAYS};
use crate::search::Ended;

/// How a thread comes to a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Arrival {
    Quiet,
    Fence,
    Store(usize, i64),
    Load(usize, i64),
    /// Finds these values, and leaves those.
    Locked(Vec<(usize, i64)>, Vec<(usize, i64)>),
}

/// What a thread has stored last to each cell since its last fence or locked step.
pub(crate) type LastStores = Vec<Option<i64>>;

/// The places of a thread, that is its point and its registers, each with what it may have stored last, and how one
/// comes there.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) list: IndexMap<Vec<i64>, BTreeSet<LastStores>, FxBuildHasher>,
    pub(crate) ways: Vec<BTreeSet<(usize, Arrival)>>,
}

/// What threads and cells may be.
pub(crate) struct ReachableValues {
    pub(crate) threads: Vec<Places>,
    pub(crate) values: Vec<BTreeSet<i64>>,
}

fn cells_of(address: &Address, into: &mut BTreeSet<usize>) {
    let length = address.index.as_ref().map_or(1, |(length, _)| *length as usize);
    into.extend(address.first.index()..address.first.index() + length);
}

fn cells_in(parts: &[Inner], into: &mut BTreeSet<usize>) {
    for part in parts {
        match part {
            Inner::Store(address, _) | Inner::Load(_, address) | Inner::Locked(_, _, address, _) => cells_of(address, into),
            Inner::If(_, yes, no) => {
                cells_in(yes, into);
                cells_in(no, into);
            }
            Inner::Local(..) | Inner::Assume(_) => {}
        }
    }
}

/// The steps of a thread from a place, for all values that it may find: how, and where to.
fn steps(machine: &Machine<'_>, thread: usize, place: &[i64], values: &[BTreeSet<i64>]) -> Vec<(Arrival, Vec<i64>)> {
    let mut state = machine.initial();
    machine.layout.local_mut(&mut state, thread).copy_from_slice(place);
    let mut looked = BTreeSet::new();
    match machine.op(&state, thread) {
        Op::Load(_, address) => cells_of(address, &mut looked),
        Op::Atomic(parts) => cells_in(parts, &mut looked),
        _ => {}
    }
    if let NextStep::Step(step) = machine.next(&state, thread, false, &|_| 0)
        && let MemoryAccess::Load(cell) = step.access
    {
        looked = BTreeSet::from([cell]);
    }
    let mut views: Vec<BTreeMap<usize, i64>> = vec![BTreeMap::new()];
    for cell in looked {
        let with = |view: &BTreeMap<usize, i64>, value: i64| {
            let mut view = view.clone();
            view.insert(cell, value);
            view
        };
        views = views.iter().flat_map(|view| values[cell].iter().map(|value| with(view, *value)).collect::<Vec<_>>()).collect();
    }
    let mut list = Vec::new();
    for (view, is_other) in views.into_iter().flat_map(|view| WAYS.map(|is_other| (view.clone(), is_other))) {
        let seen = |cell: usize| view.get(&cell).copied().unwrap_or(0);
        let NextStep::Step(step) = machine.next(&state, thread, is_other, &seen) else { continue };
        let mut after = state.clone();
        machine.go(&mut after, thread, &step);
        let way = match step.access {
            MemoryAccess::Local => Arrival::Quiet,
            MemoryAccess::Fence => Arrival::Fence,
            MemoryAccess::Store(cell, value) => Arrival::Store(cell, value),
            MemoryAccess::Load(cell) => Arrival::Load(cell, seen(cell)),
            MemoryAccess::Locked { writes, .. } => Arrival::Locked(view.clone().into_iter().collect(), writes),
        };
        list.push((way, machine.layout.local(&after, thread).to_vec()));
    }
    list
}

impl ReachableValues {
    /// The least that has the beginning and is closed.
    pub(crate) fn new(machine: &Machine<'_>, most: usize, budget: &mut Budget) -> Result<Self, Ended> {
        let cells = machine.program.cells.len();
        let values = machine.program.cells.iter().map(|(_, initial)| BTreeSet::from([*initial])).collect();
        let mut reach = Self { threads: Vec::new(), values };
        let initial = machine.initial();
        for thread in 0..machine.count() {
            let place = machine.layout.local(&initial, thread).to_vec();
            let mut places = Places::default();
            places.list.insert(place, BTreeSet::from([vec![None; cells]]));
            places.ways.push(BTreeSet::new());
            reach.threads.push(places);
        }
        loop {
            let mut grown = false;
            for thread in 0..machine.count() {
                let mut at = 0;
                while let Some((place, kept)) = reach.threads[thread].list.get_index(at) {
                    let kept = kept.clone();
                    for (way, to) in steps(machine, thread, place, &reach.values) {
                        budget.spend(1).map_err(Ended::Stopped)?;
                        grown |= reach.put(thread, at, &kept, way, to);
                    }
                    if reach.threads[thread].list.len() > most {
                        return Err(Ended::TooMany);
                    }
                    at += 1;
                }
            }
            if !grown {
                return Ok(reach);
            }
        }
    }

    /// Notes a step; whether anything is new.
    fn put(&mut self, thread: usize, from: usize, kept: &BTreeSet<LastStores>, way: Arrival, to: Vec<i64>) -> bool {
        let after = |kept: &LastStores| {
            let mut kept = kept.clone();
            match &way {
                Arrival::Store(cell, value) => kept[*cell] = Some(*value),
                Arrival::Fence | Arrival::Locked(..) => kept.fill(None),
                Arrival::Quiet | Arrival::Load(..) => {}
            }
            kept
        };
        let kept: Vec<LastStores> = kept.iter().map(after).collect();
        let mut grown = false;
        match &way {
            Arrival::Store(cell, value) => grown |= self.values[*cell].insert(*value),
            Arrival::Locked(_, writes) => writes.iter().for_each(|(cell, value)| grown |= self.values[*cell].insert(*value)),
            Arrival::Quiet | Arrival::Fence | Arrival::Load(..) => {}
        }
        let places = &mut self.threads[thread];
        let entry = places.list.entry(to);
        let to = entry.index();
        entry.or_default();
        places.ways.resize(places.list.len(), BTreeSet::new());
        for kept in kept {
            grown |= places.list[to].insert(kept);
        }
        places.ways[to].insert((from, way)) | grown
    }

    /// The values that a thread at a place may have stored last to a cell.
    pub(crate) fn stored(&self, thread: usize, place: usize, cell: usize) -> BTreeSet<i64> {
        self.threads[thread].list[place].iter().filter_map(|kept| kept[cell]).collect()
    }

    /// Whether a thread at a place may have stored these last.
    pub(crate) fn is_possible(&self, thread: usize, place: usize, own: &[(usize, i64)]) -> bool {
        let has = |kept: &LastStores| own.iter().all(|(cell, value)| kept[*cell] == Some(*value));
        self.threads[thread].list[place].iter().any(has)
    }

    /// As it is written in certificates: for each thread, for each cell.
    pub(crate) fn written(&self) -> (Vec<Vec<Vec<i64>>>, Vec<Vec<i64>>) {
        let line = |place: &Vec<i64>, kept: &LastStores| {
            let kept = kept.iter().flat_map(|kept| [i64::from(kept.is_some()), kept.unwrap_or(0)]);
            place.iter().copied().chain(kept).collect::<Vec<i64>>()
        };
        let of = |places: &Places| {
            let mut lines: Vec<Vec<i64>> = places.list.iter().flat_map(|(place, all)| all.iter().map(|kept| line(place, kept))).collect();
            lines.sort_unstable();
            lines
        };
        (self.threads.iter().map(of).collect(), self.values.iter().map(|values| values.iter().copied().collect()).collect())
    }
}
