//! States as rows of numbers, each once.
//!
//! All rows stand one behind the other in one block of memory, each number with as many bytes as the largest number so
//! far needs: one, two, four or eight. A number that needs more makes all rows wider, which happens three times at the
//! most. A table of hashes finds a row from its numbers; it has four bytes for each. Rows have one length, or each its
//! own, which then takes eight bytes more.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// A number of a state. The functions on whole rows are compiled here, with the switches of this crate: they are what
/// takes time.
pub trait Word: Copy {
    /// The number as bits, of which small numbers have few.
    fn bits(self) -> u64;
    /// The number with these bits.
    fn of_bits(bits: u64) -> Self;
    /// Writes a row with so many bytes for each number behind others; says how many bytes each would need, which may be
    /// more.
    fn write(row: &[Self], width: usize, into: &mut Vec<u8>) -> usize;
    /// Reads a row with so many bytes for each number behind others.
    fn read(row: &[u8], width: usize, into: &mut Vec<Self>);
}

impl Word for u64 {
    #[inline]
    fn bits(self) -> u64 {
        self
    }

    #[inline]
    fn of_bits(bits: u64) -> Self {
        bits
    }

    fn write(row: &[Self], width: usize, into: &mut Vec<u8>) -> usize {
        written(row, width, into)
    }

    fn read(row: &[u8], width: usize, into: &mut Vec<Self>) {
        read_into(row, width, into);
    }
}

impl Word for i64 {
    /// The sign is the last bit, so that −1 is as small as 1.
    #[inline]
    fn bits(self) -> u64 {
        (self.cast_unsigned() << 1) ^ (self >> 63).cast_unsigned()
    }

