//! Persistent sets (Godefroid 1996) of threads: not every order of independent steps is needed.
//!
//! At a point of a thread, the step from it reads and writes cells among those that its statement names, and from there
//! on the thread accesses cells among those of all statements that can come. Two accesses *disturb* each other (are
//! dependent) if they are of one cell and one of them writes. In a state, a thread
//!
//! - accesses *now* what its next step accesses, but a store with store buffers accesses nothing, for it goes to the
//!   own buffer; and with store buffers it writes the cell of its oldest store that waits;
//! - accesses *later* what can come from where it is, and writes the cells of all its stores that wait.
//!
//! In a state, a set of threads
//!
//! - is *persistent* if what its threads access now does not disturb what others access later;
//! - *leads* if one of its threads has a *key*: a store that can land, or a step that can be made and leads to a point
//!   with a greater number. No question about all states may speak of the key, that is, of either of the two points, of
//!   the register that it assigns, or of any register of the thread if the step is locked; and if a question about all
//!   states speaks of memory, neither stores that land nor steps that write memory are keys.
//!
//! The *leading set* of a state is the smallest that is obtained from one thread by adding what persistence needs, and
//! leads; of several the one of the first such thread. Where no thread has an urgent step ([`crate::urgent`]), a list
//! needs to hold only the states after steps, and stores that land, of the threads of the leading set, if there is one.
//!
//! **Lemma.** Let a list be closed in this sense, and no thread have a faulting step in its states. If a state that a
//! question seeks, or one with a faulting step, can be reached from a state of the list, then the list has such a state
//! (up to dead registers).
//!
//! **Proof.** By induction on the length of the shortest such run `w` from a state `s` of the list, for equal lengths
//! on the numbers of the points, from above, and for equal points on how many stores wait, from below. Let `T` be the
//! leading set.
//!
//! - *Some thread of `T` moves in `w`*, that is, makes a step or has a store land. Then `w` is `u a v`, where `a` is
//!   the first such move, and `t` its thread. Until `a` the thread has the same point, registers and buffer as in `s`,
//!   and `u` is of threads outside of `T`, which write memory only where they write later: nothing that `a` reads or
//!   writes. So `a` is possible in `s` and does the same: a fence or a locked step, because the buffer of `t` is empty
//!   in `s`, too; and `a` writes nothing that `u` reads or writes. A load from the own buffer reads no memory, and is
//!   the same. Hence `a u v` is a run from `s` to the same end, the list has the state after `a`, and from there the
//!   run is shorter.
//! - *No thread of `T` moves in `w`.* Let `a` be the key, of `t`, to `s'`, which is in the list. As before `w` can be
//!   made from `s'`, and ends in a state that differs from the end of `w` in what the question does not speak of; and
//!   it is not about final states, for in a final state `t` would have ended, and no store would wait. If some thread
//!   is about to make a faulting step at the end of `w`, it is not one of `T`, for it would be about to do so in `s`;
//!   nor is what it reads written by `a`. The run from `s'` is as long as `w`, but `t` is at a point with a greater
//!   number, or all points are the same and fewer stores wait. ∎
//!
//! **Attacks** ([`crate::robust`]). In mode 1 the next step of the attacker accesses nothing now if it is a store; if
//! it is a load, which may be the last, a set that has the attacker has all threads, for others may not do after the
//! last load what they may do before. Later the attacker only reads, in mode 1, and accesses nothing in mode 2, where
//! it stands still. A key is a step that leads to something. The proof is the same, with these additions:
//!
//! - *`s` has a mode below 2.* Then so has the state before `a`: if `t` is the attacker, because it does not move in
//!   `u`; else, in mode 2, `t` would be no helper yet, and `a` would read a cell that was written, or write one that
//!   was accessed, by threads outside of `T`, which `a` does not disturb. Then others do the same in modes 0 and 1, and
//!   `a` is not a last load unless `T` has all threads and `u` is empty.
//! - *`s` has mode 2.* Neither whether `a` may be made depends on what `u` accesses, nor the other way round, for the
//!   same reason, and what is noted as accessed does not depend on the order.
//! - *No thread of `T` moves.* What is noted by the key does not undo a violation; and below mode 2 it is no violation,
//!   if the key is the attacker's.

use serval_tso_program::{Address, CellId, Inner, Op, Program};

use crate::state::{Local, Model, State};
use crate::urgent::QuestionView;

/// Cells as bits; there are at most as many as a program may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cells([u64; serval_tso_program::MAX_CELLS / 64]);

impl Cells {
    fn add(&mut self, address: &Address) {
        let length = address.index.as_ref().map_or(1, |(length, _)| *length as usize);
        (address.first.index()..address.first.index() + length).for_each(|cell| self.add_cell(cell));
    }

    pub(crate) fn add_cell(&mut self, cell: usize) {
        if let Some(word) = self.0.get_mut(cell / 64) {
            *word |= 1 << (cell % 64);
        }
    }

    fn join(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    #[inline]
    fn meets(&self, other: &Self) -> bool {
        // It is asked for all pairs of threads in each state, so the words are named.
        let (Self([a, b, c, d]), Self([e, f, g, h])) = (self, other);
        a & e | b & f | c & g | d & h != 0
    }
}

/// Cells that are read, and cells that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accesses {
    pub(crate) reads: Cells,
    pub(crate) writes: Cells,
}

