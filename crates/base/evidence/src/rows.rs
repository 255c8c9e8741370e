//! Long lists of rows of numbers, packed.
//!
//! A certificate may list millions of states, each a row of numbers. All rows stand one behind the other in one block
//! of memory, and each number has only as many bits as its *column* needs, which is its place in rows: a column has the
//! least of its numbers, and has what a number is above that. A number that does not fit makes its column wider, with
//! some room, and then all rows are packed again, at most 65 times for a column. In the file they are lists of lists.
//!
//! Columns stand in words of 64 bits from the first, in the highest bits, to the last, none in two words; behind them
//! is a column for the lengths of rows, and where a row has no number a column has 0. So two rows are in the order of
//! their words: where the first difference is between two numbers, that is clear; where one row is the beginning of the
//! other, what it does not have is 0, which is no more than what the other has, and if all is the same its length is
//! less. And they are the same iff their words are.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

/// A number of a row.
pub trait RowNumber: Copy + Ord + fmt::Debug + Serialize + for<'de> Deserialize<'de> {
    /// The place of the number among all numbers of its type.
    fn rank(self) -> u64;
    /// The number at this place.
    fn of_rank(rank: u64) -> Self;
}

impl RowNumber for u64 {
    #[inline]
    fn rank(self) -> u64 {
        self
    }

    #[inline]
    fn of_rank(rank: u64) -> Self {
        rank
    }
}

impl RowNumber for i64 {
    #[inline]
    fn rank(self) -> u64 {
        self.cast_unsigned() ^ 1 << 63
    }

    #[inline]
    fn of_rank(rank: u64) -> Self {
        (rank ^ 1 << 63).cast_signed()
    }
}

/// Where the numbers of a place of rows are: in which word, which bits, and what is the least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitColumn {
    pub(crate) word: usize,
    pub(crate) shift: u32,
    /// The bits, at the end of a word.
    pub(crate) mask: u64,
    pub(crate) least: u64,
}

impl BitColumn {
    /// A column that has room for one number.
    fn of(rank: u64) -> Self {
        Self { word: 0, shift: 0, mask: 0, least: rank }
    }

    /// What a row has for a number, if there is room for it.
    #[inline]
    fn code(&self, rank: u64) -> Option<u64> {
        rank.checked_sub(self.least).filter(|code| *code <= self.mask)
    }

    #[inline]
    fn rank(&self, row: &[u64]) -> u64 {
        // What `code` has subtracted is added again.
        self.least.wrapping_add(row[self.word] >> self.shift & self.mask)
    }

    /// Makes room for a number, and keeps it for all that there was room for.
    fn widen(&mut self, rank: u64) {
        let top = self.least.saturating_add(self.mask);
        let needed = if rank < self.least { top.abs_diff(rank) } else { self.mask.max(rank.abs_diff(self.least)) };
        self.mask = u64::MAX.checked_shr(needed.leading_zeros()).unwrap_or(0);
        if rank < self.least {
            self.least = top.saturating_sub(self.mask);
        }
    }
}

/// Rows of numbers, whatever these are.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// Those of the numbers, and then that of the lengths.
    columns: Vec<BitColumn>,
    /// How many words a row has.
    pub(crate) words: usize,
    bits: Vec<u64>,
    count: usize,
    /// How often the columns have become wider.
    layout: u64,
}

impl Default for Packed {
    fn default() -> Self {
        Self { columns: vec![BitColumn::of(0)], words: 1, bits: Vec::new(), count: 0, layout: 0 }
    }
}

impl Packed {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Those of the numbers, and then that of the lengths.
    pub(crate) fn columns(&self) -> &[BitColumn] {
        &self.columns
    }

    /// A number for the columns as they are, which is another one after they have become wider.
    #[inline]
    pub(crate) fn layout(&self) -> u64 {
        self.layout
    }

    #[inline]
    pub(crate) fn row(&self, number: usize) -> &[u64] {
        &self.bits[number * self.words..][..self.words]
    }

    /// All rows, where they have so many words.
    #[inline(always)]
    pub(crate) fn rows_of<const WORDS: usize>(&self) -> &[[u64; WORDS]] {
        self.bits.as_chunks::<WORDS>().0
    }

    /// The first word of a row, if there is one.
    #[inline]
    pub(crate) fn word(&self, number: usize) -> u64 {
        self.bits.get(number * self.words).copied().unwrap_or(0)
    }

    #[inline]
    fn length(&self, row: &[u64]) -> usize {
        self.columns.last().map_or(0, |lengths| usize::try_from(lengths.rank(row)).unwrap_or(0))
    }