    #[inline]
    fn of_bits(bits: u64) -> Self {
        (bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()
    }

    fn write(row: &[Self], width: usize, into: &mut Vec<u8>) -> usize {
        written(row, width, into)
    }

    fn read(row: &[u8], width: usize, into: &mut Vec<Self>) {
        read_into(row, width, into);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "what does not fit is written again with more bytes")]
fn written<W: Word>(row: &[W], width: usize, into: &mut Vec<u8>) -> usize {
    let mut all = 0;
    let bits = row.iter().map(|number| {
        let bits = number.bits();
        all |= bits;
        bits
    });
    match width {
        1 => into.extend(bits.map(|bits| bits as u8)),
        _ => bits.for_each(|bits| push(into, width, bits)),
    }
    width_of(all)
}

fn read_into<W: Word>(row: &[u8], width: usize, into: &mut Vec<W>) {
    match width {
        1 => into.extend(row.iter().map(|&byte| W::of_bits(byte.into()))),
        _ => into.extend(row.chunks_exact(width).map(|bytes| W::of_bits(bits_of(bytes)))),
    }
}

/// Where rows begin and end, in numbers.
#[derive(Clone, Debug)]
enum RowEnds {
    /// All rows have so many numbers.
    Fixed(usize),
    /// Where each row ends.
    Listed(Vec<usize>),
}

/// A set of states, numbered from 0 in the order in which they came.
///
/// ```
/// use serval_states::StateSet;
/// let mut set: StateSet<u64> = StateSet::of_width(2);
/// assert_eq!(set.insert(&[1, 2]), Some((0, true)));
/// assert_eq!(set.insert(&[1, 1000]), Some((1, true)));
/// assert_eq!(set.insert(&[1, 2]), Some((0, false)));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [[1, 2], [1, 1000]]);
/// ```
#[derive(Clone, Debug)]
pub struct StateSet<W> {
    rows: Rows,
    /// The row that is looked for, as it would be stored.
    sought: Vec<u8>,
    word: std::marker::PhantomData<W>,
}

/// Rows and their table, without the kind of their numbers: what takes time is compiled once.
#[derive(Clone, Debug)]
struct Rows {
    bytes: Vec<u8>,
    /// Bytes of a number: 1, 2, 4 or 8.
    width: usize,
    ends: RowEnds,
    count: usize,
    table: HashTable<u32>,
}

/// How many bytes a number with these bits needs.
#[inline]
fn width_of(bits: u64) -> usize {
    match bits {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

#[inline]
fn hash_of(row: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(row);
    hasher.finish()
}

/// Writes a number with so many bytes, of which it needs no more.
#[expect(clippy::cast_possible_truncation, reason = "the number fits, or the row is written again with more bytes")]
#[inline]
fn push(bytes: &mut Vec<u8>, width: usize, bits: u64) {
    match width {
        1 => bytes.push(bits as u8),
        2 => bytes.extend_from_slice(&(bits as u16).to_le_bytes()),
        4 => bytes.extend_from_slice(&(bits as u32).to_le_bytes()),
        _ => bytes.extend_from_slice(&bits.to_le_bytes()),
    }
}

/// Writes a number over another.
#[inline]
fn put(number: &mut [u8], bits: u64) {
    let width = number.len();
    number.copy_from_slice(&bits.to_le_bytes()[..width]);
}

/// The number with these bytes.
#[inline]
fn bits_of(bytes: &[u8]) -> u64 {
    match *bytes {
        [one] => one.into(),
        [one, two] => u16::from_le_bytes([one, two]).into(),
        [one, two, three, four] => u32::from_le_bytes([one, two, three, four]).into(),
        [one, two, three, four, five, six, seven, eight] => u64::from_le_bytes([one, two, three, four, five, six, seven, eight]),
        _ => 0,
    }
}

impl Rows {
    /// Where a row is, in bytes.
    #[inline]
    fn span(&self, number: usize) -> std::ops::Range<usize> {
        let (start, end) = match &self.ends {
            RowEnds::Fixed(length) => (number * length, (number + 1) * length),
            RowEnds::Listed(ends) => (number.checked_sub(1).map_or(0, |before| ends[before]), ends[number]),
        };
        start * self.width..end * self.width
    }

    #[inline]
    fn row(&self, number: usize) -> &[u8] {
        &self.bytes[self.span(number)]
    }

    /// Makes room for numbers of so many bytes.
    fn widen(&mut self, width: usize) {
        let mut wide = Vec::with_capacity(self.bytes.len() / self.width * width);
        self.bytes.chunks_exact(self.width).for_each(|number| push(&mut wide, width, bits_of(number)));
        (self.bytes, self.width) = (wide, width);
        let mut table = HashTable::with_capacity(self.count);
        for number in 0..u32::try_from(self.count).unwrap_or(u32::MAX) {
            table.insert_unique(hash_of(self.row(number as usize)), number, |&other| hash_of(self.row(other as usize)));
        }
        self.table = table;
    }

    fn find(&self, row: &[u8]) -> Option<usize> {
        self.table.find(hash_of(row), |&number| self.row(number as usize) == row).map(|&number| number as usize)
    }

    fn insert(&mut self, row: &[u8]) -> Option<(usize, bool)> {
        let hash = hash_of(row);
        if let Some(&number) = self.table.find(hash, |&number| self.row(number as usize) == row) {
            return Some((number as usize, false));
        }
        let number = u32::try_from(self.count).ok()?;
        self.bytes.extend_from_slice(row);
        if let RowEnds::Listed(ends) = &mut self.ends {
            ends.push(self.bytes.len() / self.width);
        }
        self.count += 1;
        let mut table = std::mem::take(&mut self.table);
        table.insert_unique(hash, number, |&other| hash_of(self.row(other as usize)));
        self.table = table;
        Some((number as usize, true))
    }
}

impl<W: Word> StateSet<W> {
    fn with(ends: RowEnds) -> Self {
        let rows = Rows { bytes: Vec::new(), width: 1, ends, count: 0, table: HashTable::new() };
        Self { rows, sought: Vec::new(), word: std::marker::PhantomData }
    }

    /// No states yet; all will have so many numbers.
    pub fn of_width(numbers: usize) -> Self {
        Self::with(RowEnds::Fixed(numbers))
    }

    /// No states yet; each may have another number of numbers.
    pub fn of_any_width() -> Self {
        Self::with(RowEnds::Listed(Vec::new()))
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.rows.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a state. Says its number, and whether it is new; nothing where there are 2³² states, and the set is full.
    pub fn insert(&mut self, state: &[W]) -> Option<(usize, bool)> {
        if let RowEnds::Fixed(length) = self.rows.ends {
            debug_assert_eq!(state.len(), length);
        }
        self.sought.clear();
        let needed = W::write(state, self.rows.width, &mut self.sought);
        if needed > self.rows.width {
            self.rows.widen(needed);
            self.sought.clear();
            W::write(state, needed, &mut self.sought);
        }
        self.rows.insert(&self.sought)
    }

    /// Adds the state that differs from one of the set in these numbers alone, each with its place, of which there is
    /// no more than one for a place.
    pub fn insert_changed(&mut self, of: usize, changes: &[(usize, W)]) -> Option<(usize, bool)> {
        let needed = width_of(changes.iter().fold(0, |all, (_, number)| all | number.bits()));
        if needed > self.rows.width {
            self.rows.widen(needed);
        }
        let width = self.rows.width;
        self.sought.clear();
        self.sought.extend_from_slice(self.rows.row(of));
        for (place, number) in changes {
            put(&mut self.sought[place * width..][..width], number.bits());
        }
        self.rows.insert(&self.sought)
    }

    /// The number of a state, if it is in the set.
    pub fn find(&self, state: &[W]) -> Option<usize> {
        let mut row = Vec::new();
        (W::write(state, self.rows.width, &mut row) <= self.rows.width).then(|| self.rows.find(&row))?
    }

    /// Puts the numbers of a state into a list, which has nothing else then; false where there is no such state.
    pub fn read(&self, number: usize, into: &mut Vec<W>) -> bool {
        into.clear();
        if number >= self.len() {
            return false;
        }
        W::read(self.rows.row(number), self.rows.width, into);
        true
    }

    /// The states in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = Vec<W>> + '_ {
        (0..self.len()).map(|number| {
            let mut state = Vec::new();
            self.read(number, &mut state);
            state
        })
    }
}

impl<W: Word + Ord> StateSet<W> {
    /// The states, ascending.
    pub fn ascending(self) -> Vec<Vec<W>> {
        let mut states: Vec<Vec<W>> = self.iter().collect();
        states.sort_unstable();
        states
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Numbers of all sizes, by a linear congruence that is the same everywhere.
    fn draw(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        *seed >> 33
    }

    /// A set is what a map from states to the order of their coming is, while rows become wider.
    #[test]
    fn sets_are_maps_of_rows() {
        for fixed in [true, false] {
            let mut set: StateSet<i64> = if fixed { StateSet::of_width(3) } else { StateSet::of_any_width() };
            let mut known: HashMap<Vec<i64>, usize> = HashMap::new();
            let mut order = Vec::new();
            let mut seed = 7;
            for step in 0..4_000 {
                let length = if fixed { 3 } else { usize::try_from(draw(&mut seed) % 5).unwrap() };
                let scale = [1, 100, 30_000, 1 << 40][step / 1_000];
                let number = |seed: &mut u64| (i64::try_from(draw(seed) % 7).unwrap() - 3) * scale;
                let mut state: Vec<i64> = (0..length).map(|_| number(&mut seed)).collect();
                if step % 500 == 499 && length > 0 {
                    state[0] = if step % 1000 == 499 { i64::MIN } else { i64::MAX };
                }
                assert_eq!(set.find(&state), known.get(&state).copied());
                let expected = known.get(&state).copied().map_or((known.len(), true), |number| (number, false));
                // As it is, or as another with some numbers changed.
                let of = order.len() / 2;
                let is_like = order.get(of).is_some_and(|other: &Vec<i64>| other.len() == length);
                let changes: Vec<(usize, i64)> = state.iter().copied().enumerate().collect();
                let changes: Vec<(usize, i64)> = match order.get(of) {
                    Some(other) if is_like => changes.into_iter().filter(|(place, number)| other[*place] != *number).collect(),
                    _ => changes,
                };
                let inserted = if is_like { set.insert_changed(of, &changes) } else { set.insert(&state) };
                assert_eq!(inserted, Some(expected));
                if expected.1 {
                    known.insert(state.clone(), expected.0);
                    order.push(state);
                }
            }
            assert_eq!(set.len(), order.len());
            assert_eq!(set.iter().collect::<Vec<_>>(), order);
            order.sort_unstable();
            assert_eq!(set.ascending(), order);
        }
    }

    /// Signs and sizes survive.
    #[test]
    fn numbers_are_their_bits() {
        for number in [0, 1, -1, 127, -128, 128, i64::MAX, i64::MIN] {
            assert_eq!(i64::of_bits(number.bits()), number);
        }
        assert_eq!([0_i64, -1, 1, -128, 127].map(|number| width_of(number.bits())), [1; 5]);
        assert_eq!([128_i64, -129].map(|number| width_of(number.bits())), [2; 2]);
        assert_eq!([i64::MAX, i64::MIN].map(|number| width_of(number.bits())), [8; 2]);
    }

    /// States without numbers are one state.
    #[test]
    fn nothing_is_a_state() {
        for mut set in [StateSet::<u64>::of_width(0), StateSet::of_any_width()] {
            assert_eq!(set.insert(&[]), Some((0, true)));
            assert_eq!(set.insert(&[]), Some((0, false)));
            assert_eq!((set.len(), set.is_empty()), (1, false));
            assert!(set.read(0, &mut Vec::new()) && !set.read(1, &mut Vec::new()));
        }
    }
}
