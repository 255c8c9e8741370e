//! Makes the serial automaton small.
//!
//! What a level is, and why it loses no soundness, is said in
//! [`serval_proof::letters::level`]; here levels are found. Each makes the
//! automaton smaller without changing which counts its walks have:
//!
//! - States that are bisimilar become one (by refining a partition). Then states
//!   that simulate each other become one, and an edge `p –a→ p'` goes if an edge
//!   `p –a→ p''` stays where `p''` can do strictly more than `p'`. Both keep the
//!   sequences of letters of all walks.
//! - A letter goes that labels loops only, if each edge that enters its states
//!   `P` from outside has a letter all of whose edges touch `P`: then a walk has
//!   visited `P` iff it began there or has one of these letters.
//!
//! Levels take turns with each other: without the reads, states that only
//! reads told apart can do the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_model::Node;
use serval_proof::letters::Automaton;

/// States up to which simulations are looked for.
const SIMULATED: usize = 3_000;

/// A letter that labels loops only.
#[derive(Clone, Debug)]
pub(super) struct LoopLetter {
    pub(super) letter: Node,
    /// The start has a loop.
    pub(super) free: bool,
    /// The largest `Γ` there is, sorted.
    pub(super) guards: Vec<Node>,
}

/// The letters that can be removed without losing walks, if their guards hold.
pub(super) fn loop_letters(automaton: &Automaton, budget: &mut Budget) -> Result<Vec<LoopLetter>, Stopped> {
    let mut edges: BTreeMap<Node, Vec<(u32, u32)>> = BTreeMap::new();
    for &(from, letter, to) in &automaton.edges {
        edges.entry(letter).or_default().push((from, to));
    }
    let is_loops = |arcs: &[(u32, u32)]| arcs.iter().all(|(from, to)| from == to);
    let (loops, others): (Vec<_>, Vec<_>) = edges.iter().partition(|(_, arcs)| is_loops(arcs));
    // Letters with loops at the same states have the same guards.
    let mut groups: BTreeMap<&[(u32, u32)], Vec<Node>> = BTreeMap::new();
    for (&letter, arcs) in loops {
        groups.entry(arcs.as_slice()).or_default().push(letter);
    }
    let mut found = Vec::new();
    for (arcs, letters) in groups {
        budget.spend(automaton.edges.len() as u64 + u64::from(automaton.states))?;
        let mut inside = vec![false; automaton.states as usize];
        for &(state, _) in arcs {
            inside[state as usize] = true;
        }
        let is_in = |state: u32| inside[state as usize];
        let free = is_in(automaton.start);
        let guards: Vec<Node> =
            others.iter().filter(|(_, arcs)| arcs.iter().all(|&(from, to)| is_in(from) || is_in(to))).map(|(letter, _)| **letter).collect();
        let entered = others.iter().filter(|(_, arcs)| arcs.iter().any(|&(from, to)| !is_in(from) && is_in(to)));
        if free || entered.into_iter().all(|(letter, _)| guards.binary_search(letter).is_ok()) {
            found.extend(letters.into_iter().map(|letter| LoopLetter { letter, free, guards: guards.clone() }));
        }
    }
    found.sort_by_key(|found| found.letter);
    Ok(found)
}