    /// The numbers of a row: those of the columns that it has, which may be fewer than all.
    #[inline]
    pub(crate) fn ranks<'a>(&'a self, row: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        self.columns[..self.length(row)].iter().map(|column| column.rank(row))
    }

    /// Puts the words of a row behind others, if there is room for its numbers in their columns.
    #[inline]
    pub(crate) fn pack(&self, ranks: impl ExactSizeIterator<Item = u64>, into: &mut Vec<u64>) -> bool {
        let start = into.len();
        into.resize(start + self.words, 0);
        let (length, row) = (ranks.len(), &mut into[start..]);
        let Some((lengths, numbers)) = self.columns.split_last() else { return false };
        if length > numbers.len() {
            return false;
        }
        for (column, rank) in numbers.iter().zip(ranks) {
            let Some(code) = column.code(rank) else { return false };
            row[column.word] |= code << column.shift;
        }
        let Some(code) = lengths.code(u64::try_from(length).unwrap_or(u64::MAX)) else { return false };
        row[lengths.word] |= code << lengths.shift;
        true
    }

    /// Changes a number of a row, if the row has it and there is room for it.
    #[inline]
    pub(crate) fn put(&self, row: &mut [u64], place: usize, rank: u64) -> bool {
        let Some(column) = self.columns.get(place).filter(|_| place < self.length(row)) else { return false };
        let Some(code) = column.code(rank) else { return false };
        let word = &mut row[column.word];
        *word = *word & !(column.mask << column.shift) | code << column.shift;
        true
    }

    /// Makes room for a row, and packs all rows again.
    pub(crate) fn widen(&mut self, ranks: impl ExactSizeIterator<Item = u64>) {
        let (mut columns, length) = (self.columns.clone(), ranks.len());
        let lengths = columns.pop().filter(|_| self.count > 0);
        for (place, rank) in ranks.enumerate() {
            match columns.get_mut(place) {
                Some(column) if column.code(rank).is_none() => column.widen(rank),
                Some(_) => {}
                None => columns.push(BitColumn::of(rank)),
            }
        }
        let rank = u64::try_from(length).unwrap_or(u64::MAX);
        let mut lengths = lengths.unwrap_or(BitColumn::of(rank));
        if lengths.code(rank).is_none() {
            lengths.widen(rank);
        }
        columns.push(lengths);
        let (mut word, mut free) = (0, 0);
        for column in columns.iter_mut().filter(|column| column.mask != 0) {
            let bits = column.mask.count_ones();
            if bits > free {
                (word, free) = (word + 1, 64);
            }
            free -= bits;
            (column.word, column.shift) = (word - 1, free);
        }
        let mut wider = Self { columns, words: word.max(1), bits: Vec::new(), count: self.count, layout: self.layout + 1 };
        let (mut ranks, mut bits) = (Vec::new(), Vec::with_capacity(self.count * wider.words));
        for number in 0..self.count {
            ranks.clear();
            ranks.extend(self.ranks(self.row(number)));
            wider.pack(ranks.iter().copied(), &mut bits);
        }
        wider.bits = bits;
        *self = wider;
    }

    /// Adds a row that is packed.
    #[inline]
    pub(crate) fn push_row(&mut self, row: &[u64]) {
        self.bits.extend_from_slice(row);
        self.count += 1;
    }

    fn sort(&mut self) {
        match self.words {
            1 => self.bits.sort_unstable(),
            2 => self.bits.as_chunks_mut::<2>().0.sort_unstable(),
            3 => self.bits.as_chunks_mut::<3>().0.sort_unstable(),
            4 => self.bits.as_chunks_mut::<4>().0.sort_unstable(),
            words => {
                let mut rows: Vec<&[u64]> = self.bits.chunks_exact(words).collect();
                rows.sort_unstable();
                self.bits = rows.concat();
            }
        }
    }
}

impl Rows<u64> {
    /// No fewer bytes than the list has as JSON, from how long the longest number of each column is.
    pub fn most_bytes(&self) -> u64 {
        let numbers = self.tops().map(|top| u64::from(top.checked_ilog10().unwrap_or(0)) + 2);
        let row = numbers.fold(3, u64::saturating_add);
        row.saturating_mul(u64::try_from(self.len()).unwrap_or(u64::MAX)).saturating_add(2)
    }

    /// The largest number of a row, and the sum of all of them.
    pub fn largest_and_sum(&self, number: usize) -> (u64, u128) {
        let ranks = (number < self.len()).then(|| self.packed.ranks(self.packed.row(number)));
        ranks.into_iter().flatten().fold((0, 0), |(most, sum), rank| (rank.max(most), sum + u128::from(rank)))
    }
}

/// A list of rows of numbers, packed.
///
/// ```
/// use serval_evidence::Rows;
/// let mut rows: Rows<i64> = Rows::default();
/// rows.push(&[3, -1]);
/// rows.push(&[3]);
/// assert!(!rows.ascends());
/// rows.sort();
/// assert!(rows.ascends() && rows.iter().eq([vec![3], vec![3, -1]]));
/// ```
#[derive(Clone)]
pub struct Rows<W> {
    pub(crate) packed: Packed,
    scratch: Vec<u64>,
    of: PhantomData<W>,
}

impl<W> Default for Rows<W> {
    fn default() -> Self {
        Self { packed: Packed::default(), scratch: Vec::new(), of: PhantomData }
    }
}

