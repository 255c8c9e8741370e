//! Where a row is in a list of rows: a table of hashes with open addressing.
//!
//! The table has a power of two of slots, four bytes each, of which at most three of four are taken, and a row is in
//! the first free slot from that of its hash on. A slot has the number of its row, which needs no more bits than the
//! number of slots has, and in the bits that are left a part of the hash: where that is another, the row is another,
//! and need not be looked at. A row is found only where its words are the same as those of the list, so that a mistake
//! in hashes could lose a row, and could not find one that is not there.
//!
//! A large table is not near the processor: most of the time goes into waiting for memory. So rows can be sought
//! together: then memory is asked for all of them before the first is compared. And a row that was sought a short
//! while ago is not sought again.

use crate::row_recent::{RecentRows, hash_of};
use crate::row_steps::RowSteps;
use crate::rows::{Packed, RowNumber, Rows};

/// Rows for which memory is asked together when a table is made.
const TOGETHER: usize = 256;

/// A table for a list of rows, which must be the same in all calls.
#[derive(Clone, Debug, Default)]
pub struct RowIndex {
    /// The number of a row, from 1, below a part of its hash; 0 where the slot is free.
    slots: Vec<u32>,
    taken: usize,
    /// The row that is looked for, as it would be packed.
    sought: Vec<u64>,
    /// Rows that are sought together, one behind the other.
    together: Vec<u64>,
    /// The step that led to each of them.
    steps: Vec<u32>,
    /// The hash of each of them, and the slot where it may be.
    hashes: Vec<u64>,
    firsts: Vec<usize>,
    /// Rows that are in the list, or are sought.
    recent: RecentRows,
}

/// What becomes of a row that a step leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// It is sought with the others.
    Noted,
    /// It is in the list, or sought already.
    Known,
    /// The list has no room for one of its numbers, and so has no such row.
    NoRoom,
}

