//! States as rows of numbers, each once.
//!
//! They are rows of a list as certificates have them, packed (`serval_evidence::Rows`), with a table that finds a row
//! from its numbers: what has been found can be handed over as evidence as it is.

use serval_evidence::{RowIndex, RowNumber, RowSteps, Rows, Sought};

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

    /// Adds the states that are noted, in their order: sooner than one by one, since memory is asked for all at once.
    /// Tells for each that is new the step that led to it. False where the set is full.
    pub fn insert_sought(&mut self, came: impl FnMut(u32)) -> bool {
        self.index.insert_sought(&mut self.rows, came)
    }

    /// The states as rows.
    pub fn rows(&self) -> &Rows<W> {
        &self.rows
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

impl StateSet<u64> {
    /// Notes a state to be added to which a step leads from one of the set, from which it can be taken; where a number
    /// has no room yet it is not noted. The steps are fitted to the rows of the set.
    #[inline]
    pub fn seek_step(&mut self, of: usize, steps: &RowSteps, step: usize) -> Sought {
        self.index.seek_step(&self.rows, of, steps, step)
    }

    /// The same for several steps; says how many come before the first for whose end there is no room.
    pub fn seek_steps(&mut self, of: usize, steps: &RowSteps, taken: &[usize]) -> usize {
        self.index.seek_steps(&self.rows, of, steps, taken)
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

    /// Packed rows are the lists that they were made of, in the same order, with the same JSON.
    #[test]
    fn rows_are_lists() {
        let mut seed = 11;
        for round in 0..300 {
            let ends = [0, 1, -1, 7, 255, 256, -129, i64::MAX, i64::MIN];
            let count = usize::try_from(draw(&mut seed) % 12).unwrap();
            let few = 2 + round % 8;
            let lists: Vec<Vec<i64>> = (0..count)
                .map(|_| {
                    let length = if round % 3 == 0 { 4 } else { draw(&mut seed) % 5 };
                    (0..length).map(|_| ends[usize::try_from(draw(&mut seed)).unwrap() % few]).collect()
                })
                .collect();
            let mut rows: Rows<i64> = lists.iter().collect();
            assert_eq!(rows.iter().collect::<Vec<_>>(), lists);
            assert_eq!(serval_evidence::line(&rows), serval_evidence::line(&lists));
            assert_eq!(serval_evidence::read::<Rows<i64>>(&serval_evidence::line(&lists)).unwrap(), rows);
            assert_eq!(rows.ascends(), lists.is_sorted_by(|one, other| one < other), "{lists:?}");
            let mut sorted = lists.clone();
            sorted.sort();
            rows.sort();
            assert_eq!(rows.iter().collect::<Vec<_>>(), sorted);
            sorted.dedup();
            let rows: Rows<i64> = sorted.iter().collect();
            let mut index = RowIndex::of(&rows);
            for (of, list) in sorted.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
                let (place, number) =
                    (usize::try_from(draw(&mut seed)).unwrap() % list.len(), ends[usize::try_from(draw(&mut seed)).unwrap() % few]);
                let mut changed = list.clone();
                changed[place] = number;
                let is_in = sorted.binary_search(&changed).is_ok();
                assert_eq!(index.find_changed(&rows, of, &[(place, number)]).is_some(), is_in);
            }
        }
    }

    /// The steps that add to one number, or take from it.
    fn single_steps(places: usize) -> (RowSteps, Vec<(usize, i64)>) {
        let changes: Vec<(usize, i64)> = (0..places).flat_map(|place| [(place, 1), (place, -1), (place, 3), (place, -2)]).collect();
        let mut steps = RowSteps::default();
        for &(place, change) in &changes {
            steps.add((change < 0).then_some((place, change.unsigned_abs())), [(place, i128::from(change))]);
        }
        (steps, changes)
    }

    /// Rows that are sought together are found, or the first that is not; what was not found is sought again the next
    /// time.
    #[test]
    fn sought_rows_are_found() {
        let (mut seed, mut missed, mut known) = (23, 0, 0);
        for round in 0..400 {
            let most = [2, 4, 9][round % 3];
            let mut lists: Vec<Vec<u64>> = (0..20).map(|_| (0..3).map(|_| draw(&mut seed) % most).collect()).collect();
            lists.sort();
            lists.dedup();
            let rows: Rows<u64> = lists.iter().collect();
            let mut index = RowIndex::of(&rows);
            let (mut steps, changes) = single_steps(3);
            assert!(steps.fit(&rows));
            for _ in 0..3 {
                let mut noted = Vec::new();
                for _ in 0..15 {
                    let of = usize::try_from(draw(&mut seed)).unwrap() % lists.len();
                    let step = usize::try_from(draw(&mut seed)).unwrap() % steps.len();
                    if !steps.can_be_taken(step, &rows, of) {
                        continue;
                    }
                    let mut after = lists[of].clone();
                    after[changes[step].0] = after[changes[step].0].checked_add_signed(changes[step].1).unwrap();
                    let is_in = lists.binary_search(&after).is_ok();
                    match index.seek_step(&rows, of, &steps, step) {
                        Sought::Noted => noted.push(is_in),
                        Sought::Known => known += 1,
                        Sought::NoRoom => assert!(!is_in),
                    }
                }
                let missing = noted.iter().position(|is_in| !is_in);
                missed += usize::from(missing.is_some());
                assert_eq!(index.find_sought(&rows), missing.map_or(Ok(()), Err));
            }
        }
        assert!(missed > 200 && known > 200, "{missed} missed, {known} known");
    }

    /// States that are noted and added together get the numbers that they get one by one.
    #[test]
    fn together_is_one_by_one() {
        let (mut together, mut single): (StateSet<u64>, StateSet<u64>) = (StateSet::default(), StateSet::default());
        let (mut steps, changes) = single_steps(3);
        let mut seed = 5;
        for set in [&mut together, &mut single] {
            set.insert(&[0, 3, 1]);
        }
        let (mut noted, mut row, mut came) = (0, Vec::new(), 1);
        for _ in 0..9_000 {
            assert!(steps.fit(together.rows()));
            let of = usize::try_from(draw(&mut seed)).unwrap() % together.len();
            let step = usize::try_from(draw(&mut seed)).unwrap() % steps.len();
            together.read(of, &mut row);
            let (place, change) = changes[step];
            let Some(number) = row[place].checked_add_signed(change) else {
                assert!(!steps.can_be_taken(step, together.rows(), of));
                continue;
            };
            match together.seek_step(of, &steps, step) {
                Sought::Noted => noted += 1,
                Sought::Known => {}
                Sought::NoRoom => {
                    assert!(together.insert_sought(|_| came += 1));
                    together.insert_changed(of, &[(place, number)]);
                    came += 1;
                }
            }
            if draw(&mut seed).is_multiple_of(5) {
                assert!(together.insert_sought(|_| came += 1));
                assert_eq!(together.len(), came);
            }
            single.insert_changed(of, &[(place, number)]);
            if together.len() == single.len() {
                assert!(together.iter().eq(single.iter()));
            }
        }
        assert!(together.insert_sought(|_| ()));
        assert!(together.iter().eq(single.iter()) && together.len() > 1_000 && noted > 1_000);
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
