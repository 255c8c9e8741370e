//! The exact pass: which local states can really be where, by coverability.
//!
//! A configuration is a global state and, for each local state that is not
//! initial, the number of requests in it; initial states are always available
//! in any number, and finished requests no longer matter. Steps are monotone:
//! whatever a configuration can do, a larger one can. The tree of Karp and
//! Miller (Parallel program schemata, 1969) explores this with counts that may
//! be ω ("as many as you like").
//!
//! *Acceleration.* If a node `m'` has an ancestor `m` with the same global
//! state and `m ≤ m'`, the steps between can be repeated, so every count that
//! grew can be made as large as one likes: it becomes ω.
//!
//! *Pruning.* A new node is dropped when some node made earlier, anywhere in
//! the tree, has the same global state and is at least as large. Nodes are
//! never removed (removing them is where minimal-tree algorithms went wrong).
//!
//! **Claim 1 (nothing is missed).** Every reachable configuration is below
//! some node that was not dropped. By induction on the run: the initial one is
//! the root; if `c → c'` and `c ≤ n`, then `n` has a successor `≥ c'`, which
//! is a node or was dropped for an earlier node at least as large, and a chain
//! of such replacements ends because each goes to an earlier node.
//!
//! **Claim 2 (nothing is made up).** For every node and every bound `k`, a
//! configuration is reachable that agrees with the node's finite counts from
//! below and has at least `k` where it has ω. By induction along the branch;
//! acceleration repeats the steps between ancestor and node often enough.
//! Hence every pair met here really occurs in some run.
//!
//! **Claim 3 (it ends)** whenever finitely many global and local states can
//! really occur: by claim 2 only those are made, so markings are vectors of
//! bounded length, every infinite branch would have an increasing pair
//! (Dickson) and each acceleration uses up a finite count; branching is
//! finite, so the tree is (König).

use rustc_hash::FxHashSet;
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId};

use crate::space::{MoveRange, Space};

/// As many requests as one likes.
pub(crate) const OMEGA: u32 = u32::MAX;

/// Counts of requests per local state, ascending, none 0.
pub(crate) type Marking = Box<[(LocalId, u32)]>;

/// The pass, which can be stopped and taken up again.
#[derive(Default)]
pub(crate) struct Cover {
    started: bool,
    initial: Vec<LocalId>,
    /// The branch being explored.
    branch: Vec<Branch>,
    /// Positions in `branch` per global state.
    on_branch: Vec<Vec<usize>>,
    /// Per global state the largest markings of all nodes made so far.
    pub(crate) largest: Vec<Vec<Marking>>,
    seen: FxHashSet<(LocalId, GlobalId)>,
    /// Counts compared or kept and not yet paid for.
    compared: u64,
    /// All pairs that occur, in order.
    pub(crate) pairs: Vec<(LocalId, GlobalId)>,
}

struct Branch {
    global: GlobalId,
    marking: Marking,
    /// The local state whose steps come next: first the initial ones, then
    /// those of the marking.
    source: usize,
    /// Its steps that have not been followed.
    moves: Option<MoveRange>,
}

impl Cover {
    /// Goes on until the tree is complete or the budget ends. A tick is a step
    /// tried from a small node.
    pub(crate) fn run(&mut self, space: &mut Space, budget: &mut Budget) -> Result<(), Stopped> {
        if !self.started {
            self.started = true;
            self.initial = space.starts().map(|&(_, local)| local).collect();
            self.initial.sort_unstable();
            self.initial.dedup();
            self.enter(space.initial_global(), Box::default());
        }
        while let Some(top) = self.branch.len().checked_sub(1) {
            // Comparisons of long markings cost what they weigh.
            budget.spend(1 + std::mem::take(&mut self.compared) / 32 + space.take_cost())?;
            match self.next_move(space, top) {
                Some((source, index)) => {
                    let step = space.moves[index];
                    let node = &self.branch[top];
                    if step.local == source && step.global == node.global {
                        continue;
                    }
                    let target = if space.is_finished(step.local) || self.is_initial(step.local) { None } else { Some(step.local) };
                    let source = if self.is_initial(source) { None } else { Some(source) };
                    let marking = fire(&node.marking, source, target);
                    self.visit(step.global, marking);
                }
                None => {
                    if let Some(done) = self.branch.pop() {
                        self.on_branch[done.global.index()].pop();
                    }
                }
            }
        }
        Ok(())
    }

    fn is_initial(&self, local: LocalId) -> bool {
        self.initial.binary_search(&local).is_ok()
    }

    /// The next step from the node on top of the branch.
    fn next_move(&mut self, space: &mut Space, top: usize) -> Option<(LocalId, usize)> {
        let initial = &self.initial;
        let node = &mut self.branch[top];
        loop {
            let source = match initial.get(node.source) {
                Some(&local) => local,
                None => node.marking.get(node.source - initial.len())?.0,
            };
            let moves = node.moves.get_or_insert_with(|| {
                if self.seen.insert((source, node.global)) {
                    self.pairs.push((source, node.global));
                }
                space.moves(source, node.global)
            });
            if let Some(index) = moves.next() {
                return Some((source, index));
            }
            node.moves = None;
            node.source += 1;
        }
    }

