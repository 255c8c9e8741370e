//! Where steps lead from the rows of a list that ascends.
//!
//! **Ends ascend.** A step adds a fixed number to each word, and no column that it changes leaves its bits (see
//! `row_steps`), so that no word wraps: as numbers, all words at a place change by the same. Of two rows that differ
//! first in some word, the ends differ first in that word, and in the same direction. So the ends of a step ascend with
//! the rows from which it is taken, and who looks for one after the other goes through the list once. No table is
//! needed, and what is looked at next is near what was looked at before. ∎
//!
//! Nothing that is accepted rests on this: an end is found only where the words of a row are the same. In a list that
//! does not ascend, ends that it has may not be found.
//!
//! **Blocks.** The bits of all rows of a block together show of most steps that they cannot be taken from any of them:
//! bits that a step needs are in no row, or a code that is at least that of each row is too small.

use std::ops::Range;

use crate::row_steps::RowSteps;
use crate::rows::Rows;

/// Looks for the rows to which steps lead, in a list that ascends.
///
/// ```
/// use serval_evidence::{RowEnds, RowSteps, Rows};
/// let rows: Rows<u64> = [[0, 1], [1, 0], [2, 0]].iter().collect();
/// let mut steps = RowSteps::default();
/// steps.add([(0, 1)], [(0, -1), (1, 1)]);
/// let mut ends = RowEnds::new(&rows, steps).unwrap();
/// assert_eq!(ends.look(0..2), Ok(()));
/// assert!(!ends.can_go_on(0) && ends.can_go_on(1));
/// assert_eq!(ends.look(2..3), Err((2, 0)));
/// ```
#[derive(Clone, Debug)]
pub struct RowEnds<'a> {
    rows: &'a Rows<u64>,
    /// They are fitted to these rows.
    steps: RowSteps,
    /// By step the row where its last end was found: the next one is behind it.
    last: Vec<usize>,
    /// The rows that were looked at last, and by row whether a step can be taken from it.
    block: Range<usize>,
    goes_on: Vec<bool>,
}

impl<'a> RowEnds<'a> {
    /// Begins with steps for a list; nothing where the list has no rows, rows of several lengths, or too short ones.
    pub fn new(rows: &'a Rows<u64>, mut steps: RowSteps) -> Option<Self> {
        let last = vec![0; steps.len()];
        steps.fit_anew(rows).then(|| Self { rows, steps, last, block: 0..0, goes_on: Vec::new() })
    }

    /// Looks at a block of rows, which are behind those of all calls before. The error is the first of them from which
    /// a step can be taken that does not lead to a row of the list, and this step.
    pub fn look(&mut self, block: Range<usize>) -> Result<(), (usize, usize)> {
        self.goes_on.clear();
        self.goes_on.resize(block.len(), false);
        self.block = block;
        // With a number of words that the compiler knows, rows are numbers.
        match self.rows.packed.words {
            1 => self.look_in(self.rows.packed.rows_of::<1>()),
            2 => self.look_in(self.rows.packed.rows_of::<2>()),
            3 => self.look_in(self.rows.packed.rows_of::<3>()),
            4 => self.look_in(self.rows.packed.rows_of::<4>()),
            _ => self.look_in_wide(),
        }
    }

    /// Whether some step can be taken from a row of the last block.
    #[inline]
    pub fn can_go_on(&self, number: usize) -> bool {
        let at = number.checked_sub(self.block.start);
        at.and_then(|at| self.goes_on.get(at)).copied().unwrap_or(false)
    }

    #[inline(always)]
    fn look_in<const WORDS: usize>(&mut self, all: &[[u64; WORDS]]) -> Result<(), (usize, usize)> {
        let (mut together, block) = ([0; WORDS], &all[self.block.clone()]);
        for row in block {
            for word in 0..WORDS {
                together[word] |= row[word];
            }
        }
        let mut missing = None;
        for step in 0..self.last.len() {
            if !self.steps.may_be_open(step, &together) {
                continue;
            }
            let mut last = self.last[step];
            for (at, from) in block.iter().enumerate() {
                if !self.steps.is_open(step, from) {
                    continue;
                }
                self.goes_on[at] = true;
                let mut is_found = false;
                if let Some(end) = self.steps.end_of(step, from) {
                    last = next(all.len(), last, |number| all[number] < end);
                    is_found = last < all.len() && all[last] == end;
                }
                if !is_found {
                    missing = earlier(missing, (self.block.start + at, step));
                    break;
                }
            }
            self.last[step] = last;
        }
        missing.map_or(Ok(()), Err)
    }

    /// The same for rows of many words.
    fn look_in_wide(&mut self) -> Result<(), (usize, usize)> {
        let packed = &self.rows.packed;
        let (mut together, mut end) = (vec![0; packed.words], vec![0; packed.words]);
        for number in self.block.clone() {
            together.iter_mut().zip(packed.row(number)).for_each(|(all, word)| *all |= word);
        }
        let mut missing = None;
        for step in 0..self.last.len() {
            if !self.steps.may_be_open(step, &together) {
                continue;
            }
            let last = &mut self.last[step];
            for (at, number) in self.block.clone().enumerate() {
                let from = packed.row(number);
                if !self.steps.is_open(step, from) {
                    continue;
                }
                self.goes_on[at] = true;
                end.copy_from_slice(from);
                let has_room = self.steps.take(step, &mut end);
                if has_room {
                    *last = next(packed.len(), *last, |number| packed.row(number) < &end[..]);
                }
                if !has_room || *last >= packed.len() || packed.row(*last) != &end[..] {
                    missing = earlier(missing, (number, step));
                    break;
                }
            }
        }
        missing.map_or(Ok(()), Err)
    }
}

