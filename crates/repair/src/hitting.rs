//! Sets that hit all of a list of sets, by size.

use std::collections::BTreeSet;

/// A set of positions.
pub(crate) type Set = BTreeSet<usize>;

/// Steps in one search for the next set, at most.
const STEPS: u64 = 200_000;

/// What a search for the next set gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// This one.
    Set(Set),
    /// There is no other.
    None,
    /// There are too many ways to look at them all.
    TooMany,
}

/// The first set of exactly `size` positions below `count` that hits every
/// one of `conflicts`, holds none of `closed`, and is not `tried`.
///
/// Every such set is found: as long as a conflict is not hit, one of its
/// members has to be in the set, and each is tried; once all are hit, anything
/// may be added.
pub(crate) fn next(size: usize, count: usize, conflicts: &[Set], closed: &[Set], tried: &BTreeSet<Set>) -> Next {
    let mut search = Search { count, conflicts, closed, tried, seen: BTreeSet::new(), steps: STEPS };
    match search.extend(&mut Set::new(), size) {
        Ok(Some(set)) => Next::Set(set),
        Ok(None) => Next::None,
        Err(TooMany) => Next::TooMany,
    }
}

struct TooMany;

struct Search<'a> {
    count: usize,
    conflicts: &'a [Set],
    closed: &'a [Set],
    tried: &'a BTreeSet<Set>,
    /// Sets that were looked at, whatever the order of their members.
    seen: BTreeSet<Set>,
    steps: u64,
}

impl Search<'_> {
    fn extend(&mut self, chosen: &mut Set, left: usize) -> Result<Option<Set>, TooMany> {
        self.steps = self.steps.checked_sub(1).ok_or(TooMany)?;
        if self.closed.iter().any(|set| set.is_subset(chosen)) || !self.seen.insert(chosen.clone()) {
            return Ok(None);
        }
        let open = self.conflicts.iter().find(|conflict| conflict.is_disjoint(chosen));
        if left == 0 {
            return Ok((open.is_none() && !self.tried.contains(chosen)).then(|| chosen.clone()));
        }
        let members: Vec<usize> = match open {
            Some(conflict) => conflict.iter().copied().collect(),
            None => (0..self.count).filter(|member| !chosen.contains(member)).collect(),
        };
        for member in members {
            chosen.insert(member);
            let found = self.extend(chosen, left - 1)?;
            chosen.remove(&member);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(size: usize, count: usize, conflicts: &[Set], closed: &[Set]) -> BTreeSet<Set> {
        let mut tried = BTreeSet::new();
        while let Next::Set(set) = next(size, count, conflicts, closed, &tried) {
            assert!(tried.insert(set));
        }
        tried
    }

    #[test]
    fn every_hitting_set_is_found_once() {
        // Compared with trying all sets, over all families of two conflicts.
        let subsets: Vec<Set> = (0..32_u32).map(|bits| (0..5).filter(|bit| bits >> bit & 1 == 1).collect()).collect();
        for first in &subsets {
            for second in &subsets {
                let conflicts = [first.clone(), second.clone()];
                for size in 0..4 {
                    let fits = |set: &&Set| set.len() == size && conflicts.iter().all(|conflict| !conflict.is_disjoint(set));
                    let expected: BTreeSet<Set> = subsets.iter().filter(fits).cloned().collect();
                    assert_eq!(all(size, 5, &conflicts, &[]), expected, "{conflicts:?} {size}");
                    let closed = Set::from([1, 2]);
                    let open: BTreeSet<Set> = expected.into_iter().filter(|set| !closed.is_subset(set)).collect();
                    assert_eq!(all(size, 5, &conflicts, &[closed]), open);
                }
            }
        }
    }

    #[test]
    fn too_many_ways_end() {
        let conflicts: Vec<Set> = (0..9).map(|n| (n * 20..n * 20 + 20).collect()).collect();
        assert_eq!(next(8, 180, &conflicts, &[], &BTreeSet::new()), Next::TooMany);
    }
}
