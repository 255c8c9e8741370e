//! States as rows of numbers, each once.
//!
//! They are rows of a list as certificates have them, packed (`serval_evidence::Rows`), with a table that finds a row
//! from its numbers: what has been found can be handed over as evidence as it is.

use serval_evidence::{RowIndex, RowNumber, Rows};

/// A set of states, numbered from 0 in the order in which they came.
///
/// ```
/// use serval_states::StateSet;
/// let mut set: StateSet<u64> = StateSet::default();
/// assert_eq!(set.insert(&[1, 2]), Some((0, true)));
/// assert_eq!(set.insert(&[1, 1000]), Some((1, true)));
/// assert_eq!(set.insert(&[1, 2]), Some((0, false)));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [[1, 2], [1, 1000]]);
/// ```
#[derive(Clone)]
pub struct StateSet<W> {
    rows: Rows<W>,
    index: RowIndex,
}

impl<W> Default for StateSet<W> {
    fn default() -> Self {
        Self { rows: Rows::default(), index: RowIndex::default() }
    }
}

impl<W: RowNumber> StateSet<W> {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a state. Says its number, and whether it is new; nothing where there are 2³² states, and the set is full.
    pub fn insert(&mut self, state: &[W]) -> Option<(usize, bool)> {
        self.index.insert(&mut self.rows, state)
    }

    /// Adds the state that differs from one of the set in these numbers alone, each with its place, of which there is
    /// no more than one for a place.
    pub fn insert_changed(&mut self, of: usize, changes: &[(usize, W)]) -> Option<(usize, bool)> {
        self.index.insert_changed(&mut self.rows, of, changes)
    }

    /// The number of a state, if it is in the set.
    pub fn find(&mut self, state: &[W]) -> Option<usize> {
        self.index.find(&self.rows, state)
    }

    /// Puts the numbers of a state into a list, which has nothing else then; false where there is no such state.
    pub fn read(&self, number: usize, into: &mut Vec<W>) -> bool {
        self.rows.read(number, into)
    }

    /// The states in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = Vec<W>> + '_ {
        self.rows.iter()
    }

    /// The states, ascending.
    pub fn ascending(self) -> Rows<W> {
        // The table goes before there is anything new.
        let Self { mut rows, index } = self;
        drop(index);
        rows.sort();
        rows
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
            let mut set: StateSet<i64> = StateSet::default();
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
            let ascending = set.ascending();
            assert!(ascending.ascends());
            assert_eq!(ascending.iter().collect::<Vec<_>>(), order);
        }
    }

    /// States without numbers are one state.
    #[test]
    fn nothing_is_a_state() {
        let mut set: StateSet<u64> = StateSet::default();
        assert_eq!(set.insert(&[]), Some((0, true)));
        assert_eq!(set.insert(&[]), Some((0, false)));
        assert_eq!((set.len(), set.is_empty()), (1, false));
        assert!(set.read(0, &mut Vec::new()) && !set.read(1, &mut Vec::new()));
    }
}