/// Whether rows of one list are the same; they are short.
#[inline]
fn is_same(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

fn number_of(step: usize) -> u32 {
    u32::try_from(step).unwrap_or(u32::MAX)
}

impl RowIndex {
    /// The table of a list in which no row occurs twice.
    pub fn of<W: RowNumber>(rows: &Rows<W>) -> Self {
        let mut index = Self::default();
        index.build(&rows.packed, rows.len());
        index
    }

    /// Makes the table anew, with room for so many rows.
    fn build(&mut self, packed: &Packed, room: usize) {
        let slots = (room + room / 3 + 1).next_power_of_two().max(16);
        // The old one goes first.
        self.slots = Vec::new();
        self.slots = vec![0; slots];
        self.taken = 0;
        self.recent.clear();
        let mut hashes = Vec::with_capacity(TOGETHER);
        for start in (0..packed.len()).step_by(TOGETHER) {
            hashes.clear();
            hashes.extend((start..packed.len().min(start + TOGETHER)).map(|number| hash_of(packed.row(number))));
            // Memory is asked for all of them before the first is waited for.
            std::hint::black_box(hashes.iter().fold(0, |all, &hash| all ^ self.slots[self.slot_of(hash)]));
            for &hash in &hashes {
                let mut slot = self.slot_of(hash);
                while self.slots[slot] != 0 {
                    slot = (slot + 1) & (slots - 1);
                }
                self.take(slot, hash);
            }
        }
    }

    /// The next row is in this slot.
    #[inline]
    fn take(&mut self, slot: usize, hash: u64) -> bool {
        let Ok(number) = u32::try_from(self.taken + 1) else { return false };
        self.slots[slot] = number | self.part_of(hash);
        self.taken += 1;
        true
    }

    /// The slot of a hash: its highest bits.
    #[inline]
    fn slot_of(&self, hash: u64) -> usize {
        let bits = self.slots.len().trailing_zeros();
        usize::try_from(hash >> (64 - bits)).unwrap_or(0)
    }

    /// The bits of a slot that have the number of a row: those of numbers of slots, which are at most 2³².
    #[inline]
    fn numbers(&self) -> u32 {
        u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
    }

    /// The part of a hash that a slot has: lower bits than those that say which slot it is.
    #[inline]
    fn part_of(&self, hash: u64) -> u32 {
        u32::try_from(hash & u64::from(u32::MAX)).unwrap_or(0) & !self.numbers()
    }

    /// The number of a row, or the slot where it would be.
    fn locate(&self, packed: &Packed, row: &[u64]) -> Result<usize, usize> {
        let hash = hash_of(row);
        self.locate_from(packed, row, hash, self.slot_of(hash))
    }

    /// The first slot, from this one on, that is free, or whose row may have this hash.
    #[inline]
    fn candidate(&self, hash: u64, mut slot: usize) -> usize {
        let (numbers, part) = (self.numbers(), self.part_of(hash));
        while self.slots[slot] != 0 && self.slots[slot] & !numbers != part {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    /// The number of the row in a slot that is not free.
    #[inline]
    fn number_in(&self, slot: usize) -> usize {
        (self.slots[slot] & self.numbers()) as usize - 1
    }

    /// The number of a row, or the slot where it would be, with the slot where the search begins.
    #[inline]
    fn locate_from(&self, packed: &Packed, row: &[u64], hash: u64, mut slot: usize) -> Result<usize, usize> {
        loop {
            slot = self.candidate(hash, slot);
            if self.slots[slot] == 0 {
                return Err(slot);
            }
            let number = self.number_in(slot);
            if is_same(packed.row(number), row) {
                return Ok(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// The number of a row, if it is in the list.
    #[inline]
    pub fn find<W: RowNumber>(&mut self, rows: &Rows<W>, row: &[W]) -> Option<usize> {
        self.sought.clear();
        let has_room = rows.packed.pack(row.iter().map(|number| number.rank()), &mut self.sought);
        (has_room && !self.slots.is_empty()).then(|| self.locate(&rows.packed, &self.sought).ok())?
    }

    /// The number of the row that differs from another in these numbers alone, each with its place, if it is in the
    /// list.
    #[inline]
    pub fn find_changed<W: RowNumber>(&mut self, rows: &Rows<W>, of: usize, changes: &[(usize, W)]) -> Option<usize> {
        (self.change(rows, of, changes) && !self.slots.is_empty()).then(|| self.locate(&rows.packed, &self.sought).ok())?
    }

    /// Makes the sought row from another, if there is room for it.
    #[inline]
    fn change<W: RowNumber>(&mut self, rows: &Rows<W>, of: usize, changes: &[(usize, W)]) -> bool {
        if of >= rows.len() {
            return false;
        }
        self.sought.clear();
        self.sought.extend_from_slice(rows.packed.row(of));
        changes.iter().all(|(place, number)| rows.packed.put(&mut self.sought, *place, number.rank()))
    }

    /// Notes that the row is sought to which a step leads that can be taken from another, and is fitted to the list.
    /// The list must not change before all that are sought have been looked for.
    #[inline]
    pub fn seek_step(&mut self, rows: &Rows<u64>, of: usize, steps: &RowSteps, step: usize) -> Sought {
        let start = self.together.len();
        self.together.extend_from_slice(rows.packed.row(of));
        let row = &mut self.together[start..];
        let sought = if steps.take(step, row) {
            let hash = hash_of(row);
            if self.recent.keep(hash, row) {
                Sought::Known
            } else {
                self.hashes.push(hash);
                self.steps.push(number_of(step));
                return Sought::Noted;
            }
        } else {
            Sought::NoRoom
        };
        self.together.truncate(start);
        sought
    }

    /// Notes that the rows are sought to which these steps lead, all of which can be taken from a row, as
    /// [`Self::seek_step`] does; says how many come before the first for which the list has no room.
    pub fn seek_steps(&mut self, rows: &Rows<u64>, of: usize, steps: &RowSteps, taken: &[usize]) -> usize {
        // With a number of words that the compiler knows, rows are numbers.
        match rows.packed.words {
            1 => self.seek_in::<1>(&rows.packed, of, steps, taken),
            2 => self.seek_in::<2>(&rows.packed, of, steps, taken),
            3 => self.seek_in::<3>(&rows.packed, of, steps, taken),
            4 => self.seek_in::<4>(&rows.packed, of, steps, taken),
            _ => taken.iter().position(|&step| self.seek_step(rows, of, steps, step) == Sought::NoRoom).unwrap_or(taken.len()),
        }
    }

    #[inline(always)]
    fn seek_in<const WORDS: usize>(&mut self, packed: &Packed, of: usize, steps: &RowSteps, taken: &[usize]) -> usize {
        let from = packed.rows_of::<WORDS>()[of];
        for (position, &step) in taken.iter().enumerate() {
            let Some(end) = steps.end_of(step, &from) else { return position };
            let hash = hash_of(&end);
            if !self.recent.keep_words(hash, &end) {
                self.hashes.push(hash);
                self.steps.push(number_of(step));
                self.together.extend_from_slice(&end);
            }
        }
        taken.len()
    }

    /// Finds where each sought row may be, and asks memory for what is looked at.
    fn ask_memory(&mut self, packed: &Packed) {
        let mut firsts = std::mem::take(&mut self.firsts);
        firsts.clear();
        firsts.extend(self.hashes.iter().map(|&hash| self.slot_of(hash)));
        // One after the other: so the processor waits for many at a time.
        std::hint::black_box(firsts.iter().fold(0, |all, &slot| all ^ self.slots[slot]));
        let mut words = 0;
        for (at, first) in firsts.iter_mut().enumerate() {
            *first = self.candidate(self.hashes[at], *first);
            if self.slots[*first] != 0 {
                words ^= packed.word(self.number_in(*first));
            }
        }
        std::hint::black_box(words);
        self.firsts = firsts;
    }

    /// Looks for all rows that are sought; the error is the first that is not in the list, counted from 0.
    pub fn find_sought<W: RowNumber>(&mut self, rows: &Rows<W>) -> Result<(), usize> {
        let missing = self.first_missing(&rows.packed);
        self.together.clear();
        self.hashes.clear();
        self.steps.clear();
        let Some(missing) = missing else { return Ok(()) };
        // What is kept need not be in the list.
        self.recent.clear();
        Err(missing)
    }

    fn first_missing(&mut self, packed: &Packed) -> Option<usize> {
        if self.slots.is_empty() {
            return (!self.hashes.is_empty()).then_some(0);
        }
        self.ask_memory(packed);
        let mut sought = self.together.chunks_exact(packed.words).zip(self.firsts.iter().zip(&self.hashes));
        sought.position(|(row, (&first, &hash))| self.locate_from(packed, row, hash, first).is_err())
    }

    /// Adds all rows that are sought to the list, in their order, unless it has them, and tells for each that is new
    /// the step that led to it; false where there is no room.
    pub fn insert_sought<W: RowNumber>(&mut self, rows: &mut Rows<W>, mut came: impl FnMut(u32)) -> bool {
        self.insert_all(&mut rows.packed, &mut came)
    }

    fn insert_all(&mut self, packed: &mut Packed, came: &mut impl FnMut(u32)) -> bool {
        let all = self.taken + self.hashes.len();
        if self.slots.len() < all + all / 3 + 2 {
            self.build(packed, all * 3 / 2 + 2);
        }
        self.ask_memory(packed);
        let (together, firsts, hashes) =
            (std::mem::take(&mut self.together), std::mem::take(&mut self.firsts), std::mem::take(&mut self.hashes));
        let steps = std::mem::take(&mut self.steps);
        let sought = firsts.iter().zip(&hashes).zip(&steps).map(|((&first, &hash), &step)| (first, hash, step));
        let has_room = match packed.words {
            1 => self.insert_in(packed, together.as_chunks::<1>().0, sought, came),
            2 => self.insert_in(packed, together.as_chunks::<2>().0, sought, came),
            3 => self.insert_in(packed, together.as_chunks::<3>().0, sought, came),
            4 => self.insert_in(packed, together.as_chunks::<4>().0, sought, came),
            words => together.chunks_exact(words).zip(sought).all(|(row, (first, hash, step))| {
                let Err(slot) = self.locate_from(packed, row, hash, first) else { return true };
                let has_room = self.take(slot, hash);
                if has_room {
                    packed.push_row(row);
                    came(step);
                }
                has_room
            }),
        };
        (self.together, self.firsts, self.hashes, self.steps) = (together, firsts, hashes, steps);
        self.together.clear();
        self.hashes.clear();
        self.steps.clear();
        has_room
    }

    /// Adds rows, each with the slot where it may be, its hash, and the step that led to it.
    #[inline(always)]
    fn insert_in<const WORDS: usize>(
        &mut self,
        packed: &mut Packed,
        rows: &[[u64; WORDS]],
        sought: impl Iterator<Item = (usize, u64, u32)>,
        came: &mut impl FnMut(u32),
    ) -> bool {
        for (row, (mut slot, hash, step)) in rows.iter().zip(sought) {
            let known = loop {
                slot = self.candidate(hash, slot);
                if self.slots[slot] == 0 {
                    break false;
                }
                if packed.rows_of::<WORDS>()[self.number_in(slot)] == *row {
                    break true;
                }
                slot = (slot + 1) & (self.slots.len() - 1);
            };
            if !known {
                if !self.take(slot, hash) {
                    return false;
                }
                packed.push_row(row);
                came(step);
            }
        }
        true
    }

    /// Adds a row to the list, unless it has it. Says its number, and whether it is new; nothing where there are 2³²
    /// rows, and the table is full.
    pub fn insert<W: RowNumber>(&mut self, rows: &mut Rows<W>, row: &[W]) -> Option<(usize, bool)> {
        let mut sought = std::mem::take(&mut self.sought);
        if rows.packed_for(row, &mut sought) {
            self.build(&rows.packed, self.taken + 1);
        }
        self.sought = sought;
        self.insert_one(&mut rows.packed)
    }

    /// Adds the row that differs from another in these numbers alone, each with its place, as [`Self::insert`] does.
    pub fn insert_changed<W: RowNumber>(&mut self, rows: &mut Rows<W>, of: usize, changes: &[(usize, W)]) -> Option<(usize, bool)> {
        if self.change(rows, of, changes) {
            return self.insert_one(&mut rows.packed);
        }
        let mut row = Vec::new();
        rows.read(of, &mut row);
        for (place, number) in changes {
            *row.get_mut(*place)? = *number;
        }
        self.insert(rows, &row)
    }

    fn insert_one(&mut self, packed: &mut Packed) -> Option<(usize, bool)> {
        if self.slots.len() < self.taken + self.taken / 3 + 2 {
            self.build(packed, self.taken * 3 / 2 + 2);
        }
        match self.locate(packed, &self.sought) {
            Ok(number) => Some((number, false)),
            Err(slot) => {
                let number = self.taken;
                if !self.take(slot, hash_of(&self.sought)) {
                    return None;
                }
                packed.push_row(&self.sought);
                Some((number, true))
            }
        }
    }
}
