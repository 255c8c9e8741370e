//! Steps that lead from row to row, taken on the words of packed rows.
//!
//! A step can be taken from a row where some numbers are large enough, and it adds to some numbers. What it asks of a
//! row, and what it adds, is worked out once for the columns that a list has, so that a row is neither unpacked nor
//! packed for it.
//!
//! **Why words can be added.** The columns of a word do not overlap, so that a word is the sum of the codes of its
//! columns, each moved by the shift of its column. Where each code that changes stays within its column
//! ([`RowSteps::take`] asks that first), this is so before and after the step, and the difference of both words is the
//! sum of the differences of the codes, each moved: modulo 2⁶⁴ that is what is added. ∎
//!
//! **What a column shows.** A column has what a number is above the least of the column. So a number is at least `w`
//! iff its code is at least `w` less this least, or `w` is no more than it. The greatest code of a column is the one
//! with all bits, so that a code is at least that iff all bits of the column are set. ∎
//!
//! **Keys.** A row has few numbers that are not the least of their columns, and most steps need such a number. So each
//! step that needs more than the least of some column stands under one of these columns, its *key*, and where that has
//! no bit in a row the step cannot be taken and is not looked at.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::rows::{BitColumn, Rows};

/// Bits of a word that must be set.
#[derive(Clone, Copy, Debug)]
struct Bits {
    word: usize,
    bits: u64,
}

/// Codes of a column with which a step can be taken.
#[derive(Clone, Copy, Debug)]
struct Codes {
    word: usize,
    shift: u32,
    mask: u64,
    least: u64,
    most: u64,
}

impl Codes {
    fn of(column: &BitColumn, least: u64, most: Option<u64>) -> Self {
        // No code is at least 1 and at most 0.
        let (least, most) = most.map_or((1, 0), |most| (least, most));
        Self { word: column.word, shift: column.shift, mask: column.mask, least, most }
    }

    #[inline]
    fn has(&self, row: &[u64]) -> bool {
        let code = row[self.word] >> self.shift & self.mask;
        self.least <= code && code <= self.most
    }
}

/// A step as it is given: which numbers must be at least what, and what is added to which.
#[derive(Clone, Debug)]
struct GivenStep {
    needs: BTreeMap<usize, u64>,
    changes: BTreeMap<usize, i128>,
}

/// A step for the columns of a list.
#[derive(Clone, Debug)]
struct FittedStep {
    /// What more than one word, or less than all bits of a column, must be.
    bits: Vec<Bits>,
    codes: Vec<Codes>,
    /// Where there is room for what is added.
    room: Vec<Codes>,
    adds: Vec<(usize, u64)>,
}

/// Steps of a list whose rows have the same length, numbered from 0 in the order in which they were added.
///
/// ```
/// use serval_evidence::{RowSteps, Rows};
/// let mut rows: Rows<u64> = Rows::default();
/// rows.push(&[3, 0]);
/// rows.push(&[0, 1]);
/// let mut steps = RowSteps::default();
/// steps.add([(0, 2)], [(0, -2), (1, 1)]);
/// assert!(steps.fit(&rows));
/// assert!(steps.can_be_taken(0, &rows, 0) && !steps.can_be_taken(0, &rows, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RowSteps {
    given: Vec<GivenStep>,
    /// By step the bits of one word that must be set, and whether that is all that must be.
    heads: Vec<(Bits, bool)>,
    fitted: Vec<FittedStep>,
    /// By step what is added to each word of a row, and whether there may be no room for it.
    sums: Vec<u64>,
    is_tight: Vec<bool>,
    keys: StepKeys,
    /// The number of the columns for which the steps are fitted.
    layout: Option<u64>,
}

