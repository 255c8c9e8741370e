//! A k-d tree (Bentley 1975) for domination: is one of its rows at least as large as another row, place by place?
//!
//! The rows are in a tree. Each node has the largest number of its rows for each place, so that it is passed over where
//! that is not enough; an inner node parts its rows by the number for one place, so that where much is asked for only
//! one side is looked at. Rows are never taken out: who adds a larger one leaves the smaller one in, which changes no
//! answer.
//!
//! A row that is in already is found by its hash first, as that is what is asked for most often.
//!
//! To ask whether a row is at most as large, all numbers are turned around: what is less is more then.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

/// Rows of one node before it is parted.
const LEAF: usize = 24;

enum Kind {
    Leaf(Vec<usize>),
    /// Rows with less than this number for the place are in the first node, all others in the second.
    Split(usize, u64, usize, usize),
}

struct IndexNode {
    most: Vec<u64>,
    kind: Kind,
}

/// Rows, by their number.
pub(crate) struct Index {
    places: usize,
    rows: Vec<u64>,
    nodes: Vec<IndexNode>,
    /// By hash the last row that has it.
    hashed: FxHashMap<u64, usize>,
}

fn hash(row: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    row.hash(&mut hasher);
    hasher.finish()
}

impl Index {
    pub(crate) fn new(places: usize) -> Self {
        let root = IndexNode { most: vec![0; places], kind: Kind::Leaf(Vec::new()) };
        Self { places, rows: Vec::new(), nodes: vec![root], hashed: FxHashMap::default() }
    }

    pub(crate) fn row(&self, number: usize) -> &[u64] {
        &self.rows[number * self.places..(number + 1) * self.places]
    }

    /// Adds a row; rows have numbers in the order in which they come.
    pub(crate) fn add(&mut self, number: usize, row: &[u64]) {
        debug_assert_eq!(self.rows.len(), number * self.places, "rows come in order");
        self.rows.extend_from_slice(row);
        self.hashed.insert(hash(row), number);
        let mut at = 0;
        loop {
            let node = &mut self.nodes[at];
            node.most.iter_mut().zip(row).for_each(|(most, &number)| *most = number.max(*most));
            match &mut node.kind {
                Kind::Split(place, least, low, high) => at = if row[*place] < *least { *low } else { *high },
                Kind::Leaf(numbers) => {
                    numbers.push(number);
                    if numbers.len() > LEAF {
                        self.split(at);
                    }
                    return;
                }
            }
        }
    }

    /// Parts a leaf by the place that parts it most evenly, if one does.
    fn split(&mut self, at: usize) {
        let Kind::Leaf(numbers) = &self.nodes[at].kind else { return };
        let numbers = numbers.clone();
        let mut best: Option<(usize, usize, u64)> = None;
        for place in 0..self.places {
            let mut values: Vec<u64> = numbers.iter().map(|&number| self.row(number)[place]).collect();
            values.sort_unstable();
            let middle = values[values.len() / 2];
            for least in [Some(middle), values.iter().copied().find(|&value| value > middle)].into_iter().flatten() {
                let low = values.partition_point(|&value| value < least);
                let even = low.min(values.len() - low);
                if even > best.map_or(0, |best| best.0) {
                    best = Some((even, place, least));
                }
            }
        }
        let Some((_, place, least)) = best else { return };
        let (low, high): (Vec<usize>, Vec<usize>) = numbers.into_iter().partition(|&number| self.row(number)[place] < least);
        let first = self.nodes.len();
        for numbers in [low, high] {
            let mut most = vec![0; self.places];
            for &number in &numbers {
                most.iter_mut().zip(self.row(number)).for_each(|(most, &number)| *most = number.max(*most));
            }
            self.nodes.push(IndexNode { most, kind: Kind::Leaf(numbers) });
        }
        self.nodes[at].kind = Kind::Split(place, least, first, first + 1);
    }

    /// A row that is at least as large, and that is not the same if `strictly` says so.
    pub(crate) fn above(&self, row: &[u64], strictly: bool) -> Option<usize> {
        if !strictly
            && let Some(&same) = self.hashed.get(&hash(row))
            && self.row(same) == row
        {
            return Some(same);
        }
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            if !is_at_most(row, &node.most) {
                continue;
            }
            match &node.kind {
                Kind::Split(place, least, low, high) => {
                    if row[*place] < *least {
                        open.push(*low);
                    }
                    open.push(*high);
                }
                Kind::Leaf(numbers) => {
                    let is_found = |&&number: &&usize| is_at_most(row, self.row(number)) && !(strictly && row == self.row(number));
                    if let Some(&found) = numbers.iter().find(is_found) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }
}

/// Whether no number of the first row is larger.
pub(crate) fn is_at_most(lower: &[u64], upper: &[u64]) -> bool {
    lower.iter().zip(upper).all(|(lower, upper)| lower <= upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_model::SplitMix64;

    /// The same answers as looking at all rows.
    #[test]
    fn rows_are_found_as_by_looking_at_all() {
        for seed in serval_effort::sweep("nets.index", 5, 20).seeds(0) {
            let mut draw = SplitMix64::new(seed);
            let places = draw.index(5);
            let mut index = Index::new(places);
            let mut all: Vec<Vec<u64>> = Vec::new();
            for number in 0..400 {
                let row: Vec<u64> = (0..places).map(|_| if draw.chance(10) { u64::MAX } else { draw.below(9) }).collect();
                for strictly in [false, true] {
                    let is_one = |other: &Vec<u64>| is_at_most(&row, other) && !(strictly && *other == row);
                    let found = index.above(&row, strictly);
                    assert_eq!(found.is_some(), all.iter().any(is_one), "{row:?}");
                    assert!(found.is_none_or(|found| is_one(&all[found])), "{row:?}");
                }
                index.add(number, &row);
                all.push(row);
            }
        }
    }
}