/// A smaller automaton with the same sequences of letters, and a simulation of
/// it by the one that was given.
pub(super) fn shrink(automaton: &Automaton, budget: &mut Budget) -> Result<(Automaton, Vec<(u32, u32)>), Stopped> {
    let reached = reached(automaton);
    budget.spend(automaton.edges.len() as u64)?;
    let (block_of, blocks) = bisimulation(automaton, &reached, budget)?;
    let mut quotient: Vec<(u32, Node, u32)> = automaton
        .edges
        .iter()
        .filter(|&&(from, ..)| reached[from as usize])
        .map(|&(from, letter, to)| (block_of[from as usize], letter, block_of[to as usize]))
        .collect();
    quotient.sort_unstable();
    quotient.dedup();
    let quotient = Automaton { states: blocks, start: block_of[automaton.start as usize], edges: quotient };
    let preorder = Preorder::new(&quotient, budget)?;
    // Of states that simulate each other the first stands for all.
    let same = |a: u32, b: u32| preorder.holds(a, b) && preorder.holds(b, a);
    let mut of: Vec<u32> = (0..blocks).collect();
    for block in 0..blocks {
        budget.spend(u64::from(block) / 64 + 1)?;
        if let Some(first) = (0..block).find(|&first| of[first as usize] == first && same(first, block)) {
            of[block as usize] = first;
        }
    }
    let mut edges: Vec<(u32, Node, u32)> =
        quotient.edges.iter().map(|&(from, letter, to)| (of[from as usize], letter, of[to as usize])).collect();
    edges.sort_unstable();
    edges.dedup();
    budget.spend(edges.len() as u64)?;
    let merged = Automaton { states: blocks, start: of[quotient.start as usize], edges };
    let better = |a: u32, b: u32| a != b && preorder.holds(a, b);
    let kept = merged.edges.iter().copied().filter(|&(from, letter, to)| {
        let beside = merged.edges_from(from, letter);
        beside.len() == 1 || !beside.iter().any(|&(.., other)| better(to, other))
    });
    let thinned = Automaton { edges: kept.collect(), ..merged };
    // Numbers without gaps for what is reached.
    let reached = self::reached(&thinned);
    let mut number = vec![0; blocks as usize];
    let mut representatives = Vec::new();
    for block in (0..blocks).filter(|&block| reached[block as usize]) {
        number[block as usize] = count(representatives.len());
        representatives.push(block);
    }
    let edges = thinned.edges.iter().filter(|&&(from, ..)| reached[from as usize]);
    let edges = edges.map(|&(from, letter, to)| (number[from as usize], letter, number[to as usize])).collect();
    let small = Automaton { states: count(representatives.len()), start: number[thinned.start as usize], edges };
    let simulates = |p: u32, q: u32| preorder.holds(representatives[p as usize], block_of[q as usize]);
    let relation = relation(&small, automaton, simulates, budget)?;
    Ok((small, relation))
}

/// As many pairs as the start needs.
fn relation(
    small: &Automaton,
    large: &Automaton,
    simulates: impl Fn(u32, u32) -> bool,
    budget: &mut Budget,
) -> Result<Vec<(u32, u32)>, Stopped> {
    let mut pairs = BTreeSet::from([(small.start, large.start)]);
    let mut to_visit = vec![(small.start, large.start)];
    while let Some((p, q)) = to_visit.pop() {
        for &(_, letter, to) in small.edges_of(p) {
            let followers = large.edges_from(q, letter);
            budget.spend(followers.len() as u64 + 1)?;
            if followers.iter().any(|&(.., then)| pairs.contains(&(to, then))) {
                continue;
            }
            if let Some(&(.., then)) = followers.iter().find(|&&(.., then)| simulates(to, then)) {
                pairs.insert((to, then));
                to_visit.push((to, then));
            }
        }
    }
    Ok(pairs.into_iter().collect())
}

