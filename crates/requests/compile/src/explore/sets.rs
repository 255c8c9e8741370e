//! Sets of local states that are cheap both when sparse and when dense.

use serval_model::LocalId;

/// A set of local states: words of 64, the empty ones left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LocalSet {
    /// `(number of the word, its bits)`, ascending, no word empty.
    words: Vec<(u32, u64)>,
}

fn place(local: LocalId) -> (u32, u64) {
    // Numbers of local states fit 32 bits.
    (u32::try_from(local.index() / 64).unwrap_or(u32::MAX), 1 << (local.index() % 64))
}

impl LocalSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds one state; whether it is new.
    pub(crate) fn insert(&mut self, local: LocalId) -> bool {
        let (word, bit) = place(local);
        match self.words.binary_search_by_key(&word, |&(word, _)| word) {
            Ok(position) => {
                let new = self.words[position].1 & bit == 0;
                self.words[position].1 |= bit;
                new
            }
            Err(position) => {
                self.words.insert(position, (word, bit));
                true
            }
        }
    }

    pub(crate) fn contains(&self, local: LocalId) -> bool {
        let (word, bit) = place(local);
        self.words.binary_search_by_key(&word, |&(word, _)| word).is_ok_and(|position| self.words[position].1 & bit != 0)
    }

    /// Whether all of `other` is in this set.
    pub(crate) fn contains_all(&self, other: &Self) -> bool {
        let mut words = self.words.iter();
        other
            .words
            .iter()
            .all(|&(word, bits)| words.find(|&&(at, _)| at >= word).is_some_and(|&(at, have)| at == word && bits & !have == 0))
    }

    /// Adds all of `other` to this set and those that are new to `added`.
    /// Gives the number of words looked at.
    pub(crate) fn absorb(&mut self, other: &Self, added: &mut Self) -> usize {
        let mut fresh: Vec<(u32, u64)> = Vec::new();
        let mut position = 0;
        for &(word, bits) in &other.words {
            while position < self.words.len() && self.words[position].0 < word {
                position += 1;
            }
            let have = match self.words.get(position) {
                Some(&(at, have)) if at == word => have,
                _ => 0,
            };
            if bits & !have != 0 {
                fresh.push((word, bits & !have));
            }
        }
        if !fresh.is_empty() {
            union(&mut self.words, &fresh);
            union(&mut added.words, &fresh);
        }
        other.words.len() + fresh.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = LocalId> + '_ {
        self.words.iter().flat_map(|&(word, bits)| {
            let base = word as usize * 64;
            // Without its last bit a word has one less, until it has none.
            let rests = std::iter::successors(Some(bits), |rest| Some(rest & (rest - 1)).filter(|&rest| rest != 0));
            rests.map(move |rest| LocalId::from_index(base + rest.trailing_zeros() as usize))
        })
    }
}

impl FromIterator<LocalId> for LocalSet {
    fn from_iter<I: IntoIterator<Item = LocalId>>(locals: I) -> Self {
        let mut set = Self::default();
        for local in locals {
            set.insert(local);
        }
        set
    }
}

fn union(into: &mut Vec<(u32, u64)>, other: &[(u32, u64)]) {
    // In place where no word is new, which is the common case.
    let mut position = 0;
    let mut missing = false;
    for &(word, bits) in other {
        while position < into.len() && into[position].0 < word {
            position += 1;
        }
        match into.get_mut(position) {
            Some((at, have)) if *at == word => *have |= bits,
            _ => missing = true,
        }
    }
    if !missing {
        return;
    }
    let old = std::mem::take(into);
    into.reserve(old.len() + other.len());
    let (mut a, mut b) = (old.into_iter().peekable(), other.iter().copied().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(&(x, have)), Some(&(y, bits))) if x == y => {
                a.next();
                b.next();
                (x, have | bits)
            }
            (Some(&(x, have)), Some(&(y, _))) if x < y => {
                a.next();
                (x, have)
            }
            (_, Some(&word)) => {
                b.next();
                word
            }
            (Some(&word), None) => {
                a.next();
                word
            }
            (None, None) => return,
        };
        into.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn set(of: &[usize]) -> LocalSet {
        let mut set = LocalSet::default();
        for &index in of {
            set.insert(LocalId::from_index(index));
        }
        set
    }

    #[test]
    fn agrees_with_tree_sets() {
        let numbers: Vec<usize> = (0..40).map(|i| i * i * 37 % 1009).collect();
        for cut in 0..numbers.len() {
            let (left, right) = numbers.split_at(cut);
            let mut into = set(left);
            let mut added = LocalSet::default();
            into.absorb(&set(right), &mut added);
            let of = |ids: &LocalSet| ids.iter().map(LocalId::index).collect::<Vec<_>>();
            let (l, r): (BTreeSet<_>, BTreeSet<_>) = (left.iter().copied().collect(), right.iter().copied().collect());
            assert_eq!(of(&into), l.union(&r).copied().collect::<Vec<_>>());
            assert!(into.contains_all(&set(left)) && into.contains_all(&set(right)));
            assert_eq!(set(left).contains_all(&set(right)), r.is_subset(&l));
            assert!(numbers.iter().all(|&number| set(left).contains(LocalId::from_index(number)) == l.contains(&number)));
            assert_eq!(of(&added), r.difference(&l).copied().collect::<Vec<_>>());
        }
    }
}