    /// Makes a node unless one at least as large exists.
    fn visit(&mut self, global: GlobalId, mut marking: Marking) {
        self.grow(global);
        // One acceleration can enable another, so repeat until none does.
        let others = self.on_branch[global.index()].len() + self.largest[global.index()].len();
        loop {
            self.compared += (others * (marking.len() + 1)) as u64;
            let mut grew = false;
            for &position in &self.on_branch[global.index()] {
                grew |= accelerate(&self.branch[position].marking, &mut marking);
            }
            if !grew {
                break;
            }
        }
        if !self.largest[global.index()].iter().any(|known| below(&marking, known)) {
            self.enter(global, marking);
        }
    }

    fn grow(&mut self, global: GlobalId) {
        if self.largest.len() <= global.index() {
            self.largest.resize_with(global.index() + 1, Vec::new);
            self.on_branch.resize_with(global.index() + 1, Vec::new);
        }
    }

    fn enter(&mut self, global: GlobalId, marking: Marking) {
        self.grow(global);
        // A node weighs as much as its marking: many requests, each in a state of its
        // own, fill the memory long before they are many nodes.
        self.compared += marking.len() as u64;
        let largest = &mut self.largest[global.index()];
        largest.retain(|known| !below(known, &marking));
        largest.push(marking.clone());
        self.on_branch[global.index()].push(self.branch.len());
        self.branch.push(Branch { global, marking, source: 0, moves: None });
    }
}

/// The marking after one request has gone from `source` to `target`.
pub(crate) fn fire(marking: &Marking, source: Option<LocalId>, target: Option<LocalId>) -> Marking {
    let mut counts = marking.to_vec();
    if let Some(source) = source
        && let Ok(position) = counts.binary_search_by_key(&source, |&(local, _)| local)
        && counts[position].1 != OMEGA
    {
        counts[position].1 -= 1;
        if counts[position].1 == 0 {
            counts.remove(position);
        }
    }
    if let Some(target) = target {
        match counts.binary_search_by_key(&target, |&(local, _)| local) {
            // A finite count stays below the number of steps taken.
            Ok(position) => counts[position].1 = counts[position].1.saturating_add(1),
            Err(position) => counts.insert(position, (target, 1)),
        }
    }
    counts.into()
}

/// Whether `small ≤ large` everywhere.
pub(crate) fn below(small: &Marking, large: &Marking) -> bool {
    let mut large = large.iter();
    small.iter().all(|&(local, count)| large.by_ref().find(|&&(l, _)| l >= local).is_some_and(|&(l, c)| l == local && count <= c))
}

/// If `ancestor ≤ marking`, makes every count that grew ω; whether any did.
fn accelerate(ancestor: &Marking, marking: &mut Marking) -> bool {
    if !below(ancestor, marking) {
        return false;
    }
    let mut grew = false;
    for (local, count) in marking.iter_mut() {
        let before = ancestor.binary_search_by_key(local, |&(l, _)| l).map_or(0, |position| ancestor[position].1);
        if *count > before && *count != OMEGA {
            *count = OMEGA;
            grew = true;
        }
    }
    grew
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marking(counts: &[(usize, u32)]) -> Marking {
        counts.iter().map(|&(local, count)| (LocalId::from_index(local), count)).collect()
    }

    #[test]
    fn order_of_markings() {
        assert!(below(&marking(&[]), &marking(&[(1, 1)])));
        assert!(below(&marking(&[(1, 1), (3, 2)]), &marking(&[(0, 1), (1, 1), (3, OMEGA)])));
        assert!(!below(&marking(&[(1, 2)]), &marking(&[(1, 1)])));
        assert!(!below(&marking(&[(2, 1)]), &marking(&[(1, 5), (3, 5)])));
    }

    #[test]
    fn what_grew_becomes_omega() {
        let mut after = marking(&[(1, 2), (2, 1)]);
        assert!(accelerate(&marking(&[(1, 1), (2, 1)]), &mut after));
        assert_eq!(after, marking(&[(1, OMEGA), (2, 1)]));
        assert!(!accelerate(&marking(&[(3, 1)]), &mut after));
    }

    #[test]
    fn firing_moves_one_request() {
        let id = LocalId::from_index;
        assert_eq!(fire(&marking(&[(1, 1)]), Some(id(1)), Some(id(2))), marking(&[(2, 1)]));
        assert_eq!(fire(&marking(&[(1, OMEGA)]), Some(id(1)), Some(id(1))), marking(&[(1, OMEGA)]));
        assert_eq!(fire(&marking(&[]), None, Some(id(2))), marking(&[(2, 1)]));
        assert_eq!(fire(&marking(&[(2, 3)]), Some(id(2)), None), marking(&[(2, 2)]));
    }
}
