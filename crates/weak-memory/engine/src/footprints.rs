//! Persistent sets (Godefroid 1996) of threads, from what threads access, now and later
//! (`serval_tso_proof::persistent`).

use serval_tso_program::{Address, Inner, Op, Program};

/// Cells that are read or written, as bits.
pub(crate) type Cells = [u64; serval_tso_program::MAX_CELLS / 64];

/// Reads and writes.
pub(crate) type Accesses = (Cells, Cells);

fn add(cells: &mut Cells, address: &Address) {
    let length = address.index.as_ref().map_or(1, |(length, _)| *length as usize);
    for cell in address.first.index()..address.first.index() + length {
        cells[cell / 64] |= 1 << (cell % 64);
    }
}

fn parts_of(parts: &[Inner], into: &mut Accesses) {
    for part in parts {
        match part {
            Inner::Load(_, address) => add(&mut into.0, address),
            Inner::Store(address, _) => add(&mut into.1, address),
            Inner::Locked(_, _, address, _) => {
                add(&mut into.0, address);
                add(&mut into.1, address);
            }
            Inner::If(_, yes, no) => {
                parts_of(yes, into);
                parts_of(no, into);
            }
            Inner::Local(..) | Inner::Assume(_) => {}
        }
    }
}

fn accesses(op: &Op) -> Accesses {
    let mut all = Accesses::default();
    match op {
        Op::Load(_, address) => add(&mut all.0, address),
        Op::Store(address, _) => add(&mut all.1, address),
        Op::Atomic(parts) => parts_of(parts, &mut all),
        _ => {}
    }
    all
}

/// For each thread and point what the step from it accesses, and what can be accessed from there on.
pub(crate) struct Footprints {
    pub(crate) next: Vec<Vec<Accesses>>,
    pub(crate) later: Vec<Vec<Accesses>>,
}

impl Footprints {
    pub(crate) fn new(program: &Program) -> Self {
        let next: Vec<Vec<Accesses>> =
            program.threads.iter().map(|thread| thread.code.iter().map(|node| accesses(&node.op)).collect()).collect();
        let mut later = next.clone();
        for (thread, later) in program.threads.iter().zip(&mut later) {
            let mut changed = true;
            while changed {
                changed = false;
                for (point, node) in thread.code.iter().enumerate().rev() {
                    let mut all = later[point];
                    let no = node.op.other().map_or(point, serval_tso_program::Point::index);
                    for other in [later[node.next.index()], later[no]] {
                        all.0.iter_mut().zip(other.0).for_each(|(cells, other)| *cells |= other);
                        all.1.iter_mut().zip(other.1).for_each(|(cells, other)| *cells |= other);
                    }
                    changed |= all != later[point];
                    later[point] = all;
                }
            }
        }
        Self { next, later }
    }
}

/// Whether the order of two accesses may matter: one writes what the other reads or writes. It is asked for all pairs
/// of threads in each state, so the words are named.
#[inline]
pub(crate) fn disturb(one: &Accesses, two: &Accesses) -> bool {
    let ([r0, r1, r2, r3], [w0, w1, w2, w3]) = *one;
    let ([s0, s1, s2, s3], [x0, x1, x2, x3]) = *two;
    let met = |reads: u64, writes: u64, others_read: u64, others_write: u64| writes & (others_read | others_write) | reads & others_write;
    met(r0, w0, s0, x0) | met(r1, w1, s1, x1) | met(r2, w2, s2, x2) | met(r3, w3, s3, x3) != 0
}

/// What a thread accesses in a state, now and later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    pub(crate) now: Accesses,
    pub(crate) later: Accesses,
    /// Whether a set that has the thread has all.
    pub(crate) needs_all: bool,
    /// Whether it can do something that no question is about.
    pub(crate) has_key: bool,
}

impl Moves {
    /// Adds a store that waits.
    pub(crate) fn wait(&mut self, cell: usize, is_oldest: bool) {
        self.later.1[cell / 64] |= 1 << (cell % 64);
        if is_oldest {
            self.now.1[cell / 64] |= 1 << (cell % 64);
        }
    }
}

/// The threads that come first (`serval_tso_proof::persistent`), as bits: all of them where there is no such set.
pub(crate) fn leading(moves: &[Moves]) -> u64 {
    if moves.iter().all(|of| !of.has_key) {
        return u64::MAX;
    }
    let needed = |of: &Moves| {
        let needed = |later: &Accesses| of.needs_all || disturb(&of.now, later);
        moves.iter().enumerate().fold(0_u64, |bits, (other, of)| bits | u64::from(needed(&of.later)) << other)
    };
    // Of most states few threads are asked, for one alone comes first.
    let mut needs: Vec<Option<u64>> = vec![None; moves.len()];
    let mut best = u64::MAX;
    for first in 0..moves.len() {
        let (mut set, mut open, mut has_key) = (1_u64 << first, 1_u64 << first, false);
        while open != 0 {
            let thread = open.trailing_zeros() as usize;
            has_key |= moves[thread].has_key;
            let needs = *needs[thread].get_or_insert_with(|| needed(&moves[thread]));
            open = (open & open.wrapping_sub(1)) | (needs & !set);
            set |= needs;
        }
        if has_key && set.count_ones() < best.count_ones() {
            best = set;
            if set.count_ones() == 1 {
                break;
            }
        }
    }
    best
}