fn earlier(one: Option<(usize, usize)>, other: (usize, usize)) -> Option<(usize, usize)> {
    Some(one.map_or(other, |one| one.min(other)))
}

/// The first number from `from` on, below `count`, that is not before what is looked for; `count` where there is none.
/// It may be near.
#[inline(always)]
fn next(count: usize, from: usize, is_before: impl Fn(usize) -> bool) -> usize {
    if from >= count || !is_before(from) {
        return from;
    }
    // The last that is known to be before it, and how far the next look goes.
    let (mut before, mut far) = (from, 1);
    while before + far < count && is_before(before + far) {
        before += far;
        far *= 2;
    }
    let mut end = count.min(before + far);
    while end - before > 1 {
        let middle = before + (end - before) / 2;
        *(if is_before(middle) { &mut before } else { &mut end }) = middle;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers by a linear congruence that is the same everywhere.
    fn draw(seed: &mut u64, below: usize) -> usize {
        *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        usize::try_from(*seed >> 33).unwrap() % below
    }

    /// What is found row by row is what searching for each end finds, in lists of rows of all widths, of which some are
    /// closed under the steps and others lack a row.
    #[test]
    fn ends_are_those_of_searching() {
        let (mut seed, mut closed, mut left, mut stuck) = (17, 0, 0, 0);
        for round in 0..600 {
            let (places, top) = ([1, 3, 12, 70, 200][round % 5], [1, 3, 300][round % 3]);
            // Tokens move between some of the places, the first and the last among them.
            let moves: Vec<(usize, usize)> =
                (0..1 + draw(&mut seed, 6)).map(|_| (draw(&mut seed, places), draw(&mut seed, places))).collect();
            let mut first = vec![0_u64; places];
            for _ in 0..1 + draw(&mut seed, 2) {
                first[moves[draw(&mut seed, moves.len())].0] = u64::try_from(1 + draw(&mut seed, top)).unwrap();
            }
            let after = |list: &[u64], (from, to): (usize, usize)| {
                let mut after = list.to_vec();
                after[from] = after[from].checked_sub(1)?;
                after[to] += 1;
                Some(after)
            };
            let mut lists = vec![first];
            let mut at = 0;
            while at < lists.len() && lists.len() < 400 {
                for &step in &moves {
                    let new = after(&lists[at], step).filter(|after| !lists.contains(after));
                    lists.extend(new);
                }
                at += 1;
            }
            lists.sort();
            if round % 2 == 0 && lists.len() > 1 {
                lists.remove(draw(&mut seed, lists.len()));
            }
            let rows: Rows<u64> = lists.iter().collect();
            let mut steps = RowSteps::default();
            for &(from, to) in &moves {
                steps.add([(from, 1)], [(from, -1), (to, 1)]);
            }
            let mut ends = RowEnds::new(&rows, steps).unwrap();
            let size = 1 + draw(&mut seed, 50);
            for start in (0..lists.len()).step_by(size) {
                let block = start..lists.len().min(start + size);
                let missing = block
                    .clone()
                    .flat_map(|number| (0..moves.len()).map(move |step| (number, step)))
                    .find(|&(number, step)| after(&lists[number], moves[step]).is_some_and(|after| lists.binary_search(&after).is_err()));
                assert_eq!(ends.look(block.clone()), missing.map_or(Ok(()), Err), "{moves:?} {lists:?}");
                if missing.is_some() {
                    left += 1;
                    break;
                }
                for number in block {
                    let goes_on = moves.iter().any(|&step| after(&lists[number], step).is_some());
                    assert_eq!(ends.can_go_on(number), goes_on);
                    stuck += usize::from(!goes_on);
                }
                closed += usize::from(start + size >= lists.len());
            }
        }
        assert!(closed > 100 && left > 100 && stuck > 10, "{closed} closed, {left} left, {stuck} stuck");
    }

    /// Lists without an order are looked at, too: what is found is there.
    #[test]
    fn nothing_is_found_that_is_not_there() {
        let rows: Rows<u64> = [[2], [1], [0]].iter().collect();
        let mut steps = RowSteps::default();
        steps.add([(0, 2)], [(0, 1)]);
        assert_eq!(RowEnds::new(&rows, steps).unwrap().look(0..3), Err((0, 0)));
        assert!(RowEnds::new(&Rows::default(), RowSteps::default()).is_none());
    }

    #[test]
    fn the_next_is_the_first_that_is_not_before() {
        for count in 0..40 {
            for from in 0..=count {
                for first in 0..=count {
                    assert_eq!(next(count, from, |number| number < first), first.max(from), "{count} {from} {first}");
                }
            }
        }
    }
}
