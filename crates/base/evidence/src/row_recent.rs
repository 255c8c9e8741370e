//! Rows that were sought a short while ago.
//!
//! Steps from neighbours lead to the same rows again and again, and the table of a long list is far from the processor.
//! A row that is kept here is one of the list, or is sought already, so that it need not be looked for again. A row is
//! recognised by all of its words, and not by its hash.

use crate::rows::Packed;

/// Words for all rows together: what stays near the processor.
const WORDS: usize = 1 << 15;

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
    pub(crate) fn keep(&mut self, packed: &Packed, hash: u64, row: &[u64]) -> bool {
        let words = row.len();
        if self.rows.is_empty() {
            let Some(first) = (packed.len() > 0).then(|| packed.row(0)) else { return false };
            // In the beginning the first row of the list is in each place.
            let count = 1 << (WORDS / words).max(1).ilog2();
            self.rows = first.repeat(count);
            self.mask = count - 1;
        }
        // The lowest bits: the table has the highest.
        let place = usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0) & self.mask;
        let kept = &mut self.rows[place * words..][..words];
        // Rows are short: a call would take longer than comparing.
        if kept.iter().zip(row).all(|(one, other)| one == other) {
            return true;
        }
        kept.copy_from_slice(row);
        false
    }
}