impl RowSteps {
    /// Adds a step: numbers, by their places in a row, must be at least so large, and so much is added to some.
    pub fn add(&mut self, needs: impl IntoIterator<Item = (usize, u64)>, changes: impl IntoIterator<Item = (usize, i128)>) {
        let mut given = GivenStep { needs: BTreeMap::new(), changes: BTreeMap::new() };
        for (place, least) in needs {
            let needed = given.needs.entry(place).or_default();
            *needed = least.max(*needed);
        }
        for (place, change) in changes {
            let sum = given.changes.entry(place).or_default();
            *sum = sum.saturating_add(change);
        }
        self.given.push(given);
        self.layout = None;
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Makes the steps ready for a list, which must be the same in all calls; again after its columns have become
    /// wider. False where the list has no rows, rows of several lengths, or too short ones.
    pub fn fit(&mut self, rows: &Rows<u64>) -> bool {
        let packed = &rows.packed;
        let Some((lengths, columns)) = packed.columns().split_last() else { return false };
        let is_even = packed.len() > 0 && lengths.mask == 0 && usize::try_from(lengths.least) == Ok(columns.len());
        let places = self.given.iter().flat_map(|step| step.needs.keys().chain(step.changes.keys()));
        if !is_even || places.max().is_some_and(|&place| place >= columns.len()) {
            return false;
        }
        if self.layout != Some(packed.layout()) {
            (self.heads, self.fitted) = self.given.iter().map(|step| fitted(step, columns)).unzip();
            self.keys = StepKeys::of(&self.given, &self.heads, columns);
            self.is_tight = self.fitted.iter().map(|step| !step.room.is_empty()).collect();
            self.sums = vec![0; self.given.len() * packed.words];
            for (step, FittedStep { adds, .. }) in self.fitted.iter().enumerate() {
                adds.iter().for_each(|&(word, sum)| self.sums[step * packed.words + word] = sum);
            }
            self.layout = Some(packed.layout());
        }
        true
    }

    /// The same for a list of which nothing is known.
    pub(crate) fn fit_anew(&mut self, rows: &Rows<u64>) -> bool {
        self.layout = None;
        self.fit(rows)
    }

    /// Whether a step can be taken from a row.
    #[inline]
    pub fn can_be_taken(&self, step: usize, rows: &Rows<u64>, number: usize) -> bool {
        self.is_open(step, rows.packed.row(number))
    }

    #[inline]
    pub(crate) fn is_open(&self, step: usize, row: &[u64]) -> bool {
        // Steps that are not fitted cannot be taken.
        let Some(&(head, is_all)) = self.heads.get(step) else { return false };
        row[head.word] & head.bits == head.bits && (is_all || self.rest_is_open(step, row))
    }

    fn rest_is_open(&self, step: usize, row: &[u64]) -> bool {
        let FittedStep { bits, codes, .. } = &self.fitted[step];
        bits.iter().all(|one| row[one.word] & one.bits == one.bits) && codes.iter().all(|one| one.has(row))
    }

    /// Whether a step may be one that can be taken from one of some rows, of which these are all bits.
    pub(crate) fn may_be_open(&self, step: usize, together: &[u64]) -> bool {
        let (Some(&(head, _)), Some(FittedStep { bits, codes, .. })) = (self.heads.get(step), self.fitted.get(step)) else { return false };
        let has = |one: &Bits| together[one.word] & one.bits == one.bits;
        has(&head) && bits.iter().all(has) && codes.iter().all(|one| together[one.word] >> one.shift & one.mask >= one.least)
    }

    /// Puts the steps that can be taken from a row behind others, ascending.
    pub fn list(&self, rows: &Rows<u64>, number: usize, into: &mut Vec<usize>) {
        self.list_without(rows, number, &[], into);
    }

    /// The same without those that have a bit here, 64 to a number.
    pub fn list_without(&self, rows: &Rows<u64>, number: usize, without: &[u64], into: &mut Vec<usize>) {
        // A bit for each step.
        let (mut few, mut many, blocks) = ([0_u64; 16], Vec::new(), self.heads.len().div_ceil(64));
        let open = if blocks <= few.len() {
            &mut few[..blocks]
        } else {
            many.resize(blocks, 0);
            &mut many[..]
        };
        let row = rows.packed.row(number);
        let mut mark = |keyed: &KeyedStep| {
            let is_open = row[keyed.head.word] & keyed.head.bits == keyed.head.bits && (keyed.is_all || self.rest_is_open(keyed.step, row));
            open[keyed.step / 64] |= u64::from(is_open) << (keyed.step % 64);
        };
        self.keys.keyless.iter().for_each(&mut mark);
        self.keys.each_under(row, |keyed| {
            keyed.iter().for_each(&mut mark);
            true
        });
        for (block, &bits) in open.iter().enumerate() {
            let mut left = bits & !without.get(block).copied().unwrap_or(0);
            while left != 0 {
                into.push(block * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Whether some step can be taken from a row.
    pub fn can_go_on(&self, rows: &Rows<u64>, number: usize) -> bool {
        let row = rows.packed.row(number);
        let is_open = |keyed: &KeyedStep| self.is_open(keyed.step, row);
        if self.keys.keyless.iter().any(is_open) {
            return true;
        }
        let mut goes_on = false;
        self.keys.each_under(row, |keyed| {
            goes_on = keyed.iter().any(is_open);
            !goes_on
        });
        goes_on
    }

    /// Where a step leads that can be taken from a row of so many words; nothing where a column has no room for its
    /// number.
    #[inline(always)]
    pub(crate) fn end_of<const WORDS: usize>(&self, step: usize, from: &[u64; WORDS]) -> Option<[u64; WORDS]> {
        if self.is_tight[step] && !self.fitted[step].room.iter().all(|one| one.has(from)) {
            return None;
        }
        let sums = &self.sums.as_chunks::<WORDS>().0[step];
        let mut end = *from;
        for word in 0..WORDS {
            end[word] = end[word].wrapping_add(sums[word]);
        }
        Some(end)
    }

    /// Takes a step that can be taken; false where a column has no room for its number, and then the row is as it was.
    #[inline]
    pub(crate) fn take(&self, step: usize, row: &mut [u64]) -> bool {
        let FittedStep { room, adds, .. } = &self.fitted[step];
        if !room.iter().all(|one| one.has(row)) {
            return false;
        }
        for &(word, sum) in adds {
            row[word] = row[word].wrapping_add(sum);
        }
        true
    }
}

/// A step with the bits of one word that must be set, and whether that is all that must be.
#[derive(Clone, Copy, Debug)]
struct KeyedStep {
    step: usize,
    head: Bits,
    is_all: bool,
}

/// Steps by columns of which they need more than the least.
#[derive(Clone, Debug, Default)]
struct StepKeys {
    /// By word the bits of the columns that are keys.
    keys: Vec<u64>,
    /// The bits of each such column in its word, and which steps are under it.
    columns: Vec<(u64, Range<usize>)>,
    steps: Vec<KeyedStep>,
    /// By word and bit the column that it belongs to, where it is that of a key.
    at: Vec<u32>,
    /// Steps that need the least of all columns only.
    keyless: Vec<KeyedStep>,
}

impl StepKeys {
    fn of(given: &[GivenStep], heads: &[(Bits, bool)], columns: &[BitColumn]) -> Self {
        let words = columns.iter().map(|column| column.word + 1).max().unwrap_or(0);
        let (mut under, mut keyless): (Vec<Vec<KeyedStep>>, Vec<KeyedStep>) = (vec![Vec::new(); columns.len()], Vec::new());
        for (step, (GivenStep { needs, .. }, &(head, is_all))) in given.iter().zip(heads).enumerate() {
            // A column without bits has its least number in all rows.
            let is_key = |one: &(&usize, &u64)| *one.1 > columns[*one.0].least && columns[*one.0].mask != 0;
            let keys = needs.iter().filter(is_key).map(|one| *one.0);
            let list = keys.min_by_key(|&place| under[place].len()).map_or(&mut keyless, |place| &mut under[place]);
            list.push(KeyedStep { step, head, is_all });
        }
        let mut all = Self { keys: vec![0; words], at: vec![0; words * 64], keyless, ..Self::default() };
        for (column, steps) in columns.iter().zip(under).filter(|one| !one.1.is_empty()) {
            let bits = column.mask << column.shift;
            all.keys[column.word] |= bits;
            let number = u32::try_from(all.columns.len()).unwrap_or(u32::MAX);
            (0..64).filter(|bit| bits >> bit & 1 == 1).for_each(|bit| all.at[column.word * 64 + bit] = number);
            all.columns.push((bits, all.steps.len()..all.steps.len() + steps.len()));
            all.steps.extend(steps);
        }
        all
    }

    /// Goes through the steps under each column that has bits in a row, as long as it should.
    #[inline(always)]
    fn each_under(&self, row: &[u64], mut goes_on: impl FnMut(&[KeyedStep]) -> bool) {
        for (word, (&codes, &keys)) in row.iter().zip(&self.keys).enumerate() {
            let mut left = codes & keys;
            while left != 0 {
                let (bits, steps) = &self.columns[self.at[word * 64 + left.trailing_zeros() as usize] as usize];
                left &= !bits;
                if !goes_on(&self.steps[steps.clone()]) {
                    return;
                }
            }
        }
    }
}

/// What a step asks of one word and adds, for these columns.
fn fitted(step: &GivenStep, columns: &[BitColumn]) -> ((Bits, bool), FittedStep) {
    let (mut bits, mut codes): (BTreeMap<usize, u64>, Vec<Codes>) = (BTreeMap::new(), Vec::new());
    for (&place, &least) in &step.needs {
        let column = &columns[place];
        match least.saturating_sub(column.least) {
            0 => {}
            code if code == column.mask => *bits.entry(column.word).or_default() |= column.mask << column.shift,
            code => codes.push(Codes::of(column, code, Some(column.mask).filter(|mask| code <= *mask))),
        }
    }
    let (mut room, mut adds): (Vec<Codes>, BTreeMap<usize, u64>) = (Vec::new(), BTreeMap::new());
    for (&place, &change) in step.changes.iter().filter(|change| *change.1 != 0) {
        let column = &columns[place];
        let needed = step.needs.get(&place).map_or(0, |least| least.saturating_sub(column.least));
        let magnitude = u64::try_from(change.unsigned_abs()).ok();
        // A code may have bits for more than 64 bits of the number.
        let top = column.mask.min(u64::MAX - column.least);
        let (least, most) = match magnitude {
            Some(less) if change < 0 => (less, Some(top).filter(|top| less <= *top)),
            Some(more) => (0, top.checked_sub(more)),
            None => (0, None),
        };
        if least > needed || most != Some(top) {
            room.push(Codes::of(column, least, most));
        }
        let magnitude = magnitude.unwrap_or(0) << column.shift;
        let sum = adds.entry(column.word).or_default();
        *sum = if change < 0 { sum.wrapping_sub(magnitude) } else { sum.wrapping_add(magnitude) };
    }
    let mut bits = bits.into_iter().map(|(word, bits)| Bits { word, bits });
    let head = bits.next().unwrap_or(Bits { word: 0, bits: 0 });
    let bits: Vec<Bits> = bits.collect();
    let is_all = bits.is_empty() && codes.is_empty();
    ((head, is_all), FittedStep { bits, codes, room, adds: adds.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Packed;

    /// Numbers by a linear congruence that is the same everywhere.
    fn draw(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        *seed >> 33
    }

    fn unpacked(packed: &Packed, row: &[u64]) -> Vec<u64> {
        packed.ranks(row).collect()
    }

    /// What words say of a step is what numbers say, and what they give is the row that would be packed; or there is no
    /// room, and then the row as it would be has none.
    #[test]
    fn words_step_as_numbers_do() {
        let ends = [0, 1, 2, 3, 7, 8, 200, 1 << 40, u64::MAX - 1, u64::MAX];
        let (mut seed, mut taken, mut refused) = (3, 0, 0);
        for round in 0..400 {
            let length = 1 + usize::try_from(draw(&mut seed) % 90).unwrap();
            let few = if round % 3 == 0 { 2 } else { 1 + round % ends.len() };
            let number = |seed: &mut u64| ends[usize::try_from(draw(seed)).unwrap() % few];
            let lists: Vec<Vec<u64>> = (0..1 + draw(&mut seed) % 8).map(|_| (0..length).map(|_| number(&mut seed)).collect()).collect();
            let rows: Rows<u64> = lists.iter().collect();
            let mut steps = RowSteps::default();
            let mut given = Vec::new();
            for _ in 0..10 {
                let place = |seed: &mut u64| usize::try_from(draw(seed)).unwrap() % length;
                let needs: Vec<(usize, u64)> = (0..draw(&mut seed) % 4).map(|_| (place(&mut seed), number(&mut seed))).collect();
                let mut changes: BTreeMap<usize, i128> = BTreeMap::new();
                for _ in 0..draw(&mut seed) % 4 {
                    let change = i128::from(number(&mut seed)) - i128::from(number(&mut seed));
                    changes.insert(place(&mut seed), change);
                }
                // Mostly what is taken is there.
                let mut needs = needs;
                if !draw(&mut seed).is_multiple_of(4) {
                    needs.extend(changes.iter().filter(|one| *one.1 < 0).map(|one| (*one.0, u64::try_from(-one.1).unwrap())));
                }
                steps.add(needs.iter().copied(), changes.iter().map(|(&place, &change)| (place, change)));
                given.push((needs, changes));
            }
            assert!(steps.fit(&rows));
            for (number, list) in lists.iter().enumerate() {
                let mut open = Vec::new();
                steps.list(&rows, number, &mut open);
                assert!(open.is_sorted() && steps.can_go_on(&rows, number) != open.is_empty());
                for (step, (needs, changes)) in given.iter().enumerate() {
                    let is_open = needs.iter().all(|&(place, least)| list[place] >= least);
                    assert_eq!(steps.can_be_taken(step, &rows, number), is_open, "{list:?} {needs:?}");
                    assert_eq!(open.contains(&step), is_open);
                    if !is_open {
                        continue;
                    }
                    let after: Option<Vec<u64>> = list
                        .iter()
                        .enumerate()
                        .map(|(place, &old)| u64::try_from(i128::from(old) + changes.get(&place).copied().unwrap_or(0)).ok())
                        .collect();
                    let mut words = rows.packed.row(number).to_vec();
                    let before = words.clone();
                    let has_room = steps.take(step, &mut words);
                    let mut packed = Vec::new();
                    let expected = after.clone().is_some_and(|after| rows.packed.pack(after.into_iter(), &mut packed));
                    assert_eq!(has_room, expected, "{list:?} {changes:?}");
                    if let Some(words) = before.first_chunk::<2>().filter(|_| before.len() == 2) {
                        assert_eq!(steps.end_of(step, words).is_some_and(|end| end == *packed), has_room);
                    }
                    if has_room {
                        assert_eq!(words, packed);
                        assert_eq!(Some(unpacked(&rows.packed, &words)), after);
                        taken += 1;
                    } else {
                        assert_eq!(words, before);
                        refused += 1;
                    }
                }
            }
        }
        assert!(taken > 1_000 && refused > 1_000, "{taken} taken, {refused} refused");
    }

    /// Lists for which there are no steps.
    #[test]
    fn steps_need_rows_of_one_length() {
        let mut steps = RowSteps::default();
        steps.add([(1, 1)], [(0, 1)]);
        assert!(!steps.fit(&Rows::default()));
        assert!(!steps.fit(&[vec![1_u64, 2], vec![1]].iter().collect()));
        assert!(!steps.fit(&[vec![1_u64]].iter().collect()));
        assert!(steps.fit(&[vec![1_u64, 0], vec![0, 1]].iter().collect()));
        assert_eq!((steps.len(), steps.is_empty(), RowSteps::default().is_empty()), (1, false, true));
    }
}
