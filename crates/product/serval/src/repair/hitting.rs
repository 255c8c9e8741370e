//! Sets that meet all of a list of conflicts, by size.

use std::collections::BTreeSet;

/// A set of positions.
pub(crate) type Set = BTreeSet<usize>;

/// What a set must hold one of, as a whole, to meet a conflict.
pub(crate) type Conflict = Vec<Set>;

/// Whether a set meets a conflict.
pub(crate) fn meets(set: &Set, conflict: &Conflict) -> bool {
    conflict.iter().any(|alternative| alternative.is_subset(set))
}

/// The conflict that any of these positions meets.
pub(crate) fn any_of(members: impl IntoIterator<Item = usize>) -> Conflict {
    members.into_iter().map(|member| Set::from([member])).collect()
}

/// Steps in one search for the next set, at most, where people wait for it.
pub(crate) const STEPS: u64 = 200_000;

/// What a search for the next set gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextSet {
    /// This one.
    Set(Set),
    /// There is no other.
    None,
    /// There are too many ways to look at them all.
    TooMany,
}

/// The first set of exactly `size` positions of `within` that meets every one
/// of `conflicts` and is not `tried`; positions of `likely` are chosen before
/// others. The search takes at most `steps` steps.
///
/// Every such set is found: as long as a conflict is not met, one of its
/// alternatives has to be in the set, and each is tried; once all are met,
/// anything may be added.
pub(crate) fn next(size: usize, within: &Set, likely: &Set, conflicts: &[Conflict], tried: &BTreeSet<Set>, steps: u64) -> NextSet {
    let mut search = HittingSearch { within, likely, conflicts, tried, seen: BTreeSet::new(), steps };
    match search.extend(&Set::new(), size) {
        Ok(Some(set)) => NextSet::Set(set),
        Ok(None) => NextSet::None,
        Err(TooMany) => NextSet::TooMany,
    }
}

struct TooMany;

struct HittingSearch<'a> {
    within: &'a Set,
    likely: &'a Set,
    conflicts: &'a [Conflict],
    tried: &'a BTreeSet<Set>,
    /// Sets that were looked at, whatever the order of their members.
    seen: BTreeSet<Set>,
    steps: u64,
}

impl HittingSearch<'_> {
    fn extend(&mut self, chosen: &Set, size: usize) -> Result<Option<Set>, TooMany> {
        self.steps = self.steps.checked_sub(1).ok_or(TooMany)?;
        if chosen.len() > size || !self.seen.insert(chosen.clone()) {
            return Ok(None);
        }
        let open = self.conflicts.iter().find(|conflict| !meets(chosen, conflict));
        if chosen.len() == size {
            return Ok((open.is_none() && !self.tried.contains(chosen)).then(|| chosen.clone()));
        }
        let mut additions: Conflict = match open {
            Some(conflict) => conflict.clone(),
            None => any_of(self.within.difference(chosen).copied()),
        };
        additions.sort_by_key(|addition| !addition.is_subset(self.likely));
        for addition in additions.iter().filter(|addition| addition.is_subset(self.within)) {
            let found = self.extend(&chosen.union(addition).copied().collect(), size)?;
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

    fn all(size: usize, within: &Set, likely: &Set, conflicts: &[Conflict]) -> BTreeSet<Set> {
        let mut tried = BTreeSet::new();
        while let NextSet::Set(set) = next(size, within, likely, conflicts, &tried, STEPS) {
            assert!(tried.insert(set));
        }
        tried
    }

    #[test]
    fn every_set_that_meets_all_is_found_once() {
        // Compared with trying all sets, over all families of two conflicts.
        let subsets: Vec<Set> = (0..32_u32).map(|bits| (0..5).filter(|bit| bits >> bit & 1 == 1).collect()).collect();
        for first in &subsets {
            for second in &subsets {
                // One is met by any member, the other by two neighbours.
                let pairs: Conflict = second.iter().map(|&member| Set::from([member, (member + 1) % 5])).collect();
                for other in [any_of(second.iter().copied()), pairs] {
                    let conflicts = [any_of(first.iter().copied()), other];
                    for size in 0..4 {
                        for within in [Set::from([0, 1, 2, 3, 4]), Set::from([0, 2, 3])] {
                            let meets_all = |set: &Set| conflicts.iter().all(|conflict| meets(set, conflict));
                            let fits = |set: &&Set| set.len() == size && set.is_subset(&within) && meets_all(set);
                            let expected: BTreeSet<Set> = subsets.iter().filter(fits).cloned().collect();
                            // Whatever is likely.
                            assert_eq!(all(size, &within, first, &conflicts), expected, "{conflicts:?} {size} {within:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_likely_comes_first() {
        let (within, conflicts) = ((0..6).collect(), [any_of(1..6)]);
        let first = |size, likely: &[usize]| next(size, &within, &likely.iter().copied().collect(), &conflicts, &BTreeSet::new(), STEPS);
        assert_eq!(first(1, &[]), NextSet::Set(Set::from([1])));
        assert_eq!(first(1, &[0, 3, 4]), NextSet::Set(Set::from([3])));
        assert_eq!(first(2, &[0, 3, 4]), NextSet::Set(Set::from([0, 3])));
    }

    #[test]
    fn too_many_ways_end() {
        let conflicts: Vec<Conflict> = (0..9).map(|n| any_of(n * 20..n * 20 + 20)).collect();
        assert_eq!(next(8, &(0..180).collect(), &Set::new(), &conflicts, &BTreeSet::new(), 5_000), NextSet::TooMany);
    }
}
