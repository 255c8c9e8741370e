//! The walks: through allocations from below, and through sets of scripts from above.

use std::collections::BTreeSet;

use serval_sql::Isolation;

use super::groups::{Groups, NextQuestion};
use super::known::{Allocation, ELSEWHERE, Knowledge, KnownVerdict};

/// How many allocations are looked at: beyond, the walk ends, and the report says so.
const MOST_LOOKED_AT: usize = 1 << 16;

/// Which scripts of a part are at REPEATABLE READ.
type Raised = Vec<bool>;

/// From READ COMMITTED for all scripts of a part upwards.
pub(super) struct Walk {
    scripts: Vec<usize>,
    all: usize,
    /// Whether other parts of the work ask the other questions: then each allocation is visited.
    shares: bool,
    /// What is to be visited, those with few raised scripts first.
    waiting: BTreeSet<(usize, Raised)>,
    seen: BTreeSet<Raised>,
    pub(super) lowest: Vec<Raised>,
    pub(super) open: Vec<Raised>,
    /// How many were not looked at.
    pub(super) left: u64,
    /// What lies right below one that is proved, or what is shown where there is none.
    below: Vec<Raised>,
    is_walked: bool,
}

impl Walk {
    pub(super) fn new(scripts: Vec<usize>, all: usize, shares: bool) -> Self {
        let bottom = vec![false; scripts.len()];
        let (lowest, open, below, seen) = Default::default();
        Self { scripts, all, shares, waiting: BTreeSet::from([(0, bottom)]), seen, lowest, open, left: 0, below, is_walked: false }
    }

    /// How many allocations were looked at.
    pub(super) fn looked_at(&self) -> usize {
        self.seen.len()
    }

    pub(super) fn allocation(&self, raised: &Raised) -> Allocation {
        let mut allocation = vec![None; self.all];
        for (script, raised) in self.scripts.iter().zip(raised) {
            allocation[*script] = Some(if *raised { Isolation::RepeatableRead } else { Isolation::ReadCommitted });
        }
        allocation
    }

    /// The next question.
    pub(super) fn next(&mut self, knowledge: &mut Knowledge, groups: &Groups, shard: Option<[usize; 2]>) -> Option<Allocation> {
        while let Some((count, raised)) = self.waiting.first().cloned() {
            if self.lowest.iter().any(|lowest| is_below(lowest, &raised)) {
                self.waiting.pop_first();
                continue;
            }
            if self.seen.len() >= MOST_LOOKED_AT {
                self.left = u64::try_from(self.waiting.len()).unwrap_or(u64::MAX);
                self.waiting.clear();
                break;
            }
            let allocation = self.allocation(&raised);
            let next = match groups.of(&allocation, knowledge) {
                NextQuestion::Group(group) => return Some(group),
                NextQuestion::Unknown if shard.is_some_and(|shard| !is_own(&raised, shard)) => {
                    knowledge.open.insert(allocation, ELSEWHERE.to_owned());
                    continue;
                }
                NextQuestion::Unknown => return Some(allocation),
                NextQuestion::Known(KnownVerdict::Proved) => {
                    self.lowest.push(raised.clone());
                    Vec::new()
                }
                NextQuestion::Known(KnownVerdict::Refuted(number)) if !self.shares => {
                    let run = &knowledge.counterexamples[number].0;
                    (0..raised.len()).filter(|&at| run[self.scripts[at]].is_some()).collect()
                }
                NextQuestion::Known(KnownVerdict::Refuted(_)) => (0..raised.len()).collect(),
                NextQuestion::Known(KnownVerdict::Open(_)) => {
                    self.open.push(raised.clone());
                    (0..raised.len()).collect()
                }
            };
            self.waiting.pop_first();
            self.seen.insert(raised.clone());
            for at in next.into_iter().filter(|&at| !raised[at]) {
                let mut higher = raised.clone();
                higher[at] = true;
                if !self.seen.contains(&higher) {
                    self.waiting.insert((count + 1, higher));
                }
            }
        }
        if !self.is_walked {
            self.is_walked = true;
            self.below = self.lowest.iter().flat_map(below).collect();
            if self.lowest.is_empty() {
                self.below = vec![vec![false; self.scripts.len()], vec![true; self.scripts.len()]];
            }
        }
        while let Some(raised) = self.below.last() {
            let allocation = self.allocation(raised);
            match knowledge.of(&allocation) {
                None if shard.is_some_and(|shard| !is_own(raised, shard)) => {}
                None => return Some(allocation),
                // Only where the walk ended early.
                Some(KnownVerdict::Proved) => {
                    let found = raised.clone();
                    self.lowest.retain(|lowest| !is_below(&found, lowest));
                    self.lowest.push(found.clone());
                    self.below.extend(below(&found));
                    self.below.retain(|one| *one != found);
                    continue;
                }
                Some(_) => {}
            }
            self.below.pop();
        }
        None
    }
}