fn count(length: usize) -> u32 {
    // Fewer than there are states, which have 32 bits.
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// For each state whether a walk leads to it.
fn reached(automaton: &Automaton) -> Vec<bool> {
    let mut reached = vec![false; automaton.states as usize];
    reached[automaton.start as usize] = true;
    let mut to_visit = vec![automaton.start];
    while let Some(state) = to_visit.pop() {
        for &(.., to) in automaton.edges_of(state) {
            if !std::mem::replace(&mut reached[to as usize], true) {
                to_visit.push(to);
            }
        }
    }
    reached
}

/// The coarsest bisimulation of the states that are reached: for each state the
/// number of its block, and how many there are.
///
/// Refines by what the edges lead to. After a round only predecessors of states
/// in blocks that were split are looked at again.
fn bisimulation(automaton: &Automaton, reached: &[bool], budget: &mut Budget) -> Result<(Vec<u32>, u32), Stopped> {
    let states = automaton.states as usize;
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); states];
    for &(from, _, to) in &automaton.edges {
        if reached[from as usize] {
            sources[to as usize].push(from);
        }
    }
    let mut block_of = vec![0_u32; states];
    let mut members: Vec<Vec<u32>> = vec![(0..automaton.states).filter(|&state| reached[state as usize]).collect()];
    let mut dirty: VecDeque<u32> = VecDeque::from([0]);
    let mut is_dirty = vec![true];
    while let Some(block) = dirty.pop_front() {
        is_dirty[block as usize] = false;
        let of_block = std::mem::take(&mut members[block as usize]);
        let mut parts: FxHashMap<Vec<(Node, u32)>, Vec<u32>> = FxHashMap::default();
        let mut order: Vec<Vec<(Node, u32)>> = Vec::new();
        for &state in &of_block {
            let edges = automaton.edges_of(state);
            budget.spend(edges.len() as u64 + 1)?;
            let mut signature: Vec<(Node, u32)> = edges.iter().map(|&(_, letter, to)| (letter, block_of[to as usize])).collect();
            signature.sort_unstable();
            signature.dedup();
            let part = parts.entry(signature.clone()).or_default();
            if part.is_empty() {
                order.push(signature);
            }
            part.push(state);
        }
        let mut parts: Vec<Vec<u32>> = order.into_iter().filter_map(|signature| parts.remove(&signature)).collect();
        if parts.len() == 1 {
            members[block as usize] = of_block;
            continue;
        }
        // The largest part keeps the number, so that few states are moved.
        let largest = (0..parts.len()).rev().max_by_key(|&part| parts[part].len()).unwrap_or(0);
        members[block as usize] = parts.swap_remove(largest);
        let mut touched: Vec<u32> = Vec::new();
        for part in parts {
            let new = count(members.len());
            for &state in &part {
                block_of[state as usize] = new;
                touched.extend(&sources[state as usize]);
            }
            members.push(part);
            is_dirty.push(false);
        }
        budget.spend(touched.len() as u64)?;
        for source in touched {
            let block = block_of[source as usize];
            if !std::mem::replace(&mut is_dirty[block as usize], true) {
                dirty.push_back(block);
            }
        }
    }
    Ok((block_of, count(members.len())))
}

/// Which states can do what others can: the greatest simulation. Where there
/// are too many states it is equality.
struct Preorder {
    words: usize,
    /// For each state `p` the states that simulate it.
    rows: Vec<u64>,
}

impl Preorder {
    fn new(automaton: &Automaton, budget: &mut Budget) -> Result<Self, Stopped> {
        let states = automaton.states as usize;
        if states > SIMULATED {
            return Ok(Self { words: 0, rows: Vec::new() });
        }
        let words = states.div_ceil(64);
        budget.spend((states * words) as u64)?;
        let mut preorder = Self { words, rows: vec![0; states * words] };
        let letters = |state: u32| {
            let mut letters: Vec<Node> = automaton.edges_of(state).iter().map(|&(_, letter, _)| letter).collect();
            letters.dedup();
            letters
        };
        let of: Vec<Vec<Node>> = (0..automaton.states).map(letters).collect();
        for p in 0..states {
            for q in 0..states {
                budget.spend(1)?;
                if of[p].iter().all(|letter| of[q].binary_search(letter).is_ok()) {
                    preorder.rows[p * words + q / 64] |= 1 << (q % 64);
                }
            }
        }
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); states];
        for &(from, _, to) in &automaton.edges {
            sources[to as usize].push(from);
        }
        for list in &mut sources {
            list.dedup();
        }
        // A state whose row has become smaller is a reason to look at those
        // before it again.
        let mut dirty: VecDeque<u32> = (0..automaton.states).collect();
        let mut is_dirty = vec![true; states];
        while let Some(p) = dirty.pop_front() {
            is_dirty[p as usize] = false;
            let mut changed = false;
            for q in 0..automaton.states {
                if p == q || !preorder.holds(p, q) {
                    continue;
                }
                let mut follows = true;
                for &(_, letter, to) in automaton.edges_of(p) {
                    let candidates = automaton.edges_from(q, letter);
                    budget.spend(candidates.len() as u64 + 1)?;
                    follows = candidates.iter().any(|&(.., then)| preorder.holds(to, then));
                    if !follows {
                        break;
                    }
                }
                if !follows {
                    preorder.rows[p as usize * words + q as usize / 64] &= !(1 << (q % 64));
                    changed = true;
                }
            }
            if changed {
                for &source in &sources[p as usize] {
                    if !std::mem::replace(&mut is_dirty[source as usize], true) {
                        dirty.push_back(source);
                    }
                }
            }
        }
        Ok(preorder)
    }

    /// Whether `q` can do what `p` can.
    fn holds(&self, p: u32, q: u32) -> bool {
        p == q || self.words > 0 && self.rows[p as usize * self.words + q as usize / 64] >> (q % 64) & 1 != 0
    }
}