impl<W: RowNumber> Rows<W> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.packed.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a row behind all others.
    pub fn push(&mut self, row: &[W]) {
        let mut packed = std::mem::take(&mut self.scratch);
        self.packed_for(row, &mut packed);
        self.packed.push_row(&packed);
        self.scratch = packed;
    }

    /// Packs a row for which there is room then; whether all others had to be packed again for it.
    pub(crate) fn packed_for(&mut self, row: &[W], into: &mut Vec<u64>) -> bool {
        into.clear();
        let has_room = self.packed.pack(row.iter().map(|number| number.rank()), into);
        if !has_room {
            into.clear();
            self.packed.widen(row.iter().map(|number| number.rank()));
            self.packed.pack(row.iter().map(|number| number.rank()), into);
        }
        !has_room
    }

    /// Puts the numbers of a row into a list, which has nothing else then; false where there is no such row.
    #[inline]
    pub fn read(&self, number: usize, into: &mut Vec<W>) -> bool {
        into.clear();
        if number >= self.len() {
            return false;
        }
        into.extend(self.packed.ranks(self.packed.row(number)).map(W::of_rank));
        true
    }

    /// Puts the numbers of a row at these places into a list at the same places; what the row does not have stays as it
    /// is.
    #[inline]
    pub fn read_places(&self, number: usize, places: &[usize], into: &mut [W]) {
        let row = self.packed.row(number);
        let columns = &self.packed.columns[..self.packed.length(row)];
        for &place in places {
            if let (Some(column), Some(into)) = (columns.get(place), into.get_mut(place)) {
                *into = W::of_rank(column.rank(row));
            }
        }
    }

    /// How many numbers each row has.
    pub fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|number| self.packed.length(self.packed.row(number)))
    }

    /// The rows in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vec<W>> + '_ {
        (0..self.len()).map(|number| {
            let mut row = Vec::new();
            self.read(number, &mut row);
            row
        })
    }

    /// For each place a number that none of the rows has more than there. They may change with [`Self::layout`].
    pub fn tops(&self) -> impl Iterator<Item = W> + '_ {
        let numbers = self.packed.columns.split_last().map_or(&[][..], |columns| columns.1);
        numbers.iter().map(|column| W::of_rank(column.least.saturating_add(column.mask)))
    }

    /// A number that is another one after rows have come for which there was no room.
    #[inline]
    pub fn layout(&self) -> u64 {
        self.packed.layout()
    }

    /// The number of a row in a list that ascends.
    pub fn position(&self, row: &[W]) -> Option<usize> {
        let mut sought = Vec::new();
        if !self.packed.pack(row.iter().map(|number| number.rank()), &mut sought) {
            return None;
        }
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.packed.row(middle) < &sought[..] {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        (from < self.len() && self.packed.row(from) == sought).then_some(from)
    }

    /// Whether each row is greater than the one before.
    pub fn ascends(&self) -> bool {
        (1..self.len()).all(|number| self.packed.row(number - 1) < self.packed.row(number))
    }

    /// Changes the list as one of lists, which takes the room of all of them.
    pub fn change(&mut self, change: impl FnOnce(&mut Vec<Vec<W>>)) {
        let mut lists = self.iter().collect();
        change(&mut lists);
        *self = lists.iter().collect();
    }

    /// Puts the rows in order.
    pub fn sort(&mut self) {
        self.packed.sort();
    }
}

impl<W: RowNumber> PartialEq for Rows<W> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<W: RowNumber> Eq for Rows<W> {}

impl<W: RowNumber> fmt::Debug for Rows<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<W: RowNumber, Row: AsRef<[W]>> FromIterator<Row> for Rows<W> {
    fn from_iter<I: IntoIterator<Item = Row>>(list: I) -> Self {
        let mut rows = Self::default();
        list.into_iter().for_each(|row| rows.push(row.as_ref()));
        rows
    }
}

impl<W: RowNumber> Serialize for Rows<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        let mut row = Vec::new();
        for number in 0..self.len() {
            self.read(number, &mut row);
            list.serialize_element(&row)?;
        }
        list.end()
    }
}

impl<'de, W: RowNumber> Deserialize<'de> for Rows<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadRows { rows: Self::default(), row: Vec::new() })
    }
}

/// Reads a list of rows; one at a time is not packed.
struct ReadRows<W> {
    rows: Rows<W>,
    row: Vec<W>,
}

impl<'de, W: RowNumber> Visitor<'de> for ReadRows<W> {
    type Value = Rows<W>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Rows<W>, A::Error> {
        while list.next_element_seed(ReadRow(&mut self.row))?.is_some() {
            self.rows.push(&self.row);
        }
        Ok(self.rows)
    }
}

/// Reads a row into a list that is used again.
struct ReadRow<'a, W>(&'a mut Vec<W>);

impl<'de, W: RowNumber> DeserializeSeed<'de> for ReadRow<'_, W> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, W: RowNumber> Visitor<'de> for ReadRow<'_, W> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.clear();
        while let Some(number) = list.next_element()? {
            self.0.push(number);
        }
        Ok(())
    }
}