/// Whether a question belongs to this part of the work.
fn is_own(raised: &Raised, [number, of]: [usize; 2]) -> bool {
    // FNV-1a: the same everywhere, and neighbours go to different parts.
    let hash = raised.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &bit| (hash ^ u64::from(bit)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ (hash >> 29)) % u64::try_from(of).unwrap_or(1).max(1);
    usize::try_from(mixed).is_ok_and(|part| part + 1 == number)
}

/// Whether all that one raises is raised in the other.
fn is_below(one: &Raised, other: &Raised) -> bool {
    one.iter().zip(other).all(|(one, other)| !one || *other)
}

/// With one script at READ COMMITTED less.
fn below(raised: &Raised) -> Vec<Raised> {
    let lowered = |at: usize| {
        let mut lower = raised.clone();
        lower[at] = false;
        lower
    };
    (0..raised.len()).filter(|&at| raised[at]).map(lowered).collect()
}

/// From all scripts of a part downwards: the largest sets that are serializable at one level.
pub(super) struct SetsWalk {
    level: Isolation,
    all: usize,
    /// What is to be visited, by how many scripts are left out.
    waiting: BTreeSet<(usize, BTreeSet<usize>)>,
    seen: BTreeSet<BTreeSet<usize>>,
    whole: usize,
    pub(super) largest: Vec<BTreeSet<usize>>,
    pub(super) open: Vec<BTreeSet<usize>>,
}

impl SetsWalk {
    pub(super) fn new(scripts: &[usize], all: usize, level: Isolation) -> Self {
        let whole: BTreeSet<usize> = scripts.iter().copied().collect();
        let (seen, largest, open) = Default::default();
        Self { level, all, whole: whole.len(), waiting: BTreeSet::from([(0, whole)]), seen, largest, open }
    }

    pub(super) fn allocation(&self, set: &BTreeSet<usize>) -> Allocation {
        (0..self.all).map(|script| set.contains(&script).then_some(self.level)).collect()
    }

    /// The next question. The sets that it visits are enough by the argument at the head of the module, upside down: a
    /// set that is safe lacks a script of each run that refutes a larger one.
    pub(super) fn next(&mut self, knowledge: &Knowledge, groups: &Groups) -> Option<Allocation> {
        while let Some((_, set)) = self.waiting.first().cloned() {
            if set.is_empty() || self.largest.iter().any(|larger| set.is_subset(larger)) || self.seen.len() >= MOST_LOOKED_AT {
                self.waiting.pop_first();
                continue;
            }
            let allocation = self.allocation(&set);
            let without: Vec<usize> = match groups.of(&allocation, knowledge) {
                NextQuestion::Group(group) => return Some(group),
                NextQuestion::Unknown => return Some(allocation),
                NextQuestion::Known(KnownVerdict::Proved) => {
                    self.largest.push(set.clone());
                    Vec::new()
                }
                NextQuestion::Known(KnownVerdict::Refuted(number)) => {
                    let run = &knowledge.counterexamples[number].0;
                    set.iter().copied().filter(|script| run[*script].is_some()).collect()
                }
                NextQuestion::Known(KnownVerdict::Open(_)) => {
                    self.open.push(set.clone());
                    set.iter().copied().collect()
                }
            };
            self.waiting.pop_first();
            self.seen.insert(set.clone());
            for script in without {
                let mut smaller = set.clone();
                smaller.remove(&script);
                if !self.seen.contains(&smaller) {
                    self.waiting.insert((self.whole - smaller.len(), smaller));
                }
            }
        }
        None
    }
}
