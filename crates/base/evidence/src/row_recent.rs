//! Rows that were sought a short while ago.
//!
//! Steps from neighbours lead to the same rows again and again, and the table of a long list is far from the processor.
//! A row that is kept here is one of the list, or is sought already, so that it need not be looked for again. A row is
//! recognised by all of its words, and not by its hash.

use crate::rows::{Packed, RowNumber, Rows};

/// Words for all rows together: what stays near the processor.
const WORDS: usize = 1 << 15;

/// What rows are found by.
#[inline(always)]
pub(crate) fn hash_of(row: &[u64]) -> u64 {
    let mut mixed = 0_u64;
    for word in row {
        mixed = (mixed.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Rows of one list, by their hashes; a new one takes the place of another.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentRows {
    rows: Vec<u64>,
    /// One less than the number of rows, which is a power of two.
    mask: usize,
}

impl RecentRows {
    /// Forgets all rows: where the columns of the list have changed, or not every row that was sought is in the list.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
    }

    /// Whether the row is kept; it is kept then.
    #[inline]
    pub(crate) fn keep(&mut self, hash: u64, row: &[u64]) -> bool {
        let Some(place) = self.place(hash, row) else { return false };
        let kept = &mut self.rows[place * row.len()..][..row.len()];
        // Rows are short: a call would take longer than comparing.
        if kept.iter().zip(row).all(|(one, other)| one == other) {
            return true;
        }
        kept.copy_from_slice(row);
        false
    }

    /// The same for rows of so many words.
    #[inline(always)]
    pub(crate) fn keep_words<const COUNT: usize>(&mut self, hash: u64, row: &[u64; COUNT]) -> bool {
        let Some(place) = self.place(hash, row) else { return false };
        let kept = &mut self.rows.as_chunks_mut::<COUNT>().0[place];
        let is_kept = kept == row;
        *kept = *row;
        is_kept
    }

    /// The place of a row; nothing where it is the first of all.
    #[inline(always)]
    fn place(&mut self, hash: u64, row: &[u64]) -> Option<usize> {
        if self.rows.is_empty() {
            // In the beginning the first row is in each place.
            let count = 1 << (WORDS / row.len()).max(1).ilog2();
            self.rows = row.repeat(count);
            self.mask = count - 1;
            return None;
        }
        // Lower bits would not depend on all bits of the row.
        Some(usize::try_from(hash >> 32).unwrap_or(0) & self.mask)
    }
}

/// Rows of one list of which only the numbers at some places matter, and which of these were seen a short while ago.
///
/// ```
/// use serval_evidence::{RecentParts, Rows};
/// let rows: Rows<u64> = [[0, 1], [0, 2], [3, 2]].iter().collect();
/// let mut parts = RecentParts::at([0]);
/// assert_eq!([0, 1, 2, 0].map(|number| parts.keep(&rows, number)), [false, true, false, true]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecentParts {
    places: Vec<usize>,
    /// By word the bits of these places, and of the lengths of rows, for columns with this number.
    masks: Vec<u64>,
    layout: Option<u64>,
    part: Vec<u64>,
    recent: RecentRows,
}

impl RecentParts {
    /// That of rows which is at these places.
    pub fn at(places: impl IntoIterator<Item = usize>) -> Self {
        Self { places: places.into_iter().collect(), ..Self::default() }
    }

    /// Whether a row with the same numbers at these places is kept; it is kept then. The list must be the same in all
    /// calls.
    #[inline]
    pub fn keep<W: RowNumber>(&mut self, rows: &Rows<W>, number: usize) -> bool {
        self.keep_packed(&rows.packed, number)
    }

    fn keep_packed(&mut self, packed: &Packed, number: usize) -> bool {
        if self.layout != Some(packed.layout()) {
            self.fit(packed);
        }
        self.part.clear();
        self.part.extend(packed.row(number).iter().zip(&self.masks).map(|(word, mask)| word & mask));
        self.recent.keep(hash_of(&self.part), &self.part)
    }

    fn fit(&mut self, packed: &Packed) {
        self.masks.clear();
        self.masks.resize(packed.words, 0);
        let columns = packed.columns();
        for column in self.places.iter().filter_map(|&place| columns.get(place)).chain(columns.last()) {
            self.masks[column.word] |= column.mask << column.shift;
        }
        self.recent.clear();
        self.layout = Some(packed.layout());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept is kept for the same numbers at these places alone, also when columns become wider.
    #[test]
    fn parts_are_the_numbers_at_places() {
        let (mut rows, mut parts) = (Rows::<u64>::default(), RecentParts::at([1, 4, 90]));
        let (mut seen, mut kept, mut seed) = (Vec::new(), 0, 7_u64);
        for round in 0..3_000_u64 {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let row: Vec<u64> = (0..70).map(|place| (seed >> (place % 31 + 30) & 3) * (1 + round / 1_000 * 50)).collect();
            rows.push(&row);
            let part = [row[1], row[4]];
            let is_kept = parts.keep(&rows, rows.len() - 1);
            assert!(!is_kept || seen.contains(&part), "{part:?}");
            kept += usize::from(is_kept);
            seen.push(part);
        }
        assert!(kept > 2_500, "{kept}");
        // A row that is shorter is another one.
        let rows: Rows<u64> = [vec![1, 2], vec![1, 2, 0]].iter().collect();
        let mut parts = RecentParts::at([0, 2]);
        assert_eq!([0, 1, 0, 1].map(|number| parts.keep(&rows, number)), [false, false, true, true]);
    }
}