impl Accesses {
    pub(crate) fn join(&mut self, other: Self) {
        self.reads.join(other.reads);
        self.writes.join(other.writes);
    }

    pub(crate) fn disturb(&self, other: &Self) -> bool {
        self.writes.meets(&other.reads) || self.writes.meets(&other.writes) || self.reads.meets(&other.writes)
    }

    fn of_parts(parts: &[Inner], into: &mut Self) {
        for part in parts {
            match part {
                Inner::Local(..) | Inner::Assume(_) => {}
                Inner::Load(_, address) => into.reads.add(address),
                Inner::Store(address, _) => into.writes.add(address),
                Inner::Locked(_, _, address, _) => {
                    into.reads.add(address);
                    into.writes.add(address);
                }
                Inner::If(_, yes, no) => {
                    Self::of_parts(yes, into);
                    Self::of_parts(no, into);
                }
            }
        }
    }

    /// What the step from a point may access.
    fn of(op: &Op) -> Self {
        let mut accesses = Self::default();
        match op {
            Op::Store(address, _) => accesses.writes.add(address),
            Op::Load(_, address) => accesses.reads.add(address),
            Op::Atomic(parts) => Self::of_parts(parts, &mut accesses),
            Op::End | Op::Skip | Op::Local(..) | Op::Branch(..) | Op::Either(_) | Op::Assume(_) | Op::Assert(_) | Op::Fence => {}
        }
        accesses
    }
}

/// For each thread and point what the step from it accesses, and what can be accessed from there on.
pub(crate) struct Persistent {
    pub(crate) next: Vec<Vec<Accesses>>,
    pub(crate) later: Vec<Vec<Accesses>>,
}

impl Persistent {
    pub(crate) fn new(program: &Program) -> Self {
        let (mut next, mut later) = (Vec::new(), Vec::new());
        for thread in &program.threads {
            let own: Vec<Accesses> = thread.code.iter().map(|node| Accesses::of(&node.op)).collect();
            let mut all = own.clone();
            loop {
                let before = all.clone();
                for (point, node) in thread.code.iter().enumerate() {
                    all[point].join(before[node.next.index()]);
                    if let Some(other) = node.op.other() {
                        all[point].join(before[other.index()]);
                    }
                }
                if all == before {
                    break;
                }
            }
            next.push(own);
            later.push(all);
        }
        Self { next, later }
    }
}

impl Persistent {
    /// The leading set of a state, as bits, where the steps of these threads are keys.
    pub(crate) fn leading_in(&self, program: &Program, model: Model, state: &State, keys: &[bool], seen: &QuestionView) -> u64 {
        let moves = |(thread, local): (usize, &Local)| {
            let point = local.point.index();
            let stores = matches!(program.threads[thread].code[point].op, Op::Store(..));
            let now = if stores && model == Model::Tso { Accesses::default() } else { self.next[thread][point] };
            let has_key = keys[thread] || seen.is_memory_unseen() && !state.buffers[thread].is_empty();
            let mut moves = Moves { now, later: self.later[thread][point], needs_all: false, has_key };
            moves.wait(&state.buffers[thread]);
            moves
        };
        leading(&state.locals.iter().enumerate().map(moves).collect::<Vec<_>>())
    }
}

/// What a thread accesses in a state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moves {
    pub(crate) now: Accesses,
    pub(crate) later: Accesses,
    /// Whether a set that has the thread has all.
    pub(crate) needs_all: bool,
    pub(crate) has_key: bool,
}

impl Moves {
    /// Adds the stores that wait, the oldest first.
    pub(crate) fn wait(&mut self, buffer: &[(CellId, i64)]) {
        buffer.iter().take(1).for_each(|(cell, _)| self.now.writes.add_cell(cell.index()));
        buffer.iter().for_each(|(cell, _)| self.later.writes.add_cell(cell.index()));
    }
}

/// The threads that a set needs with one of them, as bits, where each needs these.
pub(crate) fn closed(needs: &[u64], first: usize) -> u64 {
    let mut set = 1_u64 << first;
    loop {
        let more = (0..needs.len()).filter(|thread| set >> thread & 1 == 1).fold(set, |bits, thread| bits | needs[thread]);
        if more == set {
            return set;
        }
        set = more;
    }
}

/// The leading set of a state, as bits: all threads where there is none.
pub(crate) fn leading(moves: &[Moves]) -> u64 {
    let needs = |(thread, of): (usize, &Moves)| {
        let needed = |(other, later): &(usize, &Moves)| of.needs_all || *other == thread || of.now.disturb(&later.later);
        moves.iter().enumerate().filter(needed).fold(0_u64, |bits, (other, _)| bits | 1 << other)
    };
    let needs: Vec<u64> = moves.iter().enumerate().map(needs).collect();
    let keys = moves.iter().enumerate().filter(|(_, of)| of.has_key).fold(0_u64, |bits, (thread, _)| bits | 1 << thread);
    let sets = (0..moves.len()).map(|first| closed(&needs, first)).filter(|set| set & keys != 0);
    sets.min_by_key(|set| set.count_ones()).unwrap_or(u64::MAX)
}
