//! Which kinds of requests have to do with each other, as a guess.
//!
//! Kind `a` *disturbs* kind `b` if a request of kind `b` does something else in
//! a global state that requests of kind `a` alone can bring about than in the
//! initial one. Kinds are neighbours if one disturbs the other. This only says
//! where to look first; nothing rests on it.

use std::collections::BTreeSet;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId, Moves, RequestId};

use super::restrict::Reached;

/// Pairs of states that are looked at for one kind alone.
const ALONE_PAIRS: u64 = 2_000;
/// Global states of one kind that the others are tried in.
const GLOBALS: usize = 8;
/// Pairs of states that are looked at for all kinds together.
const ALL_PAIRS: u64 = 100_000;

/// The neighbours of each kind, ascending.
pub(super) fn neighbours<M: Moves>(system: &mut M, kinds: usize, budget: &Budget) -> Vec<Vec<usize>> {
    let initial = system.initial_global();
    let mut alone: Vec<Reached> = Vec::with_capacity(kinds);
    for kind in 0..kinds {
        let mut reached = Reached::new(system, &[RequestId::from_index(kind)]);
        // What was reached will do for a guess.
        let _ = reached.grow(system, &mut budget.aside(ALONE_PAIRS));
        alone.push(reached);
    }
    let mut sets: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); kinds];
    let mut budget = budget.aside(ALL_PAIRS);
    let (mut usual, mut disturbed) = (Vec::new(), Vec::new());
    for (kind, Reached { locals, .. }) in alone.iter().enumerate() {
        for &local in locals {
            targets(system, local, initial, &mut usual);
            for (other, Reached { globals, .. }) in alone.iter().enumerate().filter(|&(other, _)| other != kind) {
                for &global in globals.iter().filter(|&&global| global != initial).take(GLOBALS) {
                    if sets[kind].contains(&other) {
                        break;
                    }
                    if budget.spend(1).is_err() {
                        return listed(sets);
                    }
                    targets(system, local, global, &mut disturbed);
                    if usual != disturbed {
                        sets[kind].insert(other);
                        sets[other].insert(kind);
                    }
                }
            }
        }
    }
    listed(sets)
}

fn listed(sets: Vec<BTreeSet<usize>>) -> Vec<Vec<usize>> {
    sets.into_iter().map(|set| set.into_iter().collect()).collect()
}

/// The local states in which a step of a request can end.
fn targets<M: Moves>(system: &mut M, local: LocalId, global: GlobalId, out: &mut Vec<LocalId>) {
    let mut successors = Vec::new();
    out.clear();
    // A step without a result is a difference as well.
    if system.successors(local, global, &mut successors).is_ok() {
        out.extend(successors.iter().map(|next| next.0));
        out.sort_unstable();
        out.dedup();
    }
}

/// Sets of `size` kinds, each once and ascending, at most `cap`: first those
/// that hang together by neighbours, then the others.
pub(super) fn sets_of(neighbours: &[Vec<usize>], size: usize, cap: usize, budget: &mut Budget) -> Result<Vec<Vec<usize>>, Stopped> {
    let mut sets: IndexSet<Vec<usize>, FxBuildHasher> = IndexSet::default();
    for first in 0..neighbours.len() {
        let beyond = neighbours[first].iter().copied().filter(|&kind| kind > first).collect();
        extend(neighbours, &mut vec![first], beyond, size, cap, &mut sets, budget)?;
    }
    let mut next: Vec<usize> = (0..size).collect();
    while sets.len() < cap && next.last().is_some_and(|&last| last < neighbours.len()) {
        budget.spend(1)?;
        sets.insert(next.clone());
        // The last kind that can be replaced by a later one, with room for those after it.
        let Some(at) = (0..size).rev().find(|&at| next[at] + size - at < neighbours.len()) else { break };
        next[at] += 1;
        for after in at + 1..size {
            next[after] = next[after - 1] + 1;
        }
    }
    Ok(sets.into_iter().collect())
}

/// All connected sets that contain `chosen`, whose least kind is its first, and
/// else only kinds of `frontier` and exclusive neighbours of those added later
/// (the algorithm ESU of Wernicke 2006, which meets each set once).
fn extend(
    neighbours: &[Vec<usize>],
    chosen: &mut Vec<usize>,
    mut frontier: Vec<usize>,
    size: usize,
    cap: usize,
    sets: &mut IndexSet<Vec<usize>, FxBuildHasher>,
    budget: &mut Budget,
) -> Result<(), Stopped> {
    budget.spend(1)?;
    if chosen.len() == size {
        let mut set = chosen.clone();
        set.sort_unstable();
        sets.insert(set);
        return Ok(());
    }
    frontier.reverse();
    while let Some(kind) = frontier.pop() {
        if sets.len() >= cap {
            return Ok(());
        }
        let near = |other: usize| chosen.iter().any(|&one| one == other || neighbours[one].binary_search(&other).is_ok());
        let new = neighbours[kind].iter().copied().filter(|&other| other > chosen[0] && !near(other));
        let wider: Vec<usize> = frontier.iter().rev().copied().chain(new).collect();
        chosen.push(kind);
        let extended = extend(neighbours, chosen, wider, size, cap, sets, budget);
        chosen.pop();
        extended?;
    }
    Ok(())
}
